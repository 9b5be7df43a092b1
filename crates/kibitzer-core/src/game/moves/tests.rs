use proptest::prelude::*;

use super::*;
use crate::chess::CastlingSide;
use crate::text::decode_received;

const START: &[u8] = b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 3 7 \
        Newton Einstein 1 2 12 39 39 119 122 1 none (0:00) none 0 0 0";

/// A move that may or may not be possible: role of a drop or promotion, squares; castling if the squares are equal.
fn any_move() -> impl Strategy<Value = (usize, usize, usize)> {
    (0..8_usize, 0..64_usize, 0..64_usize)
}

fn move_on(position: &Style12, (role, from, to): (usize, usize, usize)) -> Option<LastMove> {
    let [from, to] = [from, to].map(|index| Square::all().nth(index).unwrap());
    let role = Role::ALL.get(role).copied();
    let mover = position.side_to_move();
    if from == to {
        let castle = LastMove::Castle {
            side: if from.file() < 4 { CastlingSide::Long } else { CastlingSide::Short },
            king_from: None,
            rook_from: None,
        };
        return Some(castle.with_castling_squares(&position.board(), None, mover));
    }
    match position.board().piece(from) {
        Some(piece) if piece.color == mover => {
            let promotion = role.filter(|_| piece.role == Role::Pawn && to.rank() == mover.last_rank());
            Some(LastMove::Normal { role: piece.role, from, to, promotion })
        }
        Some(_) => None,
        None => Some(LastMove::Drop { role: role?, to }),
    }
}

proptest! {
    #[test]
    fn a_takeback_leads_to_the_position_that_was_there(tried in prop::collection::vec(any_move(), 0..500)) {
        let mut positions = vec![Arc::new(Style12::parse(START).unwrap())];
        let mut moves = KnownMoves::from_base(Arc::clone(&positions[0]), usize::MAX);
        for (index, tried) in tried.into_iter().enumerate() {
            let before = positions.last().unwrap();
            let Some(played) = move_on(before, tried) else { continue };
            let san = ["e4", "exd8=Q+", "exd8=Q+ e.p.", "na\u{ef}ve", "&#x263a;", ""][index % 6];
            let elapsed_ms = [Some(4000), None, Some(u32::MAX)][index % 3];
            let clock = ClockReading::from_ms([60_000, -1, i64::MAX][index % 3]);
            let san = encode_as_received(san);
            let last_move = DerivedMove { played, san: &san, elapsed_ms };
            let mut after = Arc::clone(before);
            let Ok(removed) = play::play_on_position(&mut after, last_move, clock) else { continue };
            moves.played.push(PlayedMove::new((before.side_to_move(), before.castling()), played, removed, &after));
            let last = moves.played.last().unwrap();
            let want = Some(decode_received(&san)).filter(|san| !san.is_empty());
            prop_assert_eq!((last.pretty(), last.elapsed_ms(), last.clock()), (want.as_deref(), elapsed_ms, clock));
            positions.push(after);
        }
        let last = positions.last().unwrap();
        for (ply, position) in (0..).zip(&positions) {
            let found = moves.position_at(ply, last);
            prop_assert_eq!(found.as_ref(), Some(&**position), "ply {}", ply);
        }
        prop_assert_eq!(moves.position_at(last.ply() + 1, last), None);
    }
}

#[test]
fn a_usual_move_has_24_bytes() {
    assert_eq!(size_of::<PlayedMove>(), 24);
}
