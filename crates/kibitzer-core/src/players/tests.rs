use super::*;
use crate::reader::EventReader;

fn follow(players: &mut Players, stream: &str) {
    let (mut reader, mut rest) = (EventReader::default(), stream.as_bytes());
    while let Some(event) = reader.next(&mut rest).or_else(|| reader.finish()) {
        players.apply(&event);
    }
}

fn name(name: &str) -> Handle {
    name.parse().unwrap()
}

#[test]
fn players_come_play_and_go() {
    let mut players = Players::new(10);
    follow(
        &mut players,
        "\x157\x16146\x16Alice^041411E1663P\nBoris 000000 \n 2 players displayed (of 2).\n\x17\n[Carla has connected.]\n",
    );
    assert_eq!(players.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Alice", "Boris", "Carla"]);
    let alice = players.get(&name("alice")).unwrap();
    assert_eq!((alice.ratings[0], alice.status), (Some(Rating::Estimated(1411)), Some(WhoStatus::Playing)));
    follow(&mut players, "{Game 4 (Alice vs. Boris) Creating rated blitz match.}\n<wd> Carla\n");
    assert_eq!(players.get(&name("Boris")).unwrap().game, Some(GameId(4)));
    assert_eq!(players.get(&name("Carla")), None);
    follow(&mut players, "{Game 5 (Alice vs. Away) Away resigns} 1-0\n");
    let alice = players.get(&name("Alice")).unwrap();
    assert_eq!((alice.game, alice.status), (Some(GameId(4)), Some(WhoStatus::Playing)), "a stored game has ended");
    assert_eq!(alice.last_game.as_ref().map(|game| game.game), Some(GameId(5)));
    follow(&mut players, "{Game 4 (Alice vs. Boris) Boris resigns} 1-0\n{Game 5 (Away vs. Gone) Gone resigns} 1-0\n");
    let boris = players.get(&name("Boris")).unwrap();
    assert_eq!((boris.game, boris.last_game.as_ref().map(|game| game.game)), (None, Some(GameId(4))));
    assert_eq!(players.get(&name("Away")), None, "a stored game has ended");
    assert!(players.apply(&Event::Connected));
    assert_eq!(players.iter().count(), 0);
}

#[test]
fn rows_without_ratings_by_kind_keep_those_that_are_known() {
    let mut players = Players::new(10);
    follow(
        &mut players,
        "<wa> Alice 041411E1663P\n\x157\x16146\x161411^Alice(GM)\n 1 player displayed (of 1).\n\x17\n",
    );
    let alice = players.get(&name("Alice")).unwrap();
    assert_eq!((alice.ratings[1], alice.status), (Some(Rating::Provisional(1663)), Some(WhoStatus::Playing)));
}

#[test]
fn only_events_about_players_are_reported() {
    let mut players = Players::new(10);
    let lists = "\x157\x1648\x16-- Matches: 1 player --\nBoris\n\x17\nFoo tells you: [Carla has connected.]\n";
    let (mut reader, mut rest) = (EventReader::default(), lists.as_bytes());
    let (mut n_events, mut n_listings) = (0, 0);
    while let Some(event) = reader.next(&mut rest).or_else(|| reader.finish()) {
        assert!(!players.apply(&event), "{event:?}");
        n_events += 1;
        n_listings += usize::from(matches!(event, Event::Listing { .. }));
    }
    assert!(n_events > 3 && n_listings == 1, "{n_events} {n_listings}");
    assert_eq!(players.iter().count(), 0);
}

#[test]
fn the_number_of_players_is_limited() {
    let mut players = Players::new(1);
    follow(&mut players, "[Alice has connected.]\n[Boris has connected.]\n<wa> Alice 001411E\n");
    assert_eq!(players.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Alice"]);
    assert_eq!(players.get(&name("Alice")).unwrap().ratings[0], Some(Rating::Estimated(1411)));
    let mut none = Players::default();
    follow(&mut none, "[Alice has connected.]\n");
    assert_eq!(none.iter().count(), 0);
}
