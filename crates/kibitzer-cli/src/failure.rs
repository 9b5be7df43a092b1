//! Failures of commands, and the exit statuses of the program.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use kibitzer::Handle;
use kibitzer_core::text::error_chain;

use crate::output::{TerminalSafe, print_above_input};

/// Exit status if something on this machine cannot be used: a file, the terminal, a profile.
pub(crate) const FAILED: u8 = 1;
/// Exit status if the arguments are wrong.
pub(crate) const USAGE: u8 = 2;
/// Exit status if no session was established: the server did not answer, or refused the login.
pub(crate) const NO_SESSION: u8 = 3;
/// Exit status if the session was lost permanently.
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
    /// Creates a failure that ends the program with this exit status and, on standard error, this message of one line.
    pub(crate) fn new(status: u8, message: impl Into<String>) -> Self {
        Self { status, message: Some(message.into()) }
    }

    /// Creates a failure that ends the program with this exit status, without a message.
    pub(crate) fn silent(status: u8) -> Self {
        Self { status, message: None }
    }

    /// Returns the failure with another exit status.
    pub(crate) fn with_status(self, status: u8) -> Self {
        Self { status, ..self }
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

    /// Prints the message on standard error, after the name of an account if there is one. Returns the exit status alone.
    pub(crate) fn report_now(self, account: Option<&Handle>) -> Self {
        let message = self.message.map(|message| account.map_or(message.clone(), |name| format!("{name}: {message}")));
        Self { message, ..self }.report();
        Self { status: self.status, message: None }
    }

    /// Prints the message on standard error, if there is one, and returns the exit status. Does not end the program.
    pub(crate) fn report(&self) -> ExitCode {
        if let Some(message) = &self.message {
            report(message);
        }
        ExitCode::from(self.status)
    }
}

/// Failure to register signals, to build the runtime or to start the embedded server: exit status [`FAILED`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::local(format!("cannot start: {error}"))
    }
}

/// Prints `kibitzer: ` and the message as a line on standard error, above an input line being edited. Characters that control a
/// terminal are escaped.
pub(crate) fn report(message: &str) {
    // Without standard error, only the exit status reports the failure.
    let _ = print_above_input(|| writeln!(io::stderr(), "kibitzer: {}", TerminalSafe(message)));
}
