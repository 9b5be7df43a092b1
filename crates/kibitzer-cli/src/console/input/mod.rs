//! The user's input: keys, the input line with its history and completion, commands, and filters with a name.

pub(crate) mod command;

mod appearance;
mod completion;
mod history;
mod keys;
mod line_editor;
mod named_filters;
mod state_directory;

pub(crate) use appearance::{ColorTheme, PieceSet, TimeColumn};
pub(crate) use command::{COMMANDS, CommandError, ConsoleCommand};
pub(crate) use completion::CompletionCandidates;
pub(crate) use history::History;
pub(crate) use keys::{
    Action, Focus, INPUT_KEYS, LIST_KEYS, OverlayPage, action_for_key, normalized_press, page_action,
};
pub(crate) use line_editor::{LineEditor, Motion, masked_or_safe};
pub(crate) use named_filters::{
    COLORS_FILE, FILTERS_FILE, NamedFilters, ProfileFilters, ROW_COLORS, parse_profile_filters,
};
pub(crate) use state_directory::StateDirectory;
