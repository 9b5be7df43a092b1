//! Event loop of the console on the terminal, which is restored afterwards, even after a panic.

mod keyboard;
mod shutdown;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use std::io;
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;

use self::keyboard::{InputState, Keyboard};
use self::shutdown::ShutdownWatch;
use crate::console::app::App;
use crate::console::view::{self, Theme};
use crate::failure::Failure;

/// Time between two frames while items arrive.
const FRAME: Duration = Duration::from_millis(33);
/// Time between two frames otherwise; clocks show tenths of a second.
const QUIET_FRAME: Duration = Duration::from_millis(100);

/// The terminal in raw mode with the alternate screen; restored on drop.
///
/// A panic restores it first, so that its message can be read.
struct TerminalSession {
    terminal: DefaultTerminal,
    /// Panics of other threads.
    alarm: PanicCapture,
}

impl TerminalSession {
    fn take() -> io::Result<Self> {
        let terminal = ratatui::try_init()?;
        let screen = Self { terminal, alarm: PanicCapture::begin() };
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        // A failure cannot be reported: the terminal is being restored.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        // ratatui's panic hook has restored it. A second time would move the cursor onto the panic message.
        if !thread::panicking() {
            ratatui::restore();
        }
    }
}

/// Runs the console until the user quits, a signal arrives, or the terminal is gone.
///
/// # Errors
///
/// [`Failure`] if the terminal or the recording fails.
pub(super) fn run(mut app: App) -> Result<(), Failure> {
    let keyboard = Keyboard::open().map_err(unusable)?;
    let guard = ShutdownWatch::begin().map_err(unusable)?;
    let mut screen = TerminalSession::take().map_err(unusable)?;
    show(&mut app, &mut screen, &keyboard, &guard)
}

/// Alternates between drawing and processing input.
fn show(
    app: &mut App,
    screen: &mut TerminalSession,
    keyboard: &Keyboard,
    guard: &ShutdownWatch,
) -> Result<(), Failure> {
    let theme = Theme::from_environment();
    while !app.is_over && !guard.is_ended() {
        if let Some(panic) = screen.alarm.take() {
            return Err(Failure::local(format!("the console has a bug: {panic}")));
        }
        let more = app.process_items(Instant::now())?;
        let now = app.source.time(Instant::now());
        if std::mem::take(&mut app.needs_clear) {
            screen.terminal.clear().map_err(unusable)?;
        }
        screen.terminal.draw(|frame| view::draw(frame, app, theme, now)).map_err(unusable)?;
        let pause = if more { Duration::ZERO } else { pause(app) };
        process_input(app, keyboard, pause)?;
    }
    Ok(())
}

/// Returns how long to wait for keys before the next frame.
fn pause(app: &App) -> Duration {
    if app.source.is_moving() { FRAME } else { QUIET_FRAME }
}

/// Waits for input, then processes all of it before the next frame.
fn process_input(app: &mut App, keyboard: &Keyboard, pause: Duration) -> Result<(), Failure> {
    match keyboard.wait(pause).map_err(unusable)? {
        InputState::Ready => {}
        InputState::Idle => return Ok(()),
        InputState::Closed => {
            app.is_over = true;
            return Ok(());
        }
    }
    // The first bytes may be half of a key; wait for its rest.
    let mut wait = pause;
    while event::poll(wait).map_err(unusable)? {
        let event = event::read().map_err(unusable)?;
        handle_event(app, event)?;
        wait = Duration::ZERO;
    }
    Ok(())
}

fn handle_event(app: &mut App, event: Event) -> Result<(), Failure> {
    match event {
        Event::Key(key) => app.key(key, Instant::now())?,
        Event::Paste(text) => app.paste(&text),
        // A new size takes effect with the next frame.
        _ => {}
    }
    Ok(())
}

/// Returns the failure of a terminal.
#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
fn unusable(error: io::Error) -> Failure {
    Failure::local(format!("the terminal cannot be used: {error}"))
}

type PanicHook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Stores the first panic of any thread but the drawing one.
///
/// A panic of the drawing thread restores the terminal before its message is printed. A message of another thread would be
/// overwritten by the screen; it is stored until the screen is closed.
#[derive(Clone, Debug, Default)]
struct PanicCapture {
    /// Message of the first panic, on one line.
    heard: Arc<Mutex<Option<String>>>,
}

impl PanicCapture {
    /// Replaces the panic hook permanently. The previous hook still runs for panics on this thread.
    fn begin() -> Self {
        let (alarm, drawing, otherwise) = (Self::default(), thread::current().id(), take_hook());
        let ours = alarm.clone();
        set_hook(Box::new(move |info| ours.hear(info, thread::current().id() == drawing, &otherwise)));
        alarm
    }

    fn hear(&self, info: &PanicHookInfo<'_>, is_drawing: bool, otherwise: &PanicHook) {
        if is_drawing {
            return otherwise(info);
        }
        let told = info.to_string().replace('\n', " ");
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(told);
    }

    /// Removes and returns the stored message.
    fn take(&self) -> Option<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
