//! `HOST[:PORT]`.

use std::fmt;
use std::str::FromStr;

/// A host and its port, parsed from `HOST[:PORT]`; an IPv6 address has brackets: `[::1]:5000`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostPort {
    /// Host name or IP address, without brackets; never empty.
    pub host: String,
    /// The port, at least 1; `None` if the text has none.
    pub port: Option<u16>,
}

const NO_HOST: &str = "the host is missing";
const INVALID_PORT: &str = "the port is no number from 1 to 65535";
const NO_BRACKETS: &str = "an IPv6 address needs brackets, as in [::1]:5000";

impl FromStr for HostPort {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (host, port) = match text.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']').ok_or(NO_BRACKETS)?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        if host.is_empty() {
            return Err(NO_HOST);
        }
        if !text.starts_with('[') && port.matches(':').count() > 1 {
            return Err(NO_BRACKETS);
        }
        let port = match port.strip_prefix(':') {
            Some(port) => Some(port.parse().ok().filter(|&port| port > 0).ok_or(INVALID_PORT)?),
            None if port.is_empty() => None,
            None => return Err(INVALID_PORT),
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
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_may_have_a_port() {
        let cases = [
            ("localhost:5001", "localhost", Some(5001)),
            ("127.0.0.1:23", "127.0.0.1", Some(23)),
            ("[::1]:5000", "::1", Some(5000)),
            ("chess.example", "chess.example", None),
            ("[::1]", "::1", None),
        ];
        for (text, host, port) in cases {
            assert_eq!(text.parse(), Ok(HostPort { host: host.to_owned(), port }));
            assert_eq!(text.parse::<HostPort>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn invalid_addresses_are_refused() {
        let cases = [
            ("", NO_HOST),
            (":5000", NO_HOST),
            ("[]:5000", NO_HOST),
            ("localhost:", INVALID_PORT),
            ("localhost:0", INVALID_PORT),
            ("localhost:65536", INVALID_PORT),
            ("localhost:five", INVALID_PORT),
            ("[::1]5000", INVALID_PORT),
            ("::1", NO_HOST),
            ("fe80::1", NO_BRACKETS),
            ("[::1", NO_BRACKETS),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<HostPort>(), Err(want), "{text}");
        }
    }
}
