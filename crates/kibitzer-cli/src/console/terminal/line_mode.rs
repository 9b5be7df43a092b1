//! Edits a line on the terminal below the printed lines, for commands that print a session. The console has a screen instead.

use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kibitzer::internal::recorded::PasswordPrompt;
use kibitzer::{Client, RecvError, Subscription};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::crossterm::terminal::{Clear, ClearType, size};
use ratatui::crossterm::{cursor::MoveTo, execute};
use rustix::termios::Termios;
use signal_hook::consts::SIGINT;
use signal_hook::low_level::raise;
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::runtime::Handle;
use unicode_truncate::UnicodeTruncateStr as _;

use super::unix::{Keyboard, Suspension};
use crate::console::input::{
    CompletionCandidates, History, InputLine, StateDirectory, masked_or_safe, normalized_press,
};
use crate::console::model::{MASK, SeenNames};
use crate::live::TerminalModes;
use crate::output::{TerminalSafe, print_above_input, set_input_line};

/// Longest wait for a key before signals and the state of the session are checked.
const PAUSE: Duration = Duration::from_millis(50);
/// Time for which a drop waits for the thread to end; a terminal that accepts no output could block it forever.
const END_TIMEOUT: Duration = Duration::from_secs(1);
/// Capacity of the stream of entered lines, in bytes; a full one blocks the input line.
const UNREAD_BYTES: usize = 64 << 10;
/// Prompt before the input.
const MARK: &str = "> ";

/// Previous modes of the terminal, which their drop restores; `None` while the process is suspended.
type SavedModes = Arc<Mutex<Option<TerminalModes>>>;

/// The input line of a session that is printed on the terminal. Dropping it ends its thread and restores the terminal.
pub(crate) struct LineMode {
    modes: SavedModes,
    /// Dropping it ends the thread.
    alive: Option<Sender<()>>,
    ended: Receiver<()>,
}

/// State of the thread that reads keys and draws the input line.
struct LineThread {
    keyboard: Keyboard,
    suspension: Suspension,
    modes: SavedModes,
    input: InputLine,
    events: Subscription,
    /// Names seen in the session, for completion.
    names: SeenNames,
    password_prompt: PasswordPrompt,
    /// Receives the entered lines.
    lines: DuplexStream,
    runtime: Handle,
    /// The line as it was last drawn.
    drawn: String,
}

impl LineMode {
    /// Puts the terminal's input into raw mode and spawns the thread that edits lines on it, with the stored history, and with
    /// completion of the names in the session. Also returns the stream of the entered lines, which ends when the thread does:
    /// once the terminal is gone, or on drop. Panics outside of a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the terminal cannot be used.
    pub(crate) fn spawn(client: &Client) -> io::Result<(Self, DuplexStream)> {
        let (reader, lines) = duplex(UNREAD_BYTES);
        let (keyboard, suspension) = (Keyboard::open()?, Suspension::install_handlers()?);
        let modes = Arc::new(Mutex::new(Some(enter_raw_input()?)));
        let thread = LineThread {
            keyboard,
            suspension,
            modes: Arc::clone(&modes),
            input: InputLine { history: History::load_and_clean(StateDirectory::for_user()), ..InputLine::default() },
            events: client.subscribe(),
            names: SeenNames::default(),
            password_prompt: PasswordPrompt::default(),
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
    /// Edits lines until `over` is disconnected, as it is by the drop of [`LineMode`], or the terminal or the reader of the lines
    /// is gone. Then erases the input line.
    fn run(mut self, over: &Receiver<()>) {
        // Without this mode, pasted line ends are keys.
        let _ = execute!(io::stdout(), EnableBracketedPaste);
        // An error of the terminal ends the input, as that of a pipe does.
        while over.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected)
            && self.draw_and_process_keys().unwrap_or(false)
        {}
        set_input_line(String::new());
        let _ = execute!(io::stdout(), DisableBracketedPaste);
    }

    /// Suspends the process if a signal asked for it, draws the input line, and processes the keys that arrive within 50 ms.
    /// Returns `false` once the terminal is gone.
    fn draw_and_process_keys(&mut self) -> io::Result<bool> {
        if self.suspension.take_stop_request() {
            self.suspend()?;
        }
        if self.suspension.take_continuation() {
            *lock(&self.modes) = Some(enter_raw_input()?);
            execute!(io::stdout(), EnableBracketedPaste)?;
            self.drawn.clear();
        }
        self.draw_if_changed()?;
        let Some(events) = self.keyboard.wait_for_events(PAUSE)? else { return Ok(false) };
        // Before the keys: of a password just asked for, nothing may be shown or stored.
        self.record_session_events();
        for event in events {
            match event {
                Event::Key(key) => self.on_key(key)?,
                Event::Paste(text) if !self.input.editor.try_paste(&text) => {
                    print_line_above_input(&format!("not pasted: {} bytes are too long for the line", text.len()))?;
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// Records the names and prompts in the events of the session since the last call. Events that were missed are skipped.
    fn record_session_events(&mut self) {
        loop {
            match self.events.try_recv() {
                Ok(Some(event)) => {
                    self.names.record_names(&event);
                    self.password_prompt.record_event(event.kind());
                }
                Err(RecvError::Lagged { .. }) => {}
                _ => return,
            }
        }
    }

    /// Handles a key. Ctrl-C on an empty line raises SIGINT, as at a shell; the signal ends the session.
    fn on_key(&mut self, key: KeyEvent) -> io::Result<()> {
        let Some(key) = normalized_press(key) else { return Ok(()) };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return self.submit_lines(),
            KeyCode::Tab => return self.complete_word(),
            // As at a shell. The signal ends the session, as without the editor.
            KeyCode::Char('c') if control && self.input.editor.text().is_empty() => return raise(SIGINT),
            KeyCode::Char('c') if control => drop(self.input.editor.take_text()),
            KeyCode::Char('z') if control => return self.suspend(),
            KeyCode::Char('l') if control => {
                return print_above_input(|| execute!(io::stdout(), Clear(ClearType::All), MoveTo(0, 0)));
            }
            _ => self.input.edit(key),
        }
        Ok(())
    }

    /// Sends the typed lines, and prints each above the input line, masked if it contains a password; such lines are kept out of
    /// the history.
    fn submit_lines(&mut self) -> io::Result<()> {
        let is_masked = self.password_prompt.is_open;
        let typed = self.input.editor.take_text();
        for line in typed.split('\n').filter(|line| !line.trim().is_empty()) {
            let is_secret = is_masked || self.input.history.detector.is_secret(line);
            print_line_above_input(&format!("{MARK}{}", if is_secret { MASK } else { line }))?;
            if !is_masked {
                self.input.history.add_unless_secret(line);
            }
            let sent = format!("{line}\n");
            // Fails at the end of the session, which also ends this thread.
            self.runtime.block_on(self.lines.write_all(sent.as_bytes()))?;
        }
        Ok(())
    }

    /// Completes the word before the cursor, or prints the candidates above the line.
    fn complete_word(&mut self) -> io::Result<()> {
        let completion = CompletionCandidates::for_server_line(self.input.editor.split_at_cursor().0, &self.names, &[]);
        match completion.and_then(|completion| completion.insert_or_list(&mut self.input.editor)) {
            Some(candidates) => print_line_above_input(&candidates),
            None => Ok(()),
        }
    }

    /// Erases the input line, restores the terminal and stops the process. Returns once the process is continued.
    fn suspend(&mut self) -> io::Result<()> {
        set_input_line(String::new());
        execute!(io::stdout(), DisableBracketedPaste)?;
        *lock(&self.modes) = None;
        self.suspension.suspend_process()
    }

    /// Draws the line if it has changed: the part around the cursor that fits into one row, as stars if the server asks for a
    /// password.
    fn draw_if_changed(&mut self) -> io::Result<()> {
        let room = usize::from(size()?.0).saturating_sub(MARK.len() + 1);
        let (before, after) = self.input.editor.split_at_cursor();
        let show = |text: &str| masked_or_safe(text, self.password_prompt.is_open);
        let before = show(before);
        let (before, width) = before.unicode_truncate_start(room);
        let after = show(after);
        let (after, _) = after.unicode_truncate(room.saturating_sub(width));
        // The position of the cursor is saved before the text after it is drawn.
        let line = format!("{MARK}{before}\u{1b}7{after}\u{1b}8");
        if line != self.drawn {
            set_input_line(line.clone());
            self.drawn = line;
        }
        Ok(())
    }
}

/// Prints a line above the input line, escaped for the terminal.
fn print_line_above_input(text: &str) -> io::Result<()> {
    print_above_input(|| writeln!(io::stdout(), "{}", TerminalSafe(text)))
}

/// Puts the terminal's input into raw mode: keys are read one by one, without echo, and none raises a signal. Output is processed
/// as before. Returns the previous modes.
fn enter_raw_input() -> io::Result<TerminalModes> {
    TerminalModes::change(|modes: &mut Termios| {
        let output = modes.output_modes;
        modes.make_raw();
        modes.output_modes = output;
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
