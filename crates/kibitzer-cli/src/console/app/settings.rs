//! The settings file of the console: which keys it has, how it is read, and how `/save` writes it.

mod file;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use kibitzer::ConfigError;
use kibitzer::internal::most_similar_word;
use toml::de::{DeTable, DeValue};

pub(crate) use self::file::SettingsArgs;
use super::App;
use super::preferences::{ColorTheme, PieceSet, Switch, TimeColumn};
use super::screen::{DetailView, Pane, TerminalRequest};
use crate::console::source::{ConsoleSource, Notice, SessionFeed};
use crate::filter::Expression;

/// Maximum number of commands after the start.
const MAX_COMMANDS: usize = 32;
/// First lines of the file.
const HEAD: &str = "\
# Settings of the console: `kibitzer`, `kibitzer console`, `replay` and `bot`. The file is `kibitzer/console.toml` in $XDG_CONFIG_HOME, or
# in ~/.config; another one is named by --console-settings or KIBITZER_CONSOLE_SETTINGS. `/save` in the console writes it with the present
# choices, and replaces comments. Every key may be missing; unknown keys are errors.
";

/// The settings of the console.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConsoleSettings {
    /// Where `/save` writes them; `None` without a home directory.
    path: Option<PathBuf>,
    theme: Option<ColorTheme>,
    pieces: Option<PieceSet>,
    times: TimeColumn,
    /// The pane that fills the screen; `None` for all panes.
    pane: Option<Pane>,
    view: DetailView,
    mouse: Switch,
    bell: Switch,
    notify: Option<Expression>,
    /// Lines that are run after the start: commands of the console, and lines for the server.
    commands: Vec<String>,
}

impl Default for ConsoleSettings {
    fn default() -> Self {
        Self {
            path: None,
            theme: None,
            pieces: None,
            times: TimeColumn::default(),
            pane: None,
            view: DetailView::Event,
            mouse: Switch::On,
            bell: Switch::Off,
            notify: None,
            commands: Vec::new(),
        }
    }
}

/// A key of the file.
struct ConsoleSetting {
    key: &'static str,
    doc: &'static str,
    /// A value as it is written in the file, other than the default.
    example: &'static str,
    /// Changes the setting; the error is the end of a sentence that begins with the key.
    apply: fn(&mut ConsoleSettings, &DeValue<'_>) -> Result<(), String>,
    /// Returns the value as TOML; `None` if it is not set.
    to_toml: fn(&ConsoleSettings) -> Option<String>,
}

/// All keys of the file.
const SETTINGS: [ConsoleSetting; 9] = [
    ConsoleSetting {
        key: "theme",
        doc: "Colors: dark or light. Without this key, by the environment: light if COLORFGBG names a light background.",
        example: r#""light""#,
        apply: |settings, value| parse_word(value).map(|theme| settings.theme = Some(theme)),
        to_toml: |settings| settings.theme.as_ref().and_then(word_to_toml),
    },
    ConsoleSetting {
        key: "pieces",
        doc: "Pieces: ascii, letters or filled. Without this key, those that the terminal can show.",
        example: r#""letters""#,
        apply: |settings, value| parse_word(value).map(|pieces| settings.pieces = Some(pieces)),
        to_toml: |settings| settings.pieces.as_ref().and_then(word_to_toml),
    },
    ConsoleSetting {
        key: "pane",
        doc: "Layout: all panes, or one that fills the screen: list, view, board, grid (all boards) or talk, which leaves the board.",
        example: r#""talk""#,
        apply: |settings, value| {
            let is_all = value.as_str() == Some("all");
            settings.pane = if is_all { None } else { Some(parse_word(value).map_err(|error| error + " or all")?) };
            Ok(())
        },
        to_toml: |settings| settings.pane.as_ref().map_or_else(|| Some(r#""all""#.to_owned()), word_to_toml),
    },
    ConsoleSetting {
        key: "view",
        doc: "View of the selected line: bytes, frame or event.",
        example: r#""bytes""#,
        apply: |settings, value| parse_word(value).map(|view| settings.view = view),
        to_toml: |settings| word_to_toml(&settings.view),
    },
    ConsoleSetting {
        key: "times",
        doc: "Times in the list: session, utc, previous or mark.",
        example: r#""utc""#,
        apply: |settings, value| parse_word(value).map(|times| settings.times = times),
        to_toml: |settings| word_to_toml(&settings.times),
    },
    ConsoleSetting {
        key: "mouse",
        doc: "Whether the console uses the mouse; false leaves it to the terminal.",
        example: "false",
        apply: |settings, value| parse_switch(value).map(|mouse| settings.mouse = mouse),
        to_toml: |settings| Some((settings.mouse == Switch::On).to_string()),
    },
    ConsoleSetting {
        key: "bell",
        doc: "Whether the bell rings for challenges, offers and the user's move.",
        example: "true",
        apply: |settings, value| parse_switch(value).map(|bell| settings.bell = bell),
        to_toml: |settings| Some((settings.bell == Switch::On).to_string()),
    },
    ConsoleSetting {
        key: "notify",
        doc: "Rule of notifications, a filter expression: lines of a session that match ring the bell, notify the desktop and set the title.",
        example: r#""kind:tell or mine clock<10s""#,
        apply: |settings, value| {
            let text = value.as_str().ok_or("must be a string")?;
            settings.notify = Some(Expression::parse(text).map_err(|error| format!("is no filter: {error}"))?);
            Ok(())
        },
        to_toml: |settings| settings.notify.as_ref().map(|rule| text_to_toml(&rule.to_string())),
    },
    ConsoleSetting {
        key: "commands",
        doc: "Lines that are run after the start, at most 32: commands of the console and, once a session of this process is ready, lines
# for its server. Those are not sent in the session of a bot or of another process, nor again after a reconnect.",
        example: r#"["/filter -kind:seek", "+channel 50"]"#,
        apply: |settings, value| {
            const FORM: &str = "must be an array of at most 32 strings, each one line";
            let items = value.as_array().filter(|items| items.len() <= MAX_COMMANDS).ok_or(FORM)?;
            let line = |value: &DeValue<'_>| {
                let line = value.as_str().map(str::trim).filter(|line| !line.is_empty());
                line.filter(|line| !line.contains(char::is_control)).map(str::to_owned)
            };
            settings.commands = items.iter().map(|item| line(item.get_ref())).collect::<Option<_>>().ok_or(FORM)?;
            Ok(())
        },
        to_toml: |settings| {
            let lines: Vec<_> = settings.commands.iter().map(|line| text_to_toml(line)).collect();
            (!lines.is_empty()).then(|| format!("[{}]", lines.join(", ")))
        },
    },
];

/// Parses a word of a set; the error lists the set.
fn parse_word<T: ValueEnum>(value: &DeValue<'_>) -> Result<T, String> {
    value.as_str().and_then(|word| T::from_str(word, false).ok()).ok_or_else(|| {
        let words: Vec<_> = T::value_variants().iter().filter_map(word_to_toml).collect();
        format!("must be one of {}", words.join(", "))
    })
}

fn parse_switch(value: &DeValue<'_>) -> Result<Switch, String> {
    let is_on = value.as_bool().ok_or("must be true or false")?;
    Ok(if is_on { Switch::On } else { Switch::Off })
}

fn word_to_toml<T: ValueEnum>(value: &T) -> Option<String> {
    value.to_possible_value().map(|word| format!("{:?}", word.get_name()))
}

/// Returns a text as a TOML string. JSON has the same escapes, but leaves a delete character as it is.
fn text_to_toml(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

impl ConsoleSettings {
    /// Changes the settings that the text of a file contains.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the line and the key.
    pub(crate) fn with_file(mut self, path: &Path, text: &str) -> Result<Self, ConfigError> {
        let error_at = |position, reason| ConfigError::at_position(path, text, position, reason);
        let table = DeTable::parse(text)
            .map_err(|error| error_at(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        for (key, value) in table.get_ref() {
            let name = key.get_ref().as_ref();
            let Some(setting) = SETTINGS.iter().find(|setting| setting.key == name) else {
                let nearest = most_similar_word(name, SETTINGS.iter().map(|setting| setting.key));
                let nearest = nearest.map_or_else(String::new, |nearest| format!(", did you mean `{nearest}`?"));
                return Err(error_at(key.span().start, format!("unknown key `{name}`{nearest}")));
            };
            let changed = (setting.apply)(&mut self, value.get_ref());
            changed.map_err(|reason| error_at(value.span().start, format!("`{name}` {reason}")))?;
        }
        Ok(self)
    }

    /// Returns the settings as a commented file with every key; those without a value are comments with an example.
    fn to_file(&self) -> String {
        let mut file = HEAD.to_owned();
        for ConsoleSetting { key, doc, example, to_toml, .. } in &SETTINGS {
            let _ = match to_toml(self) {
                Some(value) => writeln!(file, "\n# {doc}\n{key} = {value}"),
                None => writeln!(file, "\n# {doc}\n# {key} = {example}"),
            };
        }
        file
    }
}

impl App {
    /// Applies the settings; their commands are run once the source is ready.
    pub(crate) fn apply_settings(&mut self, settings: ConsoleSettings) {
        self.preferences.colors = settings.theme;
        self.preferences.pieces = settings.pieces;
        self.preferences.times = settings.times;
        self.preferences.bell = settings.bell;
        self.preferences.mouse = settings.mouse;
        self.screen.alone = settings.pane;
        self.screen.show_view(settings.view);
        if settings.mouse == Switch::Off {
            self.screen.request(TerminalRequest::CaptureMouse(Switch::Off));
        }
        self.notifier.rule.clone_from(&settings.notify);
        self.start_commands.clone_from(&settings.commands);
        self.settings = settings;
    }

    /// Returns the present choices as settings.
    fn present_settings(&self) -> ConsoleSettings {
        ConsoleSettings {
            path: self.settings.path.clone(),
            theme: self.preferences.colors,
            pieces: self.preferences.pieces,
            times: self.preferences.times,
            pane: self.screen.alone,
            view: self.screen.view,
            mouse: self.preferences.mouse,
            bell: self.preferences.bell,
            notify: self.notifier.rule.clone(),
            commands: self.settings.commands.clone(),
        }
    }

    /// Writes the present choices to the settings file, and shows where, or why not.
    pub(super) fn save_settings(&mut self) {
        match self.present_settings().write() {
            Ok(path) => self.screen.show_info(format!("settings saved in {}", path.display())),
            Err(error) => self.screen.show_error(format!("settings not saved: {error}")),
        }
    }

    /// Runs the commands of the settings once the recording is open, or the session ready. Lines for the server are sent only in a
    /// session of this process without a bot. Ends at the first one that shows an error, with the error.
    pub(super) fn run_start_commands(&mut self, now: Instant) {
        let sends = match &self.playback.source {
            ConsoleSource::Live(live) if !live.is_ready() => return,
            ConsoleSource::Live(live) => matches!(live.feed, SessionFeed::Own(_)),
            ConsoleSource::Recording(_) => false,
        };
        for line in std::mem::take(&mut self.start_commands) {
            self.screen.remove_notice();
            if sends || line.starts_with('/') {
                self.run_or_send_line(&line, now);
            }
            if let Some(Notice::Error(error)) = &self.screen.notice {
                let error = format!("`{line}` of the settings: {error}");
                self.input.editor.take_text();
                return self.screen.show_error(error);
            }
        }
    }
}

#[cfg(test)]
mod tests;
