//! Whole games, and what the bot does in each case of crates/kibitzer-bot/docs/bots.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kibitzer::Relation;
use kibitzer::command::OfferRef;
use kibitzer_bot::config::MatchmakingRules;
use kibitzer_bot::engine::{BestMove, EngineError};
use kibitzer_bot::{BotAction, BotConfig, BotError, EngineConfig, ScriptedEngine, WeakPlayer};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, ImitatedFamily};

use super::table::{Human, options, ready, scripted, serve, serve_accounts, settings, shuffle, shuffler, weak};

#[tokio::test(start_paused = true)]
async fn game_is_played_until_the_opponent_resigns_on_fics() {
    play_until_the_opponent_resigns(ImitatedFamily::Fics).await;
}

#[tokio::test(start_paused = true)]
async fn game_is_played_until_the_opponent_resigns_on_icc() {
    play_until_the_opponent_resigns(ImitatedFamily::Icc).await;
}

async fn play_until_the_opponent_resigns(family: ImitatedFamily) {
    let (_server, profile) = serve(options().family(family)).await;
    let folder = std::env::temp_dir().join(format!("kibitzer-play-{}-{family:?}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut config = settings(&profile);
    config.pgn.file = Some(folder.join("games.pgn"));
    config.pgn.live_file = Some(folder.join("live.pgn"));
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    for played in ["e2e4", "d2d3", "f1e2"] {
        human.play(played).await;
        human.turn().await;
    }
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "Alekhin resigns").await;
    assert_eq!(bot.count(BotAction::Moved), 3);
    bot.stop.request_or_force();
    bot.done.await.unwrap().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let games = read("games.pgn");
    assert!(games.contains("[Black \"Botvin\"]") && games.trim_end().ends_with("0-1"), "{games}");
    assert!(games.contains("1. e4 ") && games.contains("3. Be2 "), "{games}");
    assert_eq!(read("live.pgn"), games);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(start_paused = true)]
async fn two_bots_play_a_whole_game_and_report_the_same_end() {
    let (_server, profile) = serve(options()).await;
    let one = ready(settings(&profile), weak()).await;
    let mut config = BotConfig::new(profile.clone().guest_as("Whiteley".parse().unwrap()), EngineConfig::new(["none"]));
    config.matchmaking = Some(MatchmakingRules::against(["Botvin".parse().unwrap()], "5 0 unrated"));
    let two = ready(config, || async { Ok(WeakPlayer::new(9, Duration::ZERO)) }).await;
    let mut ends = Vec::new();
    for bot in [&one, &two] {
        bot.wait_for(BotAction::Ended, "").await;
        ends.extend(bot.actions().into_iter().find(|(action, _)| *action == BotAction::Ended));
    }
    assert_eq!(ends[0], ends[1]);
    assert!(["(1-0)", "(0-1)", "(1/2-1/2)"].iter().any(|result| ends[0].1.ends_with(result)), "{ends:?}");
    assert!(one.count(BotAction::Moved) > 5, "{:#?}", one.actions());
    assert_eq!(
        (one.count(BotAction::ServerRefused), two.count(BotAction::EngineFailed)),
        (0, 0),
        "{:#?}",
        one.actions()
    );
}

#[tokio::test(start_paused = true)]
async fn lost_connection_resumes_the_game_and_the_search() {
    let (server, config, human) = serve_accounts().await;
    let bot = ready(config, scripted(|position, _| Ok(shuffle(position)))).await;
    let mut human = Human::log_in_with(human).await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    for played in ["e2e4", "d2d3", "f1e2"] {
        human.play(played).await;
        human.turn().await;
    }
    let target = || ConnectionTarget::Player("Botvin".to_owned());
    server.control().inject(target(), FaultPoint::Now, Fault::Reset).await.unwrap();
    bot.wait_for(BotAction::Connection, "lost").await;
    human.line("Challenge: Botvin").await;
    human.client.accept(OfferRef::Only).await.unwrap();
    bot.wait_for(BotAction::Started, "resumed").await;
    human.play("g1f3").await;
    human.turn().await;
    assert_eq!(bot.count(BotAction::Moved), 4, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn failing_engine_is_restarted_and_then_the_game_is_given_up() {
    let (_server, profile) = serve(options()).await;
    let starts = Arc::new(AtomicUsize::new(0));
    let engine = {
        let starts = Arc::clone(&starts);
        move || {
            starts.fetch_add(1, Ordering::Relaxed);
            async { Ok(ScriptedEngine::new(|_, _| Err(EngineError::NoMove))) }
        }
    };
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    let end = human.end().await;
    assert!(end.contains("aborted") || end.contains("Botvin resigns"), "{end}");
    assert_eq!(bot.count(BotAction::EngineFailed), 3, "{:#?}", bot.actions());
    assert!(starts.load(Ordering::Relaxed) <= 4);
}

#[tokio::test(start_paused = true)]
async fn illegal_move_of_the_engine_is_never_sent() {
    let (_server, profile) = serve(options()).await;
    let tries = Arc::new(AtomicUsize::new(0));
    let engine = scripted(move |position, _| match tries.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(BestMove::new("e7e4")),
        1 => Ok(BestMove::new("; shout hello")),
        _ => Ok(shuffle(position)),
    });
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    human.turn().await;
    assert_eq!(
        (bot.count(BotAction::EngineFailed), bot.count(BotAction::ServerRefused)),
        (2, 0),
        "{:#?}",
        bot.actions()
    );
}

#[tokio::test(start_paused = true)]
async fn takeback_while_thinking_drops_the_move_found_for_the_old_position() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.offers.takebacks = 1;
    let engine =
        || async { Ok(ScriptedEngine::new(|position, _| Ok(shuffle(position))).delay(Duration::from_secs(4))) };
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    human.client.takeback(1).await.unwrap();
    bot.wait_for(BotAction::Granted, "takeback").await;
    human.turn().await;
    human.play("d2d4").await;
    let board = human.turn().await;
    assert_eq!((board.ply(), bot.count(BotAction::Moved)), (2, 1), "{:#?}", bot.actions());
    drop(human.client.takeback(1).await);
    bot.wait_for(BotAction::Refused, "takeback").await;
}

#[tokio::test(start_paused = true)]
async fn takeback_to_the_own_turn_before_is_searched_again() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.offers.takebacks = 1;
    let engine =
        || async { Ok(ScriptedEngine::new(|position, _| Ok(shuffle(position))).delay(Duration::from_secs(4))) };
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    human.play("d2d4").await;
    human.client.takeback(2).await.unwrap();
    bot.wait_for(BotAction::Granted, "takeback").await;
    human.board(|board| board.ply() == 1).await;
    assert_eq!(human.turn().await.ply(), 2);
    assert_eq!(bot.count(BotAction::Moved), 2, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn game_that_ends_while_thinking_gets_no_move() {
    let (_server, profile) = serve(options()).await;
    let engine =
        || async { Ok(ScriptedEngine::new(|position, _| Ok(shuffle(position))).delay(Duration::from_secs(4))) };
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    bot.wait_for(BotAction::Thinking, "").await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "").await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!((bot.count(BotAction::Moved), bot.count(BotAction::ServerRefused)), (0, 0), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn unsuitable_challenges_are_declined_with_the_reason_once() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accept.block = vec!["Blocked".parse().unwrap()];
    config.accept.kinds.push("crazyhouse".to_owned());
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    for (terms, reason) in [
        ("0 1 unrated", "minutes"),
        ("5 90 unrated", "increment"),
        ("5 0 unrated wild fr", "chess960 is not played"),
        ("5 0 unrated crazyhouse", "the engine does not play crazyhouse"),
    ] {
        drop(human.client.request(&*format!("match Botvin {terms}")).await);
        bot.wait_for(BotAction::Declined, reason).await;
        human.line(reason).await;
    }
    drop(human.client.request("match Botvin 5 0 unrated crazyhouse").await);
    human.line("declines").await;
    assert_eq!((bot.count(BotAction::Declined), bot.count(BotAction::Said)), (5, 4), "{:#?}", bot.actions());
    let blocked = Human::log_in(&profile, "Blocked").await;
    drop(blocked.client.request("match Botvin 5 0 unrated").await);
    bot.wait_for(BotAction::Declined, "certain players").await;
}

#[tokio::test(start_paused = true)]
async fn second_challenge_is_declined_while_a_game_is_played_or_starts() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let one = Human::log_in(&profile, "Alekhin").await;
    let two = Human::log_in(&profile, "Bogoljubov").await;
    let ask = |human: &Human| {
        let client = human.client.clone();
        async move { drop(client.request("match Botvin 5 0 unrated").await) }
    };
    tokio::join!(ask(&one), ask(&two));
    bot.wait_for(BotAction::Started, "").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!((bot.count(BotAction::Accepted), bot.count(BotAction::Declined)), (1, 1), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn opponent_without_time_is_claimed() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.time(1, 0).color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    human.turn().await;
    let end = human.end().await;
    assert!(end.contains("forfeits on time"), "{end}");
    bot.wait_for(BotAction::Ended, "time").await;
}

#[tokio::test(start_paused = true)]
async fn third_repetition_is_claimed() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    let shuffle = ["g1f3", "f3g1"].iter().cycle();
    for played in shuffle.take(8) {
        human.play(played).await;
        if bot.count(BotAction::ClaimedDraw) > 0 {
            break;
        }
        human.board(|board| board.relation() == Relation::MyTurn).await;
    }
    assert!(human.end().await.contains("repetition"), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn bot_that_stops_finishes_its_game_first() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(kibitzer_core::chess::Color::White)).await;
    bot.stop.request_or_force();
    bot.wait_for(BotAction::Stopping, "after the game").await;
    human.play("e2e4").await;
    human.turn().await;
    human.client.resign().await.unwrap();
    bot.done.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn bot_that_stops_plays_the_game_that_it_has_just_accepted() {
    for _ in 0..20 {
        let (_server, profile) = serve(options()).await;
        let bot = ready(settings(&profile), weak()).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.send("match Botvin 5 0 unrated white").await;
        while bot.count(BotAction::Accepted) == 0 {
            tokio::task::yield_now().await;
        }
        bot.stop.request_or_force();
        human.board(|_| true).await;
        human.play("e2e4").await;
        human.turn().await;
    }
}

#[tokio::test(start_paused = true)]
async fn bot_that_stops_adjourns_a_long_game_and_leaves() {
    let (_server, mut config, human) = serve_accounts().await;
    config.shutdown.finish_game_within = Duration::from_mins(1);
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in_with(human).await;
    human.challenge(|terms| terms.time(60, 0).color(kibitzer_core::chess::Color::White)).await;
    human.play("e2e4").await;
    human.turn().await;
    bot.stop.request_or_force();
    human.line("requests to adjourn game").await;
    bot.done.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn second_stop_ends_at_once() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms).await;
    let begun = tokio::time::Instant::now();
    bot.stop.request_or_force();
    bot.wait_for(BotAction::Stopping, "after the game in progress").await;
    bot.stop.request_or_force();
    bot.wait_for(BotAction::Stopping, "at once").await;
    bot.done.await.unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "took {:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn second_login_of_the_account_ends_the_bot() {
    let (_server, config, _) = serve_accounts().await;
    let profile = config.accounts[0].clone();
    let bot = ready(config, weak()).await;
    let _other = kibitzer::Client::connect(profile).await.unwrap();
    assert!(matches!(bot.done.await.unwrap(), Err(BotError::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn partnership_is_declined() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile.clone().variable("bugopen", "1").unwrap()), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    drop(human.client.request("partner Botvin").await);
    bot.wait_for(BotAction::Refused, "bughouse").await;
    human.line("declines your partnership request").await;
}

#[tokio::test(start_paused = true)]
async fn owners_command_and_others_get_answers() {
    let (_server, mut config, profile) = serve_accounts().await;
    config.talk.owners = ["alekhin", "Petrosian"].map(|name| name.parse().unwrap()).to_vec();
    config.talk.answers.insert("source".to_owned(), "see the notes in my finger".to_owned());
    let bot = ready(config, weak()).await;
    let mut owner = Human::log_in_with(profile.clone()).await;
    let mut other = Human::log_in(&profile, "Bogoljubov").await;
    let mut guest = Human::log_in(&profile, "Petrosian").await;
    let tell = |human: &Human, words: &str| {
        let (client, line) = (human.client.clone(), format!("tell Botvin {words}"));
        async move { drop(client.request(&*line).await) }
    };
    tell(&owner, "status").await;
    owner.line("playing, Kibitzer's weak player, no game").await;
    tell(&other, "stop").await;
    tell(&guest, "stop").await;
    bot.wait_for(BotAction::Refused, "has the name of an owner, but is not registered").await;
    tell(&guest, "where is the source?").await;
    guest.line("see the notes in my finger").await;
    tell(&other, "where is the SOURCE?").await;
    other.line("see the notes in my finger").await;
    tell(&owner, "pause").await;
    owner.line("no new games").await;
    drop(other.client.request("match Botvin 5 0 unrated").await);
    bot.wait_for(BotAction::Declined, "no new games").await;
    tell(&owner, "stop").await;
    bot.done.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn abort_of_an_owner_is_a_request_and_no_resignation() {
    let (_server, mut config, profile) = serve_accounts().await;
    config.talk.owners = vec!["Alekhin".parse().unwrap()];
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in_with(profile).await;
    human.begin(&["e2e4", "d2d4"]).await;
    human.send("tell Botvin abort").await;
    human.line("requests to abort game").await;
    human.send("abort").await;
    assert!(human.end().await.contains("aborted"), "{:#?}", bot.actions());
    assert_eq!(bot.count(BotAction::Resigned), 0);
}
