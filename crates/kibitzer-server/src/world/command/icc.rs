//! Settings that only ICC has.
//!
//! Source: icc §1, §4.

use kibitzer_core::message::Datagram;

use super::{Command, Verdict};
use crate::family::Family;
use crate::world::icc::number;
use crate::world::{BoardStyle, ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[Command::anyone("set-2", "number 0|1", "Switches a datagram on or off: what your program wants to be sent.", set_2)];

fn set_2(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let mut words = parameters.split_whitespace();
    let (datagram, on) = match (words.next().and_then(|word| word.parse().ok()), words.next()) {
        (Some(number), Some("1")) => (number, true),
        (Some(number), Some("0")) => (number, false),
        _ => return Verdict::Usage,
    };
    if let Some(connection) = world.lobby.connection_mut(id) {
        connection.levels.set(datagram, on);
    }
    let said = [datagram.to_string(), u8::from(on).to_string()];
    if !world.lobby.put_datagram(id, &Datagram::new(number::SET_2, said)) {
        world.lobby.put(id, &format!("Level 2 datagram {datagram} is now {}.\n", if on { "on" } else { "off" }));
    }
    match datagram {
        // Its answer is all that it is for.
        number::DUMMY_RESPONSE if on => drop(world.lobby.put_datagram(id, &Datagram::new(datagram, [""; 0]))),
        number::SEEK if on => world.put_seek_datagrams(id),
        _ => {}
    }
    Verdict::Done
}

impl World {
    /// Sets a variable that the other family does not have, or has with other values; tells the answer, if it is one of those.
    pub(crate) fn set_levels(&mut self, id: ConnectionId, name: &str, value: &str) -> Option<String> {
        let connection = self.lobby.connection_mut(id).filter(|connection| connection.family == Family::Icc)?;
        let levels = &mut connection.levels;
        let is_on = value == "1";
        match (name, value) {
            ("style", "10") => levels.style = BoardStyle::Style10,
            ("style", "12") => levels.style = BoardStyle::Style12,
            ("style", "13") => levels.style = BoardStyle::Style13,
            ("wrap", "0" | "1") => levels.is_wrapping = is_on,
            ("prompt", "0" | "1") => levels.wants_prompt = is_on,
            ("height", "0") => {}
            ("level1", _) => levels.set_level_1(value.parse().ok()?),
            _ => return None,
        }
        Some(format!("{name} set to {value}."))
    }
}
