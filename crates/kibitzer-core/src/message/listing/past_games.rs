//! The replies to `stored` and `history`: games of a player that can be resumed or are over.

use std::ops::ControlFlow;

use crate::chess::Color;
use crate::message::listing::collect::{read_color_letter, read_number_pair, read_text, read_text_word};
use crate::message::listing::{ListedName, ListedTerms, Listing};
use crate::message::template::{TemplateTable, match_table, match_template};
use crate::message::{GameResult, Handle, Rating};
use crate::scan::Cursor;
use crate::text::Line;

/// The adjourned games of a player.
///
/// ```text
/// Stored games for Alekhine:
///     C Opponent       On Type          Str  M    ECO Date
///  1: W Bogoljubov      Y [snr 10  10] 39-39 B6   C77 2026-11-21 00:35 UTC
/// ```
///
/// uhlin-fics names the players only, in lower case: `   alice vs. boris`. A player without such games has the line
/// `Alekhine has no adjourned games.` or `Player Alekhine has no games stored.` instead, or the first line alone. Nothing marks the
/// end.
///
/// Source: transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredGames {
    /// The player whose games these are.
    pub owner: Handle,
    /// The rows as received.
    pub games: Vec<StoredGame>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`StoredGames`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredGame {
    /// White.
    pub white: ListedName,
    /// Black.
    pub black: ListedName,
    /// The other columns; `None` on uhlin-fics.
    pub details: Option<StoredDetails>,
}

/// The other columns of a row of [`StoredGames`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredDetails {
    /// The number of the row, from 1 on.
    pub index: u32,
    /// The owner's color.
    pub color: Color,
    /// Whether the opponent is logged in.
    pub opponent_is_on: bool,
    /// Kind and times.
    pub terms: ListedTerms,
    /// White's material with a pawn counted as 1.
    pub white_material: u16,
    /// Black's material with a pawn counted as 1.
    pub black_material: u16,
    /// The side to move.
    pub to_move: Color,
    /// The number of the next move.
    pub move_number: u32,
    /// The opening as printed.
    pub eco: String,
    /// The date as printed.
    pub date: String,
}

/// The first lines; `Break` for one that is also the last.
const STORED_HEADS: TemplateTable<ControlFlow<()>> = &[
    ("Stored games for %:", ControlFlow::Continue(())),
    ("% has no adjourned games.", ControlFlow::Break(())),
    ("Player % has no games stored.", ControlFlow::Break(())),
];

impl Listing for StoredGames {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.owner.as_str().is_empty() {
            let (step, captures) = match_table(line, STORED_HEADS)?;
            self.owner = captures.name?;
            return Some(step);
        }
        // The line with the names of the columns is part of the listing, too.
        if !line.trim_ascii_start().starts_with(b"C Opponent  ") {
            self.games.push(self.parse_full_row(line).or_else(|| parse_names_row(line))?);
        }
        Some(ControlFlow::Continue(()))
    }
}

impl StoredGames {
    /// Parses a row with all columns; `None` for any other line.
    fn parse_full_row(&self, line: &[u8]) -> Option<StoredGame> {
        let mut at = Cursor::new(line);
        let index = at.skip_whitespace().number()?;
        let color = read_color_letter(at.expect(b": ")?)?;
        let opponent = ListedName::read(at.expect(b" ")?, &ListedName::CUT_IN_PAST_GAMES)?;
        let opponent_is_on = at.skip_whitespace().eat(b"Y");
        (opponent_is_on || at.eat(b"N")).then_some(())?;
        let terms = ListedTerms::read(at.skip_whitespace())?;
        let (white_material, black_material) = read_number_pair(at.skip_whitespace())?;
        let details = StoredDetails {
            index,
            color,
            opponent_is_on,
            terms,
            white_material,
            black_material,
            to_move: read_color_letter(at.skip_whitespace())?,
            move_number: at.skip_whitespace().number()?,
            eco: read_text_word(&mut at)?,
            date: read_text(&mut at),
        };
        let (white, black) = match color {
            Color::White => (self.owner.clone().into(), opponent),
            Color::Black => (opponent, self.owner.clone().into()),
        };
        Some(StoredGame { white, black, details: Some(details) })
    }
}

/// Parses a row of uhlin-fics, which has names only: `   alice vs. boris`. `None` for any other line.
fn parse_names_row(line: &[u8]) -> Option<StoredGame> {
    let names = match_template(line, " % vs. %")?;
    Some(StoredGame { white: names.name?.into(), black: names.second_name?.into(), details: None })
}

/// The last games of a player.
///
/// ```text
/// History for Alice:
///                   Opponent      Type         ECO End Date
///  0: + 1882 W 1558 Boris         [ br  3   0] A00 Mat Sat Nov 21 00:25:56 2026
/// ```
///
/// A player without games has the line `Alice has no history games.` instead. Nothing marks the end.
///
/// Source: transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct History {
    /// The player whose games these are.
    pub owner: Handle,
    /// The rows as received, the oldest first.
    pub games: Vec<HistoryRow>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`History`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryRow {
    /// The number for `examine` and `smoves`; it starts again at 0 after 99.
    pub index: u32,
    /// The result.
    pub result: GameResult,
    /// The owner's rating after the game.
    pub rating: Rating,
    /// The owner's color.
    pub color: Color,
    /// The opponent's rating after the game.
    pub opponent_rating: Rating,
    /// The opponent.
    pub opponent: ListedName,
    /// Kind and times. FatICS has the speed in [`mark`](ListedTerms::mark).
    pub terms: ListedTerms,
    /// The opening, `A00`, on FatICS with a letter more, or `***`.
    pub eco: String,
    /// The reason in two or three letters: `Res`, `Mat`, `Fla`, `PW`.
    pub ending: String,
    /// The date as printed.
    pub date: String,
}

/// The first lines; `Break` for one that is also the last.
const HISTORY_HEADS: TemplateTable<ControlFlow<()>> =
    &[("History for %:", ControlFlow::Continue(())), ("% has no history games.", ControlFlow::Break(()))];

impl Listing for History {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.owner.as_str().is_empty() {
            let (step, captures) = match_table(line, HISTORY_HEADS)?;
            self.owner = captures.name?;
            return Some(step);
        }
        // The line with the names of the columns is part of the listing, too.
        if !line.trim_ascii_start().starts_with(b"Opponent  ") {
            self.games.push(HistoryRow::parse(line)?);
        }
        Some(ControlFlow::Continue(()))
    }
}

impl HistoryRow {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let index = at.skip_whitespace().number()?;
        let sign = at.expect(b": ")?.word_here()?;
        let rating = Rating::read(&mut at)?;
        let color = read_color_letter(at.skip_whitespace())?;
        let result = match (sign, color) {
            (b"+", Color::White) | (b"-", Color::Black) => GameResult::WhiteWins,
            (b"-", Color::White) | (b"+", Color::Black) => GameResult::BlackWins,
            (b"=", _) => GameResult::Draw,
            (b"*", _) => GameResult::Unfinished,
            _ => return None,
        };
        let opponent_rating = Rating::read(&mut at)?;
        let opponent = ListedName::read(&mut at, &ListedName::CUT_IN_PAST_GAMES)?;
        let terms = ListedTerms::read(at.skip_whitespace())?;
        let (eco, ending) = (read_text_word(&mut at)?, read_text_word(&mut at)?);
        let date = read_text(&mut at);
        Some(Self { index, result, rating, color, opponent_rating, opponent, terms, eco, ending, date })
    }
}

/// The games that a player has kept with `jsave`.
///
/// ```text
/// Journal for Alice:
///    White         Rating  Black         Rating  Type         ECO End Result
/// A: Alice         1882    Boris         1558    [ br  3   0] A00 Mat 1-0
/// ```
///
/// Nothing marks the end. Source: FICS help file `journal`; the source code of uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Journal {
    /// The player whose journal this is.
    pub owner: Handle,
    /// The rows as received.
    pub games: Vec<JournalRow>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`Journal`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalRow {
    /// The letter for `examine` and `smoves`.
    pub slot: char,
    /// White, cut to 13 characters.
    pub white: ListedName,
    /// White's rating.
    pub white_rating: Rating,
    /// Black, cut to 13 characters.
    pub black: ListedName,
    /// Black's rating.
    pub black_rating: Rating,
    /// Kind and times.
    pub terms: ListedTerms,
    /// The opening, as in [`HistoryRow::eco`].
    pub eco: String,
    /// The reason, as in [`HistoryRow::ending`].
    pub ending: String,
    /// The result.
    pub result: GameResult,
}

impl Listing for Journal {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.owner.as_str().is_empty() {
            self.owner = match_template(line, "Journal for %:")?.name?;
        } else if !line.trim_ascii_start().starts_with(b"White  ") {
            self.games.push(JournalRow::parse(line)?);
        }
        Some(ControlFlow::Continue(()))
    }
}

impl JournalRow {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let slot = char::from(*at.skip_whitespace().take_one().first().filter(|byte| byte.is_ascii_alphabetic())?);
        let white = ListedName::read(at.expect(b": ")?, &[13])?;
        let white_rating = Rating::read(&mut at)?;
        let black = ListedName::read(&mut at, &[13])?;
        let black_rating = Rating::read(&mut at)?;
        let terms = ListedTerms::read(at.skip_whitespace())?;
        let (eco, ending) = (read_text_word(&mut at)?, read_text_word(&mut at)?);
        let result = GameResult::from_wire(at.take_rest().trim_ascii())?;
        Some(Self { slot, white, white_rating, black, black_rating, terms, eco, ending, result })
    }
}

#[cfg(test)]
mod tests;
