//! Boards and holdings as plain numbers and text, with the fields of `kibitzer decode`, so that two parsers can be compared.

use kibitzer_core::chess::Color;
use kibitzer_core::message::{Holding, ReportedMove, Style12};

/// A board, with the keys of the `position` event as fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys are described where the event is")]
pub struct PositionFacts {
    pub offset: u64,
    pub game: i64,
    pub fen: String,
    pub side_to_move: &'static str,
    pub white: String,
    pub black: String,
    pub relation: i64,
    pub initial_s: i64,
    pub increment_s: i64,
    pub white_material: i64,
    pub black_material: i64,
    pub white_clock_ms: i64,
    pub black_clock_ms: i64,
    pub move_number: i64,
    pub halfmove_clock: i64,
    pub double_push_file: Option<char>,
    pub last_move: Option<MoveFacts>,
    pub flip: Option<bool>,
    pub clock_running: Option<bool>,
    pub lag_ms: Option<i64>,
    pub cut: bool,
}

/// The move that led to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys are described where the event is")]
pub struct MoveFacts {
    pub verbose: String,
    pub san: Option<String>,
    /// For castling, the king's move from the e-file, because one line does not contain its square.
    pub uci: Option<String>,
    pub elapsed_ms: Option<i64>,
}

/// Reserves, with the keys of the `holding` event as fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys are described where the event is")]
pub struct HoldingFacts {
    pub offset: u64,
    pub game: i64,
    pub white: String,
    pub black: String,
    pub passed: Option<(char, char)>,
}

impl PositionFacts {
    /// Converts a message of the library.
    pub fn of(offset: u64, board: &Style12) -> Self {
        Self {
            offset,
            game: board.game().0.into(),
            fen: board.fen().to_string(),
            side_to_move: board.side_to_move().into(),
            white: board.white().to_string(),
            black: board.black().to_string(),
            relation: board.relation().code().into(),
            initial_s: i64::from(board.initial_min()) * 60,
            increment_s: board.increment_s().into(),
            white_material: board.white_material().into(),
            black_material: board.black_material().into(),
            white_clock_ms: board.white_clock().as_ms(),
            black_clock_ms: board.black_clock().as_ms(),
            move_number: board.move_number().into(),
            halfmove_clock: board.halfmove_clock().into(),
            double_push_file: board.double_push_file().map(|file| char::from(b'a' + file)),
            last_move: board.last_move().map(|played| MoveFacts::of(&played, board.side_to_move().opponent())),
            flip: board.flip(),
            clock_running: board.clock_running(),
            lag_ms: board.lag_ms().map(i64::from),
            cut: board.is_cut(),
        }
    }
}

impl MoveFacts {
    fn of(played: &ReportedMove, mover: Color) -> Self {
        Self {
            verbose: played.verbose.to_string(),
            san: played.san.as_ref().map(ToString::to_string),
            uci: played.played.and_then(|last_move| last_move.to_uci(mover)).map(|uci| uci.to_string()),
            elapsed_ms: played.elapsed_ms.map(i64::from),
        }
    }
}

impl HoldingFacts {
    /// Converts a message of the library.
    pub fn of(offset: u64, holding: &Holding) -> Self {
        let color = |color| if color == Color::White { 'W' } else { 'B' };
        Self {
            offset,
            game: holding.game.0.into(),
            white: holding.white_letters.to_string(),
            black: holding.black_letters.to_string(),
            passed: holding.passed.map(|(to, role)| (color(to), role.letter())),
        }
    }
}
