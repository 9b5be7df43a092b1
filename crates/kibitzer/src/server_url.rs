//! The URL of a server that is reached over WebSocket, and the other settings of WebSocket connections.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::host_port::HostPort;

/// The WebSocket settings of a profile. A session reads them once, when it starts, and keeps no copy.
#[derive(Clone, Debug)]
pub(crate) struct WebSocketSettings {
    /// Used in place of host and ports.
    pub(crate) url: Option<WebSocketUrl>,
    /// `Origin` header of the handshake; empty: none.
    pub(crate) origin: String,
    /// PEM file with certificates of authorities that are accepted in addition to public ones.
    pub(crate) ca_file: Option<PathBuf>,
}

impl Default for WebSocketSettings {
    fn default() -> Self {
        Self { url: None, origin: "https://www.freechess.org".to_owned(), ca_file: None }
    }
}

/// The URL of a server that is reached over WebSocket: `ws://HOST[:PORT][/PATH]`, or `wss://` for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebSocketUrl {
    text: String,
    /// Host name or address, without the brackets of an IPv6 address.
    pub(crate) host: String,
    /// The port; without one in the text, 443 for `wss` and 80 for `ws`.
    pub(crate) port: u16,
}

const NO_SCHEME: &str = "must begin with ws:// or wss://";
const USER_NAME: &str = "must not contain a user name";
const INVALID: &str = "must be a host, with a port from 1 to 65535 and a path if needed";

impl WebSocketUrl {
    /// Returns the URL of freechess.org.
    pub(crate) fn fics() -> Self {
        let host = "www.freechess.org";
        Self { text: format!("wss://{host}:5001"), host: host.to_owned(), port: 5001 }
    }
}

impl FromStr for WebSocketUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = text.split_once("://").ok_or(NO_SCHEME)?;
        let default_port = match scheme {
            "wss" => 443,
            "ws" => 80,
            _ => return Err(NO_SCHEME),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(USER_NAME);
        }
        let HostPort { host, port } = authority.parse().map_err(|_| INVALID)?;
        let is_valid = text.bytes().all(|byte| byte.is_ascii_graphic());
        is_valid.then(|| Self { text: text.to_owned(), host, port: port.unwrap_or(default_port) }).ok_or(INVALID)
    }
}

impl fmt::Display for WebSocketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
