//! Addresses of servers that are reached over WebSocket.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use thiserror::Error;

/// The address of a server that is reached over WebSocket: `ws://HOST[:PORT][/PATH]`, or `wss://` for TLS.
///
/// ```
/// use kibitzer_websocket::WebSocketUrl;
///
/// let url: WebSocketUrl = "wss://www.freechess.org:5001".parse().unwrap();
/// assert_eq!((url.host(), url.port(), url.uses_tls()), ("www.freechess.org", 5001, true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSocketUrl(Uri);

/// Reason why a text is not a [`WebSocketUrl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The scheme is missing, or another one.
    #[error("must begin with ws:// or wss://")]
    Scheme,
    /// There is a user name, which has no use here and could be mistaken for the login.
    #[error("must not contain a user name")]
    UserName,
    /// Host, port or path are missing or invalid.
    #[error("must be a host, with a port from 1 to 65535 and a path if needed")]
    Invalid,
}

impl WebSocketUrl {
    /// Returns the host: a name, or an IPv4 or IPv6 address without brackets.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// Returns the port; without one in the text, 443 for `wss` and 80 for `ws`.
    pub fn port(&self) -> u16 {
        self.0.port_u16().unwrap_or(if self.uses_tls() { 443 } else { 80 })
    }

    /// Returns whether the scheme is `wss`.
    pub fn uses_tls(&self) -> bool {
        self.0.scheme_str() == Some("wss")
    }

    pub(crate) fn uri(&self) -> Uri {
        self.0.clone()
    }
}

impl FromStr for WebSocketUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        if !text.starts_with("ws://") && !text.starts_with("wss://") {
            return Err(UrlError::Scheme);
        }
        let uri: Uri = text.parse().map_err(|_| UrlError::Invalid)?;
        let authority = uri.authority().ok_or(UrlError::Invalid)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::UserName);
        }
        let after_host = authority.as_str().strip_prefix(authority.host()).ok_or(UrlError::Invalid)?;
        let has_valid_port = after_host.is_empty() || authority.port_u16().is_some_and(|port| port > 0);
        let url = Self(uri);
        if has_valid_port && !url.host().is_empty() { Ok(url) } else { Err(UrlError::Invalid) }
    }
}

impl fmt::Display for WebSocketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_host_and_the_default_port_of_their_scheme() {
        let cases = [
            ("wss://www.freechess.org:5001", "www.freechess.org", 5001, true),
            ("wss://chess.example", "chess.example", 443, true),
            ("ws://127.0.0.1/ics?x=1", "127.0.0.1", 80, false),
            ("ws://[::1]:5001/", "::1", 5001, false),
        ];
        for (text, host, port, uses_tls) in cases {
            let url: WebSocketUrl = text.parse().unwrap();
            assert_eq!((url.host(), url.port(), url.uses_tls()), (host, port, uses_tls), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let cases = [
            ("", UrlError::Scheme),
            ("www.freechess.org:5001", UrlError::Scheme),
            ("https://www.freechess.org", UrlError::Scheme),
            ("wss:/x", UrlError::Scheme),
            ("wss://", UrlError::Invalid),
            ("wss://:5001", UrlError::Invalid),
            ("wss://[]:5001", UrlError::Invalid),
            ("wss://a b", UrlError::Invalid),
            ("wss://a\r\nHost: b", UrlError::Invalid),
            ("wss://chess.example:", UrlError::Invalid),
            ("wss://chess.example:0", UrlError::Invalid),
            ("wss://chess.example:65536", UrlError::Invalid),
            ("wss://Newton:apple@chess.example", UrlError::UserName),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<WebSocketUrl>(), Err(want), "{text}");
        }
    }
}
