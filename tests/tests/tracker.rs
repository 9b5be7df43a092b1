//! The tracker of own games over whole recorded sessions.

use std::collections::BTreeSet;

use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{GameTracker, TrackedChangeKind, TrackedState};
use kibitzer_bot::engine::SearchPosition;
use kibitzer_core::Event;
use kibitzer_core::game::ChangeKind;
use kibitzer_tests::{Transcript, events_of};
use proptest::prelude::*;

#[test]
fn the_tracked_moves_of_every_recorded_game_lead_to_its_position() {
    let (mut n_games, mut n_steps) = (0, 0);
    for transcript in Transcript::all() {
        let mut tracker = GameTracker::new().with_observed();
        for event in transcript.events() {
            for step in tracker.apply(&event) {
                let game = tracker.get(step.game).unwrap();
                let place = format!("{} at {}: {:?}", transcript.name, event.offset().unwrap_or_default(), step.kind);
                let line = game.line();
                let last = line.start_ply() + u32::try_from(line.moves.len()).unwrap();
                assert_eq!(last, game.position().ply(), "{place}");
                if !game.variant().eq("atomic") {
                    assert_eq!(line.final_board().unwrap(), game.position().board(), "{place}");
                }
                n_steps += 1;
            }
        }
        n_games += tracker.iter().count();
    }
    assert!(n_games > 100 && n_steps > 2000, "{n_games} games, {n_steps} steps");
}

#[test]
fn every_recorded_end_of_a_followed_game_ends_its_tracked_game() {
    for transcript in Transcript::all() {
        let mut tracker = GameTracker::new().with_observed();
        let mut ended = BTreeSet::new();
        for event in transcript.events() {
            let steps = tracker.apply(&event);
            let is_end =
                event.change().is_some_and(|change| change.kind == ChangeKind::Ended && !change.relation.is_examined());
            if is_end {
                let kinds: Vec<_> = steps.iter().map(|step| step.kind).collect();
                assert!(
                    matches!(kinds[..], [TrackedChangeKind::Ended | TrackedChangeKind::Adjourned]),
                    "{}: {kinds:?}",
                    transcript.name
                );
                ended.extend(steps.iter().map(|step| step.game));
            }
        }
        for game in tracker.iter().filter(|game| game.state() == TrackedState::Over) {
            assert!(ended.contains(&game.key()), "{}", transcript.name);
        }
    }
}

#[test]
fn a_recorded_resumption_continues_the_adjourned_game() {
    let events: Vec<Event> =
        ["uhlinfics-end-adjourn-resumed-Alice"].iter().flat_map(|name| Transcript::named(name).events()).collect();
    let mut tracker = GameTracker::default();
    let kinds: Vec<_> = events.iter().flat_map(|event| tracker.apply(event)).map(|step| step.kind).collect();
    assert!(kinds.contains(&TrackedChangeKind::Resumed), "{kinds:?}");
    for game in tracker.iter() {
        assert!(!game.has_missing_moves(), "{:?}", game.position());
    }
}

#[test]
fn after_an_irregular_move_the_engine_gets_the_position_of_the_server() {
    let mut tracker = GameTracker::default();
    let mut positions = Vec::new();
    for event in Transcript::named("fatics-illegal-move-accepted").events() {
        for step in tracker.apply(&event) {
            let game = tracker.get(step.game).unwrap();
            let fen = SearchPosition::of_game(game).fen;
            assert_eq!(game.has_irregular_move(), fen.is_some(), "{fen:?}");
            assert!(
                fen.iter()
                    .all(|fen| *fen == game.game().fen().to_string() && SearchPosition::of_game(game).moves.is_empty())
            );
            positions.push((game.position().ply(), fen.is_some()));
        }
    }
    let first = positions.iter().find(|(_, is_irregular)| *is_irregular).unwrap();
    assert_eq!(first.0, 11, "6. h3: {positions:?}");
}

/// Lines of games in all recordings: boards, reserves, terms, starts, ends, takebacks.
fn lines_of_games() -> Vec<Vec<u8>> {
    let starts: [&[u8]; 6] = [b"<12>", b"<b1>", b"<g1>", b"{Game ", b"Creating: ", b"Game "];
    let is_of_game = |line: &[u8]| starts.iter().any(|start| line.starts_with(start)) || line.ends_with(b"list.");
    let mut lines = Vec::new();
    for transcript in Transcript::all() {
        let stream = transcript.stream();
        let all = stream.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| is_of_game(line));
        lines.extend(all.take(60).map(<[u8]>::to_vec));
    }
    lines
}

proptest! {
    #[test]
    fn lines_in_any_order_lead_to_games_whose_moves_fit_their_positions(
        picks in prop::collection::vec((0..20_000_usize, 1..8_usize), 1..40),
        cut in 0..60_usize,
    ) {
        static LINES: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
        let lines = LINES.get_or_init(lines_of_games);
        let picked = picks.iter().flat_map(|&(from, n)| lines.iter().cycle().skip(from % lines.len()).take(n));
        let stream: Vec<u8> = picked.flat_map(|line| [line, &b"\n\r"[..]].concat()).collect();
        let mut collector = PgnCollector::new(PgnOrigin::default()).with_observed();
        for (at, event) in events_of(Transcript::named("fatics-game-quick-observer").reader(), [&stream[..]]).iter().enumerate() {
            if at % 64 == cut {
                collector.interrupt_games();
            }
            for step in collector.apply(event, None) {
                let game = collector.tracker().get(step.game).unwrap();
                let line = game.line();
                prop_assert_eq!(line.moves.len(), game.n_moves());
                if !game.variant().contains("atomic") && let Some(board) = line.final_board() {
                    prop_assert_eq!(board, game.position().board());
                }
                prop_assert!(SearchPosition::of_game(game).side_to_move == game.position().side_to_move());
                prop_assert!(!collector.tracker().is_current(game.position_key()) || game.is_my_turn());
                prop_assert!(collector.game(step.game).unwrap().to_string().ends_with('\n'));
            }
        }
    }
}
