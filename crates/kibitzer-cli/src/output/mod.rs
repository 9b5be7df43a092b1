//! Events as lines: JSON for programs, text for people.

mod event_writer;
mod terminal;
mod text;

pub(crate) use event_writer::{EventWriter, FORMAT_HELP, LineFormat, bot_event_json, json_object};
pub(crate) use terminal::{TerminalSafe, print_above_input, set_input_line};
pub(crate) use text::{
    TextArgs, cut_recording_text, format_session_time, hex_digits, is_move_square, numbered_move, one_line,
};
