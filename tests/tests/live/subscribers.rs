//! Subscribers: three deliveries, filters, latecomers, and those who do not read.

use std::future::ready;
use std::time::Duration;

use futures_util::StreamExt;
use kibitzer::{Client, Observation, Profile};
use kibitzer_core::hub::{Filter, GameWatch, RecvError, Subscription};
use kibitzer_core::message::{GameId, Message};
use kibitzer_core::session::RequestLimits;
use kibitzer_core::{Event, EventKind};
use kibitzer_tests::live::{TestServer, begin_game, drain, handle, options, play, wait_for};
use kibitzer_tests::on_both_runtimes;
use tokio::time::{sleep, timeout};

/// Gauss observes the game of Newton and Euler.
struct Scene {
    _hall: TestServer,
    newton: Client,
    euler: Client,
    gauss: Client,
    game: GameId,
}

impl Scene {
    async fn open(configure: impl FnOnce(Profile) -> Profile) -> Self {
        let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
        let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
        let gauss = Client::connect(configure(test_server.account("Gauss"))).await.unwrap();
        let game = begin_game(&newton, &euler).await;
        gauss.request(&format!("observe {game}")).await.unwrap();
        sleep(Duration::from_secs(1)).await;
        Self { _hall: test_server, newton, euler, gauss, game }
    }

    async fn play(&self, moves: &[&str]) {
        for (n, played) in moves.iter().enumerate() {
            play(if n % 2 == 0 { &self.newton } else { &self.euler }, played).await;
        }
        // The reply follows the boards, unless a full subscription stops the session from reading.
        let _ = timeout(Duration::from_secs(1), self.gauss.request("date")).await;
        sleep(Duration::from_secs(1)).await;
    }
}

const MOVES: [&str; 6] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"];

async fn three_deliveries_tell_of_the_same_game() {
    let scene = Scene::open(|profile| profile).await;
    let mut newest = scene.gauss.subscribe();
    let mut all = scene.gauss.subscribe_lossless(256);
    let mut watch = scene.gauss.watch_game(scene.game);
    sleep(Duration::from_secs(1)).await;
    drain(&mut newest);
    drain(&mut all);
    scene.play(&MOVES).await;
    let (newest, _) = drain(&mut newest);
    let (all, _) = drain(&mut all);
    assert_eq!(newest, all);
    let n_boards = all.iter().filter(|event| event.kind() == EventKind::Position).count();
    assert_eq!(n_boards, MOVES.len());
    let game = watch.latest().unwrap();
    assert_eq!((game.position().ply(), game.moves().len()), (6, 6));
    let fen = game.fen().to_string();
    assert!(fen.starts_with("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq"), "{fen}");
    scene.gauss.shutdown().await;
    assert_eq!(watch.changed().await, Err(RecvError::Closed));
}

async fn filters_pass_what_they_name() {
    let scene = Scene::open(|profile| profile).await;
    let mut boards = scene.gauss.subscribe().only(Filter::new().kinds([EventKind::Position]).game(scene.game));
    let mut others = scene.gauss.subscribe().only(Filter::new().game(GameId(77)));
    let mut of_euler = scene.gauss.subscribe().only(Filter::new().spoken_by(handle("euler")));
    scene.play(&MOVES[..3]).await;
    for client in [&scene.newton, &scene.euler] {
        client.request("kibitz hello").await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
    let (boards, _) = drain(&mut boards);
    assert_eq!(boards.len(), 3);
    assert!(boards.iter().all(|event| event.affected_game() == Some(scene.game)));
    assert_eq!(drain(&mut others), (Vec::new(), 0));
    let (said, _) = drain(&mut of_euler);
    assert_eq!(said.iter().map(Event::kind).collect::<Vec<_>>(), [EventKind::Kibitz]);
}

async fn a_latecomer_has_the_games_first_and_then_what_follows() {
    let scene = Scene::open(|profile| profile).await;
    scene.play(&MOVES[..2]).await;
    let mut joined = scene.gauss.subscribe_with_games().await.unwrap();
    let [game] = &joined.games[..] else { panic!("{:?}", joined.games) };
    assert_eq!((game.id(), game.position().ply()), (scene.game, 2));
    scene.play(&["Nf3"]).await;
    let board = |event: &Event| (event.kind() == EventKind::Position).then(|| event.affected_game());
    assert_eq!(wait_for(&mut joined.events, board).await, Some(scene.game));
    assert!(!drain(&mut joined.events).0.iter().any(|event| event.kind() == EventKind::Position), "once");
}

async fn a_slow_subscriber_is_told_how_many_it_missed() {
    let scene =
        Scene::open(|profile| profile.session(|session| session.requests(RequestLimits::default().kept_events(8))))
            .await;
    let mut slow = scene.gauss.subscribe();
    let mut all = scene.gauss.subscribe_lossless(4096);
    sleep(Duration::from_secs(1)).await;
    drain(&mut slow);
    drain(&mut all);
    scene.play(&MOVES).await;
    for _ in 0..20 {
        scene.gauss.request("date").await.unwrap();
    }
    let (all, _) = drain(&mut all);
    let first = slow.try_recv();
    let Err(RecvError::Lagged { missed }) = first else { panic!("{first:?}") };
    let (newest, more) = drain(&mut slow);
    assert_eq!((newest.len(), more), (8, 0));
    assert_eq!(usize::try_from(missed).unwrap() + newest.len(), all.len());
    assert_eq!(newest, all[all.len() - 8..], "the oldest kept comes next");
    assert_eq!(scene.gauss.counters().missed_events, missed);
}

async fn a_subscription_and_a_tap_are_streams() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let mut builder = Client::builder(test_server.account("Newton"));
    let (mut received, streamed) = (builder.subscribe_lossless(1 << 12), builder.subscribe_lossless(1 << 12));
    let tap = builder.tap();
    let client = builder.start().await.unwrap();
    client.ready().await.unwrap();
    client.shutdown().await;
    let mut want = Vec::new();
    while let Some(event) = received.next().await {
        want.push(event);
    }
    assert!(!want.is_empty());
    assert_eq!(StreamExt::collect::<Vec<_>>(streamed).await, want);
    let tapped = StreamExt::filter(tap, |item| ready(matches!(item.observation, Observation::Event { .. })));
    assert_eq!(tapped.count().await, want.len());
}

async fn one_that_never_reads_costs_the_others_nothing() {
    let scene = Scene::open(|profile| profile).await;
    let stuck = scene.gauss.subscribe();
    let mut readers: Vec<_> = (0..63).map(|_| scene.gauss.subscribe()).collect();
    let counting: Vec<_> = readers
        .drain(..)
        .map(|mut events| {
            tokio::spawn(async move {
                let mut n_boards = 0;
                while let Ok(event) = events.recv().await {
                    n_boards += usize::from(event.kind() == EventKind::Position);
                }
                n_boards
            })
        })
        .collect();
    for _ in 0..400 {
        scene.gauss.request("date").await.unwrap();
    }
    scene.play(&MOVES).await;
    scene.gauss.shutdown().await;
    for reader in counting {
        assert_eq!(reader.await.unwrap(), MOVES.len());
    }
    drop(stuck);
}

#[tokio::test(start_paused = true)]
async fn a_lossless_subscriber_that_is_full_holds_the_reader_and_loses_nothing() {
    let scene = Scene::open(|profile| profile).await;
    let mut all = scene.gauss.subscribe_lossless(2);
    sleep(Duration::from_secs(1)).await;
    scene.play(&MOVES).await;
    // Far longer than the server may be silent: that silence is ours.
    sleep(Duration::from_mins(5)).await;
    let mut heard: Vec<Event> = Vec::new();
    while heard.iter().filter(|event| event.kind() == EventKind::Position).count() < MOVES.len() {
        heard.push(Event::clone(&*all.recv().await.unwrap()));
    }
    assert!(!heard.iter().any(|event| matches!(event, Event::Lost(_))), "{heard:#?}");
}

/// Reads events until the end of the game, and checks at each of them what the handles say.
///
/// `before` is the counter of events before the subscription.
async fn check_handles_at_every_event(gauss: Client, before: u64, mut events: Subscription, mut watch: GameWatch) {
    let (mut n_received, mut last_ply) = (0, 0);
    while let Ok(event) = events.recv().await {
        n_received += u64::from(event.message().is_some());
        assert!(gauss.counters().session.events >= before + n_received, "the counters are older than {event:?}");
        let Some(change) = event.change() else { continue };
        let watched = watch.latest().unwrap();
        match event.message() {
            Some(Message::Style12(board)) => {
                last_ply = board.ply();
                assert!(watched.position().ply() >= last_ply, "the watch is older than {event:?}");
            }
            Some(Message::GameEnded(ended)) => {
                assert_eq!(watched.ending(), Some(&**ended));
                let game = change.ended_game.as_ref().unwrap();
                return assert_eq!((game.position().ply(), game.ending()), (last_ply, Some(&**ended)));
            }
            _ => {}
        }
    }
    panic!("the game did not end");
}

async fn watches_and_counters_are_at_least_as_new_as_a_received_event() {
    for is_lossless in [false, true] {
        let scene = Scene::open(|profile| profile).await;
        let watch = scene.gauss.watch_game(scene.game);
        let hub = scene.gauss.hub();
        let before = scene.gauss.counters().session.events;
        let events = if is_lossless { hub.subscribe_lossless(64) } else { hub.subscribe() };
        let checking = tokio::spawn(check_handles_at_every_event(scene.gauss.clone(), before, events, watch));
        for played in ["Nf3", "Nf6", "Ng1", "Ng8"].repeat(20).chunks(2) {
            play(&scene.newton, played[0]).await;
            play(&scene.euler, played[1]).await;
        }
        scene.newton.request("resign").await.unwrap();
        checking.await.unwrap();
    }
}

on_both_runtimes! {
    watches_and_counters_are_at_least_as_new_as_a_received_event,
    three_deliveries_tell_of_the_same_game,
    filters_pass_what_they_name,
    a_latecomer_has_the_games_first_and_then_what_follows,
    a_slow_subscriber_is_told_how_many_it_missed,
    a_subscription_and_a_tap_are_streams,
    one_that_never_reads_costs_the_others_nothing,
}
