//! Legal moves, for programs in which people play.

use cozy_chess::util::{display_san_move, display_uci_move};
use cozy_chess::{BitBoard, Board, Move, Rank, get_between_rays};
use kibitzer_core::chess::{Hand, Hands, Role};
use kibitzer_core::message::Style12;

/// A legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegalMove {
    /// In UCI notation: a castling as the king's squares, in chess960 as those of king and rook; a drop as `N@f3`.
    pub uci: String,
    /// In standard algebraic notation, without marks of check and mate, which servers do not need.
    pub san: String,
}

/// Returns the legal moves on a board. `None` if the rules of the variant are not known here, and in a variant with drops if the
/// reserves are not known.
pub fn legal_moves(board: &Style12, variant: &str, hands: Option<Hands>) -> Option<Vec<LegalMove>> {
    let has_drops = matches!(variant, "crazyhouse" | "bughouse");
    let is_chess960 = variant == "chess960";
    // The server's word for a game of chess may be one of its speeds.
    let is_chess = matches!(variant, "chess" | "blitz" | "lightning" | "standard" | "untimed" | "bullet" | "slow");
    if !is_chess && !is_chess960 && !has_drops {
        return None;
    }
    let hand = if has_drops { Some(*hands?.of(board.side_to_move())) } else { None };
    let board: Board = board.fen().with_counters(0, 1).with_hands(None).to_string().parse().ok()?;
    let in_words = |played| {
        let san = display_san_move(&board, played).to_string();
        let uci = if is_chess960 { Move::to_string(&played) } else { display_uci_move(&board, played).to_string() };
        LegalMove { uci, san: san.trim_end_matches(['+', '#']).to_owned() }
    };
    let mut moves: Vec<_> = chess_moves(&board).into_iter().map(in_words).collect();
    let drops = hand.into_iter().flat_map(|hand| legal_drops(&board, hand));
    moves.extend(drops.map(|drop| LegalMove { san: drop.clone(), uci: drop }));
    Some(moves)
}

/// Returns the legal moves of chess, castling as the capture of the own rook.
///
/// Other crates call this rather than the generator of moves: each unit of code that calls it gets a copy of its table, 700 KB.
pub fn chess_moves(board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves(|of_a_piece| {
        moves.extend(of_a_piece);
        false
    });
    moves
}

/// Returns the legal drops: on empty squares; in check, between the king and the only piece that attacks it from afar.
fn legal_drops(board: &Board, hand: Hand) -> Vec<String> {
    let king = board.king(board.side_to_move());
    let is_between = |free, attacker| free & get_between_rays(king, attacker);
    let free = board.checkers().iter().fold(!board.occupied(), is_between);
    let ends = Rank::First.bitboard() | Rank::Eighth.bitboard();
    let roles = Role::ALL.into_iter().filter(|role| hand.count(*role) > 0);
    let squares = |role| free - if role == Role::Pawn { ends } else { BitBoard::EMPTY };
    roles.flat_map(|role| squares(role).iter().map(move |to| format!("{}@{to}", role.letter()))).collect()
}

#[cfg(test)]
mod tests {
    use kibitzer_core::{Event, EventReader};

    use super::*;

    /// Returns the board that a server sends, with White to move.
    fn event(ranks: &str) -> Event {
        let said = format!("<12> {ranks} W -1 1 1 1 1 0 7 Ann Bob 1 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r");
        EventReader::default().next(&mut said.as_bytes()).unwrap()
    }

    #[test]
    fn castling_is_written_as_the_variant_does() {
        let event = event("r---k--r pppppppp -------- -------- -------- -------- PPPPPPPP R---K--R");
        let board = event.board().unwrap();
        let has =
            |variant, castling: &str| legal_moves(board, variant, None).unwrap().iter().any(|it| it.uci == castling);
        assert!(has("chess", "e1g1") && has("chess", "e1c1") && has("chess", "a2a4"));
        assert!(has("chess960", "e1h1") && !has("chess960", "e1g1"));
        assert_eq!(legal_moves(board, "atomic", None), None);
        assert_eq!(legal_moves(board, "crazyhouse", None), None);
    }

    #[test]
    fn moves_are_written_as_short_as_possible_and_without_marks() {
        let event = event("-----k-- P------- -------- -------- -------- -------- ----R--- R---K--R");
        let moves = legal_moves(event.board().unwrap(), "chess", None).unwrap();
        let sans: Vec<_> = moves.iter().map(|it| it.san.as_str()).collect();
        for san in ["O-O", "O-O-O", "a8=Q", "a8=N", "Rf1", "Re8", "Raa2", "Kd2"] {
            assert!(sans.contains(&san), "{san}: {sans:?}");
        }
    }

    #[test]
    fn drops_are_on_empty_squares_and_end_a_check() {
        let hands = Hands { white: Hand::parse(b"PPN").unwrap(), black: Hand::parse(b"Q").unwrap() };
        let drops = |ranks, variant| {
            let moves = legal_moves(event(ranks).board().unwrap(), variant, Some(hands)).unwrap();
            moves.into_iter().map(|it| it.uci).filter(|it| it.contains('@')).collect::<Vec<_>>()
        };
        let quiet = "----k--- -------- -------- -------- -------- -------- -------- ----K---";
        assert_eq!(drops(quiet, "crazyhouse").len(), 48 + 62);
        assert_eq!(drops(quiet, "bughouse").len(), 48 + 62);
        assert_eq!(drops(quiet, "chess"), [""; 0]);
        let from_afar = "----k--- -------- -------- ----r--- -------- -------- -------- ----K---";
        assert_eq!(drops(from_afar, "crazyhouse"), ["P@e2", "P@e3", "P@e4", "N@e2", "N@e3", "N@e4"]);
        let by_a_knight = "----k--- -------- -------- -------- -------- ---n---- -------- ----K---";
        assert_eq!(drops(by_a_knight, "crazyhouse"), [""; 0]);
        let by_two = "----k--- -------- -------- ----r--- -------- ---n---- -------- ----K---";
        assert_eq!(drops(by_two, "crazyhouse"), [""; 0]);
    }
}
