//! Edits a line on the terminal below the printed lines, for commands that print a session. The console has a screen instead.

use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kibitzer::Client;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent};
use ratatui::crossterm::terminal::{Clear, ClearType, size};
use ratatui::crossterm::{cursor::MoveTo, execute};
use rustix::termios::Termios;
use signal_hook::consts::SIGINT;
use signal_hook::low_level::raise;
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::runtime::Handle;

use super::InputState;
use super::keyboard::Keyboard;
use super::suspension::Suspension;
use crate::console::input::{
    Action, Completion, Focus, History, LineEditor, StateDirectory, action, end_within, pressed,
};
use crate::console::model::{MASK, SeenNames, truncate_to_cells};
use crate::live::TerminalModes;
use crate::output::{PasswordPrompt, TerminalSafe, print_above_input, set_input_line};

/// Longest wait for a key before signals and the state of the session are checked.
const PAUSE: Duration = Duration::from_millis(50);
/// Time for the thread to end; a terminal that accepts no output could block it forever.
const END_TIMEOUT: Duration = Duration::from_secs(1);
/// Capacity of the stream of entered lines; a full one blocks the input line.
const UNREAD_BYTES: usize = 64 << 10;
/// Shown before the input.
const MARK: &str = "> ";

/// Modes of the terminal from before; `None` while the process is suspended.
type SharedModes = Arc<Mutex<Option<TerminalModes>>>;

/// The input line of a session that is printed on the terminal. Dropping it restores the terminal.
pub(crate) struct LineMode {
    modes: SharedModes,
    /// Dropped first, which ends the thread.
    alive: Option<Sender<()>>,
    ended: Receiver<()>,
}

/// State of the session that the input line depends on.
#[derive(Default)]
struct SessionContext {
    names: SeenNames,
    password_prompt: PasswordPrompt,
}

/// The thread that reads keys and draws the line.
struct LineThread {
    keyboard: Keyboard,
    suspension: Suspension,
    modes: SharedModes,
    editor: LineEditor,
    history: History,
    context: Arc<Mutex<SessionContext>>,
    lines: DuplexStream,
    runtime: Handle,
    drawn: String,
}

impl LineMode {
    /// Starts to edit lines on the terminal, with the stored history, and with completion of the names in the session. Returns the
    /// entered lines as a stream that ends with the terminal.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the terminal cannot be used.
    pub(crate) fn begin(client: &Client) -> io::Result<(Self, DuplexStream)> {
        let (reader, lines) = duplex(UNREAD_BYTES);
        let context = Arc::<Mutex<SessionContext>>::default();
        let mut events = client.subscribe();
        let updated = Arc::clone(&context);
        tokio::spawn(async move {
            while let Some(event) = events.next_event().await {
                let mut context = lock(&updated);
                context.names.record(&event);
                context.password_prompt.record_event(event.kind());
            }
        });
        let (keyboard, suspension) = (Keyboard::open()?, Suspension::begin()?);
        let modes = Arc::new(Mutex::new(Some(raw_input()?)));
        let thread = LineThread {
            keyboard,
            suspension,
            modes: Arc::clone(&modes),
            editor: LineEditor::default(),
            history: History::load(StateDirectory::for_user()),
            context,
            lines,
            runtime: Handle::current(),
            drawn: String::new(),
        };
        let (alive, over) = channel();
        let (end, ended) = channel();
        thread::spawn(move || {
            thread.run(&over);
            drop(end);
        });
        Ok((Self { modes, alive: Some(alive), ended }, reader))
    }
}

impl Drop for LineMode {
    fn drop(&mut self) {
        self.alive = None;
        // Fails once the thread has ended.
        let _ = self.ended.recv_timeout(END_TIMEOUT);
        *lock(&self.modes) = None;
    }
}

impl LineThread {
    /// Edits lines until the session or the terminal is gone, and erases the line.
    fn run(mut self, over: &Receiver<()>) {
        // Without this mode, pasted line ends are keys.
        let _ = execute!(io::stdout(), EnableBracketedPaste);
        // An error of the terminal ends the input, as that of a pipe does.
        while over.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) && self.step().unwrap_or(false) {}
        set_input_line(String::new());
        let _ = execute!(io::stdout(), DisableBracketedPaste);
    }

    /// Draws the line, and processes the next keys. Returns whether the terminal still exists.
    fn step(&mut self) -> io::Result<bool> {
        if self.suspension.is_requested() {
            self.suspend()?;
        }
        if self.suspension.was_continued() {
            *lock(&self.modes) = Some(raw_input()?);
            execute!(io::stdout(), EnableBracketedPaste)?;
            self.drawn.clear();
        }
        self.draw()?;
        match self.keyboard.wait(PAUSE)? {
            InputState::Idle => return Ok(true),
            InputState::Closed => return Ok(false),
            InputState::Ready => {}
        }
        // The first bytes may be half of a key; wait for its rest.
        let mut wait = PAUSE;
        while event::poll(wait)? {
            match event::read()? {
                Event::Key(key) => self.key(key)?,
                Event::Paste(text) if !self.editor.paste(&text) => {
                    print_line(&format!("not pasted: {} bytes are too long for the line", text.len()))?;
                }
                _ => {}
            }
            wait = Duration::ZERO;
        }
        Ok(true)
    }

    fn key(&mut self, key: KeyEvent) -> io::Result<()> {
        let Some(action) = pressed(key).and_then(|key| action(Focus::Input, key)) else { return Ok(()) };
        match action {
            Action::SubmitLine => return self.submit(),
            Action::Complete => return self.complete(),
            // As at a shell. The signal ends the session, as without the editor.
            Action::Cancel if self.editor.text().is_empty() => return raise(SIGINT),
            Action::Cancel => drop(self.editor.take()),
            Action::Suspend => return self.suspend(),
            Action::Redraw => return print_above_input(|| execute!(io::stdout(), Clear(ClearType::All), MoveTo(0, 0))),
            action => self.history.edit(&mut self.editor, action),
        }
        Ok(())
    }

    /// Sends the typed lines. They stay on the terminal, except for passwords, which are also kept from the history.
    fn submit(&mut self) -> io::Result<()> {
        let is_masked = self.is_masked();
        let typed = self.editor.take();
        for line in typed.split('\n').filter(|line| !line.trim().is_empty()) {
            let is_secret = is_masked || self.history.is_secret(line);
            print_line(&format!("{MARK}{}", if is_secret { MASK } else { line }))?;
            if !is_masked {
                self.history.add(line);
            }
            let sent = format!("{line}\n");
            // Fails at the end of the session, which also ends this thread.
            self.runtime.block_on(self.lines.write_all(sent.as_bytes()))?;
        }
        Ok(())
    }

    fn complete(&mut self) -> io::Result<()> {
        let completion = Completion::for_server(self.editor.split_at_cursor().0, &lock(&self.context).names);
        match completion.and_then(|completion| completion.apply(&mut self.editor)) {
            Some(candidates) => print_line(&candidates),
            None => Ok(()),
        }
    }

    /// Stops the process with the terminal as it was. Returns once the process is continued.
    fn suspend(&mut self) -> io::Result<()> {
        set_input_line(String::new());
        execute!(io::stdout(), DisableBracketedPaste)?;
        *lock(&self.modes) = None;
        self.suspension.suspend()
    }

    fn is_masked(&self) -> bool {
        lock(&self.context).password_prompt.is_open()
    }

    /// Draws the line if it has changed: the part around the cursor that fits into one row.
    fn draw(&mut self) -> io::Result<()> {
        let room = usize::from(size()?.0).saturating_sub(MARK.len() + 1);
        let (before, after) = self.editor.split_at_cursor();
        let is_masked = self.is_masked();
        let show = |text: &str| {
            if is_masked { "*".repeat(text.chars().count()) } else { TerminalSafe(text).in_cells().into_owned() }
        };
        let before = show(before);
        let before = end_within(&before, room);
        let after = truncate_to_cells(&show(after), room.saturating_sub(unicode_width::UnicodeWidthStr::width(before)));
        // The position of the cursor is saved before the text after it is drawn.
        let line = format!("{MARK}{before}\u{1b}7{after}\u{1b}8");
        if line != self.drawn {
            set_input_line(line.clone());
            self.drawn = line;
        }
        Ok(())
    }
}

/// Prints a line above the input line.
fn print_line(text: &str) -> io::Result<()> {
    print_above_input(|| writeln!(io::stdout(), "{}", TerminalSafe(text)))
}

/// Makes keys readable one by one, without echo and signals. Output stays as it is.
fn raw_input() -> io::Result<TerminalModes> {
    TerminalModes::change(|modes: &mut Termios| {
        let output = modes.output_modes;
        modes.make_raw();
        modes.output_modes = output;
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
