//! An engine in a process of its own, which speaks one of the protocols.
//!
//! | activity | call | lines of UCI, of CECP | next activity |
//! |---|---|---|---|
//! | idle | `search` | `position`, `go`; moves, `go` | searching |
//! | idle | `ponder` | `position`, `go ponder` | pondering |
//! | pondering | `search` of the same position | `ponderhit` | searching |
//! | searching, pondering | another call | `stop`; `?` | stopping |
//! | searching, pondering, stopping | a move is received | | idle |
//! | stopping | no move within a second | the program is started again | idle |

use std::time::Duration;

use kibitzer_core::chess::Color;
use tokio::time::{timeout, timeout_at};
use tracing::debug;

use super::cecp::CecpDialect;
use super::dialect::{Dialect, EngineLine, Handshake, SearchKind, truncated};
use super::process::EngineProcess;
use super::uci::UciDialect;
use super::{
    BestMove, Engine, EngineConfig, EngineError, EngineInfo, EngineProtocol, GameSetup, SearchInfo, SearchLimits,
    SearchPosition,
};

/// Time to return a move after the request to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// An engine in a process of its own, which speaks UCI or CECP.
///
/// The process is in a process group of its own, which is killed when the value is dropped. A CECP engine does not ponder, and has
/// no limit on nodes; its fixed time is sent in whole seconds, and the search is stopped when it is over.
#[derive(Debug)]
pub struct ExternalEngine {
    command: EngineConfig,
    process: EngineProcess,
    dialect: Box<dyn Dialect>,
    handshake: Handshake,
    /// The current game; `None` before the first one.
    game: Option<GameSetup>,
    activity: EngineActivity,
    /// Position of the current or last search.
    position: SearchPosition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineActivity {
    Idle,
    Running(SearchKind),
    /// The request to stop was sent; the move of the search is still to come.
    Stopping,
}

impl ExternalEngine {
    /// Starts the program, completes the handshake and sets the options.
    ///
    /// Options have the names that the engine reports; `memory` (MiB) and `cores` stand for CECP's commands of these names.
    ///
    /// # Errors
    ///
    /// [`EngineError::Start`] if the program cannot be started, [`EngineError::Exited`] or [`EngineError::Silent`] if it does not
    /// complete the handshake, [`EngineError::Option`] if it does not have an option or accept its value, or if a CECP engine is to
    /// limit the nodes.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    pub async fn start(command: &EngineConfig) -> Result<Self, EngineError> {
        command.require_known_limits()?;
        let dialect: Box<dyn Dialect> = match command.protocol {
            EngineProtocol::Uci => Box::<UciDialect>::default(),
            EngineProtocol::Cecp => Box::<CecpDialect>::default(),
        };
        let mut engine = Self {
            process: EngineProcess::spawn(command)?,
            command: command.clone(),
            dialect,
            handshake: Handshake {
                info: EngineInfo::new(truncated(command.command.first().map_or("", String::as_str))),
                ..Handshake::default()
            },
            game: None,
            activity: EngineActivity::Idle,
            position: SearchPosition::new(None, Vec::new(), Color::White),
        };
        engine.complete_handshake().await?;
        for (name, value) in &command.options {
            let option = engine.handshake.options.option_that_accepts(name, value)?;
            engine.process.queue_line(&engine.dialect.option_line(option, value));
        }
        engine.synchronize().await?;
        Ok(engine)
    }

    /// Sends the greeting, and processes the engine's lines until the handshake is complete.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`] if the output ends, [`EngineError::Silent`] if the whole handshake exceeds the reply timeout.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: values that were read are kept, but another call sends the greeting again.
    async fn complete_handshake(&mut self) -> Result<(), EngineError> {
        self.process.queue_lines(self.dialect.greeting());
        let deadline = tokio::time::Instant::now() + self.command.reply_timeout;
        while !self.handshake.is_done {
            let line = timeout_at(deadline, self.process.read_line_while_writing()).await;
            let line = line.unwrap_or_else(|_| Err(self.process.silent("handshake")))?;
            self.dialect.process_handshake_line(&line, &mut self.handshake);
            self.process.queue_lines(&std::mem::take(&mut self.handshake.replies));
        }
        self.handshake.info.options = self.handshake.options.names();
        Ok(())
    }

    /// Waits until the engine has processed all sent lines, if it can report it.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`], [`EngineError::Silent`], and [`EngineError::Position`] if it refused the position or a move.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is ignored later.
    async fn synchronize(&mut self) -> Result<(), EngineError> {
        let Some((question, answer)) = self.dialect.synchronization() else { return Ok(()) };
        self.process.queue_line(&question);
        let answered = async {
            loop {
                let line = self.process.read_line_while_writing().await?;
                if line == answer {
                    return Ok(());
                }
                if let Some(EngineLine::Result(Err(refused @ EngineError::Position(_)))) =
                    self.dialect.parse_search_line(&line, &self.position)
                {
                    return Err(refused);
                }
            }
        };
        let answered = timeout(self.command.reply_timeout, answered).await;
        answered.unwrap_or_else(|_| Err(self.process.silent("synchronization")))
    }

    /// Stops a search whose caller is gone, and discards its move. Restarts the program if the engine returns no move within a second:
    /// some engines read no line while they think. Returns whether a search was running.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues.
    async fn discard_search(&mut self) -> Result<bool, EngineError> {
        if self.activity == EngineActivity::Idle {
            return Ok(false);
        }
        match self.stop_search(&mut |_| {}).await {
            Err(EngineError::NoMove) => self.restart_process().await?,
            Err(exited @ EngineError::Exited { .. }) => return Err(exited),
            // Whether its move is legal does not matter any more.
            Ok(_) | Err(_) => {}
        }
        Ok(true)
    }

    /// Replaces the program by a new process, and prepares the new process for the current game.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the old process remains.
    async fn restart_process(&mut self) -> Result<(), EngineError> {
        debug!("the engine is started again");
        let mut started = Self::start(&self.command).await?;
        started.game.clone_from(&self.game);
        started.send_game_lines();
        *self = started;
        Ok(())
    }

    /// Sends the lines that begin the current game; none before the first game.
    fn send_game_lines(&mut self) {
        if let Some(game) = &self.game {
            self.process.queue_lines(&self.dialect.game_lines(game, &self.handshake.options));
        }
    }

    /// Discards a running search, sets up a position, and starts a search or an analysis in the opponent's time.
    ///
    /// # Errors
    ///
    /// As [`search`](Engine::search).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call sets up the position again.
    async fn start_search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        kind: SearchKind,
    ) -> Result<(), EngineError> {
        let was_searching = self.discard_search().await?;
        self.position.clone_from(position);
        self.process.queue_lines(&self.dialect.position_lines(position)?);
        // Skips what the engine wrote after its last move, such as a second move or its opinion on the result.
        if was_searching || self.dialect.synchronizes_each_search() {
            self.synchronize().await?;
        }
        let lines = self.dialect.go_lines(position, limits, kind);
        self.process.queue_lines(&lines);
        self.activity = EngineActivity::Running(kind);
        Ok(())
    }

    /// Requests the engine to stop, unless that was done before, and waits for the result of the search, at most a second.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoMove`] if none comes within a second, otherwise as [`wait_for_result`](Self::wait_for_result).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues.
    async fn stop_search(&mut self, report: &mut (dyn FnMut(SearchInfo) + Send)) -> Result<BestMove, EngineError> {
        if self.activity != EngineActivity::Stopping {
            self.process.queue_line(self.dialect.stop_line());
            self.activity = EngineActivity::Stopping;
        }
        timeout(STOP_TIMEOUT, self.wait_for_result(report)).await.unwrap_or(Err(EngineError::NoMove))
    }

    /// Reports lines of analysis until the search ends.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`], [`EngineError::NotAMove`], [`EngineError::Position`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call stops the search.
    async fn wait_for_result(&mut self, report: &mut (dyn FnMut(SearchInfo) + Send)) -> Result<BestMove, EngineError> {
        loop {
            let line = self.process.read_line_while_writing().await?;
            match self.dialect.parse_search_line(&line, &self.position) {
                Some(EngineLine::Info(info)) => report(info),
                Some(EngineLine::Result(result)) => {
                    self.activity = EngineActivity::Idle;
                    return result;
                }
                None => {}
            }
        }
    }
}

impl Engine for ExternalEngine {
    fn info(&self) -> &EngineInfo {
        &self.handshake.info
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: drop the engine if the future was dropped.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.handshake.info.require_variant(&game.variant)?;
        self.discard_search().await?;
        if self.game.replace(game.clone()).is_some() && self.dialect.needs_process_per_game() {
            self.restart_process().await?;
        } else {
            self.send_game_lines();
        }
        self.synchronize().await
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
        if self.activity == EngineActivity::Running(SearchKind::Ponder) && self.position == *position {
            self.process.queue_line("ponderhit");
            self.activity = EngineActivity::Running(SearchKind::Search);
        } else {
            self.start_search(position, limits, SearchKind::Search).await?;
        }
        let fixed_time = limits.move_time.filter(|_| limits.clocks.is_none());
        match timeout(fixed_time.unwrap_or(limits.deadline), self.wait_for_result(report)).await {
            Ok(result) => result,
            Err(_) => self.stop_search(report).await,
        }
    }

    /// See [`Engine::ponder`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues or stops the analysis.
    async fn ponder(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<(), EngineError> {
        if self.handshake.info.ponders {
            self.start_search(position, limits, SearchKind::Ponder).await?;
        } else {
            self.discard_search().await?;
        }
        loop {
            // A move before `ponderhit` or `stop` is against the protocol; some engines send it after a mate or at a depth limit.
            self.wait_for_result(report).await?;
        }
    }

    /// See [`Engine::stop`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues.
    async fn stop(&mut self) -> Result<(), EngineError> {
        if self.discard_search().await? { self.synchronize().await } else { Ok(()) }
    }

    /// See [`Engine::quit`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    async fn quit(self) {
        self.process.quit().await;
    }
}
