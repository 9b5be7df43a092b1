//! Names seen in a session, for completion.

use std::collections::BTreeSet;

use kibitzer_core::Event;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{Message, TalkKind};

/// Maximum number of stored players; further ones are ignored.
const KEPT_PLAYERS: usize = 4_096;

/// Players and channels seen in a session.
#[derive(Debug, Default)]
pub(crate) struct SeenNames {
    pub(crate) players: BTreeSet<String>,
    pub(crate) channels: BTreeSet<u16>,
}

impl SeenNames {
    /// Records the speaker and the channel of talk, and the players of a board.
    pub(crate) fn record_names(&mut self, event: &Event) {
        if let Some(board) = event.board() {
            for color in Color::BOTH {
                self.insert_player(board.player(color).as_str());
            }
        }
        let Some(message) = event.message() else { return };
        if let Some(speaker) = message.speaker() {
            self.insert_player(speaker.as_str());
        }
        if let Message::Talk(talk) = message
            && let TalkKind::ChannelTell { channel, .. } = talk.kind
        {
            self.channels.insert(channel);
        }
    }

    /// Adds a player, unless the limit is reached.
    fn insert_player(&mut self, name: &str) {
        if self.players.len() < KEPT_PLAYERS && !self.players.contains(name) {
            self.players.insert(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::tests::model;

    #[test]
    fn players_are_recorded_up_to_a_limit() {
        let received = (0..KEPT_PLAYERS + 100).map(|n| format!("Foo{n} shouts: x\n\r")).collect::<Vec<_>>().concat();
        let names = model(received.as_bytes()).names;
        assert_eq!(names.players.len(), KEPT_PLAYERS);
        assert!(names.players.contains("Foo7"));
    }
}
