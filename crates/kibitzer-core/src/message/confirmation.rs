//! Confirmations of commands of this login: delivered talk, and changes of its lists of friends, channels and censored players.

use super::template::Captures;
use super::{Handle, Message};
use crate::by_name::named_enum;
use crate::text::{PlayerText, ServerText};

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

/// The outcome of `addlist` or `sublist`: `[53] added to your channel list.`, `Foo is not on your notify list.`
///
/// FICS has the entry in square brackets; FatICS only that of some lists.
///
/// Source: FICS help files `addlist` and `sublist`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListChange {
    /// The name of the list: `notify`, `channel`.
    pub list: ServerText,
    /// The entry: a name, or the number of a channel.
    pub entry: ServerText,
    /// The change, or why there is none.
    pub change: ListChangeKind,
}

named_enum! {
    /// The change that a [`ListChange`] reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "an entry is added or removed, or the list already was as requested")]
    pub enum ListChangeKind("Returns the name in JSON.", "no change of a list has this name") {
        /// The entry was added.
        Added = "added",
        /// The entry was removed.
        Removed = "removed",
        /// The entry was in the list already.
        AlreadyListed = "already_listed",
        /// The entry to be removed was not in the list.
        NotListed = "not_listed",
    }
}

impl ListChangeKind {
    /// Creates the message from the parts of its sentence: the entry is a name or a number, the word is the list.
    pub(super) fn to_message(self, found: Captures<'_>) -> Option<Message> {
        let entry = found.name.map(|name| name.to_string()).or(found.number.map(|number| number.to_string()))?;
        let entry = ServerText::from_wire(entry.as_bytes());
        Some(ListChange { list: ServerText::from_wire(found.word), entry, change: self }.into())
    }
}
