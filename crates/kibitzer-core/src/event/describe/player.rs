//! Talk, and players who come and go.

use std::fmt::{self, Write};

use super::value::{FieldSink, Fields, fields};
use super::{EventDescriptor, describe};
use crate::event::EventKind;
use crate::message::{GameId, PresenceChange, PresenceChangeKind, Talk, TalkKind, UserArrived};
use crate::text::Handle;

describe! {
    PresenceChange as it => if it.kind == PresenceChangeKind::Arrived { EventKind::Arrived } else { EventKind::Departed }, {
        fields: [name, titles],
        words(out): {
            let verb = if it.kind == PresenceChangeKind::Arrived { "arrived" } else { "departed" };
            write!(out, "{} has {verb}", it.name)
        },
    }

    UserArrived as it => EventKind::Arrived, {
        fields: [name, titles],
        words(out): write!(out, "{} has arrived", it.name),
    }

}

impl Fields for Talk {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        fields!(put, self; from: self.from(), titles: self.titles(), text: &*self.text());
        match self.kind {
            TalkKind::ChannelTell { channel } => fields!(put, self; channel: channel),
            TalkKind::Say { game } => fields!(put, self; game: game),
            TalkKind::Kibitz { game, rating } | TalkKind::Whisper { game, rating } => {
                fields!(put, self; game: game, rating: rating);
            }
            _ => {}
        }
    }
}

impl EventDescriptor for Talk {
    fn kind(&self) -> EventKind {
        match self.kind {
            TalkKind::Tell => EventKind::Tell,
            TalkKind::Say { .. } => EventKind::Say,
            TalkKind::PartnerTell => EventKind::PartnerTell,
            TalkKind::Shout => EventKind::Shout,
            TalkKind::ItShout => EventKind::ItShout,
            TalkKind::CShout => EventKind::CShout,
            TalkKind::ChannelTell { .. } => EventKind::ChannelTell,
            TalkKind::Kibitz { .. } => EventKind::Kibitz,
            TalkKind::Whisper { .. } => EventKind::Whisper,
            TalkKind::Announcement => EventKind::Announcement,
            TalkKind::Qtell => EventKind::Qtell,
            TalkKind::Message => EventKind::Message,
        }
    }

    fn game(&self) -> Option<GameId> {
        match self.kind {
            TalkKind::Say { game } | TalkKind::Kibitz { game, .. } | TalkKind::Whisper { game, .. } => game,
            _ => None,
        }
    }

    fn speaker(&self) -> Option<Handle> {
        self.from()
    }

    /// Writes what a server would have sent as a line. The player's text comes last, as it is.
    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}{}", self.from().as_ref().map_or("", Handle::as_str), self.titles())?;
        match self.kind {
            TalkKind::ChannelTell { channel } => write!(out, "({channel})")?,
            TalkKind::Kibitz { game: Some(game), .. } => write!(out, "[{game}] kibitzes")?,
            TalkKind::Whisper { game: Some(game), .. } => write!(out, "[{game}] whispers")?,
            TalkKind::Say { .. } => out.write_str(" says")?,
            TalkKind::Shout => out.write_str(" shouts")?,
            TalkKind::CShout => out.write_str(" s-shouts")?,
            TalkKind::ItShout => return write!(out, " {}", self.text()),
            TalkKind::Announcement => out.write_str(" announces")?,
            _ => out.write_str(" tells you")?,
        }
        write!(out, ": {}", self.text())
    }
}
