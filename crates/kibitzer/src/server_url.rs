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
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_host_and_the_default_port_of_their_scheme() {
        let cases = [
            ("wss://www.freechess.org:5001", "www.freechess.org", 5001),
            ("wss://chess.example/ics:1", "chess.example", 443),
            ("ws://127.0.0.1?x=1", "127.0.0.1", 80),
            ("ws://[::1]:5001/", "::1", 5001),
        ];
        for (text, host, port) in cases {
            let url: WebSocketUrl = text.parse().unwrap();
            assert_eq!((url.host.as_str(), url.port, url.to_string().as_str()), (host, port, text));
        }
        assert_eq!(WebSocketUrl::fics(), "wss://www.freechess.org:5001".parse().unwrap());
    }

    #[test]
    fn other_texts_are_refused() {
        let cases = [
            ("", NO_SCHEME),
            ("www.freechess.org:5001", NO_SCHEME),
            ("https://www.freechess.org", NO_SCHEME),
            ("wss:/x", NO_SCHEME),
            ("wss://", INVALID),
            ("wss://:5001", INVALID),
            ("wss://[]:5001", INVALID),
            ("wss://[::1]5001", INVALID),
            ("wss://::1", INVALID),
            ("wss://a b", INVALID),
            ("wss://a\r\nHost: b", INVALID),
            ("wss://\u{e4}.example", INVALID),
            ("wss://chess.example:", INVALID),
            ("wss://chess.example:0", INVALID),
            ("wss://chess.example:65536", INVALID),
            ("wss://Newton:apple@chess.example", USER_NAME),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<WebSocketUrl>(), Err(want), "{text}");
        }
    }
}
