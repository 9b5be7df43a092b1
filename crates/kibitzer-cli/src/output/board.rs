//! A board drawn on a terminal, with its players, clocks, move and terms beside it.

use std::io::{self, Write};

use anstyle::{Ansi256Color, AnsiColor, Style};
use kibitzer::core::chess::{Color, LastMove, Piece, Square};
use kibitzer::core::message::{ClockReading, Style12};

use super::TerminalSafe;

const LABEL: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const MOVE: Style = AnsiColor::Yellow.on_default().bold();
const WHITE_PIECE: Ansi256Color = Ansi256Color(231);
const BLACK_PIECE: Ansi256Color = Ansi256Color(16);
const LIGHT: Ansi256Color = Ansi256Color(109);
const DARK: Ansi256Color = Ansi256Color(66);
const LIGHT_MOVED: Ansi256Color = Ansi256Color(180);
const DARK_MOVED: Ansi256Color = Ansi256Color(137);

/// Writes a board as nine lines: eight rows, with players, clocks and move beside them, and the names of the files. White's
/// pieces are upper case. The squares of `played`, the last move, are highlighted.
pub(super) fn write_board(out: &mut impl Write, board: &Style12, played: Option<LastMove>) -> io::Result<()> {
    let bottom = if board.flip() == Some(true) { Color::Black } else { Color::White };
    for row in 0..8 {
        write_row(out, board, played, bottom, row)?;
    }
    let files = if bottom == Color::White { "a b c d e f g h" } else { "h g f e d c b a" };
    writeln!(out, "    {LABEL}{files}{LABEL:#}")
}

/// Writes a row of the board, 0 at the top, with the text beside it.
fn write_row(
    out: &mut impl Write,
    board: &Style12,
    played: Option<LastMove>,
    bottom: Color,
    row: u8,
) -> io::Result<()> {
    let rank = if bottom == Color::White { 7 - row } else { row };
    write!(out, " {LABEL}{}{LABEL:#} ", rank + 1)?;
    for column in 0..8 {
        let file = if bottom == Color::White { column } else { 7 - column };
        if let Some(square) = Square::new(file, rank) {
            write_square(out, square, board.board().piece(square), is_move_square(played, square))?;
        }
    }
    write_beside(out, board, bottom, row)?;
    writeln!(out)
}

/// Writes a square with its piece.
fn write_square(out: &mut impl Write, square: Square, piece: Option<Piece>, highlighted: bool) -> io::Result<()> {
    let is_light = (square.file() + square.rank()) % 2 == 1;
    let ground = match (highlighted, is_light) {
        (true, true) => LIGHT_MOVED,
        (true, false) => DARK_MOVED,
        (false, true) => LIGHT,
        (false, false) => DARK,
    };
    let style = match piece.map(|piece| piece.color) {
        Some(Color::White) => WHITE_PIECE.on(ground).bold(),
        Some(Color::Black) => BLACK_PIECE.on(ground).bold(),
        None => LABEL.bg_color(Some(ground.into())),
    };
    write!(out, "{style} {}{style:#}", piece.map_or('.', Piece::letter))
}

/// Returns whether a move started or ended on a square.
pub(crate) fn is_move_square(played: Option<LastMove>, square: Square) -> bool {
    match played {
        Some(LastMove::Normal { from, to, .. }) => square == from || square == to,
        Some(LastMove::Drop { to, .. }) => square == to,
        Some(LastMove::Castle { king_from, rook_from, .. }) => king_from == Some(square) || rook_from == Some(square),
        _ => false,
    }
}

/// Writes the text beside a row: the players next to their own side, the move and the terms between them.
fn write_beside(out: &mut impl Write, board: &Style12, bottom: Color, row: u8) -> io::Result<()> {
    if matches!(row, 1 | 3 | 6) {
        return Ok(());
    }
    write!(out, "   ")?;
    match row {
        0 => write_player(out, board, bottom.opponent()),
        2 => write_move(out, board),
        4 => write_game_and_time_control(out, board),
        5 => write!(out, "material {}-{}", board.white_material(), board.black_material()),
        7 => write_player(out, board, bottom),
        _ => Ok(()),
    }
}

/// Writes a player's name, rating and clock.
fn write_player(out: &mut impl Write, board: &Style12, color: Color) -> io::Result<()> {
    let name = TerminalSafe(board.player(color).as_str()).to_string();
    write!(out, "{NAME}{name:<17}{NAME:#} {:>8}", board.clock(color).to_string())?;
    if board.side_to_move() == color {
        write!(out, " {MOVE}<{MOVE:#}")?;
    }
    Ok(())
}

/// Writes the last move with its number and time.
fn write_move(out: &mut impl Write, board: &Style12) -> io::Result<()> {
    let Some(played) = board.numbered_move() else {
        return write!(out, "{LABEL}no move yet{LABEL:#}");
    };
    write!(out, "{MOVE}{}{MOVE:#}", TerminalSafe(&played))?;
    match board.last_move().and_then(|last_move| last_move.elapsed_ms) {
        Some(elapsed) => write!(out, "  {LABEL}({}){LABEL:#}", ClockReading::from_ms(elapsed.into())),
        None => Ok(()),
    }
}

/// Writes the number of the game, its time control, and whether it is examined.
fn write_game_and_time_control(out: &mut impl Write, board: &Style12) -> io::Result<()> {
    let part = if board.relation().is_isolated() {
        ", shown"
    } else if board.relation().is_examined() {
        ", examined"
    } else {
        ""
    };
    write!(out, "game {}, {}+{}{part}", board.game(), board.initial_min(), board.increment_s())
}
