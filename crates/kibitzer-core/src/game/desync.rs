//! Contradictions between a message and the state of a game.

use std::sync::Arc;

use thiserror::Error;

use super::{Game, Games, play};
use crate::chess::{Fen, Square};
use crate::message::{DerivedMove, GameId, Style12};

/// Contradiction between a message of the server and the known state of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Desync {
    /// Position of the contradicting frame in the stream, in bytes.
    pub offset: u64,
    /// Number of the game.
    pub game: GameId,
    /// Kind of the contradiction.
    pub reason: DesyncReason,
    /// The expected position, without reserves: the one after the reported move if that can be played; after a takeback, the
    /// known one of that ply; otherwise the last known one. `None` if the position before the message is not known.
    pub expected: Option<Arc<Fen>>,
    /// The received position, without reserves; `None` if the message was a move without a board, and without an expected
    /// position.
    pub actual: Option<Arc<Fen>>,
}

impl Desync {
    /// Returns the squares on which the expected and the received position differ; `None` without a received position.
    pub fn differing_squares(&self) -> Option<Vec<Square>> {
        let (expected, actual) = (self.expected.as_ref()?.board, self.actual.as_ref()?.board);
        Some(Square::all().filter(|square| expected.piece(*square) != actual.piece(*square)).collect())
    }
}

impl Games {
    /// Creates the report of a contradiction that was just found at the stream position `offset`; `replaced` is the position that
    /// the message replaced.
    pub(crate) fn desync(
        &self,
        offset: u64,
        game: GameId,
        reason: DesyncReason,
        replaced: Option<&Arc<Style12>>,
    ) -> Desync {
        let (expected, actual) = match (reason, replaced, self.get(game).map(Game::position)) {
            (DesyncReason::WrongBoard, Some(before), Some(position)) => {
                let expected = position_after_reported_move(before, position);
                (Some(expected.as_ref().unwrap_or(before).fen()), Some(position.fen()))
            }
            (DesyncReason::WrongPly { .. } | DesyncReason::WrongMove, _, Some(position)) => {
                (Some(position.fen()), None)
            }
            _ => (None, None),
        };
        Desync { offset, game, reason, expected: expected.map(Arc::new), actual: actual.map(Arc::new) }
    }
}

/// Returns the position after playing the last move of `received` on `before`; `None` if `received` is not one ply later, or its
/// last move does not fit `before`.
fn position_after_reported_move(before: &Arc<Style12>, received: &Style12) -> Option<Arc<Style12>> {
    let mover = before.side_to_move();
    if Some(received.ply()) != before.ply().checked_add(1) {
        return None;
    }
    let played = received.played()?.with_castling_squares(&before.board(), received.board().find_king(mover), mover);
    let mut position = Arc::clone(before);
    let reported = DerivedMove { played, san: b"", elapsed_ms: None };
    play::play_on_position(&mut position, reported, before.clock(mover)).ok()?;
    Some(position)
}

/// Kind of contradiction between a message and the known state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DesyncReason {
    /// A delta board, or an ICC datagram with a move or position, arrived for a game without a known board.
    #[error("delta board of a game without a board")]
    NoBoard,
    /// A delta board neither follows the last known ply nor returns to a known one, or a takeback or step back reported by ICC
    /// goes further back than the known moves.
    #[error("delta board for ply {found} after ply {known}")]
    WrongPly {
        /// The last ply known.
        known: u32,
        /// The ply of the delta board, or that after the takeback or step back.
        found: u32,
    },
    /// The move of a delta board or ICC datagram cannot be read, does not fit the last known board, or may be that of the other
    /// side.
    #[error("delta board's move does not fit the board")]
    WrongMove,
    /// A move, takeback or step back follows an earlier desync. The current board is unknown until the server sends it.
    #[error("board is not known since an earlier desync")]
    OutOfStep,
    /// The received board, which replaces the known one, is not the one that the reported move leads to; after a takeback, not
    /// the known board of its ply.
    #[error("board is not what the reported move leads to")]
    WrongBoard,
}

impl DesyncReason {
    /// Returns whether the current board is unknown until the server sends it: for every reason but
    /// [`WrongBoard`](Self::WrongBoard).
    pub const fn needs_board(self) -> bool {
        !matches!(self, Self::WrongBoard)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, EventReader};

    const START: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 A B 0 5 0 39 39 \
        300 300 1 none (0:00) none 0";
    const E4: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 A B 0 5 0 39 39 \
        299 300 1 P/e2-e4 (0:01) e4 0";
    const E5: &str = "<12> rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0 7 A B 0 5 0 39 39 \
        299 299 2 P/e7-e5 (0:01) e5 0";
    const BEFORE_CASTLING: &str = "<12> r---k--r -------- -------- -------- -------- -------- -------- R---K--R W -1 1 1 1 1 3 7 A B 0 \
        5 0 9 9 99 99 9 K/e7-e8 (0:01) Ke8 0";

    /// Expected position, received position and differing squares of the desync that the lines end in.
    fn desync(lines: &[&str]) -> (Option<String>, Option<String>, Option<String>) {
        let (mut reader, stream) = (EventReader::default(), lines.join("\n\r").replace('^', "\x19") + "\n\r");
        let mut input = stream.as_bytes();
        let events = std::iter::from_fn(|| reader.next(&mut input).or_else(|| reader.finish()));
        let last =
            events.filter_map(|event| if let Event::Desync(desync) = event { Some(desync) } else { None }).last();
        let desync = last.unwrap_or_else(|| panic!("no desync: {stream}"));
        let squares = desync
            .differing_squares()
            .map(|squares| squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        let [expected, actual] = [desync.expected, desync.actual].map(|fen| fen.map(|fen| fen.to_string()));
        (expected, actual, squares)
    }

    #[test]
    fn the_received_position_is_compared_with_the_one_after_the_reported_move() {
        let other_pawn = E4.replace("----P---", "---P----").replace("PPPP-PPP", "PPP-PPPP");
        let unplayable = E4.replace("P/e2-e4 (0:01) e4", "P/e3-e4 (0:01) e4");
        let again = E4.replace("RNBQKBNR", "-NBQKBNR");
        let castled = BEFORE_CASTLING
            .replace("R---K--R W -1 1 1 1 1 3", "R----KR- B -1 0 0 1 1 4")
            .replace("K/e7-e8 (0:01) Ke8", "o-o (0:01) O-O");
        let taken_back = other_pawn.replace("P/e2-e4 (0:01) e4", "P/d2-d4 (0:01) d4");
        let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let cases = [
            (vec![START, &other_pawn], after_e4, "d2 e2 d4 e4"),
            (vec![START, &unplayable], start, "e2 e4"),
            (vec![START, E4, &again], after_e4, "a1"),
            (vec![START, E4, E5, &taken_back], after_e4, "d2 e2 d4 e4"),
            (vec![BEFORE_CASTLING, &castled], "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9", "f1 g1"),
        ];
        for (lines, expected, squares) in cases {
            let (found, actual, differing) = desync(&lines);
            assert_eq!((found.as_deref(), differing.as_deref()), (Some(expected), Some(squares)), "{lines:?}");
            assert!(actual.is_some_and(|actual| actual != expected), "{lines:?}");
        }
    }

    #[test]
    fn a_position_of_icc_is_compared_with_the_known_one() {
        let observed = "^(18 7 A B 0 Blitz 1 5 0 5 0 1 {} 1500 1500 1 {} {} 0 0 0 {} 0^)";
        let position = "^(101 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9} 0^)";
        let (expected, actual, squares) = desync(&[observed, START, E4, position]);
        assert_eq!(expected.as_deref(), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"));
        assert_eq!(actual.as_deref(), Some("8/8/8/8/8/8/8/K1k5 w - - 3 9"));
        assert_eq!(squares.map(|squares| squares.split(' ').count()), Some(32));
    }

    #[test]
    fn a_move_without_a_board_has_the_last_known_position_only() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        for delta in ["<d1> 7 1 e4 e3e4 1 1", "<d1> 7 9 e4 e2e4 1 1"] {
            assert_eq!(desync(&[START, delta]), (Some(start.clone()), None, None), "{delta}");
        }
        assert_eq!(desync(&["<d1> 7 1 e4 e2e4 1 1"]), (None, None, None), "no position is known");
    }
}
