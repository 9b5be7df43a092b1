//! Exit statuses of the program.

use std::error::Error;

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

/// An error that ends the program, with an exit status.
pub(crate) trait Failure: Error {
    /// Returns the exit status of the program.
    fn status(&self) -> u8 {
        FAILED
    }
}
