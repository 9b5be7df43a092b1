//! Confirmations of talk.

use super::{Handle, Message};
use crate::text::PlayerText;

/// A confirmation that the server delivered talk of this login.
///
/// Examples: `(told Foo, who is playing)`, `(kibitzed to 3 players)`, `(told 9 players in channel 53)`.
///
/// uhlin-fics prints `kibitzed to 3.`, `(1->(2))` for two players in channel 1, and `(3) Foo shouts: hello` for a shout.
///
/// Source: transcripts of two servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Delivered {
    /// Number of players who received the text.
    pub players: u32,
    /// The receiver of a tell; `None` for other talk.
    pub to: Option<Handle>,
    /// Activity of the receiver of a tell, as received: `is playing`. `None` if the line does not name one.
    pub state: Option<PlayerText>,
    /// The channel of a tell; `None` for other talk.
    pub channel: Option<u32>,
}

impl Delivered {
    /// Returns the confirmation of this and of another delivery of one text: to the players of both. The receiver and the channel are
    /// those of the first one.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self { players: self.players.saturating_add(other.players), ..self }
    }

    /// Creates the confirmation of a tell to a player; `state` is empty if the line does not have it.
    pub(super) fn to_player(to: Option<Handle>, state: &[u8]) -> Option<Message> {
        let state = (!state.is_empty()).then(|| PlayerText::from_wire(state));
        Some(Self { players: 1, to: Some(to?), state, channel: None }.into())
    }

    /// Creates the confirmation of talk to a channel, or to several players.
    pub(super) fn to_players(players: Option<u32>, channel: Option<u32>) -> Option<Message> {
        Some(Self { players: players?, channel, ..Self::default() }.into())
    }
}
