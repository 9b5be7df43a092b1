//! The commands of the console, in one table with their help and completion.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use kibitzer_core::message::GameId;
use thiserror::Error;

use super::App;
use super::preferences::{Switch, is_filter_name};
use super::screen::{DetailView, OverlayPage, Pane, TerminalRequest};
use crate::arguments::parse_speed;
use crate::console::export::ExportedRows;
use crate::console::model::Search;
use crate::console::source::SeekGoal;
use crate::fault::{FaultRequest, fault_completions};
use crate::filter::{Expression, FilterError, is_quantity, kinds};

/// A command of the console: a line that starts with `/`.
pub(crate) struct SlashCommand {
    pub(crate) word: &'static str,
    pub(crate) arguments: Arguments,
    pub(crate) help: &'static str,
    pub(super) effect: CommandEffect,
}

/// The arguments of a command, as the help page shows them, and how they are completed.
pub(crate) enum Arguments {
    /// None; those that are typed are ignored.
    None,
    /// Text, completed like a line for the server.
    Text(&'static str),
    /// An expression, or the name of one.
    Expression(&'static str),
    /// One of these words, which `|` separates.
    OneOf(&'static str),
    /// One of the words that the function returns for the word begun.
    Words(&'static str, fn(&App, &str) -> Vec<String>),
}

/// The function that runs a command.
pub(super) enum CommandEffect {
    Plain(fn(&mut App, Instant)),
    WithArguments(fn(&mut App, &str, Instant) -> Result<(), CommandError>),
}

/// Why a command was not run.
#[derive(Debug, Error)]
pub(super) enum CommandError {
    #[error("unknown command {word}, did you mean {nearest}?")]
    Misspelled { word: String, nearest: &'static str },
    #[error("unknown command {0}; /help lists the commands")]
    Unknown(String),
    /// The argument is not one of the words of [`Arguments::OneOf`].
    #[error("it needs another word")]
    NotOneOf,
    /// The arguments are missing, or not of the form that the text describes.
    #[error("it needs {0}")]
    Needs(&'static str),
    #[error("{error}")]
    Expression {
        error: FilterError,
        /// Number of bytes from the mistake to the end of the line.
        from_end: usize,
    },
    #[error("{0}")]
    Fault(String),
}

impl SlashCommand {
    const fn plain(word: &'static str, help: &'static str, run: fn(&mut App, Instant)) -> Self {
        Self { word, arguments: Arguments::None, help, effect: CommandEffect::Plain(run) }
    }

    const fn new(
        word: &'static str,
        arguments: Arguments,
        help: &'static str,
        run: fn(&mut App, &str, Instant) -> Result<(), CommandError>,
    ) -> Self {
        Self { word, arguments, help, effect: CommandEffect::WithArguments(run) }
    }
}

/// All commands. A new one is a row here, and a function.
pub(crate) const COMMANDS: &[SlashCommand] = &[
    SlashCommand::new(
        "/game",
        Arguments::Words("[N]", |app, _| app.game_numbers().collect()),
        "show game N, or the one that the console chooses",
        |app, number, _| app.run_game(number),
    ),
    SlashCommand::new(
        "/filter",
        Arguments::Expression("[NAME =] [EXPR]"),
        "list matching lines, or all; NAME = names the EXPR",
        |app, text, _| app.run_filter(text),
    ),
    SlashCommand::new(
        "/break",
        Arguments::Expression("[EXPR]"),
        "pause when a line matches; without EXPR, never",
        |app, text, _| app.run_break(text),
    ),
    SlashCommand::new(
        "/find",
        Arguments::Expression("EXPR"),
        "go to the next match, or bytes (hex:0a0d3c)",
        App::run_find,
    ),
    SlashCommand::new("/mark", Arguments::Text("[TEXT]"), "insert a mark into the list", |app, text, now| {
        app.add_mark(text, now);
        Ok(())
    }),
    SlashCommand::new(
        "/export",
        Arguments::Words("FORM [game] FILE", |_, _| EXPORT_WORDS.map(str::to_owned).into()),
        "write recording, json, pgn, text, test: lines, game",
        |app, arguments, _| app.run_export(arguments),
    ),
    SlashCommand::new("/times", Arguments::OneOf("session|utc|previous|mark"), "list these times", |app, name, _| {
        app.show_times(parse_word(name)?);
        Ok(())
    }),
    SlashCommand::new(
        "/record",
        Arguments::Text("FILE"),
        "record the session in a new file from now on",
        |app, file, _| app.run_record(file),
    ),
    SlashCommand::new(
        "/fault",
        Arguments::Words("FAULT [#N]", |_, word| fault_completions(word)),
        "let the embedded server fail, as `serve --fault` does",
        |app, fault, _| app.run_fault(fault),
    ),
    SlashCommand::new(
        "/time",
        Arguments::Text("[+-][H:]M:SS"),
        "go to a time of the recording, by + -, or to the end",
        App::run_time,
    ),
    SlashCommand::new(
        "/move",
        Arguments::Text("N[...]"),
        "go to White's (or Black's) move N of the game shown",
        |app, number, now| {
            let ply = parse_ply(number).ok_or(CommandError::Needs("a move number such as 12 or 12..."))?;
            app.select_or_seek_ply(ply, now);
            Ok(())
        },
    ),
    SlashCommand::plain("/play", "play the recording; follow the session", App::play),
    SlashCommand::plain("/pause", "pause the recording, or the screen of a session", App::pause),
    SlashCommand::new("/speed", Arguments::Text("N"), "play N times as fast", |app, number, now| {
        let speed = parse_speed(number).ok_or(CommandError::Needs("a number above 0, such as 4 or 0.5"))?;
        app.change_speed(|_| speed, now);
        Ok(())
    }),
    SlashCommand::new(
        "/pieces",
        Arguments::OneOf("ascii|letters|filled"),
        "pieces as k K, as letters, or as chess symbols",
        |app, name, _| {
            app.preferences.pieces = Some(parse_word(name)?);
            Ok(())
        },
    ),
    SlashCommand::new("/theme", Arguments::OneOf("dark|light"), "choose the colors", |app, name, _| {
        app.preferences.colors = Some(parse_word(name)?);
        Ok(())
    }),
    SlashCommand::new(
        "/bell",
        Arguments::OneOf("on|off"),
        "ring when a challenge, an offer or your move waits",
        |app, switch, _| app.run_bell(switch),
    ),
    SlashCommand::new(
        "/notify",
        Arguments::Expression("[EXPR]"),
        "bell, desktop and title for matching lines; or none",
        |app, text, _| app.run_notify(text),
    ),
    SlashCommand::new(
        "/mouse",
        Arguments::OneOf("on|off"),
        "use the mouse here; off: it marks text to copy",
        |app, switch, _| app.run_mouse(switch),
    ),
    SlashCommand::plain("/talk", "talk in tabs, or the list and its views", |app, _| {
        app.screen.toggle_pane(Pane::Talk);
    }),
    SlashCommand::plain("/reset", "no filter, pin, or pane alone; the newest line", |app, _| app.reset_view()),
    SlashCommand::plain("/grid", "the boards of all games in progress, or all panes", |app, _| {
        app.screen.toggle_pane(Pane::Grid);
    }),
    SlashCommand::plain("/flip", "flip the board", |app, _| app.flip_board()),
    SlashCommand::plain("/raw", "show the bytes, or the event again", |app, _| {
        let is_raw = app.screen.view == DetailView::Bytes;
        app.screen.show_view(if is_raw { DetailView::Event } else { DetailView::Bytes });
    }),
    SlashCommand::plain("/all", "show or hide prompts, marks, blank lines, reserves", |app, _| app.toggle_details()),
    SlashCommand::plain("/log", "show the log of the program, with --log", |app, _| {
        app.screen.open_page(OverlayPage::Log);
    }),
    SlashCommand::plain("/save", "write colors, layout, rules to the settings file", |app, _| app.save_settings()),
    SlashCommand::plain("/commands", "show the commands of the server for players", |app, _| {
        app.screen.open_page(OverlayPage::Server);
    }),
    SlashCommand::plain("/help", "show this page", |app, _| app.screen.open_page(OverlayPage::Help)),
    SlashCommand::plain("/quit", "leave", |app, _| app.is_over = true),
];

/// First words of the arguments of `/export`.
const EXPORT_WORDS: [&str; 7] = ["recording", "json", "pgn", "text", "test", "rows", "game"];

impl Arguments {
    /// Returns the text of the help page.
    pub(crate) const fn text(&self) -> &'static str {
        match self {
            Self::None => "",
            Self::Text(text) | Self::Expression(text) | Self::OneOf(text) | Self::Words(text, _) => text,
        }
    }
}

/// Parses the name of a value, which must be in lower case.
fn parse_word<T: ValueEnum>(name: &str) -> Result<T, CommandError> {
    T::from_str(name, false).map_err(|_| CommandError::NotOneOf)
}

impl App {
    fn run_game(&mut self, number: &str) -> Result<(), CommandError> {
        let game = match number {
            "" => None,
            number => Some(GameId(number.parse().map_err(|_| CommandError::Needs("a number"))?)),
        };
        self.pin_game(game);
        Ok(())
    }

    /// Parses an expression, the end of the typed line, or the name of one.
    fn parse_expression(&self, text: &str) -> Result<Expression, CommandError> {
        let named = self.preferences.filters.get(text).cloned();
        named.map_or_else(|| Expression::parse(text), Ok).map_err(|error| CommandError::in_expression(error, text))
    }

    /// Lists only the rows that match an expression, all rows without one; names an expression, or removes a name. If the
    /// expression is only the name of a kind, which matches lines with that word, shows how to filter by the kind.
    fn run_filter(&mut self, text: &str) -> Result<(), CommandError> {
        // `move=40` is a comparison.
        let is_name = |name: &str| is_filter_name(name) && !is_quantity(name);
        let named = text.split_once('=').map(|(name, source)| (name.trim(), source)).filter(|(name, _)| is_name(name));
        let filter = match named {
            Some((name, "")) => {
                if self.preferences.filters.remove(name) {
                    self.screen.show_info(format!("{name} is forgotten"));
                } else {
                    self.screen.show_error(format!("no filter was named {name} here"));
                }
                return Ok(());
            }
            Some((name, source)) => {
                let filter = Expression::parse(source).map_err(|error| CommandError::in_expression(error, source))?;
                if !self.preferences.filters.try_set(name, filter.clone()) {
                    self.screen.show_error("there are too many names");
                    return Ok(());
                }
                self.screen.show_info(format!("{name} = {filter}"));
                Some(filter)
            }
            None if text.is_empty() => None,
            None => Some(self.parse_expression(text)?),
        };
        if kinds().any(|kind| kind == text) && self.preferences.filters.get(text).is_none() {
            self.screen.show_info(format!("lines with the word {text}; kind:{text} lists those of this kind"));
        }
        self.list.set_filter(filter, &self.model.rows);
        Ok(())
    }

    fn run_break(&mut self, text: &str) -> Result<(), CommandError> {
        self.playback.breakpoint = if text.is_empty() { None } else { Some(self.parse_expression(text)?) };
        let breakpoint = self.playback.breakpoint.as_ref();
        self.screen.show_info(breakpoint.map_or_else(|| "no breakpoint".to_owned(), |at| format!("break at {at}")));
        Ok(())
    }

    fn run_find(&mut self, text: &str, now: Instant) -> Result<(), CommandError> {
        let search = match self.preferences.filters.get(text) {
            Some(named) => Search::Expression(named.clone()),
            None => Search::parse(text).map_err(|error| CommandError::in_expression(error, text))?,
        };
        self.playback.search = Some(search);
        self.select_or_seek_next_match(now);
        Ok(())
    }

    /// Writes a file: form, optional rows, name of the file.
    fn run_export(&mut self, arguments: &str) -> Result<(), CommandError> {
        const NEEDED: &str = "recording, json, pgn, text or test, perhaps game, and a new file";
        let (form, rest) = arguments.split_once(' ').ok_or(CommandError::Needs(NEEDED))?;
        let form = parse_word(form).map_err(|_| CommandError::Needs(NEEDED))?;
        let rest = rest.trim_start();
        let named = rest.split_once(' ').and_then(|(rows, file)| Some((parse_word(rows).ok()?, file)));
        let (rows, file) = named.unwrap_or((ExportedRows::default(), rest));
        self.export_to_new_file(form, rows, file.trim_start());
        Ok(())
    }

    fn run_record(&mut self, file: &str) -> Result<(), CommandError> {
        if file.is_empty() {
            return Err(CommandError::Needs("the name of a new file"));
        }
        self.start_job("only a live session can be recorded; this is a recording", |live| {
            live.start_recording(file.to_owned())
        });
        Ok(())
    }

    fn run_fault(&mut self, fault: &str) -> Result<(), CommandError> {
        let request: FaultRequest = fault.parse().map_err(CommandError::Fault)?;
        self.start_job("a recording has no server for faults", |live| live.start_fault_injection(request));
        Ok(())
    }

    /// Goes to a time since the start of the recording, such as `83.5` or `1:23`, relative to the present one with a sign, or `end`.
    fn run_time(&mut self, text: &str, now: Instant) -> Result<(), CommandError> {
        let present = self.playback.source.current_time(now);
        let time = match text.as_bytes() {
            b"end" => Some(Duration::MAX),
            [b'+', ..] => text.get(1..).and_then(parse_time).map(|by| present.saturating_add(by)),
            [b'-', ..] => text.get(1..).and_then(parse_time).map(|by| present.saturating_sub(by)),
            _ => parse_time(text),
        };
        let time = time.ok_or(CommandError::Needs("a time such as 1:23, 83.5, +10, -0:30 or end"))?;
        let time = time.min(self.playback.player().map_or(Duration::MAX, |player| player.reader.length));
        if time < present {
            self.restart_recording(now);
        }
        self.seek_to(SeekGoal::Time(time), now);
        Ok(())
    }

    fn run_bell(&mut self, switch: &str) -> Result<(), CommandError> {
        self.preferences.bell = parse_word(switch)?;
        self.screen.show_info(match self.preferences.bell {
            Switch::On => "the bell rings for challenges, offers and your move",
            Switch::Off => "the bell is off",
        });
        Ok(())
    }

    /// Sets the rule of notifications; without an expression there are none. Shows an error for a recording.
    fn run_notify(&mut self, text: &str) -> Result<(), CommandError> {
        if !self.playback.source.is_live() {
            self.screen.show_error("only a session notifies; this is a recording");
            return Ok(());
        }
        self.notifier.rule = if text.is_empty() { None } else { Some(self.parse_expression(text)?) };
        let rule = self.notifier.rule.as_ref();
        self.screen.show_info(rule.map_or_else(|| "no notifications".to_owned(), |rule| format!("notifies: {rule}")));
        Ok(())
    }

    fn run_mouse(&mut self, switch: &str) -> Result<(), CommandError> {
        let switch = parse_word(switch)?;
        self.preferences.mouse = switch;
        self.screen.request(TerminalRequest::CaptureMouse(switch));
        self.screen.show_info(match switch {
            Switch::On => "the mouse selects and scrolls; text is marked with Shift held, or after /mouse off",
            Switch::Off => "the mouse marks text",
        });
        Ok(())
    }
}

impl CommandError {
    /// Returns the error of an expression, the end of the typed line.
    fn in_expression(error: FilterError, text: &str) -> Self {
        Self::Expression { from_end: text.len().saturating_sub(error.position), error }
    }
}

/// Parses a move number of at least 1 into a ply: `12` is White's move (ply 23), `12...` Black's (ply 24).
fn parse_ply(text: &str) -> Option<u32> {
    let number: u32 = text.trim_end_matches('.').parse().ok().filter(|&number| number > 0)?;
    let blacks = u32::from(text.ends_with("..."));
    number.checked_mul(2)?.checked_sub(1)?.checked_add(blacks)
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
