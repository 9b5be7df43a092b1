//! Adjourned games are resumed after a lost connection.

use std::time::Duration;

use kibitzer::Client;
use kibitzer::command::OfferOutcome;
use kibitzer_core::Event;
use kibitzer_core::event::ResumptionState;
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::{GameId, MeOrOther, Message};
use kibitzer_core::session::AdjournedGames;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily, ServerOptions};
use kibitzer_tests::live::{TestServer, begin_game, drain, options, play, wait_for};

const NAMES: [&str; 2] = ["Newton", "Euler"];

/// Newton's connection breaks in his game with Euler, who stays. Newton resumes adjourned games.
struct Scene {
    test_server: TestServer,
    newton: Client,
    newtons: Subscription,
    euler: Client,
    eulers: Subscription,
}

/// Begins a game that is long enough to be adjourned.
async fn begin(white: &Client, black: &Client) {
    begin_game(white, black).await;
    for (client, played) in [(white, "e4"), (black, "e5"), (white, "Nf3"), (black, "Nc6"), (white, "Bc4")] {
        play(client, played).await;
    }
}

impl Scene {
    async fn open(options: ServerOptions) -> Self {
        let test_server = TestServer::start(options).await;
        let newton =
            Client::connect(test_server.account("Newton").session(|session| session.adjourned(AdjournedGames::Resume)))
                .await
                .unwrap();
        let euler = test_server.player("Euler").await;
        begin(&newton, &euler).await;
        let (newtons, eulers) = (newton.subscribe(), euler.subscribe());
        Self { test_server, newton, newtons, euler, eulers }
    }

    async fn lose(&self, name: &str) {
        let control = self.test_server.server().control();
        control.inject(ConnectionTarget::Player(name.to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
    }

    /// The next state of Newton's adjourned game.
    async fn state(&mut self) -> ResumptionState {
        next_state(&mut self.newtons).await
    }
}

async fn next_state(events: &mut Subscription) -> ResumptionState {
    let state = wait_for(events, |event| match event {
        Event::AdjournedGame(game) => Some(game.state.clone()),
        _ => None,
    });
    tokio::time::timeout(Duration::from_mins(1), state).await.unwrap()
}

fn is_challenge(event: &Event) -> Option<bool> {
    match event.message() {
        Some(Message::Challenge(challenge)) if challenge.actor == MeOrOther::Other => Some(challenge.adjourned),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_goes_on_after_a_lost_connection() {
    for options in
        [options(&NAMES), options(&NAMES).without(Feature::BlockMode), options(&NAMES).family(ImitatedFamily::Icc)]
    {
        let mut scene = Scene::open(options).await;
        scene.lose("Newton").await;
        assert_eq!(scene.state().await, ResumptionState::Stored);
        assert_eq!(scene.state().await, ResumptionState::Challenged);
        assert!(wait_for(&mut scene.eulers, is_challenge).await);
        scene.euler.request("accept").await.unwrap();
        assert!(matches!(scene.state().await, ResumptionState::Resumed { .. }));
        play(&scene.euler, "Bc5").await;
        play(&scene.newton, "d3").await;
        let (later, _) = drain(&mut scene.eulers);
        assert_eq!(later.iter().filter_map(is_challenge).count(), 0, "one challenge");

        // It is the opponent's connection this time.
        for answer in ["accept", "decline"] {
            scene.lose("Euler").await;
            assert_eq!(scene.state().await, ResumptionState::Stored);
            assert_eq!(scene.state().await, ResumptionState::Challenged);
            assert!(wait_for(&mut scene.eulers, is_challenge).await);
            scene.euler.ready().await.unwrap();
            scene.euler.request(answer).await.unwrap();
            let state = scene.state().await;
            assert!(matches!(
                (answer, &state),
                ("accept", ResumptionState::Resumed { .. }) | (_, ResumptionState::Declined)
            ));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_sessions_that_resume_meet_in_one_game() {
    let test_server = TestServer::start(options(&NAMES)).await;
    let resuming = async |name| {
        Client::connect(test_server.account(name).session(|session| session.adjourned(AdjournedGames::Resume)))
            .await
            .unwrap()
    };
    let (newton, euler) = (resuming("Newton").await, resuming("Euler").await);
    let mut events = [newton.subscribe(), euler.subscribe()];
    begin(&newton, &euler).await;
    for name in NAMES {
        let control = test_server.server().control();
        control.inject(ConnectionTarget::Player(name.to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
    }
    let mut games = Vec::new();
    for events in &mut events {
        games.push(loop {
            if let ResumptionState::Resumed { game, .. } = next_state(events).await {
                break game;
            }
        });
    }
    assert_eq!(games, [GameId(1), GameId(1)]);
}

#[tokio::test(start_paused = true)]
async fn games_are_resumed_and_played_again_by_request() {
    let test_server = TestServer::start(options(&NAMES)).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let mut events = newton.subscribe();
    begin(&newton, &euler).await;
    let control = test_server.server().control();
    control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, Fault::Reset).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::Restored(_)).then_some(())).await;
    let challenges = newton.resume_all().await.unwrap();
    assert!(matches!(&challenges[..], [OfferOutcome::Challenged(sent)] if sent.adjourned), "{challenges:?}");
    let challenges = euler.resume("Newton").await.unwrap();
    assert!(matches!(&challenges[..], [OfferOutcome::Started(game)] if game.resumed), "{challenges:?}");
    newton.request("resign").await.unwrap();
    let rematch = newton.rematch().await.unwrap();
    assert!(matches!(rematch, OfferOutcome::Challenged(sent) if !sent.adjourned && sent.to.as_str() == "Euler"));
    let rematch = euler.rematch().await.unwrap();
    assert!(matches!(rematch, OfferOutcome::Started(game) if !game.resumed));
}
