//! Recordings of games that were observed before and after a lost connection.

use std::time::Duration;

use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::TrackedGame;
use kibitzer_core::Event;
use kibitzer_core::game::Continuation::{Likely, Other, Same, Unlikely};
use kibitzer_core::game::Game;
use kibitzer_core::message::listing::{Listing as _, MoveList};
use kibitzer_tests::Transcript;

const RECORDINGS: [&str; 2] = ["reconnects/uhlinfics-restored-another-game", "reconnects/fatics-restored-another-game"];

/// The events of one recorded connection, and the game that was followed at its end.
struct Connection {
    events: Vec<Event>,
    last: Option<Game>,
}

fn connections(transcript: &Transcript) -> Vec<Connection> {
    let pieces: Vec<_> = transcript.reads.iter().map(Vec::as_slice).collect();
    let connect = |pieces: &[&[u8]]| {
        let mut reader = transcript.reader();
        let events = pieces
            .iter()
            .copied()
            .flat_map(|mut piece| std::iter::from_fn(|| reader.next(&mut piece)).collect::<Vec<_>>());
        let events = events.collect();
        Connection { events, last: reader.games().iter().find(|game| game.is_followed_and_ongoing()).cloned() }
    };
    pieces.split(|piece| piece.is_empty()).map(connect).collect()
}

/// Returns the game of the first board of a connection, as it was then, and the first list of moves.
fn first_game_and_list(transcript: &Transcript, connection: &Connection) -> (Option<Game>, Option<MoveList>) {
    let is_board = |event: &&Event| event.change().is_some();
    let first = connection.events.iter().find(is_board).map(Event::raw);
    let game = first.map(|line| {
        let mut reader = transcript.reader();
        let mut line = &[b"\n\r", line, b"\n\rfics% "].concat()[..];
        while reader.next(&mut line).is_some() {}
        reader.games().iter().next().unwrap().clone()
    });
    let lines = connection.events.iter().filter(|event| event.message().is_some()).map(Event::raw);
    (game, MoveList::parse(lines).ok())
}

#[test]
fn a_recorded_game_of_the_same_players_is_another_one_if_its_list_begins_otherwise() {
    // Without a list, and with the one that the server sent.
    let want = [(Same, None), (Likely, Some(Same)), (Likely, Some(Other))];
    for name in RECORDINGS {
        let transcript = Transcript::named(name);
        let all = connections(&transcript);
        let mut found = Vec::new();
        for (before, after) in all.iter().zip(all.iter().skip(1)) {
            let (Some(known), (Some(game), list)) = (&before.last, first_game_and_list(&transcript, after)) else {
                continue;
            };
            let decide = |list| known.continuation_in(&game, list, Duration::ZERO);
            let by_list = list.as_ref().map(|list| decide(Some(list)));
            found.push((decide(None), by_list));
        }
        assert_eq!(found[..3], want, "{name}");
        // Later ones have other colors, fewer moves, or a list that contradicts.
        let is_another = |(alone, by_list)| matches!((alone, by_list), (Other | Unlikely, None | Some(Other)));
        assert!(found.len() > 4 && found[3..].iter().copied().all(is_another), "{name}: {found:?}");
    }
}

#[test]
fn a_recorded_game_that_another_one_replaced_is_a_game_of_its_own() {
    for name in RECORDINGS {
        let mut collector = PgnCollector::new(PgnOrigin::default()).with_observed();
        for connection in connections(&Transcript::named(name)) {
            for event in &connection.events {
                collector.apply(event, None);
            }
            collector.interrupt_games();
        }
        let moves = |game: &TrackedGame| -> Vec<String> {
            game.line().moves.iter().map(|played| played.san.clone().unwrap()).collect()
        };
        let games: Vec<_> = collector.tracker().iter().map(moves).collect();
        let old = ["e4", "e5", "Nf3", "Nc6"];
        let new = ["d4", "d5", "c4", "e6", "Nc3", "Nf6", "Bg5", "Be7", "e3"];
        if name.contains("fatics") {
            assert_eq!(games[..2], [&old[..], &new[..]]);
        } else {
            // Without block mode a recording has no list of moves, so each of its parts is a game.
            assert_eq!(games[..3], [&[], &[], &new[8..]]);
        }
        let ends: Vec<_> = collector.tracker().iter().map(|game| game.position().ply()).collect();
        assert!(ends.starts_with(if name.contains("fatics") { &[4, 9] } else { &[2, 4, 9] }), "{ends:?}");
    }
}

/// Compares each list of the moves of a followed game with that game.
#[test]
fn every_recorded_list_of_a_followed_game_belongs_to_it() {
    let mut n_lists = 0;
    for transcript in Transcript::all() {
        let stream = transcript.stream();
        let (mut input, mut reader) = (&stream[..], transcript.reader());
        let mut lines: Vec<Vec<u8>> = Vec::new();
        while let Some(event) = reader.next(&mut input) {
            let Some(line) = event.message().map(|_| event.raw()) else { continue };
            if line.windows(5).any(|part| part == b" --- ") {
                lines.clear();
            }
            lines.push(line.to_vec());
            if !line.trim_ascii_start().starts_with(b"{") {
                continue;
            }
            let parsed = MoveList::parse(std::mem::take(&mut lines).iter().map(Vec::as_slice));
            let Ok(list) = parsed else { continue };
            let (Some(white), Some(black)) = (&list.white, &list.black) else { continue };
            let is_it = |game: &&Game| {
                let position = game.position();
                position.white() == *white.name.as_str()
                    && position.black() == *black.name.as_str()
                    && game.is_followed_and_ongoing()
                    && !position.relation().is_examined()
            };
            if let Some(game) = reader.games().iter().find(is_it) {
                let found = game.continuation_in(game, Some(&list), Duration::ZERO);
                assert_eq!(found, Same, "{}: {:?}\n{list:?}", transcript.name, game.moves());
                n_lists += 1;
            }
        }
    }
    assert!(n_lists > 15, "{n_lists}");
}
