//! A server, a bot that plays on it, and a human opponent that the test controls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kibitzer::command::GameTerms;
use kibitzer::{Client, Dial, Event, Handle, Message, Profile, Relation, Style12, Subscription};
use kibitzer_bot::engine::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition,
};
use kibitzer_bot::policy::Policy;
use kibitzer_bot::{
    Bot, BotAction, BotConfig, BotError, BotEvent, EngineConfig, ScriptedEngine, StartEngine, Stop, WeakPlayer,
};
use kibitzer_core::chess::Color;
use kibitzer_core::session::Password;
use kibitzer_server::{Account, ConnectionTarget, Fault, FaultPoint, ImitatedFamily, Server, ServerOptions};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Virtual time after which a wait fails the test.
const PATIENCE: Duration = Duration::from_mins(10);

/// Runs a test on both flavours of the runtime: one thread with virtual time, and several threads.
pub(crate) fn on_both_flavours<F: Future<Output = ()>>(test: impl Fn() -> F) {
    use tokio::runtime::Builder;
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(test());
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(test());
}

/// Options of a server of the family that the test target is for.
pub(crate) fn options() -> ServerOptions {
    let is_icc = module_path!().contains("play_icc");
    ServerOptions::new().family(if is_icc { ImitatedFamily::Icc } else { ImitatedFamily::Fics })
}

/// A server without a port, and the profile of a guest on it.
pub(crate) async fn serve(options: ServerOptions) -> (Arc<Server>, Profile) {
    let server = Server::start(options.in_process()).await.unwrap();
    let server = Arc::new(server);
    let dialed = Arc::clone(&server);
    let dial = Dial::with(move || {
        let server = Arc::clone(&dialed);
        async move { server.connect().await }
    });
    let profile = Profile::demo().dial(dial);
    (server, profile.session(|session| session.family(kibitzer_core::message::Family::Auto)))
}

/// A bot that runs, and what it reported.
pub(crate) struct Running {
    pub(crate) stop: Stop,
    pub(crate) done: JoinHandle<Result<(), BotError>>,
    events: Arc<Mutex<Vec<BotEvent>>>,
    client: Arc<Mutex<Option<Client>>>,
}

impl Running {
    /// Starts a bot as guest `Botvin`.
    pub(crate) fn start<S: StartEngine>(config: BotConfig, engine: S) -> Self {
        Self::start_bot(Bot::new(config).engine(engine))
    }

    /// Starts a bot.
    pub(crate) fn start_bot<S: StartEngine, P: Policy + Clone>(bot: Bot<S, P>) -> Self {
        Self::start_with(bot, Bot::run)
    }

    /// Starts a bot by a function that plays with it.
    pub(crate) fn start_with<S: StartEngine, P: Policy + Clone, F>(
        bot: Bot<S, P>,
        play: impl FnOnce(Bot<S, P>, Stop) -> F,
    ) -> Self
    where
        F: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        let (stop, events) = (Stop::new(), Arc::new(Mutex::new(Vec::new())));
        let sink = Arc::clone(&events);
        let client = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&client);
        let bot = bot
            .on_event(move |event| sink.lock().unwrap().push(event.clone()))
            .on_client(move |client, _| *kept.lock().unwrap() = Some(client.clone()));
        let done = tokio::spawn(play(bot, stop.clone()));
        Self { stop, done, events, client }
    }

    /// Ends the bot as if its process were killed.
    pub(crate) fn kill(self) {
        self.done.abort();
    }

    /// Sends a command from the bot's session, and ignores the reply.
    pub(crate) async fn send(&self, line: &str) {
        let client = self.client.lock().unwrap().clone().unwrap();
        drop(client.request(line).await);
    }

    /// Returns the actions so far with their reasons.
    pub(crate) fn actions(&self) -> Vec<(BotAction, String)> {
        let events = self.events.lock().unwrap();
        let acted = events.iter().filter_map(|event| match event {
            BotEvent::Acted { action, reason, .. } => Some((*action, reason.clone())),
            _ => None,
        });
        acted.collect()
    }

    /// Returns the accounts and players of the actions of a kind whose reason contains the words.
    pub(crate) fn names_of(&self, wanted: BotAction, words: &str) -> Vec<(Option<String>, Option<String>)> {
        let name = |handle: &Option<Handle>| handle.as_ref().map(Handle::to_string);
        let events = self.events.lock().unwrap();
        let acted = events.iter().filter_map(|event| match event {
            BotEvent::Acted { action, account, player, reason, .. } if *action == wanted && reason.contains(words) => {
                Some((name(account), name(player)))
            }
            _ => None,
        });
        acted.collect()
    }

    /// Returns the scores of the lines of analysis.
    pub(crate) fn analysis(&self) -> Vec<Score> {
        self.events.lock().unwrap().iter().filter_map(BotEvent::score).collect()
    }

    pub(crate) fn count(&self, wanted: BotAction) -> usize {
        self.actions().iter().filter(|(action, _)| *action == wanted).count()
    }

    /// Cuts the connection of the bot.
    pub(crate) async fn cut(&self, server: &Server) {
        let target = ConnectionTarget::Player("Botvin".to_owned());
        server.control().inject(target, FaultPoint::Now, Fault::Reset).await.unwrap();
        self.wait_for(BotAction::Connection, "lost").await;
    }

    /// Waits until the bot has done something for this number of times.
    pub(crate) async fn wait_for_count(&self, wanted: BotAction, n: usize) {
        let waiting = async {
            while self.count(wanted) < n {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "not {n} times {wanted:?} in {:#?}", self.actions());
    }

    /// Waits until the bot has done something with a reason that contains the words.
    pub(crate) async fn wait_for(&self, wanted: BotAction, words: &str) {
        let is_done = || self.actions().iter().any(|(action, reason)| *action == wanted && reason.contains(words));
        let waiting = async {
            while !is_done() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "no {wanted:?} with {words:?} in {:#?}", self.actions());
    }
}

/// The settings of the tests: guest `Botvin`, default rules.
pub(crate) fn settings(profile: &Profile) -> BotConfig {
    BotConfig::new(profile.clone().guest_as("Botvin".parse().unwrap()), EngineConfig::new(["none"]))
}

/// A weak player that moves at once.
pub(crate) fn weak() -> impl StartEngine {
    || async { Ok(WeakPlayer::new(7, Duration::ZERO)) }
}

/// An engine whose answers a function gives, which must not depend on the order of restarts.
pub(crate) fn scripted(
    answer: impl Fn(&SearchPosition, &SearchLimits) -> Result<BestMove, EngineError> + Clone + Send + Sync + 'static,
) -> impl StartEngine {
    move || {
        let answer = answer.clone();
        async move { Ok::<_, EngineError>(ScriptedEngine::new(answer)) }
    }
}

/// An engine that plays [`shuffle`], after so many lines of analysis, one in a millisecond, each with its number as score.
pub(crate) struct TestEngine {
    info: EngineInfo,
    n_lines: i32,
    /// Whether it fails when it is stopped the next time, between two games.
    fails: Arc<AtomicBool>,
}

impl TestEngine {
    pub(crate) fn new(n_lines: i32, fails: Arc<AtomicBool>) -> Self {
        Self { info: EngineInfo::new("Tester"), n_lines, fails }
    }

    pub(crate) fn add_variant(&mut self, variant: &str) {
        self.info.variants.push(variant.to_owned());
    }
}

impl Engine for TestEngine {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    async fn new_game(&mut self, _: &GameSetup) -> Result<(), EngineError> {
        Ok(())
    }

    async fn search(
        &mut self,
        position: &SearchPosition,
        _: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        for n in 1..=self.n_lines {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let mut info = SearchInfo::default();
            info.score = Some(Score::Centipawns(n));
            report(info);
        }
        Ok(shuffle(position))
    }

    async fn stop(&mut self) -> Result<(), EngineError> {
        if self.fails.swap(false, Ordering::Relaxed) { Err(EngineError::NoMove) } else { Ok(()) }
    }

    async fn quit(self) {}
}

/// Starts a bot that is ready to play.
pub(crate) async fn ready<S: StartEngine>(config: BotConfig, engine: S) -> Running {
    let bot = Running::start(config, engine);
    bot.wait_for(BotAction::StartedEngine, "").await;
    bot.wait_for(BotAction::Connection, "ready").await;
    bot
}

/// Plays the moves of Black that lead nowhere.
pub(crate) fn shuffle(position: &SearchPosition) -> BestMove {
    let n = position.moves.len() / 2;
    let moves = if position.moves.len().is_multiple_of(2) { ["g1f3", "f3g1"] } else { ["g8f6", "f6g8"] };
    BestMove::new(moves[n % 2])
}

pub(crate) fn shuffler() -> impl StartEngine {
    scripted(|position, _| Ok(shuffle(position)))
}

/// A server with accounts of the bot and the human, so that it adjourns their game when a connection is lost.
pub(crate) async fn serve_accounts() -> (Arc<Server>, BotConfig, Profile) {
    let account = |name: &str| Account::new(name.parse().unwrap(), "secret");
    let (server, profile) = serve(options().account(account("Botvin")).account(account("Alekhin"))).await;
    let log_in = |name: &str| profile.clone().account(name.parse().unwrap(), Password::new("secret").unwrap());
    (server, BotConfig::new(log_in("Botvin"), EngineConfig::new(["none"])), log_in("Alekhin"))
}

/// The opponent: a session whose moves the test sends.
pub(crate) struct Human {
    pub(crate) client: Client,
    events: Subscription,
}

impl Human {
    pub(crate) async fn log_in(profile: &Profile, name: &str) -> Self {
        Self::log_in_with(profile.clone().guest_as(name.parse().unwrap())).await
    }

    pub(crate) async fn log_in_with(profile: Profile) -> Self {
        let builder = Client::builder(profile);
        let events = builder.subscribe_lossless(10_000);
        let client = builder.start().await.unwrap();
        client.ready().await.unwrap();
        Self { client, events }
    }

    /// Challenges the bot, and waits for the first board.
    pub(crate) async fn challenge(&mut self, terms: impl FnOnce(GameTerms) -> GameTerms) -> Arc<Style12> {
        let terms = terms(GameTerms::new().time(5, 0).unrated());
        // Boards of earlier games are of no interest.
        self.events = self.client.subscribe_lossless(10_000);
        self.client.challenge("Botvin", terms).await.unwrap();
        self.board(|_| true).await
    }

    /// Challenges the bot as White, and plays these moves, each after the bot's answer.
    pub(crate) async fn begin(&mut self, moves: &[&str]) {
        self.challenge(|terms| terms.color(Color::White)).await;
        for played in moves {
            self.play(played).await;
            self.turn().await;
        }
    }

    /// Sends a command, and ignores the reply.
    pub(crate) async fn send(&self, line: &str) {
        drop(self.client.request(line).await);
    }

    /// Waits for a board of the own game.
    pub(crate) async fn board(&mut self, is_wanted: impl Fn(&Style12) -> bool) -> Arc<Style12> {
        self.find("a board", |event| match event.message() {
            Some(Message::Style12(board)) if board.relation().is_mine() && is_wanted(board) => Some(Arc::clone(board)),
            _ => None,
        })
        .await
    }

    /// Waits for this side's turn.
    pub(crate) async fn turn(&mut self) -> Arc<Style12> {
        self.board(|board| board.relation() == Relation::MyTurn).await
    }

    /// Waits for the end of a game, and returns the server's words.
    pub(crate) async fn end(&mut self) -> String {
        self.find("the end of a game", |event| match event.message() {
            Some(Message::GameEnded(ended)) => Some(ended.text.to_string()),
            _ => None,
        })
        .await
    }

    /// Waits for a line of the server.
    pub(crate) async fn line(&mut self, words: &str) {
        self.find(words, |event| String::from_utf8_lossy(event.raw()).contains(words).then_some(())).await;
    }

    async fn find<T>(&mut self, what: &str, mut pick: impl FnMut(&Event) -> Option<T>) -> T {
        let search = async {
            loop {
                let event = self.events.next().await.expect("the session is over");
                if let Some(found) = pick(&event) {
                    return found;
                }
            }
        };
        timeout(PATIENCE, search).await.unwrap_or_else(|_| panic!("{what} did not arrive"))
    }

    pub(crate) async fn play(&self, uci: &str) {
        self.client.make_move(&kibitzer::command::MoveText::new(uci).unwrap()).await.unwrap();
    }
}
