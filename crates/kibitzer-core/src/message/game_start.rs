//! Challenges and starts of games: the players, the terms, and the number of a game.

use super::template::{read_bracketed_color, read_game_line_head, read_name, read_rated};
use super::{GameId, Handle, MeOrOther, Rating};
use crate::chess::Color;
use crate::scan::{Cursor, parse_decimal};
use crate::text::ServerText;

/// A challenge that this login received, or the server's confirmation of one that this login sent.
///
/// `Challenge: Foo (1500P) [white] Bar (1671) unrated blitz 5 0.` for a received one, `Issuing: …` for a sent one,
/// `Updating match request to: …` for a changed one. After the clocks, in any order: `Loaded from wild/fr` with or
/// without brackets, `(adjourned)`, and words of newer servers, stored in [`options`](Self::options).
///
/// Source: transcripts of two servers; FICS help file `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// Whether this login made the challenge ([`MeOrOther::Me`]) or received it ([`MeOrOther::Other`]).
    pub actor: MeOrOther,
    /// The challenger, whom the line names first.
    pub from: Handle,
    /// The challenger's rating for this type of game.
    pub from_rating: Rating,
    /// The color that the challenger requests; `None` if the server is to choose.
    pub from_color: Option<Color>,
    /// The challenged player.
    pub to: Handle,
    /// The challenged player's rating for this type of game.
    pub to_rating: Rating,
    /// Whether ratings are at stake.
    pub rated: bool,
    /// The type of game as received: `blitz`, `wild/fr`; may have several words or be empty.
    pub kind: ServerText,
    /// Minutes on the clock at the start; `None` in an untimed game.
    pub initial_min: Option<u32>,
    /// Seconds added per move; `None` in an untimed game.
    pub increment_s: Option<u32>,
    /// Black's minutes at the start; `None` if both sides get the same time.
    pub black_initial_min: Option<u32>,
    /// Black's increment in seconds; `None` if both sides get the same time.
    pub black_increment_s: Option<u32>,
    /// The stored position that the game starts from, such as `wild/fr`; `None` if the line names none.
    pub loaded_from: Option<ServerText>,
    /// Whether the game would resume an adjourned one.
    pub adjourned: bool,
    /// Words after the clocks without a field of their own: `idn=518`, `hourglass`, `overtime 40/90,SD/30+30`.
    pub options: Option<ServerText>,
}

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

impl OwnGameStarting {
    /// Parses the text of a `Creating:` line after that word, which is also the text after the number in the line about a newly
    /// observed game; `None` if a name, a rating, or `rated`/`unrated` is missing.
    pub fn parse_players_and_terms(text: &[u8]) -> Option<Self> {
        let terms = Challenge::parse_players_and_terms(text, MeOrOther::Me)?;
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

impl Challenge {
    /// Parses the text between the label and the final period, `Foo (1500P) Bar (1671) unrated blitz 5 0`, which is also the
    /// `p=` field of `<pt>` and `<pf>`. `None` if a name, a rating, or `rated`/`unrated` is missing; later words are always
    /// accepted.
    pub(crate) fn parse_players_and_terms(text: &[u8], actor: MeOrOther) -> Option<Self> {
        let mut at = Cursor::new(text);
        let (from, from_rating) = read_player_and_rating(&mut at)?;
        let from_color = read_bracketed_color(&mut at);
        let (to, to_rating) = read_player_and_rating(&mut at)?;
        let rated = read_rated(&mut at)?;
        let kind = read_kind(&mut at);
        // An untimed game has no clocks: `unrated untimed`.
        let (initial_min, increment_s) = read_minutes_and_increment(&mut at).unzip();
        // Two more numbers are Black's clock only if both are there, `1 0 : 2 1` on one server, `3 0 2 0` on others; otherwise they
        // belong to the options.
        let black_clock = at.attempt(|at| {
            let _ = at.skip_whitespace().eat(b": ");
            read_minutes_and_increment(at)
        });
        let (black_initial_min, black_increment_s) = black_clock.unzip();
        let mut challenge = Self {
            actor,
            from,
            from_rating,
            from_color,
            to,
            to_rating,
            rated,
            kind,
            initial_min,
            increment_s,
            black_initial_min,
            black_increment_s,
            loaded_from: None,
            adjourned: false,
            options: None,
        };
        challenge.set_extras(at);
        Some(challenge)
    }

    /// Stores the fields that may follow the clocks, in any order; unknown words become the options.
    fn set_extras(&mut self, mut at: Cursor<'_>) {
        let mut options = Vec::new();
        while let Some(word) = next_word(&mut at) {
            match word {
                b"(adjourned)" | b"[adjourned]" => self.adjourned = true,
                b"Loaded" | b"(Loaded" | b"[Loaded" if at.eat(b" from ") => {
                    self.loaded_from = read_position_name(&mut at);
                }
                other => options.push(other),
            }
        }
        self.options = (!options.is_empty()).then(|| ServerText::from_wire(&options.join(&b' ')));
    }
}

/// Reads a name, whose titles are skipped, and the rating after it: `Foo (1500P)`.
fn read_player_and_rating(at: &mut Cursor<'_>) -> Option<(Handle, Rating)> {
    let name = Handle::from_wire(read_name(at.skip_whitespace())?);
    Some((name, Rating::read_bracketed(at.skip_whitespace())?))
}

/// Reads the next word after optional blanks; `None` at the end.
fn next_word<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    at.skip_whitespace().word_here()
}

/// Reads the type of game: the words up to the clocks, or in an untimed game up to the first extra field. Empty if there is none.
fn read_kind(at: &mut Cursor<'_>) -> ServerText {
    at.skip_whitespace();
    let from = *at;
    let mut ahead = *at;
    while next_word(&mut ahead).is_some_and(|word| !ends_kind(word)) {
        *at = ahead;
    }
    ServerText::from_wire(at.since(from))
}

/// Returns whether a word belongs to the clocks or the extra fields, and thus no longer to the type of game.
fn ends_kind(word: &[u8]) -> bool {
    parse_decimal(word).is_some()
        || matches!(word.first(), Some(b'(' | b'['))
        || word == b"Loaded"
        || word.starts_with(b"idn=")
}

/// Reads initial minutes and increment in seconds: two numbers followed by a blank or the end. Otherwise returns `None`
/// and consumes nothing.
fn read_minutes_and_increment(at: &mut Cursor<'_>) -> Option<(u32, u32)> {
    at.attempt(|at| {
        let initial = at.skip_whitespace().number()?;
        let increment = at.expect(b" ")?.skip_whitespace().number()?;
        matches!(at.peek(), None | Some(b' ')).then_some((initial, increment))
    })
}

/// Reads the name of a stored position, without the closing bracket of `(Loaded from wild/fr)`.
fn read_position_name(at: &mut Cursor<'_>) -> Option<ServerText> {
    let board = next_word(at)?;
    Some(ServerText::from_wire(board.strip_suffix(b")").or_else(|| board.strip_suffix(b"]")).unwrap_or(board)))
}

#[cfg(test)]
mod tests;
