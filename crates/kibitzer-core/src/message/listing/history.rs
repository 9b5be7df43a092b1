//! The reply to `history`.

use std::ops::ControlFlow;

use super::parts::{read_color_letter, read_free_name, read_text, read_text_word};
use super::{GameTerms, Listing};
use crate::chess::Color;
use crate::message::template::{TemplateTable, match_table};
use crate::message::{GameResult, Handle, Rating};
use crate::scan::Cursor;
use crate::text::Line;

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
    pub opponent: Handle,
    /// Kind and times. FatICS has the speed in [`mark`](GameTerms::mark).
    pub terms: GameTerms,
    /// The opening, `A00`, on FatICS with a letter more, or `***`.
    pub eco: String,
    /// The reason in two or three letters: `Res`, `Mat`, `Fla`, `PW`.
    pub ending: String,
    /// The date as printed.
    pub date: String,
}

/// The first lines; `Break` for one that is also the last.
const HEADS: TemplateTable<ControlFlow<()>> =
    &[("History for %:", ControlFlow::Continue(())), ("% has no history games.", ControlFlow::Break(()))];

impl Listing for History {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.owner.as_str().is_empty() {
            let (step, captures) = match_table(line, HEADS)?;
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
        let opponent = read_free_name(&mut at)?;
        let terms = GameTerms::read(at.skip_whitespace())?;
        let (eco, ending) = (read_text_word(&mut at)?, read_text_word(&mut at)?);
        let date = read_text(&mut at);
        Some(Self { index, result, rating, color, opponent_rating, opponent, terms, eco, ending, date })
    }
}

#[cfg(test)]
mod tests;
