//! Keyboard, shutdown and suspension on systems without Unix terminals and signals: those of crossterm alone.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::Event;

use super::wait_and_read_events;

/// Waits for input with crossterm.
#[derive(Debug)]
pub(super) struct Keyboard(());

impl Keyboard {
    pub(super) const fn open() -> io::Result<Self> {
        Ok(Self(()))
    }

    pub(super) fn wait_for_events(&self, pause: Duration) -> io::Result<Option<Vec<Event>>> {
        wait_and_read_events(pause).map(Some)
    }
}

/// Shutdown signals and job control, which only Unix has: never requested.
#[derive(Debug)]
pub(super) struct NoSignals(());

impl NoSignals {
    pub(super) const fn spawn() -> io::Result<Self> {
        Ok(Self(()))
    }

    pub(super) const fn install_handlers() -> io::Result<Self> {
        Ok(Self(()))
    }

    pub(super) const fn is_shutdown_requested(&self) -> bool {
        false
    }

    pub(super) const fn take_stop_request(&self) -> bool {
        false
    }

    pub(super) const fn suspend_process(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) const fn take_continuation(&self) -> bool {
        false
    }
}

/// Never begins: without a Unix terminal, lines are read from standard input.
#[derive(Debug)]
pub(crate) struct LineMode(());

impl LineMode {
    pub(crate) fn spawn(_: &kibitzer::Client) -> io::Result<(Self, tokio::io::DuplexStream)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
