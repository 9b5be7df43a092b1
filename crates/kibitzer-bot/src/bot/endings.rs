//! Ends of games that the bot brings about: resignations, requests to abort, draws, claims.

use kibitzer::RequestError;
use kibitzer::command::{self, OfferOutcome};
use tokio::time::Instant;

use super::games::FLAG_DELAY;
use super::player::BotPlayer;
use super::requests::RequestOutcome;
use crate::policy::Policy;
use crate::tracker::{GameKey, TrackedState};
use crate::verdict::BotAction;

/// Number of claims of the opponent's time per move.
const MAX_FLAGS: u32 = 5;

/// Number of plies within which a game ends without a result if one side asks for it.
const ABORTABLE_PLIES: u32 = 1;

/// Minimum number of plies between two offers of a draw.
const DRAW_OFFER_PLIES: u32 = 20;

impl<P: Policy + Clone> BotPlayer<P> {
    /// Gives up a game that the engine cannot play: asks to abort it in the first [`ABORTABLE_PLIES`] plies, and resigns later or if the
    /// server does not abort it. After an irregular move, asks to abort at any time, does not resign, and lets the engine try again:
    /// the server is at fault. Does nothing if the game is given up already.
    pub(super) fn give_up_game(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(decisions)) = (self.games.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        if decisions.has_given_up {
            return;
        }
        let is_irregular = game.has_irregular_move();
        decisions.has_given_up = !is_irregular;
        decisions.deciding = None;
        if is_irregular {
            decisions.failures = 0;
            self.report(BotAction::Aborted, Some(key), None, format!("{reason} after an irregular move"));
            return self.spawn_request(Some(key), command::abort());
        }
        if game.position().ply() > ABORTABLE_PLIES {
            return self.resign(key, &reason);
        }
        self.report(BotAction::Aborted, Some(key), None, reason);
        let client = self.client.clone();
        self.requests.spawn(async move { RequestOutcome::Abort(key, client.abort().await) });
    }

    /// Resigns if the server did not abort the game.
    pub(super) fn on_abort_reply(&mut self, key: GameKey, result: &Result<OfferOutcome, RequestError>) {
        if !matches!(result, Ok(OfferOutcome::Ended(_)))
            && self.games.tracker().get(key).is_some_and(|game| game.state() == TrackedState::Playing)
        {
            self.resign(key, "the server does not abort the game");
        }
    }

    /// Resigns a game, and marks it as given up.
    pub(super) fn resign(&mut self, key: GameKey, reason: &str) {
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.has_given_up = true;
            decisions.deciding = None;
        }
        self.report(BotAction::Resigned, Some(key), None, reason);
        self.spawn_request(Some(key), command::resign());
    }

    /// Offers a draw, unless one was offered within the last [`DRAW_OFFER_PLIES`] plies.
    pub(super) fn offer_draw_unless_recent(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(decisions)) = (self.games.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        let ply = game.position().ply();
        if decisions.offered_draw_at.is_some_and(|offered| ply < offered.saturating_add(DRAW_OFFER_PLIES)) {
            return;
        }
        decisions.offered_draw_at = Some(ply);
        self.report(BotAction::OfferedDraw, Some(key), None, reason);
        self.spawn_request(Some(key), command::draw());
    }

    /// Claims a draw by repetition or the fifty-move rule, with the command `draw`.
    pub(super) fn claim_draw(&mut self, key: GameKey) {
        self.report(BotAction::ClaimedDraw, Some(key), None, "repetition, or fifty moves without progress");
        self.spawn_request(Some(key), command::draw());
    }

    /// Sends `flag` in each game whose planned claim is due at `now`, up to [`MAX_FLAGS`] times in one turn of the opponent.
    pub(super) fn send_due_flag_claims(&mut self, now: Instant) {
        let due = self
            .decisions
            .iter_mut()
            .filter_map(|(key, decisions)| decisions.take_due_flag_claim(now, FLAG_DELAY, MAX_FLAGS).then_some(*key));
        for key in due.collect::<Vec<_>>() {
            self.report(BotAction::Flagged, Some(key), None, "the opponent's time is up");
            self.spawn_request(Some(key), command::flag());
        }
    }
}
