//! Events as lines: JSON for programs, text for people.

mod board;
mod lines;
mod sent;
mod stamp;
mod terminal_safe;
mod text;

pub(crate) use lines::{FORMAT_HELP, LineFormat, Lines, WriteError};
pub(crate) use sent::{PasswordPrompt, sent_text};
pub(crate) use stamp::{SessionClock, Stamp};
pub(crate) use terminal_safe::TerminalSafe;
pub(crate) use text::{cut, numbered_move, one_line};
