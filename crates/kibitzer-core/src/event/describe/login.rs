//! The login, refused commands, and how the server ends a session.

use super::{LineDisplay, describe};
use crate::event::EventKind;
use crate::message::{Farewell, KickedBy, LoggedIn, LoginRefusal, NameKind, NameStatus, Refusal};

describe! {
    NameStatus as it => EventKind::NameStatus, {
        line: LineDisplay::InText,
        fields: [name, registered: it.kind == NameKind::Registered],
    }

    LoggedIn as it => EventKind::LoggedIn, {
        fields: [name, titles, server],
        words(out): write!(out, "logged in as {}", it.name),
    }

    LoginRefusal as it => EventKind::LoginRefused, {
        line: LineDisplay::InText,
        fields: [reason: it.as_str()],
        words(out): out.write_str(&it.as_str().replace('_', " ")),
    }

    Refusal as it => EventKind::Refused, {
        game: match it {
            Refusal::AlreadyObserving(game) | Refusal::PrivateGame(game) | Refusal::NotObserving(game) => Some(*game),
            _ => None,
        },
        line: LineDisplay::InText,
        fields: [reason: it.as_ref()],
        words(out): out.write_str(&it.as_ref().replace('_', " ")),
    }

    KickedBy as it => EventKind::Kicked, {
        line: LineDisplay::InText,
        fields: [],
    }

    Farewell as it => EventKind::Farewell, {
        line: LineDisplay::InText,
        fields: [reason: it.as_str()],
    }
}
