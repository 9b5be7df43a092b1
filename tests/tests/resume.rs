//! Recorded sessions, read on from the middle by somebody who was only told how they stand there.

use kibitzer_core::game::{Game, Games};
use kibitzer_core::message::Message;
use kibitzer_core::{Event, EventReader};
use kibitzer_tests::{Transcript, events_of};

/// Places in each session.
const PLACES: usize = 24;

/// What an event says.
fn essence(event: &Event) -> (String, Vec<u8>, Option<Message>) {
    (event.kind().to_string(), event.raw().to_vec(), event.message().cloned())
}

/// The games as somebody knows them who was told of them in lines.
fn told(games: &Games) -> Games {
    let lines = games.iter().filter(|game| game.is_followed_and_ongoing()).flat_map(Game::to_snapshot_lines);
    let said: Vec<u8> = lines.flat_map(|line| [&line[..], b"\n\r"].concat()).collect();
    let (mut reader, mut rest) = (EventReader::default(), &said[..]);
    while reader.next(&mut rest).is_some() {}
    while reader.finish().is_some() {}
    reader.into_games()
}

#[test]
fn whoever_comes_late_reads_on_as_who_was_there_from_the_beginning() {
    let (mut n_places, mut n_games) = (0, 0);
    for transcript in Transcript::all() {
        let stream = transcript.stream();
        for place in (1..PLACES).map(|part| stream.len() * part / PLACES) {
            let (mut first, mut taken) = (transcript.reader(), &stream[..place]);
            let mut end = 0;
            while let Some(event) = first.next(&mut taken) {
                if let Event::Received { received, .. } = event {
                    end = usize::try_from(received.end()).unwrap();
                }
            }
            if !first.is_resume_point() {
                continue;
            }
            let games = told(first.games());
            for (known, game) in games.iter().zip(first.games().iter().filter(|game| game.is_followed_and_ongoing())) {
                assert_eq!((known.fen(), known.position()), (game.fen(), game.position()), "{}", transcript.name);
                n_games += 1;
            }
            let second = EventReader::resume(&first.stream_state(), games);
            let rest: Vec<_> = events_of(first, [&stream[place..]]).iter().map(essence).collect();
            let late: Vec<_> = events_of(second, [&stream[end..]]).iter().map(essence).collect();
            for (late, rest) in late.iter().zip(&rest) {
                let around = stream[end..(place + 40).min(stream.len())].escape_ascii();
                assert_eq!(late, rest, "{} at {place}: {around}", transcript.name);
            }
            assert_eq!(late.len(), rest.len(), "{} at {place}", transcript.name);
            n_places += 1;
        }
    }
    assert!(n_places > 1000 && n_games > 200, "{n_places} places, {n_games} games");
}
