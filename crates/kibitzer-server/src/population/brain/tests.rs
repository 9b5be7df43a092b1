use kibitzer_core::chess::Fen;

use super::*;
use crate::chess::Variant;

fn found(variant: Variant, fen: &str) -> String {
    let position = Position::from_fen(variant, &fen.parse::<Fen>().unwrap());
    position.san(choose_move(&position, &mut Rng::with_seed(1)).unwrap())
}

#[test]
fn hanging_pieces_are_captured_and_mates_are_played() {
    let cases = [
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "exd5"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "Ra8#"),
        // The pawn is defended: the queen does not take it.
        ("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", ""),
    ];
    for (fen, want) in cases {
        let san = found(Variant::Standard, fen);
        assert!(if want.is_empty() { san != "Qxd6" } else { san == want }, "{fen}: {san}");
    }
    let dropped = found(Variant::Crazyhouse, "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1");
    assert!(dropped.starts_with("R@") && dropped.ends_with("8#"), "{dropped}");
}

#[test]
fn a_piece_that_is_attacked_moves_away() {
    let san = found(Variant::Standard, "4k3/8/8/8/2p5/3Q4/8/4K3 w - - 0 1");
    assert!(san.starts_with('Q'), "{san}");
}

#[test]
fn games_end() {
    let mut random = Rng::with_seed(7);
    let n_mates = (0..40)
        .filter(|_| {
            let mut position = Position::start(Variant::Standard);
            for _ in 0..300 {
                if let Some(end) = position.termination() {
                    return end == GameEndReason::Mate;
                }
                position = position.after(choose_move(&position, &mut random).unwrap());
            }
            false
        })
        .count();
    assert!(n_mates >= 10, "{n_mates} of 40");
}
