//! Filters that restrict a subscription to some events.

use crate::event::{Event, EventKind};
use crate::message::{GameId, Handle, Message};

/// Conditions on the events of a subscription. An event passes if it meets all of them; a new filter has none.
///
/// ```
/// use kibitzer_core::EventKind;
/// use kibitzer_core::hub::Filter;
/// use kibitzer_core::message::GameId;
///
/// // Comments of observers and players on game 42.
/// let filter = Filter::new().kinds([EventKind::Kibitz, EventKind::Whisper]).game(GameId(42));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Bit `1 << kind` for each accepted kind; `None` accepts every kind.
    kinds: Option<u128>,
    game: Option<GameId>,
    speaker: Option<Handle>,
}

impl Filter {
    /// Creates a filter that accepts every event.
    pub const fn new() -> Self {
        Self { kinds: None, game: None, speaker: None }
    }

    /// Accepts only events of these kinds, and replaces the kinds of an earlier call. Default: every kind; an empty list accepts
    /// no event.
    #[must_use]
    pub fn kinds(self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
        Self { kinds: Some(kinds.into_iter().fold(0, |bits, kind| bits | kind_bit(kind))), ..self }
    }

    /// Accepts only events that changed this game, report a desync or missed plies of it, or contain a message that names it.
    /// Default: all events, whether they concern a game or not.
    #[must_use]
    pub const fn game(mut self, game: GameId) -> Self {
        self.game = Some(game);
        self
    }

    /// Accepts only messages that this player wrote; case is ignored. Default: all events, whether they have a speaker or not.
    #[must_use]
    pub fn spoken_by(self, speaker: Handle) -> Self {
        Self { speaker: Some(speaker), ..self }
    }

    /// Returns whether the event meets all conditions.
    pub(crate) fn accepts(&self, event: &Event) -> bool {
        self.kinds.is_none_or(|kinds| kinds & kind_bit(event.kind()) != 0)
            && self.game.is_none_or(|game| {
                event.affected_game() == Some(game) || event.message().and_then(Message::game) == Some(game)
            })
            && self.speaker.as_ref().is_none_or(|wanted| {
                event.message().and_then(Message::speaker).is_some_and(|speaker| speaker == *wanted)
            })
    }
}

/// Returns the bit that stands for a kind in the set of a [`Filter`].
fn kind_bit(kind: EventKind) -> u128 {
    1 << kind as u32
}

// Every kind needs a bit of its own in `Filter::kinds`.
const _: () = assert!(EventKind::ALL.len() <= 128, "the filter has no bit for some kind");
