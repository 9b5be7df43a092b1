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
mod tests {
    use super::*;

    #[test]
    fn observations_start_and_stop() {
        let cases = [
            ("You are now observing game 463.", true),
            ("Removing game 463 from observation list.", false),
            ("You are no longer observing game 463.", false),
            ("Game 463 (which you were observing) has no examiners.", false),
        ];
        for (line, is_observed) in cases {
            let want = ObservingUpdate { game: GameId(463), is_observed };
            assert_eq!(ObservingUpdate::parse(line.as_bytes()), Some(want), "{line}");
        }
    }

    #[test]
    fn the_focus_names_a_game_and_perhaps_an_opponent() {
        let cases = [("You are now at A's board (game 5).", Some("A")), ("Your primary game is now game 5.", None)];
        for (line, opponent) in cases {
            let focus = PrimaryGameChange::parse(line.as_bytes()).unwrap();
            assert_eq!((focus.game, focus.opponent.as_ref().map(Handle::as_str)), (GameId(5), opponent), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "You are now observing game x.",
            "You are now observing game 4294967295.",
            "You are now observing game 3. Foo",
            "You are no longer examining game 29.",
            "Game 463: A (2243) B (2158E) rated standard 45 45",
            "Foo tells you: You are now observing game 3.",
        ];
        for line in lines {
            let line = line.as_bytes();
            assert_eq!((ObservingUpdate::parse(line), PrimaryGameChange::parse(line)), (None, None));
        }
    }
}
