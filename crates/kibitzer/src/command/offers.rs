//! Offers: those in a game and their claims, answers to pending offers, and bughouse partnerships.

use std::sync::Arc;

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{
    Challenge, ChallengeChange, GameCreated, GameEnded, Handle, MeOrOther, Message, OfferAnswer, OfferKind, Parsed,
    PartnershipUpdate, Style12,
};
use kibitzer_core::session::Reply;
use serde::Serialize;

use super::{IntoHandle as _, reply};

/// The outcome of an offer, a challenge or a seek that was made, accepted, declined or withdrawn.
///
/// In JSON it is an object with the name of the variant as `outcome`: `{"outcome": "posted", "index": 7, "seen_by": 2}`. A challenge, and a
/// game that began or is over, have the keys of the events `challenge`, `game_created` and `game_ended` beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OfferOutcome {
    /// The offer was sent; the other player has not answered it yet.
    Sent,
    /// The challenge was sent, with these terms; the opponent has not answered it yet.
    Challenged(Parsed<Challenge>),
    /// The seek was posted, because no seek of another player matches it.
    #[non_exhaustive]
    Posted {
        /// Number of the seek.
        index: u32,
        /// Number of players who were notified, if the server reports it.
        seen_by: Option<u32>,
    },
    /// A game began, or an adjourned game goes on.
    Started(Box<GameCreated>),
    /// The game is over: both players have agreed, or the server decided.
    Ended(Box<GameEnded>),
    /// This player is the bughouse partner from now on.
    #[non_exhaustive]
    Partner {
        /// The player.
        name: Handle,
    },
    /// The offer was declined or withdrawn.
    #[non_exhaustive]
    Closed {
        /// The other player, if the server names one.
        name: Option<Handle>,
        /// Kind of an offer in a game; `None` for a challenge.
        kind: Option<OfferKind>,
    },
    /// The game changed, for example by a takeback.
    #[non_exhaustive]
    Changed {
        /// The new board, if the reply has one.
        board: Option<Arc<Style12>>,
    },
}

/// Parses the outcome of an offer of this kind that this login makes in its game, or accepts with the same command: the offer was
/// sent, the game ended, or it changed. Fails if the reply reports none of these.
pub(super) fn parse_offer_outcome(reply: &Reply, kind: OfferKind) -> Result<OfferOutcome, RequestError> {
    let mine = reply.messages().find_map(|message| match message {
        Message::Offer(offer) if offer.actor == MeOrOther::Me && offer.kind == kind => Some(offer.answer),
        _ => None,
    });
    // This comes first, because another game may end in the same reply.
    if mine == Some(None) {
        return Ok(OfferOutcome::Sent);
    }
    if let Some(ended) = reply::own_game_end(reply) {
        return Ok(OfferOutcome::Ended(Box::new(ended.clone())));
    }
    let board = reply::last_own_board(reply).cloned();
    // uhlin-fics accepts with the same command, and answers with the new board alone.
    let is_shown = kind == OfferKind::Takeback && reply.first_answer().is_none() && board.is_some();
    if is_shown || mine == Some(Some(OfferAnswer::Accepted)) {
        return Ok(OfferOutcome::Changed { board });
    }
    Err(reply::unexpected_reply(reply))
}

/// Parses the end of this login's game; fails if the reply does not contain it.
pub(super) fn parse_game_end(reply: &Reply) -> Result<GameEnded, RequestError> {
    reply::own_game_end(reply).cloned().ok_or_else(|| reply::unexpected_reply(reply))
}

/// Selects one of the pending offers.
///
/// Numbers require the ivar `pendinfo`; FICS and FatICS support them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OfferRef {
    /// The only pending offer.
    #[default]
    Only,
    /// The offer with this number: [`PendingOffer::index`](kibitzer_core::message::PendingOffer::index).
    Number(u32),
    /// The offer from or to this player.
    Player(Handle),
    /// The offer of this kind.
    Kind(OfferKind),
}

impl OfferRef {
    /// Returns the reference, if an account can have the name of its player.
    pub(super) fn checked(self) -> Result<Self, CommandError> {
        match self {
            Self::Player(player) => player.into_handle().map(Self::Player),
            _ => Ok(self),
        }
    }

    /// Returns the line of a command with this argument.
    pub(super) fn command_line(&self, command: &str) -> String {
        match self {
            Self::Only => command.to_owned(),
            Self::Number(number) => format!("{command} {number}"),
            Self::Player(player) => format!("{command} {player}"),
            Self::Kind(kind) => format!("{command} {kind}"),
        }
    }
}

/// Parses the reply to `accept`. uhlin-fics does not report which offer was accepted, so that the outcome is derived from the
/// starts, ends and boards of games in the reply. Fails if it contains none of these and no accepted offer.
pub(super) fn parse_accepted_offer(reply: &Reply) -> Result<OfferOutcome, RequestError> {
    let own = outcome_of_start_or_end(reply::own_game_start(reply, None), reply::own_game_end(reply));
    if let Some(outcome) = own.or_else(|| reply.messages().find_map(partner_outcome)) {
        return Ok(outcome);
    }
    let kind = reply.messages().find_map(|message| match message {
        Message::Offer(offer) if is_own_answer(offer.actor, offer.answer, OfferAnswer::Accepted) => Some(offer.kind),
        _ => None,
    });
    let board = reply::last_own_board(reply).cloned();
    if kind.is_none() && board.is_none() {
        return Err(reply::unexpected_reply(reply));
    }
    Ok(OfferOutcome::Changed { board })
}

/// Returns the outcome of a started game, otherwise that of an ended one; `None` without either.
fn outcome_of_start_or_end(start: Option<&GameCreated>, end: Option<&GameEnded>) -> Option<OfferOutcome> {
    let started = start.map(|created| OfferOutcome::Started(Box::new(created.clone())));
    started.or_else(|| end.map(|ended| OfferOutcome::Ended(Box::new(ended.clone()))))
}

/// Returns the outcome that a message about this login's partnership reports: the offer was sent, or this login has agreed.
fn partner_outcome(message: &Message) -> Option<OfferOutcome> {
    let Message::Partner(partner) = message else { return None };
    match &**partner {
        PartnershipUpdate::OfferSent(_) => Some(OfferOutcome::Sent),
        PartnershipUpdate::Agreed { actor: MeOrOther::Me, name, .. } => {
            Some(OfferOutcome::Partner { name: name.clone() })
        }
        _ => None,
    }
}

/// Returns whether an answer to an offer is the expected one, and this login gave it.
fn is_own_answer(actor: MeOrOther, answer: Option<OfferAnswer>, expected: OfferAnswer) -> bool {
    actor == MeOrOther::Me && answer == Some(expected)
}

/// Parses the reply to `decline` or `withdraw`: an offer that this login gave `answer` to, or a challenge that it changed by
/// `change`. Fails if the reply contains neither.
pub(super) fn parse_closed_offer(
    reply: &Reply,
    answer: OfferAnswer,
    change: ChallengeChange,
) -> Result<OfferOutcome, RequestError> {
    reply::find_in_messages(reply, |message| match message {
        Message::ChallengeUpdate(update) if update.actor == MeOrOther::Me && update.change == change => {
            Some(OfferOutcome::Closed { name: update.name.clone(), kind: None })
        }
        Message::Offer(offer) if is_own_answer(offer.actor, offer.answer, answer) => {
            Some(OfferOutcome::Closed { name: offer.from.clone(), kind: Some(offer.kind) })
        }
        _ => None,
    })
}

/// Parses the reply to `partner`: the request was sent, or the other player becomes the partner at once. Fails if the reply
/// reports neither.
pub(super) fn parse_partner_request(reply: &Reply) -> Result<OfferOutcome, RequestError> {
    reply::find_in_messages(reply, partner_outcome)
}

/// Parses the end of a partnership. An empty reply counts as success, because uhlin-fics sends none.
pub(super) fn parse_partnership_end(reply: &Reply) -> Result<(), RequestError> {
    if reply.first_answer().is_none() {
        return Ok(());
    }
    reply::find_in_messages(reply, |message| {
        let Message::Partner(partner) = message else { return None };
        matches!(**partner, PartnershipUpdate::Ended | PartnershipUpdate::Withdrawn { actor: MeOrOther::Me, .. })
            .then_some(())
    })
}

#[cfg(test)]
mod tests;
