//! How games end, and the server's words for it.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameResult;

use super::Sides;

/// How a game ended, with the side it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ending {
    /// This side resigned.
    Resigned(Color),
    /// This side is mated.
    Checkmated(Color),
    /// This side is out of time.
    Flagged(Color),
    /// This side left and loses.
    Left(Color),
    DrawAgreed,
    Stalemate,
    Repetition,
    FiftyMoves,
    NoMaterial,
    BothFlagged,
    /// This side is out of time, the other cannot mate.
    FlaggedNoMaterial(Color),
    /// This side called it off before it had begun.
    AbortedEarly(Color),
    AbortAgreed,
    /// This side called it off when the other was out of time.
    CourtesyAborted(Color),
    /// This side left, and little had been played.
    AbortedByLeaving(Color),
    AbortedByShutdown,
    AdjournAgreed,
    /// This side adjourned it when the other was out of time.
    CourtesyAdjourned(Color),
    /// This side left; the game can go on another day.
    AdjournedByLeaving(Color),
    AdjournedByShutdown,
    /// The other board was won by this side's partner.
    PartnerWon(Color),
    PartnersDrew,
    PartnersAborted,
    PartnersAdjourned,
}

impl Ending {
    /// The result.
    pub(crate) const fn result(self) -> GameResult {
        match self {
            Self::Resigned(loser) | Self::Checkmated(loser) | Self::Flagged(loser) | Self::Left(loser) => {
                won_by(loser.opponent())
            }
            Self::PartnerWon(winner) => won_by(winner),
            Self::DrawAgreed
            | Self::Stalemate
            | Self::Repetition
            | Self::FiftyMoves
            | Self::NoMaterial
            | Self::BothFlagged
            | Self::FlaggedNoMaterial(_)
            | Self::PartnersDrew => GameResult::Draw,
            _ => GameResult::Unfinished,
        }
    }

    /// Whether the game may go on another day.
    pub(crate) const fn is_adjournment(self) -> bool {
        matches!(
            self,
            Self::AdjournAgreed
                | Self::CourtesyAdjourned(_)
                | Self::AdjournedByLeaving(_)
                | Self::AdjournedByShutdown
                | Self::PartnersAdjourned
        )
    }

    /// Whether the game counts as not played.
    pub(crate) const fn is_abort(self) -> bool {
        matches!(self.result(), GameResult::Unfinished) && !self.is_adjournment()
    }

    /// The words in the line that ends a game, with the players' names: `Foo resigns`.
    ///
    /// Source: text messages §8; transcripts.
    pub(crate) fn text(self, names: Sides<&str>) -> String {
        let name = |color| *names.of(color);
        match self {
            Self::Resigned(loser) => format!("{} resigns", name(loser)),
            Self::Checkmated(loser) => format!("{} checkmated", name(loser)),
            Self::Flagged(loser) => format!("{} forfeits on time", name(loser)),
            Self::Left(loser) => format!("{} forfeits by disconnection", name(loser)),
            Self::DrawAgreed => "Game drawn by mutual agreement".into(),
            Self::Stalemate => "Game drawn by stalemate".into(),
            Self::Repetition => "Game drawn by repetition".into(),
            Self::FiftyMoves => "Game drawn by the 50 move rule".into(),
            Self::NoMaterial => "Neither player has mating material".into(),
            Self::BothFlagged => "Game drawn because both players ran out of time".into(),
            Self::FlaggedNoMaterial(loser) => {
                format!("{} ran out of time and {} has no material to mate", name(loser), name(loser.opponent()))
            }
            Self::AbortedEarly(by) => format!("Game aborted on move 1 by {}", name(by)),
            Self::AbortAgreed => "Game aborted by mutual agreement".into(),
            Self::CourtesyAborted(by) => format!("Game courtesyaborted by {}", name(by)),
            Self::CourtesyAdjourned(by) => format!("Game courtesyadjourned by {}", name(by)),
            Self::AbortedByLeaving(by) => format!("{} lost connection and too few moves; game aborted", name(by)),
            Self::AbortedByShutdown => "Game aborted by server shutdown".into(),
            Self::AdjournAgreed => "Game adjourned by mutual agreement".into(),
            Self::AdjournedByLeaving(by) => format!("{} lost connection; game adjourned", name(by)),
            Self::AdjournedByShutdown => "Game adjourned by server shutdown".into(),
            Self::PartnerWon(winner) => format!("{}'s partner won", name(winner)),
            Self::PartnersDrew => "Partners' game drawn".into(),
            Self::PartnersAborted => "Partners' game aborted".into(),
            Self::PartnersAdjourned => "Partners' game adjourned".into(),
        }
    }

    /// The words in lists of moves, where sides stand for names: `White resigns`.
    pub(crate) fn list_text(self) -> String {
        self.text(Sides { white: "White", black: "Black" })
    }

    /// The two or three letters in histories.
    ///
    /// Source: FICS help file `history`.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Resigned(_) => "Res",
            Self::Checkmated(_) => "Mat",
            Self::Flagged(_) => "Fla",
            Self::Left(_) => "Dis",
            Self::DrawAgreed => "Agr",
            Self::Stalemate => "Sta",
            Self::Repetition => "Rep",
            Self::FiftyMoves => "50",
            Self::NoMaterial => "NM",
            Self::BothFlagged => "NT",
            Self::FlaggedNoMaterial(_) => "TM",
            Self::PartnerWon(_) | Self::PartnersDrew => "Par",
            _ => "Adj",
        }
    }

    /// How the other board of a bughouse match ends when this one ends so.
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

const fn won_by(winner: Color) -> GameResult {
    match winner {
        Color::White => GameResult::WhiteWins,
        Color::Black => GameResult::BlackWins,
    }
}
