//! Between games: challenges, rematches, seeks, simuls, and several accounts.

use std::time::Duration;

use kibitzer::{Handle, Profile};
use kibitzer_bot::config::{Computers, MatchmakingRules};
use kibitzer_bot::{BotAction, BotConfig, BotError, EngineConfig};
use kibitzer_core::chess::Color;
use kibitzer_core::session::Password;
use kibitzer_server::{Account, PopulationOptions};
use tokio::time::{sleep, timeout};

use super::table::{Human, Running, on_both_flavours, options, ready, serve, serve_accounts, settings, weak};

const MINUTE: Duration = Duration::from_mins(1);

/// A bot with these settings, and a human beside it.
async fn beside(set: impl FnOnce(&mut BotConfig)) -> (Running, Human, Profile) {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    set(&mut config);
    let human = Human::log_in(&profile, "Alekhin").await;
    (ready(config, weak()).await, human, profile)
}

/// A bot with these settings, and its owner beside it, both registered.
async fn beside_owner(set: impl FnOnce(&mut BotConfig)) -> (Running, Human) {
    let (_server, mut config, owner) = serve_accounts().await;
    config.talk.owners = vec!["Alekhin".parse().unwrap()];
    set(&mut config);
    let owner = Human::log_in_with(owner).await;
    (ready(config, weak()).await, owner)
}

/// The bot challenges this player.
fn challenging(config: &mut BotConfig) {
    let player: Handle = "Alekhin".parse().unwrap();
    config.matchmaking = Some(MatchmakingRules::against([player], "5 0 unrated"));
}

#[tokio::test(start_paused = true)]
async fn player_who_declines_is_not_challenged_again_for_a_day() {
    let (bot, mut human, _) = beside(challenging).await;
    human.line("Challenge: Botvin").await;
    human.send("decline").await;
    bot.wait_for(BotAction::Challenged, "was declined").await;
    sleep(Duration::from_hours(23)).await;
    assert_eq!(bot.count(BotAction::Challenged), 2, "{:#?}", bot.actions());
    sleep(Duration::from_hours(2)).await;
    assert!(bot.count(BotAction::Challenged) > 2, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn challenge_without_an_answer_is_withdrawn() {
    let (bot, mut human, _) = beside(challenging).await;
    human.line("Challenge: Botvin").await;
    human.line("Botvin withdraws").await;
    bot.wait_for(BotAction::Challenged, "withdrawn").await;
}

#[tokio::test(start_paused = true)]
async fn challenge_is_withdrawn_when_an_owner_pauses_the_bot() {
    let (bot, mut human) = beside_owner(challenging).await;
    human.line("Challenge: Botvin").await;
    human.send("tell Botvin pause").await;
    human.line("Botvin withdraws").await;
    human.send("tell Botvin play").await;
    human.line("Challenge: Botvin").await;
    human.send("accept").await;
    bot.wait_for(BotAction::Started, "").await;
}

#[tokio::test(start_paused = true)]
async fn player_who_was_away_is_challenged_later() {
    let (bot, human, profile) = beside(challenging).await;
    human.client.quit().await;
    sleep(20 * MINUTE).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.line("Challenge: Botvin").await;
    human.send("accept").await;
    bot.wait_for(BotAction::Started, "").await;
}

#[tokio::test(start_paused = true)]
async fn player_who_does_not_play_the_bot_is_not_asked_again() {
    let (bot, human, _) = beside(challenging).await;
    human.send("+noplay Botvin").await;
    sleep(60 * MINUTE).await;
    assert_eq!((bot.count(BotAction::Challenged), bot.count(BotAction::ServerRefused)), (1, 1), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn listed_players_are_challenged_by_rating_and_kind_of_account() {
    let (bot, _human, _) = beside(|config| {
        let mut rules = MatchmakingRules::against([], "5 0 unrated");
        rules.computers = Computers::Only;
        config.matchmaking = Some(rules);
    })
    .await;
    sleep(20 * MINUTE).await;
    assert_eq!(bot.count(BotAction::Challenged), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn match_that_begins_by_itself_is_played() {
    let (bot, mut human, _) = beside(challenging).await;
    human.line("Challenge: Botvin").await;
    human.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Started, "").await;
    assert_eq!((bot.count(BotAction::Accepted), bot.count(BotAction::Declined)), (0, 0), "{:#?}", bot.actions());
    let board = human.board(|_| true).await;
    if board.my_color() == Some(Color::White) {
        human.play("e2e4").await;
    }
    bot.wait_for(BotAction::Moved, "").await;
}

#[tokio::test(start_paused = true)]
async fn simultaneous_exhibition_is_played() {
    let (bot, mut human, _) = beside(|_| {}).await;
    human.send("simopen").await;
    bot.send("simmatch Alekhin").await;
    human.send("accept").await;
    bot.wait_for(BotAction::Started, "").await;
    for played in ["e2e4", "d2d3"] {
        human.play(played).await;
        human.turn().await;
    }
    assert_eq!(bot.count(BotAction::Moved), 2, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn rematch_is_proposed_up_to_the_limit() {
    let (bot, mut human, _) = beside(|config| config.rematch.propose = 1).await;
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    human.line("Challenge: Botvin").await;
    human.send("accept").await;
    bot.wait_for_count(BotAction::Started, 2).await;
    human.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Ended, 2).await;
    sleep(MINUTE).await;
    assert_eq!(bot.count(BotAction::Challenged), 1, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn seeks_are_posted_answered_judged_and_posted_again() {
    let (bot, human, _) = beside(|config| {
        config.seek.ads = vec!["5 0 unrated".to_owned()];
        config.accept.block = vec!["Blocked".parse().unwrap()];
    })
    .await;
    bot.wait_for(BotAction::Sought, "5 0 unrated").await;
    sleep(MINUTE).await;
    human.send("play Botvin").await;
    bot.wait_for(BotAction::Started, "").await;
    human.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Sought, 2).await;
    sleep(MINUTE).await;
    assert_eq!(bot.count(BotAction::Sought), 2, "{:#?}", bot.actions());
    assert_eq!(bot.count(BotAction::Accepted), 1, "the answer is a challenge that was judged");
    let _ = human.client.request("sought all").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn several_accounts_play_in_one_process() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accounts.push(profile.clone().guest_as("Tal".parse().unwrap()));
    let bot = ready(config, weak()).await;
    bot.wait_for_count(BotAction::StartedEngine, 2).await;
    bot.wait_for_count(BotAction::Connection, 2).await;
    let one = Human::log_in(&profile, "Alekhin").await;
    let two = Human::log_in(&profile, "Bogoljubov").await;
    one.send("match Botvin 5 0 unrated").await;
    two.send("match Tal 5 0 unrated").await;
    bot.wait_for_count(BotAction::Started, 2).await;
    one.client.resign().await.unwrap();
    two.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Ended, 2).await;
    bot.stop.request_or_force();
    bot.done.await.unwrap().unwrap();
}

#[test]
fn account_that_cannot_log_in_is_reported_at_once_by_its_name_and_the_others_play_on() {
    on_both_flavours(|| async {
        let (_server, mut config, human) = serve_accounts().await;
        let unknown = config.accounts[0].clone().account("Tal".parse().unwrap(), Password::new("wrong").unwrap());
        config.accounts.insert(0, unknown);
        let bot = Running::start(config, weak());
        bot.wait_for(BotAction::Connection, "over: login failed").await;
        bot.wait_for(BotAction::Connection, "the session is ready").await;
        assert_eq!(bot.names_of(BotAction::Connection, "over: "), [(Some("Tal".to_owned()), None)]);
        Human::log_in_with(human).await.begin(&["e2e4"]).await;
        bot.stop.force();
        assert!(matches!(bot.done.await.unwrap(), Err(BotError::Ended(_))));
    });
}

#[tokio::test(start_paused = true)]
async fn neither_own_accounts_nor_blocked_players_are_challenged() {
    for named in [false, true] {
        let account = |name: &str| Account::new(name.parse().unwrap(), "secret").rating("blitz", 1500);
        let names = ["Botvin", "Tal", "Alekhin", "Euwe"];
        let (_server, profile) =
            serve(names.into_iter().fold(options(), |options, name| options.account(account(name)))).await;
        let log_in = |name: &str| profile.clone().account(name.parse().unwrap(), Password::new("secret").unwrap());
        let mut config = BotConfig::new(log_in("Botvin"), EngineConfig::new(["none"]));
        config.accounts.push(log_in("Tal"));
        config.accept.block = vec!["ALEKHIN".parse().unwrap()];
        let mut rules = MatchmakingRules::against([], "5 0 unrated");
        if named {
            rules.players = names.iter().map(|name| name.parse().unwrap()).collect();
        }
        config.matchmaking = Some(rules);
        let bot = ready(config, weak()).await;
        let _blocked = Human::log_in_with(log_in("Alekhin")).await;
        sleep(30 * MINUTE).await;
        let mut euwe = Human::log_in_with(log_in("Euwe")).await;
        euwe.line("Challenge: ").await;
        let challenged = bot.names_of(BotAction::Challenged, "");
        assert!(challenged.iter().all(|(_, player)| player.as_deref() == Some("Euwe")), "{challenged:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn rematch_that_was_declined_is_not_proposed_again() {
    let (bot, mut human, _) = beside(|config| config.rematch.propose = 9).await;
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    human.line("Challenge: Botvin").await;
    human.send("decline").await;
    bot.wait_for(BotAction::Challenged, "was declined").await;
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Ended, 2).await;
    sleep(MINUTE).await;
    assert_eq!(bot.count(BotAction::Challenged), 2, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn untimed_game_is_played_if_the_settings_allow_it() {
    let (bot, mut human, _) = beside(|config| config.accept.untimed = true).await;
    human.send("match Botvin unrated untimed white").await;
    bot.wait_for(BotAction::Started, "").await;
    human.play("e2e4").await;
    human.turn().await;
}

#[tokio::test(start_paused = true)]
async fn paused_bot_posts_its_seeks_when_it_plays_again() {
    let (bot, human) = beside_owner(|config| config.seek.ads = vec!["5 0 unrated".to_owned()]).await;
    bot.wait_for(BotAction::Sought, "").await;
    human.send("tell Botvin pause").await;
    sleep(MINUTE).await;
    let sought = human.client.request("sought all").await.unwrap().text();
    assert!(!sought.contains("Botvin"), "{sought}");
    human.send("tell Botvin play").await;
    bot.wait_for_count(BotAction::Sought, 2).await;
}

#[tokio::test(start_paused = true)]
async fn game_that_is_aborted_on_its_first_move_does_not_count() {
    let (bot, mut human, _) = beside(|config| config.accept.games_per_opponent_per_day = 1).await;
    for _ in 0..2 {
        human.challenge(|terms| terms.color(Color::White)).await;
        human.send("abort").await;
        assert!(human.end().await.contains("aborted"));
    }
    human.begin(&["e2e4"]).await;
    human.client.resign().await.unwrap();
    bot.wait_for_count(BotAction::Ended, 3).await;
    human.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Declined, "1 games a day").await;
    assert_eq!(bot.count(BotAction::Declined), 1, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn simulated_players_give_a_bot_games_within_ten_seconds() {
    for ads in [Vec::new(), vec!["2 0 unrated".to_owned(), "1 0 unrated".to_owned()]] {
        let population = PopulationOptions::new().games(0).speed(5.0).challenge_clients();
        let (_server, profile) = serve(options().population(population)).await;
        let mut config = settings(&profile);
        config.seek.ads = ads;
        let bot = ready(config, weak()).await;
        for n_games in 1..=3 {
            // The bot posts its seeks 3 s after a game.
            let started = bot.wait_for_count(BotAction::Started, n_games);
            timeout(Duration::from_secs(3 + 10), started).await.unwrap();
            bot.wait_for_count(BotAction::Ended, n_games).await;
        }
    }
}
