//! How games end.

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameResult, SentenceParts};

use super::Sides;
use crate::chess::Position;

/// How a game ended: the reason, and the side that the server's sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ending {
    pub(crate) reason: GameEndReason,
    /// The side that resigned, lost, left, aborted or adjourned, or whose partner won; `None` if the sentence names neither.
    side: Option<Color>,
}

impl Ending {
    /// Creates an ending whose sentence names no side.
    pub(crate) const fn of_game(reason: GameEndReason) -> Self {
        Self { reason, side: None }
    }

    /// Creates an ending whose sentence names a side: the one that resigned, lost, left, aborted or adjourned, or whose partner
    /// won.
    pub(crate) const fn of_side(reason: GameEndReason, side: Color) -> Self {
        Self { reason, side: Some(side) }
    }

    /// Returns how the game ends in this position; `None` if it continues. See [`Position::termination`].
    pub(crate) fn of_position(position: &Position) -> Option<Self> {
        let reason = position.termination()?;
        Some(Self { reason, side: (reason == GameEndReason::Mate).then_some(position.side_to_move) })
    }

    /// Returns who won; [`GameResult::Unfinished`] after an abort or an adjournment.
    pub(crate) fn result(self) -> GameResult {
        use GameEndReason::{Disconnect, Mate, Partner, Resign, Time};

        let winner = match self.reason {
            Partner => self.side,
            Resign | Mate | Time | Disconnect => self.side.map(Color::opponent),
            reason if reason.is_abort() || reason.is_adjournment() => return GameResult::Unfinished,
            _ => None,
        };
        match winner {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        }
    }

    /// Formats the sentence with the names of the players: `Foo resigns`.
    pub(crate) fn format_text(self, names: Sides<&str>) -> String {
        let named = self.side.map(|side| [*names.of(side), *names.of(side.opponent())]);
        let names = named.as_ref().map_or(&[][..], |names| names);
        self.reason.to_sentence(&SentenceParts { names, ..SentenceParts::default() })
    }

    /// Returns how the game on the other board of a bughouse match ends if this one ends in this way.
    pub(crate) fn to_partner_ending(self) -> Self {
        let reason = match self.reason {
            reason if reason.is_adjournment() => GameEndReason::AdjournPartner,
            reason if reason.is_abort() => GameEndReason::AbortPartner,
            _ => GameEndReason::Partner,
        };
        // The winner's partner has the other color there.
        Self { reason, side: self.result().winner().map(Color::opponent) }
    }
}
