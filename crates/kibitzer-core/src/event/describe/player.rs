//! Players: talk, who comes and goes, challenges, offers and seeks, and the server's words at a login.

use std::fmt::{self, Write};

use super::game::{rated_prefix, rating_or_unrated};
use super::listing::PlayerRatings;
use super::value::{FieldSink, Fields, fields, non_empty};
use super::{EventDescriptor, LineDisplay, describe};
use crate::event::EventKind;
use crate::message::{
    Challenge, ChallengeUpdate, Delivered, Farewell, FollowChange, GameId, KickedBy, ListChange, LoggedIn,
    LoginRefusal, MeOrOther, NameKind, NameStatus, OfferAnswer, OfferNotice, PartnershipUpdate, PendingOffer,
    PendingOffersRemoved, PresenceChange, PresenceChangeKind, Rating, Refusal, Seek, SeekNotice, SeeksCleared,
    SeeksRemoved, Talk, TalkKind, UserArrived,
};
use crate::text::{Handle, ServerText};

describe! {
    UserArrived as it => EventKind::Arrived, {
        fields: [
            name, titles, status: it.status.as_str(), registered: it.is_registered(),
            ratings: PlayerRatings(&it.ratings),
        ],
        words(out): write!(out, "{} has arrived", it.name),
    }

}

/// An arrival has the keys of a `<wa>` line.
impl Fields for PresenceChange {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        fields!(put, self; name, titles);
        if self.kind == PresenceChangeKind::Arrived {
            fields!(put, self; status: None::<&str>, registered: None::<bool>, ratings: None::<PlayerRatings<'_>>);
        }
    }
}

impl EventDescriptor for PresenceChange {
    fn kind(&self) -> EventKind {
        if self.kind == PresenceChangeKind::Arrived { EventKind::Arrived } else { EventKind::Departed }
    }

    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{} has {}", self.name, self.kind().as_str())
    }
}

impl Fields for Talk {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        fields!(put, self; from: self.speaker(), titles: self.titles(), text: &*self.text());
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
        self.speaker()
    }

    /// Writes what a server would have sent as a line. The player's text comes last, as it is.
    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}{}", self.speaker().as_ref().map_or("", Handle::as_str), self.titles())?;
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

describe! {
    Challenge as it => if it.actor == MeOrOther::Me { EventKind::ChallengeSent } else { EventKind::Challenge }, {
        line: if it.actor == MeOrOther::Me { LineDisplay::InText } else { LineDisplay::ForPeople },
        fields: [
            from, from_titles, from_rating, from_color, to, to_rating, rated, kind: non_empty(it.kind.as_str()),
            speed: it.game_kind().speed, variant: it.game_kind().variant, initial_min, increment_s, loaded_from, adjourned,
        ],
        words(out): {
            let rated = rated_prefix(Some(it.rated));
            write!(out, "challenge: {} ({}), {rated}{}", it.from, it.from_rating, it.kind)?;
            match (it.initial_min, it.increment_s) {
                (Some(initial), Some(increment)) => write!(out, " {initial}+{increment}"),
                _ => Ok(()),
            }
        },
    }

    ChallengeUpdate as it => EventKind::ChallengeUpdate, {
        line: LineDisplay::InText,
        fields: [name, actor, change: it.change.as_str()],
    }

    OfferNotice as it => EventKind::Offer, {
        game: it.game,
        fields: [game, from, kind: it.kind.as_str(), count, answer: it.answer.map(OfferAnswer::as_str)],
        words(out): {
            if let Some(game) = it.game {
                write!(out, "game {game}: ")?;
            }
            let from = it.from.as_ref().map_or("you", Handle::as_str);
            write!(out, "offer of {from}: {}", it.kind.as_str())?;
            it.answer.map_or(Ok(()), |answer| write!(out, ", {}", answer.as_str()))
        },
    }

    PartnershipUpdate as it => EventKind::Partner, {
        game: it.partners_game(),
        line: LineDisplay::InText,
        fields: [
            change: match it { PartnershipUpdate::Withdrawn { actor: MeOrOther::Me, .. } => "offer_withdrawn", _ => it.as_ref() },
            name: it.player_name(), game: it.partners_game(),
        ],
    }

    PendingOffer as it => if it.actor == MeOrOther::Me { EventKind::PendingTo } else { EventKind::PendingFrom }, {
        fields: [index, name, kind, parameters: non_empty(it.parameters.as_str()), terms: it.terms()],
        words(out): {
            let direction = if it.actor == MeOrOther::Me { "to" } else { "from" };
            write!(out, "offer {} {direction} {}, {}", it.index, it.name, it.kind)?;
            match it.parameters.as_str() {
                "" | "#" => Ok(()),
                terms => write!(out, ": {terms}"),
            }
        },
    }

    PendingOffersRemoved as it => EventKind::PendingRemoved, {
        fields: [indexes],
    }

    Seek as it => EventKind::Seek, {
        fields: [
            index, name, titles, rating, provisional: it.rating.map_or("", Rating::mark), initial_min, increment_s, rated, kind,
            speed: it.game_kind().speed, variant: it.game_kind().variant, color, rating_min, rating_max, automatic, formula, new,
        ],
        words(out): {
            write!(out, "seek {}: {} ({})", it.index, it.name, rating_or_unrated(it.rating))?;
            if let (Some(initial), Some(increment)) = (it.initial_min, it.increment_s) {
                write!(out, " {initial}+{increment}")?;
            }
            write!(out, " {}{}", rated_prefix(it.rated), it.kind.as_ref().map_or("", ServerText::as_str))?;
            it.color.map_or(Ok(()), |color| write!(out, ", {color}"))
        },
    }

    SeeksRemoved as it => EventKind::SeeksRemoved, {
        fields: [indexes],
    }

    SeeksCleared as it => EventKind::SeeksCleared, {
        fields: [],
    }

    SeekNotice as it => EventKind::SeekNotice, {
        line: LineDisplay::InText,
        fields: [
            notice: it.as_ref(),
            index: match it {
                SeekNotice::Posted { index } | SeekNotice::Updated { index } | SeekNotice::RemovedOne { index } => Some(*index),
                _ => None,
            },
            players: match it { SeekNotice::Seen { players } => Some(*players), _ => None },
            limit: match it { SeekNotice::TooMany { limit } => Some(*limit), _ => None },
        ],
    }
}

describe! {
    Delivered as it => EventKind::Delivered, {
        line: LineDisplay::InText,
        fields: [players, to, state, channel],
    }

    ListChange as it => EventKind::ListChanged, {
        line: LineDisplay::InText,
        fields: [list, entry, change: it.change.as_str()],
    }

    FollowChange as it => EventKind::Following, {
        line: LineDisplay::InText,
        fields: [player, partner: it.is_partner],
    }
}

impl PartnershipUpdate {
    const fn player_name(&self) -> Option<&Handle> {
        match self {
            Self::Offered(name)
            | Self::OfferSent(name)
            | Self::Declined(name)
            | Self::Agreed { name, .. }
            | Self::Withdrawn { name, .. } => Some(name),
            _ => None,
        }
    }

    const fn partners_game(&self) -> Option<GameId> {
        match self {
            Self::Playing { game, .. } => Some(*game),
            _ => None,
        }
    }
}

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
