//! Events as lines: JSON for programs, text for people.

mod board;
mod event_writer;
mod input_line;
mod raw_bytes;
mod sent;
mod stamp;
mod summary;
mod terminal_safe;
mod text;

pub(crate) use board::is_move_square;
pub(crate) use event_writer::{EventWriter, FORMAT_HELP, LineFormat, json_object};
pub(crate) use input_line::{print_above_input, set_input_line};
pub(crate) use raw_bytes::RawBytes;
pub(crate) use sent::{PasswordPrompt, text_unless_timeseal};
pub(crate) use stamp::{SessionClock, Stamp};
pub(crate) use terminal_safe::TerminalSafe;
pub(crate) use text::{cut_recording_text, hex_digits, numbered_move, one_line};
