use super::*;

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
