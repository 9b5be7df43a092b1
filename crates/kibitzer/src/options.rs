//! How to reach a server.

use std::time::Duration;

use crate::core::EventReader;
use crate::core::game::GameLimits;
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
    game_limits: GameLimits,
    prompt: Vec<u8>,
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
            game_limits: GameLimits::default(),
            prompt: Vec::new(),
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

    /// How much is kept of the games. Default as in [`GameLimits`].
    #[must_use]
    pub fn game_limits(self, game_limits: GameLimits) -> Self {
        Self { game_limits, ..self }
    }

    /// The prompt that the account has set, its trailing blank included, next to those all servers use. Default empty:
    /// the account has set none.
    #[must_use]
    pub fn prompt(self, prompt: impl Into<Vec<u8>>) -> Self {
        Self { prompt: prompt.into(), ..self }
    }

    /// The host name or address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn events(&self) -> EventReader {
        let mut framer = Framer::new().with_limits(self.limits);
        framer.set_prompt(&self.prompt);
        EventReader::new(Reader::new(framer, self.family)).with_game_limits(self.game_limits)
    }
}
