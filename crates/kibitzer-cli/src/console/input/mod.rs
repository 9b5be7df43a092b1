//! The user's input: keys, the input line with its history and completion, commands, and filters with a name.

pub(in crate::console) mod command;
pub(in crate::console) mod keys;
pub(in crate::console) mod named_filters;

mod completion;
mod history;
mod line_editor;
mod state_directory;

pub(super) use completion::Completion;
pub(super) use history::History;
pub(super) use line_editor::{LineEditor, Motion};
pub(super) use state_directory::StateDirectory;
