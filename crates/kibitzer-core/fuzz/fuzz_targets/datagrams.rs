//! ICC's datagrams: any arguments of any number are read, printed and read again; and a session full of them keeps its games
//! bounded and in step, however its bytes are cut.
#![no_main]

use kibitzer_core::game::{GameLimits, Games};
use kibitzer_core::message::{Datagram, Family, Reader};
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

/// A line of the input that starts with a digit as a unit, any other as a line of text around the units.
fn unit(line: &[u8]) -> Vec<u8> {
    match line.first() {
        Some(b'0'..=b'9') => [b"\x19(", line, b"\x19)"].concat(),
        _ => [line, b"\r\n"].concat(),
    }
}

/// What is read is printed so that it reads the same.
fn check_round_trip(unit: &[u8]) {
    let Some(read) = first_datagram(unit) else { return };
    let mut printed = Vec::new();
    read.write(&mut printed);
    // Text that looks like an entity once it is printed, telnet's escape, and the marks themselves cannot come back.
    let is_exact = read.fields.iter().all(|field| !field.as_str().contains(['&', '\u{19}', '\u{1a}', '\u{ff}']));
    if is_exact {
        assert_eq!(first_datagram(&printed), Some(read));
    }
}

fn first_datagram(mut stream: &[u8]) -> Option<Datagram> {
    let mut framer = Framer::new();
    while let Some(frame) = framer.next_frame(&mut stream) {
        if let FrameKind::Datagram { bytes } = frame.kind {
            return Datagram::parse(bytes);
        }
    }
    None
}

fn run(stream: &[u8], size: usize) -> (Vec<Event>, Games) {
    let limits = GameLimits::default().games(GAMES).moves(MOVES);
    let mut reader = EventReader::new(Reader::new(Framer::new(), Family::Icc)).with_game_limits(limits);
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

/// Games and moves are bounded, and plies are counted without a gap.
fn check_games(games: &Games) {
    assert!(games.iter().count() <= GAMES, "{games:?}");
    for game in games.iter() {
        assert!(game.moves().len() <= MOVES, "{game:?}");
        if game.base().move_number() == 0 {
            continue;
        }
        let first = game.position().ply() - game.moves().len() as u32;
        assert_eq!(game.base().ply(), first, "{game:?}");
    }
}
