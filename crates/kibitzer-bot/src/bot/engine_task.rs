//! The engine of an account: its start, and the task that owns it, which searches one position at a time and starts the engine again
//! after a failure.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kibitzer::track::{GameKey, GamePositionKey, TrackedGame};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::engine::{
    BestMove, Engine, EngineConfig, EngineError, EngineInfo, ExternalEngine, GameSetup, SearchInfo, SearchLimits,
    SearchPosition,
};

/// How long the start of an engine may take.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the start of an engine may take before it is reported.
const START_NOTICE: Duration = Duration::from_secs(5);

/// Number of orders that may wait for the engine.
const ORDERS: usize = 64;

/// Delay before an engine that failed is started again; doubles with every failure until it returns a move.
const RESTART_DELAY: Duration = Duration::from_millis(50);

/// Longest delay before an engine is started again.
const MAX_RESTART_DELAY: Duration = Duration::from_mins(1);

/// Starts engines: one for each account, and another after each failure.
///
/// Implemented for [`EngineConfig`] and for closures that return a future of an engine.
pub trait StartEngine: Clone + Send + Sync + 'static {
    /// The engine.
    type Engine: Engine;

    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it does not start; the bot tries again.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a half-started engine is ended.
    fn start(&self) -> impl Future<Output = Result<Self::Engine, EngineError>> + Send;

    /// Returns the name of the program for messages; `engine` by default.
    fn program(&self) -> String {
        "engine".to_owned()
    }

    /// Starts an engine. Calls `notice` with a sentence about it if that takes more than 5 s.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it does not start within 30 s.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a half-started engine is ended.
    fn start_with_notice(
        &self,
        notice: impl FnOnce(String) + Send,
    ) -> impl Future<Output = Result<Self::Engine, EngineError>> + Send {
        async {
            let silent = |_| Err(EngineError::Silent { program: self.program(), step: "start" });
            let mut starting = pin!(timeout(START_TIMEOUT, self.start()));
            if let Ok(started) = timeout(START_NOTICE, starting.as_mut()).await {
                return started.unwrap_or_else(silent);
            }
            let program = self.program();
            notice(format!("{program:?} has not answered for {START_NOTICE:?}; the limit is {START_TIMEOUT:?}"));
            starting.await.unwrap_or_else(silent)
        }
    }
}

impl StartEngine for EngineConfig {
    type Engine = ExternalEngine;

    async fn start(&self) -> Result<ExternalEngine, EngineError> {
        ExternalEngine::start(self).await
    }

    fn program(&self) -> String {
        self.command.first().cloned().unwrap_or_default()
    }
}

impl<S, F, E> StartEngine for S
where
    S: Fn() -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<E, EngineError>> + Send,
    E: Engine,
{
    type Engine = E;

    async fn start(&self) -> Result<E, EngineError> {
        self().await
    }
}

/// A start that yields an engine that is running already at its first call, and then starts other engines.
pub(super) struct StartAfter<S: StartEngine> {
    first: Arc<Mutex<Option<S::Engine>>>,
    start: S,
}

// Not derived: that would require an engine that can be cloned.
impl<S: StartEngine> Clone for StartAfter<S> {
    fn clone(&self) -> Self {
        Self { first: Arc::clone(&self.first), start: self.start.clone() }
    }
}

impl<S: StartEngine> StartAfter<S> {
    pub(super) fn new(first: S::Engine, start: S) -> Self {
        Self { first: Arc::new(Mutex::new(Some(first))), start }
    }
}

impl<S: StartEngine> StartEngine for StartAfter<S> {
    type Engine = S::Engine;

    async fn start(&self) -> Result<S::Engine, EngineError> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(first) = first { Ok(first) } else { self.start.start().await }
    }

    fn program(&self) -> String {
        self.start.program()
    }
}

/// Order to the task that runs the engine.
#[derive(Debug)]
pub(super) enum EngineOrder {
    /// Prepare for a game.
    NewGame(GameKey, GameSetup),
    /// Find a move for the current position of a game.
    Search(Box<TrackedGame>, SearchLimits),
    /// Analyze the position expected after the opponent's move, until the next order.
    Ponder(GameKey, SearchPosition, SearchLimits),
    /// Stop searching.
    Stop,
    /// End the engine, which has made a mistake, and start it again.
    Restart(EngineError),
}

/// Report of the task that runs the engine.
#[derive(Debug)]
pub(super) enum EngineReport {
    /// The engine takes long to start; a sentence that names it.
    Starting(String),
    /// The engine is started.
    Started(EngineInfo),
    /// A line of analysis.
    Analysis(GameKey, SearchInfo),
    /// The best move in a position, and the last line of the search with a score.
    Best(GamePositionKey, BestMove, Option<SearchInfo>),
    /// The engine does not play the game.
    NotPlayed(GameKey, EngineError),
    /// The engine failed and is being started again; the search in progress is lost.
    Failed(EngineError),
}

/// Handle to the task that runs the engine. When it is dropped, the task ends the engine.
#[derive(Debug)]
pub(super) struct EngineTask {
    orders: mpsc::Sender<EngineOrder>,
    /// Ends with the task.
    pub(super) reports: mpsc::Receiver<EngineReport>,
    /// The engine; `None` until it has started, and after a failure until it runs again.
    pub(super) info: Option<EngineInfo>,
    /// Whether an engine has ever started.
    pub(super) has_started: bool,
}

impl EngineTask {
    /// Starts the task. `start` starts an engine, once now and again after each failure.
    pub(super) fn spawn(start: impl StartEngine) -> Self {
        let (orders, received) = mpsc::channel(ORDERS);
        let (sender, reports) = mpsc::channel(ORDERS);
        tokio::spawn(run_engines(start, received, sender));
        Self { orders, reports, info: None, has_started: false }
    }

    /// Returns whether the engine can think in the opponent's time.
    pub(super) fn ponders(&self) -> bool {
        self.info.as_ref().is_some_and(|engine| engine.ponders)
    }

    /// Queues an order, for which the task ends a search in progress. Drops the order if 64 others are queued.
    pub(super) fn try_send_order(&self, order: EngineOrder) {
        // The engine is stuck in a start then; the next search replaces the lost ones.
        let _ = self.orders.try_send(order);
    }
}

/// Runs engines, one after the other, until the [`EngineTask`] is dropped. The delay before a restart doubles up to [`MAX_RESTART_DELAY`], and
/// starts again at [`RESTART_DELAY`] after an engine that has moved.
///
/// # Cancel safety
///
/// Not cancel safe: the task runs to its end.
async fn run_engines(
    start: impl StartEngine,
    mut orders: mpsc::Receiver<EngineOrder>,
    reports: mpsc::Sender<EngineReport>,
) {
    let mut setup = None;
    let mut delay = RESTART_DELAY;
    loop {
        let slow = |notice| drop(reports.try_send(EngineReport::Starting(notice)));
        let failure = match start.start_with_notice(slow).await {
            Ok(mut engine) => {
                if reports.send(EngineReport::Started(engine.info().clone())).await.is_err() {
                    return engine.quit().await;
                }
                let mut has_moved = false;
                let served = execute_orders(&mut engine, &mut setup, &mut orders, &reports, &mut has_moved).await;
                if has_moved {
                    delay = RESTART_DELAY;
                }
                match served {
                    Ok(()) => return engine.quit().await,
                    Err(error) => error,
                }
            }
            Err(error) => error,
        };
        if reports.send(EngineReport::Failed(failure)).await.is_err() {
            return;
        }
        tokio::time::sleep(delay).await;
        delay = (delay * 2).min(MAX_RESTART_DELAY);
    }
}

/// Executes orders until the [`EngineTask`] is dropped, or the engine fails. An order that arrives during a search replaces the search. A
/// variant that the engine does not play is reported and is no failure. Stores the last game in `setup`, which is set up again at
/// the start, and sets `has_moved` once the engine has returned a move.
///
/// # Cancel safety
///
/// Not cancel safe.
async fn execute_orders<E: Engine>(
    engine: &mut E,
    setup: &mut Option<GameSetup>,
    orders: &mut mpsc::Receiver<EngineOrder>,
    reports: &mpsc::Sender<EngineReport>,
    has_moved: &mut bool,
) -> Result<(), EngineError> {
    if let Some(game) = setup {
        engine.new_game(game).await?;
    }
    let mut next = orders.recv().await;
    while let Some(order) = next {
        next = match order {
            EngineOrder::NewGame(id, game) => {
                match engine.new_game(&game).await {
                    Err(error @ EngineError::Variant(_)) => {
                        // Without a receiver the next order ends the task.
                        let _ = reports.send(EngineReport::NotPlayed(id, error)).await;
                    }
                    result => {
                        *setup = Some(game);
                        result?;
                    }
                }
                orders.recv().await
            }
            EngineOrder::Search(game, limits) => {
                let id = game.position_key();
                let mut scored = None;
                let mut analysis = |info: SearchInfo| {
                    if info.score.is_some() {
                        scored = Some(info.clone());
                    }
                    drop(reports.try_send(EngineReport::Analysis(id.game(), info)));
                };
                tokio::select! {
                    best = engine.search_game(&game, &limits, &mut analysis) => {
                        let _ = reports.send(EngineReport::Best(id, best?, scored)).await;
                        *has_moved = true;
                        orders.recv().await
                    }
                    order = orders.recv() => order,
                }
            }
            EngineOrder::Ponder(id, position, limits) => {
                let mut analysis = |info| drop(reports.try_send(EngineReport::Analysis(id, info)));
                tokio::select! {
                    result = engine.ponder(&position, &limits, &mut analysis) => {
                        result?;
                        orders.recv().await
                    }
                    order = orders.recv() => order,
                }
            }
            EngineOrder::Stop => {
                engine.stop().await?;
                orders.recv().await
            }
            EngineOrder::Restart(mistake) => return Err(mistake),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::WeakPlayer;

    #[derive(Clone)]
    struct Named;

    impl StartEngine for Named {
        type Engine = WeakPlayer;

        async fn start(&self) -> Result<WeakPlayer, EngineError> {
            Ok(WeakPlayer::new(1, Duration::ZERO))
        }

        fn program(&self) -> String {
            "stockfish".to_owned()
        }
    }

    #[tokio::test]
    async fn an_engine_that_is_started_again_keeps_the_name_of_its_program() {
        let start = StartAfter::new(Named.start().await.unwrap(), Named);
        assert_eq!(start.program(), "stockfish");
    }
}
