//! What only ICC has: level-1 units, which enclose the output of a command, and the command and variables that switch units and
//! datagrams on. `family.rs` decides which connections have them; [`datagrams`] has the level-2 datagrams.
//!
//! Source: icc §1 to §4.

pub(crate) mod datagrams;

use std::collections::BTreeMap;

use kibitzer_core::message::{CommandCode, Datagram};

use self::datagrams::number;
use super::command::{CommandRefusal, CommandResult, CommandRow, DONE};
use super::{ConnectionId, World};
use crate::family::{BoardForm, IccLevelSettings};

/// Commands that only ICC has.
///
/// Source: icc §1, §4.
#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[CommandRow::new("set-2", "number 0|1", "Switches a datagram on or off.", run_set_2)];

const CONTROL_Y: char = '\x19';

/// Longest tag of a command that is repeated in the unit of its reply.
const MAX_TAG_BYTES: usize = 99;

/// Numbers of this server's commands in the head of a unit. A command that is not listed has 0, unknown.
const NUMBERS: &str = "\
    abort 156, accept 123, adjourn 134, backward 120, cshout 111, date 177, decline 144, draw 207, examine 115, \
    finger 130, flag 108, forward 119, game_move 2, games 155, history 129, it 102, kibitz 113, match 121, \
    messages 174, moretime 160, moves 150, observe 137, partner 199, ping 187, play 217, \
    ptell 201, quit 162, refresh 145, rematch 222, resign 208, resume 224, say 109, seek 214, set 107, \
    shout 103, showlist 178, sought 215, stored 210, style 141, takeback 168, tell 101, unexamine 133, who 106";

impl World {
    /// Executes a command of `id` and frames its reply as a unit, with the command's tag if the client has switched tags on. Adds
    /// the marks around the unit if they are switched on.
    pub(crate) fn run_command_in_unit(&mut self, id: ConnectionId, line: &str) {
        let has_tags = self.lobby.has_level_1_bit(id, IccLevelSettings::TAGS);
        let (tag, command) = split_tag(line).filter(|_| has_tags).unwrap_or(("", line));
        // The head has the command's number, so that it is inserted once the command has run.
        let start = self.lobby.connection(id).map_or(0, |connection| connection.unsent.len());
        let code = self.run_command(id, command);
        let tag = if tag.is_empty() { String::new() } else { format!(" {tag}") };
        self.frame_unit(id, start, &format!("{} *{tag}", command_number(code)));
        if self.lobby.has_level_1_bit(id, IccLevelSettings::MARKS) {
            self.enclose_unsent(id, start, &format!("{CONTROL_Y}<"), &format!("{CONTROL_Y}>"));
        }
    }

    /// Executes a command of `id` with `run`, and frames as a unit, with the player's name, its output to each other client that
    /// receives units. The output to `id` is not framed.
    pub(crate) fn run_with_units_for_others(
        &mut self,
        id: ConnectionId,
        run: impl FnOnce(&mut Self) -> CommandCode,
    ) -> CommandCode {
        let name = self.lobby.player(id).map(|player| player.handle.clone()).unwrap_or_default();
        self.lobby.current_command = Some((id, BTreeMap::new()));
        let code = run(self);
        let (_, starts) = self.lobby.current_command.take().unwrap_or((id, BTreeMap::new()));
        for (to, start) in starts {
            if self.lobby.connection(to).is_some_and(|connection| connection.unsent.len() > start) {
                let is_short = self.lobby.has_level_1_bit(to, IccLevelSettings::SHORT_NAMES);
                let name = if is_short { "%" } else { name.as_str() };
                self.frame_unit(to, start, &format!("{} {name}", command_number(code)));
            }
        }
        code
    }

    /// Encloses the unsent bytes from `start` on in a unit with this head.
    fn frame_unit(&mut self, id: ConnectionId, start: usize, head: &str) {
        self.enclose_unsent(id, start, &format!("{CONTROL_Y}[{head}\r\n"), &format!("{CONTROL_Y}]"));
    }

    /// Inserts `head` before the unsent bytes from `start` on, and appends `end`.
    fn enclose_unsent(&mut self, id: ConnectionId, start: usize, head: &str, end: &str) {
        self.lobby.update_connection(id, |connection| {
            connection.unsent.splice(start..start, head.bytes());
            connection.unsent.extend_from_slice(end.as_bytes());
        });
    }
}

/// Splits `` `tag`command `` into tag and command; `None` without a valid tag.
fn split_tag(line: &str) -> Option<(&str, &str)> {
    let (tag, command) = line.strip_prefix('`')?.split_once('`')?;
    let is_tag = (1..=MAX_TAG_BYTES).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_graphic());
    is_tag.then_some((tag, command))
}

/// Returns the number of a command; 0 if it is not listed.
fn command_number(code: CommandCode) -> &'static str {
    let name = code.name().filter(|_| code != CommandCode::UNKNOWN_COMMAND);
    let mut numbers = NUMBERS.split(", ").filter_map(|entry| entry.split_once(' '));
    numbers.find(|(known, _)| Some(*known) == name).map_or("0", |(_, number)| number)
}

/// Switches a level-2 datagram of ICC on or off, and reports that by a datagram or as text. Sends all seeks when their datagram
/// is switched on, and the empty `DUMMY_RESPONSE` when that is.
fn run_set_2(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let mut words = parameters.split_whitespace();
    let (datagram, on) = match (words.next().and_then(|word| word.parse().ok()), words.next()) {
        (Some(number), Some("1")) => (number, true),
        (Some(number), Some("0")) => (number, false),
        _ => return Err(CommandRefusal::Usage),
    };
    world.lobby.update_connection(id, |connection| connection.levels.set_datagram(datagram, on));
    let said = [datagram.to_string(), u8::from(on).to_string()];
    if !world.lobby.queue_datagram_if_on(id, &Datagram::new(number::SET_2, said)) {
        world.lobby.queue_text(id, &format!("Level 2 datagram {datagram} is now {}.\n", if on { "on" } else { "off" }));
    }
    match datagram {
        // The purpose of this datagram is its answer.
        number::DUMMY_RESPONSE if on => drop(world.lobby.queue_datagram_if_on(id, &Datagram::new(datagram, [""; 0]))),
        number::SEEK if on => world.queue_seek_list_if_on(id),
        _ => {}
    }
    DONE
}

impl World {
    /// Sets a variable that only ICC has, or that has other values there. Returns the reply; `None` for other variables and
    /// values, and for a connection of another family.
    pub(crate) fn set_icc_variable(&mut self, id: ConnectionId, name: &str, value: &str) -> Option<String> {
        let connection = self.lobby.queue_for_output(id).filter(|connection| connection.family.has_levels())?;
        let is_off = value == "0";
        match (name, value) {
            ("style", "10") => connection.board_form = Some(BoardForm::Style10),
            ("style", "12") => connection.board_form = Some(BoardForm::ShortStyle12),
            ("style", "13") => connection.board_form = None,
            ("wrap", "0" | "1") => connection.levels.is_wrap_off = is_off,
            ("prompt", "0" | "1") => connection.levels.is_prompt_off = is_off,
            ("height", "0") => {}
            ("level1", _) => connection.levels.level_1 = value.parse().ok()?,
            _ => return None,
        }
        Some(format!("{name} set to {value}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_commands() {
        for (name, number) in NUMBERS.split(", ").map(|entry| entry.split_once(' ').unwrap()) {
            assert!(number.bytes().all(|digit| digit.is_ascii_digit()), "{name}");
            let code = (0..=190).map(CommandCode).find(|code| code.name() == Some(name));
            assert_eq!(command_number(code.unwrap_or_else(|| panic!("{name}"))), number, "{name}");
        }
        assert_eq!(command_number(CommandCode::UNKNOWN_COMMAND), "0");
    }

    #[test]
    fn a_tag_is_a_word_between_backquotes() {
        assert_eq!(split_tag("`7`date"), Some(("7", "date")));
        assert_eq!(split_tag("`7`tell Foo `x`"), Some(("7", "tell Foo `x`")));
        for line in ["date", "`date", "``date", "`a b`date"] {
            assert_eq!(split_tag(line), None, "{line}");
        }
    }
}
