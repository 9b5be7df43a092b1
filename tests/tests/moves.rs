//! The moves of recorded games of chess, judged by a chess library of other people and by our own board.

use std::collections::HashMap;
use std::sync::Arc;

use cozy_chess::{Board as Rules, Move};
use kibitzer_core::chess::{LastMove, SanMove};
use kibitzer_core::message::{GameId, Message, Relation, Style12};
use kibitzer_tests::Transcript;

/// Sets with games that are not chess as these rules have it, or that start from other boards.
const VARIANTS: [&str; 8] =
    ["bughouse", "crazyhouse", "suicide", "chess960", "wild", "multi-euwe", "multi-flohr", "multi-observer"];

/// Where the server writes `Re8` for a move that either rook can make: it takes a pinned piece for one that cannot move, even along
/// the line of the pin.
const AMBIGUOUS: &str = "2kr2R1/1ppnr2p/8/p3P3/1P3bQ1/P7/4NPBP/RN2K2R";

// Rules: bugs 30, bugs 31, style12 V1, style12 V2, style12 V4
#[test]
fn every_reported_move_is_legal_and_leads_to_the_next_board() {
    let (mut n_moves, mut n_castlings, mut n_promotions) = (0, 0, 0);
    let of_chess = |transcript: &Transcript| !VARIANTS.iter().any(|variant| transcript.name.contains(variant));
    for transcript in Transcript::all().iter().filter(|transcript| of_chess(transcript)) {
        let mut last: HashMap<GameId, Arc<Style12>> = HashMap::new();
        for event in transcript.events() {
            let Some(Message::Style12(board)) = event.message() else { continue };
            if !is_played(board) {
                continue;
            }
            let before = last.insert(board.game(), Arc::clone(board));
            let is_legal = event.is_irregular_move() != Some(true);
            if let Some(before) = before.filter(|before| follows(before, board) && is_legal) {
                check(&format!("{} at {}", transcript.name, event.offset().unwrap_or_default()), &before, board);
                n_moves += 1;
                match board.played() {
                    Some(LastMove::Castle { .. }) => n_castlings += 1,
                    Some(LastMove::Normal { promotion: Some(_), .. }) => n_promotions += 1,
                    _ => {}
                }
            }
        }
    }
    assert!(n_moves > 2400, "only {n_moves} moves were checked");
    assert!(n_castlings > 40 && n_promotions > 10, "only {n_castlings} castlings and {n_promotions} promotions");
}

fn is_played(board: &Style12) -> bool {
    matches!(board.relation(), Relation::Observing | Relation::MyTurn | Relation::OpponentsTurn)
}

/// Whether `after` is the next board of the same game: one ply on, by the other side.
fn follows(before: &Style12, after: &Style12) -> bool {
    let same_players = before.white() == after.white() && before.black() == after.black();
    same_players && after.ply() == before.ply() + 1 && after.last_move().is_some()
}

fn check(place: &str, before: &Style12, after: &Style12) {
    let mover = before.side_to_move();
    let reported = after.last_move().unwrap();
    let played = reported.played.unwrap_or_else(|| panic!("{place}: {} is not understood", reported.verbose));

    let mut ours = before.board();
    ours.apply(played, mover).unwrap_or_else(|error| panic!("{place}: {}: {error}", reported.verbose));
    assert_eq!(ours, after.board(), "{place}: {}", reported.verbose);
    // What is told of it in algebraic notation is enough to find it.
    if let Some(san) = &reported.san {
        let found = SanMove::parse(san.as_str().as_bytes()).and_then(|san| san.to_last_move(&before.board(), mover));
        let is_told = placement(&before.fen().to_string()) != AMBIGUOUS;
        assert_eq!(
            found,
            is_told.then_some(played.with_castling_squares(&before.board(), None, mover)),
            "{place}: {san}"
        );
    }

    let mut theirs = rules(before).unwrap_or_else(|| panic!("{place}: not a legal position: {}", before.fen()));
    let uci = match played {
        LastMove::Castle { .. } => king_takes_rook(&played.to_uci(mover).unwrap().to_string()),
        other => other.to_uci(mover).unwrap().to_string(),
    };
    let legal = uci.parse::<Move>().unwrap();
    theirs.try_play(legal).unwrap_or_else(|_| panic!("{place}: {uci} is not legal in {}", before.fen()));
    assert_eq!(placement(&theirs.to_string()), placement(&after.fen().to_string()), "{place}: {uci}");
    assert_eq!(theirs.side_to_move() == cozy_chess::Color::White, after.fen().to_string().contains(" w "), "{place}");
}

/// Castling as that library writes it.
fn king_takes_rook(uci: &str) -> String {
    uci.replace("g1", "h1").replace("c1", "a1").replace("g8", "h8").replace("c8", "a8")
}

/// The position. An en passant square that no pawn can use is none to that library.
fn rules(board: &Style12) -> Option<Rules> {
    let fen = board.fen().with_counters(0, 1).to_string();
    let without_en_passant = || {
        let mut fields: Vec<&str> = fen.split(' ').collect();
        fields[3] = "-";
        Rules::from_fen(&fields.join(" "), false).ok()
    };
    Rules::from_fen(&fen, false).ok().or_else(without_en_passant)
}

fn placement(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or_default()
}
