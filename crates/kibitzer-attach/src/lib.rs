//! Lets other processes of the same user watch a session on a chess server, over a Unix socket.
//!
//! The process of the session exposes it with one line:
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = kibitzer::Client::connect(kibitzer::Profile::fics()).await?;
//! kibitzer_attach::expose(&client, "/run/user/1000/bot.sock").await?;
//! # Ok(())
//! # }
//! ```
//!
//! `kibitzer console --attach /run/user/1000/bot.sock`, or any program with [`AttachedSession`], watches it: bytes, sent lines, events
//! and the state of every game. [`protocol`] describes the lines on the socket.
//!
//! ```text
//! session's task ─ ExposureWriter ─ lines ─ Watchers ─┬─ queue ─ WatcherHost ═ socket ═ AttachedSession ─ WatcherDecoder ─ AttachEvent
//!                  (SessionObserver)  written once     └─ queue …
//! ```
//!
//! An [`SessionObserver`](kibitzer::SessionObserver) of the session writes each observation as one line for all watchers. A watcher has a
//! bounded queue of unread lines; one that is too slow misses lines, which are counted. A host task owns the socket and writes
//! the queues to it. [`AttachedSession`] parses the received bytes again, with the reader that the session itself uses.

mod attached;
mod error;
mod exposure;
mod host;
#[cfg_attr(not(unix), path = "no_socket.rs")]
mod socket;
mod watchers;
mod wire;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use kibitzer::{Client, Profile};
use kibitzer_core::event::RequestError;
use tracing::warn;

pub use attached::{AttachEvent, AttachedRequestSender, AttachedSession, SessionSnapshot};
pub use error::{AttachError, AttachedRequestError, ExposeError};
pub use kibitzer::AttachAccess;
pub use socket::Listener;
pub use wire::MissedAmounts;

// rustdoc uses the first definition of a link; these override the page's relative links.
#[doc = "[transcript]: kibitzer::transcript"]
#[doc = ""]
#[doc = include_str!("../docs/protocol.md")]
pub mod protocol {}

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Environment variable of the setting `attach_socket`, which [`Profile::environment`] reads.
const SOCKET_VARIABLE: &str = "KIBITZER_ATTACH_SOCKET";

/// Exposes a session on a new Unix socket, for watching only.
///
/// Only processes of the same user can attach: the socket has mode 0600, and the system is asked for the user of each peer.
/// Lines of the login and lines with a password are withheld. A socket that a dead process left is replaced. The socket is
/// removed at the end of the session.
///
/// # Errors
///
/// [`ExposeError`]: as [`Listener::bind`] and [`Listener::expose`].
///
/// # Cancel safety
///
/// Dropping the future exposes nothing, but may have removed a dead process's socket.
pub async fn expose(client: &Client, path: impl AsRef<Path>) -> Result<(), ExposeError> {
    warn_of_unused_variable(Some(path.as_ref()));
    Ok(Listener::bind(path.as_ref()).await?.expose(client, AttachAccess::Read)?)
}

/// Logs a warning if the environment names another socket than `exposed`, the one that the program creates.
fn warn_of_unused_variable(exposed: Option<&Path>) {
    if let Some(unused) = unused_socket(std::env::var_os(SOCKET_VARIABLE), exposed) {
        warn!(variable = SOCKET_VARIABLE, socket = %unused.display(), "socket in the environment is not used");
    }
}

/// Returns the socket that a variable names, unless it is the exposed one.
fn unused_socket(variable: Option<OsString>, exposed: Option<&Path>) -> Option<PathBuf> {
    variable.map(PathBuf::from).filter(|set| Some(set.as_path()) != exposed)
}

impl Listener {
    /// Creates the socket that the setting `attach_socket` of a profile's file or of the environment names; `None` if there is none.
    /// A warning is logged if the environment names one nevertheless, because the profile was not read from it.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    ///
    /// # Cancel safety
    ///
    /// As [`bind`](Self::bind).
    pub async fn from_profile(profile: &Profile) -> io::Result<Option<Self>> {
        let Some(path) = &profile.program.attach_socket else {
            warn_of_unused_variable(None);
            return Ok(None);
        };
        Self::bind(path).await.map(Some)
    }

    /// Exposes a session on this socket; see [`expose`]. Watchers can attach until it ends, and send lines if `access` allows it.
    ///
    /// # Errors
    ///
    /// [`RequestError::Ended`] if the session is over, [`RequestError::Busy`] if too many observers wait to be added to it.
    pub fn expose(self, client: &Client, access: AttachAccess) -> Result<(), RequestError> {
        client.add_observer(host::spawn_host(self, access, client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_in_the_environment_is_unused_if_no_socket_or_another_one_is_exposed() {
        let set = || Some(OsString::from("a.sock"));
        assert_eq!(unused_socket(set(), None), Some(PathBuf::from("a.sock")));
        assert_eq!(unused_socket(set(), Some(Path::new("b.sock"))), Some(PathBuf::from("a.sock")));
        assert_eq!(unused_socket(set(), Some(Path::new("a.sock"))), None);
        assert_eq!(unused_socket(None, None), None);
    }
}
