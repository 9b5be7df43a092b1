//! Requests that the bot has sent: their replies are awaited beside the events, never inside of the loop that reads them.

use std::future::Future;

use kibitzer::command::{MoveMade, OfferOutcome};
use kibitzer::core::message::listing::{MoveList, WhoList};
use kibitzer::{Handle, RequestError};
use tokio::task::JoinSet;

use crate::tracker::{GameKey, PositionKey};

/// Result of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A move was sent in this position.
    Move(PositionKey, Result<MoveMade, RequestError>),
    /// A challenge of this player was accepted.
    Accept(Handle, Result<OfferOutcome, RequestError>),
    /// This player was challenged; the error, if it failed.
    Challenge(Handle, Option<RequestError>),
    /// The bot asked to abort a game that it cannot play.
    Abort(GameKey, Result<OfferOutcome, RequestError>),
    /// The earlier moves of a resumed game.
    Moves(GameKey, Box<Result<MoveList, RequestError>>),
    /// The players who may be challenged.
    Candidates(Result<WhoList, RequestError>),
    /// Anything else; the error, if it failed.
    Other(Option<GameKey>, Option<RequestError>),
}

/// The requests without a reply yet. They are given up when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Requests(JoinSet<Outcome>);

/// Number of requests without a reply at which the words, challenges and offers of players are ignored.
const MAX_REQUESTS: usize = 256;

impl Requests {
    /// Returns whether so many requests wait for a reply that no player's message may cause another one.
    pub(super) fn are_too_many(&self) -> bool {
        self.0.len() >= MAX_REQUESTS
    }

    /// Sends a request.
    pub(super) fn send(&mut self, request: impl Future<Output = Outcome> + Send + 'static) {
        self.0.spawn(request);
    }

    /// Waits for the next reply. `None` without a request in flight.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Outcome> {
        // A request cannot panic, and nothing cancels one.
        self.0.join_next().await?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn number_of_requests_that_players_cause_is_limited() {
        let mut requests = Requests::default();
        (0..MAX_REQUESTS - 1).for_each(|_| requests.send(std::future::pending()));
        assert!(!requests.are_too_many());
        requests.send(async { Outcome::Other(None, None) });
        assert!(requests.are_too_many());
        assert!(matches!(requests.next().await, Some(Outcome::Other(None, None))));
        assert!(!requests.are_too_many());
    }
}
