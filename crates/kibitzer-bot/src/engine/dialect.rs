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

/// State of a handshake: the values that the engine has reported, and the replies to it.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    pub(super) info: EngineInfo,
    pub(super) options: EngineOptions,
    /// Lines to send.
    pub(super) replies: Vec<String>,
    pub(super) is_done: bool,
}

/// An engine protocol: formats commands to the engine and parses its replies.
pub(super) trait Dialect: Debug + Send {
    /// The lines that begin the handshake.
    fn greeting(&self) -> &'static [&'static str];

    /// Processes a line of the engine's handshake: stores the reported values, adds replies, and notes the end.
    fn process_handshake_line(&mut self, line: &str, handshake: &mut Handshake);

    /// The line that sets an option to a value that it accepts.
    fn option_line(&self, option: &EngineOption, value: &str) -> String;

    /// A line that asks whether all earlier ones were processed, and the line that answers it, which may differ at each call;
    /// `None` if the engine cannot answer.
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

    /// Parses a line that the engine wrote during a search of the position, and updates the state of the dialect; `None` if the
    /// line is neither analysis nor the end of the search.
    fn parse_search_line(&mut self, line: &str, position: &SearchPosition) -> Option<EngineLine>;
}

/// Returns at most the first 100 characters.
pub(super) fn truncated(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}
