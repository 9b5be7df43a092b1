//! Ends the console on a signal, or when its terminal is gone.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::terminal::disable_raw_mode;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use super::keyboard::open_terminal;
use super::suspension::SignalHandlers;

/// Time for the console to end by itself, before the thread exits the process. Writing to a terminal that is stopped or gone
/// could block forever.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// A thread that waits for a signal or the loss of the terminal. Dropping this value ends it.
pub(crate) struct ShutdownWatch {
    /// Whether a signal has arrived, or the terminal is gone.
    ended: Arc<AtomicBool>,
    _handlers: SignalHandlers,
    /// The thread wakes when it is closed, and when a signal writes to it.
    _wake: UnixStream,
    /// Dropping it tells the thread that the console has ended.
    _alive: Sender<()>,
}

impl ShutdownWatch {
    /// Spawns the thread that watches for signals and for the loss of the terminal. After one of them, it ends the process unless
    /// this value is dropped within a second.
    pub(crate) fn spawn() -> io::Result<Self> {
        let (woken, wake) = UnixStream::pair()?;
        let register = |signal| pipe::register(signal, wake.try_clone()?);
        let handlers = [SIGHUP, SIGINT, SIGTERM].map(register).into_iter().collect::<io::Result<_>>()?;
        let (ended, terminal) = (Arc::<AtomicBool>::default(), open_terminal()?);
        let (alive, over) = channel();
        thread::spawn({
            let ended = Arc::clone(&ended);
            move || watch_until_shutdown(&woken, &terminal, &ended, &over)
        });
        Ok(Self { ended, _handlers: SignalHandlers(handlers), _wake: wake, _alive: alive })
    }

    /// Returns whether a signal or the loss of the terminal requires the console to end.
    pub(crate) fn is_shutdown_requested(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

/// Waits for a signal, the loss of the terminal, or the drop of the watch, and then until the console has ended. Exits the process if
/// that takes more than a second.
fn watch_until_shutdown(woken: &UnixStream, terminal: &OwnedFd, ended: &AtomicBool, over: &Receiver<()>) {
    let mut watched = [PollFd::new(woken, PollFlags::IN), PollFd::new(terminal, PollFlags::empty())];
    while poll(&mut watched, None) == Err(Errno::INTR) {}
    ended.store(true, Ordering::Relaxed);
    if over.recv_timeout(SHUTDOWN_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
        // Writing to the terminal could block as well; changing its settings does not.
        let _ = disable_raw_mode();
        process::exit(1);
    }
}
