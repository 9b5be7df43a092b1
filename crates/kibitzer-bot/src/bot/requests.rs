//! Requests that the bot has sent. Tasks wait for their replies, so that the loop that reads the events never does.

use kibitzer::command::{MoveMade, OfferOutcome, OfferRef};
use kibitzer::core::game::{OpenOffer, PendingOffers};
use kibitzer::core::message::listing::WhoList;
use kibitzer::{Client, Handle, RequestError};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::tracker::{GameKey, GamePositionKey};

/// Result of a request.
#[derive(Debug)]
pub(super) enum RequestOutcome {
    /// A move was sent in this position.
    Move(GamePositionKey, Result<MoveMade, RequestError>),
    /// An offer was answered or withdrawn; the outcome is that of an accepted one.
    Answer(OfferAnswer, Result<Option<OfferOutcome>, RequestError>),
    /// This player was challenged; the error, if it failed.
    Challenge(Handle, Option<RequestError>),
    /// The bot asked to abort a game that it cannot play.
    Abort(GameKey, Result<OfferOutcome, RequestError>),
    /// The players who may be challenged.
    Candidates(Result<WhoList, RequestError>),
    /// A player with the name of an owner sent this command; whether the player is registered.
    Owner(Handle, String, Result<bool, RequestError>),
    /// A private message was sent to this player at this time; the error, if it failed.
    Said(Handle, Instant, Option<RequestError>),
    /// Anything else; the error, if it failed.
    Other(Option<GameKey>, Option<RequestError>),
}

/// An answer to an offer, or its withdrawal.
#[derive(Clone, Debug)]
pub(super) struct OfferAnswer {
    pub(super) verb: OfferAnswerVerb,
    pub(super) offer: OfferRef,
    /// The game in which the offer was made; `None` for a challenge.
    pub(super) game: Option<GameKey>,
}

/// Command that answers or withdraws an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferAnswerVerb {
    Accept,
    Decline,
    /// Only for offers of the bot.
    Withdraw,
}

impl OfferAnswer {
    /// Returns the answer to the challenge of a player, or the withdrawal of the challenge to that player. Sends nothing.
    pub(super) const fn to_challenge(verb: OfferAnswerVerb, player: Handle) -> Self {
        Self { verb, offer: OfferRef::Player(player), game: None }
    }

    /// Returns the number of the newest open offer that the answer selects by name or kind; `None` if it is not known.
    pub(super) fn offer_number(&self, offers: &PendingOffers) -> Option<u32> {
        let is_meant = |offer: &&OpenOffer| match &self.offer {
            OfferRef::Player(player) => offer.is_challenge() && offer.has_player(player),
            OfferRef::Kind(kind) => offer.kind == *kind.as_str(),
            _ => false,
        };
        match self.verb {
            OfferAnswerVerb::Withdraw => offers.sent().rfind(is_meant)?.index,
            OfferAnswerVerb::Accept | OfferAnswerVerb::Decline => offers.received().rfind(is_meant)?.index,
        }
    }

    /// Sends the answer, and waits for the reply.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::request`].
    pub(super) async fn send(self, client: Client) -> RequestOutcome {
        let offer = self.offer.clone();
        let result = match self.verb {
            OfferAnswerVerb::Accept => client.accept(offer).await.map(Some),
            OfferAnswerVerb::Decline => client.decline(offer).await.map(|_| None),
            OfferAnswerVerb::Withdraw => client.withdraw(offer).await.map(|_| None),
        };
        RequestOutcome::Answer(self, result)
    }
}

/// Number of requests without a reply at which the talk, challenges and offers of players are ignored.
pub(super) const MAX_REQUESTS: usize = 256;

/// Returns whether [`MAX_REQUESTS`] or more requests wait for a reply, so that no player's message may cause another one.
pub(super) fn are_too_many(requests: &JoinSet<RequestOutcome>) -> bool {
    requests.len() >= MAX_REQUESTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn number_of_requests_that_players_cause_is_limited() {
        let mut requests = JoinSet::new();
        for _ in 1..MAX_REQUESTS {
            requests.spawn(std::future::pending());
        }
        assert!(!are_too_many(&requests));
        requests.spawn(async { RequestOutcome::Other(None, None) });
        assert!(are_too_many(&requests));
        assert!(matches!(requests.join_next().await, Some(Ok(RequestOutcome::Other(None, None)))));
        assert!(!are_too_many(&requests));
    }
}
