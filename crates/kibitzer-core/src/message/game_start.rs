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
mod tests;
