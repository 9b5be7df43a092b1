//! The line at the bottom: what is typed, what was typed, what a word can become.

pub(in crate::console) mod command;
pub(in crate::console) mod filters;
pub(in crate::console) mod keys;
pub(in crate::console) mod store;

mod completion;
mod editor;
mod history;

pub(super) use completion::Completion;
pub(super) use editor::{Editor, Reach};
pub(super) use history::History;
