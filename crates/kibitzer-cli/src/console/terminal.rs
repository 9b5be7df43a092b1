//! The terminal: taken for the console, and given back as it was, whatever happens.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;

use super::ConsoleError;
use super::app::App;
use super::view::{self, Theme};

/// Between two pictures while things happen.
const FRAME: Duration = Duration::from_millis(33);
/// Between two pictures while nothing does; clocks show tenths of a second.
const QUIET_FRAME: Duration = Duration::from_millis(100);

/// The terminal, as long as the console has it.
///
/// It is given back when this is dropped. A panic gives it back first, so that its message can be read.
struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    fn take() -> io::Result<Self> {
        let terminal = ratatui::try_init()?;
        let screen = Self { terminal };
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        ratatui::restore();
    }
}

/// Runs the console until somebody ends it.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal or the recording fails.
pub(super) fn run(mut app: App) -> Result<(), ConsoleError> {
    let theme = Theme::of_environment();
    let ended = told_to_end().map_err(ConsoleError::Terminal)?;
    let mut screen = Screen::take().map_err(ConsoleError::Terminal)?;
    while !app.is_over && !ended.load(Ordering::Relaxed) {
        let more = app.pump(Instant::now())?;
        let now = app.player.time(Instant::now());
        if std::mem::take(&mut app.wants_redraw) {
            screen.terminal.clear().map_err(ConsoleError::Terminal)?;
        }
        screen.terminal.draw(|frame| view::draw(frame, &mut app, theme, now)).map_err(ConsoleError::Terminal)?;
        let pause = if more { Duration::ZERO } else { pause(&app) };
        take_keys(&mut app, pause)?;
    }
    Ok(())
}

/// How long to wait for keys before the next picture.
fn pause(app: &App) -> Duration {
    if app.player.goal().is_some() || app.player.is_playing() { FRAME } else { QUIET_FRAME }
}

/// Takes in what was typed: waits for the first key, and leaves none behind it to the next picture.
fn take_keys(app: &mut App, pause: Duration) -> Result<(), ConsoleError> {
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

/// A flag that signals raise: being told to end gives the terminal back as well.
#[cfg(unix)]
fn told_to_end() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

#[cfg(not(unix))]
fn told_to_end() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::new(AtomicBool::new(false)))
}
