//! Tests of the console as a whole, and helpers of all its tests.

#[cfg(unix)]
mod attached;
mod boards;
mod bot;
mod commands;
mod export;
mod filters;
mod hostile;
mod live;
mod own_game;
mod panes;
mod picture;
mod screens;
mod settings;
mod talk;
mod times;
mod travel;
mod truth;

pub(crate) use filters::SharedOutput;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kibitzer_core::EventReader;
use kibitzer_core::message::GameId;
use kibitzer_core::wire::Timeseal;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::arguments::ReaderArgs;
use crate::console::app::{App, TerminalRequest};
use crate::console::input::StateDirectory;
use crate::console::model::{ConsoleRow, GameSnapshot, SessionModel, SourceItem, SourceItemKind};
use crate::console::source::{ConsoleSource, Notice, RecordingPlayer, RecordingReader};
use crate::console::view::{self, Theme};

/// The sizes every view is tried at.
const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// A session in which the server said this, a millisecond for each event.
pub(super) fn model(said: &[u8]) -> SessionModel {
    let mut model = SessionModel::default();
    model.apply_item(SourceItem { at: Duration::ZERO, kind: SourceItemKind::Bytes(said.to_vec()) });
    let (mut reader, mut input) = (EventReader::default(), said);
    let mut number = 0;
    while let Some(event) = reader.next(&mut input).or_else(|| reader.finish()) {
        number += 1;
        let snapshot =
            event.affected_game().and_then(|id| reader.games().get(id)).map(|game| Box::new(GameSnapshot::new(game)));
        let kind = SourceItemKind::Event { event, snapshot, decoding: Duration::from_micros(3) };
        model.apply_item(SourceItem { at: Duration::from_millis(number), kind });
    }
    model
}

/// The rows of that session.
pub(super) fn rows(said: &[u8]) -> Vec<ConsoleRow> {
    model(said).rows.iter().cloned().collect()
}

/// Access of the tests to values that are not on the screen.
trait Shown {
    fn app(&self) -> &App;

    /// The message in the status row; empty without one.
    fn notice(&self) -> &str {
        match &self.app().screen.notice {
            Some(Notice::Info(text) | Notice::Error(text)) => text,
            None => "",
        }
    }

    /// The text in the input line.
    fn typed(&self) -> &str {
        self.app().input.editor.text()
    }

    /// Number of the row that is looked at.
    fn selected(&self) -> u64 {
        self.app().list.selected_number().unwrap_or(0)
    }

    /// The row that is looked at.
    fn row(&self) -> &ConsoleRow {
        self.app().selected_row().unwrap()
    }

    /// The line that is looked at.
    fn line(&self) -> String {
        self.row().summary_line()
    }

    /// Number of the newest row.
    fn newest(&self) -> u64 {
        self.app().model.rows.newest
    }

    /// All rows, the oldest first.
    fn rows(&self) -> impl DoubleEndedIterator<Item = &ConsoleRow> {
        self.app().model.rows.iter()
    }

    fn n_listed(&self) -> usize {
        self.app().list.n_listed()
    }

    /// Whether the selection stays on an older row.
    fn is_paused(&self) -> bool {
        self.app().list.is_paused
    }

    fn shown_game(&self) -> Option<GameId> {
        self.app().shown_game()
    }

    /// The requests to the terminal that are not carried out yet.
    fn requests(&self) -> &[TerminalRequest] {
        &self.app().screen.terminal_requests
    }

    /// Whether the user has quit.
    fn is_over(&self) -> bool {
        self.app().is_over
    }
}

impl Shown for TestConsole {
    fn app(&self) -> &App {
        &self.app
    }
}

/// Somebody in front of a console that plays a recording. Time passes when it is told to.
pub(super) struct TestConsole {
    app: App,
    now: Instant,
    /// A folder of the test's own.
    folder: Option<PathBuf>,
}

impl TestConsole {
    /// Plays a transcript of the repository.
    fn of(name: &str) -> Self {
        Self::of_sealed(name, Timeseal::Off)
    }

    /// Plays one in which timeseal was spoken.
    fn of_sealed(name: &str, timeseal: Timeseal) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
        Self::open(&folder.join(name).with_extension("jsonl"), timeseal, None)
    }

    /// Plays a session in which the server sent these pieces, a second apart.
    fn of_pieces(pieces: &[&[u8]]) -> Self {
        let lines = (0_u32..).zip(pieces).map(|(second, piece)| record(second.into(), "rx", piece));
        Self::of_transcript(&lines.collect::<Vec<_>>().concat())
    }

    /// Plays a transcript with this text.
    fn of_transcript(text: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitzer-console-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("session.jsonl");
        fs::write(&path, text).unwrap();
        Self::open(&path, Timeseal::Off, Some(folder))
    }

    fn open(path: &Path, timeseal: Timeseal, folder: Option<PathBuf>) -> Self {
        let now = fixed_instant();
        let replay = RecordingReader::open(
            path,
            ReaderArgs { timeseal: Some(timeseal), ..ReaderArgs::default() },
            fixed_instant,
        )
        .unwrap();
        Self {
            app: App::new(
                ConsoleSource::Recording(Box::new(RecordingPlayer::new(replay, 1.0, now))),
                StateDirectory::default(),
            ),
            now,
            folder,
        }
    }

    /// Lets time pass.
    fn wait(&mut self, seconds: f64) {
        self.now += Duration::from_secs_f64(seconds);
        while self.app.process_item_batch(self.now).unwrap() {}
    }

    /// Plays all of it.
    fn play_to_end(mut self) -> Self {
        self.wait(1_000_000.0);
        self
    }

    fn press(&mut self, code: KeyCode) {
        self.app.on_key(KeyEvent::new(code, KeyModifiers::NONE), self.now);
        while self.app.process_item_batch(self.now).unwrap() {}
    }

    fn press_control(&mut self, letter: char) {
        self.app.on_key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL), self.now);
    }

    /// Types characters.
    fn keys(&mut self, text: &str) {
        text.chars().for_each(|character| self.press(KeyCode::Char(character)));
    }

    /// Types a line, from the list, and runs it.
    fn run(&mut self, line: &str) {
        self.press(KeyCode::Enter);
        self.keys(line);
        self.press(KeyCode::Enter);
    }

    /// What a screen of this size shows.
    fn buffer(&mut self, (width, height): (u16, u16), theme: Theme) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let time = self.app.playback.source.current_time(self.now);
        terminal.draw(|frame| view::draw(frame, &mut self.app, theme, time)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The same as text.
    fn screen(&mut self, size: (u16, u16)) -> String {
        text(&self.buffer(size, Theme::new(true)))
    }

    /// What the console does, as the first row shows: `playing`, `paused`, `seeking` or `over`.
    fn state(&mut self) -> String {
        self.screen(SIZES[0]).split_whitespace().nth(1).unwrap().to_owned()
    }
}

impl Drop for TestConsole {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// A clock that stands still, so that nothing takes time.
fn fixed_instant() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// A line of a transcript.
fn record(seconds: f64, direction: &str, bytes: &[u8]) -> String {
    let hex: String = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect();
    format!("{{\"t\": {seconds}, \"dir\": \"{direction}\", \"hex\": \"{hex}\"}}\n")
}

fn digit(value: u8) -> char {
    char::from_digit(value.into(), 16).unwrap()
}

/// A screen as lines, without blanks at their ends.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol)).unwrap().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Whether the run is to write what the tests compare with, rather than compare.
fn is_blessing() -> bool {
    std::env::var_os("KIBITZER_BLESS").is_some()
}

/// Compares with a file of the repository, or writes it.
pub(super) fn assert_matches_file(path: &Path, got: &str) {
    if is_blessing() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, got).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(kept == got, "{} differs (KIBITZER_BLESS=1 writes it):\n{got}", path.display());
}
