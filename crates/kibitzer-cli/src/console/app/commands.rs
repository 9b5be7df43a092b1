//! Typed lines: commands of the console, in one table with their help and completion, and lines for the server.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use kibitzer::core::message::GameId;
use kibitzer::most_similar_word;
use thiserror::Error;

use super::App;
use super::preferences::{ColorTheme, PieceSet, Switch, TimeColumn, is_filter_name};
use super::screen::{DetailView, Focus, OverlayPage, Pane, TerminalRequest};
use crate::arguments::parse_speed;
use crate::console::export::{ExportForm, ExportedRows};
use crate::console::input::{CompletionCandidates, Motion};
use crate::console::model::Search;
use crate::console::source::{LiveSession, Notice, SeekGoal};
use crate::fault::{FaultRequest, fault_completions};
use crate::filter::{Expression, FilterError, is_quantity, kinds};

/// Error for a line for the server, if the source is a recording.
pub(super) const NO_SERVER: &str = "nothing is sent: this is a recording; commands of the console start with /";

/// A command of the console: a line that starts with `/`.
pub(crate) struct SlashCommand {
    pub(crate) word: &'static str,
    /// The arguments, for the help page.
    pub(crate) arguments: &'static str,
    pub(crate) help: &'static str,
    completion: ArgumentCompletion,
    effect: CommandEffect,
}

/// What a command does.
enum CommandEffect {
    /// Without arguments; those that are typed are ignored.
    Plain(fn(&mut App, Instant)),
    WithArguments(fn(&mut App, &str, Instant) -> Result<(), CommandError>),
}

/// How the arguments of a command are completed.
enum ArgumentCompletion {
    /// As names and channels in a line for the server.
    Names,
    Expression,
    /// To one of the words that the function returns for the word begun.
    Words(fn(&App, &str) -> Vec<String>),
}

/// Why a command was not run.
#[derive(Debug, Error)]
enum CommandError {
    #[error("unknown command {word}, did you mean {nearest}?")]
    Misspelled { word: String, nearest: &'static str },
    #[error("unknown command {0}; /help lists the commands")]
    Unknown(String),
    /// The arguments are missing, or not of the form that the text describes.
    #[error("needs {0}")]
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

const fn plain(word: &'static str, help: &'static str, run: fn(&mut App, Instant)) -> SlashCommand {
    let completion = ArgumentCompletion::Names;
    SlashCommand { word, arguments: "", help, completion, effect: CommandEffect::Plain(run) }
}

const fn with_arguments(
    (word, arguments): (&'static str, &'static str),
    help: &'static str,
    completion: ArgumentCompletion,
    run: fn(&mut App, &str, Instant) -> Result<(), CommandError>,
) -> SlashCommand {
    SlashCommand { word, arguments, help, completion, effect: CommandEffect::WithArguments(run) }
}

/// All commands. A new one is a row here, and a function.
pub(crate) const COMMANDS: &[SlashCommand] = &[
    with_arguments(
        ("/game", "[N]"),
        "show game N; without N, the game chosen by the console",
        ArgumentCompletion::Words(|app, _| app.game_numbers().collect()),
        |app, number, _| app.run_game(number),
    ),
    with_arguments(
        ("/filter", "[NAME =] [EXPR]"),
        "list matching lines (EXPR or a name), or all; NAME = names an expression",
        ArgumentCompletion::Expression,
        |app, text, _| app.run_filter(text),
    ),
    with_arguments(
        ("/break", "[EXPR]"),
        "pause when a line matches; without EXPR, never",
        ArgumentCompletion::Expression,
        |app, text, _| app.run_break(text),
    ),
    with_arguments(
        ("/find", "EXPR"),
        "go to the next match, or bytes (hex:0a0d3c); n and N repeat it",
        ArgumentCompletion::Expression,
        App::run_find,
    ),
    with_arguments(("/mark", "[TEXT]"), "insert a mark into the list", ArgumentCompletion::Names, |app, text, now| {
        app.add_mark(text, now);
        Ok(())
    }),
    with_arguments(
        ("/export", "FORM [game] FILE"),
        "write recording, json, pgn, text or test: the listed lines, or the game",
        ArgumentCompletion::Words(|_, _| value_names::<ExportForm>().chain(value_names::<ExportedRows>()).collect()),
        |app, arguments, _| app.run_export(arguments),
    ),
    with_arguments(
        ("/times", "NAME"),
        "list times of: session, utc, previous (line), mark",
        ArgumentCompletion::Words(|_, _| value_names::<TimeColumn>().collect()),
        |app, name, _| {
            app.show_times(parse_value(name, "session, utc, previous or mark")?);
            Ok(())
        },
    ),
    with_arguments(
        ("/record", "FILE"),
        "record the session in a new file from now on",
        ArgumentCompletion::Names,
        |app, file, _| app.run_record(file),
    ),
    with_arguments(
        ("/fault", "FAULT [#N]"),
        "let the embedded server fail, as `serve --fault` does",
        ArgumentCompletion::Words(|_, word| fault_completions(word)),
        |app, fault, _| app.run_fault(fault),
    ),
    with_arguments(
        ("/time", "[+-][H:]M:SS"),
        "go to a time of the recording, relative with + -, or end",
        ArgumentCompletion::Names,
        App::run_time,
    ),
    with_arguments(
        ("/move", "N[...]"),
        "go to White's (or Black's) move N of the game shown",
        ArgumentCompletion::Names,
        |app, number, now| {
            let ply = parse_ply(number).ok_or(CommandError::Needs("a move number such as 12 or 12..."))?;
            app.select_or_seek_ply(ply, now);
            Ok(())
        },
    ),
    plain("/play", "play the recording; follow the session", App::play),
    plain("/pause", "pause the recording, or the screen of a session", App::pause),
    with_arguments(("/speed", "N"), "play N times as fast", ArgumentCompletion::Names, |app, number, now| {
        let speed = parse_speed(number).ok_or(CommandError::Needs("a number above 0, such as 4 or 0.5"))?;
        app.change_speed(|_| speed, now);
        Ok(())
    }),
    with_arguments(
        ("/pieces", "ascii|letters|filled"),
        "draw pieces as k K, as letters, or as chess symbols",
        ArgumentCompletion::Words(|_, _| value_names::<PieceSet>().collect()),
        |app, name, _| {
            app.preferences.pieces = Some(parse_value(name, "ascii, letters or filled")?);
            Ok(())
        },
    ),
    with_arguments(
        ("/theme", "dark|light"),
        "choose the colors",
        ArgumentCompletion::Words(|_, _| value_names::<ColorTheme>().collect()),
        |app, name, _| {
            app.preferences.colors = Some(parse_value(name, "dark or light")?);
            Ok(())
        },
    ),
    with_arguments(
        ("/bell", "on|off"),
        "ring when a challenge, an offer or your move waits",
        ArgumentCompletion::Words(|_, _| value_names::<Switch>().collect()),
        |app, switch, _| app.run_bell(switch),
    ),
    with_arguments(
        ("/mouse", "on|off"),
        "select and scroll with the mouse; off: it marks text to copy",
        ArgumentCompletion::Words(|_, _| value_names::<Switch>().collect()),
        |app, switch, _| app.run_mouse(switch),
    ),
    plain("/grid", "show the boards of all games in progress; again: all panes", |app, _| {
        app.screen.toggle_pane(Pane::Grid);
    }),
    plain("/flip", "flip the board", |app, _| app.flip_board()),
    plain("/raw", "show the bytes, or the event again", |app, _| {
        let is_raw = app.screen.view == DetailView::Bytes;
        app.screen.show_view(if is_raw { DetailView::Event } else { DetailView::Bytes });
    }),
    plain("/all", "show or hide prompts, marks, blank lines, reserves", |app, _| app.toggle_details()),
    plain("/log", "show the log of the program, with --log", |app, _| app.screen.open_page(OverlayPage::Log)),
    plain("/help", "show this page", |app, _| app.screen.open_page(OverlayPage::Help)),
    plain("/quit", "leave", |app, _| app.is_over = true),
];

/// Parses the name of a value, which must be in lower case; `names` lists the names for the error.
fn parse_value<T: ValueEnum>(name: &str, names: &'static str) -> Result<T, CommandError> {
    T::from_str(name, false).map_err(|_| CommandError::Needs(names))
}

/// Returns the names of all values of a type.
fn value_names<T: ValueEnum + 'static>() -> impl Iterator<Item = String> {
    T::value_variants().iter().filter_map(ValueEnum::to_possible_value).map(|value| value.get_name().to_owned())
}

impl App {
    /// Runs the typed or pasted lines in order, and empties the editor; blank lines are skipped. Stops at a line that shows an
    /// error: the later lines return to the editor, after that line unless [`run_or_send_line`](Self::run_or_send_line) dropped
    /// it. Closes an open page, resets the focus, and adds each line that is run to the history, unless the server asked for a
    /// password.
    pub(super) fn submit_input(&mut self, now: Instant) {
        let is_masked = self.masks_input();
        let typed = self.input.editor.take_text();
        self.screen.page = None;
        self.screen.focus = Focus::default_for(&self.playback.source);
        let mut lines = typed.split('\n').filter(|line| !line.trim().is_empty());
        while let Some(line) = lines.next() {
            if !is_masked {
                self.input.history.add_unless_secret(line);
            }
            self.run_or_send_line(line, now);
            if matches!(self.screen.notice, Some(Notice::Error(_))) {
                let editor = &mut self.input.editor;
                let at = editor.split_at_cursor().0.len();
                let failed = editor.take_text();
                let rest: Vec<_> = [failed.as_str()].into_iter().filter(|line| !line.is_empty()).chain(lines).collect();
                editor.set_text(&rest.join("\n"));
                if !failed.is_empty() {
                    editor.move_cursor_to_offset(at);
                }
                break;
            }
        }
    }

    /// Runs a line that starts with `/` as a command of the console; sends any other to the server. Shows an error for an invalid
    /// command, which returns to the editor, with the cursor at the mistake, if that is in an expression.
    fn run_or_send_line(&mut self, line: &str, now: Instant) {
        if !line.starts_with('/') {
            return self.send_line_or_restore(line);
        }
        let line = line.trim_end();
        let (word, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let outcome = match COMMANDS.iter().find(|command| command.word == word).map(|command| &command.effect) {
            Some(CommandEffect::Plain(run)) => {
                run(self, now);
                Ok(())
            }
            Some(CommandEffect::WithArguments(run)) => run(self, arguments.trim(), now),
            None => Err(match most_similar_word(word, COMMANDS.iter().map(|command| command.word)) {
                Some(nearest) => CommandError::Misspelled { word: word.to_owned(), nearest },
                None => CommandError::Unknown(word.to_owned()),
            }),
        };
        match outcome {
            Ok(()) => {}
            Err(error @ CommandError::Needs(_)) => self.screen.show_error(format!("{word} {error}")),
            Err(error) => {
                self.screen.show_error(error.to_string());
                if let CommandError::Expression { from_end, .. } = error {
                    self.input.editor.set_text(line);
                    self.input.editor.move_cursor_to_offset(line.len().saturating_sub(from_end));
                    self.screen.focus = Focus::Input;
                }
            }
        }
    }

    /// Starts to send a line to the server. If it cannot be sent now, shows an error; in a live session, the line then replaces
    /// the text of the editor. A later failure becomes a notice.
    fn send_line_or_restore(&mut self, line: &str) {
        if self.start_job(NO_SERVER, |live| live.start_sending(line)) {
            self.return_to_own_game();
        } else if self.playback.source.is_live() {
            self.input.editor.set_text(line);
        }
    }

    /// Starts a job of the live session. Returns `false` if it was not started, and shows an error: that of `start`, or
    /// `no_session` if the source is a recording.
    pub(super) fn start_job(
        &mut self,
        no_session: &'static str,
        start: impl FnOnce(&mut LiveSession) -> Result<(), &'static str>,
    ) -> bool {
        let started = self.playback.source.try_as_live_mut().map_or(Err(no_session), |live| start(live));
        started.map_err(|why| self.screen.show_error(why)).is_ok()
    }

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
        let form = parse_value(form, NEEDED)?;
        let rest = rest.trim_start();
        let named = rest.split_once(' ').and_then(|(rows, file)| Some((parse_value(rows, NEEDED).ok()?, file)));
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
        self.preferences.bell = parse_value(switch, "on or off")?;
        self.screen.show_info(match self.preferences.bell {
            Switch::On => "the bell rings for challenges, offers and your move",
            Switch::Off => "the bell is off",
        });
        Ok(())
    }

    fn run_mouse(&mut self, switch: &str) -> Result<(), CommandError> {
        let switch = parse_value(switch, "on or off")?;
        self.screen.request(TerminalRequest::CaptureMouse(switch));
        self.screen.show_info(match switch {
            Switch::On => "the mouse selects and scrolls; text is marked with Shift held, or after /mouse off",
            Switch::Off => "the mouse marks text",
        });
        Ok(())
    }

    /// Moves the focus to the input line and starts a command, unless the line is one already: an unfinished line for the server is
    /// cut, so that Ctrl-Y returns it, and a password is deleted.
    pub(super) fn start_command(&mut self) {
        self.screen.focus = Focus::Input;
        let is_masked = self.masks_input();
        let editor = &mut self.input.editor;
        if editor.text().starts_with('/') {
            return;
        }
        if is_masked {
            // Cut text is not masked.
            editor.take_text();
        } else if !editor.text().is_empty() {
            editor.move_cursor(Motion::End);
            editor.cut(Motion::Start);
            self.screen.show_info("the unfinished line was cut: Ctrl-Y returns it");
        }
        editor.insert("/");
    }

    /// Inserts pasted text at the cursor of the input line, and moves the focus there. No line is run before Enter. Shows an
    /// error if the text is too long.
    pub(crate) fn on_paste(&mut self, text: &str) {
        self.screen.cancel_copy();
        self.screen.focus = Focus::Input;
        let editor = &mut self.input.editor;
        if !editor.try_paste(text) {
            return self.screen.show_error(format!("not pasted: {} bytes are too long for the line", text.len()));
        }
        let n_lines = editor.text().lines().count();
        if n_lines > 1 {
            self.screen.show_info(format!("{n_lines} lines: Enter runs each of them, Ctrl-C removes them"));
        }
    }

    /// Completes the word before the cursor. If the candidates have nothing further in common, lists them in the status row.
    pub(super) fn complete_word(&mut self) {
        let (line, _) = self.input.editor.split_at_cursor();
        let completion = self.completion_of(line);
        if let Some(candidates) = completion.and_then(|completion| completion.insert_or_list(&mut self.input.editor)) {
            self.screen.show_info(candidates);
        }
    }

    /// Returns the candidates for the last word of `line`, the input before the cursor; `None` without one.
    fn completion_of(&self, line: &str) -> Option<CompletionCandidates> {
        let names = &self.model.names;
        let Some((word, arguments)) = line.split_once(char::is_whitespace) else {
            let words = COMMANDS.iter().map(|command| command.word);
            return if line.starts_with('/') {
                CompletionCandidates::for_word(line, words)
            } else {
                CompletionCandidates::for_server_line(line, names)
            };
        };
        let command = COMMANDS.iter().find(|command| command.word == word);
        match command.map_or(&ArgumentCompletion::Names, |command| &command.completion) {
            ArgumentCompletion::Names => CompletionCandidates::for_server_line(line, names),
            ArgumentCompletion::Expression => {
                let filters = self.preferences.filters.names();
                CompletionCandidates::for_expression(line, names, self.game_numbers(), filters)
            }
            ArgumentCompletion::Words(words) => {
                let begun = arguments.rsplit(char::is_whitespace).next().unwrap_or_default();
                CompletionCandidates::for_word(line, words(self, begun).into_iter())
            }
        }
    }

    fn game_numbers(&self) -> impl Iterator<Item = String> {
        self.model.games.keys().map(ToString::to_string)
    }

    /// Returns whether to mask the input: the server expects a password, and the line is not a command of the console.
    pub(crate) fn masks_input(&self) -> bool {
        self.model.password_prompt.is_open && !self.input.editor.text().starts_with('/')
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
