//! How games end, and the server's texts for it.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameResult;

use super::Sides;
use crate::chess::Termination;

/// How a game ended, and the side that the server's text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ending {
    outcome: Outcome,
    /// Code of two or three letters in histories.
    pub(crate) code: &'static str,
    /// Text in which `@` is the named player and `%` the opponent.
    text: &'static str,
    /// The named side; White if the text names none.
    side: Color,
}

/// Consequence of an ending, seen from the side that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Outcome {
    Win,
    Loss,
    Draw,
    Aborted,
    Adjourned,
}

/// All endings. Those that name a side are completed by [`with_named_side`](Ending::with_named_side).
///
/// Source: text messages §8; transcripts; FICS help file `history`.
#[rustfmt::skip] // one to a line: it is a table
impl Ending {
    pub(crate) const RESIGNED: Self = Self::new(Outcome::Loss, "Res", "@ resigns");
    pub(crate) const CHECKMATED: Self = Self::new(Outcome::Loss, "Mat", "@ checkmated");
    pub(crate) const FLAGGED: Self = Self::new(Outcome::Loss, "Fla", "@ forfeits on time");
    pub(crate) const LEFT: Self = Self::new(Outcome::Loss, "Dis", "@ forfeits by disconnection");
    pub(crate) const DRAW_AGREED: Self = Self::new(Outcome::Draw, "Agr", "Game drawn by mutual agreement");
    pub(crate) const STALEMATE: Self = Self::new(Outcome::Draw, "Sta", "Game drawn by stalemate");
    pub(crate) const REPETITION: Self = Self::new(Outcome::Draw, "Rep", "Game drawn by repetition");
    pub(crate) const FIFTY_MOVES: Self = Self::new(Outcome::Draw, "50", "Game drawn by the 50 move rule");
    pub(crate) const NO_MATERIAL: Self = Self::new(Outcome::Draw, "NM", "Neither player has mating material");
    pub(crate) const BOTH_FLAGGED: Self = Self::new(Outcome::Draw, "NT", "Game drawn because both players ran out of time");
    pub(crate) const FLAGGED_NO_MATERIAL: Self = Self::new(Outcome::Draw, "TM", "@ ran out of time and % has no material to mate");
    pub(crate) const ABORTED_EARLY: Self = Self::new(Outcome::Aborted, "Adj", "Game aborted on move 1 by @");
    pub(crate) const ABORT_AGREED: Self = Self::new(Outcome::Aborted, "Adj", "Game aborted by mutual agreement");
    pub(crate) const COURTESY_ABORTED: Self = Self::new(Outcome::Aborted, "Adj", "Game courtesyaborted by @");
    pub(crate) const ABORTED_BY_LEAVING: Self = Self::new(Outcome::Aborted, "Adj", "@ lost connection and too few moves; game aborted");
    pub(crate) const ABORTED_BY_SHUTDOWN: Self = Self::new(Outcome::Aborted, "Adj", "Game aborted by server shutdown");
    pub(crate) const ADJOURN_AGREED: Self = Self::new(Outcome::Adjourned, "Adj", "Game adjourned by mutual agreement");
    pub(crate) const COURTESY_ADJOURNED: Self = Self::new(Outcome::Adjourned, "Adj", "Game courtesyadjourned by @");
    pub(crate) const ADJOURNED_BY_LEAVING: Self = Self::new(Outcome::Adjourned, "Adj", "@ lost connection; game adjourned");
    pub(crate) const ADJOURNED_BY_SHUTDOWN: Self = Self::new(Outcome::Adjourned, "Adj", "Game adjourned by server shutdown");
    pub(crate) const PARTNER_WON: Self = Self::new(Outcome::Win, "Par", "@'s partner won");
    pub(crate) const PARTNERS_DREW: Self = Self::new(Outcome::Draw, "Par", "Partners' game drawn");
    pub(crate) const PARTNERS_ABORTED: Self = Self::new(Outcome::Aborted, "Adj", "Partners' game aborted");
    pub(crate) const PARTNERS_ADJOURNED: Self = Self::new(Outcome::Adjourned, "Adj", "Partners' game adjourned");
}

impl Ending {
    const fn new(outcome: Outcome, code: &'static str, text: &'static str) -> Self {
        Self { outcome, code, text, side: Color::White }
    }

    /// Sets the side that the text names: the one that resigned, lost, left, aborted or adjourned, or whose partner won.
    pub(crate) const fn with_named_side(self, side: Color) -> Self {
        Self { side, ..self }
    }

    /// Returns the ending of a game whose last position has this termination.
    pub(crate) const fn from_termination(end: Termination, side_to_move: Color) -> Self {
        match end {
            Termination::Checkmate => Self::CHECKMATED.with_named_side(side_to_move),
            Termination::Stalemate => Self::STALEMATE,
            Termination::InsufficientMaterial => Self::NO_MATERIAL,
        }
    }

    /// Returns who won; [`GameResult::Unfinished`] after an abort or an adjournment.
    pub(crate) const fn result(self) -> GameResult {
        match (self.outcome, self.side) {
            (Outcome::Win, Color::White) | (Outcome::Loss, Color::Black) => GameResult::WhiteWins,
            (Outcome::Win, Color::Black) | (Outcome::Loss, Color::White) => GameResult::BlackWins,
            (Outcome::Draw, _) => GameResult::Draw,
            (Outcome::Aborted | Outcome::Adjourned, _) => GameResult::Unfinished,
        }
    }

    /// Returns whether the game can be resumed later.
    pub(crate) const fn is_adjournment(self) -> bool {
        matches!(self.outcome, Outcome::Adjourned)
    }

    /// Returns whether the game was aborted: it has no result, and is neither stored for resumption nor added to the history.
    pub(crate) const fn is_abort(self) -> bool {
        matches!(self.outcome, Outcome::Aborted)
    }

    /// Formats the text with the names of the players: `Foo resigns`.
    pub(crate) fn format_text(self, names: Sides<&str>) -> String {
        self.text.replace('@', names.of(self.side)).replace('%', names.of(self.side.opponent()))
    }

    /// Returns how the game on the other board of a bughouse match ends if this one ends in this way.
    pub(crate) const fn to_partner_ending(self) -> Self {
        match self.result().winner() {
            // The winner's partner has the other color there.
            Some(winner) => Self::PARTNER_WON.with_named_side(winner.opponent()),
            None if self.is_adjournment() => Self::PARTNERS_ADJOURNED,
            None if self.is_abort() => Self::PARTNERS_ABORTED,
            None => Self::PARTNERS_DREW,
        }
    }
}
