//! ICC's datagrams: any arguments are parsed, printed and parsed again; a session of datagrams keeps its games bounded and
//! consistent, regardless of the boundaries of reads.
#![no_main]

use kibitzer_core::MessageReader;
use kibitzer_core::game::{GameLimits, Games};
use kibitzer_core::message::{Datagram, Family};
use kibitzer_core::wire::{FrameKind, Framer};
use kibitzer_core::{Event, EventReader};
use libfuzzer_sys::fuzz_target;

/// Limits that short inputs reach.
const GAMES: usize = 3;
const MOVES: usize = 4;

fuzz_target!(|input: &[u8]| {
    let units: Vec<Vec<u8>> = input.split(|&b| b == b'\n').take(64).map(unit).collect();
    for unit in &units {
        check_round_trip(unit);
    }
    let stream = units.concat();
    let (whole, games) = run(&stream, stream.len().max(1));
    let (cut, games_of_cut) = run(&stream, 3);
    assert_eq!(cut, whole);
    assert_eq!(format!("{games_of_cut:?}"), format!("{games:?}"));
    check_games(&games);
});

/// Encloses a line that starts with a digit in the brackets of a unit; returns any other with a line end, as text between units.
fn unit(line: &[u8]) -> Vec<u8> {
    match line.first() {
        Some(b'0'..=b'9') => [b"\x19(", line, b"\x19)"].concat(),
        _ => [line, b"\r\n"].concat(),
    }
}

/// Checks that a datagram parses to itself after it is printed.
fn check_round_trip(unit: &[u8]) {
    let Some(read) = first_datagram(unit) else { return };
    let mut printed = Vec::new();
    read.write(&mut printed);
    // Text that looks like an entity once it is printed, telnet's escape, and the marks themselves cannot be parsed again.
    let is_exact = read.fields.iter().all(|field| !field.as_str().contains(['&', '\u{19}', '\u{1a}', '\u{ff}']));
    if is_exact {
        assert_eq!(first_datagram(&printed), Some(read));
    }
}

/// Returns the first datagram of a stream; `None` if it cannot be parsed.
fn first_datagram(mut stream: &[u8]) -> Option<Datagram> {
    let mut framer = Framer::new();
    while let Some(frame) = framer.next_frame(&mut stream) {
        if let FrameKind::Datagram { bytes } = frame.kind {
            return Datagram::parse(bytes);
        }
    }
    None
}

/// Reads a stream in reads of this size; returns its events, and the games at its end.
fn run(stream: &[u8], size: usize) -> (Vec<Event>, Games) {
    let limits = GameLimits::default().games(GAMES).moves(MOVES);
    let mut reader = EventReader::new(MessageReader::new(Framer::new(), Family::Icc)).with_game_limits(limits);
    let mut events = Vec::new();
    for mut read in stream.chunks(size) {
        while let Some(event) = reader.next(&mut read) {
            events.push(event);
        }
    }
    while let Some(event) = reader.finish() {
        events.push(event);
    }
    (events, reader.games().clone())
}

/// Checks the limits of games and moves, and that plies are counted without gaps.
fn check_games(games: &Games) {
    assert!(games.iter().count() <= GAMES, "{games:?}");
    for game in games {
        assert!(game.moves().len() <= MOVES, "{game:?}");
        if game.base().move_number() == 0 {
            continue;
        }
        let first = game.position().ply() - game.moves().len() as u32;
        assert_eq!(game.base().ply(), first, "{game:?}");
    }
}
