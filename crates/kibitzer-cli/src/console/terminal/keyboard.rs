//! Waits for terminal input. crossterm's own poll spins forever once its terminal is gone, and ignores signals.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::isatty;
use signal_hook::SigId;
use signal_hook::consts::SIGWINCH;
use signal_hook::low_level::{pipe, unregister};

use super::InputReadiness;

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
    signal: SigId,
}

impl Keyboard {
    pub(crate) fn open() -> io::Result<Self> {
        let (resized, resizes) = UnixStream::pair()?;
        resized.set_nonblocking(true)?;
        let terminal = open_terminal()?;
        Ok(Self { terminal, resized, signal: pipe::register(SIGWINCH, resizes)? })
    }

    /// Waits until keys can be read or the size has changed, at most for `pause`. A signal ends the wait early.
    ///
    /// # Errors
    ///
    /// Those of poll.
    pub(crate) fn wait_for_input(&self, pause: Duration) -> io::Result<InputReadiness> {
        let watched = [self.terminal.as_fd(), self.resized.as_fd()];
        let mut watched = watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let pause = Timespec::try_from(pause).map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut watched, Some(&pause)) {
            // Interrupted by a signal, which the caller checks.
            Err(Errno::INTR) => return Ok(InputReadiness::Idle),
            outcome => outcome?,
        };
        let [terminal, resized] = watched.map(|watched| watched.revents());
        if terminal.intersects(GONE) {
            return Ok(InputReadiness::Closed);
        }
        if resized.contains(PollFlags::IN) {
            // Only drains the pipe; a rest is read the next time.
            let _ = (&self.resized).read(&mut [0; 64]);
        }
        let is_heard = terminal.union(resized).contains(PollFlags::IN);
        Ok(if is_heard { InputReadiness::Ready } else { InputReadiness::Idle })
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        unregister(self.signal);
    }
}
