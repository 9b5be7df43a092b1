//! Boards in other forms than style 12: `<d1>`, delta boards with one move in place of a whole board; `<10>`, a board as a block
//! of lines, made for the first graphical clients.

use std::sync::Arc;

use crate::chess::Board;
use crate::message::fields::ClockReading;
use crate::message::style12::Style12;
use crate::message::{GameId, Received, fields};
use crate::text::ServerText;

/// A delta board line, which has the last move in place of the board: `<d1> 399 10 O-O e8g8c 922 168890 207`.
///
/// All times are milliseconds, whatever the setting of the ivar `ms`. The line has neither the opponent's clock nor
/// the board before the move, so a receiver has to keep the last full board.
///
/// Source: FICS help files `iv_compressmove`, `deltaboard`; captured sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeltaBoard {
    /// The number of the game.
    pub game: GameId,
    /// Plies made in the game, including this one.
    pub plies: u16,
    /// The move in the pretty form of style 12: `Rxc2`.
    pub san: ServerText,
    /// The move in Smith notation as received: `e2c2p`.
    pub smith: ServerText,
    /// Time that the player used for the move, in milliseconds.
    pub taken_ms: u32,
    /// The mover's clock after the move, increment included.
    pub clock: ClockReading,
    /// Lag of the move in milliseconds; `None` if missing or invalid, as the help file does not list this field.
    pub lag_ms: Option<i32>,
}

impl DeltaBoard {
    /// Parses a line with its tag; `None` if one of the six documented fields is missing or invalid. Fields after the lag are
    /// ignored, as servers append to the line.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<d1>")?;
        Some(Self {
            game: GameId(fields::read_field_number(&mut at)?),
            plies: fields::read_field_number(&mut at)?,
            san: ServerText::from_wire(fields::read_field_word(&mut at)?),
            smith: ServerText::from_wire(fields::read_field_word(&mut at)?),
            taken_ms: fields::read_field_number(&mut at)?,
            clock: ClockReading::from_ms(fields::read_field_signed(&mut at)?),
            // Not in the help file, but sent by today's server.
            lag_ms: fields::read_field_signed(&mut at),
        })
    }
}

/// The progress of a style 10 block after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Style10Progress {
    /// The line fits, and more lines have to follow.
    More,
    /// The line completes the block.
    Board(Arc<Style12>),
    /// The line does not fit the block, which can no longer be completed.
    Broken,
}

/// The line that ends a block on servers that end it.
pub(super) const STYLE10_END: &[u8] = b">10<";

/// Parses the next line of a style 10 block: after the start marker, eight rows between bars, a line of 7 words, a line of 14
/// words or more. `earlier` are the lines that fit so far, from the start marker on.
///
/// Row 8 comes first, and the board is never flipped; a blank is an empty square. Some servers end the block with `>10<`, on a
/// line of its own or directly after the last word; some do not end it. Game numbers count from 0 in this style.
///
/// Source: ICC help file `style10`; FICS 1.6 transcripts.
pub(super) fn parse_next_style10_line(earlier: &[Received], line: &[u8]) -> Style10Progress {
    match earlier.len() {
        ..9 if parse_board_row(line).is_some() => Style10Progress::More,
        // The line with the state is split into two; together they have the words of a style 12 line.
        9 if matches!(line, [b'W' | b'B', b' ', ..]) => Style10Progress::More,
        10.. => {
            build_board(earlier, line).map_or(Style10Progress::Broken, |board| Style10Progress::Board(Arc::new(board)))
        }
        _ => Style10Progress::Broken,
    }
}

/// Parses one of the eight rows to its squares, with `-` for a blank; `None` if the line does not have the form of a row.
fn parse_board_row(line: &[u8]) -> Option<[u8; 8]> {
    let squares = line.trim_ascii_end().strip_prefix(b"|")?.strip_suffix(b"|")?;
    let squares: [u8; 8] = squares.try_into().ok()?;
    Some(squares.map(|square| if square == b' ' { b'-' } else { square }))
}

/// Parses the lines of a block and the last one to a board; `None` if a square or a word is invalid.
fn build_board(earlier: &[Received], last_line: &[u8]) -> Option<Style12> {
    let [_, rows @ .., state] = earlier else { return None };
    let rows = rows.iter().map(|row| parse_board_row(row.raw())).collect::<Option<Vec<_>>>()?;
    let board = Board::from_rows(rows.as_slice().try_into().ok()?)?;
    let words = [state.raw(), last_line.strip_suffix(STYLE10_END).unwrap_or(last_line)].join(&b' ');
    Style12::from_style10(&board, &words).ok()
}

#[cfg(test)]
mod tests;
