//! Games that this login starts or stops observing, and its primary game.

use super::template::{match_table, match_template};
use super::{GameId, Handle};

/// A report that this login started or stopped observing a game.
///
/// After it stopped, the server may still send boards of the game, if this login has become its examiner.
///
/// Source: FICS help files `observe` and `unobserve`, transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ObservingUpdate {
    /// The number of the game.
    pub game: GameId,
    /// Whether this login observes the game now. Observing ends on request, with the game, when its last examiner leaves, or when
    /// this login becomes an examiner of the game.
    pub is_observed: bool,
}

impl ObservingUpdate {
    /// Parses a line; `None` if it does not report that this login started or stopped observing.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let (is_observed, captures) = match_table(line, CHANGES)?;
        Some(Self { game: captures.number_as_game()?, is_observed })
    }
}

/// Sentences about an observed game, each with whether it is observed from then on.
const CHANGES: &[(&str, bool)] = &[
    ("You are now observing game #.", true),
    ("Removing game # from observation list.", false),
    ("You are no longer observing game #.", false),
    ("Game # (which you were observing) has no examiners.", false),
];

/// A report that the primary game has changed: the observed game or simul board that commands without a game number refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrimaryGameChange {
    /// The number of the new primary game.
    pub game: GameId,
    /// The opponent on the new board in a simul; `None` for an observed game.
    pub opponent: Option<Handle>,
}

impl PrimaryGameChange {
    /// Parses a line; `None` if it does not report a change of the primary game.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let captures = match_template(line, "Your primary game is now game #.")
            .or_else(|| match_template(line, "You are now at %'s board (game #)."))?;
        Some(Self { game: captures.number_as_game()?, opponent: captures.name })
    }
}

#[cfg(test)]
mod tests;
