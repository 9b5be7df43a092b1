//! The line at the bottom: what is typed, what was typed, what a word can become.

mod completion;
mod editor;
mod history;

pub(super) use completion::Completion;
pub(super) use editor::{Editor, Reach};
pub(super) use history::History;
