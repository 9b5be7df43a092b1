//! The session of a bot, with its events.

use std::time::Duration;

use kibitzer::{Client, Profile, Tap};
use kibitzer_bot::engine::{
    BestMove, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition,
};
use kibitzer_bot::{Bot, BotAction, BotConfig, BotEvent, Engine, EngineConfig, Stop, WeakPlayer};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, PopulationOptions, Server, ServerOptions};
use ratatui::crossterm::event::KeyCode;

use super::hostile::{TEXTS, assert_harmless};
use super::live::Guest;
use super::screens::assert_live_screens;
use super::{SIZES, Shown, text};
use crate::console::SessionFeed;
use crate::console::model::{SourceItem, SourceItemKind};

/// A weak player that reports the analysis of a strong one.
struct Analyst(WeakPlayer);

impl Engine for Analyst {
    fn info(&self) -> &EngineInfo {
        self.0.info()
    }

    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.0.new_game(game).await
    }

    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        for depth in [7, 21] {
            let mut info = SearchInfo::default();
            (info.depth, info.score) = (Some(depth), Some(Score::Centipawns(35)));
            info.nodes_per_second = Some(1_204_551);
            info.line =
                ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1"].map(str::to_owned).into();
            report(info);
        }
        self.0.search(position, limits, &mut |_| {}).await
    }

    async fn quit(self) {}
}

/// Returns the session of a bot in a game against Whetstone.
///
/// # Cancel safety
///
/// None is needed.
pub(super) async fn bot() -> Guest {
    let server =
        Server::start(ServerOptions::new().in_process().seed(7).population(PopulationOptions::new())).await.unwrap();
    let feed = |client: &Client, tap: Tap| {
        let config = BotConfig::new(Profile::demo(), EngineConfig::new(["none"]));
        let (feed, sender) = SessionFeed::with_bot(tap);
        let bot = Bot::new(config)
            .engine(|| async { Ok(Analyst(WeakPlayer::new(7, Duration::from_secs(2)))) })
            .on_event(move |event| assert!(sender.send_or_drop(event)));
        tokio::spawn(bot.run_with(client.clone(), Stop::new()));
        feed
    };
    let mut bot = Guest::log_in_at(server, feed).await;
    bot.run("match Whetstone 2 0 unrated").await;
    bot.wait(Duration::from_secs(15)).await;
    bot
}

#[tokio::test(start_paused = true)]
async fn actions_are_rows_and_the_analysis_is_below_the_board_until_the_game_ends() {
    let mut bot = bot().await;
    bot.run("/filter kind:bot").await;
    assert_live_screens("bot-playing", &mut bot);
    // The board of an older row is not the one that was analyzed.
    bot.press(KeyCode::Esc);
    (0..4).for_each(|_| bot.press(KeyCode::Up));
    assert!(!bot.screen().contains("depth 21"), "{}", bot.screen());
    bot.press(KeyCode::End);
    bot.press(KeyCode::Enter);
    bot.run("resign").await;
    assert_live_screens("bot-over", &mut bot);
    bot.leave().await;
}

#[tokio::test(start_paused = true)]
async fn analysis_is_gone_after_the_connection_was_lost() {
    let mut bot = bot().await;
    assert!(bot.screen().contains("depth 21"));
    let target = ConnectionTarget::Player(bot.client.handle().unwrap().to_string());
    bot.server.control().inject(target, FaultPoint::Now, Fault::Cut).await.unwrap();
    bot.wait(Duration::from_secs(1)).await;
    bot.client.ready().await.unwrap();
    bot.wait(Duration::ZERO).await;
    assert!(!bot.screen().contains("depth 21"), "{}", bot.screen());
    bot.leave().await;
}

#[tokio::test(start_paused = true)]
async fn no_text_of_an_engine_or_a_player_leaves_its_place() {
    let mut bot = bot().await;
    bot.keys("3");
    let game = *bot.app.model.games.keys().next().unwrap();
    for hostile in TEXTS {
        let words = String::from_utf8_lossy(hostile).into_owned();
        for line in [vec![words.clone()], vec!["e2e4".to_owned(), words.clone(), "e7e5".to_owned()]] {
            let mut info = SearchInfo::default();
            info.depth = Some(u32::MAX);
            info.score = Some(Score::Mate(i32::MIN));
            info.nodes_per_second = Some(u64::MAX);
            info.line = line;
            let analysis = BotEvent::analysis(None, game, info);
            let (action, reason) = (BotAction::Declined, words.clone());
            let declined = BotEvent::acted(None, action, Some(game), None, reason);
            for event in [analysis, declined] {
                bot.app.model.apply_item(SourceItem { at: Duration::from_secs(20), kind: SourceItemKind::Bot(event) });
            }
            let newest = bot.newest();
            bot.app.list.select_and_stop_following(newest);
            bot.app.list.follow_end();
            for size in SIZES {
                let buffer = bot.buffer(size);
                assert_harmless(&buffer, hostile);
                let screen = text(&buffer);
                let divider = if size.0 == 80 { 27 } else { 80 };
                let lines = screen.lines().skip(1).take(usize::from(size.1) - 3);
                assert!(lines.into_iter().all(|line| line.chars().nth(divider) == Some('\u{2502}')), "{screen}");
            }
        }
    }
    bot.leave().await;
}
