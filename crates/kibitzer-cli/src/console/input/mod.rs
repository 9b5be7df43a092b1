//! The user's input: keys, the input line with its history and completion, commands, and filters with a name.

pub(crate) mod command;
pub(crate) mod keys;
pub(crate) mod named_filters;

mod completion;
mod history;
mod line_editor;
mod state_directory;

pub(super) use completion::Completion;
pub(super) use history::History;
pub(super) use line_editor::{LineEditor, Motion};
pub(super) use state_directory::StateDirectory;
