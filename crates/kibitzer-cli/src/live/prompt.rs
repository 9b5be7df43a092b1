//! Asks for a password on the terminal.
//!
//! rpassword (7.5) would replace this file, but it blocks its thread until a line is typed, and restores the terminal only then:
//! after Ctrl-C, a signal or the end of `--for` the terminal would stay without echo. Here dropping the future restores it.

use std::io::{self, Write as _};

use kibitzer_core::message::Handle;
use rustix::io::read;
use rustix::stdio::stdin;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use crate::output::TerminalSafe;

/// Maximum length of the typed line with its end; a longer line is refused. A terminal returns one line per read.
const LINE_BYTES: usize = 1024;

/// Asks for the password of an account, and reads the answer with echo disabled.
///
/// # Errors
///
/// [`io::Error`] if standard input is not a terminal or ends, or the line is too long or not UTF-8.
///
/// # Cancel safety
///
/// Dropping the future restores echo; a line may still be read, and is lost.
pub(super) async fn ask_for_password(handle: &Handle) -> io::Result<Zeroizing<String>> {
    let _hidden = TerminalModes::change(|modes| {
        modes.local_modes.remove(LocalModes::ECHO);
        // Echo the line end, so that later output starts on a new line.
        modes.local_modes.insert(LocalModes::ECHONL);
    })?;
    // Without standard error the prompt is invisible, but the password can still be typed.
    let _ = write!(io::stderr(), "password for {}: ", TerminalSafe(handle.as_str()));
    spawn_blocking(read_line).await.map_err(io::Error::other)?
}

/// Reads a line of standard input, and returns it without its end; blocks until it is typed.
fn read_line() -> io::Result<Zeroizing<String>> {
    let mut buffer = Zeroizing::new([0; LINE_BYTES]);
    let length = read(stdin(), buffer.as_mut_slice())?;
    let typed = buffer.get(..length).unwrap_or_default();
    let typed = typed.strip_suffix(b"\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let text = std::str::from_utf8(typed).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Guard of changed modes of the terminal that is standard input; restores them when it is dropped.
pub(crate) struct TerminalModes {
    before: Termios,
}

impl TerminalModes {
    /// Applies `change` to the current modes of the terminal. Discards typed characters that were not read yet.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if standard input is not a terminal.
    pub(crate) fn change(change: impl FnOnce(&mut Termios)) -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut modes = before.clone();
        change(&mut modes);
        tcsetattr(stdin(), OptionalActions::Flush, &modes)?;
        Ok(Self { before })
    }
}

impl Drop for TerminalModes {
    fn drop(&mut self) {
        // Fails only if the terminal is gone.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}
