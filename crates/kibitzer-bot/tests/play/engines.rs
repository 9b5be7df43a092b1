//! Engines that fail, and variants.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kibitzer::{Dial, Profile};
use kibitzer_bot::config::BookConfig;
use kibitzer_bot::engine::{BestMove, EngineError, EngineInfo, Score};
use kibitzer_bot::policy::{ChallengeSituation, Policy};
use kibitzer_bot::{Bot, BotAction, ScriptedEngine, Verdict};
use kibitzer_core::chess::Color;
use kibitzer_core::message::Challenge;
use kibitzer_server::{ImitatedFamily, Server};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::probe::{Log, probe};
use super::table::{
    Human, Running, TestEngine, on_both_flavours, options, ready, scripted, serve, settings, shuffle, shuffler,
};

#[tokio::test(start_paused = true)]
async fn hanging_engine_is_started_again_and_the_game_goes_on() {
    let (_server, profile) = serve(options()).await;
    let tries = Arc::new(AtomicUsize::new(0));
    let engine = scripted(move |position, _| match tries.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err(EngineError::NoMove),
        _ => Ok(shuffle(position)),
    });
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    assert_eq!((bot.count(BotAction::EngineFailed), bot.count(BotAction::Moved)), (2, 1), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn engine_that_always_hangs_costs_the_game_by_resignation_not_by_time() {
    let (_server, profile) = serve(options()).await;
    let bot = ready(settings(&profile), scripted(|_, _| Err(EngineError::NoMove))).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.time(1, 0).color(Color::White)).await;
    human.play("e2e4").await;
    let end = human.end().await;
    assert!(end.contains("aborted") || end.contains("Botvin resigns"), "{end} {:#?}", bot.actions());
    assert_eq!(bot.count(BotAction::EngineFailed), 3);
}

#[tokio::test(start_paused = true)]
async fn engine_that_finds_no_move_where_there_is_one_is_started_again() {
    let (_server, profile) = serve(options()).await;
    let tries = Arc::new(AtomicUsize::new(0));
    let engine = scripted(move |position, _| match tries.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(BestMove::default()),
        _ => Ok(shuffle(position)),
    });
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    assert_eq!(bot.count(BotAction::EngineFailed), 1, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn engine_that_is_mated_has_not_failed() {
    let (_server, profile) = serve(options()).await;
    let engine = scripted(|position, _| match position.moves.len() {
        1 => Ok(BestMove::new("f7f6")),
        3 => Ok(BestMove::new("g7g5")),
        _ => Ok(BestMove::default()),
    });
    let bot = ready(settings(&profile), engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d4"]).await;
    human.play("d1h5").await;
    bot.wait_for(BotAction::Ended, "checkmated").await;
    assert_eq!(bot.count(BotAction::EngineFailed), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn move_that_the_server_refuses_in_a_variant_counts_as_a_failure() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accept.kinds.push("crazyhouse".to_owned());
    let tries = Arc::new(AtomicUsize::new(0));
    let engine = scripted(move |position, _| match tries.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(BestMove::new("Q@e5")),
        _ => Ok(shuffle(position)),
    });
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.send("match Botvin 5 0 unrated white crazyhouse").await;
    human.board(|_| true).await;
    human.play("e2e4").await;
    human.turn().await;
    let counts = [BotAction::ServerRefused, BotAction::EngineFailed].map(|action| bot.count(action));
    assert_eq!(counts, [1, 1], "{:#?}", bot.actions());
    bot.wait_for(BotAction::EngineFailed, r#"the engine returned "Q@e5", which the server refused"#).await;
}

/// Accepts every challenge.
#[derive(Clone)]
struct Careless;

impl Policy for Careless {
    fn judge_challenge(&mut self, _: &Challenge, _: &ChallengeSituation<'_>) -> Verdict<bool> {
        Verdict::accept("any game will do")
    }
}

#[tokio::test(start_paused = true)]
async fn variant_that_the_engine_does_not_play_is_aborted_or_resigned_without_a_move() {
    for color in ["white", "black"] {
        let (_server, profile) = serve(options()).await;
        let engine = || async {
            Ok(ScriptedEngine::new(|position, _| Ok(shuffle(position))).with_info(EngineInfo::new("Chess")))
        };
        let bot = Running::start_bot(Bot::new(settings(&profile)).engine(engine).policy(Careless));
        bot.wait_for(BotAction::StartedEngine, "").await;
        bot.wait_for(BotAction::Connection, "ready").await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.send(&format!("match Botvin 5 0 unrated {color} crazyhouse")).await;
        let end = human.end().await;
        assert!(end.contains("aborted") || end.contains("Botvin resigns"), "{end}");
        bot.wait_for(BotAction::Ended, "").await;
        let counts = [BotAction::Aborted, BotAction::Moved, BotAction::EngineFailed];
        assert_eq!(counts.map(|action| bot.count(action)), [1, 0, 0], "{:#?}", bot.actions());
    }
}

#[tokio::test(start_paused = true)]
async fn crazyhouse_and_chess960_are_played_on_both_families() {
    for family in [ImitatedFamily::Fics, ImitatedFamily::Icc] {
        for (kind, words) in [("crazyhouse", "crazyhouse"), ("chess960", "wild fr")] {
            let (_server, profile) = serve(options().family(family)).await;
            let mut config = settings(&profile);
            config.accept.kinds.push(kind.to_owned());
            let log = Log::default();
            let bot = ready(config, probe(&log, 0)).await;
            let mut human = Human::log_in(&profile, "Alekhin").await;
            human.send(&format!("match Botvin 5 0 unrated white {words}")).await;
            human.board(|_| true).await;
            human.play("e2e4").await;
            bot.wait_for(BotAction::Moved, "").await;
            let log = log.lock().unwrap();
            assert!(log.iter().any(|call| call.contains(&format!("variant: {kind:?}"))), "{family:?} {log:#?}");
            let search = log.iter().find(|call| call.starts_with("search")).unwrap();
            assert!(search.contains(r#"["e2e4"]"#), "{family:?} {search}");
        }
    }
}

/// Writes a book with the move a2a4 for the start position.
fn write_book(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kibitzer-book-{}-{name}.bin", std::process::id()));
    // The start position; then the move a2a4 (from square 8 to 24, in six bits each) with the weight 1.
    let entry = [0x463b_9618_1691_fc9c_u64.to_be_bytes(), 0x0218_0001_0000_0000_u64.to_be_bytes()];
    std::fs::write(&path, entry.concat()).unwrap();
    path
}

#[tokio::test(start_paused = true)]
async fn moves_of_the_books_are_played_without_the_engine_in_their_variants() {
    for (kind, n_searches) in [("", 0), (" crazyhouse", 1)] {
        let (_server, profile) = serve(options()).await;
        let path = write_book(&kind.replace(' ', "-"));
        let mut config = settings(&profile);
        config.accept.kinds.push("crazyhouse".to_owned());
        let (mut other, mut book) = (BookConfig::new(&path), BookConfig::new(&path));
        other.variants = vec!["atomic".to_owned()];
        book.variants = vec!["chess".to_owned()];
        config.books = vec![other, book];
        let bot = ready(config.clone(), probe(&Log::default(), 0)).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.send(&format!("match Botvin 5 0 unrated black{kind}")).await;
        human.turn().await;
        assert_eq!(bot.count(BotAction::Thinking), n_searches, "{:#?}", bot.actions());
        let from_book = bot.actions().iter().any(|(_, reason)| reason == "a2a4, from the book");
        assert_eq!(from_book, n_searches == 0);
        std::fs::remove_file(&path).unwrap();
    }
    let (_server, profile) = serve(options()).await;
    let path = write_book("listed");
    let mut config = settings(&profile);
    config.accept.kinds.push("crazyhouse".to_owned());
    let mut book = BookConfig::new(&path);
    book.variants = vec!["crazyhouse".to_owned()];
    config.books = vec![book];
    let bot = ready(config, probe(&Log::default(), 0)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.send("match Botvin 5 0 unrated black crazyhouse").await;
    human.turn().await;
    bot.wait_for(BotAction::Moved, "a2a4, from the book").await;
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn books_are_closed_after_a_move_that_the_server_refuses() {
    let (server, profile) = serve(options()).await;
    let path = write_book("refused");
    let mut config = settings(&profile);
    config.accounts = vec![rewrite(config.accounts[0].clone(), &server, &[("a2a4", "a2a5")], &[])];
    config.books = vec![BookConfig::new(&path)];
    let bot = ready(config, shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(Color::Black)).await;
    human.turn().await;
    let counts = [BotAction::ServerRefused, BotAction::EngineFailed, BotAction::Moved].map(|action| bot.count(action));
    assert_eq!(counts, [1, 0, 2], "{:#?}", bot.actions());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn moves_take_their_minimum_time_also_those_of_a_book() {
    on_both_flavours(|| async {
        let (_server, profile) = serve(options()).await;
        let path = write_book("minimum");
        let mut config = settings(&profile);
        config.engine.min_move_ms = 700;
        config.books = vec![BookConfig::new(&path)];
        let bot = ready(config, scripted(|_, _| Ok(BestMove::new("b2b3")))).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.challenge(|terms| terms.color(Color::Black)).await;
        for played in ["e7e5", "d7d5"] {
            // The time runs from the board that the bot receives.
            let began = tokio::time::Instant::now();
            human.turn().await;
            human.play(played).await;
            bot.wait_for(BotAction::Moved, "").await;
            assert!(began.elapsed() >= Duration::from_millis(400), "{:?}", began.elapsed());
        }
        bot.wait_for(BotAction::Moved, "a2a4, from the book").await;
        bot.wait_for(BotAction::Moved, "b2b3, found by the engine").await;
        std::fs::remove_file(&path).unwrap();
    });
}

#[tokio::test(start_paused = true)]
async fn move_that_waits_is_dropped_after_a_takeback() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.engine.min_move_ms = 5000;
    config.offers.takebacks = 1;
    let bot = ready(config, shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(Color::White)).await;
    human.play("e2e4").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    human.send("takeback 1").await;
    bot.wait_for(BotAction::Granted, "takeback").await;
    bot.wait_for(BotAction::Dropped, "the position has changed").await;
    human.turn().await;
    human.play("d2d4").await;
    human.turn().await;
    assert_eq!(bot.count(BotAction::Moved), 1, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn expected_reply_is_searched_in_the_opponents_time() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.engine.ponder = true;
    let log = Log::default();
    let bot = ready(config, probe(&log, 0)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["g1f3"]).await;
    // Another board of the same position does not end the analysis.
    bot.send("refresh").await;
    human.play("f3g1").await;
    human.turn().await;
    let calls = log.lock().unwrap().clone();
    let at = calls.iter().position(|call| call.starts_with("ponder")).unwrap();
    let (pondered, searched) = (calls[at].strip_prefix("ponder "), calls[at + 1].strip_prefix("search "));
    assert!(pondered.is_some() && pondered == searched, "{calls:#?}");
}

#[tokio::test(start_paused = true)]
async fn castling_is_sent_in_either_notation_of_the_engine() {
    for castling in ["e8g8", "e8h8"] {
        let (_server, profile) = serve(options()).await;
        let engine = move || async move { Ok(ScriptedEngine::with_moves(["e7e5", "g8f6", "f8e7", castling])) };
        let bot = ready(settings(&profile), engine).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.begin(&["a2a3", "b2b3", "c2c3", "d2d3"]).await;
        assert_eq!(bot.count(BotAction::EngineFailed), 0, "{:#?}", bot.actions());
    }
}

#[test]
fn flood_of_analysis_gives_ten_events_a_second_and_the_last_score() {
    on_both_flavours(|| async {
        let (_server, profile) = serve(options()).await;
        let bot = ready(settings(&profile), || async { Ok(TestEngine::new(3000, Arc::default())) }).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        let began = tokio::time::Instant::now();
        human.begin(&["e2e4"]).await;
        bot.wait_for(BotAction::Moved, "score +30.00").await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let scores = bot.analysis();
        let most = began.elapsed().as_millis() / 100 + 1;
        assert!(scores.len() > 20 && scores.len() as u128 <= most, "{} of {most}", scores.len());
        assert_eq!(scores.last(), Some(&Score::Centipawns(3000)), "the last line is not lost");
    });
}

/// Replaces words of what the bot sends, and of what the server sends.
fn rewrite(
    profile: Profile,
    server: &Arc<Server>,
    sent: &'static [(&str, &str)],
    received: &'static [(&str, &str)],
) -> Profile {
    let server = Arc::clone(server);
    profile.dial(Dial::with(move || {
        let server = Arc::clone(&server);
        async move {
            let (near, far) = tokio::io::duplex(1 << 16);
            let (from_server, to_server) = tokio::io::split(server.connect().await?);
            let (from_bot, to_bot) = tokio::io::split(far);
            tokio::spawn(copy_rewritten(from_bot, to_server, sent));
            tokio::spawn(copy_rewritten(from_server, to_bot, received));
            Ok(near)
        }
    }))
}

async fn copy_rewritten(
    mut from: impl tokio::io::AsyncRead + Unpin,
    mut to: impl tokio::io::AsyncWrite + Unpin,
    words: &[(&str, &str)],
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let text = String::from_utf8_lossy(&bytes[..n]);
        let text = words.iter().fold(text.into_owned(), |text, (old, new)| text.replace(old, new));
        if to.write_all(text.as_bytes()).await.is_err() {
            break;
        }
    }
}

/// In place of 3. g3, which ends a check, the bot sees 3. b3, which does not.
const ILLEGAL_MOVE: &[(&str, &str)] =
    &[("P----PP- -PPPP--P", "PP---P-- --PPP-PP"), ("P/g2-g3", "P/b2-b3"), (" g3 ", " b3 ")];

#[tokio::test(start_paused = true)]
async fn irregular_move_of_the_server_leads_to_its_position_and_never_to_a_resignation() {
    let (server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accounts = vec![rewrite(config.accounts[0].clone(), &server, &[], ILLEGAL_MOVE)];
    let log = Log::default();
    let kept = Arc::clone(&log);
    let engine = scripted(move |position, _| {
        kept.lock().unwrap().push(format!("{position:?}"));
        match position.moves.len() {
            1 => Ok(BestMove::new("e7e5")),
            3 => Ok(BestMove::new("d8h4")),
            _ => Err(EngineError::NoMove),
        }
    });
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["f2f3", "a2a3"]).await;
    human.play("g2g3").await;
    bot.wait_for(BotAction::Aborted, "after an irregular move").await;
    let searched = log.lock().unwrap().last().cloned().unwrap();
    assert!(searched.contains("PP3P2/2PPP1PP/RNBQKBNR b KQkq") && searched.contains("moves: []"), "{searched}");
    let failures = bot.count(BotAction::EngineFailed);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let counts = [BotAction::Aborted, BotAction::EngineFailed, BotAction::Resigned].map(|action| bot.count(action));
    assert_eq!(counts, [1, failures, 0], "the position is not tried again: {:#?}", bot.actions());
    human.send("abort").await;
    assert!(human.end().await.contains("aborted"));
}
