//! Commands of players, by subject. `dispatch.rs` finds and executes the command of a line, and describes how to add one.
#![expect(clippy::unnecessary_wraps, reason = "all commands have one signature")]

pub(crate) mod challenge;
pub(crate) mod game;
pub(crate) mod info;
pub(crate) mod observe;
pub(crate) mod offers;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod talk;

use kibitzer_core::message::CommandCode;

use crate::world::{ConnectionId, World};

/// Result of a command: the text to queue after the output that the command itself has queued, or a refusal.
pub(crate) type CommandResult = Result<String, CommandRefusal>;

/// Result of a command that has queued all of its output.
pub(crate) const DONE: CommandResult = Ok(String::new());

/// Refusal of a step or a move while a position is set up.
pub(crate) const IN_SETUP: &str = "You are still setting up the position.\n";

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandRefusal {
    /// The parameters are invalid; the reply is the command's usage.
    Usage,
    /// Refused with this text; block mode has no code for it.
    Text(String),
    /// Refused with this text and code of block mode.
    Coded(CommandCode, String),
}

/// Returns the text as a refusal if `is_refused` is set, otherwise `Ok`.
pub(crate) fn refuse_if(is_refused: bool, text: impl Into<CommandRefusal>) -> Result<(), CommandRefusal> {
    if is_refused { Err(text.into()) } else { Ok(()) }
}

/// Returns the first word of the parameters; [`CommandRefusal::Usage`] if there is none.
pub(crate) fn required_first_word(parameters: &str) -> Result<&str, CommandRefusal> {
    parameters.split_whitespace().next().ok_or(CommandRefusal::Usage)
}

/// Parses the parameters as a number; 1 if they are empty. [`CommandRefusal::Usage`] for anything else.
pub(crate) fn number_or_one(parameters: &str) -> Result<usize, CommandRefusal> {
    match parameters {
        "" => Ok(1),
        number => number.parse().map_err(|_| CommandRefusal::Usage),
    }
}

impl CommandRefusal {
    /// Returns the text; empty for [`Usage`](Self::Usage).
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Usage => String::new(),
            Self::Text(text) | Self::Coded(_, text) => text,
        }
    }
}

/// Returns the player with this name, or the only one whose name starts with it.
pub(crate) fn find_online_player(world: &World, name: &str) -> Result<ConnectionId, CommandRefusal> {
    Ok(world.lobby.find_player_by_prefix(name).ok_or_else(|| format!("No player named \"{name}\" is online.\n"))?)
}

impl<T: Into<String>> From<T> for CommandRefusal {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// A command of players.
#[derive(Debug)]
pub(crate) struct CommandRow {
    pub(crate) name: &'static str,
    /// Syntax of the parameters.
    pub(crate) parameters: &'static str,
    /// Help text, in whole sentences.
    pub(crate) summary: &'static str,
    /// Whether guests are refused.
    pub(crate) is_registered_only: bool,
    pub(crate) run: CommandFunction,
}

/// Function that executes a command for a player. Its last argument is the text after the command's name, without leading blanks.
pub(crate) type CommandFunction = fn(&mut World, ConnectionId, &str) -> CommandResult;

impl CommandRow {
    /// Creates a command for all players.
    pub(crate) const fn new(
        name: &'static str,
        parameters: &'static str,
        summary: &'static str,
        run: CommandFunction,
    ) -> Self {
        Self { name, parameters, summary, is_registered_only: false, run }
    }

    /// Refuses the command to guests.
    pub(crate) const fn registered_only(self) -> Self {
        Self { is_registered_only: true, ..self }
    }
}

/// Formats the usage of a command, without a newline.
pub(crate) fn format_usage_line(command: &CommandRow) -> String {
    format!("Usage: {} {}", command.name, command.parameters).trim_end().to_owned()
}
