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
