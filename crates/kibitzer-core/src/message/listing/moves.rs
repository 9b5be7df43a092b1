//! The reply to `moves`, `oldmoves` and `smoves`.

use std::ops::ControlFlow;

use super::Listing;
use super::collect::{ListedName, ListedPlayer, read_text};
use crate::chess::Color;
use crate::message::fields::read_duration_ms;
use crate::message::template::match_template;
use crate::message::{GameId, GameResult, Rating, Style12, Titles};
use crate::scan::Cursor;
use crate::text::{Line, decode_received};

/// The moves of one game.
///
/// ```text
/// Movelist for game 34:
///
/// A (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002
/// Rated standard match, initial time: 10 minutes, increment: 12 seconds.
///
/// Move  A                       B
/// ----  ---------------------   ---------------------
///   1.  e4      (0:00.000)      c5      (0:00.123)
///       {Still in progress} *
/// ```
///
/// The list ends with the line in braces. uhlin-fics omits the first line. Boards, tells and end lines of games (`{Game 7 (...`)
/// that come in between are not part of it. FICS may send the list of a resumed game twice.
///
/// Source: transcripts of FatICS and uhlin-fics; FICS's and ICC's variants as clients know them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveList {
    /// The number of the game in the first line; `None` without that line.
    pub game: Option<GameId>,
    /// White, with the rating at the start; in FatICS's examined games literally `White (0)`. `None` without the line of the
    /// players.
    pub white: Option<ListedPlayer<ListedName>>,
    /// Black, with the rating at the start.
    pub black: Option<ListedPlayer<ListedName>>,
    /// When the game began, as printed: every server has its own form; uhlin-fics's date is always wrong. Empty
    /// without the line of the players.
    pub date: String,
    /// Whether the game is rated; `None` if no line has it.
    pub rated: Option<bool>,
    /// The kind as printed: `blitz`, `Standard`, `wild/5`, several words, or empty.
    pub kind: String,
    /// Minutes on each clock at the start, on White's if they differ; `None` if no line has it.
    pub initial_min: Option<u32>,
    /// Seconds added per move, of White if they differ; `None` if no line has it.
    pub increment_s: Option<u32>,
    /// The isolated boards before the table: the position in which the game began. They must neither start nor change
    /// a game. Empty for the usual position, or without the ivar `startpos`.
    pub start: Vec<Style12>,
    /// The moves in order. The first may be Black's.
    pub moves: Vec<ListedMove>,
    /// The text in the braces: `Still in progress`, `White resigns`. It has colors in place of names. Empty if the
    /// game has no moves.
    pub reason: String,
    /// The result; `None` only if the server reports that the game has no moves.
    pub result: Option<GameResult>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
    /// Whether the ruler above the moves was parsed, so that rows of moves follow. Not part of the reply.
    in_table: bool,
}

/// One move of a [`MoveList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedMove {
    /// Number of the ply: 1 is White's first move, 2 Black's.
    pub ply: u32,
    /// The move as printed: `Nf3`, `O-O`, `o-o`, `N@f3`, `e8=Q+`.
    pub san: String,
    /// Milliseconds the move took, full seconds unless the ivar `ms` is set; `None` if the list shows no times.
    pub elapsed_ms: Option<u32>,
}

impl ListedMove {
    /// Returns the side that made the move.
    pub const fn color(&self) -> Color {
        if self.ply % 2 == 1 { Color::White } else { Color::Black }
    }
}

impl Listing for MoveList {
    const HAS_LAST_LINE: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.in_table { self.add_table_line(line) } else { self.add_line_before_table(line) }
    }
}

impl MoveList {
    /// Adds a line that precedes the rows of the table. Returns `Break` for the line that reports a game without moves, `None` for a
    /// line that is not part of the list.
    fn add_line_before_table(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if line.trim_ascii_start().starts_with(b"There are no moves") {
            return Some(ControlFlow::Break(()));
        }
        if self.try_add_game_number(line).or_else(|| self.try_add_players(line)).is_none() {
            // Other tables and help pages have lines like these, which count only after the line of the players.
            self.white.as_ref()?;
            self.try_add_terms(line)
                .or_else(|| self.try_add_start_board(line))
                .or_else(|| self.try_add_table_head(line))?;
        }
        Some(ControlFlow::Continue(()))
    }

    /// Adds the line `Movelist for game 34:`.
    fn try_add_game_number(&mut self, line: &[u8]) -> Option<()> {
        let game = match_template(line, "Movelist for game $:")?.game?;
        self.game.get_or_insert(game);
        Some(())
    }

    /// Adds the line of the players and the date: `A (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002`.
    fn try_add_players(&mut self, line: &[u8]) -> Option<()> {
        let mut at = Cursor::new(line);
        let white = read_player(&mut at)?;
        let black = read_player(at.expect(b" vs. ")?)?;
        at.expect(b" --- ")?;
        (self.white, self.black, self.date) = (Some(white), Some(black), read_text(&mut at));
        Some(())
    }

    /// Adds the line with the kind and the times: `Rated standard match, initial time: …`.
    fn try_add_terms(&mut self, line: &[u8]) -> Option<()> {
        let mut at = Cursor::new(line);
        let rated = at.eat(b"Rated ");
        (rated || at.eat(b"Unrated ")).then_some(())?;
        // An empty kind leaves both its blanks: `Unrated  match`.
        let kind = at.take_until_and_skip(b" match")?;
        matches!(at.peek(), None | Some(b',' | b'.' | b' ')).then_some(())?;
        (self.rated, self.kind) = (Some(rated), decode_received(kind).into_owned());
        self.initial_min = number_after(at, b"initial time: ");
        self.increment_s = number_after(at, b"increment: ");
        Some(())
    }

    /// Adds a board of the start position.
    fn try_add_start_board(&mut self, line: &[u8]) -> Option<()> {
        let board = Style12::parse(line).ok().filter(|board| board.relation().is_isolated())?;
        self.start.push(board);
        Some(())
    }

    /// Adds the head of the table or the ruler below it; from the ruler on, rows of moves follow.
    fn try_add_table_head(&mut self, line: &[u8]) -> Option<()> {
        self.in_table = line.starts_with(b"----") && line.iter().all(|b| matches!(b, b'-' | b' '));
        (self.in_table || line.starts_with(b"Move  ")).then_some(())
    }

    /// Adds a row of moves, or the reason and the result, which end the list; `None` for any other line.
    fn add_table_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((reason, result)) = parse_last_line(line) {
            (self.reason, self.result) = (reason, Some(result));
            return Some(ControlFlow::Break(()));
        }
        self.moves.extend(parse_row(line)?);
        Some(ControlFlow::Continue(()))
    }
}

/// Reads a name, its titles, and a rating in brackets if there is one.
fn read_player(at: &mut Cursor<'_>) -> Option<ListedPlayer<ListedName>> {
    let name = ListedName::read(at, &[])?;
    let titles = Titles::read(at);
    let rating = at.attempt(|at| Rating::read_bracketed(at.skip_whitespace()));
    Some(ListedPlayer { name, titles, rating })
}

/// Returns the number after the next occurrence of `label`.
fn number_after(mut at: Cursor<'_>, label: &[u8]) -> Option<u32> {
    at.take_until_and_skip(label)?;
    at.number()
}

/// Parses a row of moves, `  1.  e4      (0:00)     e5      (0:00)`; `None` for any other line. `...` stands for a missing move
/// of White, and the move of Black may be missing.
fn parse_row(line: &[u8]) -> Option<Vec<ListedMove>> {
    let mut at = Cursor::new(line);
    let number: u32 = at.skip_whitespace().number()?;
    at.expect(b".")?;
    let black_ply = number.checked_mul(2)?;
    let mut moves = Vec::new();
    read_move_cell_into(&mut at, black_ply.checked_sub(1)?, &mut moves)?;
    if at.expect_blank_rest().is_none() {
        read_move_cell_into(&mut at, black_ply, &mut moves)?;
    }
    at.expect_blank_rest()?;
    Some(moves)
}

/// Reads a cell of a row: a move with or without its time, which is appended to `moves`, or `...` for a missing move of White, for
/// which nothing is appended. `None` for any other cell.
fn read_move_cell_into(at: &mut Cursor<'_>, ply: u32, moves: &mut Vec<ListedMove>) -> Option<()> {
    let dots = at.skip_whitespace().eat(b"...");
    let san = at.take_while(|b| b.is_ascii_alphanumeric() || b"@=+#-/".contains(&b));
    (dots == san.is_empty()).then_some(())?;
    let elapsed_ms = at.skip_whitespace().between(b"(", b")", read_duration_ms);
    if !dots {
        moves.push(ListedMove { ply, san: decode_received(san).into_owned(), elapsed_ms });
    }
    Some(())
}

/// Parses the last line of a list, `      {White resigns} 1-0`. `None` for the end line of a running game, which has the game's
/// number.
fn parse_last_line(line: &[u8]) -> Option<(String, GameResult)> {
    let line = line.trim_ascii().strip_prefix(b"{")?;
    let (text, result) = line.split_at_checked(memchr::memrchr(b'}', line)?)?;
    let result = GameResult::from_wire(result.strip_prefix(b"} ")?)?;
    let names_game = text.strip_prefix(b"Game ").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
    (!names_game).then(|| (decode_received(text).into_owned(), result))
}

#[cfg(test)]
mod tests;
