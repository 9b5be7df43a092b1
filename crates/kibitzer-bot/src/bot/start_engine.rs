//! The start of engines.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::engine::{Engine, EngineConfig, EngineError, ExternalEngine};

/// How long the start of an engine may take.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the start of an engine may take before it is reported.
const START_NOTICE: Duration = Duration::from_secs(5);

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

/// Returns a start that yields `first` at its first call, and then starts other engines.
pub(super) fn start_after<S: StartEngine>(first: S::Engine, start: S) -> impl StartEngine<Engine = S::Engine> {
    let first = Arc::new(Mutex::new(Some(first)));
    move || {
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let start = start.clone();
        async move { if let Some(first) = first { Ok(first) } else { start.start().await } }
    }
}
