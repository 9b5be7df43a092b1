//! The terminal: taken for the console, and given back as it was, whatever happens.

mod alarm;
mod guard;
mod keyboard;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;

use self::alarm::Alarm;
use self::guard::Guard;
use self::keyboard::{Heard, Keyboard};
use super::ConsoleError;
use crate::console::app::App;
use crate::console::view::{self, Theme};

/// Between two pictures while things happen.
const FRAME: Duration = Duration::from_millis(33);
/// Between two pictures while nothing does; clocks show tenths of a second.
const QUIET_FRAME: Duration = Duration::from_millis(100);

/// The terminal, as long as the console has it.
///
/// It is given back when this is dropped. A panic gives it back first, so that its message can be read.
struct Screen {
    terminal: DefaultTerminal,
    /// Panics on other threads.
    alarm: Alarm,
}

impl Screen {
    fn take() -> io::Result<Self> {
        let terminal = ratatui::try_init()?;
        let screen = Self { terminal, alarm: Alarm::begin() };
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        // A panic has given it back already. Twice would put the cursor back as well, onto what the panic says.
        if !thread::panicking() {
            ratatui::restore();
        }
    }
}

/// Runs the console until somebody ends it, tells it to end, or closes the terminal.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal or the recording fails.
pub(super) fn run(mut app: App) -> Result<(), ConsoleError> {
    let keyboard = Keyboard::open().map_err(ConsoleError::Terminal)?;
    let guard = Guard::begin().map_err(ConsoleError::Terminal)?;
    let mut screen = Screen::take().map_err(ConsoleError::Terminal)?;
    show(&mut app, &mut screen, &keyboard, &guard)
}

/// Draws and takes keys, in turn.
fn show(app: &mut App, screen: &mut Screen, keyboard: &Keyboard, guard: &Guard) -> Result<(), ConsoleError> {
    let theme = Theme::of_environment();
    while !app.is_over && !guard.is_ended() {
        if let Some(panic) = screen.alarm.take() {
            return Err(ConsoleError::Panicked(panic));
        }
        let more = app.pump(Instant::now())?;
        let now = app.source.time(Instant::now());
        if std::mem::take(&mut app.wants_redraw) {
            screen.terminal.clear().map_err(ConsoleError::Terminal)?;
        }
        screen.terminal.draw(|frame| view::draw(frame, app, theme, now)).map_err(ConsoleError::Terminal)?;
        let pause = if more { Duration::ZERO } else { pause(app) };
        take_keys(app, keyboard, pause)?;
    }
    Ok(())
}

/// How long to wait for keys before the next picture.
fn pause(app: &App) -> Duration {
    if app.source.is_moving() { FRAME } else { QUIET_FRAME }
}

/// Takes in what was typed: waits for the first key, and leaves none behind it to the next picture.
fn take_keys(app: &mut App, keyboard: &Keyboard, pause: Duration) -> Result<(), ConsoleError> {
    match keyboard.wait(pause).map_err(ConsoleError::Terminal)? {
        Heard::Something => {}
        Heard::Nothing => return Ok(()),
        Heard::Gone => {
            app.is_over = true;
            return Ok(());
        }
    }
    // Half of a key's bytes are no key yet: then the rest is waited for.
    let mut wait = pause;
    while event::poll(wait).map_err(ConsoleError::Terminal)? {
        let event = event::read().map_err(ConsoleError::Terminal)?;
        take_event(app, event)?;
        wait = Duration::ZERO;
    }
    Ok(())
}

fn take_event(app: &mut App, event: Event) -> Result<(), ConsoleError> {
    match event {
        Event::Key(key) => app.key(key, Instant::now())?,
        Event::Paste(text) => app.paste(&text),
        // A new size needs no more than the next picture.
        _ => {}
    }
    Ok(())
}
