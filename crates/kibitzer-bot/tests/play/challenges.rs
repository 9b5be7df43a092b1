//! Challenges and offers as some servers send them: by number only, and during the set-up.

use std::time::Duration;

use kibitzer_bot::BotAction;
use kibitzer_bot::config::{Computers, MatchmakingRules};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, ServerOptions};

use super::table::{Human, Running, ready, serve, serve_accounts, settings, weak};
use super::whom::bot_on;

/// As on FatICS.
#[tokio::test(start_paused = true)]
async fn offers_are_answered_by_number_where_the_server_ignores_names() {
    let (_server, profile) = serve(ServerOptions::new().without(Feature::OfferNames)).await;
    let mut config = settings(&profile);
    let mut matchmaking = MatchmakingRules::against(["Euwe".parse().unwrap()], "3 0 unrated");
    matchmaking.pause = Duration::from_mins(2);
    config.matchmaking = Some(matchmaking);
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    human.client.draw().await.unwrap();
    human.line("declines your draw offer").await;
    human.client.resign().await.unwrap();

    let mut euwe = Human::log_in(&profile, "Euwe").await;
    euwe.line("Challenge: Botvin").await;
    euwe.line("Botvin withdraws the match offer").await;
    assert_eq!(bot.count(BotAction::ServerRefused), 0, "{:#?}", bot.actions());
}

/// Plays so many moves, cuts the bot's connection, and challenges it as soon as it has logged in again.
async fn challenge_after_a_lost_connection(moves: &[&str], challenge: &str) -> (Running, Human) {
    let (server, config, human) = serve_accounts().await;
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in_with(human).await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    for played in moves {
        human.play(played).await;
        human.turn().await;
    }
    human.client.request("set pin 1").await.unwrap();
    let target = ConnectionTarget::Player("Botvin".to_owned());
    server.control().inject(target, FaultPoint::Now, Fault::Reset).await.unwrap();
    human.line("[Botvin has connected").await;
    // The bot is still being set up.
    drop(human.client.request(challenge).await);
    (bot, human)
}

#[tokio::test(start_paused = true)]
async fn challenge_to_resume_the_interrupted_game_is_accepted_at_once() {
    let (bot, _human) = challenge_after_a_lost_connection(&["e2e4", "d2d3", "f1e2"], "match Botvin").await;
    bot.wait_for(BotAction::Started, "resumed").await;
    assert_eq!(bot.count(BotAction::Declined), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn game_that_the_server_did_not_keep_makes_way_for_the_next_one() {
    let (bot, mut human) = challenge_after_a_lost_connection(&[], "match Botvin 5 0 unrated").await;
    human.board(|_| true).await;
    assert_eq!((bot.count(BotAction::Started), bot.count(BotAction::Declined)), (2, 0), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn challenge_before_the_session_is_ready_is_answered_when_it_is() {
    let (_server, profile) = serve(ServerOptions::new()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.client.request("set pin 1").await.unwrap();
    let _bot = Running::start(settings(&profile), weak());
    human.line("[Botvin").await;
    drop(human.client.request("match Botvin 5 0 unrated").await);
    human.board(|_| true).await;
}

#[tokio::test(start_paused = true)]
async fn request_for_a_simul_is_accepted_one_at_a_time_or_declined() {
    for is_given in [false, true] {
        let (bot, account) = bot_on(ServerOptions::new(), |config| {
            config.accept.simuls = is_given;
            config.accept.computers = Computers::Excluded;
            config.login.commands = vec!["simopen".to_owned()];
        })
        .await;
        let mut human = Human::log_in_with(account("Alekhin")).await;
        human.send("simmatch Botvin").await;
        if !is_given {
            human.line("the bot gives no simuls").await;
            continue;
        }
        bot.wait_for(BotAction::Started, "").await;
        human.turn().await;
        human.play("e7e5").await;
        human.turn().await;
        assert_eq!(bot.count(BotAction::Moved), 2, "{:#?}", bot.actions());
        let euwe = Human::log_in_with(account("Euwe")).await;
        euwe.send("simmatch Botvin").await;
        bot.wait_for(BotAction::Declined, "a game is in progress").await;
        human.client.resign().await.unwrap();
        bot.wait_for(BotAction::Ended, "").await;
        Human::log_in_with(account("Robot")).await.send("simmatch Botvin").await;
        bot.wait_for(BotAction::Declined, "computers are not played").await;
        euwe.send("simmatch Botvin").await;
        bot.wait_for_count(BotAction::Started, 2).await;
    }
}
