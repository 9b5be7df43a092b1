//! Replies of a policy, and engines that see the whole game.

use std::time::Duration;

use kibitzer::TalkKind;
use kibitzer::track::TrackedGame;
use kibitzer_bot::config::ScoreAudience;
use kibitzer_bot::engine::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, SearchInfo, SearchLimits, SearchPosition,
};
use kibitzer_bot::policy::{Policy, TalkReply, TalkSituation};
use kibitzer_bot::{Bot, BotAction};

use super::probe::{Log, probe};
use super::table::{Human, Running, options, ready, serve, serve_accounts, settings, shuffle, shuffler, weak};

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
        let words = format!("{kind} from {}{}: {last:?} {analyzed:?}", talk.from, talk.titles);
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
    bot.wait_for(BotAction::Said, "tell from Alekhin(U): None None").await;
    human.begin(&["e2e4"]).await;
    let score = "Some(Centipawns(17)) Some(Centipawns(17))";
    for command in ["say !slow", "kibitz !eval", "tell Botvin !eval"] {
        tokio::time::sleep(Duration::from_mins(1)).await;
        human.send(command).await;
        let kind = command.split(' ').next().unwrap();
        bot.wait_for(BotAction::Said, &format!("{kind} from Alekhin(U): {score}")).await;
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

#[tokio::test(start_paused = true)]
async fn commands_are_answered_and_a_suppressed_answer_is_an_event() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.talk.commands.insert("!cpu".to_owned(), "two cores".to_owned());
    config.talk.answers.insert("cpu".to_owned(), "what about it?".to_owned());
    config.talk.answer_pause = Duration::from_secs(90);
    let bot = ready(config, shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    for (line, answer) in [("tell Botvin !CPU please", Some("two cores")), ("tell Botvin a cpu", None)] {
        human.send(line).await;
        match answer {
            Some(answer) => bot.wait_for(BotAction::Said, answer).await,
            None => bot.wait_for(BotAction::Suppressed, "the last answer is less than 1m 30s ago").await,
        }
    }
    for (line, answer) in
        [("kibitz a cpu", None), ("kibitz !cpu", Some("two cores")), ("tell Botvin a cpu", Some("what"))]
    {
        tokio::time::sleep(Duration::from_secs(91)).await;
        let before = bot.count(BotAction::Said);
        human.send(line).await;
        match answer {
            Some(answer) => human.line(&format!("tells you: {answer}")).await,
            None => assert_eq!(bot.count(BotAction::Said), before, "{line}"),
        }
    }
    assert_eq!(bot.names_of(BotAction::Suppressed, "").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn scores_are_sent_after_moves_to_those_of_the_settings_at_most_so_often() {
    let (_server, profile) = serve(options()).await;
    for (scores, word) in [(ScoreAudience::Kibitz, "kibitzes: +0.17"), (ScoreAudience::Whisper, "whispers: +0.17")] {
        let mut config = settings(&profile);
        config.talk.scores = scores;
        config.talk.scores_per_minute = 2;
        let bot = ready(config, probe(&Log::default(), 17)).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        let mut observer = Human::log_in(&profile, "Capablanca").await;
        human.challenge(|terms| terms.color(kibitzer::chess::Color::White)).await;
        observer.send("observe Botvin").await;
        for played in ["e2e4", "d2d3"] {
            human.play(played).await;
            human.turn().await;
        }
        observer.line(word).await;
        assert_eq!(bot.count(BotAction::Said), 1, "{:#?}", bot.actions());
        tokio::time::sleep(Duration::from_secs(31)).await;
        human.play("f1e2").await;
        observer.line(word).await;
        human.client.resign().await.unwrap();
        bot.stop.request_or_force();
        bot.done.await.unwrap().unwrap();
        human.client.quit().await;
        observer.client.quit().await;
    }
}

#[tokio::test(start_paused = true)]
async fn owner_is_told_the_score_until_the_server_refuses_it() {
    let (_server, mut config, owner) = serve_accounts().await;
    config.talk.owners = ["Alekhin", "Petrosian"].map(|name| name.parse().unwrap()).to_vec();
    config.talk.tell_score = true;
    config.talk.scores_per_minute = 60;
    let bot = ready(config, probe(&Log::default(), -40)).await;
    let mut owner = Human::log_in_with(owner).await;
    owner.challenge(|terms| terms.color(kibitzer::chess::Color::White)).await;
    for played in ["e2e4", "d2d3", "f1e2"] {
        tokio::time::sleep(Duration::from_secs(2)).await;
        owner.play(played).await;
        owner.line("tells you: -0.40").await;
    }
    assert_eq!(bot.names_of(BotAction::Said, "Petrosian: -0.40").len(), 1, "{:#?}", bot.actions());
    assert_eq!((bot.count(BotAction::ServerRefused), bot.names_of(BotAction::Said, "Alekhin: ").len()), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn spectators_are_greeted_once() {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    config.talk.spectator_greeting = "{spectator}, this is {engine} against {opponent}".to_owned();
    let bot = ready(config, probe(&Log::default(), 0)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    let mut observers = Vec::new();
    for letter in 'a'..='g' {
        let observer = Human::log_in(&profile, &format!("Watcher{letter}")).await;
        observer.send("observe Botvin").await;
        observers.push(observer);
    }
    human.play("d2d3").await;
    human.turn().await;
    assert_eq!(bot.count(BotAction::Said), 0, "the spectators were requested a moment ago");
    for (played, n_greeted) in [("f1e2", 5), ("a2a3", 7), ("b2b3", 7)] {
        tokio::time::sleep(Duration::from_secs(21)).await;
        human.play(played).await;
        human.turn().await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(bot.count(BotAction::Said), n_greeted, "{:#?}", bot.actions());
    }
    observers[0].line("tells you: Watchera, this is Probe against Alekhin").await;
    assert_eq!(bot.count(BotAction::ServerRefused), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn scores_are_in_the_comments_of_the_game_from_whites_side() {
    let (_server, profile) = serve(options()).await;
    let path = std::env::temp_dir().join(format!("kibitzer-evals-{}-{}.pgn", std::process::id(), module_path!()));
    let mut config = settings(&profile);
    (config.pgn.file, config.pgn.evals) = (Some(path.clone()), true);
    config.offers.takebacks = 1;
    let bot = ready(config, probe(&Log::default(), 35)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d3"]).await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "resigns").await;
    let game = std::fs::read_to_string(&path).unwrap();
    assert!(game.contains("1. e4 {[%clk") && game.contains("1... Nf6 {[%eval -0.35][%clk "), "{game}");
    assert_eq!(game.matches("[%eval -0.35]").count(), 2, "{game}");
    std::fs::remove_file(&path).unwrap();
}
