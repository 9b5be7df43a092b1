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

/// Writes a board as nine lines in color: eight rows, with players, clocks and move beside them, and the names of the files.
/// White's pieces are upper case. The board is drawn as the server suggests, else from White's side. The squares of `played`, the
/// last move, are highlighted.
pub(super) fn write_board(out: &mut impl Write, board: &Style12, played: Option<LastMove>) -> io::Result<()> {
    let bottom = if board.flip() == Some(true) { Color::Black } else { Color::White };
    let beside = [
        player_text(board, bottom.opponent()),
        String::new(),
        move_text(board),
        String::new(),
        game_text(board),
        format!("material {}-{}", board.white_material(), board.black_material()),
        String::new(),
        player_text(board, bottom),
    ];
    for (row, beside) in (0..).zip(beside) {
        let rank = if bottom == Color::White { 7 - row } else { row };
        write!(out, " {LABEL}{}{LABEL:#} ", rank + 1)?;
        for column in 0..8 {
            let file = if bottom == Color::White { column } else { 7 - column };
            if let Some(square) = Square::new(file, rank) {
                write_square(out, square, board.board().piece(square), is_move_square(played, square))?;
            }
        }
        writeln!(out, "{}{beside}", if beside.is_empty() { "" } else { "   " })?;
    }
    let files = if bottom == Color::White { "a b c d e f g h" } else { "h g f e d c b a" };
    writeln!(out, "    {LABEL}{files}{LABEL:#}")
}

/// Writes a square with its piece in two cells; an empty square as a dot.
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

/// Returns whether a move started or ended on a square; for castling, whether the king or the rook started there. `false` without
/// a move.
pub(crate) fn is_move_square(played: Option<LastMove>, square: Square) -> bool {
    match played {
        Some(LastMove::Normal { from, to, .. }) => square == from || square == to,
        Some(LastMove::Drop { to, .. }) => square == to,
        Some(LastMove::Castle { king_from, rook_from, .. }) => king_from == Some(square) || rook_from == Some(square),
        _ => false,
    }
}

/// Returns a player's name and clock, with a mark for the side to move.
fn player_text(board: &Style12, color: Color) -> String {
    let name = TerminalSafe(board.player(color).as_str()).to_string();
    let turn = if board.side_to_move() == color { format!(" {MOVE}<{MOVE:#}") } else { String::new() };
    format!("{NAME}{name:<17}{NAME:#} {:>8}{turn}", board.clock(color).to_string())
}

/// Returns the last move with its number and the time it took, or `no move yet`.
fn move_text(board: &Style12) -> String {
    let Some(played) = board.numbered_move() else { return format!("{LABEL}no move yet{LABEL:#}") };
    let time = board.last_move().and_then(|last_move| last_move.elapsed_ms);
    let time = time.map(|ms| format!("  {LABEL}({}){LABEL:#}", ClockReading::from_ms(ms.into()))).unwrap_or_default();
    format!("{MOVE}{}{MOVE:#}{time}", TerminalSafe(&played))
}

/// Returns the number of the game, its initial minutes and increment in seconds, and whether it is examined or only shown.
fn game_text(board: &Style12) -> String {
    let part = if board.relation().is_isolated() {
        ", shown"
    } else if board.relation().is_examined() {
        ", examined"
    } else {
        ""
    };
    format!("game {}, {}+{}{part}", board.game(), board.initial_min(), board.increment_s())
}
