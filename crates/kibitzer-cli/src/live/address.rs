//! Parsing of `HOST[:PORT]`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    /// `None` if the text has no port.
    pub(crate) port: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum AddressError {
    #[error("the host is missing")]
    NoHost,
    #[error("the port is no number from 1 to 65535")]
    Port,
    #[error("an IPv6 address needs brackets, as in [::1]:5000")]
    Brackets,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (host, port) = match text.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']').ok_or(AddressError::Brackets)?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        if !text.starts_with('[') && port.matches(':').count() > 1 {
            return Err(AddressError::Brackets);
        }
        let port = match port.strip_prefix(':') {
            Some(port) => Some(port.parse().ok().filter(|&port| port > 0).ok_or(AddressError::Port)?),
            None if port.is_empty() => None,
            None => return Err(AddressError::Port),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?;
        } else {
            f.write_str(&self.host)?;
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_shown() {
        let cases = [
            ("localhost:5001", "localhost", Some(5001)),
            ("127.0.0.1:23", "127.0.0.1", Some(23)),
            ("[::1]:5000", "::1", Some(5000)),
            ("chess.example", "chess.example", None),
            ("[::1]", "::1", None),
        ];
        for (text, host, port) in cases {
            let address = Address { host: host.to_owned(), port };
            assert_eq!(text.parse(), Ok(address.clone()));
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn invalid_addresses_are_refused() {
        let cases = [
            ("", AddressError::NoHost),
            (":5000", AddressError::NoHost),
            ("[]:5000", AddressError::NoHost),
            ("localhost:", AddressError::Port),
            ("localhost:0", AddressError::Port),
            ("localhost:65536", AddressError::Port),
            ("localhost:five", AddressError::Port),
            ("[::1]5000", AddressError::Port),
            ("::1", AddressError::NoHost),
            ("fe80::1", AddressError::Brackets),
            ("[::1", AddressError::Brackets),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<Address>(), Err(want), "{text}");
        }
    }
}
