//! Descriptors of framing: prompts, marks of replies, telnet commands, lines over the limit; lines and datagrams without a type.

use std::fmt::{self, Write};

use super::value::{FieldSink, Fields, fields, put_field};
use super::{EventDescriptor, LineDisplay, describe};
use crate::event::EventKind;
use crate::message::{Control, Datagram, OverLongLine, Received};
use crate::text::{Handle, decode_received};
use crate::wire::telnet_command_name;

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
