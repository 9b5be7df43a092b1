//! Replies of a policy, and engines that see the whole game.

use std::time::Duration;

use kibitzer::TalkKind;
use kibitzer::track::TrackedGame;
use kibitzer_bot::engine::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, SearchInfo, SearchLimits, SearchPosition,
};
use kibitzer_bot::policy::{Policy, TalkReply, TalkSituation};
use kibitzer_bot::{Bot, BotAction};

use super::probe::{Log, probe};
use super::table::{Human, Running, options, ready, serve, serve_accounts, settings, shuffle, weak};

/// Answers `!eval` at once with the score, `!slow` after a while, and `!never` not at all.
#[derive(Clone)]
struct Talkative;

impl Policy for Talkative {
    fn choose_reply(&mut self, talk: &TalkSituation<'_>) -> Option<TalkReply> {
        let kind = match talk.kind {
            TalkKind::Kibitz { .. } => "kibitz",
            TalkKind::Say { .. } => "say",
            _ => "tell",
        };
        let last = talk.game.and_then(|it| it.scores.last());
        let analyzed = talk.analysis.and_then(|info| info.score);
        let words = format!("{kind} from {}: {last:?} {analyzed:?}", talk.from);
        match talk.text {
            "!eval" => Some(TalkReply::Now(words)),
            "!slow" => Some(TalkReply::Later(Box::pin(async {
                tokio::time::sleep(Duration::from_secs(30)).await;
                Some(words)
            }))),
            "!never" => Some(TalkReply::Later(Box::pin(std::future::pending()))),
            _ => None,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn reply_sees_the_game_the_analysis_and_the_kind_of_talk() {
    let (_server, profile) = serve(options()).await;
    let bot = Running::start_bot(Bot::new(settings(&profile)).engine(probe(&Log::default(), 17)).policy(Talkative));
    bot.wait_for(BotAction::Connection, "ready").await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.send("tell Botvin !eval").await;
    bot.wait_for(BotAction::Said, "tell from Alekhin: None None").await;
    human.begin(&["e2e4"]).await;
    let score = "Some(Centipawns(17)) Some(Centipawns(17))";
    for command in ["say !slow", "kibitz !eval", "tell Botvin !eval"] {
        tokio::time::sleep(Duration::from_mins(1)).await;
        human.send(command).await;
        let kind = command.split(' ').next().unwrap();
        bot.wait_for(BotAction::Said, &format!("{kind} from Alekhin: {score}")).await;
        human.line(score).await;
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    human.send("tell Botvin !never").await;
    bot.wait_for(BotAction::Dropped, "more than a minute").await;
}

#[tokio::test(start_paused = true)]
async fn owner_gets_the_reply_of_the_policy_to_words_that_are_not_commands() {
    let (_server, mut config, owner) = serve_accounts().await;
    config.talk.owners = vec!["Alekhin".parse().unwrap()];
    let bot = Running::start_bot(Bot::new(config).engine(weak()).policy(Talkative));
    bot.wait_for(BotAction::Connection, "ready").await;
    let owner = Human::log_in_with(owner).await;
    owner.send("tell Botvin !eval").await;
    bot.wait_for(BotAction::Said, "tell from Alekhin").await;
    owner.send("tell Botvin hello").await;
    bot.wait_for(BotAction::Said, "commands: status, pause").await;
}

#[tokio::test(start_paused = true)]
async fn late_replies_are_limited_and_leave_room_for_a_challenge() {
    let (_server, profile) = serve(options()).await;
    let bot = Running::start_bot(Bot::new(settings(&profile)).engine(weak()).policy(Talkative));
    bot.wait_for(BotAction::Connection, "ready").await;
    let mut humans = Vec::new();
    for letter in 'a'..='m' {
        humans.push(Human::log_in(&profile, &format!("Player{letter}")).await);
    }
    // 65 messages within the minute of the first reply, none less than 10 s after the last one of the same player.
    for _ in 0..5 {
        for human in &humans {
            human.send("tell Botvin !never").await;
        }
        tokio::time::sleep(Duration::from_secs(11)).await;
    }
    assert_eq!(bot.count(BotAction::Dropped), 1, "{:#?}", bot.actions());
    bot.wait_for(BotAction::Dropped, "64 others wait").await;
    humans[0].begin(&["e2e4"]).await;
}

/// Logs the position and the White player of each game that it moves in.
struct Watcher(EngineInfo, Log);

impl Engine for Watcher {
    fn info(&self) -> &EngineInfo {
        &self.0
    }

    async fn new_game(&mut self, _: &GameSetup) -> Result<(), EngineError> {
        Ok(())
    }

    async fn search(
        &mut self,
        _: &SearchPosition,
        _: &SearchLimits,
        _: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        Err(EngineError::Failed("only whole games".to_owned()))
    }

    async fn search_game(
        &mut self,
        game: &TrackedGame,
        _: &SearchLimits,
        _: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        self.1.lock().unwrap().push(format!("{} {}", game.player(kibitzer::chess::Color::White), game.game().fen()));
        Ok(shuffle(&SearchPosition::of_game(game)))
    }

    async fn quit(self) {}
}

#[tokio::test(start_paused = true)]
async fn engine_may_see_the_whole_game() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.accept.kinds.push("crazyhouse".to_owned());
    let log = Log::default();
    let kept = Log::clone(&log);
    let engine = move || {
        let mut info = EngineInfo::new("Watcher");
        info.variants.push("crazyhouse".to_owned());
        let watcher = Watcher(info, Log::clone(&kept));
        async { Ok::<_, EngineError>(watcher) }
    };
    let bot = ready(config, engine).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.send("match Botvin 5 0 unrated white crazyhouse").await;
    human.board(|_| true).await;
    human.play("e2e4").await;
    human.turn().await;
    assert_eq!(bot.count(BotAction::EngineFailed), 0, "{:#?}", bot.actions());
    let seen = log.lock().unwrap().clone();
    assert!(seen.iter().any(|it| it.starts_with("Alekhin ") && it.contains("RNBQKBNR[] b KQkq")), "{seen:?}");
}
