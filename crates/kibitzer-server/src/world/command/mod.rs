//! Commands of players: their names, parameters and execution.
#![expect(clippy::unnecessary_wraps, reason = "all commands have one signature")]

mod challenge;
mod examine;
mod game;
mod info;
mod lists;
mod moves;
mod observe;
mod offers;
mod partner;
mod records;
mod seeking;
mod settings;
mod simul;
mod talk;

use std::collections::BTreeMap;

use kibitzer_core::message::CommandCode;

pub(crate) use self::examine::format_examined_ending;
use crate::account::{find_only_by_prefix, unknown_or_ambiguous_text};
use crate::family::Family;
use crate::world::{ConnectionId, World};

/// Number of an empty command in block mode.
const NULL: CommandCode = CommandCode(0);

/// Number of `sublist`; missing in the published list, used by the recorded server.
const SUBLIST: CommandCode = CommandCode(129);

/// Result of a command: the text to queue after the output that the command itself has queued, or a refusal.
type CommandResult = Result<String, Refusal>;

/// Result of a command that has queued all of its output.
const DONE: CommandResult = Ok(String::new());

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Refusal {
    /// The parameters are invalid; the reply is the command's usage.
    Usage,
    /// Refused with this text; block mode has no code for it.
    Text(String),
    /// Refused with this text and code of block mode.
    Coded(CommandCode, String),
}

/// Returns the text as a refusal if `is_refused` is set, otherwise `Ok`.
fn refuse_if(is_refused: bool, text: impl Into<Refusal>) -> Result<(), Refusal> {
    if is_refused { Err(text.into()) } else { Ok(()) }
}

/// Returns the first word of the parameters; [`Refusal::Usage`] if there is none.
fn required_first_word(parameters: &str) -> Result<&str, Refusal> {
    parameters.split_whitespace().next().ok_or(Refusal::Usage)
}

/// Parses the parameters as a number; 1 if they are empty. [`Refusal::Usage`] for anything else.
fn number_or_one(parameters: &str) -> Result<usize, Refusal> {
    match parameters {
        "" => Ok(1),
        number => number.parse().map_err(|_| Refusal::Usage),
    }
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// A command of players.
#[derive(Debug)]
struct Command {
    name: &'static str,
    /// Syntax of the parameters.
    parameters: &'static str,
    /// Help text, in whole sentences.
    summary: &'static str,
    /// Whether guests are refused.
    is_registered_only: bool,
    run: CommandFunction,
}

/// Function that executes a command for a player. Its last argument is the text after the command's name, without leading blanks.
type CommandFunction = fn(&mut World, ConnectionId, &str) -> CommandResult;

impl Command {
    /// Creates a command for all players.
    const fn new(name: &'static str, parameters: &'static str, summary: &'static str, run: CommandFunction) -> Self {
        Self { name, parameters, summary, is_registered_only: false, run }
    }

    /// Refuses the command to guests.
    const fn registered_only(self) -> Self {
        Self { is_registered_only: true, ..self }
    }
}

/// All commands, by subject.
const SUBJECTS: [&[Command]; 13] = [
    challenge::COMMANDS,
    examine::COMMANDS,
    game::COMMANDS,
    info::COMMANDS,
    lists::COMMANDS,
    observe::COMMANDS,
    offers::COMMANDS,
    partner::COMMANDS,
    records::COMMANDS,
    seeking::COMMANDS,
    settings::COMMANDS,
    simul::COMMANDS,
    talk::COMMANDS,
];

/// Short forms that are not unambiguous prefixes. A sign needs no blank after it.
const ALIASES: [(&str, &str); 24] = [
    ("!", "shout"),
    ("#", "whisper"),
    ("*", "kibitz"),
    ("+", "addlist"),
    (",", "tell ,"),
    ("-", "sublist"),
    (".", "tell ."),
    (":", "it"),
    ("=", "showlist"),
    ("?", "help"),
    ("^", "cshout"),
    ("exit", "quit"),
    ("f", "finger"),
    ("fo", "forward"),
    ("g", "games"),
    ("h", "help"),
    ("i", "it"),
    ("k", "kibitz"),
    ("logout", "quit"),
    ("m", "match"),
    ("o", "observe"),
    ("r", "refresh"),
    ("t", "tell"),
    ("w", "who"),
];

/// The command that must not be abbreviated.
const QUIT: &str = "quit";

/// The commands of a server by name, each with its number in block mode.
#[derive(Debug)]
pub(crate) struct CommandDirectory(BTreeMap<&'static str, (CommandCode, &'static Command)>);

impl CommandDirectory {
    /// Returns the commands of a family of servers.
    pub(crate) fn new(family: Family) -> Self {
        let code = |name: &str| match name {
            "sublist" => SUBLIST,
            name => (0..u8::MAX.into()).map(CommandCode).find(|code| code.name() == Some(name)).unwrap_or(NULL),
        };
        let own = if family == Family::Icc { settings::ICC_COMMANDS } else { &[] };
        let commands = SUBJECTS.into_iter().flatten().chain(own);
        Self(commands.map(|command| (command.name, (code(command.name), command))).collect())
    }

    /// Returns the command of that name, or the only one whose name starts with it, with its number. The error lists the names
    /// that start with `name`.
    fn find_by_prefix(&self, name: &str) -> Result<(CommandCode, &'static Command), Vec<&'static str>> {
        find_only_by_prefix(self.0.iter().map(|(&known, &entry)| (known, entry)), name)
    }
}

impl World {
    /// Executes a command or plays a move. Queues the reply without a prompt, and returns the code for block mode.
    /// Resets the player's idle time unless the line starts with `$$`.
    pub(crate) fn run_command(&mut self, id: ConnectionId, line: &str) -> CommandCode {
        let line = line.trim();
        let now = self.now();
        // `$` prevents the expansion of aliases; `$$` also keeps the player idle.
        let (line, is_counted) = match line.strip_prefix("$$") {
            Some(rest) => (rest, false),
            None => (line.strip_prefix('$').unwrap_or(line), true),
        };
        if let Some(player) = self.lobby.player_mut(id).filter(|_| is_counted) {
            player.last_command = now;
        }
        let line = expand_alias(line.trim_start());
        let (name, parameters) = line.split_once(' ').unwrap_or((&line, ""));
        if name.is_empty() {
            return NULL;
        }
        let lower = name.to_ascii_lowercase();
        self.run_and_frame_for_others(id, |world| {
            // A word that is the whole name of a command is not tried as a move.
            let played = if world.directory.0.contains_key(&*lower) { None } else { world.try_typed_move(id, name) };
            played.unwrap_or_else(|| world.run_command_by_prefix(id, &lower, parameters.trim_start()))
        })
    }

    /// Executes the command with this name, in lower case, or the only one whose name starts with it, and queues the text of the
    /// reply or the refusal. Returns the code for block mode.
    fn run_command_by_prefix(&mut self, id: ConnectionId, name: &str, parameters: &str) -> CommandCode {
        let (code, text) = match self.find_command_or_refusal(id, name) {
            Ok((code, command)) => match (command.run)(self, id, parameters) {
                Ok(text) | Err(Refusal::Text(text)) => (code, text),
                Err(Refusal::Coded(code, text)) => (code, text),
                Err(Refusal::Usage) => (CommandCode::BAD_PARAMETERS, format_usage_line(command) + "\n"),
            },
            Err(refusal) => refusal,
        };
        if !text.is_empty() {
            self.lobby.queue_text(id, &text);
        }
        code
    }

    /// Returns the command with this name, or the only one whose name starts with it, with its number in block mode.
    ///
    /// # Errors
    ///
    /// Code and text of the refusal: no command or several match, the connection's family does not have the command, a guest uses
    /// a command of registered players, or `quit` is abbreviated.
    fn find_command_or_refusal(
        &self,
        id: ConnectionId,
        name: &str,
    ) -> Result<(CommandCode, &'static Command), (CommandCode, String)> {
        let family = self.lobby.connection(id).map(|connection| connection.family).unwrap_or_default();
        let player = self.lobby.player(id);
        let unknown = || (CommandCode::UNKNOWN_COMMAND, family.unknown_command_text(name));
        match self.directory.find_by_prefix(name) {
            // The family of the connection decides: simulated players use FICS commands on an ICC server too.
            Ok((_, command)) if family == Family::Icc && matches!(command.name, "iset" | "ivariables") => {
                Err(unknown())
            }
            Ok((_, command)) if command.name == QUIT && name != QUIT => {
                let me = player.map(|me| (me.name_with_titles(), me.name()));
                let (display, name) = me.unwrap_or_default();
                // A tell in the player's own name, as recorded.
                let text = format!("{display} tells you: The command 'quit' cannot be abbreviated.\n(told {name})\n");
                Err((CommandCode::UNKNOWN_COMMAND, text))
            }
            Ok((_, command)) if command.is_registered_only && player.is_none_or(|player| !player.is_registered) => {
                let text = format!("Only registered players can use the {} command.\n", command.name);
                Err((CommandCode::INSUFFICIENT_RIGHTS, text))
            }
            Ok(found) => Ok(found),
            Err(names) if names.is_empty() => Err(unknown()),
            Err(names) => {
                Err((CommandCode::AMBIGUOUS_COMMAND, unknown_or_ambiguous_text("command", name, &names) + "\n"))
            }
        }
    }
}

/// Replaces the alias at the start of a line, in any case, by its command and a blank; returns other lines unchanged.
fn expand_alias(line: &str) -> String {
    let is_sign = line.starts_with(|c: char| c.is_ascii_punctuation());
    let end = if is_sign { 1 } else { line.find(' ').unwrap_or(line.len()) };
    let (head, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    match ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(head)) {
        Some((_, command)) => format!("{command} {}", rest.trim_start()),
        None => line.to_owned(),
    }
}

/// Formats the usage of a command, without a newline.
fn format_usage_line(command: &Command) -> String {
    format!("Usage: {} {}", command.name, command.parameters).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_number_and_a_name_of_its_own() {
        let directory = CommandDirectory::new(Family::Fics);
        assert_eq!(directory.0.len(), SUBJECTS.iter().map(|subject| subject.len()).sum::<usize>());
        for (name, (code, _)) in &directory.0 {
            assert_ne!(*code, NULL, "{name}");
        }
    }

    #[test]
    fn aliases_are_sorted_and_name_commands() {
        assert!(ALIASES.is_sorted_by_key(|(alias, _)| alias));
        let directory = CommandDirectory::new(Family::Fics);
        for (alias, line) in ALIASES {
            let name = line.split(' ').next().unwrap();
            assert!(directory.0.contains_key(name), "{alias}");
        }
        assert_eq!(expand_alias("!hello"), "shout hello");
        assert_eq!(expand_alias(". again"), "tell . again");
        assert_eq!(expand_alias("m Newton 5 0"), "match Newton 5 0");
        assert_eq!(expand_alias("mm"), "mm");
    }
}
