//! Serde implementations for types whose serialized form is a single string, list or number; other types derive them.
//!
//! Programs can exchange the data of session events, as all of its types can be deserialized too. An [`Event`](crate::Event) can
//! only be serialized, to the JSON of `kibitzer decode`.

use std::borrow::Cow;
use std::io::ErrorKind;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::Capabilities;
use crate::message::{Ivar, Relation};
use crate::text::Titles;
use crate::wire::{Family, Timeseal};

type Text<'a> = Cow<'a, str>;

/// Implements `Serialize` and `Deserialize` for types that are converted to and from another, serialized type. An entry is
/// `type as serialized type, conversion to it, conversion from it;`. Deserialization fails if the latter returns `None`.
macro_rules! serialize_as {
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

serialize_as! {
    Titles as Vec<Text<'_>>, |titles| titles.iter().map(Text::from).collect(),
        |codes| Some(Self::from_codes(codes.join(" ").as_bytes()));
    Ivar as Text<'_>, |ivar| ivar.as_str().into(), |name| name.parse().ok();
    Relation as i32, |relation| relation.code(), |code| i8::try_from(code).ok().map(Self::from_code);
}

/// Serializes the ivar bits of [`Capabilities`] as a list of names, for `#[serde(with)]`.
pub(crate) mod ivars {
    use super::{Capabilities, Deserialize, Deserializer, Family, Ivar, Serialize, Serializer, Timeseal};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn serialize<S: Serializer>(ivars: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        let capabilities = Capabilities { ivars: *ivars, ..Capabilities::default() };
        capabilities.ivars().collect::<Vec<_>>().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        Ok(Capabilities::new(Family::Auto, Timeseal::Off, Vec::<Ivar>::deserialize(deserializer)?).ivars)
    }
}

/// Serializes an [`ErrorKind`] as its name, for `#[serde(with)]`. A kind without a name here is serialized as `other`; an unknown
/// name is deserialized as [`ErrorKind::Other`].
pub(crate) mod error_kind {
    use super::{Deserialize, Deserializer, ErrorKind, Serialize, Serializer, Text};

    const NAMES: [(ErrorKind, &str); 14] = [
        (ErrorKind::ConnectionRefused, "connection_refused"),
        (ErrorKind::ConnectionReset, "connection_reset"),
        (ErrorKind::ConnectionAborted, "connection_aborted"),
        (ErrorKind::NotConnected, "not_connected"),
        (ErrorKind::BrokenPipe, "broken_pipe"),
        (ErrorKind::InvalidData, "invalid_data"),
        (ErrorKind::TimedOut, "timed_out"),
        (ErrorKind::UnexpectedEof, "unexpected_eof"),
        (ErrorKind::HostUnreachable, "host_unreachable"),
        (ErrorKind::NetworkUnreachable, "network_unreachable"),
        (ErrorKind::NetworkDown, "network_down"),
        (ErrorKind::AddrNotAvailable, "address_not_available"),
        (ErrorKind::PermissionDenied, "permission_denied"),
        (ErrorKind::NotFound, "not_found"),
    ];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn serialize<S: Serializer>(kind: &ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
        NAMES.iter().find(|(known, _)| known == kind).map_or("other", |(_, name)| *name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ErrorKind, D::Error> {
        let name = Text::deserialize(deserializer)?;
        Ok(NAMES.iter().find(|(_, known)| *known == name).map_or(ErrorKind::Other, |(kind, _)| *kind))
    }
}

#[cfg(test)]
mod tests;
