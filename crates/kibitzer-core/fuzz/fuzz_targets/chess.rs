//! Positions and moves: printed ones parse to themselves, and no move panics on any board.
#![no_main]

use kibitzer_core::chess::{CastlingSide, Color, Fen, Hand, LastMove, SanMove, Square};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut fen = Fen::START;
    for line in input.split(|&b| b == b'\n').take(64) {
        if let Ok(read) = String::from_utf8_lossy(line).parse::<Fen>() {
            assert_eq!(read.to_string().parse(), Ok(read));
            check_position(&read);
            fen = read;
        }
        let (word, san) = line.split_at(line.iter().position(|&b| b == b' ').unwrap_or(line.len()));
        play(&mut fen, word, san);
        let _ = Hand::parse(word).map(|hand| assert_eq!(Hand::parse(hand.to_string().as_bytes()), Some(hand)));
        let _ = str::from_utf8(word).ok().and_then(|name| name.parse::<Square>().ok()).map(|square| {
            assert_eq!(square.to_string().as_bytes(), word);
        });
    }
});

/// Calls all queries of a position, and checks that it can be printed and parsed again.
fn check_position(fen: &Fen) {
    assert_eq!(fen.board.to_rows().iter().flatten().filter(|&&b| b != b'-').count(), fen.board.pieces().count());
    for color in [Color::White, Color::Black] {
        let _ = (fen.board.find_king(color), fen.board.material(color));
        let _ = [CastlingSide::Short, CastlingSide::Long].map(|side| fen.board.castling_king_and_rook(color, side));
        for file in 0..=u8::MAX {
            let wire = Fen::from_wire(fen.board, color, fen.castling, Some(file));
            assert_eq!(wire.to_string().parse(), Ok(wire));
        }
    }
}

/// Parses a move in all notations, and plays it for both sides. A move that is rejected leaves the board unchanged.
fn play(fen: &mut Fen, word: &[u8], san: &[u8]) {
    for mover in [Color::White, Color::Black] {
        let smith = LastMove::parse_smith(word, &fen.board);
        let verbose = LastMove::parse_verbose(word, san, mover);
        let algebraic = SanMove::parse(word).and_then(|san| san.to_last_move(&fen.board, mover));
        for last_move in smith.into_iter().chain(verbose).chain(algebraic) {
            let before = fen.board;
            let located = last_move.with_castling_squares(&before, before.find_king(mover), mover);
            let _ = located.to_uci(mover).map(|uci| uci.to_string());
            match fen.board.apply(last_move, mover) {
                Ok(captured) => {
                    let lost = before.pieces().count() + usize::from(matches!(last_move, LastMove::Drop { .. }));
                    assert_eq!(fen.board.pieces().count() + usize::from(captured.is_some()), lost);
                }
                Err(_) => assert_eq!(fen.board, before),
            }
            let _ = fen.board.clone().apply(located, mover);
        }
    }
}
