//! The terminal's echo, off while a password is typed.

use std::io::{self, IsTerminal as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Standard input, if it is a terminal. Dropping it leaves the terminal as it was.
#[derive(Debug)]
pub(super) struct Echo {
    /// How the terminal was found; `None` if there is none.
    found: Option<Termios>,
    is_off: bool,
}

impl Echo {
    pub(super) fn of_stdin() -> Self {
        let stdin = io::stdin();
        let found = stdin.is_terminal().then(|| tcgetattr(stdin).ok()).flatten();
        Self { found, is_off: false }
    }

    /// Hides what is typed from here on; not the line end, or the next line would start behind the prompt.
    pub(super) fn hide(&mut self) {
        if let Some(found) = self.found.as_ref().filter(|_| !self.is_off) {
            let mut hidden = found.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            hidden.local_modes.insert(LocalModes::ECHONL);
            self.is_off = set(&hidden);
        }
    }

    /// Shows it again.
    pub(super) fn show(&mut self) {
        if let Some(found) = self.found.as_ref().filter(|_| self.is_off) {
            self.is_off = !set(found);
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.show();
    }
}

/// Whether the terminal has taken it.
fn set(modes: &Termios) -> bool {
    tcsetattr(io::stdin(), OptionalActions::Now, modes).is_ok()
}
