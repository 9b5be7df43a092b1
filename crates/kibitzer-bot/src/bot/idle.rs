//! Between games: seeks, challenges to other players, rematches.

use std::sync::Arc;
use std::time::Duration;

use kibitzer::command::OfferRef;
use kibitzer::core::message::listing::WhoList;
use kibitzer::{Handle, RequestError};
use tokio::time::Instant;

use super::Urgency;
use super::player::Player;
use super::requests::Outcome;
use crate::config::MatchmakingRules;
use crate::policy::Policy;
use crate::verdict::BotAction;

/// Time from the end of a game to the next seeks.
const SEEK_DELAY: Duration = Duration::from_secs(3);

impl<P: Policy + Clone> Player<P> {
    /// Plans seeks and challenges after the end of a game, or when the session is ready.
    pub(super) fn become_idle(&mut self, now: Instant) {
        if self.is_playing() || self.urgency != Urgency::None || self.idle.is_paused {
            return;
        }
        let rules = &self.config.rules;
        let seeks_at = (!rules.seek.ads.is_empty()).then(|| now + SEEK_DELAY);
        let challenge_at = rules.matchmaking.as_ref().map(|rules| now + rules.pause);
        self.idle.plan(seeks_at, challenge_at);
    }

    /// Does what is due without a game.
    pub(super) fn on_idle(&mut self, now: Instant) {
        let can_play = !self.is_playing() && !self.idle.is_accepting && self.engine.is_some();
        if self.idle.seeks_at.is_some_and(|at| at <= now) {
            // Without an engine, the seeks are posted later.
            self.idle.seeks_at = self.engine.is_none().then(|| now + SEEK_DELAY);
            if can_play {
                self.post_seeks();
            }
        }
        if self.idle.challenge_at.is_some_and(|at| at <= now) {
            self.idle.challenge_at = self.config.rules.matchmaking.as_ref().map(|rules| now + rules.pause);
            if can_play {
                self.look_for_opponent(now);
            }
        }
    }

    /// Challenges one of the configured players, or requests the list of those who are logged in.
    fn look_for_opponent(&mut self, now: Instant) {
        let config = Arc::clone(&self.config);
        let Some(rules) = &config.rules.matchmaking else { return };
        if let Some(player) = self.idle.challenged.take() {
            self.withdraw_challenge(player, now);
        }
        if rules.players.is_empty() {
            let client = self.client.clone();
            return self.requests.send(async move { Outcome::Candidates(client.who().await) });
        }
        let players: Vec<_> = rules.players.iter().filter(|player| !self.idle.has_refused(player, now)).collect();
        if let Some(player) = self.idle.choose(&players).map(|player| (*player).clone()) {
            self.challenge(&player, rules);
        }
    }

    fn challenge(&mut self, player: &Handle, rules: &MatchmakingRules) {
        let Some(terms) = self.idle.choose(&rules.terms) else { return };
        self.report(BotAction::Challenged, None, Some(player.clone()), &**terms);
        self.idle.challenged = Some(player.clone());
        let (client, line) = (self.client.clone(), format!("match {player} {terms}"));
        self.requests.send(async move { Outcome::Other(None, client.request(&*line).await.err()) });
    }

    /// Withdraws a challenge that was not answered; the player is not asked again for a day.
    fn withdraw_challenge(&mut self, player: Handle, now: Instant) {
        self.idle.refused(&player, now);
        self.report(BotAction::Challenged, None, Some(player.clone()), "withdrawn, as there was no answer");
        let (client, offer) = (self.client.clone(), OfferRef::Player(player));
        self.requests.send(async move { Outcome::Other(None, client.withdraw(offer).await.err()) });
    }

    fn post_seeks(&mut self) {
        for ad in self.config.rules.seek.ads.clone() {
            self.report(BotAction::Sought, None, None, &*ad);
            let client = self.client.clone();
            // `m`: an answer is a challenge, which the policy judges.
            let request = async move { client.request(&*format!("seek {ad} m")).await.err() };
            self.requests.send(async move { Outcome::Other(None, request.await) });
        }
    }

    pub(super) fn withdraw_seeks(&mut self) {
        self.idle.plan(None, None);
        if self.config.rules.seek.ads.is_empty() {
            return;
        }
        let client = self.client.clone();
        self.requests.send(async move {
            // Without an open seek the server refuses.
            let _ = client.unseek_all().await;
            Outcome::Other(None, None)
        });
    }

    pub(super) fn on_candidates(&mut self, result: Result<WhoList, RequestError>) {
        let rules = Arc::clone(&self.config);
        let Some(rules) = &rules.rules.matchmaking else { return };
        let list = match result {
            Ok(list) => list,
            Err(error) => return self.report(BotAction::ServerRefused, None, None, error.to_string()),
        };
        if self.is_playing() || self.idle.is_accepting {
            return;
        }
        let me = self.client.handle();
        let Some(player) = self.idle.candidate(&list, me.as_ref(), rules, Instant::now()) else { return };
        self.challenge(&player, rules);
    }

    /// Proposes another game, within the limit of the settings.
    pub(super) fn propose_rematch(&mut self, opponent: &Handle) {
        if self.idle.n_rematches >= self.config.rules.rematch.propose
            || self.urgency != Urgency::None
            || self.idle.is_paused
        {
            return;
        }
        self.idle.n_rematches += 1;
        self.report(BotAction::Challenged, None, Some(opponent.clone()), "rematch");
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Other(None, client.rematch().await.err()) });
    }
}
