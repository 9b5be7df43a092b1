//! Offers of every kind: challenges, offers in games, bughouse partnerships, seeks.

use super::game::{rated_prefix, rating_or_unrated};
use super::value::non_empty;
use super::{LineDisplay, describe};
use crate::event::EventKind;
use crate::message::{
    Challenge, ChallengeUpdate, GameId, MeOrOther, OfferAnswer, OfferNotice, PartnershipUpdate, PendingOffer,
    PendingOffersRemoved, Rating, Seek, SeekNotice, SeeksCleared, SeeksRemoved,
};
use crate::text::{Handle, ServerText};

describe! {
    Challenge as it => if it.actor == MeOrOther::Me { EventKind::ChallengeSent } else { EventKind::Challenge }, {
        line: if it.actor == MeOrOther::Me { LineDisplay::InText } else { LineDisplay::ForPeople },
        fields: [
            from, from_rating, from_color, to, to_rating, rated, kind: non_empty(it.kind.as_str()),
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
        fields: [index, name, kind, parameters: non_empty(it.parameters.as_str())],
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
            index: match it { SeekNotice::Posted { index } => Some(*index), _ => None },
            players: match it { SeekNotice::Seen { players } => Some(*players), _ => None },
            limit: match it { SeekNotice::TooMany { limit } => Some(*limit), _ => None },
        ],
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
