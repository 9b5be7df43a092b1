//! The rules, held against every game that was recorded.

use std::collections::HashMap;
use std::sync::Arc;

use super::{MoveCase, Position, Variant};
use crate::testing::{Session, sessions, with_promotion};
use kibitzer_core::chess::Hands;
use kibitzer_core::message::{GameId, Message, Style12};

/// Sessions of variants this server does not play, and of a game with an illegal move.
const OTHER_RULES: [&str; 3] = ["suicide", "wild-and-odd", "illegal-move"];

/// State of one game according to its boards.
#[derive(Default)]
struct Shown {
    last: Option<Arc<Style12>>,
    hands: Option<Hands>,
}

#[derive(Debug, Default)]
struct Checked {
    moves: usize,
    drops: usize,
}

/// Plays the move a board reports on the board before and compares all that follows from the rules.
fn check(session: &Session, before: &Style12, hands: Option<Hands>, now: &Style12) -> bool {
    let variant = match (hands, session.name.contains("bughouse")) {
        (None, _) => Variant::Standard,
        (Some(_), false) => Variant::Crazyhouse,
        (Some(_), true) => Variant::Bughouse,
    };
    let Some(reported) = now.last_move().filter(|_| now.ply() == before.ply() + 1) else { return false };
    let place = || format!("{}: {} {} after {}", session.name, now.game(), reported.text(), before.fen());
    let position = Position::from_fen(variant, &before.fen().with_hands(hands));
    let read = |text: &str| {
        let text = with_promotion(text, reported.played);
        position.parse_typed_move(&text, MoveCase::Sensitive).unwrap_or_else(|e| panic!("{}: {e:?}", place()))
    };
    let played = read(reported.verbose.as_str());
    assert_eq!(Some(played), reported.played, "{}", place());
    // uhlin-fics sometimes omits the disambiguation, the promotion, or the difference between mate and check.
    if session.name.starts_with("fatics") {
        assert_eq!(read(reported.text()), played, "{}", place());
        assert_eq!(position.san(played), reported.text(), "{}", place());
    }
    let after = position.after(played);
    assert_eq!(after.board(), now.board(), "{}", place());
    assert_eq!((after.side_to_move, after.move_number), (now.side_to_move(), now.move_number()), "{}", place());
    // A right whose rook was taken stays in the boards of uhlin-fics.
    assert_eq!(after.castling, now.castling().plausible_on(&now.board()), "{}", place());
    true
}

fn check_session(session: &Session, checked: &mut Checked) {
    let mut games: HashMap<GameId, Shown> = HashMap::new();
    for message in session.events.iter().filter_map(|event| event.message()) {
        match message {
            Message::Holding(holding) => {
                let game = games.entry(holding.game).or_default();
                game.hands = Some(Hands { white: holding.white, black: holding.black });
            }
            Message::Style12(board) if !board.relation().is_isolated() => {
                let game = games.entry(board.game()).or_default();
                if game.last.as_ref().is_some_and(|last| check(session, last, game.hands, board)) {
                    checked.moves += 1;
                    checked.drops += usize::from(board.last_move().unwrap().text().contains('@'));
                }
                if board.last_move().is_none() {
                    game.hands = None;
                }
                game.last = Some(Arc::clone(board));
            }
            _ => {}
        }
    }
}

#[test]
fn every_recorded_move_is_legal_and_leads_to_the_next_board() {
    let mut checked = Checked::default();
    for session in sessions().filter(|session| !OTHER_RULES.iter().any(|other| session.name.contains(other))) {
        check_session(&session, &mut checked);
    }
    assert!(checked.moves > 4000 && checked.drops > 100, "{checked:?}");
}
