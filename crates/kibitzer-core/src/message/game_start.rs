//! The lines that announce the start of a game.

use super::template::{read_game_line_head, read_rated};
use super::{Challenge, GameId, Handle, MeOrOther, Rating};
use crate::scan::Cursor;
use crate::text::ServerText;

/// A report that a game of this login is about to start: `Creating: Foo (1500) Bar (++++) unrated blitz 5 0`.
///
/// The line has no final period, and ends with ` (adjourned)` if a game is resumed. FICS sends it twice for a resumed game; not
/// every server sends it at all. The type of game starts with a capital on ICC.
///
/// Source: transcripts; the line is not in the help files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnGameStarting {
    /// The player whom the line names first: White on FICS. Only [`GameCreated`] reports the colors reliably.
    pub first: Handle,
    /// The rating of the [`first`](Self::first) player.
    pub first_rating: Rating,
    /// The player whom the line names second.
    pub second: Handle,
    /// The rating of the [`second`](Self::second) player.
    pub second_rating: Rating,
    /// Whether ratings are at stake.
    pub rated: bool,
    /// The type of game.
    pub kind: ServerText,
    /// Minutes on the clock at the start; `None` in an untimed game.
    pub initial_min: Option<u32>,
    /// Seconds added per move; `None` in an untimed game.
    pub increment_s: Option<u32>,
    /// The stored position that the game starts from; `None` if the line names none.
    pub loaded_from: Option<ServerText>,
    /// Whether this is an adjourned game that is about to be resumed.
    pub adjourned: bool,
}

impl OwnGameStarting {
    /// Parses a `Creating:` line; `None` for any other line.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let terms = Challenge::parse_players_and_terms(line.strip_prefix(b"Creating: ")?, MeOrOther::Me)?;
        Some(Self {
            first: terms.from,
            first_rating: terms.from_rating,
            second: terms.to,
            second_rating: terms.to_rating,
            rated: terms.rated,
            kind: terms.kind,
            initial_min: terms.initial_min,
            increment_s: terms.increment_s,
            loaded_from: terms.loaded_from,
            adjourned: terms.adjourned,
        })
    }
}

/// A report that a game started, or that an adjourned game was resumed: `{Game 107 (Foo vs. Bar) Creating unrated blitz match.}`.
///
/// With the variable `gin` set, it is also sent for games that this login does not follow. Titles after the names are
/// skipped.
///
/// Source: FICS help file `gin`, transcripts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameCreated {
    /// The number of the game.
    pub game: GameId,
    /// The player of the white pieces.
    pub white: Handle,
    /// The player of the black pieces.
    pub black: Handle,
    /// Whether ratings are at stake; `None` if the line does not report it.
    pub rated: Option<bool>,
    /// The type of game as received: zero, one or two words.
    pub kind: ServerText,
    /// Whether this is an adjourned game that was resumed (`Continuing`).
    pub resumed: bool,
    /// The stored position that the game starts from, by the last challenge between its players; the line does not contain it.
    pub loaded_from: Option<ServerText>,
}

impl GameCreated {
    /// Parses a line; `None` if it does not report that a game starts or continues.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line.trim_ascii_end().strip_suffix(b" match.}")?);
        let (game, white, black) = read_game_line_head(&mut at)?;
        let resumed = match at.word_here()? {
            b"Creating" => false,
            b"Continuing" => true,
            _ => return None,
        };
        let rated = read_rated(&mut at);
        let kind = ServerText::from_wire(at.take_rest().trim_ascii());
        Some(Self { game, white, black, rated, kind, resumed, loaded_from: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line, number and names, rated, kind, resumed.
    type Row<'a> = (&'a str, (i32, &'a str, &'a str), Option<bool>, &'a str, bool);

    #[test]
    fn creating_lines_with_every_field() {
        let rated = |value| Rating::Established(value);
        let cases = [
            (
                "Creating: A (1500) B (++++) unrated blitz 5 0",
                rated(1500),
                Rating::Guest,
                false,
                "blitz",
                Some((5, 0)),
                false,
            ),
            (
                "Creating: A ( 958) B (1600P) rated Blitz 5 0",
                rated(958),
                Rating::Provisional(1600),
                true,
                "Blitz",
                Some((5, 0)),
                false,
            ),
            (
                "Creating: Duras (----) Capablanca (----) unrated blitz chess960 5 5",
                Rating::Unrated,
                Rating::Unrated,
                false,
                "blitz chess960",
                Some((5, 5)),
                false,
            ),
            (
                "Creating: A (1500) B (1600) rated wild(22) 5 0",
                rated(1500),
                rated(1600),
                true,
                "wild(22)",
                Some((5, 0)),
                false,
            ),
            (
                "Creating: A (1500) B (1600) rated standard 10 10 (adjourned)",
                rated(1500),
                rated(1600),
                true,
                "standard",
                Some((10, 10)),
                true,
            ),
            ("Creating: A (1500) B (1600) unrated untimed", rated(1500), rated(1600), false, "untimed", None, false),
        ];
        for (line, first, second, is_rated, kind, clock, adjourned) in cases {
            let creating = OwnGameStarting::parse(line.as_bytes()).unwrap();
            assert_eq!((creating.first_rating, creating.second_rating), (first, second), "{line}");
            assert_eq!(
                (creating.rated, creating.kind.as_str(), creating.adjourned),
                (is_rated, kind, adjourned),
                "{line}"
            );
            assert_eq!(creating.initial_min.zip(creating.increment_s), clock, "{line}");
        }
        let names = OwnGameStarting::parse(b"Creating: A (1500) B (++++) unrated blitz 5 0").unwrap();
        assert_eq!((names.first.as_str(), names.second.as_str()), ("A", "B"));
    }

    // Rules: bugs 54
    #[test]
    fn games_in_every_form() {
        let cases: &[Row<'_>] = &[
            ("{Game 107 (A vs. B) Creating unrated blitz match.}", (107, "A", "B"), Some(false), "blitz", false),
            (
                "{Game 1 (Alice vs. Carla) Continuing rated standard match.}",
                (1, "Alice", "Carla"),
                Some(true),
                "standard",
                true,
            ),
            ("{Game 3 (A(*) vs. B) Creating rated blitz match.}", (3, "A", "B"), Some(true), "blitz", false),
            ("{Game 3 (A(GM)(TD) vs. B(U)) Creating rated blitz match.}", (3, "A", "B"), Some(true), "blitz", false),
            ("{Game 2 (A vs. B) Creating unrated  match.}", (2, "A", "B"), Some(false), "", false),
            ("{Game 2 (A vs. B) Creating unrated match.}", (2, "A", "B"), Some(false), "", false),
            ("{Game 2 (A vs. B) Creating  match.}", (2, "A", "B"), None, "", false),
            ("{Game 2 (A vs. B) Creating blitz match.}", (2, "A", "B"), None, "blitz", false),
            ("{Game 2 (A vs. B) Creating rated wild/5 match.}", (2, "A", "B"), Some(true), "wild/5", false),
            (
                "{Game 2 (A vs. B) Creating unrated non-standard match.}",
                (2, "A", "B"),
                Some(false),
                "non-standard",
                false,
            ),
            (
                "{Game 2 (A vs. B) Creating unrated blitz bughouse match.}",
                (2, "A", "B"),
                Some(false),
                "blitz bughouse",
                false,
            ),
            (
                "{Game 5 (guest53 vs. a-b) Creating rated Blitz match.}",
                (5, "guest53", "a-b"),
                Some(true),
                "Blitz",
                false,
            ),
        ];
        for &(line, (game, white, black), rated, kind, resumed) in cases {
            let created = GameCreated::parse(line.as_bytes()).unwrap();
            assert_eq!(
                (created.game, created.white.as_str(), created.black.as_str()),
                (GameId(game), white, black),
                "{line}"
            );
            assert_eq!((created.rated, created.kind.as_str(), created.resumed), (rated, kind, resumed), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "{Game 1 (A vs. B) A resigns} 0-1",
            "{Game 1 (A vs. B) Creating rated blitz match.} x",
            "x {Game 1 (A vs. B) Creating rated blitz match.}",
            "{Game 1 (A vs. B) Loading rated blitz match.}",
            "{Game 1 (A B) Creating rated blitz match.}",
            "{Game (A vs. B) Creating rated blitz match.}",
            "Creating: A B rated blitz 5 0",
            "Creating: ",
        ];
        for line in lines {
            assert_eq!(GameCreated::parse(line.as_bytes()), None, "{line}");
            assert_eq!(OwnGameStarting::parse(line.as_bytes()), None, "{line}");
        }
    }
}
