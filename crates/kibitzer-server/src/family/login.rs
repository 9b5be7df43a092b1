//! Logins in the manner of ICC: settings in front of the name, a password behind it, refusals by number.
//!
//! Source: icc §1, §2.

use kibitzer_core::message::Datagram;

use super::{Family, number};
use crate::world::{ConnectionId, Player, World};

/// Why nobody is let in, with the number that ICC has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    NameTooLong = 2,
    NameTooShort = 3,
    BadCharacters = 4,
    NotRegistered = 6,
    GuestsRefused = 7,
    InvalidPassword = 11,
    Banned = 12,
    NameInUse = 14,
    Full = 19,
}

impl World {
    /// Says why a login failed: by number to a client that wants that, and in words.
    pub(crate) fn put_failure(&mut self, id: ConnectionId, failure: Failure, words: &str) {
        let code = (failure as u8).to_string();
        self.put_datagram(id, &Datagram::new(number::LOGIN_FAILED, [code.as_str(), words.trim()]));
        self.put(id, words);
    }

    /// Takes a line in front of the name, if it is one that sets what the client wants.
    pub(crate) fn hear_levels(&mut self, id: ConnectionId, line: &str) -> bool {
        let connection = self.connection_mut(id).filter(|connection| connection.family == Family::Icc);
        connection.is_some_and(|connection| connection.levels.read(line))
    }

    /// The name and the password of a line that has both.
    pub(crate) fn split_name<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let (name, password) = line.split_once(' ')?;
        (self.options.family == Family::Icc).then_some((name, password.trim()))
    }

    /// Tells a player by what name he is known, and what ads there are.
    pub(crate) fn put_who_am_i(&mut self, id: ConnectionId) {
        let Some(player) = self.player(id) else { return };
        let who = Datagram::new(number::WHO_AM_I, [player.name(), &titles(player)]);
        self.put_datagram(id, &who);
        self.put_seek_datagrams(id);
    }
}

/// Titles as datagrams have them: `GM C`.
pub(super) fn titles(player: &Player) -> String {
    let words = player.titles.split(['(', ')']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
