//! Waits for terminal input. crossterm's own poll spins forever once its terminal is gone, and ignores signals.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use ratatui::crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::isatty;
use signal_hook::SigId;
use signal_hook::consts::SIGWINCH;
use signal_hook::low_level::{pipe, unregister};

use super::wait_and_read_events;

/// Flags that poll reports for a terminal that is gone, requested or not.
const GONE: PollFlags = PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL);

/// Opens the terminal that keys are read from: standard input or, if that is no terminal, the controlling terminal.
pub(crate) fn open_terminal() -> io::Result<OwnedFd> {
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
pub(super) struct SignalHandlers(pub(super) Vec<SigId>);

impl Drop for SignalHandlers {
    fn drop(&mut self) {
        for handler in self.0.drain(..) {
            unregister(handler);
        }
    }
}
