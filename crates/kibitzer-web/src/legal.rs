//! Legal moves, for viewers who play.

use cozy_chess::Board;
use cozy_chess::util::display_uci_move;
use kibitzer::Style12;

/// Returns the legal moves on a board in UCI notation: a castling as the king's squares, in chess960 as those of king and rook. `None`
/// if the rules of the variant are not known here.
pub(crate) fn legal_moves(board: &Style12, variant: &str) -> Option<Vec<String>> {
    let is_chess960 = variant == "chess960";
    // The server's word for a game of chess may be one of its speeds.
    let is_chess = matches!(variant, "chess" | "blitz" | "lightning" | "standard" | "untimed" | "bullet" | "slow");
    if !is_chess && !is_chess960 {
        return None;
    }
    let board: Board = board.fen().with_counters(0, 1).with_hands(None).to_string().parse().ok()?;
    let mut moves = Vec::new();
    board.generate_moves(|of_a_piece| {
        let text =
            |it: cozy_chess::Move| if is_chess960 { it.to_string() } else { display_uci_move(&board, it).to_string() };
        moves.extend(of_a_piece.into_iter().map(text));
        false
    });
    Some(moves)
}

#[cfg(test)]
mod tests {
    use kibitzer::EventReader;

    use super::*;

    #[test]
    fn castling_is_written_as_the_variant_does() {
        let said = b"<12> r---k--r pppppppp -------- -------- -------- -------- PPPPPPPP R---K--R W -1 1 1 1 1 0 7 Ann Bob 1 3 2 39 \
            39 180 180 1 none (0:00) none 0 0 0\n\r";
        let event = EventReader::default().next(&mut &said[..]).unwrap();
        let board = event.board().unwrap();
        let has = |variant, castling: &str| legal_moves(board, variant).unwrap().iter().any(|it| it == castling);
        assert!(has("chess", "e1g1") && has("chess", "e1c1") && has("chess", "a2a4"));
        assert!(has("chess960", "e1h1") && !has("chess960", "e1g1"));
        assert_eq!(legal_moves(board, "atomic"), None);
    }
}
