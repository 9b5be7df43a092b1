//! Where keys come from, watched by ourselves: the library that reads them spins for ever once its terminal is gone, deaf
//! to signals.

use std::io;
use std::time::Duration;

#[cfg(unix)]
pub(super) use self::unix::Keyboard;

/// Whether there is something to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Keys,
    Nothing,
    /// Nobody can type any more.
    Gone,
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::{AsFd as _, OwnedFd};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::termios::isatty;

    use super::{Duration, Heard, io};

    /// What poll tells of a terminal that is gone, asked for or not.
    pub(in crate::console::terminal) const GONE: PollFlags =
        PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL);

    /// The terminal that keys are read from: standard input, or, if that is none, the one that controls the process.
    #[derive(Debug)]
    pub(in crate::console::terminal) struct Keyboard(pub(in crate::console::terminal) OwnedFd);

    impl Keyboard {
        pub(in crate::console::terminal) fn open() -> io::Result<Self> {
            let stdin = io::stdin();
            if isatty(&stdin) {
                return stdin.as_fd().try_clone_to_owned().map(Self);
            }
            File::options().read(true).write(true).open("/dev/tty").map(|file| Self(file.into()))
        }

        /// Waits for keys, no longer than this.
        ///
        /// # Errors
        ///
        /// Those of poll.
        pub(in crate::console::terminal) fn wait(&self, pause: Duration) -> io::Result<Heard> {
            let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
            let pause = Timespec::try_from(pause).map_err(|_| io::ErrorKind::InvalidInput)?;
            match poll(&mut watched, Some(&pause)) {
                // A signal: whoever waits finds out what it means.
                Err(Errno::INTR) => return Ok(Heard::Nothing),
                outcome => outcome?,
            };
            let [watched] = watched;
            Ok(match watched.revents() {
                happened if happened.intersects(GONE) => Heard::Gone,
                happened if happened.contains(PollFlags::IN) => Heard::Keys,
                _ => Heard::Nothing,
            })
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct Keyboard(());

#[cfg(not(unix))]
impl Keyboard {
    pub(super) const fn open() -> io::Result<Self> {
        Ok(Self(()))
    }

    pub(super) fn wait(&self, pause: Duration) -> io::Result<Heard> {
        let is_heard = ratatui::crossterm::event::poll(pause)?;
        Ok(if is_heard { Heard::Keys } else { Heard::Nothing })
    }
}
