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

fn board(fields: &str) -> Style12 {
    let line = format!(
        "<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 N E {fields} K/e1-e2 (0:06) Ke2 0"
    );
    Style12::parse(line.as_bytes()).unwrap()
}

#[test]
fn thinking_times_fit_the_clock() {
    let mut random = Rng::with_seed(5);
    for fields in ["1 2 12 39 39 119 122 2", "1 1 0 39 39 30 3 40", "1 90 30 39 39 5000 5000 30", "1 0 1 39 39 10 1 2"]
    {
        let board = board(fields);
        let left = board.black_clock().remaining().unwrap();
        for _ in 0..200 {
            let thought = thinking_time(&board, &mut random);
            assert!(thought <= left / 6 && thought >= QUICKEST.min(left / 6), "{fields}: {thought:?}");
        }
    }
    assert_eq!(thinking_time(&board("1 1 0 39 39 30 -2 40"), &mut random), QUICKEST);
}

#[test]
fn a_player_far_behind_resigns_and_an_even_one_does_not() {
    let mut random = Rng::with_seed(5);
    let mut resigns =
        |fields: &str| (0..300).any(|_| choose_turn_action(&board(fields), &mut random) == TurnAction::Resign);
    assert!(resigns("1 3 0 39 25 119 122 30"));
    assert!(!resigns("1 3 0 39 39 119 122 30"));
    assert!(!resigns("1 3 0 25 39 119 122 30"));
}

#[test]
fn a_draw_is_accepted_by_a_player_without_an_advantage() {
    assert!(accepts_draw(&board("1 3 0 39 39 119 122 30")));
    assert!(!accepts_draw(&board("1 3 0 39 39 119 122 3")));
    assert!(!accepts_draw(&board("1 3 0 30 39 119 122 30")));
    assert!(accepts_draw(&board("-1 3 0 30 39 119 122 30")));
}
