//! The replies to `games` and `sought`: games in progress, and open seeks.

use std::ops::ControlFlow;

use crate::by_name::named_enum;
use crate::chess::Color;
use crate::message::fields::ClockReading;
use crate::message::listing::collect::{
    ListedName, ListedPlayer, parse_row_count, read_color_letter, read_number_pair, read_padded_clock,
};
use crate::message::listing::{ListedTerms, Listing};
use crate::message::template::{TemplateTable, match_table, read_bracketed_color, read_rated};
use crate::message::{GameId, Handle, Rating, Seek, Titles};
use crate::scan::Cursor;
use crate::text::{Line, PlayerText, ServerText};

/// The games in progress.
///
/// Rows look like ` 29 1622 Vman        1609 PopKid     [ sr 10  10]   1:14 -  5:10 (21-22) B: 18`, on ICC like ` 791
/// 1506 PlotinusRedux             guest3090             bu  2  12       W: 21`, and with `Ex: scratch` in place of
/// kind and times if the game is examined. The list ends with `  6 games displayed (of 23 in progress).`; FatICS
/// prints an empty line after each row, and another sentence if there is no game.
///
/// Source: transcripts of FatICS and uhlin-fics; ICC's rows as clients know them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameList {
    /// The rows as received, highest numbers last on most servers.
    pub games: Vec<GameRow>,
    /// Number of games shown, from the last line; `None` if the server reports in a sentence that there are no games.
    pub shown: Option<u32>,
    /// Number of all games, from the last line; `None` if it does not have it.
    pub total: Option<u32>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`GameList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameRow {
    /// The number of the game, as the argument of `observe`.
    pub game: GameId,
    /// Whether the game is played or examined.
    pub state: GameRowState,
    /// White.
    pub white: ListedPlayer<ListedName>,
    /// Black.
    pub black: ListedPlayer<ListedName>,
    /// Kind and times; [`mark`](ListedTerms::mark) is `p` if the game is private. ICC omits them for an examined game: the kind is
    /// then `e`, and the times are 0.
    pub terms: ListedTerms,
    /// The subject of an examined game on ICC: `scratch`, `StLouis16 %0`. Otherwise empty.
    pub example: PlayerText,
    /// White's clock in whole seconds, negative once White is out of time; `None` if not shown.
    pub white_clock: Option<ClockReading>,
    /// Black's clock, like [`white_clock`](Self::white_clock).
    pub black_clock: Option<ClockReading>,
    /// White's material with a pawn counted as 1; `None` if not shown.
    pub white_material: Option<u16>,
    /// Black's material, like [`white_material`](Self::white_material).
    pub black_material: Option<u16>,
    /// The side to move.
    pub to_move: Color,
    /// The number of the next move.
    pub move_number: u32,
}

named_enum! {
    /// The state of a [`GameRow`]'s game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum GameRowState("Returns the name in JSON.", "no state of a listed game has this name") {
        /// The game is played.
        Played = "played",
        /// The game is examined: `(Exam.`, on ICC `Ex:`.
        Examined = "examined",
        /// A position is being set up: `(Setup`.
        Setup = "setup",
    }
}

impl Listing for GameList {
    const HAS_LAST_LINE: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((shown, total)) = parse_row_count(line, b"game") {
            (self.shown, self.total) = (Some(shown), total);
            return Some(ControlFlow::Break(()));
        }
        if let Some(((), captures)) = match_table(line, NO_GAMES) {
            self.total = captures.number;
            return Some(ControlFlow::Break(()));
        }
        self.games.push(GameRow::parse(line)?);
        Some(ControlFlow::Continue(()))
    }
}

/// The sentences in place of rows.
const NO_GAMES: TemplateTable<()> =
    &[("There are no games in progress.", ()), ("No matching games were found (of # in progress).", ())];

impl GameRow {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let game = GameId::read(at.skip_whitespace())?;
        at.expect(b" ")?.skip_whitespace();
        Self::parse_fics_columns(at, game).or_else(|| Self::parse_icc_columns(at, game))
    }

    /// Parses the rest of a row after the number of the game in the form of FICS.
    fn parse_fics_columns(mut at: Cursor<'_>, game: GameId) -> Option<Self> {
        let state = read_state(&mut at);
        let players = [ListedPlayer::read_rating_and_name(&mut at)?, ListedPlayer::read_rating_and_name(&mut at)?];
        at.skip_whitespace();
        // The bracket of `(Exam.` closes after both names.
        (state == GameRowState::Played || at.eat(b")")).then_some(())?;
        let terms = ListedTerms::read(at.skip_whitespace())?;
        Self::parse_after_terms(at, game, state, players, terms, b"")
    }

    /// Parses the rest of a row after the number of the game in the form of ICC.
    fn parse_icc_columns(mut at: Cursor<'_>, game: GameId) -> Option<Self> {
        let players = [read_icc_player(&mut at)?, read_icc_player(&mut at)?];
        if at.skip_whitespace().eat(b"Ex:") {
            // The subject is free text; the letter of the side to move precedes the last colon.
            let colon = memchr::memrchr(b':', at.rest())?;
            let (example, end) = at.rest().split_at_checked(colon.checked_sub(1)?)?;
            let (state, terms) = (GameRowState::Examined, ListedTerms::EXAMINED);
            return Self::parse_after_terms(Cursor::new(end), game, state, players, terms, example);
        }
        let terms = ListedTerms::read_icc(&mut at)?;
        Self::parse_after_terms(at, game, GameRowState::Played, players, terms, b"")
    }

    /// Parses the rest of a row after the terms: clocks and material if shown, side to move, move number.
    fn parse_after_terms(
        mut at: Cursor<'_>,
        game: GameId,
        state: GameRowState,
        [white, black]: [ListedPlayer<ListedName>; 2],
        terms: ListedTerms,
        example: &[u8],
    ) -> Option<Self> {
        let (white_clock, black_clock) = read_clocks(&mut at).unzip();
        let (white_material, black_material) = at.skip_whitespace().between(b"(", b")", read_number_pair).unzip();
        let to_move = read_color_letter(at.skip_whitespace())?;
        let move_number = at.expect(b":")?.skip_whitespace().number()?;
        at.expect_blank_rest()?;
        let example = PlayerText::from_wire(example.trim_ascii());
        Some(Self {
            game,
            state,
            white,
            black,
            terms,
            example,
            white_clock,
            black_clock,
            white_material,
            black_material,
            to_move,
            move_number,
        })
    }
}

/// Reads `(Exam.` or `(Setup`; a row with neither is of a played game.
fn read_state(at: &mut Cursor<'_>) -> GameRowState {
    if at.eat(b"(Exam.") {
        GameRowState::Examined
    } else if at.eat(b"(Setup") {
        GameRowState::Setup
    } else {
        GameRowState::Played
    }
}

/// Reads both clocks, `  1:14 -  5:10`. The hyphen may touch the second clock; a second hyphen is that clock's sign.
fn read_clocks(at: &mut Cursor<'_>) -> Option<(ClockReading, ClockReading)> {
    at.attempt(|at| Some((read_padded_clock(at)?, read_padded_clock(at.skip_whitespace().expect(b"-")?)?)))
}

/// Reads a rating, a name and titles. The rating may be missing, because ICC leaves the column blank for an unrated guest.
fn read_icc_player(at: &mut Cursor<'_>) -> Option<ListedPlayer<ListedName>> {
    let rating = at.skip_whitespace().peek().filter(u8::is_ascii_digit).and_then(|_| Rating::read(at));
    let name = ListedName::read(at, &ListedName::CUT_IN_GAMES)?;
    Some(ListedPlayer { name, titles: Titles::read(at), rating })
}

/// The open seeks.
///
/// Rows look like `  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf`. FICS and FatICS end the
/// list with `3 ads displayed.`, ICC with nothing; uhlin-fics, which has no seeks, prints no line at all.
///
/// Source: FICS help file `sought`; transcripts of FatICS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoughtList {
    /// The rows as received. The field [`new`](Seek::new) is false in all of them.
    pub seeks: Vec<Seek>,
    /// Number of ads shown, from the last line; `None` without it.
    pub shown: Option<u32>,
    /// Number of all ads, from the last line; `None` if it does not have it.
    pub total: Option<u32>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

impl Listing for SoughtList {
    const MAY_BE_EMPTY: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((shown, total)) = parse_row_count(line, b"ad") {
            (self.shown, self.total) = (Some(shown), total);
            return Some(ControlFlow::Break(()));
        }
        self.seeks.push(parse_row(line)?);
        Some(ControlFlow::Continue(()))
    }
}

fn parse_row(line: &[u8]) -> Option<Seek> {
    let mut at = Cursor::new(line);
    let index = at.skip_whitespace().number()?;
    let rating = Rating::read(at.expect(b" ")?);
    at.skip_whitespace();
    let name = Handle::from_wire(Handle::read(&mut at)?);
    let titles = Titles::read(&mut at);
    let mut seek = Seek { titles, rating, ..Seek::empty(index, name, false) };
    read_terms_into(&mut at, &mut seek)?;
    Some(seek)
}

/// Reads the rest of a row after the titles, and stores the terms in `seek`.
fn read_terms_into(at: &mut Cursor<'_>, seek: &mut Seek) -> Option<()> {
    seek.initial_min = Some(at.expect(b" ")?.skip_whitespace().number()?);
    seek.increment_s = Some(at.expect(b" ")?.skip_whitespace().number()?);
    seek.rated = Some(read_rated(at)?);
    let kind = read_kind(at)?;
    seek.kind = (!kind.is_empty()).then(|| ServerText::from_wire(kind));
    seek.color = read_bracketed_color(at);
    let (rating_min, rating_max) = read_rating_range(at)?;
    (seek.rating_min, seek.rating_max) = (Some(rating_min), Some(rating_max));
    // `m`: the seeker has to confirm an answer. `f`: the seeker's formula applies.
    seek.automatic = Some(!at.skip_whitespace().eat(b"m"));
    seek.formula = Some(at.skip_whitespace().eat(b"f"));
    at.expect_blank_rest()
}

/// Reads the type of game: the words before the color or the rating range, possibly none. `None` if neither follows.
fn read_kind<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    at.skip_whitespace();
    let from = *at;
    while !at.rest().starts_with(b"[") && read_rating_range(&mut at.clone()).is_none() {
        at.word_here()?;
        at.skip_whitespace();
    }
    Some(at.since(from).trim_ascii_end())
}

/// Reads the rating range, `0-9999` or `   0- 999`.
fn read_rating_range(at: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let range = read_number_pair(at)?;
    matches!(at.peek(), None | Some(b' ')).then_some(range)
}

#[cfg(test)]
mod tests;
