//! The engine of a configuration, whichever protocol it speaks.

use super::{
    BestMove, Engine, EngineCommand, EngineError, EngineInfo, EngineProtocol, GameSetup, SearchInfo, SearchLimits,
    SearchPosition, Uci,
};

/// An engine in a process of its own.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfiguredEngine {
    /// An engine that speaks UCI.
    Uci(Uci),
}

impl ConfiguredEngine {
    /// Starts the program and sets its options.
    ///
    /// # Errors
    ///
    /// As [`Uci::start`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    pub async fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        match command.protocol {
            EngineProtocol::Uci | EngineProtocol::Cecp => Ok(Self::Uci(Uci::start(command).await?)),
        }
    }
}

impl Engine for ConfiguredEngine {
    fn info(&self) -> &EngineInfo {
        match self {
            Self::Uci(engine) => engine.info(),
        }
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: drop the engine if the future was dropped.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        match self {
            Self::Uci(engine) => engine.new_game(game).await,
        }
    }

    /// See [`Engine::search`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call stops the search and discards its move.
    async fn search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        match self {
            Self::Uci(engine) => engine.search(position, limits, report).await,
        }
    }

    /// See [`Engine::ponder`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn ponder(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<(), EngineError> {
        match self {
            Self::Uci(engine) => engine.ponder(position, limits, report).await,
        }
    }

    /// See [`Engine::stop`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn stop(&mut self) -> Result<(), EngineError> {
        match self {
            Self::Uci(engine) => engine.stop().await,
        }
    }

    /// See [`Engine::quit`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    async fn quit(self) {
        match self {
            Self::Uci(engine) => engine.quit().await,
        }
    }
}
