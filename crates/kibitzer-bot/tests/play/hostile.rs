//! Hostile players, and files that cannot be written.

use std::path::PathBuf;
use std::time::Duration;

use kibitzer_bot::BotAction;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint};
use tokio::time::sleep;

use super::probe::{Log, probe};
use super::table::{Human, on_both_flavours, options, ready, serve, settings, weak};

#[tokio::test(start_paused = true)]
async fn files_that_cannot_be_written_are_reported_and_the_game_goes_on() {
    for path in [PathBuf::from("/dev/full"), std::env::temp_dir(), PathBuf::from("/nowhere/games.pgn")] {
        let (_server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        config.pgn.file = Some(path.clone());
        config.pgn.live_file = Some(PathBuf::from("/nowhere/live.pgn"));
        let bot = ready(config, weak()).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.begin(&["e2e4", "d2d3"]).await;
        bot.wait_for(BotAction::FileFailed, "live.pgn").await;
        human.client.resign().await.unwrap();
        bot.wait_for(BotAction::FileFailed, &path.display().to_string()).await;
        human.begin(&["e2e4"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn talk_of_the_opponent_reaches_neither_the_engine_nor_the_file() {
    let (_server, profile) = serve(options()).await;
    let path = std::env::temp_dir().join(format!("kibitzer-talk-{}.pgn", std::process::id()));
    let mut config = settings(&profile);
    config.pgn.file = Some(path.clone());
    let log = Log::default();
    let bot = ready(config, probe(&log, 0)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    for command in ["say", "tell Botvin", "kibitz", "whisper"] {
        human.send(&format!("{command} quitquit}} {{\u{7}1-0 [Event \"x\"] ; setoption name quitquit")).await;
    }
    human.play("d2d3").await;
    human.turn().await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "").await;
    assert!(!format!("{log:?}").contains("quitquit"), "{log:?}");
    let games = std::fs::read_to_string(&path).unwrap();
    assert!(!games.contains("quitquit") && games.trim_end().ends_with("0-1"), "{games}");
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn answers_to_one_player_have_a_pause() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.talk.answers.insert("hello".to_owned(), "hello yourself".to_owned());
    let bot = ready(config, weak()).await;
    let human = Human::log_in(&profile, "Alekhin").await;
    for _ in 0..200 {
        human.send("tell Botvin hello").await;
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(bot.count(BotAction::Said), 1);
    assert_eq!(bot.count(BotAction::Suppressed), 199, "each answer that is not sent is reported");
    sleep(Duration::from_secs(10)).await;
    human.send("tell Botvin hello").await;
    bot.wait_for_count(BotAction::Said, 2).await;
}

#[test]
fn answers_that_are_delayed_or_refused_are_reported_with_the_player() {
    on_both_flavours(|| async {
        let (server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        config.talk.answers.insert("hello".to_owned(), "hello yourself".to_owned());
        let bot = ready(config, weak()).await;
        let refusing = Human::log_in(&profile, "Alekhin").await;
        refusing.send("+censor Botvin").await;
        refusing.send("tell Botvin hello").await;
        bot.wait_for(BotAction::ServerRefused, "").await;
        let target = ConnectionTarget::Player("Botvin".to_owned());
        server.control().inject(target, FaultPoint::Now, Fault::Delay(Duration::from_secs(3))).await.unwrap();
        let other = Human::log_in(&profile, "Bogoljubov").await;
        other.send("tell Botvin hello").await;
        bot.wait_for(BotAction::Delayed, "the message was delivered after").await;
        let named =
            |action| bot.names_of(action, "").into_iter().map(|(_, player)| player.unwrap()).collect::<Vec<_>>();
        assert_eq!(named(BotAction::ServerRefused), ["Alekhin"]);
        assert_eq!(named(BotAction::Delayed), ["Bogoljubov"]);
    });
}

#[tokio::test(start_paused = true)]
async fn flood_of_challenges_gets_each_reason_once() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let human = Human::log_in(&profile, "Alekhin").await;
    for n in 0..200 {
        let minutes = if n % 2 == 0 { "0 1" } else { "5 90" };
        human.send(&format!("match Botvin {minutes} unrated")).await;
    }
    bot.wait_for_count(BotAction::Declined, 200).await;
    assert_eq!(bot.count(BotAction::Said), 2, "{:#?}", bot.actions().last());
}
