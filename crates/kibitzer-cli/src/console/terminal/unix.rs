//! Terminal input and signals on Unix. crossterm's own poll spins forever once its terminal is gone, and ignores signals. A signal
//! ends the console, also when its terminal is gone, or suspends the process.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::Event;
use ratatui::crossterm::terminal::disable_raw_mode;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::isatty;
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::flag::register;
use signal_hook::low_level::{emulate_default_handler, pipe, unregister};

use super::wait_and_read_events;

/// Flags that poll reports for a terminal that is gone, requested or not.
const GONE: PollFlags = PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL);

/// Opens the terminal that keys are read from: standard input or, if that is no terminal, the controlling terminal.
fn open_terminal() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if isatty(&stdin) {
        return stdin.as_fd().try_clone_to_owned();
    }
    File::options().read(true).write(true).open("/dev/tty").map(OwnedFd::from)
}

/// Waits for input of the terminal and for changes of its size.
#[derive(Debug)]
pub(crate) struct Keyboard {
    terminal: OwnedFd,
    /// Readable after SIGWINCH, whose handler writes to the other end. crossterm has to be polled at once then: if it finds a
    /// resize and a key together, it loses the key.
    resized: UnixStream,
    _handlers: SignalHandlers,
}

impl Keyboard {
    pub(crate) fn open() -> io::Result<Self> {
        let (resized, resizes) = UnixStream::pair()?;
        resized.set_nonblocking(true)?;
        let terminal = open_terminal()?;
        let handler = pipe::register(SIGWINCH, resizes)?;
        Ok(Self { terminal, resized, _handlers: SignalHandlers(vec![handler]) })
    }

    /// Waits until keys can be read or the size has changed, at most for `pause`, and reads all events; after the first bytes of
    /// a key, waits as long again for its rest. Returns no events after the timeout or a signal, and `None` once the terminal is
    /// gone.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if waiting or reading fails.
    pub(crate) fn wait_for_events(&self, pause: Duration) -> io::Result<Option<Vec<Event>>> {
        let watched = [self.terminal.as_fd(), self.resized.as_fd()];
        let mut watched = watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let timeout = Timespec::try_from(pause).map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut watched, Some(&timeout)) {
            // Interrupted by a signal, which the caller checks.
            Err(Errno::INTR) => return Ok(Some(Vec::new())),
            outcome => outcome?,
        };
        let [terminal, resized] = watched.map(|watched| watched.revents());
        if terminal.intersects(GONE) {
            return Ok(None);
        }
        if resized.contains(PollFlags::IN) {
            // Only drains the pipe; a rest is read the next time.
            let _ = (&self.resized).read(&mut [0; 64]);
        }
        let is_heard = terminal.union(resized).contains(PollFlags::IN);
        if is_heard { wait_and_read_events(pause).map(Some) } else { Ok(Some(Vec::new())) }
    }
}

/// Handlers of signals, removed on drop.
#[derive(Debug)]
struct SignalHandlers(Vec<SigId>);

impl Drop for SignalHandlers {
    fn drop(&mut self) {
        for handler in self.0.drain(..) {
            unregister(handler);
        }
    }
}

/// Time for the console to end by itself, before the thread exits the process. Writing to a terminal that is stopped or gone
/// could block forever.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// A thread that waits for SIGHUP, SIGINT, SIGTERM or the loss of the terminal. Dropping this value ends it.
pub(crate) struct ShutdownWatch {
    /// Whether a signal has arrived, or the terminal is gone.
    ended: Arc<AtomicBool>,
    _handlers: SignalHandlers,
    /// The thread wakes when it is closed, and when a signal writes to it.
    _wake: UnixStream,
    /// Dropping it notifies the thread that the console has ended.
    _alive: Sender<()>,
}

impl ShutdownWatch {
    /// Spawns the thread that watches for the signals and for the loss of the terminal. After one of them, it exits the process
    /// with status 1 unless this value is dropped within a second.
    pub(crate) fn spawn() -> io::Result<Self> {
        let (woken, wake) = UnixStream::pair()?;
        let register_pipe = |signal| pipe::register(signal, wake.try_clone()?);
        let handlers = [SIGHUP, SIGINT, SIGTERM].map(register_pipe).into_iter().collect::<io::Result<_>>()?;
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

/// Handlers of the signals SIGTSTP and SIGCONT, removed on drop.
#[derive(Debug)]
pub(super) struct Suspension {
    /// Whether SIGTSTP has arrived.
    stop_requested: Arc<AtomicBool>,
    /// Whether SIGCONT has arrived; also after SIGSTOP, which has no handler.
    continued: Arc<AtomicBool>,
    _handlers: SignalHandlers,
}

impl Suspension {
    /// Installs the handlers of SIGTSTP and SIGCONT, which the drop removes. Until then, SIGTSTP does not stop the process by
    /// itself.
    pub(super) fn install_handlers() -> io::Result<Self> {
        let (stop_requested, continued) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let handlers = [register(SIGTSTP, Arc::clone(&stop_requested))?, register(SIGCONT, Arc::clone(&continued))?];
        Ok(Self { stop_requested, continued, _handlers: SignalHandlers(handlers.to_vec()) })
    }

    /// Returns whether SIGTSTP, the request to stop the process, has arrived since the last call.
    pub(super) fn take_stop_request(&self) -> bool {
        self.stop_requested.swap(false, Ordering::Relaxed)
    }

    /// Stops the process, without restoring the terminal. Returns once it is continued;
    /// [`take_continuation`](Self::take_continuation) then returns `true`.
    pub(super) fn suspend_process(&self) -> io::Result<()> {
        emulate_default_handler(SIGTSTP)?;
        // The handler of SIGCONT may run on another thread, a moment later.
        self.continued.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns whether the process was continued since the last call.
    pub(super) fn take_continuation(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }
}
