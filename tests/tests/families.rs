//! The same client at both families of the embedded server: the same bots pass, the same games are seen.

#[path = "../../crates/kibitzer/examples/seek_bot.rs"]
#[expect(dead_code, reason = "its main is not called")]
mod seek_bot;
#[path = "../../crates/kibitzer/examples/tell_bot.rs"]
#[expect(dead_code, reason = "its main is not called")]
mod tell_bot;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kibitzer::Client;
use kibitzer::command::TalkCommand as Tell;
use kibitzer_core::event::RequestError;
use kibitzer_core::game::ChangeKind;
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::{GameId, Ivar, Message, Refusal, Relation, TalkKind};
use kibitzer_core::session::SessionState;
use kibitzer_core::{Event, EventKind, message};
use kibitzer_server::{ImitatedFamily, PopulationOptions, ServerOptions};
use kibitzer_tests::live::{TestServer, drain, handle, options, wait_for};

const FAMILIES: [ImitatedFamily; 2] = [ImitatedFamily::Fics, ImitatedFamily::Icc];

/// Room for all that happens in a test.
const CAPACITY: usize = 1 << 16;

/// What is told that a family may tell in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    positions: Vec<(GameId, String)>,
    holdings: Vec<(GameId, String, String)>,
    results: Vec<(GameId, String, String)>,
    talk: Vec<(String, String, String)>,
    /// The kind of each game, as its terms name it in lower case.
    games: BTreeMap<GameId, String>,
    /// How many events there are of each kind.
    kinds: BTreeMap<EventKind, usize>,
}

/// The kinds of events that are not as many on both families, and why: see "Two families" in the architecture notes.
const TOLD_OTHERWISE: [(EventKind, &str); 16] = [
    (EventKind::BlockStart, "replies on FICS"),
    (EventKind::BlockEnd, "replies on FICS"),
    (EventKind::UnitStart, "replies on ICC, and what others do"),
    (EventKind::UnitEnd, "replies on ICC, and what others do"),
    (EventKind::Prompt, "none behind units"),
    (EventKind::LoginPrompt, "one behind each line in front of the name"),
    (EventKind::PasswordPrompt, "the password stands behind the name"),
    (EventKind::NameStatus, "the name and the password are one line"),
    (EventKind::Telnet, "no password prompt, so nothing that hides what is typed"),
    (EventKind::Sent, "the set-up has other commands"),
    (EventKind::ListingLine, "the set-up on FICS lists the ivars"),
    (EventKind::Variables, "the set-up on FICS lists the ivars"),
    (EventKind::Text, "replies to the set-up, and empty lines around boards"),
    (EventKind::GameUpdate, "what a game is to this login"),
    (EventKind::Observing, "told by the line and by the datagram that has the terms"),
    (EventKind::GameInfo, "the terms of examined games too"),
];

impl Seen {
    fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut seen = Self::default();
        for event in events {
            *seen.kinds.entry(event.kind()).or_default() += 1;
            let Event::Received { received, change, .. } = event else { continue };
            let told = change.as_ref().and_then(|change| change.board.as_ref());
            match (&received.message, told) {
                (Message::Style12(board), _) | (_, Some(board)) => seen.position(board),
                (Message::Holding(holding), _) => {
                    let (white, black) = (holding.white.to_string(), holding.black.to_string());
                    seen.holdings.push((holding.game, white, black));
                }
                (Message::GameInfo(info), _) => {
                    let kind = info.kind.as_ref().map(|kind| kind.as_str().to_lowercase());
                    seen.games.insert(info.game, kind.unwrap_or_default());
                }
                (Message::GameEnded(ended), _) => {
                    seen.results.push((ended.game, format!("{:?}", ended.result), format!("{:?}", ended.reason)));
                }
                (Message::Talk(talk), _) => {
                    let from = talk.speaker().map(|from| from.to_string()).unwrap_or_default();
                    seen.talk.push((kind(&talk.kind), from, talk.text().into_owned()));
                }
                _ => {}
            }
        }
        seen
    }

    /// The kinds of the games in which something was held.
    fn kinds_with_holdings(&self) -> BTreeSet<&str> {
        self.holdings.iter().filter_map(|(game, ..)| self.games.get(game)).map(String::as_str).collect()
    }

    /// A position that is told twice, such as by a move and by clocks, is one.
    fn position(&mut self, board: &message::Style12) {
        let last = self.positions.iter().rev().find(|(game, _)| *game == board.game());
        let fen = board.fen().to_string();
        if last.is_none_or(|(_, last)| *last != fen) {
            self.positions.push((board.game(), fen));
        }
    }
}

/// The rating of who kibitzes stands in lines alone.
fn kind(kind: &TalkKind) -> String {
    match kind {
        TalkKind::Kibitz { game, .. } => format!("kibitz {game:?}"),
        TalkKind::Whisper { game, .. } => format!("whisper {game:?}"),
        other => format!("{other:?}"),
    }
}

fn seeded(family: ImitatedFamily) -> ServerOptions {
    let crowd = PopulationOptions::new().games(3).speed(20.0);
    options(&["Newton"]).family(family).seed(11).population(crowd)
}

/// What a player sees who follows all games.
async fn watch(family: ImitatedFamily, by_moves: bool) -> Seen {
    let mut test_server = TestServer::start(seeded(family)).await;
    let profile = test_server.account("Newton");
    let profile = if by_moves { profile.session(|session| session.with_ivar(Ivar::CompressMove)) } else { profile };
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(CAPACITY);
    let client = builder.start().await.unwrap();
    client.ready().await.unwrap();
    for game in 1..=8 {
        // Not all of these numbers have a game.
        drop(client.request(&format!("observe {game}")).await);
    }
    // All these games are over by then.
    tokio::time::sleep(Duration::from_mins(1)).await;
    let (all, n_missed) = drain(&mut events);
    assert_eq!(n_missed, 0);
    client.shutdown().await;
    test_server.shutdown().await;
    Seen::of(all.iter())
}

// Rules: icc P3
#[tokio::test(start_paused = true)]
async fn the_same_games_are_seen_on_both() {
    let fics = watch(ImitatedFamily::Fics, false).await;
    assert!(fics.positions.len() > 100, "{}", fics.positions.len());
    assert!(!fics.results.is_empty() && !fics.talk.is_empty(), "{fics:#?}");
    assert_eq!(fics.kinds_with_holdings(), ["bughouse", "crazyhouse"].into());
    let icc = watch(ImitatedFamily::Icc, false).await;
    assert_same(&fics, &icc);
    assert_eq!(icc.kinds_with_holdings(), fics.kinds_with_holdings());
    assert_same_kinds(&fics, &icc);
}

#[tokio::test(start_paused = true)]
async fn the_same_games_are_seen_by_their_moves() {
    let fics = watch(ImitatedFamily::Fics, false).await;
    let icc = watch(ImitatedFamily::Icc, true).await;
    assert_same(&fics, &icc);
}

/// What a player sees of a game in which a move is taken back and time is added.
async fn play_with_takeback(family: ImitatedFamily, by_moves: bool) -> Seen {
    let mut test_server = TestServer::start(options(&["Newton", "Euler"]).family(family)).await;
    let profile = test_server.account("Newton");
    let profile = if by_moves { profile.session(|session| session.with_ivar(Ivar::CompressMove)) } else { profile };
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(CAPACITY);
    let newton = builder.start().await.unwrap();
    newton.ready().await.unwrap();
    let euler = test_server.player("Euler").await;
    let script = [
        (&newton, "match Euler 5 0 white"),
        (&euler, "accept"),
        (&newton, "e4"),
        (&euler, "e5"),
        (&newton, "Nf3"),
        (&newton, "takeback 1"),
        (&euler, "accept"),
        (&newton, "Nc3"),
        (&euler, "moretime 30"),
        (&euler, "Nf6"),
        (&newton, "takeback 2"),
        (&euler, "accept"),
        (&newton, "resign"),
    ];
    for (player, line) in script {
        player.request(line).await.unwrap();
    }
    let (all, _) = drain(&mut events);
    assert!(all.iter().all(|event| !matches!(event, Event::Desync(_))), "{all:?}");
    newton.shutdown().await;
    euler.shutdown().await;
    test_server.shutdown().await;
    Seen::of(all.iter())
}

// Rules: icc P4
#[tokio::test(start_paused = true)]
async fn a_takeback_leads_to_the_same_positions_on_both() {
    let want = play_with_takeback(ImitatedFamily::Fics, false).await;
    let placements: Vec<_> = want.positions.iter().filter_map(|(_, fen)| fen.split('/').nth(5)).collect();
    assert_eq!(placements, ["8", "8", "8", "5N2", "8", "2N5", "2N5", "8"], "the third rank: {want:?}");
    for (family, by_moves) in [(ImitatedFamily::Fics, true), (ImitatedFamily::Icc, false), (ImitatedFamily::Icc, true)]
    {
        let seen = play_with_takeback(family, by_moves).await;
        assert_eq!(first_difference(&want.positions, &seen.positions), None, "{family:?} {by_moves}");
        assert_eq!(want.results, seen.results);
    }
}

fn assert_same(one: &Seen, other: &Seen) {
    assert_eq!(first_difference(&one.positions, &other.positions), None);
    assert_eq!(first_difference(&one.holdings, &other.holdings), None);
    assert_eq!(first_difference(&one.results, &other.results), None);
    assert_eq!(first_difference(&one.talk, &other.talk), None);
}

/// As many events of each kind, but for those that are explained, and for boards: ICC tells clocks to the millisecond beside them.
fn assert_same_kinds(one: &Seen, other: &Seen) {
    let n_events = |seen: &Seen, kind| seen.kinds.get(kind).copied().unwrap_or_default();
    for kind in EventKind::ALL.iter().filter(|kind| **kind != EventKind::Position) {
        let why = TOLD_OTHERWISE.iter().find(|(otherwise, _)| otherwise == kind);
        let (one, other) = (n_events(one, kind), n_events(other, kind));
        assert_eq!(one == other, why.is_none(), "{}: {one} and {other}, {why:?}", kind.as_str());
    }
    assert!(n_events(other, &EventKind::Position) > n_events(one, &EventKind::Position));
}

/// Where two lists are not the same first, and what stands there.
fn first_difference<T: PartialEq + Clone>(one: &[T], other: &[T]) -> Option<(usize, Option<T>, Option<T>)> {
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    Some((at, one.get(at).cloned(), other.get(at).cloned()))
}

/// Waits for a tell of somebody.
async fn tell_from(events: &mut Subscription) -> (String, String) {
    wait_for(events, |event| match event.message() {
        Some(Message::Talk(talk)) if talk.kind == TalkKind::Tell => {
            Some((talk.speaker()?.to_string(), talk.text().into_owned()))
        }
        _ => None,
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn the_bot_that_answers_tells_passes_on_both() {
    for family in FAMILIES {
        let mut test_server = TestServer::start(options(&["Newton"]).family(family)).await;
        let newton = test_server.player("Newton").await;
        let mut events = newton.subscribe_lossless(CAPACITY);
        let profile = test_server.profile().guest_as(handle("Echo"));
        let talk = async {
            while newton.talk(&Tell::tell(handle("Echo"), "hello {there}")).await.is_err() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            // It has told nobody's name until it is ready.
            let answer = tell_from(&mut events).await;
            assert_eq!(answer, ("Echo".to_owned(), "you said: hello {there}".to_owned()), "{family:?}");
            newton.talk(&Tell::tell(handle("Echo"), "go")).await.unwrap();
        };
        let (bot, ()) = tokio::join!(tell_bot::run(profile), talk);
        bot.unwrap();
        newton.shutdown().await;
        test_server.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_bot_that_seeks_games_plays_the_same_game_on_both() {
    let mut games = Vec::new();
    for family in FAMILIES {
        let mut test_server = TestServer::start(options(&["Newton"]).family(family)).await;
        let newton = test_server.player("Newton").await;
        let mut events = newton.subscribe_lossless(CAPACITY);
        let bot = tokio::spawn({
            let profile = test_server.profile().guest_as(handle("Seeker"));
            async move { seek_bot::run(profile).await.map_err(|error| error.to_string()) }
        });
        while !matches!(newton.request("play 1").await, Ok(reply) if reply.text().contains("Creating")) {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        games.push(answer_moves(&newton, &mut events).await);
        bot.abort();
        assert!(bot.await.unwrap_err().is_cancelled());
        assert_eq!(newton.state(), SessionState::Ready);
        newton.shutdown().await;
        test_server.shutdown().await;
    }
    let [fics, icc] = &games[..] else { panic!("two games") };
    assert!(fics.positions.len() > 12, "{fics:?}");
    assert_same(fics, icc);
}

fn is_repeated(event: &Event) -> bool {
    matches!(event, Event::Received { change: Some(change), .. } if change.kind == ChangeKind::Repeated)
}

/// More than the bot knows, for either side.
const PAWN_MOVES: &str =
    "a2a3 b2b3 c2c3 g2g3 h2h3 a3a4 b3b4 c3c4 h3h4 h7h6 g7g6 b7b6 c7c6 h6h5 g6g5 b6b5 c6c5 a7a6 a6a5";

/// Plays a pawn move whenever it can, until the other side resigns.
async fn answer_moves(client: &Client, events: &mut Subscription) -> Seen {
    let mut all = Vec::new();
    loop {
        let event = events.recv().await.unwrap();
        all.push(Event::clone(&event));
        match event.message() {
            Some(Message::GameEnded(_)) => return Seen::of(all.iter()),
            Some(Message::Style12(board)) if board.relation() == Relation::MyTurn && !is_repeated(&event) => {
                for played in PAWN_MOVES.split(' ') {
                    match client.request(played).await {
                        // Played.
                        Ok(_) => break,
                        // The other side was faster, and has resigned.
                        Err(error) if error.is_refused_for(Refusal::NotPlaying) => break,
                        Err(RequestError::Refused { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            _ => {}
        }
    }
}
