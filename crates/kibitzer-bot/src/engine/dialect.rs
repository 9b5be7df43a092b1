//! The interface between the driver of an engine's process and the protocols: lines in, lines out, without input or output.

use std::fmt::Debug;

use super::options::{EngineOption, EngineOptions};
use super::{BestMove, EngineError, EngineInfo, GameSetup, SearchInfo, SearchLimits, SearchPosition};

/// Characters that are kept of a name, a reason or a word of an engine.
const MAX_TEXT_CHARS: usize = 100;
/// Moves that are kept of a principal variation.
pub(super) const MAX_LINE_MOVES: usize = 40;

/// Meaning of an engine's line during a search.
#[derive(Debug)]
pub(super) enum EngineLine {
    Info(SearchInfo),
    /// The end of a search.
    Result(Result<BestMove, EngineError>),
}

/// The result of processing one line of the handshake.
#[derive(Debug, Default)]
pub(super) struct HandshakeStep {
    /// Lines to send.
    pub(super) replies: Vec<String>,
    /// Whether the handshake is complete.
    pub(super) is_done: bool,
}

/// A protocol of engines.
pub(super) trait Dialect: Debug + Send {
    /// The lines that begin the handshake.
    fn greeting(&self) -> &'static [&'static str];

    /// Processes a line of the engine's handshake, and stores the reported values in `info` and `options`.
    fn process_handshake_line(
        &mut self,
        line: &str,
        info: &mut EngineInfo,
        options: &mut EngineOptions,
    ) -> HandshakeStep;

    /// The line that sets an option to a value that it accepts.
    fn option_line(&self, option: &EngineOption, value: &str) -> String;

    /// A line that asks whether all earlier ones were processed, and its answer; `None` if the engine cannot answer.
    fn synchronization(&mut self) -> Option<(String, String)>;

    /// Whether the engine has to be synchronized before each search, not only after an interrupted one.
    fn synchronizes_each_search(&self) -> bool;

    /// Whether the program has to be started again for a second game.
    fn needs_process_per_game(&self) -> bool;

    /// The lines that begin a game of a variant that the engine knows.
    fn game_lines(&mut self, game: &GameSetup, options: &EngineOptions) -> Vec<String>;

    /// The lines that set up a position.
    ///
    /// # Errors
    ///
    /// [`EngineError::Position`] if the protocol cannot express it.
    fn position_lines(&mut self, position: &SearchPosition) -> Result<Vec<String>, EngineError>;

    /// The lines that start a search of the position, or an analysis in the opponent's time.
    fn go_lines(&mut self, position: &SearchPosition, limits: &SearchLimits, is_pondering: bool) -> Vec<String>;

    /// The line that ends a search.
    fn stop_line(&self) -> &'static str;

    /// Reads a line during a search of the position; `None` for a line without meaning.
    fn parse_search_line(&mut self, line: &str, position: &SearchPosition) -> Option<EngineLine>;
}

/// Returns at most the first 100 characters.
pub(super) fn truncated(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}
