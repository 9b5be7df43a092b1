//! Bytes to events and game state: regardless of the boundaries of reads, and within limits.
#![no_main]

use kibitzer_core::MessageReader;
use kibitzer_core::game::{Game, GameLimits, Games};
use kibitzer_core::wire::Framer;
use kibitzer_core::{Event, EventReader};
use kibitzer_core_fuzz::Setup;
use libfuzzer_sys::fuzz_target;

/// Limits that short inputs reach.
const GAMES: usize = 3;
const MOVES: usize = 4;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::parse(input) else { return };
    let (whole, games) = run(&setup, [setup.stream]);
    let (cut, games_of_cut) = run(&setup, setup.reads());
    assert_eq!(cut, whole);
    assert_eq!(format!("{games_of_cut:?}"), format!("{games:?}"));
    for game in &games {
        check_moves(game, &whole);
    }
    check_limits(&setup);
});

/// Reads a stream; returns its events, and the games at its end.
fn run<'a>(setup: &Setup<'_>, reads: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Games) {
    let mut reader = reader(setup);
    let mut events = Vec::new();
    for mut read in reads {
        while let Some(event) = reader.next(&mut read) {
            events.push(event);
        }
        assert!(read.is_empty(), "bytes were left without an event");
    }
    while let Some(event) = reader.finish() {
        events.push(event);
    }
    (events, reader.games().clone())
}

fn reader(setup: &Setup<'_>) -> EventReader {
    let mut framer = Framer::new().with_limits(setup.limits.to_limits()).with_timeseal(setup.timeseal);
    if !setup.wraps {
        framer.disable_line_joining();
    }
    EventReader::new(MessageReader::new(framer, setup.family))
}

/// Checks that the moves of a game lead from its base to its position in plies, and without a desync also in boards.
fn check_moves(game: &Game, events: &[Event]) {
    // Plies are counted from move numbers, and those start at 1.
    if game.base().move_number() == 0 {
        return;
    }
    let first = game.position().ply() - game.moves().len() as u32;
    assert_eq!(game.base().ply(), first, "{game:?}");
    if game.kind().is_some_and(|kind| kind.contains("atomic")) {
        return;
    }
    if events.iter().any(|event| matches!(event, Event::Desync(desync) if desync.game == game.id())) {
        return;
    }
    let (mut board, mut mover) = (game.base().board(), game.base().side_to_move());
    for played in game.moves() {
        // A hidden move cannot be played, and in atomic chess, which this may be, a capture removes more than one piece.
        let Ok(None) = board.apply(played.played(), mover) else { return };
        mover = !mover;
    }
    assert_eq!(board, game.position().board(), "{game:?}");
}

/// Checks the limits of games and moves after every event.
fn check_limits(setup: &Setup<'_>) {
    let mut reader = reader(setup).with_game_limits(GameLimits::default().games(GAMES).moves(MOVES));
    let mut rest = setup.stream;
    while reader.next(&mut rest).or_else(|| reader.finish()).is_some() {
        let games = reader.games();
        assert!(games.iter().count() <= GAMES && games.iter().all(|game| game.moves().len() <= MOVES), "{games:?}");
    }
}
