//! A bot whose engine, chat commands and hooks are functions of Python.
//!
//! | call on the loop's thread | by | answered by |
//! |---|---|---|
//! | `host._search(job, game, limits)` | the engine, for each move | `job.move(...)` or `job.fail(...)` |
//! | `host._reply(job, talk, game)` | the policy, for a message that begins with a command | `job.reply(text)` |
//! | `host._cancel(job)` | a job whose answer is not needed any more | |
//! | `host._client(session, profile, events)` | each account, when its session begins | |
//! | `host._report(fields)` | each decision and line of analysis | |

use std::future::ready;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kibitzer::chess::{Color, SanMove};
use kibitzer::message::Rating;
use kibitzer::track::TrackedGame;
use kibitzer::{Profile, TalkKind};
use kibitzer_bot::config::AcceptRules;
use kibitzer_bot::engine::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition, is_uci_move,
};
use kibitzer_bot::policy::{GameSituation, Policy, TalkReply, TalkSituation};
use kibitzer_bot::{Bot, BotConfig, BotError, Stop};
use pyo3::intern;
use pyo3::prelude::*;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::{EventStream, OpenSession, Session};
use crate::errors;
use crate::logging::follow_python;
use crate::objects::Classes;
use crate::profile::PyProfile;
use crate::runtime::{RuntimeHandle, call_soon, lock, running_loop};

/// Name of the file in which `Bot` of Python passes its keyword arguments.
const ARGUMENTS_FILE: &str = "arguments of Bot";

/// The end of the error about settings without an engine.
const NO_ENGINE: &str = "missing field `engine`";

/// The settings of a bot, and its stop.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct NativeBot {
    config: BotConfig,
    stop: Mutex<Stop>,
}

#[pymethods]
impl NativeBot {
    /// Reads the settings from a file. `[engine]` may be missing if `has_engine`. The profiles, if any, replace the accounts.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, has_engine: bool, profiles: Vec<Py<PyProfile>>) -> PyResult<Self> {
        let shown = |text: String| {
            let text = text.replace(NO_ENGINE, &format!("{NO_ENGINE}: `@bot.engine()` or `engine=` gives one"));
            // The temporary folder of this file means nothing to the author of the arguments.
            text.split_once(ARGUMENTS_FILE).map(|(_, rest)| format!("{ARGUMENTS_FILE}{rest}")).unwrap_or(text)
        };
        let config = if has_engine { BotConfig::load_without_engine(path) } else { BotConfig::load(path) };
        let mut config = config.map_err(|error| errors::config_error(py, &shown(error.to_string())))?;
        config.warning = config.warning.map(shown);
        if !profiles.is_empty() {
            config.accounts = profiles.iter().map(|profile| profile.get().0.clone()).collect();
        }
        Ok(Self { config, stop: Mutex::default() })
    }

    /// Plays until the bot is stopped. `variants` are those that the engine of `host` plays; `None` if the engine is that of the
    /// settings.
    fn run<'py>(
        &self,
        py: Python<'py>,
        host: Py<PyAny>,
        name: String,
        variants: Option<Vec<String>>,
        commands: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        follow_python(py)?;
        let runtime = RuntimeHandle::obtain()?;
        let host = Host { event_loop: Arc::new(running_loop(py)?.unbind()), host: Arc::new(host) };
        let stop = Stop::new();
        *lock(&self.stop) = stop.clone();
        let mut config = self.config.clone();
        if let Some(warning) = &config.warning {
            tracing::warn!("{warning}");
        }
        // An engine that names its variants is there to play them.
        if config.accept.kinds == AcceptRules::default().kinds {
            config.accept.kinds.extend(variants.iter().flatten().filter(|name| *name != "chess").cloned());
        }
        let (reporting, sessions, kept) = (host.clone(), host.clone(), runtime.clone());
        let bot = Bot::new(config)
            .policy(PythonPolicy { commands: commands.into(), host: host.clone() })
            .on_event(move |event| {
                let event = event.clone();
                reporting.call(move |py, host| {
                    let fields = Classes::get(py)?.object(py, "dict", &event)?;
                    host.call_method1(intern!(py, "_report"), (fields,)).map(drop)
                });
            })
            .on_client(move |client, events| {
                let (client, runtime) = (client.clone(), kept.clone());
                sessions.call(move |py, host| {
                    let profile = PyProfile(Profile::new(client.server()));
                    let session = OpenSession::new(client, runtime);
                    let events = EventStream::new(session.clone(), events, None);
                    host.call_method1(intern!(py, "_client"), (Session::new(session), profile, events)).map(drop)
                });
            });
        let convert = |py: Python<'_>, ended: Result<(), BotError>| match ended {
            Ok(()) => Ok(py.None()),
            Err(BotError::Connect(error)) => Err(errors::connect_error(py, &error)),
            Err(BotError::Ended(reason)) => Err(errors::ended(py, &reason)),
            Err(error) => Err(errors::exception(py, "IcsError", (error.to_string(),))),
        };
        let Some(variants) = variants else { return runtime.start(py, bot.run(stop), convert) };
        let mut info = EngineInfo::new(name);
        info.variants = variants;
        let start = move || ready(Ok(PythonEngine { info: info.clone(), host: host.clone(), score: None }));
        runtime.start(py, bot.engine(start).run(stop), convert)
    }

    /// Stops after the game in progress; at once if `now`, or at the second call.
    fn stop(&self, now: bool) {
        let stop = lock(&self.stop);
        if now { stop.force() } else { stop.request_or_force() }
    }
}

/// The object of Python that runs the functions of the bot, on its event loop.
#[derive(Clone)]
struct Host {
    event_loop: Arc<Py<PyAny>>,
    host: Arc<Py<PyAny>>,
}

impl Host {
    /// Calls a function on the loop's thread, later. Does nothing once the loop is closed.
    fn call(&self, task: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<()> + Send + 'static) {
        // `None` while the interpreter shuts down.
        Python::try_attach(|py| {
            let host = self.host.clone_ref(py);
            call_soon(py, &self.event_loop, move |py| task(py, host.bind(py)));
        });
    }

    /// Calls a function on the loop's thread with a job, and returns its answer; `None` if the job was dropped without one. The job is
    /// cancelled when the future is dropped first.
    async fn answer_of(
        &self,
        begin: impl FnOnce(Python<'_>, &Bound<'_, PyAny>, Py<Job>) -> PyResult<()> + Send + 'static,
    ) -> Option<JobAnswer> {
        let (sender, answer) = oneshot::channel();
        let job = Python::try_attach(|py| Py::new(py, Job(Mutex::new(Some(sender)))))?.ok()?;
        let mut running = RunningJob { host: self, job: Python::try_attach(|py| job.clone_ref(py)) };
        self.call(move |py, host| begin(py, host, job));
        let answer = answer.await.ok();
        running.job = None;
        answer
    }
}

/// A job of Python that is cancelled when this is dropped.
struct RunningJob<'a> {
    host: &'a Host,
    job: Option<Py<Job>>,
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        if let Some(job) = self.job.take() {
            self.host.call(|py, host| host.call_method1(intern!(py, "_cancel"), (job,)).map(drop));
        }
    }
}

/// A move or a reply, or the reason why there is none.
type JobAnswer = Result<PythonMove, String>;

/// What a function of Python was called for; takes its answer once.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct Job(Mutex<Option<oneshot::Sender<JobAnswer>>>);

impl Job {
    fn answer(&self, answer: JobAnswer) {
        // Without a receiver the job was cancelled.
        drop(lock(&self.0).take().map(|sender| sender.send(answer)));
    }
}

/// The move of an engine, or the reply to a message.
#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
struct PythonMove {
    text: Option<String>,
    score_cp: Option<i32>,
    mate: Option<i32>,
    depth: Option<u32>,
    line: Vec<String>,
    draw: bool,
    resign: bool,
}

#[pymethods]
impl Job {
    /// Answers with a move: its fields as a dict.
    #[pyo3(name = "move")]
    fn answer_move(&self, fields: PythonMove) {
        self.answer(Ok(fields));
    }

    /// Answers with a text, or with nothing.
    fn reply(&self, text: Option<String>) {
        self.answer(Ok(PythonMove { text, ..PythonMove::default() }));
    }

    /// Ends a search without a move, for this reason.
    fn fail(&self, reason: String) {
        self.answer(Err(reason));
    }
}

/// An engine that calls a function of Python for each move.
struct PythonEngine {
    info: EngineInfo,
    host: Host,
    /// The last score in this game.
    score: Option<Score>,
}

impl Engine for PythonEngine {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.score = None;
        let is_played = self.info.variants.contains(&game.variant);
        is_played.then_some(()).ok_or_else(|| EngineError::Variant(game.variant.clone()))
    }

    /// See [`Engine::search`]. Not used: the bot calls [`search_game`](Engine::search_game).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn search(
        &mut self,
        _position: &SearchPosition,
        _limits: &SearchLimits,
        _report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        Err(EngineError::Position("only games are played".to_owned()))
    }

    /// See [`Engine::search_game`]. The function is cancelled at the deadline.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the function is cancelled.
    async fn search_game(
        &mut self,
        game: &TrackedGame,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        let fields = GameFields::new(game, self.score);
        let seconds = |times: [Duration; 2]| times.map(|time| time.as_secs_f64()).into();
        let clocks: Option<(f64, f64)> = limits.clocks.map(seconds);
        let increments: (f64, f64) = seconds(limits.increments);
        let move_time = limits.move_time.map(|time| time.as_secs_f64());
        let given = (clocks, increments, move_time, limits.nodes, limits.depth, limits.deadline.as_secs_f64());
        let answer = self
            .host
            .answer_of(move |py, host, job| host.call_method1(intern!(py, "_search"), (job, fields, given)).map(drop));
        let found = timeout(limits.deadline, answer).await.map_err(|_| EngineError::NoMove)?;
        let found = found.ok_or(EngineError::NoMove)?.map_err(EngineError::Failed)?;
        let score = found.mate.map(Score::Mate).or(found.score_cp.map(Score::Centipawns));
        self.score = score.or(self.score);
        if score.is_some() || found.depth.is_some() || !found.line.is_empty() {
            let mut info = SearchInfo::default();
            (info.score, info.depth, info.line) = (score, found.depth, found.line);
            report(info);
        }
        let mut best = BestMove::default();
        (best.offers_draw, best.resigns) = (found.draw, found.resign);
        let uci = |text: String| uci_of(game, &text).ok_or(EngineError::NotAMove(text));
        best.best = found.text.map(uci).transpose()?;
        Ok(best)
    }

    /// See [`Engine::quit`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn quit(self) {}
}

/// Returns a move in UCI notation; `None` if the text is neither that nor a short notation of a move that a piece can make.
fn uci_of(game: &TrackedGame, text: &str) -> Option<String> {
    let text = text.trim();
    if is_uci_move(text) {
        return Some(text.to_owned());
    }
    let color = game.my_color()?;
    let played = SanMove::parse(text.as_bytes())?.to_last_move(&game.position().board(), color)?;
    played.to_uci(color).map(|uci| uci.to_string())
}

/// Replies to messages that begin with a command by a function of Python; decides everything else by the settings.
#[derive(Clone)]
struct PythonPolicy {
    commands: Arc<[String]>,
    host: Host,
}

impl Policy for PythonPolicy {
    fn choose_reply(&mut self, talk: &TalkSituation<'_>) -> Option<TalkReply> {
        let word = talk.text.split_whitespace().next().unwrap_or_default();
        let Some(command) = self.commands.iter().find(|command| command.eq_ignore_ascii_case(word)) else {
            return talk.configured_answer().map(|answer| TalkReply::Now(answer.to_owned()));
        };
        let game = talk.game.map(|GameSituation { game, scores, .. }| {
            let analyzed = talk.analysis.and_then(|info| info.score);
            GameFields::new(game, analyzed.or(scores.last().copied()))
        });
        let kind = match talk.kind {
            TalkKind::Kibitz { .. } => "kibitz",
            TalkKind::Say { .. } => "say",
            _ => "tell",
        };
        let talk = (command.clone(), talk.from.to_string(), kind, talk.text.to_owned());
        let host = self.host.clone();
        Some(TalkReply::Later(Box::pin(async move {
            let answer =
                host.answer_of(|py, host, job| host.call_method1(intern!(py, "_reply"), (job, talk, game)).map(drop));
            answer.await?.ok()?.text
        })))
    }
}

/// Arguments of `BotGame`.
#[derive(IntoPyObject)]
struct GameFields {
    game: i32,
    variant: String,
    color: Option<String>,
    opponent: Option<String>,
    opponent_rating: Option<u16>,
    fen: String,
    start_fen: Option<String>,
    moves: Vec<String>,
    clocks: (Option<f64>, Option<f64>),
    time_control: (u32, u32),
    my_turn: bool,
    score_cp: Option<i32>,
    mate: Option<i32>,
}

impl GameFields {
    fn new(game: &TrackedGame, score: Option<Score>) -> Self {
        let SearchPosition { fen: start_fen, moves, .. } = SearchPosition::of_game(game);
        let color = game.my_color();
        let opponent = color.and_then(|color| game.rating(color.opponent())).and_then(Rating::value);
        let seconds = |color| game.position().clock(color).remaining().map(|left| left.as_secs_f64());
        let (score_cp, mate) = match score {
            Some(Score::Centipawns(score)) => (Some(score), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            _ => (None, None),
        };
        Self {
            game: game.number().0,
            variant: game.variant(),
            color: color.map(|color| color.to_string()),
            opponent: game.opponent().map(|opponent| opponent.to_string()),
            opponent_rating: opponent.filter(|&rating| rating > 0),
            fen: game.game().fen().to_string(),
            start_fen,
            moves,
            clocks: Color::BOTH.map(seconds).into(),
            time_control: game.time_control_s(),
            my_turn: game.is_my_turn(),
            score_cp,
            mate,
        }
    }
}
