//! Between games: seeks, challenges to other players, rematches.

use std::sync::Arc;
use std::time::Duration;

use kibitzer::command::{self, Request};
use kibitzer::core::message::Refusal;
use kibitzer::core::message::listing::WhoList;
use kibitzer::{Handle, RequestError};
use tokio::time::Instant;

use super::StopUrgency;
use super::matchmaking_state::suitable_players;
use super::player::{BotPlayer, NEVER};
use super::requests::{OfferAnswer, OfferAnswerVerb, RequestOutcome};
use crate::config::MatchmakingRules;
use crate::policy::Policy;
use crate::verdict::BotAction;

/// Time from the end of a game to the next seeks.
const SEEK_DELAY: Duration = Duration::from_secs(3);

/// Shortest time between two challenges.
const MIN_CHALLENGE_PAUSE: Duration = Duration::from_secs(10);

impl<P: Policy + Clone> BotPlayer<P> {
    /// Plans seeks and challenges after the end of a game, or when the session is ready. Does nothing while the bot plays, is
    /// paused or is about to stop.
    pub(super) fn plan_seeks_and_challenge(&mut self, now: Instant) {
        if self.is_playing_or_interrupted() || self.urgency != StopUrgency::None || self.matchmaking.is_paused {
            return;
        }
        let seeks_at = (!self.config.seek.ads.is_empty()).then(|| now + SEEK_DELAY);
        self.matchmaking.plan(seeks_at, self.next_challenge_at(now));
    }

    /// Returns when to challenge the next player; `None` without `[matchmaking]`.
    fn next_challenge_at(&self, now: Instant) -> Option<Instant> {
        let rules = self.config.matchmaking.as_ref()?;
        Some(now + rules.pause.clamp(MIN_CHALLENGE_PAUSE, NEVER))
    }

    /// Posts seeks and sends a challenge if they are due and a game may begin. Plans the next challenge in any case; postpones
    /// the seeks while no engine runs.
    pub(super) fn send_due_seeks_and_challenge(&mut self, now: Instant) {
        let may_begin_game = self.may_begin_game();
        if self.matchmaking.seeks_at.is_some_and(|at| at <= now) {
            // Without an engine, the seeks are posted later.
            self.matchmaking.seeks_at = self.engine.is_none().then(|| now + SEEK_DELAY);
            if may_begin_game {
                self.post_seeks();
            }
        }
        if self.matchmaking.challenge_at.is_some_and(|at| at <= now) {
            self.matchmaking.challenge_at = self.next_challenge_at(now);
            if may_begin_game {
                self.challenge_or_list_players(now);
            }
        }
    }

    /// Challenges a random one of the configured players whom it may challenge; without configured players, requests the list of
    /// those who are logged in. Withdraws an unanswered challenge first.
    fn challenge_or_list_players(&mut self, now: Instant) {
        let config = Arc::clone(&self.config);
        let Some(rules) = &config.matchmaking else { return };
        if let Some(player) = self.matchmaking.challenged.take() {
            self.withdraw_unanswered_challenge(player, now);
        }
        if rules.players.is_empty() {
            let client = self.client.clone();
            self.requests.spawn(async move { RequestOutcome::Candidates(client.who().await) });
            return;
        }
        let players: Vec<_> = rules.players.iter().filter(|player| self.may_challenge(player)).collect();
        if let Some(player) = self.matchmaking.random.choice(players).cloned() {
            self.challenge_on_random_terms(&player, rules);
        }
    }

    /// Challenges a player with random terms of the settings, and reports it; does nothing without terms.
    fn challenge_on_random_terms(&mut self, player: &Handle, rules: &MatchmakingRules) {
        let Some(terms) = self.matchmaking.random.choice(&rules.terms) else { return };
        self.report(BotAction::Challenged, None, Some(player.clone()), &**terms);
        self.send_challenge(player.clone(), format!("match {player} {terms}"));
    }

    /// Sends a challenge in a task of its own, and remembers that the player has not answered yet.
    fn send_challenge(&mut self, player: Handle, command: impl Request + Send + Sync + 'static) {
        self.matchmaking.challenged = Some(player.clone());
        let client = self.client.clone();
        self.requests.spawn(async move { RequestOutcome::Challenge(player, client.request(&command).await.err()) });
    }

    /// Forgets a challenge that failed, and reports the error; does nothing without one. After a refusal that will not pass soon, the
    /// player is not challenged again for a day.
    pub(super) fn on_challenge_reply(&mut self, player: Handle, error: Option<RequestError>) {
        use Refusal::{AlreadyOffered, Examining, NoSuchPlayer, NotLoggedIn, PlayerBusy, Playing};
        let Some(failed) = &error else { return };
        self.matchmaking.challenged = None;
        let passes = [NotLoggedIn, NoSuchPlayer, PlayerBusy, Playing, Examining, AlreadyOffered];
        if failed.refusal_reason().is_some_and(|reason| !passes.contains(&reason)) {
            self.matchmaking.record_decline_by(&player, Instant::now());
        }
        self.report_error_if_any(None, Some(player), error);
    }

    /// Withdraws a challenge that was not answered, and reports it; the player is not challenged again for a day.
    fn withdraw_unanswered_challenge(&mut self, player: Handle, now: Instant) {
        self.matchmaking.record_decline_by(&player, now);
        self.report(BotAction::Challenged, None, Some(player.clone()), "withdrawn, as there was no answer");
        self.send_answer(OfferAnswer::to_challenge(OfferAnswerVerb::Withdraw, player));
    }

    /// Posts the seeks of the settings as manual ones, so that the policy judges the answers.
    fn post_seeks(&mut self) {
        for ad in self.config.seek.ads.clone() {
            self.report(BotAction::Sought, None, None, &*ad);
            // `m`: an answer is a challenge, which the policy judges.
            self.spawn_request(None, format!("seek {ad} m"));
        }
    }

    /// Withdraws seeks and challenges and cancels those that are planned, as no new game may begin.
    pub(super) fn withdraw_seeks_and_challenge(&mut self) {
        self.matchmaking.plan(None, None);
        if let Some(player) = self.matchmaking.challenged.take() {
            self.send_answer(OfferAnswer::to_challenge(OfferAnswerVerb::Withdraw, player));
        }
        if self.config.seek.ads.is_empty() {
            return;
        }
        let client = self.client.clone();
        self.requests.spawn(async move {
            // Without an open seek the server refuses.
            let _ = client.unseek_all().await;
            RequestOutcome::Other(None, None)
        });
    }

    /// Remembers the computers of the list, and challenges a random suitable player if a game may still begin. Reports an error of the
    /// request.
    pub(super) fn on_candidates_reply(&mut self, result: Result<WhoList, RequestError>) {
        let config = Arc::clone(&self.config);
        let Some(rules) = &config.matchmaking else { return };
        let list = match result {
            Ok(list) => list,
            Err(error) => return self.report(BotAction::ServerRefused, None, None, error.to_string()),
        };
        self.matchmaking.record_computers(&list);
        if !self.may_begin_game() {
            return;
        }
        let suitable: Vec<_> = suitable_players(&list, rules).filter(|player| self.may_challenge(player)).collect();
        if let Some(player) = self.matchmaking.random.choice(suitable) {
            self.challenge_on_random_terms(player, rules);
        }
    }

    /// Proposes another game of this variant to an opponent who has not declined, within the limit of the settings, if the engine
    /// plays the variant and a game may begin.
    pub(super) fn propose_rematch_if_allowed(&mut self, opponent: &Handle, variant: &String) {
        let is_played = self.engine.as_ref().is_some_and(|engine| engine.variants.contains(variant));
        let is_enough = self.matchmaking.n_rematches >= self.config.rematch.propose;
        if is_enough || !self.may_challenge(opponent) || !is_played || !self.may_begin_game() {
            return;
        }
        self.matchmaking.n_rematches += 1;
        self.report(BotAction::Challenged, None, Some(opponent.clone()), "rematch");
        self.send_challenge(opponent.clone(), command::rematch());
    }
}
