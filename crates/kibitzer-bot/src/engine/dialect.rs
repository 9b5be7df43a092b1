//! The interface between the driver of an engine's process and the protocols: lines in, lines out, without input or output; and the
//! options that an engine offers.

use std::fmt::Debug;

use super::{BestMove, EngineError, EngineInfo, GameSetup, SearchInfo, SearchLimits, SearchPosition};

/// Characters that are kept of a name, a reason or a word of an engine.
const MAX_TEXT_CHARS: usize = 100;
/// Moves that are kept of a principal variation.
pub(super) const MAX_LINE_MOVES: usize = 40;

/// The purpose of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchKind {
    /// The best move.
    Search,
    /// An analysis in the opponent's time.
    Ponder,
}

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
    fn synchronizes_each_search(&self) -> bool {
        false
    }

    /// Whether the program has to be started again for a second game.
    fn needs_process_per_game(&self) -> bool {
        false
    }

    /// The lines that begin a game of a variant that the engine knows.
    fn game_lines(&mut self, game: &GameSetup, options: &EngineOptions) -> Vec<String>;

    /// The lines that set up a position.
    ///
    /// # Errors
    ///
    /// [`EngineError::Position`] if the protocol cannot express it.
    fn position_lines(&mut self, position: &SearchPosition) -> Result<Vec<String>, EngineError>;

    /// The lines that start a search of the position, or an analysis in the opponent's time.
    fn go_lines(&mut self, position: &SearchPosition, limits: &SearchLimits, kind: SearchKind) -> Vec<String>;

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

/// Options that are kept of one engine; the rest is ignored.
const MAX_OPTIONS: usize = 500;
/// Longest description of an option in bytes; a longer one is ignored.
const MAX_DESCRIPTION_BYTES: usize = 8192;

/// The options of an engine, in the order in which it reported them.
#[derive(Debug, Default)]
pub(super) struct EngineOptions(Vec<EngineOption>);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct EngineOption {
    pub(super) name: String,
    pub(super) kind: OptionKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum OptionKind {
    Button,
    Check,
    Spin { min: i64, max: i64 },
    Combo(Vec<String>),
    Text,
}

impl EngineOptions {
    /// Adds an option, unless its description is too long or there are too many.
    pub(super) fn add_if_valid(&mut self, description: &str, parse: impl Fn(&str) -> Option<EngineOption>) {
        if self.0.len() < MAX_OPTIONS && description.len() <= MAX_DESCRIPTION_BYTES {
            self.0.extend(parse(description));
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|option| option.name.clone()).collect()
    }

    /// Finds an option by its name, regardless of letter case.
    pub(super) fn find(&self, name: &str) -> Option<&EngineOption> {
        self.0.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns the option of this name if it accepts the value; fails with [`EngineError::Option`] otherwise.
    pub(super) fn option_that_accepts(&self, name: &str, value: &str) -> Result<&EngineOption, EngineError> {
        let refused = |problem| EngineError::Option { name: name.to_owned(), problem };
        let option = self
            .find(name)
            .ok_or_else(|| refused(format!("is unknown; the engine has: {}", self.names().join(", "))))?;
        option.kind.problem_with(value).map_or(Ok(option), |problem| Err(refused(problem)))
    }
}

impl EngineOption {
    /// Parses the UCI form after the word `option`: `name Hash type spin default 16 min 1 max 1024`. A missing bound is no limit.
    /// `None` for another form or an unknown type.
    pub(super) fn parse_uci(description: &str) -> Option<Self> {
        let (name, rest) = description.trim().strip_prefix("name ")?.split_once(" type ")?;
        let (kind, details) = rest.split_once(' ').unwrap_or((rest, ""));
        let bound = |word| number_after(details, word);
        let kind = match kind {
            "button" => OptionKind::Button,
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin { min: bound("min").unwrap_or(i64::MIN), max: bound("max").unwrap_or(i64::MAX) },
            "combo" => OptionKind::Combo(details.split("var ").skip(1).map(|value| value.trim().to_owned()).collect()),
            "string" => OptionKind::Text,
            _ => return None,
        };
        Some(Self { name: name.trim().to_owned(), kind })
    }
}

/// Returns the number after a word of an option's description; `None` if either is missing.
fn number_after(text: &str, word: &str) -> Option<i64> {
    text.split_ascii_whitespace().skip_while(|found| *found != word).nth(1)?.parse().ok()
}

impl OptionKind {
    /// Returns the reason why the option does not accept the value; `None` if it does.
    fn problem_with(&self, value: &str) -> Option<String> {
        match self {
            Self::Button => (!value.is_empty()).then(|| "is a button and has no value".to_owned()),
            Self::Check => (!matches!(value, "true" | "false")).then(|| "accepts true or false".to_owned()),
            Self::Spin { min, max } => {
                let accepted = value.parse().is_ok_and(|number| (*min..=*max).contains(&number));
                (!accepted).then(|| format!("accepts a number from {min} to {max}"))
            }
            Self::Combo(values) => {
                let accepted = values.iter().any(|accepted| accepted.eq_ignore_ascii_case(value));
                (!accepted).then(|| format!("accepts: {}", values.join(", ")))
            }
            Self::Text => value.contains(char::is_control).then(|| "accepts no control characters".to_owned()),
        }
    }
}
