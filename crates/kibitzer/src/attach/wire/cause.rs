//! Enums of the core, as they go over the socket: each variant by its name.

use std::io::ErrorKind;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::core::event::{
    CloseCause, CommandError, DialError, EndReason, LoginError, LoginStep, LostCause, RefusalReason, RequestError,
};
use crate::core::message::listing::ListingError;
use crate::core::message::{CommandCode, Handle, KickedBy};
use crate::core::session::{State, TransmitKind};
use crate::core::text::{PlayerText, ServerText, encode};

/// Declares twins of enums of the core, which themselves know nothing of how they are written.
macro_rules! twins {
    ($($twin:ident of $original:literal { $($variants:tt)* })+) => {
        $(
            #[derive(Serialize, Deserialize)]
            #[serde(remote = $original, rename_all = "snake_case")]
            #[non_exhaustive]
            pub(in crate::attach) enum $twin { $($variants)* }
        )+
    };
}

twins! {
    DialDef of "DialError" {
        TimedOut,
        UnknownHost,
        TooManyFiles,
        Failed(#[serde(with = "kind")] ErrorKind),
    }
    CloseDef of "CloseCause" {
        Closed,
        Failed(#[serde(with = "kind")] ErrorKind),
        WriteTimedOut,
        Silent,
    }
    StepDef of "LoginStep" {
        Greeting,
        LoginString,
        Name,
        Queued,
        Password,
        Entering,
        SetUp,
    }
    LoginDef of "LoginError" {
        InvalidPassword,
        UnknownAccount,
        NameInUse,
        Banned,
        GuestsRefused,
        BadName,
        PasswordRequired,
        ServerFull,
        AccountRefused(#[serde(with = "text")] ServerText),
        TimesealRefused,
        NoLoginPrompt(#[serde(with = "text")] ServerText),
        TimedOut(#[serde(with = "StepDef")] LoginStep),
        Closed(#[serde(with = "StepDef")] LoginStep),
        Other(#[serde(with = "text")] ServerText),
    }
    LostDef of "LostCause" {
        Connection(#[serde(with = "CloseDef")] CloseCause),
        Login(#[serde(with = "LoginDef")] LoginError),
        Dial(#[serde(with = "DialDef")] DialError),
    }
    KickedDef of "KickedBy" {
        SecondLogin,
        Admin(#[serde(with = "handle")] Handle),
    }
    EndDef of "EndReason" {
        Quit,
        Shutdown,
        Kicked(#[serde(with = "KickedDef")] KickedBy),
        Login(#[serde(with = "LoginDef")] LoginError),
        Dial(#[serde(with = "DialDef")] DialError),
        Lost {
            #[serde(with = "LostDef")]
            cause: LostCause,
            attempts: u32,
        },
    }
    StateDef of "State" {
        Connecting,
        LoggingIn(#[serde(with = "StepDef")] LoginStep),
        Ready,
        Waiting,
        Closing,
        Ended(#[serde(with = "EndDef")] EndReason),
    }
    CommandDef of "CommandError" {
        LineBreak,
        Control,
        TooLong { length: usize },
        Empty,
    }
    ListingDef of "ListingError" {
        NotThisReply,
        Incomplete,
        TooLong,
    }
    KindDef of "TransmitKind" {
        Hello,
        PingAnswer,
        Login,
        Password,
        Command,
        SecretCommand,
    }
    RequestDef of "RequestError" {
        Command(#[serde(with = "CommandDef")] CommandError),
        Busy,
        NotConnected,
        TimedOut(Duration),
        Lost,
        TooLong { limit_bytes: usize, limit_events: usize },
        Incomplete,
        Unnumbered,
        Refused {
            #[serde(with = "reason")]
            reason: RefusalReason,
            #[serde(with = "text")]
            text: ServerText,
        },
        Unexpected {
            #[serde(with = "player_text")]
            text: PlayerText,
        },
        Listing {
            #[serde(with = "ListingDef")]
            source: ListingError,
            #[serde(with = "player_text")]
            text: PlayerText,
        },
        Ended(#[serde(with = "EndDef")] EndReason),
    }
}

/// Declares how a type that is no enum of ours is written: as what, and how it comes and goes.
macro_rules! written {
    ($($module:ident: $kind:ty as $wire:ty, $to:expr, $from:expr;)+) => {
        $(
            mod $module {
                use super::*;

                pub(super) fn serialize<S: Serializer>(value: &$kind, serializer: S) -> Result<S::Ok, S::Error> {
                    let to: fn(&$kind) -> $wire = $to;
                    to(value).serialize(serializer)
                }

                pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$kind, D::Error> {
                    let from: fn($wire) -> $kind = $from;
                    <$wire>::deserialize(deserializer).map(from)
                }
            }
        )+
    };
}

written! {
    text: ServerText as String, ToString::to_string, |text| ServerText::from_wire(encode(&text).as_bytes());
    player_text: PlayerText as String, ToString::to_string, |text| PlayerText::from_wire(encode(&text).as_bytes());
    handle: Handle as String, ToString::to_string, |name| Handle::from_wire(encode(&name).as_bytes());
    // Only the code of a refusal is told; the rest is in its words.
    reason: RefusalReason as u32, |reason| code_of(*reason), |code| RefusalReason::Code(CommandCode(code));
    kind: ErrorKind as String, |kind| name_of(*kind).to_owned(), |name| kind_of(&name);
}

const fn code_of(reason: RefusalReason) -> u32 {
    match reason {
        RefusalReason::Code(CommandCode(code)) => code,
        _ => 0,
    }
}

/// What goes wrong with connections; anything else is told as `other`.
const KINDS: [(ErrorKind, &str); 13] = [
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

fn name_of(kind: ErrorKind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("other", |(_, name)| *name)
}

fn kind_of(name: &str) -> ErrorKind {
    KINDS.iter().find(|(_, known)| *known == name).map_or(ErrorKind::Other, |(kind, _)| *kind)
}
