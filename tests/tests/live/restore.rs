//! What comes back after a lost connection.

use std::time::Duration;

use kibitzer::Client;
use kibitzer::command::{self, GameTerms, OfferOutcome};
use kibitzer_core::Event;
use kibitzer_core::event::{RestoreOutcome, Restored};
use kibitzer_core::game::Change;
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::{GameId, Ivar, Message, Relation};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily, ServerOptions};
use kibitzer_tests::live::{TestServer, begin_game, options, play, wait_for};
use kibitzer_tests::on_both_runtimes;

const NAMES: [&str; 3] = ["Newton", "Euler", "Gauss"];

/// Gauss observes the game of Newton and Euler, one move old.
struct Scene {
    test_server: TestServer,
    newton: Client,
    euler: Client,
    gauss: Client,
    events: Subscription,
    game: GameId,
}

impl Scene {
    async fn open(without: &[Feature]) -> Self {
        Self::with(without.iter().fold(options(&NAMES), |options, &feature| options.without(feature)), &[]).await
    }

    /// Gauss wants these ivars.
    async fn with(options: ServerOptions, wanted: &[Ivar]) -> Self {
        let test_server = TestServer::start(options).await;
        let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
        let profile = wanted
            .iter()
            .fold(test_server.account("Gauss"), |profile, &ivar| profile.session(|session| session.with_ivar(ivar)));
        let gauss = Client::connect(profile).await.unwrap();
        let events = gauss.subscribe();
        let game = begin_game(&newton, &euler).await;
        play(&newton, "e4").await;
        gauss.observe(game).await.unwrap();
        Self { test_server, newton, euler, gauss, events, game }
    }

    /// Gauss' connection breaks, and no other one is made before [`restored`](Self::restored).
    async fn lose(&mut self) {
        self.test_server.dial_target().hold();
        let control = self.test_server.server().control();
        control.inject(ConnectionTarget::Player("Gauss".to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
        wait_for(&mut self.events, |event| matches!(event, Event::Lost(_)).then_some(())).await;
    }

    async fn restored(&mut self) -> Restored {
        self.test_server.dial_target().release();
        let restored = wait_for(&mut self.events, |event| match event {
            Event::Restored(restored) => Some((**restored).clone()),
            _ => None,
        });
        restored.await
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_that_stood_still_is_as_it_was() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let mut scene = Scene::open(without).await;
        scene.lose().await;
        let restored = scene.restored().await;
        let [game] = &restored.games[..] else { panic!("{restored:?}") };
        assert_eq!((game.was, game.now, game.relation), (scene.game, Some(scene.game), Relation::Observing));
        assert_eq!((game.outcome, game.moves_missing, &game.moves), (RestoreOutcome::Unchanged, false, &None));
        assert!(restored.offline_for <= Duration::from_secs(2), "{restored:?}");
    }
}

async fn moves_that_were_missed_are_listed() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let mut scene = Scene::open(without).await;
        scene.lose().await;
        for (client, played) in [(&scene.euler, "e5"), (&scene.newton, "Nf3"), (&scene.euler, "Nc6")] {
            play(client, played).await;
        }
        let restored = scene.restored().await;
        let [game] = &restored.games[..] else { panic!("{restored:?}") };
        assert_eq!((game.now, game.outcome), (Some(scene.game), RestoreOutcome::advanced(3)));
        assert!(game.moves_missing);
        let moves: Vec<_> = game.moves.as_ref().unwrap().moves.iter().map(|played| played.san.as_str()).collect();
        assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6"]);
        // It is followed again.
        let mut watch = scene.gauss.watch_game(scene.game);
        while watch.latest().is_none() {
            watch.changed().await.unwrap();
        }
        play(&scene.newton, "Bb5").await;
        watch.changed().await.unwrap();
        assert_eq!(watch.latest().unwrap().position().ply(), 5);
    }
}

async fn games_of_icc_come_back_as_lines_and_as_moves() {
    for wanted in [&[][..], &[Ivar::CompressMove]] {
        let mut scene = Scene::with(options(&NAMES).family(ImitatedFamily::Icc), wanted).await;
        scene.lose().await;
        play(&scene.euler, "e5").await;
        play(&scene.newton, "Nf3").await;
        let restored = scene.restored().await;
        let [game] = &restored.games[..] else { panic!("{restored:?}") };
        assert_eq!((game.now, game.outcome), (Some(scene.game), RestoreOutcome::advanced(2)), "{wanted:?}");
        let moves: Vec<_> = game.moves.as_ref().unwrap().moves.iter().map(|played| played.san.as_str()).collect();
        assert_eq!(moves, ["e4", "e5", "Nf3"], "{wanted:?}");
    }
}

async fn a_game_that_ended_meanwhile_is_gone() {
    let mut scene = Scene::open(&[]).await;
    scene.lose().await;
    scene.newton.request("resign").await.unwrap();
    let restored = scene.restored().await;
    let [game] = &restored.games[..] else { panic!("{restored:?}") };
    assert_eq!((game.now, game.outcome, game.moves_missing), (None, RestoreOutcome::Gone, true));
}

async fn another_game_under_the_number_is_not_taken_for_it() {
    let mut scene = Scene::open(&[]).await;
    let hooke = scene.test_server.guest("Hooke").await;
    let boyle = scene.test_server.guest("Boyle").await;
    scene.lose().await;
    scene.newton.request("resign").await.unwrap();
    let other = begin_game(&hooke, &boyle).await;
    assert_eq!(other, scene.game, "numbers are used again");
    let again = begin_game(&scene.newton, &scene.euler).await;
    let restored = scene.restored().await;
    let [game] = &restored.games[..] else { panic!("{restored:?}") };
    assert_eq!(game.was, scene.game);
    let replaced = RestoreOutcome::replaced(Some(again));
    assert_eq!((game.now, game.outcome, game.moves_missing), (None, replaced, true), "{game:?}");
    let followed = scene.gauss.subscribe_with_games().await.unwrap().games;
    assert_eq!(
        followed.iter().filter(|game| game.is_followed_and_ongoing()).map(|game| game.id()).collect::<Vec<_>>(),
        [again]
    );
}

async fn a_game_of_ones_own_is_adjourned() {
    let mut scene = Scene::open(&[]).await;
    scene.newton.request("resign").await.unwrap();
    scene.gauss.unobserve_all().await.ok();
    let own = begin_game(&scene.gauss, &scene.newton).await;
    let (white, black) = (&scene.gauss, &scene.newton);
    for (client, played) in [(white, "e4"), (black, "e5"), (white, "Nf3"), (black, "Nc6"), (white, "Bc4")] {
        play(client, played).await;
    }
    scene.lose().await;
    let restored = scene.restored().await;
    let own = restored.games.iter().find(|game| game.was == own && game.relation.is_mine()).unwrap();
    assert_eq!((own.now, own.outcome), (None, RestoreOutcome::Adjourned), "{restored:?}");
    let guest = scene.test_server.guest("Hooke").await;
    let mut events = guest.subscribe();
    begin_game(&guest, &scene.euler).await;
    let control = scene.test_server.server().control();
    control.inject(ConnectionTarget::Player("Hooke".to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
    let restored = wait_for(&mut events, |event| match event {
        Event::Restored(restored) => Some((**restored).clone()),
        _ => None,
    });
    assert_eq!(restored.await.games[0].outcome, RestoreOutcome::Interrupted, "no server keeps games of guests");
}

async fn seeks_that_stood_are_made_again_and_no_others() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let mut scene = Scene::open(without).await;
        let seek = |min| command::seek(GameTerms::new().time(min, 0).unrated());
        scene.gauss.request(&seek(3)).await.unwrap();
        let OfferOutcome::Posted { index, .. } = scene.gauss.request(&seek(5)).await.unwrap() else { panic!() };
        scene.gauss.request(&seek(15)).await.unwrap();
        scene.gauss.unseek(index).await.unwrap();
        scene.lose().await;
        assert!(scene.newton.sought().await.unwrap().seeks.is_empty(), "the server has forgotten them");
        let restored = scene.restored().await;
        let seeks: Vec<_> = restored.seeks.iter().map(|seek| (seek.command.as_str(), &seek.error)).collect();
        assert_eq!(seeks, [("seek 3 0 unrated", &None), ("seek 15 0 unrated", &None)], "{without:?}");
        let sought = scene.newton.sought().await.unwrap();
        assert_eq!(sought.seeks.iter().map(|seek| seek.initial_min).collect::<Vec<_>>(), [Some(3), Some(15)]);
    }
}

async fn the_set_up_is_made_again() {
    let mut scene = Scene::open(&[]).await;
    let before = scene.gauss.capabilities();
    scene.lose().await;
    scene.restored().await;
    assert_eq!(scene.gauss.capabilities(), before);
    assert_eq!(scene.gauss.handle().unwrap().as_str(), "Gauss");
    assert!(scene.gauss.request("variables").await.unwrap().text().contains("style=12"));
}

async fn settings_of_a_guest_are_set_again() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let scene = Scene::open(without).await;
        let profile = scene.test_server.profile().guest_as("Hooke".parse().unwrap()).variable("gin", "1").unwrap();
        let hooke = Client::connect(profile).await.unwrap();
        let mut events = hooke.subscribe();
        hooke.request("+channel 7").await.unwrap();
        hooke.request("set kiblevel 1000").await.unwrap();
        let control = scene.test_server.server().control();
        control.inject(ConnectionTarget::Player("Hooke".to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
        let restored = wait_for(&mut events, |event| match event {
            Event::Restored(restored) => Some((**restored).clone()),
            _ => None,
        })
        .await;
        let settings: Vec<_> = restored.settings.iter().map(|set| (set.command.as_str(), &set.error)).collect();
        assert_eq!(
            settings,
            [("set gin 1", &None), ("+channel 7", &None), ("set kiblevel 1000", &None)],
            "{without:?}"
        );
        scene.newton.request("resign").await.unwrap();
        let ended = wait_for(&mut events, |event| match event.message() {
            Some(Message::GameEnded(ended)) => Some(ended.game),
            _ => None,
        });
        assert_eq!(ended.await, scene.game, "announced to those who have gin on");
        let channel = hooke.request("inchannel 7").await.unwrap().text();
        assert!(channel.contains("Hooke"), "{channel}");
    }
}

async fn a_game_that_is_only_looked_at_is_marked_and_not_watched() {
    let mut scene = Scene::open(&[]).await;
    let mut watch = scene.gauss.watch_game(scene.game);
    let hooke = scene.test_server.guest("Hooke").await;
    let boyle = scene.test_server.guest("Boyle").await;
    while watch.latest().is_none() {
        watch.changed().await.unwrap();
    }
    let identity = watch.latest().unwrap().identity();
    let mut lossless = scene.gauss.subscribe_lossless(10_000);
    scene.lose().await;
    scene.newton.request("resign").await.unwrap();
    assert_eq!(begin_game(&hooke, &boyle).await, scene.game, "numbers are used again");
    scene.test_server.dial_target().release();
    let replaced = loop {
        let event = lossless.recv().await.unwrap();
        if let Some(game) = watch.latest() {
            assert_eq!(game.identity(), identity, "{event:?}");
        }
        match &*event {
            Event::Restored(restored) => break restored.games[0].outcome,
            event => assert!(event.change().is_none_or(Change::is_by_restoration), "{event:?}"),
        }
    };
    assert_eq!(replaced, RestoreOutcome::replaced(None));
    let games = scene.gauss.subscribe_with_games().await.unwrap().games;
    assert!(!games.iter().any(|game| game.is_followed_and_ongoing()), "{games:?}");
}

on_both_runtimes! {
    moves_that_were_missed_are_listed,
    games_of_icc_come_back_as_lines_and_as_moves,
    a_game_that_ended_meanwhile_is_gone,
    another_game_under_the_number_is_not_taken_for_it,
    a_game_of_ones_own_is_adjourned,
    seeks_that_stood_are_made_again_and_no_others,
    the_set_up_is_made_again,
    settings_of_a_guest_are_set_again,
    a_game_that_is_only_looked_at_is_marked_and_not_watched,
}
