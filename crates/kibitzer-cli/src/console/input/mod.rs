//! What is typed: the input line with its history and completion, shared by the console and the line mode.

mod completion;
mod editor;
mod history;

pub(crate) use completion::{CompletionCandidates, SeenNames};
pub(crate) use editor::{EDITING_KEYS, InputLine, Motion, masked_or_safe, normalized_press};
pub(crate) use history::{History, StateDirectory};
