//! Serde for values that are written as one text or number; types with parts derive it.
//!
//! These forms are read back: a program can send the data of a session's events to another. An [`Event`](crate::Event) itself
//! is only written, as the JSON of `kibitzer decode`.

use std::borrow::Cow;
use std::io::ErrorKind;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::message::{Ivar, Relation};
use crate::session::Command;
use crate::text::Titles;
use crate::text::short::ShortText;

type Text<'a> = Cow<'a, str>;

/// Implements both traits for a type: the value that is written, and the type's value for it when it is read.
macro_rules! written_as {
    ($($kind:ty as $form:ty, $to:expr, $from:expr;)+) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let to: fn(&Self) -> $form = $to;
                to(self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let from: fn($form) -> Option<Self> = $from;
                let form = Deserialize::deserialize(deserializer)?;
                from(form).ok_or_else(|| D::Error::custom(concat!("not a value of ", stringify!($kind))))
            }
        }
    )+};
}

written_as! {
    ShortText as Text<'_>, |text| text.as_str().into(), |text| Some(Self::from_text(&text));
    Titles as Vec<Text<'_>>, |titles| titles.iter().map(Text::from).collect(),
        |codes| Some(Self::from_codes(codes.join(" ").as_bytes()));
    Ivar as Text<'_>, |ivar| ivar.name().into(), |name| name.parse().ok();
    Command as Text<'_>, |command| command.as_str().into(), |line| Self::new(&line).ok();
    Relation as i32, |relation| relation.code(), |code| Some(Self::from_code(code));
}

/// An [`ErrorKind`] by name, for `#[serde(with)]`. Kinds that connections do not fail with are `other`.
pub(crate) mod error_kind {
    use super::*;

    const NAMES: [(ErrorKind, &str); 13] = [
        (ErrorKind::ConnectionRefused, "connection_refused"),
        (ErrorKind::ConnectionReset, "connection_reset"),
        (ErrorKind::ConnectionAborted, "connection_aborted"),
        (ErrorKind::NotConnected, "not_connected"),
        (ErrorKind::BrokenPipe, "broken_pipe"),
        (ErrorKind::TimedOut, "timed_out"),
        (ErrorKind::UnexpectedEof, "unexpected_eof"),
        (ErrorKind::HostUnreachable, "host_unreachable"),
        (ErrorKind::NetworkUnreachable, "network_unreachable"),
        (ErrorKind::NetworkDown, "network_down"),
        (ErrorKind::AddrNotAvailable, "address_not_available"),
        (ErrorKind::PermissionDenied, "permission_denied"),
        (ErrorKind::NotFound, "not_found"),
    ];

    pub(crate) fn serialize<S: Serializer>(kind: &ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
        NAMES.iter().find(|(known, _)| known == kind).map_or("other", |(_, name)| *name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ErrorKind, D::Error> {
        let name = Text::deserialize(deserializer)?;
        Ok(NAMES.iter().find(|(_, known)| *known == name).map_or(ErrorKind::Other, |(kind, _)| *kind))
    }
}
