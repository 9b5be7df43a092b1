use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::MessageReader;
use kibitzer_core::message::listing::{GameList, GameRowState, Listing};
use kibitzer_core::message::{GameEndReason, Message, Relation, Style12, TalkKind};

use super::PopulationOptions;
use crate::options::ServerOptions;
use crate::world::{ConnectionId, World};

const SECOND: Duration = Duration::from_secs(1);

/// A server with simulated players, and clients.
struct Hall {
    world: World,
    now: Instant,
    heard: BTreeMap<ConnectionId, Vec<u8>>,
}

impl Hall {
    fn new(seed: u64, population: PopulationOptions) -> Self {
        let now = Instant::now();
        let options = ServerOptions::new().in_process().seed(seed).population(population);
        let world = World::new(options, now, SystemTime::UNIX_EPOCH);
        Self { world, now, heard: BTreeMap::new() }
    }

    fn log_in(&mut self, name: &str) -> ConnectionId {
        let id = self.world.open_connection(self.now);
        for line in [name, "", "iset nowrap 1", "iset defprompt 1", "set bell 0", "set style 12"] {
            self.send(id, line);
        }
        id
    }

    fn send(&mut self, id: ConnectionId, line: &str) {
        self.world.receive_bytes(id, format!("{line}\n").as_bytes(), self.now);
        self.collect();
    }

    /// Returns the immediate output after a line is sent.
    fn ask(&mut self, id: ConnectionId, line: &str) -> String {
        self.heard.remove(&id);
        self.send(id, line);
        String::from_utf8(self.heard.remove(&id).unwrap()).unwrap()
    }

    fn collect(&mut self) {
        while let Some(output) = self.world.take_next_output() {
            self.heard.entry(output.to).or_default().extend(output.bytes);
        }
    }

    /// Advances the time.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(next) = self.world.next_time().filter(|&next| next <= end) {
            self.now = self.now.max(next);
            self.world.run_due_work(self.now);
            self.collect();
        }
        self.now = end;
    }

    fn heard(&mut self, id: ConnectionId) -> Vec<u8> {
        self.heard.remove(&id).unwrap_or_default()
    }

    fn games(&mut self, id: ConnectionId) -> GameList {
        let reply = self.ask(id, "games");
        GameList::parse(reply.lines().map(|line| line.trim_matches('\r').as_bytes())).unwrap()
    }
}

fn messages(bytes: &[u8]) -> Vec<Message> {
    let (mut reader, mut bytes) = (MessageReader::default(), bytes);
    std::iter::from_fn(|| reader.next(&mut bytes)).map(|received| received.message).collect()
}

fn boards(messages: &[Message]) -> impl Iterator<Item = &Style12> {
    messages.iter().filter_map(|message| if let Message::Style12(board) = message { Some(&**board) } else { None })
}

#[test]
fn games_are_under_way_from_the_start() {
    let mut hall = Hall::new(1, PopulationOptions::new());
    let id = hall.log_in("Onlooker");
    let games = hall.games(id).games;
    let count =
        |kind| games.iter().filter(|row| row.state == GameRowState::Played && row.terms.kind == Some(kind)).count();
    assert_eq!((count('z'), count('B'), games.len()), (1, 2, 10));
    assert_eq!(games.iter().filter(|row| row.state == GameRowState::Examined).count(), 1);
    let begun = games.iter().filter(|row| row.move_number >= 3).count();
    assert!(begun >= 8, "{begun} games are past their first moves");
}

/// Returns the output to a client that observes all games for some time.
fn session(seed: u64, time: Duration) -> Vec<u8> {
    let mut hall = Hall::new(seed, PopulationOptions::new().speed(4.0));
    let id = hall.log_in("Onlooker");
    for line in ["set gin 1", "set seek 1", "iset seekinfo 1", "iset ms 1", "+channel 1", "+channel 50"] {
        hall.send(id, line);
    }
    for number in 1..=12 {
        hall.send(id, &format!("observe {number}"));
    }
    hall.send(id, "match whetstone 3 0");
    hall.pass(time);
    hall.heard(id)
}

#[test]
fn the_same_seed_gives_the_same_session_and_another_seed_another() {
    let one = session(11, SECOND * 60);
    assert!(one.len() > 20_000, "{} bytes", one.len());
    assert!(one == session(11, SECOND * 60));
    assert!(one != session(12, SECOND * 60));
}

#[test]
fn games_end_in_all_ways_and_new_ones_begin() {
    let mut hall = Hall::new(3, PopulationOptions::new().games(8).speed(20.0));
    let id = hall.log_in("Onlooker");
    hall.send(id, "set gin 1");
    let (mut reasons, mut n_ended) = (BTreeMap::<_, usize>::new(), 0);
    for _ in 0..8 {
        hall.pass(SECOND * 60);
        hall.send(id, "date");
        for message in messages(&hall.heard(id)) {
            if let Message::GameEnded(ended) = message {
                assert_ne!(ended.reason, GameEndReason::Unknown, "{}", ended.text);
                *reasons.entry(ended.reason.as_str()).or_default() += 1;
                n_ended += 1;
            }
        }
        let playing = hall.games(id).games.iter().filter(|row| row.state == GameRowState::Played).count();
        assert!(playing >= 4, "{playing} games are played");
    }
    for reason in ["mate", "resign", "time", "agreement", "abort_move1", "partner"] {
        assert!(reasons.contains_key(reason), "{reason}: {reasons:?}");
    }
    assert!(n_ended > 100, "{n_ended}: {reasons:?}");
}

#[test]
fn simulated_players_talk_and_seek() {
    let mut hall = Hall::new(5, PopulationOptions::new().speed(10.0));
    let id = hall.log_in("Onlooker");
    for line in ["+channel 1", "+channel 50", "iset seekinfo 1", "iset seekremove 1"] {
        hall.send(id, line);
    }
    for _ in 0..20 {
        (1..=10).for_each(|number| hall.send(id, &format!("observe {number}")));
        hall.pass(SECOND * 10);
    }
    let heard = messages(&hall.heard(id));
    let talk: BTreeSet<_> = heard
        .iter()
        .filter_map(|message| match message {
            Message::Talk(talk) => Some(match talk.kind {
                TalkKind::Tell => "tell",
                TalkKind::Shout => "shout",
                TalkKind::ItShout => "it",
                TalkKind::ChannelTell { .. } => "channel",
                TalkKind::Kibitz { .. } => "kibitz",
                _ => "other",
            }),
            _ => None,
        })
        .collect();
    assert_eq!(talk, BTreeSet::from(["tell", "shout", "it", "channel", "kibitz"]));
    let posted = heard.iter().filter_map(|message| match message {
        Message::Seek(seek) => Some(seek.index),
        _ => None,
    });
    let removed = heard.iter().filter(|message| matches!(message, Message::SeeksRemoved(_))).count();
    assert!(posted.count() > 10 && removed > 10);
}

/// Plays a game against an opponent with the moves of simulated players; returns how it ended.
fn play(hall: &mut Hall, id: ConnectionId, terms: &str) -> GameEndReason {
    hall.heard(id);
    hall.send(id, &format!("match whetstone {terms}"));
    let (mut me, mut random) = (
        super::simulated::SimulatedPlayer::new("Challenger".parse().unwrap(), super::SimulatedRole::Relay, 500),
        fastrand::Rng::with_seed(9),
    );
    for _ in 0..4_000 {
        hall.pass(SECOND / 2);
        let bytes = hall.heard(id);
        if let Some(reason) = messages(&bytes).into_iter().find_map(|message| match message {
            Message::GameEnded(end) => Some(end.reason),
            _ => None,
        }) {
            return reason;
        }
        me.receive_output(&bytes);
        for line in me.choose_turn_commands(&mut random) {
            hall.send(id, &line);
        }
    }
    panic!("{terms}: no end");
}

#[test]
fn an_opponent_accepts_any_match_and_plays_it_to_the_end() {
    let mut hall = Hall::new(2, PopulationOptions::new().games(0));
    let id = hall.log_in("Challenger");
    for terms in ["1 0", "5 0 white", "2 12 black", "3 0 crazyhouse", "15 0", "untimed"] {
        let reason = play(&mut hall, id, terms);
        assert!(!reason.is_adjournment() && reason != GameEndReason::Unknown, "{terms}: {reason:?}");
    }
    hall.pass(SECOND * 10);
    assert!(hall.ask(id, "history").contains("Whetstone"));
}

#[test]
fn an_opponent_thinks_in_its_first_game_too() {
    for seed in 0..5 {
        let mut hall = Hall::new(seed, PopulationOptions::new().games(0));
        let id = hall.log_in("Challenger");
        hall.send(id, "match whetstone 5 0 white");
        hall.pass(SECOND * 5);
        hall.send(id, "e2e4");
        hall.heard(id);
        hall.pass(SECOND / 3);
        assert_eq!(boards(&messages(&hall.heard(id))).count(), 0, "{seed}: the answer came at once");
        hall.pass(SECOND * 10);
        assert_eq!(boards(&messages(&hall.heard(id))).count(), 1, "{seed}: there is no answer");
    }
}

#[test]
fn nobody_can_log_in_as_a_simulated_player() {
    let mut hall = Hall::new(1, PopulationOptions::new().games(0));
    let id = hall.log_in("Onlooker");
    let intruder = hall.world.open_connection(hall.now);
    hall.send(intruder, "Whetstone");
    hall.heard(intruder);
    hall.send(intruder, "");
    let answer = hall.heard(intruder);
    assert!(answer.ends_with(b"login: "), "{}", answer.escape_ascii());
    assert!(hall.ask(id, "finger Whetstone").contains("On for"));
}

#[test]
fn an_opponent_never_aborts() {
    let mut hall = Hall::new(7, PopulationOptions::new().games(0).speed(100.0));
    let id = hall.log_in("Challenger");
    for game in 0..60 {
        hall.send(id, "match whetstone 5 0 white");
        hall.pass(SECOND);
        hall.send(id, "e2e4");
        hall.pass(SECOND);
        hall.send(id, "resign");
        hall.pass(SECOND);
        let heard = messages(&hall.heard(id));
        let end = heard.iter().find_map(|message| match message {
            Message::GameEnded(end) => Some(end.reason),
            _ => None,
        });
        assert_eq!(end, Some(GameEndReason::Resign), "game {game}");
    }
}

#[test]
fn an_opponent_answers_offers() {
    let mut hall = Hall::new(2, PopulationOptions::new().games(0));
    let id = hall.log_in("Challenger");
    hall.send(id, "match whetstone 10 0 white");
    hall.pass(SECOND * 5);
    hall.send(id, "e2e4");
    hall.pass(SECOND * 60);
    hall.heard(id);
    hall.send(id, "takeback 2");
    hall.pass(SECOND * 5);
    let heard = messages(&hall.heard(id));
    let taken_back = boards(&heard).last().unwrap();
    assert_eq!((taken_back.ply(), taken_back.relation()), (0, Relation::MyTurn));
    hall.send(id, "draw");
    hall.pass(SECOND * 5);
    let answer = String::from_utf8(hall.heard(id)).unwrap();
    assert!(answer.contains("Whetstone declines"), "{answer}");
    hall.send(id, "e2e4");
    hall.send(id, "abort");
    hall.pass(SECOND * 5);
    assert!(
        messages(&hall.heard(id))
            .iter()
            .any(|message| matches!(message, Message::GameEnded(end) if end.reason.is_abort()))
    );
}

#[test]
fn boards_of_variants_with_drops_show_hands_and_drops() {
    let mut hall = Hall::new(4, PopulationOptions::new().games(0).speed(20.0));
    let id = hall.log_in("Onlooker");
    let (mut n_drops, mut n_passed, mut n_relayed) = (0, 0, 0);
    for _ in 0..8 {
        for number in 1..=4 {
            hall.send(id, &format!("observe {number}"));
        }
        hall.pass(SECOND * 30);
        let heard = messages(&hall.heard(id));
        n_drops +=
            boards(&heard).filter(|board| board.last_move().is_some_and(|last| last.text().contains('@'))).count();
        n_passed += heard
            .iter()
            .filter(|message| matches!(message, Message::Holding(holding) if holding.passed.is_some()))
            .count();
        n_relayed += boards(&heard).filter(|board| board.relation() == Relation::ObservingExamined).count();
    }
    assert!(n_drops > 30 && n_passed > 80 && n_relayed > 50, "{n_drops} {n_passed} {n_relayed}");
}

/// Returns the number of boards of own games, and of challenges, that a client received.
fn games_and_challenges(heard: &[u8]) -> (usize, usize) {
    let messages = messages(heard);
    let n_challenges = messages.iter().filter(|message| matches!(message, Message::Challenge(_))).count();
    (boards(&messages).filter(|board| board.relation().is_mine()).count(), n_challenges)
}

#[test]
fn a_client_who_seeks_gets_a_game_within_ten_seconds() {
    for (seed, seek, expected) in
        [(0, "3 0 unrated", (1, 0)), (1, "2 12 crazyhouse", (1, 0)), (2, "5 0 manual", (0, 1))]
    {
        for games in [0, 6] {
            let mut hall = Hall::new(seed, PopulationOptions::new().games(games));
            let id = hall.log_in("Seeker");
            hall.pass(SECOND * 20);
            assert_eq!(games_and_challenges(&hall.heard(id)), (0, 0), "{seek}: before the seek");
            hall.send(id, &format!("seek {seek}"));
            hall.pass(SECOND * 10);
            let heard = games_and_challenges(&hall.heard(id));
            assert_eq!((heard.0.min(1), heard.1), expected, "{seek}, {games} games");
        }
    }
}

#[test]
fn a_seek_is_answered_only_by_players_who_meet_its_conditions() {
    let mut hall = Hall::new(1, PopulationOptions::new());
    let id = hall.log_in("Seeker");
    hall.send(id, "seek 3 0 unrated 2500-9999");
    hall.pass(SECOND * 60);
    assert_eq!(games_and_challenges(&hall.heard(id)), (0, 0));
    hall.send(id, "seek 3 0 unrated 1000-2400");
    hall.pass(SECOND * 10);
    assert!(games_and_challenges(&hall.heard(id)).0 > 0);
}

#[test]
fn clients_who_wait_are_challenged_within_ten_seconds() {
    for seed in 0..5 {
        let mut hall = Hall::new(seed, PopulationOptions::new().challenge_clients());
        let [id, closed] = ["Waiting", "Closed"].map(|name| hall.log_in(name));
        hall.send(closed, "set open 0");
        hall.heard(id);
        hall.pass(SECOND * 10);
        assert_eq!(games_and_challenges(&hall.heard(id)), (0, 1), "{seed}");
        // A challenge without an answer is the only one.
        hall.pass(SECOND * 10);
        assert_eq!(games_and_challenges(&hall.heard(id)), (0, 0), "{seed}");
        hall.send(id, "accept");
        hall.pass(SECOND);
        assert!(games_and_challenges(&hall.heard(id)).0 > 0, "{seed}");
        hall.send(id, "resign");
        hall.heard(id);
        hall.pass(SECOND * 10);
        assert_eq!(games_and_challenges(&hall.heard(id)), (0, 1), "{seed}: after the game");
        assert_eq!(games_and_challenges(&hall.heard(closed)), (0, 0), "{seed}");
    }
}

#[test]
fn a_client_who_declines_is_challenged_less_and_less() {
    let mut hall = Hall::new(4, PopulationOptions::new().challenge_clients());
    let id = hall.log_in("Unwilling");
    let mut times = Vec::new();
    for second in 0..240 {
        hall.pass(SECOND);
        if games_and_challenges(&hall.heard(id)).1 > 0 {
            times.push(second);
            hall.send(id, "decline");
        }
    }
    let pauses: Vec<_> = times.array_windows().map(|[one, next]| next - one).collect();
    assert!(pauses.len() >= 4 && pauses.is_sorted() && pauses.iter().all(|pause| *pause >= 8), "{pauses:?}");
}
