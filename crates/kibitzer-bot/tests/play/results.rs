//! Results of the games: how they are counted, and reported to the owner and the caller.

use std::time::Duration;

use kibitzer::command::OfferRef;
use kibitzer_bot::engine::EngineError;
use kibitzer_bot::statistics::{LossCause, Statistics};
use kibitzer_bot::{Bot, BotAction};
use kibitzer_core::chess::Color;

use super::table::{Human, Running, options, scripted, serve, serve_accounts, settings, shuffle, shuffler, weak};

/// Returns the causes of the lost games.
fn causes(results: &Statistics) -> Vec<LossCause> {
    results.losses.iter().filter(|(_, n_lost)| **n_lost > 0).map(|(cause, _)| *cause).collect()
}

#[tokio::test(start_paused = true)]
async fn results_are_counted_reported_and_sent_to_the_owner() {
    let (_server, mut config, owner) = serve_accounts().await;
    config.talk.owners = vec!["Alekhin".parse().unwrap()];
    let bot = Bot::new(config).engine(weak());
    let results = bot.statistics();
    let bot = Running::start_bot(bot);
    bot.wait_for(BotAction::Connection, "ready").await;
    bot.wait_for(BotAction::StartedEngine, "").await;
    let mut human = Human::log_in_with(owner).await;
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Counted, "1 game: 1 won, 0 drawn, 0 lost").await;
    human.begin(&["e2e4"]).await;
    human.send("tell Botvin resign").await;
    bot.wait_for(BotAction::Counted, "2 games: 1 won, 0 drawn, 1 lost, Elo difference +0").await;
    // An aborted game has no result.
    human.challenge(|terms| terms.color(Color::White)).await;
    human.send("abort").await;
    bot.wait_for_count(BotAction::Counted, 3).await;
    human.send("tell Botvin status").await;
    human.line("2 games: 1 won, 0 drawn, 1 lost").await;
    let results = results.borrow();
    assert_eq!((results.total.games(), results.black.games(), results.without_result), (2, 2, 1));
    assert_eq!((results.opponents["Alekhin"], results.speeds["blitz"]), (results.total, results.total));
    assert_eq!((results.variants["chess"], causes(&results)), (results.total, vec![LossCause::Resignation]));
}

#[tokio::test(start_paused = true)]
async fn game_lost_because_the_engine_fails_is_a_failure_of_the_engine() {
    let (_server, profile) = serve(options()).await;
    let failing = scripted(|position, _| match position.moves.len() {
        0..6 => Ok(shuffle(position)),
        _ => Err(EngineError::NoMove),
    });
    let bot = Bot::new(settings(&profile)).engine(failing);
    let results = bot.statistics();
    let bot = Running::start_bot(bot);
    bot.wait_for(BotAction::Connection, "ready").await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d4", "c2c4"]).await;
    human.play("b2b3").await;
    bot.wait_for(BotAction::Counted, "1 lost").await;
    assert_eq!(causes(&results.borrow()), [LossCause::EngineFailure], "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn adjourned_game_counts_once_when_it_ends() {
    let (server, config, human) = serve_accounts().await;
    let bot = Running::start_bot(Bot::new(config).engine(shuffler()));
    bot.wait_for(BotAction::Connection, "ready").await;
    bot.wait_for(BotAction::StartedEngine, "").await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.cut(&server).await;
    human.line("Challenge: Botvin").await;
    human.client.accept(OfferRef::Only).await.unwrap();
    bot.wait_for_count(BotAction::Started, 2).await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Counted, "1 game: 1 won").await;
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(bot.count(BotAction::Counted), 1, "{:#?}", bot.actions());
}
