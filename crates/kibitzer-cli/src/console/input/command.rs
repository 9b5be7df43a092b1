//! Commands of the console itself: lines that start with `/`.

use std::time::Duration;

use clap::ValueEnum;
use kibitzer::core::message::GameId;
use kibitzer::most_similar_word;

use super::appearance::{ColorTheme, PieceSet, TimeColumn};
use super::keys::{Action, OverlayPage};
use super::named_filters::{NamedFilters, ROW_COLORS, is_filter_name};
use crate::arguments::parse_speed;
use crate::console::export::{ExportForm, ExportedRows};
use crate::console::model::Search;
use crate::fault::FaultRequest;
use crate::filter::{Expression, FilterError, is_quantity};

/// A parsed command of the console.
#[derive(Clone, Debug)]
pub(crate) enum ConsoleCommand {
    /// Show this game; `None` lets the console choose.
    Game(Option<GameId>),
    /// List only rows that match; `None` lists everything.
    Filter(Option<Expression>),
    /// Store an expression under a name, and list only rows that match it.
    NameFilter(String, Expression),
    /// Remove the stored expression with this name.
    RemoveFilter(String),
    /// Pause at rows that match; `None` removes the breakpoint.
    Break(Option<Expression>),
    /// Select the next match, and make it the search of `n` and `N`.
    Find(Search),
    /// Draw the rows that match in this color; `None` removes the color.
    Color(&'static str, Option<Expression>),
    /// Add a mark with this text; with a numbered text if it is empty.
    Mark(String),
    /// Record the session in this file.
    Record(String),
    /// Inject a fault into the embedded server.
    Fault(FaultRequest),
    /// Show this kind of time in the list.
    Times(TimeColumn),
    /// Write rows in a format to a new file with this path.
    Export(ExportForm, ExportedRows, String),
    /// Switch between the views of the bytes and of the event.
    Raw,
    Theme(ColorTheme),
    Pieces(PieceSet),
    /// Ring the terminal's bell for new offers and the user's moves, or not.
    Bell(bool),
    /// Use the mouse in the console, or leave it to the terminal.
    CaptureMouse(bool),
    Play,
    Pause,
    /// Play a recording at this multiple of the recorded speed.
    Speed(f64),
    /// Go to a time of the recording.
    Time(RecordingTimeTarget),
    /// Go to a ply of the shown game.
    Move(u32),
    /// Run the action of a key.
    Act(Action),
}

/// Why a line is not a valid command.
#[derive(Clone, Debug)]
pub(crate) struct CommandError {
    pub(crate) message: String,
    /// Byte offset of the error in the line; `None` if it is not in an expression.
    pub(crate) position: Option<usize>,
}

/// A time to go to in a recording: since its start, or relative to the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordingTimeTarget {
    /// Time since the start of the recording; [`Duration::MAX`] is the end.
    Absolute(Duration),
    Forward(Duration),
    Backward(Duration),
}

/// All commands, for the help page and completion: word, arguments and description. The two forms of `/filter` are adjacent, so
/// that [`command_words`] lists it once.
pub(crate) const COMMANDS: [(&str, &str, &str); 27] = [
    ("/game", "[N]", "show game N; without N, the game chosen by the console"),
    ("/filter", "[EXPR]", "list only matching lines (EXPR or a name); without, all"),
    ("/filter", "NAME = [EXPR]", "name an expression; without EXPR, remove the name"),
    ("/break", "[EXPR]", "pause when a line matches; without EXPR, never"),
    ("/find", "EXPR", "go to the next match, or bytes (hex:0a0d3c); n and N repeat it"),
    ("/color", "COLOR [EXPR]", "color matching lines red, yellow, green, cyan, blue, magenta"),
    ("/mark", "[TEXT]", "insert a mark into the list"),
    ("/export", "FORM [ROWS] FILE", "write recording, json, pgn, text, test of: rows, marks, game"),
    ("/times", "NAME", "list times of: session, utc, previous (line), mark"),
    ("/ruler", "", "measure from this line to the selected one; again: stop"),
    ("/record", "FILE", "record the session in a new file from now on"),
    ("/fault", "FAULT [#N]", "let the embedded server fail, as `serve --fault` does"),
    ("/time", "[+-][H:]M:SS", "go to a time of the recording, relative with + -, or end"),
    ("/move", "N[...]", "go to White's (or Black's) move N of the game shown"),
    ("/play", "", "play the recording; follow the session"),
    ("/pause", "", "pause the recording, or the screen of a session"),
    ("/speed", "N", "play N times as fast"),
    ("/pieces", "ascii|letters|filled", "draw pieces as k K, as letters, or as chess symbols"),
    ("/theme", "dark|light", "choose the colors"),
    ("/bell", "on|off", "ring when a challenge, an offer or your move waits"),
    ("/grid", "", "show the boards of all games in progress; again: all panes"),
    ("/mouse", "on|off", "select and scroll with the mouse; off: it marks text to copy"),
    ("/flip", "", "flip the board"),
    ("/raw", "", "show the bytes, or the event again"),
    ("/all", "", "show or hide prompts, marks, blank lines, reserves"),
    ("/log", "", "show the log of the program, with --log"),
    ("/help", "", "show this page; /quit leaves"),
];

/// Returns the first words of all commands, without duplicates.
pub(crate) fn command_words() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    let listed =
        COMMANDS.iter().map(|(word, ..)| *word).filter(move |word| std::mem::replace(&mut last, word) != *word);
    listed.chain(["/quit"])
}

impl ConsoleCommand {
    /// Parses a line that starts with `/`. Commands are in lower case; `/filter` also accepts the name of one of `filters`.
    /// Arguments of a command that has none are ignored.
    ///
    /// # Errors
    ///
    /// A description of the unknown command or the invalid argument.
    pub(crate) fn parse(line: &str, filters: &NamedFilters) -> Result<Self, CommandError> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let expression = |text: &str| CommandError::locate_expression_error(line, text, Expression::parse(text));
        let optional = |text: &str| if text.is_empty() { Ok(None) } else { expression(text).map(Some) };
        let missing = |needed: &str| CommandError::from(format!("{word} needs {needed}"));
        Ok(match word {
            "/game" if rest.is_empty() => Self::Game(None),
            "/game" => Self::Game(Some(GameId(rest.parse().map_err(|_| missing("a number"))?))),
            "/filter" => Self::parse_filter(line, rest, filters)?,
            "/break" => Self::Break(optional(rest)?),
            "/find" => Self::Find(CommandError::locate_expression_error(line, rest, Search::parse(rest))?),
            "/color" => {
                let (color, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let known = ROW_COLORS.into_iter().find(|known| *known == color);
                Self::Color(known.ok_or_else(|| missing(&ROW_COLORS.join(", ")))?, optional(text.trim_start())?)
            }
            "/mark" => Self::Mark(rest.to_owned()),
            "/time" => Self::Time(
                RecordingTimeTarget::parse(rest)
                    .ok_or_else(|| missing("a time such as 1:23, 83.5, +10, -0:30 or end"))?,
            ),
            "/times" => Self::Times(parse_value(rest).ok_or_else(|| missing("session, utc, previous or mark"))?),
            "/export" => Self::parse_export(rest).ok_or_else(|| {
                missing("recording, json, pgn, text or test, perhaps rows, marks or game, and a new file")
            })?,
            "/fault" => Self::Fault(rest.parse()?),
            "/ruler" => Self::Act(Action::ToggleRuler),
            "/move" => Self::Move(parse_ply(rest).ok_or_else(|| missing("a move number such as 12 or 12..."))?),
            "/play" => Self::Play,
            "/pause" => Self::Pause,
            "/speed" => Self::Speed(parse_speed(rest).ok_or_else(|| missing("a number above 0, such as 4 or 0.5"))?),
            "/grid" => Self::Act(Action::ToggleGrid),
            "/mouse" if rest == "on" || rest == "off" => Self::CaptureMouse(rest == "on"),
            "/flip" => Self::Act(Action::Flip),
            "/raw" => Self::Raw,
            "/theme" => Self::Theme(parse_value(rest).ok_or_else(|| missing("dark or light"))?),
            "/pieces" => Self::Pieces(parse_value(rest).ok_or_else(|| missing("ascii, letters or filled"))?),
            "/bell" if rest == "on" || rest == "off" => Self::Bell(rest == "on"),
            "/bell" | "/mouse" => return Err(missing("on or off")),
            "/all" => Self::Act(Action::ToggleDetails),
            "/help" => Self::Act(Action::Open(OverlayPage::Help)),
            "/log" => Self::Act(Action::Open(OverlayPage::Log)),
            "/quit" => Self::Act(Action::Quit),
            "/record" if rest.is_empty() => return Err(missing("the name of a new file")),
            "/record" => Self::Record(rest.to_owned()),
            _ => {
                let message = match most_similar_word(word, command_words()) {
                    Some(nearest) => format!("unknown command {word}, did you mean {nearest}?"),
                    None => format!("unknown command {word}; /help lists the commands"),
                };
                return Err(message.into());
            }
        })
    }

    /// Parses the arguments of `/export`: form, optional rows, file; `None` if one is invalid or missing.
    fn parse_export(rest: &str) -> Option<Self> {
        let (form, rest) = rest.split_once(' ')?;
        let rest = rest.trim_start();
        let named = rest.split_once(' ').and_then(|(rows, file)| Some((parse_value(rows)?, file.trim_start())));
        let (rows, file) = named.unwrap_or((ExportedRows::default(), rest));
        (!file.is_empty()).then(|| Some(Self::Export(parse_value(form)?, rows, file.to_owned())))?
    }

    /// Parses the arguments of `/filter`: `NAME = EXPR`, `NAME =`, the name of a filter, or an expression.
    fn parse_filter(line: &str, rest: &str, filters: &NamedFilters) -> Result<Self, CommandError> {
        // `move=40` is a comparison.
        let is_name = |name: &str| is_filter_name(name.trim()) && !is_quantity(name.trim());
        let expression = |text: &str| CommandError::locate_expression_error(line, text, Expression::parse(text));
        Ok(match rest.split_once('=') {
            _ if rest.is_empty() => Self::Filter(None),
            Some((name, "")) if is_name(name) => Self::RemoveFilter(name.trim().to_owned()),
            Some((name, text)) if is_name(name) => Self::NameFilter(name.trim().to_owned(), expression(text)?),
            _ => Self::Filter(Some(filters.get(rest).cloned().map_or_else(|| expression(rest), Ok)?)),
        })
    }
}

/// Parses the name of a value, which must be in lower case; `None` for any other text.
fn parse_value<T: ValueEnum>(name: &str) -> Option<T> {
    T::from_str(name, false).ok()
}

/// Returns the names of all values of a type.
pub(crate) fn value_names<T: ValueEnum + 'static>() -> impl Iterator<Item = String> {
    T::value_variants().iter().filter_map(ValueEnum::to_possible_value).map(|value| value.get_name().to_owned())
}

impl CommandError {
    /// Converts the error of the expression `text`, the end of `line`, to one with a position in the line.
    fn locate_expression_error<T>(line: &str, text: &str, parsed: Result<T, FilterError>) -> Result<T, Self> {
        parsed.map_err(|error| {
            let position = Some(line.len().saturating_sub(text.len()) + error.position);
            Self { message: error.to_string(), position }
        })
    }
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        Self { message, position: None }
    }
}

/// Parses a move number of at least 1 into a ply: `12` is White's move (ply 23), `12...` Black's (ply 24).
fn parse_ply(text: &str) -> Option<u32> {
    let number: u32 = text.trim_end_matches('.').parse().ok().filter(|&number| number > 0)?;
    let blacks = u32::from(text.ends_with("..."));
    number.checked_mul(2)?.checked_sub(1)?.checked_add(blacks)
}

impl RecordingTimeTarget {
    /// Parses a time since the start of the recording, such as `83.5` or `1:23`, a step such as `+10` or `-0:30`, or `end`.
    fn parse(text: &str) -> Option<Self> {
        if let Some(time) = text.strip_prefix('+') {
            return parse_time(time).map(Self::Forward);
        }
        match text.strip_prefix('-') {
            _ if text == "end" => Some(Self::Absolute(Duration::MAX)),
            Some(time) => parse_time(time).map(Self::Backward),
            None => parse_time(text).map(Self::Absolute),
        }
    }

    /// Returns the time since the start of the recording, at least zero, and possibly after its end; `now` is its present time.
    pub(crate) const fn absolute_time(self, now: Duration) -> Duration {
        match self {
            Self::Absolute(time) => time,
            Self::Forward(by) => now.saturating_add(by),
            Self::Backward(by) => now.saturating_sub(by),
        }
    }
}

/// Parses `s`, `m:ss` or `h:mm:ss`, the seconds with an optional fraction.
fn parse_time(text: &str) -> Option<Duration> {
    let (whole, seconds) = text.rsplit_once(':').unwrap_or(("0", text));
    let (hours, minutes) = whole.rsplit_once(':').unwrap_or(("0", whole));
    let [hours, minutes]: [u32; 2] = [hours.parse().ok()?, minutes.parse().ok()?];
    let is_plain = seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds: f64 = seconds.parse().ok().filter(|_| is_plain)?;
    let whole = u64::from(hours) * 3600 + u64::from(minutes) * 60;
    Duration::try_from_secs_f64(seconds).ok()?.checked_add(Duration::from_secs(whole))
}

#[cfg(test)]
mod tests;
