//! How games end, and the server's texts for it.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameResult;

use super::Sides;
use crate::chess::Termination;

/// How a game ended. The color is the side that the variant's name is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ending {
    Resigned(Color),
    Checkmated(Color),
    /// This side lost on time.
    Flagged(Color),
    /// This side disconnected and loses.
    Left(Color),
    DrawAgreed,
    Stalemate,
    Repetition,
    FiftyMoves,
    NoMaterial,
    BothFlagged,
    /// This side is out of time, but the opponent cannot mate.
    FlaggedNoMaterial(Color),
    /// This side aborted the game before both sides had moved.
    AbortedEarly(Color),
    AbortAgreed,
    /// This side aborted the game although the opponent was out of time.
    CourtesyAborted(Color),
    /// This side disconnected after a few moves.
    AbortedByLeaving(Color),
    AbortedByShutdown,
    AdjournAgreed,
    /// This side adjourned the game although the opponent was out of time.
    CourtesyAdjourned(Color),
    /// This side disconnected; the game can be resumed.
    AdjournedByLeaving(Color),
    AdjournedByShutdown,
    /// This side's partner won the other board.
    PartnerWon(Color),
    PartnersDrew,
    PartnersAborted,
    PartnersAdjourned,
}

/// Consequence of an ending, seen from the side that it names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Win,
    Loss,
    Draw,
    Aborted,
    Adjourned,
}

impl Ending {
    /// Returns the outcome, the code in histories, and the text, in which `@` is the named player and `%` the opponent.
    ///
    /// Source: text messages §8; transcripts; FICS help file `history`.
    #[rustfmt::skip] // one to a line: it is a table
    const fn description(self) -> (Outcome, &'static str, &'static str) {
        match self {
            Self::Resigned(_) => (Outcome::Loss, "Res", "@ resigns"),
            Self::Checkmated(_) => (Outcome::Loss, "Mat", "@ checkmated"),
            Self::Flagged(_) => (Outcome::Loss, "Fla", "@ forfeits on time"),
            Self::Left(_) => (Outcome::Loss, "Dis", "@ forfeits by disconnection"),
            Self::DrawAgreed => (Outcome::Draw, "Agr", "Game drawn by mutual agreement"),
            Self::Stalemate => (Outcome::Draw, "Sta", "Game drawn by stalemate"),
            Self::Repetition => (Outcome::Draw, "Rep", "Game drawn by repetition"),
            Self::FiftyMoves => (Outcome::Draw, "50", "Game drawn by the 50 move rule"),
            Self::NoMaterial => (Outcome::Draw, "NM", "Neither player has mating material"),
            Self::BothFlagged => (Outcome::Draw, "NT", "Game drawn because both players ran out of time"),
            Self::FlaggedNoMaterial(_) => (Outcome::Draw, "TM", "@ ran out of time and % has no material to mate"),
            Self::AbortedEarly(_) => (Outcome::Aborted, "Adj", "Game aborted on move 1 by @"),
            Self::AbortAgreed => (Outcome::Aborted, "Adj", "Game aborted by mutual agreement"),
            Self::CourtesyAborted(_) => (Outcome::Aborted, "Adj", "Game courtesyaborted by @"),
            Self::AbortedByLeaving(_) => (Outcome::Aborted, "Adj", "@ lost connection and too few moves; game aborted"),
            Self::AbortedByShutdown => (Outcome::Aborted, "Adj", "Game aborted by server shutdown"),
            Self::AdjournAgreed => (Outcome::Adjourned, "Adj", "Game adjourned by mutual agreement"),
            Self::CourtesyAdjourned(_) => (Outcome::Adjourned, "Adj", "Game courtesyadjourned by @"),
            Self::AdjournedByLeaving(_) => (Outcome::Adjourned, "Adj", "@ lost connection; game adjourned"),
            Self::AdjournedByShutdown => (Outcome::Adjourned, "Adj", "Game adjourned by server shutdown"),
            Self::PartnerWon(_) => (Outcome::Win, "Par", "@'s partner won"),
            Self::PartnersDrew => (Outcome::Draw, "Par", "Partners' game drawn"),
            Self::PartnersAborted => (Outcome::Aborted, "Adj", "Partners' game aborted"),
            Self::PartnersAdjourned => (Outcome::Adjourned, "Adj", "Partners' game adjourned"),
        }
    }

    /// Returns the named side; White for an ending that names none.
    const fn side(self) -> Color {
        match self {
            Self::Resigned(side)
            | Self::Checkmated(side)
            | Self::Flagged(side)
            | Self::Left(side)
            | Self::FlaggedNoMaterial(side)
            | Self::AbortedEarly(side)
            | Self::CourtesyAborted(side)
            | Self::AbortedByLeaving(side)
            | Self::CourtesyAdjourned(side)
            | Self::AdjournedByLeaving(side)
            | Self::PartnerWon(side) => side,
            _ => Color::White,
        }
    }

    /// Converts the end of a game by its position, in which `side` is to move.
    pub(crate) const fn by_rule(end: Termination, side: Color) -> Self {
        match end {
            Termination::Checkmate => Self::Checkmated(side),
            Termination::Stalemate => Self::Stalemate,
            Termination::InsufficientMaterial => Self::NoMaterial,
        }
    }

    pub(crate) const fn result(self) -> GameResult {
        match (self.description().0, self.side()) {
            (Outcome::Win, Color::White) | (Outcome::Loss, Color::Black) => GameResult::WhiteWins,
            (Outcome::Win, Color::Black) | (Outcome::Loss, Color::White) => GameResult::BlackWins,
            (Outcome::Draw, _) => GameResult::Draw,
            (Outcome::Aborted | Outcome::Adjourned, _) => GameResult::Unfinished,
        }
    }

    /// Returns whether the game can be resumed later.
    pub(crate) const fn is_adjournment(self) -> bool {
        matches!(self.description().0, Outcome::Adjourned)
    }

    /// Returns whether the game is not stored anywhere.
    pub(crate) const fn is_abort(self) -> bool {
        matches!(self.description().0, Outcome::Aborted)
    }

    /// Formats the text of the line that ends a game, with the players' names: `Foo resigns`.
    pub(crate) fn text(self, names: Sides<&str>) -> String {
        let (_, _, text) = self.description();
        text.replace('@', names.of(self.side())).replace('%', names.of(self.side().opponent()))
    }

    /// Returns the code of two or three letters in histories.
    pub(crate) const fn code(self) -> &'static str {
        self.description().1
    }

    /// Returns how the other board of a bughouse match ends when this one ends so.
    pub(crate) const fn for_partners(self) -> Self {
        match self.result().winner() {
            // The winner's partner has the other color there.
            Some(winner) => Self::PartnerWon(winner.opponent()),
            None if self.is_adjournment() => Self::PartnersAdjourned,
            None if self.is_abort() => Self::PartnersAborted,
            None => Self::PartnersDrew,
        }
    }
}
