//! Requests that the bot has sent. Tasks wait for their replies, so that the loop that reads the events never does.

use std::future::Future;

use kibitzer::command::{MoveMade, OfferOutcome, OfferRef};
use kibitzer::core::message::listing::WhoList;
use kibitzer::{Client, Handle, RequestError};
use tokio::task::JoinSet;

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
    /// Creates an answer to the challenge of a player, or withdraws the challenge to that player.
    pub(super) const fn to_challenge(verb: OfferAnswerVerb, player: Handle) -> Self {
        Self { verb, offer: OfferRef::Player(player), game: None }
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

/// The requests without a reply yet. They are given up when this is dropped.
#[derive(Debug, Default)]
pub(super) struct PendingRequests(JoinSet<RequestOutcome>);

/// Number of requests without a reply at which the talk, challenges and offers of players are ignored.
const MAX_REQUESTS: usize = 256;

impl PendingRequests {
    /// Returns whether [`MAX_REQUESTS`] or more requests wait for a reply, so that no player's message may cause another one.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_REQUESTS
    }

    /// Spawns a task that sends a request and waits for its reply, which [`next_outcome`](Self::next_outcome) returns. Has no limit of its own.
    pub(super) fn spawn(&mut self, request: impl Future<Output = RequestOutcome> + Send + 'static) {
        self.0.spawn(request);
    }

    /// Waits for the next reply. `None` without a request in flight.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next_outcome(&mut self) -> Option<RequestOutcome> {
        // A request cannot panic, and nothing cancels one.
        self.0.join_next().await?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn number_of_requests_that_players_cause_is_limited() {
        let mut requests = PendingRequests::default();
        (0..MAX_REQUESTS - 1).for_each(|_| requests.spawn(std::future::pending()));
        assert!(!requests.is_full());
        requests.spawn(async { RequestOutcome::Other(None, None) });
        assert!(requests.is_full());
        assert!(matches!(requests.next_outcome().await, Some(RequestOutcome::Other(None, None))));
        assert!(!requests.is_full());
    }
}
