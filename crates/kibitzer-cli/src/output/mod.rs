//! Events as lines: JSON for programs, text for people.

mod board;
mod entry;
mod json;
mod life;
mod lines;
mod one_line;
mod sent;
mod shown;
mod stamp;
mod text;
mod told;
mod values;

pub(crate) use entry::Entry;
pub(crate) use lines::{FORMAT_HELP, LineFormat, Lines, WriteError};
pub(crate) use one_line::{numbered_move, one_line};
pub(crate) use sent::{PasswordPrompt, sent_text};
pub(crate) use shown::Shown;
pub(crate) use stamp::{SessionClock, Stamp};
pub(crate) use text::cut;
