//! A search: its position and limits, its analysis and its result.

use std::fmt;
use std::time::Duration;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Move};
use kibitzer::chess::{CastlingSide, Color, Fen};
use kibitzer::track::{TrackedGame, TrackedMove};

/// A position to search: the start of the known moves, and the moves since.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchPosition {
    /// The base position in FEN, with the reserve in brackets in crazyhouse; `None` for the usual start.
    pub fen: Option<String>,
    /// Moves since, in UCI notation.
    pub moves: Vec<String>,
    /// Side to move after them.
    pub side_to_move: Color,
}

impl SearchPosition {
    /// Creates a position from a base position and the UCI moves since; `fen` is `None` for the usual start. Nothing is
    /// validated.
    pub fn new(fen: Option<String>, moves: Vec<String>, side_to_move: Color) -> Self {
        Self { fen, moves, side_to_move }
    }

    /// Returns the current position of a game.
    ///
    /// A position with pieces in reserve, other than from crazyhouse's usual start, is passed without the moves that led to it, as
    /// is a position after a hidden or an [irregular](TrackedGame::has_irregular_move) move, and any position of bughouse.
    /// In chess960 castling is the king's capture of its rook, and castling rights of a start position are the files of the rooks.
    pub fn of_game(game: &TrackedGame) -> Self {
        let side_to_move = game.position().side_to_move();
        let variant = game.variant();
        let is_chess960 = variant == "chess960";
        let uci = if is_chess960 { TrackedMove::uci_chess960 } else { TrackedMove::uci };
        let line = game.line();
        let is_usual_start = line.starts_from_standard_position();
        let has_full_history = variant != "bughouse" && (game.game().hands().is_none() || is_usual_start);
        let moves: Option<Vec<_>> = line.moves.iter().map(uci).collect();
        let text = |fen: &Fen| if is_chess960 { shredder_fen(fen) } else { fen.to_string() };
        match moves.filter(|_| has_full_history && !game.has_irregular_move()) {
            Some(moves) => Self { fen: (!is_usual_start).then(|| text(&line.start)), moves, side_to_move },
            None => Self { fen: Some(text(&game.game().fen())), moves: Vec::new(), side_to_move },
        }
    }

    /// Returns whether a move is legal by the rules of chess and chess960, in either notation of castling. Also returns `true` if
    /// the position is one of another variant, in which legality is not known.
    pub(crate) fn may_allow_move(&self, uci: &str) -> bool {
        self.chess_board().is_none_or(|board| {
            parse_uci_move(&board, uci).is_ok_and(|parsed| board.is_legal(parsed))
                || uci.parse().is_ok_and(|parsed| board.is_legal(parsed))
        })
    }

    /// Returns the position as a board of chess or chess960; `None` if it is of another variant, or a move is illegal.
    pub(crate) fn chess_board(&self) -> Option<Board> {
        let mut board = self.fen.as_ref().map_or(Some(Board::default()), |fen| fen.parse().ok())?;
        for text in &self.moves {
            let parsed = parse_uci_move(&board, text).ok()?;
            board.try_play(parsed).ok()?;
        }
        Some(board)
    }
}

/// Time that a search may use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchLimits {
    /// Remaining times of White and Black, after the deduction of lag and overhead. `None` in an untimed game.
    pub clocks: Option<[Duration; 2]>,
    /// Increments of White and Black.
    pub increments: [Duration; 2],
    /// Fixed time for this move, in place of the clocks; `None` if the engine decides, by the clocks or until the deadline.
    pub move_time: Option<Duration>,
    /// Maximum number of nodes; `None` for no limit.
    pub nodes: Option<u64>,
    /// Maximum depth in plies; `None` for no limit.
    pub depth: Option<u32>,
    /// The engine is stopped after this time, and fails with [`EngineError::NoMove`](super::EngineError::NoMove) if it then
    /// returns none within a second.
    pub deadline: Duration,
}

impl SearchLimits {
    /// Returns the limits of a search that uses this time; the deadline is 5 s later, at most [`Duration::MAX`].
    pub fn for_fixed_time(time: Duration) -> Self {
        Self { move_time: Some(time), ..Self::deadline(time.saturating_add(Duration::from_secs(5))) }
    }

    /// Returns the limits of a search without clocks, which may use any time up to the deadline.
    pub fn deadline(deadline: Duration) -> Self {
        Self { clocks: None, increments: [Duration::ZERO; 2], move_time: None, nodes: None, depth: None, deadline }
    }
}

/// A line of analysis. Fields that the engine did not report are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchInfo {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Score from the engine's point of view.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nodes_per_second: Option<u64>,
    /// Time of the search so far.
    pub time: Option<Duration>,
    /// Principal variation: the expected moves as the engine wrote them, at most 40.
    pub line: Vec<String>,
}

/// Evaluation of a position, from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this number of moves; negative if the engine is mated.
    Mate(i32),
}

impl fmt::Display for Score {
    /// Writes pawns with a sign, `+0.35`, or `mate in 3`, `mated in 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Centipawns(score) => write!(f, "{:+.2}", f64::from(score) / 100.0),
            Self::Mate(moves @ ..0) => write!(f, "mated in {}", moves.unsigned_abs()),
            Self::Mate(moves) => write!(f, "mate in {moves}"),
        }
    }
}

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BestMove {
    /// The move in UCI notation; `None` if the position has no legal move.
    pub best: Option<String>,
    /// The reply that the engine expects; `None` if it named none.
    pub ponder: Option<String>,
    /// Whether the engine offers a draw with the move; without a move, whether it claims one.
    pub offers_draw: bool,
    /// Whether the engine resigns.
    pub resigns: bool,
}

impl BestMove {
    /// Returns a move in UCI notation, without an expected reply, an offer or a resignation.
    pub fn new(best: impl Into<String>) -> Self {
        Self { best: Some(best.into()), ..Self::default() }
    }
}

/// Returns a move of this board in UCI notation: castling is the king's move in chess, king takes rook in chess960.
pub(crate) fn uci_notation(board: &Board, chosen: Move, variant: &str) -> String {
    if variant == "chess960" { chosen.to_string() } else { display_uci_move(board, chosen).to_string() }
}

/// Formats a position for an engine that plays chess960: castling rights as the files of the rooks (`HAha`).
fn shredder_fen(fen: &Fen) -> String {
    let letter = |(color, side): (Color, CastlingSide)| {
        let (_, rook) = fen.board.castling_king_and_rook(color, side)?;
        let file = char::from(b'a' + rook.file());
        Some(if color == Color::White { file.to_ascii_uppercase() } else { file })
    };
    let rights: String = fen.castling.iter().filter_map(letter).collect();
    let text = fen.to_string();
    let fields = text.split(' ').enumerate();
    let fields = fields.map(|(at, field)| if at == 2 && !rights.is_empty() { rights.as_str() } else { field });
    fields.collect::<Vec<_>>().join(" ")
}

/// Returns whether the text has the form of a move in UCI notation: `e2e4`, `e7e8q`, `P@e4`.
#[must_use]
pub fn is_uci_move(text: &str) -> bool {
    let is_square = |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match *text.as_bytes() {
        [role, b'@', file, rank] => b"PNBRQ".contains(&role) && is_square(file, rank),
        [a, b, c, d] => is_square(a, b) && is_square(c, d),
        [a, b, c, d, role] => is_square(a, b) && is_square(c, d) && b"qrbnk".contains(&role),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kibitzer::EventReader;
    use kibitzer::track::GameTracker;
    use proptest::prelude::*;

    use super::*;

    const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0";
    const AFTER_E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0";
    const AFTER_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0";
    const NONE: &str = "none (0:00.000) none";
    const E4: &str = "P/e2-e4 (0:01.500) e4";
    const E5: &str = "P/e7-e5 (0:02.000) e5";

    /// A board of game 7.
    fn board(squares: &str, relation: i32, number: u32, last: &str) -> String {
        format!("<12> {squares} 7 Me Bob {relation} 3 2 39 39 180000 170000 {number} {last} 0 1 0")
    }

    /// Variant and position of the game of these lines. The first one ends in `KIND match.}`.
    fn position_after(kind: &str, lines: &[&str]) -> (String, SearchPosition) {
        let text = format!("{{Game 7 (Me vs. Bob) {kind} match.}}\n\r{}\n\rfics% ", lines.join("\n\r"));
        let (mut reader, mut tracker, mut input) = (EventReader::default(), GameTracker::default(), text.as_bytes());
        while let Some(event) = reader.next(&mut input) {
            tracker.apply(&event);
        }
        let game = tracker.iter().last().unwrap();
        (game.variant(), SearchPosition::of_game(game))
    }

    #[test]
    fn an_engine_gets_the_moves_or_the_position_that_is_known() {
        let [start, after_e4] = [board(START, 1, 1, NONE), board(AFTER_E4, -1, 1, E4)];
        let after_e5 = board(AFTER_E5, 1, 2, E5);
        let (_, position) = position_after("Creating unrated blitz", &[&start, &after_e4, &after_e5]);
        assert_eq!((position.fen, position.moves), (None, vec!["e2e4".to_owned(), "e7e5".to_owned()]));
        let (_, position) = position_after("Continuing unrated blitz", &[&after_e5]);
        assert_eq!(position.fen.as_deref(), Some("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2"));
    }

    #[test]
    fn an_engine_gets_the_reserves_of_crazyhouse() {
        let [start, after_e4] = [board(START, 1, 1, NONE), board(AFTER_E4, -1, 1, E4)];
        let after_e5 = board(AFTER_E5, 1, 2, E5);
        let lines = [&start, "<b1> game 7 white [] black []", &after_e4, &after_e5];
        let (variant, position) = position_after("Creating unrated crazyhouse", &lines);
        assert_eq!((variant.as_str(), position.moves), ("crazyhouse", vec!["e2e4".to_owned(), "e7e5".to_owned()]));
        let lines = [&after_e5, "<b1> game 7 white [NP] black [Q]"];
        let (_, position) = position_after("Continuing unrated crazyhouse", &lines);
        assert_eq!(position.fen.as_deref(), Some("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[PNq] w KQkq e6 0 2"));
    }

    #[test]
    fn castling_in_chess960_is_the_capture_of_the_own_rook() {
        let before = "bnrkrqbn pppppppp -------- -------- -------- -------- PPPPPPPP BNRKR--- W -1 1 1 1 1 0";
        let after = "bnrkrqbn pppppppp -------- -------- -------- -------- PPPPPPPP BNR--RK- B -1 0 0 1 1 1";
        let boards = [board(before, 1, 1, NONE), board(after, -1, 1, "o-o (0:01.000) O-O")];
        let (variant, position) = position_after("Creating unrated wild/fr", &[&boards[0], &boards[1]]);
        assert_eq!(position.fen.as_deref(), Some("bnrkrqbn/pppppppp/8/8/8/8/PPPPPPPP/BNRKR3 w ECec - 0 1"));
        assert_eq!((position.moves, variant.as_str()), (vec!["d1e1".to_owned()], "chess960"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_position_or_none(
            fen in "[ -~]{0,40}|[kKqQrRpP1-9/]{1,40} [wb] [KQkqAHah-]{1,4} [a-h1-8-]{1,3} 0 1",
            text in any::<String>(),
        ) {
            let position = SearchPosition::new(Some(fen), vec![text.clone()], Color::White);
            let _ = position.chess_board();
            let start = SearchPosition::new(None, vec![text.clone()], Color::White);
            prop_assert!(start.chess_board().is_none() || is_uci_move(&text));
        }
    }
}
