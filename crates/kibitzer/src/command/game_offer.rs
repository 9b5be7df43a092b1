//! Offers and claims in the game that is played.

use std::sync::Arc;

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{
    Challenge, GameCreated, GameEnded, Handle, MeOrOther, Message, OfferAnswer, OfferKind, Parsed, Style12,
};
use kibitzer_core::session::Reply;

use super::reply;

/// The outcome of an offer, a challenge or a seek that was made, accepted, declined or withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OfferOutcome {
    /// The offer was sent; the other player has not answered it yet.
    Sent,
    /// The challenge was sent, with these terms; the opponent has not answered it yet.
    Challenged(Parsed<Challenge>),
    /// The seek was posted, because no seek of another player matches it.
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
    Partner(Handle),
    /// The offer was declined or withdrawn.
    Closed {
        /// The other player, if the server names one.
        name: Option<Handle>,
        /// Kind of an offer in a game; `None` for a challenge.
        kind: Option<OfferKind>,
    },
    /// The game changed, for example by a takeback. Contains the new board, if the reply has one.
    Changed(Option<Arc<Style12>>),
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
    let ended =
        if kind == OfferKind::Takeback { reply::own_game_end(reply) } else { reply::likely_own_game_end(reply) };
    if let Some(ended) = ended {
        return Ok(OfferOutcome::Ended(Box::new(ended.clone())));
    }
    let board = reply::last_own_board(reply).cloned();
    // uhlin-fics accepts with the same command, and answers with the new board alone.
    let is_shown = kind == OfferKind::Takeback && reply.first_answer().is_none() && board.is_some();
    if is_shown || mine == Some(Some(OfferAnswer::Accepted)) {
        return Ok(OfferOutcome::Changed(board));
    }
    Err(reply::unexpected_reply(reply))
}

/// Parses the end of this login's game; fails if the reply does not contain it.
pub(super) fn parse_game_end(reply: &Reply) -> Result<GameEnded, RequestError> {
    reply::likely_own_game_end(reply).cloned().ok_or_else(|| reply::unexpected_reply(reply))
}

#[cfg(test)]
mod tests;
