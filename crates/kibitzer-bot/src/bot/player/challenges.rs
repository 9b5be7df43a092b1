//! Challenges and requests for a simul: the decision of the policy, what it needs to know, and what has to wait.

use kibitzer::command::OfferRef;
use kibitzer::{Handle, Message, RequestError};
use kibitzer_core::message::{Challenge, MeOrOther, PendingOffer, Titles};
use tokio::time::Instant;

use super::answers::{AnswerToOffer, Answers, OfferAnswerVerb};
use super::{Availability, BotPlayer, LinkState};
use crate::config::Preference;
use crate::policy::{ChallengeSituation, Policy};
use crate::verdict::{BotAction, Verdict};

/// Number of challenges that are postponed, or wait for the end of a game; further ones are not answered.
const MAX_POSTPONED_CHALLENGES: usize = 16;

/// The server's word for a request to join a simul in the list of pending offers.
pub(super) const SIMUL: &str = "simul";

impl BotPlayer {
    /// Accepts or declines another player's challenge by the policy. Postpones it while the connection is down, no engine runs or a
    /// game is interrupted, and until the player's titles are known if they are needed; that of a person also while a game is in
    /// progress, if the settings prefer people. Sends each reason of a refusal once to a player.
    pub(super) fn on_challenge(&mut self, challenge: &Challenge) {
        if challenge.actor != MeOrOther::Other {
            return;
        }
        let player = &challenge.from;
        // The server adjourned the interrupted game if it can be resumed.
        let is_undecided = self.awaits_interrupted_game() && !challenge.adjourned;
        let is_unready = self.games.engine.info.is_none() || self.link == LinkState::Down || is_undecided;
        if !challenge.from_titles.is_empty() {
            self.matchmaking.opponents.record_titles(player, &challenge.from_titles, Instant::now());
        }
        // Titles do not matter for the resumption of a game.
        if is_unready || (!challenge.adjourned && self.requests_titles(player)) {
            if !postpone(&mut self.answers.postponed, challenge) {
                self.out.report_to(BotAction::Dropped, player, "too many challenges wait");
            } else if is_unready {
                let reason = "answered when connection, engine and interrupted game are there";
                self.out.report_to(BotAction::Delayed, player, reason);
            }
            return;
        }
        let prefers_people = self.out.config.accept.prefer == Preference::Humans;
        let is_playing = self.is_playing_or_interrupted() && !(challenge.adjourned && self.awaits_interrupted_game());
        let is_busy = is_playing || self.answers.is_accepting;
        let may_wait = is_busy && prefers_people && !self.matchmaking.opponents.is_known_computer(player);
        let verdict =
            self.judge(player, is_busy && !may_wait, |policy, situation| policy.judge_challenge(challenge, situation));
        if !verdict.decision {
            return self.decline_challenge(OfferRef::Player(player.clone()), player, &verdict.reason);
        }
        if may_wait {
            return self.let_challenge_wait(challenge);
        }
        self.out.report_to(BotAction::Accepted, player, verdict.reason);
        self.answers.is_accepting = true;
        AnswerToOffer::to_challenge(OfferAnswerVerb::Accept, player.clone()).send(&self.out);
    }

    /// Passes the situation of a challenge by a player to the policy, and returns its decision.
    fn judge(
        &mut self,
        player: &Handle,
        is_busy: bool,
        decide: impl FnOnce(&mut dyn Policy, &ChallengeSituation<'_>) -> Verdict<bool>,
    ) -> Verdict<bool> {
        let (now, unknown) = (Instant::now(), Titles::default());
        let situation = ChallengeSituation {
            config: &self.out.config,
            variants: self.games.engine.info.as_ref().map_or(&[], |engine| &engine.variants),
            titles: self.matchmaking.opponents.titles_of(player, now).unwrap_or(&unknown),
            is_busy,
            is_closed: self.stopping.has_begun() || self.is_paused,
            games_with_opponent: self.matchmaking.opponents.n_games_in_last_day(player, now),
        };
        decide(&mut *self.policy, &situation)
    }

    /// Declines a challenge or a request for a simul, and tells the player the reason, once.
    fn decline_challenge(&mut self, offer: OfferRef, player: &Handle, reason: &str) {
        self.out.report_to(BotAction::Declined, player, reason);
        AnswerToOffer { verb: OfferAnswerVerb::Decline, offer, game: None }.send(&self.out);
        if self.matchmaking.opponents.record_reason_if_new(player, reason) {
            self.out.tell(player, reason);
        }
    }

    /// Keeps a challenge until the game in progress is over, and tells the player, once. Declines it if too many wait.
    fn let_challenge_wait(&mut self, challenge: &Challenge) {
        let player = &challenge.from;
        self.drop_withdrawn_challenges();
        if !postpone(&mut self.answers.waiting, challenge) {
            return self.decline_challenge(OfferRef::Player(player.clone()), player, "too many others wait");
        }
        let reason = "a game is in progress; your challenge is answered when it is over";
        self.out.report_to(BotAction::Delayed, player, reason);
        if self.matchmaking.opponents.record_reason_if_new(player, reason) {
            self.out.tell(player, reason);
        }
    }

    /// Returns whether the policy needs the titles of a player that are not known. Then requests them, unless it has done so; the
    /// postponed challenges and an open request for a simul are answered after the reply. If the server replies without titles, the
    /// player has none. Without a reply, the challenge is dropped.
    fn requests_titles(&mut self, player: &Handle) -> bool {
        let is_known = self.matchmaking.opponents.titles_of(player, Instant::now()).is_some();
        if is_known || !self.policy.needs_titles(&self.out.config) {
            return false;
        }
        if !self.answers.asked.contains(player) {
            self.answers.asked.push(player.clone());
            let (asked, player) = (player.clone(), player.clone());
            self.out.request(
                |client| async move { client.finger(asked).await },
                move |bot, result| {
                    bot.answers.asked.retain(|asked| *asked != player);
                    let titles = match result {
                        Ok(finger) => finger.player.titles,
                        // Asked again if the player challenges again.
                        Err(RequestError::Lost | RequestError::NotConnected | RequestError::Ended(_)) => return,
                        Err(error) => {
                            let has_replied = error.text().is_some();
                            bot.out.report_error_if_any(None, Some(&player), Some(error));
                            if !has_replied {
                                return bot.answers.postponed.retain(|challenge| challenge.from != player);
                            }
                            Titles::default()
                        }
                    };
                    bot.matchmaking.opponents.record_titles(&player, &titles, Instant::now());
                    let simul = bot.answers.open.received().find_map(|offer| match &offer.report {
                        Message::Pending(pending) if pending.kind == SIMUL && pending.name == player => {
                            Some(pending.clone())
                        }
                        _ => None,
                    });
                    if let Some(pending) = simul {
                        bot.on_pending_offer(&pending);
                    }
                    bot.answer_postponed_challenges();
                },
            );
        }
        true
    }

    /// Accepts or declines a player's request to join a simultaneous exhibition of the bot, by the policy; ignores other offers.
    pub(super) fn on_pending_offer(&mut self, offer: &PendingOffer) {
        let (player, number) = (&offer.name, OfferRef::Number(offer.index));
        let is_ready = self.link != LinkState::Down && self.games.engine.info.is_some();
        if offer.actor != MeOrOther::Other || offer.kind != SIMUL || !is_ready || self.requests_titles(player) {
            return;
        }
        let is_busy = self.availability() != Availability::Free;
        let verdict = self.judge(player, is_busy, |policy, situation| policy.judge_simul(player, situation));
        if !verdict.decision {
            return self.decline_challenge(number, player, &verdict.reason);
        }
        self.out.report_to(BotAction::Accepted, player, verdict.reason);
        self.answers.is_accepting = true;
        AnswerToOffer { verb: OfferAnswerVerb::Accept, offer: number, game: None }.send(&self.out);
    }

    /// Answers the challenges that were postponed, and those that wait for the end of the game, which come first. Does nothing while
    /// the connection is down, no engine runs or a game is interrupted.
    pub(super) fn answer_postponed_challenges(&mut self) {
        let has_engine = self.games.engine.info.is_some();
        if self.link == LinkState::Down || !has_engine || self.awaits_interrupted_game() {
            return;
        }
        let mut challenges = Vec::new();
        if self.games.playing().is_none() && !self.answers.is_accepting {
            self.drop_withdrawn_challenges();
            challenges.append(&mut self.answers.waiting);
        }
        challenges.append(&mut self.answers.postponed);
        for challenge in challenges {
            self.on_challenge(&challenge);
        }
    }

    /// Drops the waiting challenges that are no longer open, and reports them.
    fn drop_withdrawn_challenges(&mut self) {
        let Answers { open, waiting, .. } = &mut self.answers;
        waiting.retain(|challenge| {
            let from = &challenge.from;
            let is_open = open.received().any(|offer| offer.is_challenge() && offer.has_player(from));
            if !is_open {
                self.out.report_to(BotAction::Dropped, from, "the challenge that waited was withdrawn");
            }
            is_open
        });
    }
}

/// Adds a challenge to a list; it replaces an earlier one of the same player. Drops it, and returns `false`, if the list has
/// [`MAX_POSTPONED_CHALLENGES`].
fn postpone(list: &mut Vec<Challenge>, challenge: &Challenge) -> bool {
    list.retain(|known| known.from != challenge.from);
    let has_room = list.len() < MAX_POSTPONED_CHALLENGES;
    list.extend(has_room.then(|| challenge.clone()));
    has_room
}
