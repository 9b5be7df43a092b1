//! Events in one line each.

use anstream::adapter::strip_str;
use kibitzer::core::Event;
use kibitzer::core::chess::Color;
use kibitzer::core::message::Style12;

use super::board::last_move_number;
use super::entry::{Entry, Position};
use super::{Shown, text};

/// Between the lines of what a session tells of its games.
const CONTINUED: &str = "\n*   ";

/// The event in one line, fit for a line of cells: the words of the text form without its color; of a board, the
/// move and the clocks, White's first, instead of a drawing.
pub(crate) fn one_line(event: &Event) -> String {
    match Entry::of(event) {
        Some(Entry::Position(position)) => board(&position),
        Some(_) => words(event),
        None => event.kind().to_string(),
    }
}

fn words(event: &Event) -> String {
    let mut written = Vec::new();
    // Nothing fails on the way to memory.
    let _ = text::write(&mut written, event);
    let written = String::from_utf8_lossy(&written);
    let plain = strip_str(written.trim_end_matches('\n')).to_string();
    // Line ends are ours: those of others are spelled out by now.
    Shown(&plain.replace(CONTINUED, "; ")).in_cells().into_owned()
}

fn board(position: &Position<'_>) -> String {
    let board = position.board;
    let played = numbered_move(board).unwrap_or_else(|| "start".to_owned());
    let [white, black] = Color::BOTH.map(|color| Shown(board.player(color).as_str()).in_cells().into_owned());
    let (white_clock, black_clock) = (board.white_clock(), board.black_clock());
    format!("game {} {played}  {white_clock} {black_clock}  {white}-{black}", board.game())
}

/// The move that led to a board, with its number: `12... Nf6`.
pub(crate) fn numbered_move(board: &Style12) -> Option<String> {
    let last_move = board.last_move()?;
    let san = Shown(last_move.text()).in_cells();
    Some(format!("{} {san}", last_move_number(board)))
}
