//! Chess engines: the interface that a bot uses, and its implementations.
//!
//! A search is described by a [`SearchPosition`] and [`SearchLimits`]; it reports [`SearchInfo`] while it runs and ends with a
//! [`BestMove`]. Moves are in UCI notation: `e2e4`, `e7e8q`, `P@e4` for a drop, king takes rook (`e1h1`) for castling in
//! chess960.

use std::future::{Future, ready};
use std::io;
use std::process::ExitStatus;

use kibitzer::track::TrackedGame;
use kibitzer_core::chess::Color;

mod builtin;
mod cecp;
mod config;
mod dialect;
mod external;
mod process;
mod search;
mod uci;

pub use builtin::{ScriptedEngine, WeakPlayer};
pub use config::{EngineConfig, EngineProtocol};
pub use external::ExternalEngine;
pub(crate) use search::uci_notation;
pub use search::{BestMove, Score, SearchInfo, SearchLimits, SearchPosition, is_uci_move};

/// A chess engine that searches one position at a time.
///
/// An error means that the engine can no longer be used: drop it and start another one.
pub trait Engine: Send + 'static {
    /// Returns the description that the engine gave of itself when it started.
    fn info(&self) -> &EngineInfo;

    /// Prepares for a new game: the engine forgets the last one and sets the variant and the opponent.
    ///
    /// # Errors
    ///
    /// [`EngineError::Variant`] if the engine does not know the variant, otherwise as [`search`](Self::search).
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: drop the engine if the future was dropped.
    fn new_game(&mut self, game: &GameSetup) -> impl Future<Output = Result<(), EngineError>> + Send;

    /// Searches a position within the limits and returns the best move; reports each line of analysis.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the engine exits, does not answer in time, or answers with something that is not a move.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the next call first stops the search and discards its move.
    fn search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> impl Future<Output = Result<BestMove, EngineError>> + Send;

    /// Finds a move in a game of the bot: searches [`SearchPosition::of_game`] by default.
    ///
    /// For engines that need more of the game than the position, such as the reserves, the clocks or the opponent.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    ///
    /// # Cancel safety
    ///
    /// As [`search`](Self::search).
    fn search_game(
        &mut self,
        game: &TrackedGame,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> impl Future<Output = Result<BestMove, EngineError>> + Send {
        async { self.search(&SearchPosition::of_game(game), limits, report).await }
    }

    /// Analyzes a position in the opponent's time, until the future is dropped or [`search`](Self::search) is called.
    ///
    /// The last move of the position is the reply that the engine expects. If the next search is of this very position, the
    /// engine continues the analysis (a ponder hit). Engines that cannot ponder wait, as the default does.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    fn ponder(
        &mut self,
        _position: &SearchPosition,
        _limits: &SearchLimits,
        _report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> impl Future<Output = Result<(), EngineError>> + Send {
        std::future::pending()
    }

    /// Stops a search or analysis whose future was dropped. Without it, the next call does so.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    fn stop(&mut self) -> impl Future<Output = Result<(), EngineError>> + Send {
        ready(Ok(()))
    }

    /// Asks the engine to exit, and ends its process if it does not within a second.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the engine ends its process at once.
    fn quit(self) -> impl Future<Output = ()> + Send;
}

/// Description that an engine gives of itself when it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineInfo {
    /// Name and version.
    pub name: String,
    /// Author; empty if it names none.
    pub author: String,
    /// Names of the options that can be set.
    pub options: Vec<String>,
    /// The variants that it plays, by the names of UCI: `chess`, `chess960`, `crazyhouse`, `atomic` …
    pub variants: Vec<String>,
    /// Whether it can think in the opponent's time.
    pub ponders: bool,
}

impl EngineInfo {
    /// Creates the description of an engine of this name that plays only chess and does not ponder.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), variants: vec!["chess".to_owned()], ..Self::default() }
    }

    /// Fails with [`EngineError::Variant`] unless the engine plays the variant.
    pub(crate) fn require_variant(&self, variant: &str) -> Result<(), EngineError> {
        let is_known = self.variants.iter().any(|known| known == variant);
        is_known.then_some(()).ok_or_else(|| EngineError::Variant(variant.to_owned()))
    }
}

/// A game that an engine is about to play.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameSetup {
    /// The variant, by the name of UCI: `chess`, `chess960`, `crazyhouse` …
    pub variant: String,
    /// The engine's side.
    pub color: Color,
    /// The opponent's name.
    pub opponent: String,
    /// The opponent's rating; `None` for a guest.
    pub opponent_rating: Option<u16>,
    /// Whether the opponent is known to be a computer.
    pub opponent_is_computer: bool,
}

impl GameSetup {
    /// Creates the setup of a game against an unnamed human opponent without a rating; `color` is the engine's side.
    pub fn new(variant: impl Into<String>, color: Color) -> Self {
        let variant = variant.into();
        Self { variant, color, opponent: String::new(), opponent_rating: None, opponent_is_computer: false }
    }
}

/// Reason why an engine can no longer be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program could not be started.
    #[error("the engine {program:?} could not be started")]
    #[non_exhaustive]
    Start {
        /// The program of the command.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The process ended, or closed its output.
    #[error("the engine {program:?} {}", describe_exit(*.status, .first_error.as_deref()))]
    #[non_exhaustive]
    Exited {
        /// The program of the command.
        program: String,
        /// The exit status; `None` if the process still runs without an output.
        status: Option<ExitStatus>,
        /// The first line of the standard error; `None` without one.
        first_error: Option<String>,
    },
    /// The engine did not complete its handshake or confirm a command in time.
    #[error("the engine {program:?} did not complete the {step} in time")]
    #[non_exhaustive]
    Silent {
        /// The program of the command.
        program: String,
        /// The step that the engine did not complete.
        step: &'static str,
    },
    /// The engine returned no move after it was stopped.
    #[error("the engine returned no move")]
    NoMove,
    /// The engine returned a word that is not a move.
    #[error("the engine returned {0:?}, which is not a move")]
    NotAMove(String),
    /// The engine returned a move that the server refused.
    #[error("the engine returned {0:?}, which the server refused")]
    RefusedMove(String),
    /// The engine does not know the variant. It is unchanged and can still be used.
    #[error("the engine does not play {0}")]
    Variant(String),
    /// The engine does not accept the position, or a move that leads to it.
    #[error("the engine does not accept the position: {0}")]
    Position(String),
    /// An engine that is part of the program failed, for this reason.
    #[error("the engine failed: {0}")]
    Failed(String),
    /// The engine has no option of this name, or the value is not one of those it accepts.
    #[error("option {name:?} of the engine: {problem}")]
    #[non_exhaustive]
    Option {
        /// Name of the option.
        name: String,
        /// Reason for the refusal, with the values or names that are accepted.
        problem: String,
    },
}

/// Returns the end of a process in words, with the first line of its standard error: `exited (exit status: 1): no such file`.
fn describe_exit(status: Option<ExitStatus>, first_error: Option<&str>) -> String {
    let end = status.map_or("closed its output".to_owned(), |status| format!("exited ({status})"));
    let error = first_error.map_or_else(String::new, |line| format!(": {line}"));
    end + &error
}
