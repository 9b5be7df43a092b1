//! The session's own events, and the parts of the stream that are not lines of a type.

use std::fmt::{self, Write};
use std::time::Duration;

use super::value::{Displayed, FieldSink, Fields, fields, objects, put_field};
use super::{EventDescriptor, LineDisplay, describe};
use crate::event::{
    AdjournedGame, Capabilities, Event, EventKind, Identity, RestoreOutcome, Restored, RestoredCommand, RestoredGame,
    ResumptionState, SessionEndReason,
};
use crate::message::{Control, Datagram, Ivar, NameKind, OverLongLine, Received};
use crate::text::{Handle, decode_received, error_chain};
use crate::wire::telnet_command_name;

describe! {
    Identity as it => EventKind::LoggedIn, {
        fields: [name: it.handle, titles, server: None::<Handle>, registered: it.kind == NameKind::Registered],
        words(out): {
            let name = it.handle.as_ref().map_or("?", Handle::as_str);
            let kind = if it.kind == NameKind::Registered { "" } else { ", a guest" };
            write!(out, "* logged in as {name}{kind}")
        },
    }

    Capabilities as it => EventKind::SessionReady, {
        fields: [ivars: it.ivars().map(Ivar::as_str).collect::<Vec<_>>(), timeseal: it.timeseal.version()],
        words(out): out.write_str("* ready"),
    }

    Restored as it => EventKind::Restored, {
        fields: [
            offline_ms: it.offline_for, silent_ms: it.silent_for, games, settings, requests, seeks,
        ],
        words(out): {
            write!(out, "* back after {:.1} s", it.offline_for.as_secs_f64())?;
            for game in &it.games {
                let (number, outcome) = (game.now.unwrap_or(game.was), game.outcome.as_ref());
                let missing = if game.moves_missing { ", moves are missing" } else { "" };
                write!(out, "; game {number}, {} - {}: {outcome}{missing}", game.white, game.black)?;
            }
            it.settings.iter().chain(&it.requests).chain(&it.seeks).try_for_each(|sent| {
                let outcome = sent.error.as_ref().map_or_else(|| "sent again".to_owned(), |error| error_chain(error));
                write!(out, "; {}: {outcome}", sent.command)
            })
        },
    }

    AdjournedGame as it => EventKind::AdjournedGame, {
        fields: [
            white, black, state: it.state.as_ref(),
            game: match it.state { ResumptionState::Resumed { game } => Some(game), _ => None },
            error: match &it.state { ResumptionState::Refused(error) => Some(Displayed(error)), _ => None },
        ],
        words(out): {
            write!(out, "* adjourned game {} - {}: {}", it.white, it.black, it.state.as_ref())?;
            match &it.state {
                ResumptionState::Refused(error) => write!(out, ": {}", error_chain(error)),
                _ => Ok(()),
            }
        },
    }

    SessionEndReason as it => EventKind::Ended, {
        fields: [reason: it.as_ref(), text: error_chain(it)],
        words(out): write!(out, "* session over: {}", error_chain(it)),
    }
}

/// Silence before a loss from which on its text contains the silence.
const LONG_SILENCE: Duration = Duration::from_secs(2);
/// Text of [`Event::Fault`].
const FAULT: &str = "server answered a line without a number";

impl Fields for Event {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        match self {
            Self::Missed { game, from_ply, to_ply, .. } => {
                fields!(put, self; game: game, from_ply: from_ply, to_ply: to_ply);
            }
            Self::Connecting(attempt) => fields!(put, self; attempt: attempt.number),
            Self::Sent { line, .. } => fields!(put, self; line: line.as_deref()),
            Self::Fault => fields!(put, self; text: FAULT),
            Self::Lost(loss) => {
                fields!(put, self; text: Displayed(&loss.cause), retry_in_ms: loss.retry_in, silent_ms: loss.silent_for);
            }
            _ => {}
        }
    }
}

impl EventDescriptor for Event {
    fn kind(&self) -> EventKind {
        match self {
            Self::Missed { .. } => EventKind::Missed,
            Self::Connecting(_) => EventKind::Connecting,
            Self::Sent { .. } => EventKind::Sent,
            Self::Fault => EventKind::Fault,
            Self::Lost(_) => EventKind::Lost,
            _ => EventKind::Connected,
        }
    }

    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Self::Missed { game, from_ply, to_ply, .. } => {
                write!(out, "game {game}: plies {from_ply} to {to_ply} are missing")
            }
            Self::Connecting(attempt) if attempt.number == 1 => out.write_str("* connecting"),
            Self::Connecting(attempt) => write!(out, "* connecting, attempt {}", attempt.number),
            Self::Sent { line, .. } => write!(out, "> {}", line.as_deref().unwrap_or("(password)")),
            Self::Fault => write!(out, "* {FAULT}"),
            Self::Lost(loss) => {
                write!(out, "* session lost: {}", error_chain(&loss.cause))?;
                if loss.silent_for >= LONG_SILENCE {
                    write!(out, "; nothing received for {:.1} s", loss.silent_for.as_secs_f64())?;
                }
                loss.retry_in.map_or(Ok(()), |delay| write!(out, "; trying again in {:.1} s", delay.as_secs_f64()))
            }
            _ => out.write_str("* connected"),
        }
    }
}

objects! {
    RestoredGame as it: [
        was, now, white, black, relation: it.relation.code(), outcome: it.outcome.as_ref(),
        plies: match it.outcome { RestoreOutcome::Advanced { plies } => Some(plies), _ => None },
        moves_missing,
        by: match it.outcome { RestoreOutcome::Replaced { by } => by, _ => None },
        result: it.ending.as_ref().map(|ending| ending.result.as_str()),
        ending: it.ending.as_ref().map(|ending| ending.text.as_str()),
        moves: it.moves.as_ref().map(|list| list.moves.iter().map(|listed| &listed.san).collect::<Vec<_>>()),
    ];
    RestoredCommand as it: [command, error: it.error.as_ref().map(Displayed), game];
}

impl Fields for Control {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        match self {
            Self::LoginPrompt | Self::PasswordPrompt => fields!(put, self; name: None::<Handle>),
            Self::GuestPrompt(name) => fields!(put, self; name: &**name),
            Self::BlockStart { id, code } => fields!(put, self; id: id, code: code.0),
            Self::BlockEnd { id, complete } => fields!(put, self; id: id, complete: complete),
            Self::UnitStart(header) => fields!(put, header; command, player, tag),
            Self::Telnet { command, option } => {
                fields!(put, self; command: telnet_command_name(*command), option: option);
            }
            Self::Prompt | Self::Ping | Self::UnitEnd | Self::Overflow => {}
        }
    }
}

impl EventDescriptor for Control {
    fn kind(&self) -> EventKind {
        match self {
            Self::Prompt => EventKind::Prompt,
            Self::LoginPrompt => EventKind::LoginPrompt,
            Self::PasswordPrompt => EventKind::PasswordPrompt,
            Self::GuestPrompt(_) => EventKind::GuestPrompt,
            Self::BlockStart { .. } => EventKind::BlockStart,
            Self::BlockEnd { .. } => EventKind::BlockEnd,
            Self::Telnet { .. } => EventKind::Telnet,
            Self::Ping => EventKind::Ping,
            Self::UnitStart(_) => EventKind::UnitStart,
            Self::UnitEnd => EventKind::UnitEnd,
            Self::Overflow => EventKind::Overflow,
        }
    }

    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Self::Prompt => out.write_str("%"),
            Self::LoginPrompt => out.write_str("login:"),
            Self::PasswordPrompt => out.write_str("password:"),
            Self::GuestPrompt(name) => write!(out, "enter as {name}?"),
            Self::BlockStart { id, code } => write!(out, "reply {id} to command {code}:"),
            Self::BlockEnd { id, complete: true } => write!(out, "end of reply {id}"),
            Self::BlockEnd { id, complete: false } => write!(out, "reply {id} is cut"),
            Self::UnitStart(header) => write!(out, "unit {} of {}:", header.command, header.player),
            Self::UnitEnd => out.write_str("end of unit"),
            Self::Overflow => out.write_str("the server dropped the rest"),
            Self::Telnet { command, option } => {
                write!(out, "telnet {}", telnet_command_name(*command).unwrap_or("command"))?;
                option.map_or(Ok(()), |option| write!(out, " {option}"))
            }
            Self::Ping => out.write_str("ping"),
        }
    }
}

describe! {
    OverLongLine as it => EventKind::OverLong, {
        line: LineDisplay::Nowhere,
        fields: [text: &*it.line.to_text(), bytes: it.length],
        words(out): write!(out, "{} ... ({} bytes)", it.line.to_text(), it.length),
    }
}

/// Describes a message without a descriptor of its own: a datagram, or a line.
impl EventDescriptor for Received {
    fn kind(&self) -> EventKind {
        match self.datagram() {
            Some(datagram) => datagram.kind(),
            None if self.is_listed() => EventKind::ListingLine,
            None => EventKind::Text,
        }
    }

    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        match self.datagram() {
            Some(datagram) => datagram.write_for_people(out),
            None => out.write_str(&decode_received(self.raw())),
        }
    }
}

impl Fields for Received {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        match self.datagram() {
            Some(datagram) => datagram.put_fields(put),
            None => put_field(put, "text", &&*decode_received(self.raw())),
        }
    }
}

describe! {
    Datagram as it => EventKind::Datagram, {
        fields: [number, fields],
        words(out): {
            write!(out, "datagram {}:", it.number)?;
            it.fields.iter().try_for_each(|field| write!(out, " {{{field}}}"))
        },
    }
}
