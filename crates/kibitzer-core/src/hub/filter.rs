//! What a subscriber wants to hear of.

use crate::event::{Event, EventKind};
use crate::message::{GameId, Handle, Message};

/// What a subscriber wants to hear of: everything, less what each setting takes away.
///
/// ```
/// use kibitzer_core::EventKind;
/// use kibitzer_core::hub::Filter;
/// use kibitzer_core::message::GameId;
///
/// // What is said about game 42.
/// let filter = Filter::new().kinds([EventKind::Kibitz, EventKind::Whisper]).game(GameId(42));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The bits of the kinds; `None` is every kind.
    kinds: Option<u128>,
    game: Option<GameId>,
    speaker: Option<Handle>,
}

impl Filter {
    /// Takes nothing away.
    pub const fn new() -> Self {
        Self { kinds: None, game: None, speaker: None }
    }

    /// Only events of these kinds. Default: of every kind.
    #[must_use]
    pub fn kinds(self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
        Self { kinds: Some(kinds.into_iter().fold(0, |bits, kind| bits | bit(kind))), ..self }
    }

    /// Only events that changed this game, or whose line names it. Default: of any game and of none.
    #[must_use]
    pub const fn game(mut self, game: GameId) -> Self {
        self.game = Some(game);
        self
    }

    /// Only what this player says; upper and lower case are the same. Default: what anybody says, and what nobody does.
    #[must_use]
    pub fn from(self, speaker: Handle) -> Self {
        Self { speaker: Some(speaker), ..self }
    }

    /// Whether the event is wanted.
    pub fn accepts(&self, event: &Event) -> bool {
        self.kinds.is_none_or(|kinds| kinds & bit(event.kind()) != 0)
            && self.game.is_none_or(|game| is_about(event, game))
            && self.speaker.as_ref().is_none_or(|speaker| is_said_by(event, speaker))
    }
}

fn bit(kind: EventKind) -> u128 {
    1 << kind as u32
}

fn is_about(event: &Event, game: GameId) -> bool {
    event.game() == Some(game) || event.message().is_some_and(|message| message.game() == Some(game))
}

fn is_said_by(event: &Event, speaker: &Handle) -> bool {
    let said_by = event.message().and_then(Message::speaker);
    said_by.is_some_and(|said_by| said_by.is_same_player(speaker.as_str()))
}

// A kind for every bit, and no more.
const _: () = assert!(EventKind::ALL.len() <= 128, "the filter has no bit for some kind");
