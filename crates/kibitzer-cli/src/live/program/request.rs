//! Requests of programs: one JSON object on each line.

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer::{Command, GameId};
use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::arguments::unknown_word_message;
use crate::filter::Expression;

/// The keys that a request may have.
const KEYS: [&str; 5] = ["id", "command", "expires_ms", "game", "subscribe"];

/// Identifier that a program gives to its request. An integer and a string with the same characters are different.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ProgramId {
    /// Digits as written, with the sign, because the number may be larger than any integer type.
    Integer(Box<str>),
    Text(Box<str>),
}

impl ProgramId {
    /// Parses an identifier: an integer of any size, or a string. An error is a message without the input.
    fn parse(value: &RawValue) -> Result<Self, String> {
        let written = value.get();
        let digits = written.strip_prefix('-').unwrap_or(written);
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Integer(written.into()));
        }
        parse_value(value, "`id` is neither an integer nor a string").map(Self::Text)
    }
}

impl Serialize for ProgramId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(digits) => {
                RawValue::from_string(digits.to_string()).map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// A request of a program, parsed from one line of JSON.
#[derive(Debug, PartialEq)]
pub(super) enum ProgramRequest {
    /// Send a command to the server.
    Command(ProgramCommand),
    /// Print only the events that the filter accepts from now on; all without a filter.
    Subscribe { id: Option<ProgramId>, filter: Option<Expression> },
}

/// A command for the server, with its identifier and the conditions for sending it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProgramCommand {
    pub(super) id: ProgramId,
    pub(super) command: Command,
    /// Time after which the command is not sent any more, counted from the reading of the line; `None` for no limit.
    pub(super) expires_after: Option<Duration>,
    /// Game during which alone the command is sent; `None` to send it in any case.
    pub(super) game: Option<GameId>,
}

/// Error for a line that is not a valid request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidRequest {
    /// Identifier of the request; `None` if it has no valid one.
    pub(super) id: Option<ProgramId>,
    /// Message for people.
    pub(super) text: String,
}

impl ProgramRequest {
    /// Parses a line, without its end, as one JSON object.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] if it is not a JSON object with exactly the keys and values of a request.
    pub(super) fn parse(line: &[u8]) -> Result<Self, InvalidRequest> {
        let without_id = |text| InvalidRequest { id: None, text };
        let text = std::str::from_utf8(line).map_err(|_| without_id("invalid UTF-8".to_owned()))?;
        // The text of the error has no copy of the input, which may contain a password.
        let reason = |error: serde_json::Error| error.to_string().replace(" at line 1 column ", " at column ");
        let object: RequestObject<'_> = serde_json::from_str(text).map_err(|error| without_id(reason(error)))?;
        let id = object.id.map(ProgramId::parse).transpose().map_err(without_id)?;
        object.into_request(id.clone()).map_err(|text| InvalidRequest { id, text })
    }
}

/// The object on a line. Its values are not parsed yet, so that an error in one of them leaves the identifier known.
#[derive(Deserialize)]
struct RequestObject<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    expires_ms: Option<&'a RawValue>,
    #[serde(borrow)]
    game: Option<&'a RawValue>,
    #[serde(borrow)]
    subscribe: Option<&'a RawValue>,
    /// All other keys; a request must not have any.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// The value of `subscribe`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubscribeValue {
    filter: Option<String>,
}

impl RequestObject<'_> {
    /// Converts the object to a request with the parsed identifier `id`. An error is the message for an unknown key, a missing or
    /// contradicting key, or a value that is not valid.
    fn into_request(self, id: Option<ProgramId>) -> Result<ProgramRequest, String> {
        if let Some(key) = self.others.keys().next() {
            return Err(unknown_word_message("key", key, KEYS.into_iter()));
        }
        let conditions = self.expires_ms.or(self.game);
        let command = match (self.command, self.subscribe) {
            (Some(command), None) => command,
            (None, Some(subscribe)) if conditions.is_none() => return parse_subscription(subscribe, id),
            (None, Some(_)) => return Err("`expires_ms` and `game` belong to a `command`".to_owned()),
            (Some(_), Some(_)) => return Err("`command` and `subscribe` are two requests".to_owned()),
            (None, None) => return Err("`command` is missing".to_owned()),
        };
        let id = id.ok_or("`id` is missing")?;
        let command: String = parse_value(command, "`command` is not a string")?;
        let command = Command::new(&command).map_err(|error| format!("`command`: {error}"))?;
        let expires_ms =
            self.expires_ms.map(|value| parse_value(value, "`expires_ms` is not a number of milliseconds"));
        let game = self.game.map(|value| parse_value(value, "`game` is not the number of a game"));
        Ok(ProgramRequest::Command(ProgramCommand {
            id,
            command,
            expires_after: expires_ms.transpose()?.map(Duration::from_millis),
            game: game.transpose()?.map(GameId),
        }))
    }
}

/// Parses the value of `subscribe`.
fn parse_subscription(value: &RawValue, id: Option<ProgramId>) -> Result<ProgramRequest, String> {
    let subscription: SubscribeValue =
        parse_value(value, "`subscribe` is not an object with a `filter`, which is a string")?;
    let filter = subscription.filter.map(|filter| Expression::parse(&filter)).transpose();
    Ok(ProgramRequest::Subscribe { id, filter: filter.map_err(|error| format!("`filter`: {error}"))? })
}

/// Parses a JSON value. The error is `error_text` instead of the parser's own message, which may contain the input.
fn parse_value<T: DeserializeOwned>(value: &RawValue, error_text: &str) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|_| error_text.to_owned())
}

#[cfg(test)]
mod tests;
