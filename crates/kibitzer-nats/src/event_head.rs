//! The start of an event: its name, offset and game.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Maximum length of an event's name.
const MAX_NAME_BYTES: usize = 64;

/// The members of an event's JSON line that its position and its subject depend on.
#[derive(Debug, Deserialize)]
pub(crate) struct EventHead<'a> {
    #[serde(rename = "event", borrow)]
    pub(crate) name: Cow<'a, str>,
    pub(crate) offset: Option<u64>,
    /// In most events a number; in some, another description of a game.
    #[serde(borrow, default)]
    pub(crate) game: Option<&'a RawValue>,
}

impl<'a> EventHead<'a> {
    /// Parses the JSON line of an event, without a line end. The name may have up to 64 bytes: lower-case letters, digits and
    /// `_`.
    ///
    /// # Errors
    ///
    /// A description of the first error in the line.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, String> {
        if line.contains(&b'\n') {
            return Err("it has a line end".to_owned());
        }
        let head: Self = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if head.name.is_empty() || head.name.len() > MAX_NAME_BYTES || !is_name(&head.name) {
            return Err("its event is not a name in snake_case".to_owned());
        }
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_an_event_is_refused() {
        let cases = [
            "",
            "[]",
            "{}",
            "7",
            "{\"event\":7}",
            r#"{"event":"a b"}"#,
            r#"{"event":"a.b"}"#,
            r#"{"event":""}"#,
            r#"{"event":"x","offset":-1}"#,
            r#"{"event":"x"} {"event":"y"}"#,
            "{\"event\":\"x\",\n\"offset\":1}",
        ];
        for line in cases {
            assert!(EventHead::parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
