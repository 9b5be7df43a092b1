//! The tracker of own games over whole recorded sessions.

use std::collections::BTreeSet;

use kibitzer_bot::GameTracker;
use kibitzer_bot::tracker::{StepKind, TrackedRelation, TrackedState};
use kibitzer_core::Event;
use kibitzer_core::game::ChangeKind;
use kibitzer_tests::Transcript;

#[test]
fn the_tracked_moves_of_every_recorded_game_lead_to_its_position() {
    let (mut n_games, mut n_steps) = (0, 0);
    for transcript in Transcript::all() {
        let mut tracker = GameTracker::new(TrackedRelation::All);
        for event in transcript.events() {
            for step in tracker.apply(&event) {
                let game = tracker.get(step.game).unwrap();
                let place = format!("{} at {}: {:?}", transcript.name, event.offset(), step.kind);
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
        let mut tracker = GameTracker::new(TrackedRelation::All);
        let mut ended = BTreeSet::new();
        for event in transcript.events() {
            let steps = tracker.apply(&event);
            let is_end =
                event.change().is_some_and(|change| change.kind == ChangeKind::Ended && !change.relation.is_examined());
            if is_end {
                let kinds: Vec<_> = steps.iter().map(|step| step.kind).collect();
                assert!(matches!(kinds[..], [StepKind::Ended | StepKind::Adjourned]), "{}: {kinds:?}", transcript.name);
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
    assert!(kinds.contains(&StepKind::Resumed), "{kinds:?}");
    for game in tracker.iter() {
        assert!(!game.has_missing_moves(), "{:?}", game.position());
    }
}
