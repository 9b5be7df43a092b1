//! Lost connections, restarts, and adjourned games.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kibitzer::command::OfferRef;
use kibitzer::{Dial, Profile};
use kibitzer_bot::{BotAction, BotConfig, EngineConfig, ScriptedEngine};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Server};
use tokio::time::sleep;

use super::probe::{Log, probe};
use super::table::{Human, Running, options, ready, serve, serve_accounts, settings, shuffle, shuffler, weak};

/// Accepts the bot's challenge to resume the adjourned game.
async fn resume(human: &mut Human, bot: &Running) {
    human.line("Challenge: Botvin").await;
    // ICC announces the game as a new one, which a new process cannot distinguish.
    let n_started = bot.count(BotAction::Started);
    human.client.accept(OfferRef::Only).await.unwrap();
    bot.wait_for_count(BotAction::Started, n_started + 1).await;
}

#[tokio::test(start_paused = true)]
async fn killed_bot_that_is_started_again_resumes_its_game_with_all_moves() {
    let (_server, config, human) = serve_accounts().await;
    let bot = ready(config.clone(), shuffler()).await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.kill();
    human.line("adjourned").await;
    let log = Log::default();
    let bot = ready(config, probe(&log, 0)).await;
    resume(&mut human, &bot).await;
    human.play("a2a3").await;
    bot.wait_for(BotAction::Moved, "").await;
    let searched = log.lock().unwrap().iter().rfind(|call| call.starts_with("search")).cloned().unwrap();
    assert!(searched.contains(r#"["e2e4", "g8f6", "d2d3", "f6g8", "f1e2", "g8f6", "a2a3"]"#), "{searched}");
}

#[tokio::test(start_paused = true)]
async fn connection_lost_while_the_engine_thinks_leads_to_one_move_in_the_resumed_game() {
    let (server, config, human) = serve_accounts().await;
    let engine =
        || async { Ok(ScriptedEngine::new(|position, _| Ok(shuffle(position))).delay(Duration::from_secs(9))) };
    let bot = ready(config, engine).await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    human.play("a2a3").await;
    bot.wait_for(BotAction::Thinking, "move 4").await;
    bot.cut(&server).await;
    resume(&mut human, &bot).await;
    assert_eq!(bot.count(BotAction::Moved), 3, "the old search was stopped");
    assert_eq!(human.turn().await.ply(), 8);
    let counts = [BotAction::Moved, BotAction::Dropped, BotAction::ServerRefused].map(|action| bot.count(action));
    assert_eq!(counts, [4, 0, 0], "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn guest_whose_game_was_lost_with_the_connection_plays_the_next_one() {
    let (server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.cut(&server).await;
    human.end().await;
    bot.wait_for(BotAction::Ended, "").await;
    sleep(Duration::from_secs(5)).await;
    human.begin(&["e2e4"]).await;
    assert_eq!(bot.count(BotAction::Declined), 0, "{:#?}", bot.actions());
}

/// A profile whose attempts to connect go to the current server, if there is one, and a counter of the attempts.
fn replaceable(profile: &Profile, server: &Arc<Mutex<Option<Arc<Server>>>>) -> (Profile, Arc<AtomicUsize>) {
    let attempts = Arc::new(AtomicUsize::new(0));
    let (server, counter) = (Arc::clone(server), Arc::clone(&attempts));
    let dial = Dial::with(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        let server = server.lock().unwrap().clone();
        async move { server.ok_or(io::ErrorKind::ConnectionRefused)?.connect().await }
    });
    (profile.clone().dial(dial), attempts)
}

#[tokio::test(start_paused = true)]
async fn server_that_is_gone_for_a_while_and_kept_the_game_gets_it_played_on() {
    let (server, config, human) = serve_accounts().await;
    let reachable = Arc::new(Mutex::new(Some(Arc::clone(&server))));
    let (account, attempts) = replaceable(&config.accounts[0], &reachable);
    let bot = ready(BotConfig::new(account, EngineConfig::new(["none"])), shuffler()).await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    *reachable.lock().unwrap() = None;
    bot.cut(&server).await;
    sleep(Duration::from_mins(10)).await;
    let n_attempts = attempts.load(Ordering::Relaxed);
    assert!((4..60).contains(&n_attempts), "{n_attempts}: {:#?}", bot.actions());
    *reachable.lock().unwrap() = Some(server);
    resume(&mut human, &bot).await;
    human.play("a2a3").await;
    human.turn().await;
}

#[tokio::test(start_paused = true)]
async fn server_that_is_started_again_without_its_games_gets_new_ones_played() {
    let (first, profile) = serve(options()).await;
    let reachable = Arc::new(Mutex::new(Some(Arc::clone(&first))));
    let (profile, _) = replaceable(&profile, &reachable);
    let bot = ready(settings(&profile), shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    *reachable.lock().unwrap() = None;
    first.control().shutdown(Duration::ZERO).await.unwrap();
    bot.wait_for(BotAction::Connection, "lost").await;
    let (second, _) = serve(options()).await;
    *reachable.lock().unwrap() = Some(second);
    bot.wait_for_count(BotAction::Connection, bot.count(BotAction::Connection) + 1).await;
    sleep(Duration::from_mins(1)).await;
    let mut human = Human::log_in(&profile, "Bogoljubov").await;
    human.begin(&["e2e4"]).await;
    assert_eq!(bot.count(BotAction::Declined), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn adjourned_game_goes_on_when_the_opponent_comes_back() {
    let (_server, config, profile) = serve_accounts().await;
    let bot = ready(config, shuffler()).await;
    let mut human = Human::log_in_with(profile.clone()).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    human.client.quit().await;
    bot.wait_for(BotAction::Ended, "adjourned").await;
    sleep(Duration::from_hours(2)).await;
    let mut human = Human::log_in_with(profile).await;
    resume(&mut human, &bot).await;
    human.play("a2a3").await;
    human.turn().await;
    assert_eq!(bot.count(BotAction::Moved), 4, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn connection_lost_before_the_first_board_leaves_the_bot_ready_to_play() {
    for fault in [Fault::Cut, Fault::Stall] {
        let (server, config, profile) = serve_accounts().await;
        let bot = ready(config, weak()).await;
        let mut human = Human::log_in_with(profile).await;
        let target = ConnectionTarget::Player("Botvin".to_owned());
        server.control().inject(target, FaultPoint::NextBoard, fault).await.unwrap();
        human.send("match Botvin 5 0 unrated white").await;
        bot.wait_for(BotAction::Accepted, "").await;
        bot.wait_for(BotAction::Connection, "lost").await;
        bot.wait_for_count(BotAction::Connection, 3).await;
        sleep(Duration::from_secs(30)).await;
        if bot.count(BotAction::Started) == 0 {
            human.send("match Botvin 5 0 unrated white").await;
            human.send("accept").await;
        }
        bot.wait_for(BotAction::Started, "").await;
        human.play("e2e4").await;
        human.turn().await;
    }
}

#[tokio::test(start_paused = true)]
async fn damaged_or_slow_output_of_the_server_does_not_cost_the_game() {
    let damages = [Fault::Garbage(300), Fault::OverLong(100_000), Fault::Split(1)];
    for fault in damages.into_iter().chain([Fault::Delay(Duration::from_secs(1))]) {
        for point in [FaultPoint::NextBoard, FaultPoint::Now] {
            let (server, profile) = serve(options()).await;
            let bot = ready(settings(&profile), shuffler()).await;
            let mut human = Human::log_in(&profile, "Alekhin").await;
            human.begin(&["e2e4"]).await;
            let target = ConnectionTarget::Player("Botvin".to_owned());
            server.control().inject(target, point, fault).await.unwrap();
            for played in ["d2d3", "f1e2", "a2a3"] {
                human.play(played).await;
                human.turn().await;
            }
            assert_eq!(bot.count(BotAction::EngineFailed), 0, "{fault:?} {:#?}", bot.actions());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn seeks_are_open_once_after_a_lost_connection() {
    let (server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.seek.ads = vec!["5 0 unrated".to_owned()];
    let bot = ready(config, weak()).await;
    bot.wait_for(BotAction::Sought, "").await;
    sleep(Duration::from_secs(1)).await;
    bot.cut(&server).await;
    sleep(Duration::from_mins(1)).await;
    let human = Human::log_in(&profile, "Alekhin").await;
    let sought = human.client.request("sought all").await.unwrap().text();
    assert_eq!((sought.matches("Botvin").count(), bot.count(BotAction::Sought)), (1, 1), "{sought}");
}

#[tokio::test(start_paused = true)]
async fn resumed_game_counts_as_one_game_with_the_opponent() {
    let (server, mut config, profile) = serve_accounts().await;
    config.accept.games_per_opponent_per_day = 2;
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in_with(profile).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.cut(&server).await;
    resume(&mut human, &bot).await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "resigns").await;
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Ended, 2).await;
    human.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Declined, "2 games a day").await;
}
