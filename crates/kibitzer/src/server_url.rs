//! The URL of a server that is reached over WebSocket.

use std::fmt;
use std::str::FromStr;

/// The URL of a server that is reached over WebSocket. The feature `websocket` checks it; without the feature, any text is accepted here,
/// and no session starts with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerUrl(String);

impl ServerUrl {
    /// Returns the URL of freechess.org.
    pub(crate) fn fics() -> Self {
        Self("wss://www.freechess.org:5001".to_owned())
    }

    /// Returns the host, without the brackets of an IPv6 address.
    pub(crate) fn host(&self) -> &str {
        let after_scheme = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let authority = after_scheme.split(['/', '?']).next().unwrap_or_default();
        let host = match authority.strip_prefix('[') {
            Some(bracketed) => bracketed.split(']').next(),
            None => authority.split(':').next(),
        };
        host.unwrap_or_default()
    }
}

impl FromStr for ServerUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        #[cfg(feature = "websocket")]
        text.parse::<kibitzer_websocket::WebSocketUrl>().map_err(|error| error.to_string())?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_between_the_scheme_and_the_port_or_path() {
        let cases = [
            ("wss://www.freechess.org:5001", "www.freechess.org"),
            ("wss://chess.example/ics:1", "chess.example"),
            ("ws://127.0.0.1?a", "127.0.0.1"),
            ("ws://[::1]:5001/", "::1"),
        ];
        for (text, host) in cases {
            let url: ServerUrl = text.parse().unwrap();
            assert_eq!((url.host(), url.to_string().as_str()), (host, text));
        }
    }
}
