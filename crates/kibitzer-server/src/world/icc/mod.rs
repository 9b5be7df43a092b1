//! ICC's differences: logins, datagrams, units.
//!
//! Source: icc §1, §2.

mod datagrams;
mod units;

use kibitzer_core::message::Datagram;

use super::{ConnectionId, Player, World};
use crate::family::Family;

/// The numbers of the datagrams that are sent. Source: icc §8.
pub(crate) mod number {
    pub(crate) const WHO_AM_I: u32 = 0;
    pub(crate) const MY_GAME_STARTED: u32 = 15;
    pub(crate) const STARTED_OBSERVING: u32 = 18;
    pub(crate) const TAKEBACK: u32 = 22;
    pub(crate) const SEND_MOVES: u32 = 24;
    pub(crate) const KIBITZ: u32 = 26;
    pub(crate) const CHANNEL_TELL: u32 = 28;
    pub(crate) const PERSONAL_TELL: u32 = 31;
    pub(crate) const SHOUT: u32 = 32;
    pub(crate) const MOVE_ALGEBRAIC: u32 = 33;
    pub(crate) const MOVE_SMITH: u32 = 34;
    pub(crate) const MOVE_TIME: u32 = 35;
    pub(crate) const MOVE_CLOCK: u32 = 36;
    pub(crate) const HOLDINGS: u32 = 37;
    pub(crate) const SET_CLOCK: u32 = 38;
    pub(crate) const MY_RELATION: u32 = 43;
    pub(crate) const SEEK: u32 = 50;
    pub(crate) const SEEK_REMOVED: u32 = 51;
    pub(crate) const MSEC: u32 = 56;
    pub(crate) const LOGIN_FAILED: u32 = 69;
    pub(crate) const DUMMY_RESPONSE: u32 = 81;
    pub(crate) const POSITION_BEGIN: u32 = 110;
    pub(crate) const IS_VARIATION: u32 = 113;
    pub(crate) const SET_2: u32 = 124;
}

impl World {
    /// Splits a line at the first blank into name and password, which only ICC accepts on one line. On other servers the whole
    /// line is the name.
    pub(crate) fn split_name_and_password<'a>(&self, line: &'a str) -> (&'a str, Option<&'a str>) {
        match line.split_once(' ').filter(|_| self.options.family == Family::Icc) {
            Some((name, password)) => (name, Some(password.trim())),
            None => (line, None),
        }
    }

    /// Queues the datagrams that follow a login, if the client has switched them on: the player's own name and titles, and all
    /// visible seeks.
    pub(crate) fn queue_login_datagrams_if_on(&mut self, id: ConnectionId) {
        let Some(player) = self.lobby.player(id) else { return };
        let who = Datagram::new(number::WHO_AM_I, [player.name(), &datagram_titles(player)]);
        self.lobby.queue_datagram_if_on(id, &who);
        self.queue_seek_list_if_on(id);
    }
}

/// Formats a player's titles as in datagrams, separated by blanks: `GM C`.
pub(crate) fn datagram_titles(player: &Player) -> String {
    let words = player.titles.split(['(', ')']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
