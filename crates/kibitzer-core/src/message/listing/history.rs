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
mod tests {
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
    use super::*;

    const REPLY: &str = "\
History for Bogoljubov:
                  Opponent      Type         ECO End Date
 0: - ---- B ---- Alekhine      [bnr  5   2] A00t Mat 2026-11-21 00:27 UTC
 2: + ---- B ---- Alekhine      [bBu  3   0] B00w PW  2026-11-21 00:30 UTC
 6: = 1500 B 1940 Alekhine      [bnu  5   5] A00a Rep 2026-11-21 00:34 UTC
13: + 1940 W ++++ GuestZEGN     [bnu  2   2] C20 Dis 2026-11-21 00:36 UTC
 7: + 1617 W 1462 Erika         [ br  2  12] *** Res Sat Nov 21 00:43:09 2026
54: * 1529 W 1484 HorowitzTheLon[psr100  12] D00 Adj Fri Nov 12, 19:41 EDT 2009
99: =    0 B  958 Abcdefghijklm [ wu 10 100] *** 50  Sat Nov 21 00:43:09 2026";

    #[test]
    fn rows_of_every_server() {
        let history = parse::<History>(REPLY).unwrap();
        assert_eq!((history.owner.as_str(), history.unread.len()), ("Bogoljubov", 0));
        let rows: Vec<_> = history
            .games
            .iter()
            .map(|r| (r.index, r.result, r.color, r.opponent.as_str(), r.eco.as_str(), r.ending.as_str()))
            .collect();
        let want = [
            (0, GameResult::WhiteWins, Color::Black, "Alekhine", "A00t", "Mat"),
            (2, GameResult::BlackWins, Color::Black, "Alekhine", "B00w", "PW"),
            (6, GameResult::Draw, Color::Black, "Alekhine", "A00a", "Rep"),
            (13, GameResult::WhiteWins, Color::White, "GuestZEGN", "C20", "Dis"),
            (7, GameResult::WhiteWins, Color::White, "Erika", "***", "Res"),
            (54, GameResult::Unfinished, Color::White, "HorowitzTheLon", "D00", "Adj"),
            (99, GameResult::Draw, Color::Black, "Abcdefghijklm", "***", "50"),
        ];
        assert_eq!(rows, want);
        let first = &history.games[0];
        assert_eq!((first.rating, first.terms.mark, first.terms.kind), (Rating::Unrated, Some('b'), Some('n')));
        assert_eq!((first.date.as_str(), history.games[3].opponent_rating), ("2026-11-21 00:27 UTC", Rating::Guest));
        assert_eq!(parse_with_async_lines_inserted::<History>(REPLY), Ok(history));
    }

    #[test]
    fn no_games_and_odd_rows() {
        let none = parse::<History>("Alice has no history games.").unwrap();
        assert_eq!((none.owner.as_str(), none.games.len()), ("Alice", 0));
        let odd = parse::<History>("History for Alice:\n 0: ? 1882 W 1558 Boris [ br  3   0] A00 Mat Sat").unwrap();
        assert_eq!((odd.games.len(), odd.unread.len()), (0, 1));
    }
}
