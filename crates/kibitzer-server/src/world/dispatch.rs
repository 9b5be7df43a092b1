//! Execution of a command line: aliases, abbreviated names, and the table of all commands.
//!
//! A new command is a row in the table `COMMANDS` of its subject and the function that the row names, both in one file: below
//! `command/`, or beside the state that it is about (`seeks.rs`, `simul.rs`). Its number in block mode is that of the core's
//! [`CommandCode`]. For ICC, its number goes into the list of `icc/mod.rs`.

use std::collections::BTreeMap;

use kibitzer_core::message::CommandCode;

use super::command::{
    CommandRefusal, CommandRow, challenge, format_usage_line, game, info, observe, offers, settings, setup, talk,
};
use super::{ConnectionId, World, icc, seeks, simul};
use crate::account::{find_only_by_prefix, unknown_or_ambiguous_text};
use crate::family::ImitatedFamily;

/// Number of an empty command in block mode, and of `commit` and `truncate`, which the published list does not have.
const NULL: CommandCode = CommandCode(0);

/// Number of `sublist`; missing in the published list, used by the recorded server.
const SUBLIST: CommandCode = CommandCode(129);

/// All commands, by subject.
const SUBJECTS: [&[CommandRow]; 11] = [
    challenge::COMMANDS,
    game::COMMANDS,
    icc::COMMANDS,
    info::COMMANDS,
    observe::COMMANDS,
    offers::COMMANDS,
    seeks::COMMANDS,
    settings::COMMANDS,
    setup::COMMANDS,
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
pub(crate) struct CommandDirectory(pub(crate) BTreeMap<&'static str, (CommandCode, &'static CommandRow)>);

impl CommandDirectory {
    /// Returns the commands of a family of servers.
    pub(crate) fn new(family: ImitatedFamily) -> Self {
        let code = |name: &str| match name {
            "sublist" => SUBLIST,
            name => (0..u8::MAX.into()).map(CommandCode).find(|code| code.name() == Some(name)).unwrap_or(NULL),
        };
        // Those of FICS too, as the family of a connection may differ from that of the server.
        let is_known =
            |command: &&CommandRow| [family, ImitatedFamily::Fics].into_iter().any(|one| one.has_command(command.name));
        let commands = SUBJECTS.into_iter().flatten().filter(is_known);
        Self(commands.map(|command| (command.name, (code(command.name), command))).collect())
    }

    /// Returns the command of that name, or the only one whose name starts with it, with its number. The error lists the names
    /// that start with `name`.
    pub(crate) fn find_by_prefix(&self, name: &str) -> Result<(CommandCode, &'static CommandRow), Vec<&'static str>> {
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
        self.run_with_units_for_others(id, |world| {
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
                Ok(text) | Err(CommandRefusal::Text(text)) => (code, text),
                Err(CommandRefusal::Coded(code, text)) => (code, text),
                Err(CommandRefusal::Usage) => (CommandCode::BAD_PARAMETERS, format_usage_line(command) + "\n"),
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
    ) -> Result<(CommandCode, &'static CommandRow), (CommandCode, String)> {
        let family = self.lobby.connection(id).map(|connection| connection.family).unwrap_or_default();
        let player = self.lobby.player(id);
        let unknown = || (CommandCode::UNKNOWN_COMMAND, family.unknown_command_text(name));
        match self.directory.find_by_prefix(name) {
            // The family of the connection decides: simulated players use FICS commands on an ICC server too.
            Ok((_, command)) if !family.has_command(command.name) => Err(unknown()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_number_and_a_name_of_its_own() {
        let directory = CommandDirectory::new(ImitatedFamily::Fics);
        let of_fics =
            SUBJECTS.iter().copied().flatten().filter(|command| ImitatedFamily::Fics.has_command(command.name));
        assert_eq!(directory.0.len(), of_fics.count());
        for (name, (code, _)) in &directory.0 {
            assert_eq!(*code == NULL, ["commit", "truncate"].contains(name), "{name}");
        }
    }

    #[test]
    fn aliases_are_sorted_and_name_commands() {
        assert!(ALIASES.is_sorted_by_key(|(alias, _)| alias));
        let directory = CommandDirectory::new(ImitatedFamily::Fics);
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
