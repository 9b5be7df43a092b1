//! Event loop of the console on the terminal, which is restored afterwards, even after a panic.

#[cfg(unix)]
mod line_mode;
#[cfg(not(unix))]
mod no_unix;
mod notification;
#[cfg(unix)]
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

use std::env;
use std::io;
use std::mem;
use std::panic::{set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{self, EnterAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::layout::{Position, Rect};

#[cfg(unix)]
pub(crate) use self::line_mode::LineMode;
#[cfg(not(unix))]
pub(crate) use self::no_unix::LineMode;
#[cfg(not(unix))]
use self::no_unix::{Keyboard, NoSignals as ShutdownWatch, NoSignals as Suspension};
use self::notification::{NotificationForm, RESTORE_TITLE, STORE_TITLE};
#[cfg(unix)]
use self::unix::{Keyboard, ShutdownWatch, Suspension};
use crate::console::app::{App, Switch, TerminalRequest};
use crate::console::view::{self, Theme};
use crate::failure::Failure;

/// Time between two frames while items arrive.
const FRAME: Duration = Duration::from_millis(33);
/// Time between two frames otherwise; clocks show tenths of a second.
const QUIET_FRAME: Duration = Duration::from_millis(100);
/// Values of `TERM` of terminals that have no clipboard.
const WITHOUT_CLIPBOARD: [&str; 4] = ["", "dumb", "linux", "vt100"];

/// The terminal in raw mode with the alternate screen; restored on drop.
///
/// A panic of the drawing thread restores it first, so that its message can be read.
struct TerminalSession {
    terminal: DefaultTerminal,
    keyboard: Keyboard,
    shutdown: ShutdownWatch,
    suspension: Suspension,
    first_panic: FirstPanic,
    /// Whether the terminal reports the mouse.
    mouse: Switch,
    notification_form: NotificationForm,
    /// Whether the title of the window is that of a notification, and its own is stored.
    is_title_stored: bool,
}

/// Sequence that lets the terminal report buttons and the wheel, with decimal positions (modes 1000 and 1006). Unlike
/// `EnableMouseCapture`, it does not ask for movements.
const MOUSE_ON: Print<&str> = Print("\u{1b}[?1000h\u{1b}[?1006h");
/// Sequence that ends the reports of [`MOUSE_ON`].
const MOUSE_OFF: Print<&str> = Print("\u{1b}[?1006l\u{1b}[?1000l");

impl TerminalSession {
    /// Enters raw mode and the alternate screen, captures the mouse, and installs the handlers of signals and panics.
    fn open() -> io::Result<Self> {
        let (keyboard, shutdown, suspension) =
            (Keyboard::open()?, ShutdownWatch::spawn()?, Suspension::install_handlers()?);
        let terminal = ratatui::try_init()?;
        let first_panic = install_panic_hook();
        let session = Self {
            terminal,
            keyboard,
            shutdown,
            suspension,
            first_panic,
            mouse: Switch::On,
            notification_form: notification_form(),
            is_title_stored: false,
        };
        execute!(io::stdout(), EnableBracketedPaste, MOUSE_ON)?;
        Ok(session)
    }

    /// Carries out a request. Returns the error to show if the terminal is known to have no clipboard.
    fn carry_out(&mut self, request: TerminalRequest) -> io::Result<Option<String>> {
        match request {
            TerminalRequest::Copy(text) => return copy_or_refuse(&text),
            TerminalRequest::Suspend => self.suspend()?,
            TerminalRequest::Redraw => self.clear_for_redraw()?,
            TerminalRequest::CaptureMouse(mouse) => self.capture_mouse(mouse)?,
            TerminalRequest::Notify(text) => self.notify(&text)?,
            TerminalRequest::RestoreTitle => self.restore_title()?,
            TerminalRequest::Bell => execute!(io::stdout(), Print('\u{7}'))?,
        }
        Ok(None)
    }

    /// Suspends the process if a signal asks for it, and sets the terminal up again if the process was continued.
    fn follow_signals(&mut self) -> io::Result<()> {
        if self.suspension.take_stop_request() {
            self.suspend()?;
        }
        if self.suspension.take_continuation() {
            // The shell has changed the mode; crossterm would take raw mode for set.
            disable_raw_mode()?;
            enable_raw_mode()?;
            execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
            self.capture_mouse(self.mouse)?;
            self.clear_for_redraw()?;
        }
        Ok(())
    }

    /// Rings the bell, notifies the desktop, and shows the text as the title of the window.
    fn notify(&mut self, text: &str) -> io::Result<()> {
        let has_title = self.notification_form != NotificationForm::BellOnly;
        if has_title && !mem::replace(&mut self.is_title_stored, true) {
            execute!(io::stdout(), Print(STORE_TITLE))?;
        }
        execute!(io::stdout(), Print(self.notification_form.sequence(text)))
    }

    fn restore_title(&mut self) -> io::Result<()> {
        if mem::take(&mut self.is_title_stored) {
            execute!(io::stdout(), Print(RESTORE_TITLE))?;
        }
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.restore_title()?;
        execute!(io::stdout(), DisableBracketedPaste, MOUSE_OFF)?;
        ratatui::try_restore()?;
        self.suspension.suspend_process()
    }

    /// Lets the terminal report the mouse, or select text with it. A suspension keeps the choice.
    fn capture_mouse(&mut self, mouse: Switch) -> io::Result<()> {
        self.mouse = mouse;
        execute!(io::stdout(), if mouse == Switch::On { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Clears the screen, so that the next frame is drawn as a whole. Without `Terminal::clear`: it asks for the cursor, and keys
    /// that crossterm reads before the answer would wait for the next key.
    fn clear_for_redraw(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        // Failures cannot be reported: the terminal is being restored.
        let _ = self.restore_title();
        let _ = execute!(io::stdout(), DisableBracketedPaste, MOUSE_OFF);
        // ratatui's panic hook has restored it. A second time would move the cursor onto the panic message.
        if !thread::panicking() {
            ratatui::restore();
        }
    }
}

/// Runs the console on the terminal until the user quits, a signal arrives, or the terminal is gone; then restores the terminal.
///
/// # Errors
///
/// [`Failure`] if the terminal or the recording fails, or another thread panics.
pub(super) fn run_until_quit(mut app: App) -> Result<(), Failure> {
    let mut session = TerminalSession::open().map_err(terminal_failure)?;
    run_event_loop(&mut app, &mut session)
}

/// Alternates between requests to the terminal, items, drawing and input, until the app is over or a shutdown is requested.
fn run_event_loop(app: &mut App, session: &mut TerminalSession) -> Result<(), Failure> {
    let theme = Theme::from_environment();
    while !app.is_over && !session.shutdown.is_shutdown_requested() {
        if let Some(panic) = session.first_panic.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(Failure::local(format!("the console has a bug: {panic}")));
        }
        for request in mem::take(&mut app.screen.terminal_requests) {
            if let Some(refusal) = session.carry_out(request).map_err(terminal_failure)? {
                app.screen.show_error(refusal);
            }
        }
        session.follow_signals().map_err(terminal_failure)?;
        let more = app.process_item_batch(Instant::now())?;
        let now = app.playback.source.current_time(Instant::now());
        session.terminal.draw(|frame| view::draw(frame, app, theme, now)).map_err(terminal_failure)?;
        let pause = match (more, app.playback.source.needs_fast_redraw()) {
            (true, _) => Duration::ZERO,
            (false, true) => FRAME,
            (false, false) => QUIET_FRAME,
        };
        match session.keyboard.wait_for_events(pause).map_err(terminal_failure)? {
            Some(events) => events.into_iter().try_for_each(|event| process_event(app, event))?,
            None => app.is_over = true,
        }
    }
    Ok(())
}

/// Lets the app handle a key, pasted text or the mouse. A new size takes effect with the next frame.
fn process_event(app: &mut App, event: Event) -> Result<(), Failure> {
    match event {
        Event::Key(key) => app.on_key(key, Instant::now()),
        Event::Paste(text) => app.on_paste(&text),
        Event::Mouse(mouse) => {
            let (width, height) = terminal::size().map_err(terminal_failure)?;
            let position = Position::new(mouse.column, mouse.row);
            if let Some(target) = view::target_at(app, Rect::new(0, 0, width, height), position) {
                app.on_mouse(target, mouse.kind);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Waits for an event, at most for `pause`, and reads all that have arrived; empty if none did. The bytes of half a key are not
/// an event yet.
fn wait_and_read_events(pause: Duration) -> io::Result<Vec<Event>> {
    let (mut events, mut wait) = (Vec::new(), pause);
    while event::poll(wait)? {
        events.push(event::read()?);
        wait = Duration::ZERO;
    }
    Ok(events)
}

/// Returns how the terminal of the environment shows notifications.
fn notification_form() -> NotificationForm {
    NotificationForm::for_terminal(&env::var("TERM").unwrap_or_default(), env::var_os("VTE_VERSION").is_some())
}

/// Asks the terminal to write text to the clipboard, with the escape sequence OSC 52. If the terminal is known to have no
/// clipboard, returns the error to show instead. Other terminals report neither success nor refusal.
///
/// # Errors
///
/// The terminal cannot be written to.
fn copy_or_refuse(text: &str) -> io::Result<Option<String>> {
    let name = env::var("TERM").unwrap_or_default();
    if WITHOUT_CLIPBOARD.contains(&name.as_str()) {
        return Ok(Some(format!("this terminal (TERM={name}) has no clipboard; /export writes a file")));
    }
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text)).map(|()| None)
}

/// Returns the failure of a terminal that cannot be used.
#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
fn terminal_failure(error: io::Error) -> Failure {
    Failure::local(format!("the terminal cannot be used: {error}"))
}

/// Message, on one line, of the first panic on any thread but the drawing one.
type FirstPanic = Arc<Mutex<Option<String>>>;

/// Replaces the panic hook permanently. A panic of this thread, which draws, runs the previous hook, which restores the terminal
/// before it prints the message. The first message of another thread, which the screen would overwrite, is stored.
fn install_panic_hook() -> FirstPanic {
    let first_panic = FirstPanic::default();
    let (stored, drawing, previous_hook) = (Arc::clone(&first_panic), thread::current().id(), take_hook());
    set_hook(Box::new(move |info| {
        if thread::current().id() == drawing {
            return previous_hook(info);
        }
        let message = info.to_string().replace('\n', " ");
        stored.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
    }));
    first_panic
}
