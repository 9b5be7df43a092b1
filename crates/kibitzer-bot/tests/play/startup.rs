//! The start of engines, before and during a session.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kibitzer::command::OfferRef;
use kibitzer::{Client, EventKind, Profile};
use kibitzer_bot::engine::EngineError;
use kibitzer_bot::{Bot, BotAction, BotConfig, BotError, ScriptedEngine, StartEngine, Stop, WeakPlayer};
use kibitzer_core::session::FirstConnect;
use kibitzer_server::Server;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::block_in_place;
use tokio::time::sleep;

use super::table::{
    Human, Running, TestEngine, on_both_flavours, options, ready, serve, serve_accounts, settings, shuffle, shuffler,
};

/// An engine that takes this time to start.
fn slow(time: Duration) -> impl StartEngine {
    move || async move {
        sleep(time).await;
        Ok::<_, EngineError>(ScriptedEngine::new(|position, _| Ok(shuffle(position))))
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// A server on which a bot and a human have an adjourned game. The bot is gone.
async fn adjourned() -> (Arc<Server>, BotConfig, Human) {
    let (server, config, human) = serve_accounts().await;
    let bot = ready(config.clone(), shuffler()).await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.kill();
    human.line("adjourned").await;
    (server, config, human)
}

#[test]
fn bot_with_a_slow_engine_resumes_its_adjourned_game_after_a_restart() {
    on_both_flavours(|| async {
        let (_server, config, mut human) = adjourned().await;
        let bot = Running::start(config, slow(SECOND));
        sleep(SECOND / 2).await;
        assert_eq!(bot.actions(), [], "the engine has not started");
        human.line("Challenge: Botvin").await;
        human.client.accept(OfferRef::Only).await.unwrap();
        bot.wait_for(BotAction::Started, "").await;
        human.play("a2a3").await;
        bot.wait_for(BotAction::Moved, "").await;
        assert_eq!(bot.count(BotAction::Declined), 0, "{:#?}", bot.actions());
    });
}

#[test]
fn challenge_and_resumption_wait_until_the_engine_of_an_existing_session_has_started() {
    on_both_flavours(|| async {
        let (_server, config, human) = adjourned().await;
        let client = Client::connect(config.accounts[0].clone()).await.unwrap();
        let bot = Running::start_with(Bot::new(config).engine(slow(SECOND)), |bot, stop| bot.run_with(client, stop));
        bot.wait_for(BotAction::Connection, "ready").await;
        human.send("match Botvin").await;
        sleep(SECOND / 2).await;
        let counts = [BotAction::Accepted, BotAction::Declined].map(|action| bot.count(action));
        assert_eq!(counts, [0, 0], "{:#?}", bot.actions());
        bot.wait_for(BotAction::Started, "").await;
        human.play("a2a3").await;
        bot.wait_for(BotAction::Moved, "").await;
        assert_eq!(bot.count(BotAction::Declined), 0, "{:#?}", bot.actions());
    });
}

#[tokio::test]
async fn server_that_is_not_there_is_reported_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let profile = Profile::new("127.0.0.1").ports([port]);
    let profile = profile.session(|session| session.first_connect(FirstConnect::Retry));
    let bot = Running::start(settings(&profile), shuffler());
    let reason = format!("cannot connect to 127.0.0.1:{port}: connection refused; next attempt in ");
    bot.wait_for(BotAction::Connection, &reason).await;
    assert_eq!(bot.names_of(BotAction::Connection, "lost"), []);
}

/// Other threads may run the session before the bot hands out its client.
#[tokio::test(flavor = "multi_thread")]
async fn function_for_clients_receives_the_events_from_the_beginning_of_the_session() {
    let (_server, profile) = serve(options()).await;
    let (sender, received) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let bot = Bot::new(settings(&profile)).engine(starting(1)).on_client(move |client, events| {
        block_in_place(|| Handle::current().block_on(client.ready())).unwrap();
        assert!(sender.lock().unwrap().take().unwrap().send(events).is_ok());
    });
    let stop = Stop::new();
    let playing = tokio::spawn(bot.run(stop.clone()));
    let mut events = received.await.unwrap();
    assert_eq!(events.recv().await.unwrap().kind(), EventKind::Connecting);
    while events.recv().await.unwrap().kind() != EventKind::SessionReady {}
    stop.force();
    playing.await.unwrap().unwrap();
}

/// An engine of which the first `n` starts succeed.
fn starting(n: usize) -> impl StartEngine {
    let starts = Arc::new(AtomicUsize::new(0));
    move || {
        let is_good = starts.fetch_add(1, Ordering::Relaxed) < n;
        async move { if is_good { Ok(WeakPlayer::new(1, Duration::ZERO)) } else { Err(EngineError::NoMove) } }
    }
}

#[tokio::test(start_paused = true)]
async fn engine_that_does_not_start_ends_the_bot_before_the_login() {
    let (_server, profile) = serve(options()).await;
    let human = Human::log_in(&profile, "Alekhin").await;
    let mut config = settings(&profile);
    config.accounts.push(profile.guest_as("Tal".parse().unwrap()));
    let bot = Bot::new(config).engine(starting(0)).on_client(|_, _| panic!("a session was started"));
    assert!(matches!(bot.run(Stop::new()).await, Err(BotError::Engine(EngineError::NoMove))));
    let who = human.client.request("who").await.unwrap().text();
    assert!(!who.contains("Botvin") && !who.contains("Tal"), "{who}");
}

#[test]
fn engine_of_one_account_that_does_not_start_is_reported_by_the_name_of_the_account_and_the_others_play_on() {
    on_both_flavours(|| async {
        let (_server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        config.accounts.push(profile.clone().guest_as("Tal".parse().unwrap()));
        let bot = Running::start(config, starting(1));
        bot.wait_for(BotAction::Connection, "ready").await;
        let failed = bot.names_of(BotAction::EngineFailed, "");
        let names: Vec<_> = failed.into_iter().filter_map(|(account, _)| account).collect();
        let (played, failed) = if names == ["Botvin"] { ("Tal", "Botvin") } else { ("Botvin", "Tal") };
        assert_eq!(names, [failed]);
        let human = Human::log_in(&profile, "Alekhin").await;
        human.send(&format!("match {played} 5 0 unrated")).await;
        bot.wait_for(BotAction::Started, "").await;
        bot.stop.force();
        assert!(matches!(bot.done.await.unwrap(), Err(BotError::Engine(EngineError::NoMove))));
    });
}

#[tokio::test(start_paused = true)]
async fn stop_during_the_start_does_not_hide_an_engine_that_failed() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accounts.push(profile.guest_as("Tal".parse().unwrap()));
    let starts = Arc::new(AtomicUsize::new(0));
    let bot = Running::start(config, move || {
        let n = starts.fetch_add(1, Ordering::Relaxed);
        async move {
            if n == 0 {
                return Err(EngineError::NoMove);
            }
            sleep(20 * SECOND).await;
            Ok(WeakPlayer::new(1, Duration::ZERO))
        }
    });
    bot.wait_for(BotAction::EngineFailed, "").await;
    bot.stop.force();
    assert!(matches!(bot.done.await.unwrap(), Err(BotError::Engine(EngineError::NoMove))));
}

#[tokio::test(start_paused = true)]
async fn engine_of_an_existing_session_that_does_not_start_ends_the_bot() {
    let (_server, profile) = serve(options()).await;
    let client = Client::connect(profile.guest_as("Botvin".parse().unwrap())).await.unwrap();
    let config = settings(&Profile::demo());
    let bot = Bot::new(config).engine(|| async { Err::<WeakPlayer, _>(EngineError::NoMove) });
    assert!(matches!(bot.run_with(client, Stop::new()).await, Err(BotError::Engine(_))));
}

#[tokio::test(start_paused = true)]
async fn engine_that_takes_long_is_named_after_five_seconds_and_a_stop_does_not_wait_for_it() {
    let (_server, profile) = serve(options()).await;
    let bot = Running::start(settings(&profile), slow(25 * SECOND));
    sleep(Duration::from_millis(5_100)).await;
    let actions = bot.actions();
    assert_eq!(
        actions,
        [(BotAction::StartingEngine, r#""engine" has not answered for 5s; the limit is 30s"#.to_owned())]
    );
    bot.stop.request_or_force();
    bot.done.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn seeks_and_challenges_wait_while_the_engine_is_started_again() {
    let (_server, profile) = serve(options()).await;
    let (fails, starts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let flag = Arc::clone(&fails);
    let engine = move || {
        let (n, flag) = (starts.fetch_add(1, Ordering::Relaxed), Arc::clone(&flag));
        async move {
            sleep(if n == 0 { Duration::ZERO } else { 20 * SECOND }).await;
            Ok(TestEngine::new(0, flag))
        }
    };
    let mut config = settings(&profile);
    config.seek.ads = vec!["5 0 unrated".to_owned()];
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    fails.store(true, Ordering::Relaxed);
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::EngineFailed, "").await;
    human.send("match Botvin 5 0 unrated").await;
    sleep(10 * SECOND).await;
    assert!(!human.client.request("sought all").await.unwrap().text().contains("Botvin"));
    let counts = [BotAction::Accepted, BotAction::Declined, BotAction::Delayed].map(|action| bot.count(action));
    assert_eq!(counts, [1, 0, 1], "{:#?}", bot.actions());
    bot.wait_for_count(BotAction::Started, 2).await;
    human.client.resign().await.unwrap();
    sleep(10 * SECOND).await;
    assert!(human.client.request("sought all").await.unwrap().text().contains("Botvin"), "{:#?}", bot.actions());
}
