//! The URL of a server that is reached over WebSocket, and the other settings of WebSocket connections.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

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

impl WebSocketUrl {
    /// Returns the URL of freechess.org.
    pub(crate) fn fics() -> Self {
        let host = "www.freechess.org";
        Self { text: format!("wss://{host}:5001"), host: host.to_owned(), port: 5001 }
    }
}

impl FromStr for WebSocketUrl {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::NoScheme)?;
        let default_port = match scheme {
            "wss" => 443,
            "ws" => 80,
            _ => return Err(AddressError::NoScheme),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(AddressError::UserName);
        }
        let HostPort { host, port } = authority.parse()?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AddressError::NotAscii);
        }
        Ok(Self { text: text.to_owned(), host, port: port.unwrap_or(default_port) })
    }
}

impl fmt::Display for WebSocketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Reason why a text is not an address: the end of a sentence whose subject is the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressError {
    /// No host.
    #[error("has no host")]
    NoHost,
    /// No port from 1 to 65535 after the host.
    #[error("has no port from 1 to 65535 after the host")]
    InvalidPort,
    /// An IPv6 address without brackets, which separate it from the port.
    #[error("is an IPv6 address without brackets, as in [::1]:5000")]
    NoBrackets,
    /// The scheme of the URL is neither `ws` nor `wss`.
    #[error("must begin with ws:// or wss://")]
    NoScheme,
    /// The URL contains a user name.
    #[error("must not contain a user name")]
    UserName,
    /// The URL contains other characters than visible ASCII.
    #[error("must be visible ASCII characters")]
    NotAscii,
}

/// A host and its port, parsed from `HOST[:PORT]`; an IPv6 address has brackets: `[::1]:5000`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostPort {
    /// Host name or IP address, without brackets; never empty.
    pub host: String,
    /// The port, at least 1; `None` if the text has none.
    pub port: Option<u16>,
}

impl FromStr for HostPort {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (host, port) = match text.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']').ok_or(AddressError::NoBrackets)?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        if !text.starts_with('[') && port.matches(':').count() > 1 {
            return Err(AddressError::NoBrackets);
        }
        let port = match port.strip_prefix(':') {
            Some(port) => Some(port.parse().ok().filter(|&port| port > 0).ok_or(AddressError::InvalidPort)?),
            None if port.is_empty() => None,
            None => return Err(AddressError::InvalidPort),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]") } else { f.write_str(host) }?;
        port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests;
