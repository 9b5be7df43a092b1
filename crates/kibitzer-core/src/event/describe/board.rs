//! Descriptor of boards, for every message that contains or leads to one.

use super::value::{Displayed, objects};
use super::{LineDisplay, describe};
use crate::chess::{Color, LastMove};
use crate::event::Event;
use crate::event::EventKind;
use crate::message::{Message, ReportedMove, Style12};

impl Event {
    /// Returns the board that the event reports, in style 12 or 10 or by a move that fits the known board; `None` if it reports
    /// none. For a message with a move only, it is the board after that move.
    pub fn reported_board(&self) -> Option<&Style12> {
        match self.message()? {
            Message::Style12(board) | Message::Style10(board) => Some(board),
            Message::Delta(_) | Message::GameUpdate(_) => self.change()?.board.as_deref(),
            _ => None,
        }
    }

    /// Returns the last move of the reported board; castling includes the squares of king and rook if the board before the move is
    /// known. `None` without a board or a last move, or if the form of the move is unknown.
    pub fn reported_move(&self) -> Option<LastMove> {
        let board = self.reported_board()?;
        self.change().and_then(|change| change.played).or_else(|| board.played())
    }

    /// Returns whether the reported move left the mover's own king attacked, although the rules of the game forbid that: the server
    /// accepted an illegal move. `None` if the event is not a single move, and if the rules are not known or have no check.
    pub fn is_irregular_move(&self) -> Option<bool> {
        self.change().filter(|change| change.forbids_check())?;
        let board = self.reported_board()?;
        Some(board.board().is_in_check(!board.side_to_move()))
    }
}

/// An event that reports this board.
pub(super) struct ReportedBoard<'a> {
    pub(super) event: &'a Event,
    pub(super) board: &'a Style12,
}

/// The object `last_move`.
struct LastMoveObject<'a> {
    reported: ReportedMove,
    position: &'a ReportedBoard<'a>,
}

objects! {
    LastMoveObject<'_> as it: [
        verbose: it.reported.verbose, san: it.reported.san,
        uci: it.position.event.reported_move().and_then(|played| played.to_uci(!it.position.board.side_to_move())).map(Displayed),
        elapsed_ms: it.reported.elapsed_ms,
    ];
}

describe! {
    ReportedBoard<'_> as it => EventKind::Position, {
        line: LineDisplay::Nowhere,
        fields: [
            game: it.board.game(),
            fen: Displayed(it.board.fen()),
            side_to_move: it.board.side_to_move(),
            white: it.board.white(),
            black: it.board.black(),
            relation: it.board.relation().code(),
            initial_s: u64::from(it.board.initial_min()) * 60,
            increment_s: it.board.increment_s(),
            white_material: it.board.white_material(),
            black_material: it.board.black_material(),
            white_clock_ms: it.board.white_clock().as_ms(),
            black_clock_ms: it.board.black_clock().as_ms(),
            move_number: it.board.move_number(),
            halfmove_clock: it.board.halfmove_clock(),
            double_push_file: it.board.double_push_file().map(|file| char::from(b'a'.saturating_add(file))),
            last_move: it.board.last_move().map(|reported| LastMoveObject { reported, position: it }),
            flip: it.board.flip(),
            clock_running: it.board.clock_running(),
            lag_ms: it.board.lag_ms(),
            source: match it.event.message() {
                Some(Message::Delta(_)) => "delta",
                Some(Message::GameUpdate(_)) => "datagram",
                Some(Message::Style10(_)) => "style10",
                _ => "style12",
            },
            cut: it.board.is_cut(),
            white_reserve: it.board.reserves().map(|hands| Displayed(hands.white)),
            black_reserve: it.board.reserves().map(|hands| Displayed(hands.black)),
            irregular: it.event.is_irregular_move(),
        ],
        // The last move and the clocks, White's first: `game 7 2. Ke2  1:59 2:02  Newton-Einstein`.
        words(out): {
            let board = it.board;
            let played = board.numbered_move().unwrap_or_else(|| "start".to_owned());
            let [white, black] = Color::BOTH.map(|color| board.player(color));
            let (white_clock, black_clock) = (board.white_clock(), board.black_clock());
            write!(out, "game {} {played}  {white_clock} {black_clock}  {white}-{black}", board.game())?;
            out.write_str(if it.event.is_irregular_move() == Some(true) { "  irregular move" } else { "" })
        },
    }
}

impl Style12 {
    /// Returns the last move with its number, as in printed games: `12. Nf3`, `12... Nf6`. `None` for a board without a last
    /// move.
    pub fn numbered_move(&self) -> Option<String> {
        let last_move = self.last_move()?;
        let number = self.move_number();
        Some(match self.side_to_move() {
            Color::Black => format!("{number}. {}", last_move.text()),
            Color::White => format!("{}... {}", number.saturating_sub(1), last_move.text()),
        })
    }
}
