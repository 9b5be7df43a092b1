//! Failures of commands, and the exit statuses of the program.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use kibitzer::core::text::error_chain;

use crate::output::{TerminalSafe, print_above_input};

/// Something the program could not do on this machine: a file, the terminal, a profile.
pub(crate) const FAILED: u8 = 1;
/// The arguments are wrong.
pub(crate) const USAGE: u8 = 2;
/// No session was established: no answer, or the login was refused.
pub(crate) const NO_SESSION: u8 = 3;
/// The session was lost permanently.
pub(crate) const LOST: u8 = 4;

/// Section of the help of all commands that open a session.
pub(crate) const EXIT_STATUS: &str = "\
Exit status:
  0  ended as requested: by quit, a signal, or the given time
  1  a file, the terminal or a profile cannot be used
  2  the arguments are wrong
  3  no session: the server did not answer or refused the login
  4  the session was lost for good";

/// Why a command ends early: its exit status, and one line for standard error.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    /// `None` for a closed pipe, which is not an error: `kibitzer decode … | head`.
    pub(crate) message: Option<String>,
}

impl Failure {
    /// Creates a failure that ends the program with this status and message.
    pub(crate) fn new(status: u8, message: impl Into<String>) -> Self {
        Self { status, message: Some(message.into()) }
    }

    /// Creates a failure on this machine: exit status [`FAILED`].
    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self::new(FAILED, message)
    }

    /// Creates a failure on this machine with the error's chain of sources as its message.
    pub(crate) fn caused_by(error: impl Error + 'static) -> Self {
        Self::local(error_chain(&error))
    }

    /// Creates the failure of writing to standard output. A closed pipe ends the program successfully, without a message.
    #[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
    pub(crate) fn stdout(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { status: 0, message: None },
            _ => Self::local(format!("cannot write to standard output: {error}")),
        }
    }

    /// Prints the message, if there is one, on standard error. Returns the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        if let Some(message) = &self.message {
            report(message);
        }
        ExitCode::from(self.status)
    }
}

/// Registering signals, building the runtime or starting the embedded server failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::local(format!("cannot start: {error}"))
    }
}

/// Prints a line on standard error, after the name of the program.
pub(crate) fn report(message: &str) {
    // Without standard error, only the exit status reports the failure.
    let _ = print_above_input(|| writeln!(io::stderr(), "kibitzer: {}", TerminalSafe(message)));
}
