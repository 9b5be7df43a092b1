//! How to reach a server.

use std::time::Duration;

use crate::core::message::{Family, Reader};
use crate::core::wire::{Framer, Limits};

/// How to reach a server, and what to expect of it.
///
/// ```
/// use std::time::Duration;
///
/// use kibitzer::ConnectOptions;
///
/// let options = ConnectOptions::new("localhost", 5000).connect_timeout(Duration::from_secs(3));
/// assert_eq!((options.host(), options.port()), ("localhost", 5000));
/// ```
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    host: String,
    port: u16,
    pub(crate) connect_timeout: Duration,
    pub(crate) write_timeout: Duration,
    family: Family,
    limits: Limits,
}

impl ConnectOptions {
    /// The server at a host name or address.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            family: Family::Auto,
            limits: Limits::default(),
        }
    }

    /// How long looking up the name and connecting may take together. Default 10 seconds.
    #[must_use]
    pub fn connect_timeout(self, connect_timeout: Duration) -> Self {
        Self { connect_timeout, ..self }
    }

    /// How long the server may refuse to take a line. Default 30 seconds.
    #[must_use]
    pub fn write_timeout(self, write_timeout: Duration) -> Self {
        Self { write_timeout, ..self }
    }

    /// Which family of servers it is. Default [`Family::Auto`].
    #[must_use]
    pub fn family(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// How much is kept of one thing the server sends. Default as in [`Limits`].
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The host name or address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::new(Framer::new().with_limits(self.limits), self.family)
    }
}
