//! Answers to other players: challenges, offers, partnerships and talk.

use std::time::Duration;

use kibitzer::command::{self, OfferOutcome, OfferRef};
use kibitzer::core::message::listing::Finger;
use kibitzer::core::message::{
    Challenge, ChallengeChange, ChallengeUpdate, MeOrOther, OfferKind, OfferNotice, PartnershipUpdate, Refusal, Talk,
};
use kibitzer::{Handle, RequestError, TalkKind};
use tokio::time::Instant;

use super::StopUrgency;
use super::matchmaking_state::LinkState;
use super::player::BotPlayer;
use super::requests::{OfferAnswer, OfferAnswerVerb, RequestOutcome};
use crate::config::contains_player;
use crate::policy::{ChallengeSituation, GameSituation, Policy};
use crate::tracker::{GameKey, TrackedGame, TrackedState};
use crate::verdict::{BotAction, Verdict};

/// Delay of a private message above which it is reported.
const TELL_DELAY: Duration = Duration::from_secs(2);

/// Longest answer in characters; longer ones are cut, as servers limit a tell to about 400 bytes.
const MAX_ANSWER: usize = 300;

impl<P: Policy + Clone> BotPlayer<P> {
    /// Accepts or declines another player's challenge by the policy, or postpones it while the connection is down, no engine runs or
    /// a game is interrupted. Sends each reason of a refusal once to a player.
    pub(super) fn on_challenge(&mut self, challenge: &Challenge) {
        if challenge.actor != MeOrOther::Other {
            return;
        }
        // The server adjourned the interrupted game if it can be resumed.
        let is_undecided = self.awaits_interrupted_game() && !challenge.adjourned;
        if self.matchmaking.link == LinkState::Down || self.engine.is_none() || is_undecided {
            let (action, reason) = if self.matchmaking.postpone_challenge(challenge) {
                (BotAction::Delayed, "answered when connection, engine and interrupted game are there")
            } else {
                (BotAction::Dropped, "too many challenges wait")
            };
            return self.report(action, None, Some(challenge.from.clone()), reason);
        }
        let player = challenge.from.clone();
        let is_playing = self.is_playing_or_interrupted() && !(challenge.adjourned && self.awaits_interrupted_game());
        let variants = self.engine.as_ref().map_or(&[][..], |engine| &engine.variants);
        let situation = ChallengeSituation {
            config: &self.config,
            variants,
            is_busy: is_playing || self.matchmaking.is_accepting,
            is_closed: self.urgency != StopUrgency::None || self.matchmaking.is_paused,
            games_with_opponent: self.matchmaking.n_games_in_last_day(&player, Instant::now()),
        };
        let verdict = self.policy.judge_challenge(challenge, &situation);
        if verdict.decision {
            self.report(BotAction::Accepted, None, Some(player.clone()), verdict.reason);
            self.matchmaking.is_accepting = true;
            self.send_answer(OfferAnswer::to_challenge(OfferAnswerVerb::Accept, player));
        } else {
            self.report(BotAction::Declined, None, Some(player.clone()), &*verdict.reason);
            self.send_answer(OfferAnswer::to_challenge(OfferAnswerVerb::Decline, player.clone()));
            if self.matchmaking.record_reason_if_new(&player, &verdict.reason) {
                self.tell(&player, &verdict.reason);
            }
        }
    }

    /// Answers the challenges that were postponed. Does nothing while the connection is down, no engine runs or a game is interrupted.
    pub(super) fn answer_postponed_challenges(&mut self) {
        if self.matchmaking.link != LinkState::Down && self.engine.is_some() && !self.awaits_interrupted_game() {
            for challenge in std::mem::take(&mut self.matchmaking.postponed_challenges) {
                self.on_challenge(&challenge);
            }
        }
    }

    /// Remembers a player who declined or countered a challenge of the bot, and reports that; ignores other changes.
    pub(super) fn on_own_challenge_declined(&mut self, update: &ChallengeUpdate) {
        use ChallengeChange::{Countered, Declined};
        if let (Some(name), MeOrOther::Other, Declined | Countered) = (&update.name, update.actor, update.change) {
            self.matchmaking.record_decline_by(name, Instant::now());
            self.report(BotAction::Challenged, None, Some(name.clone()), "was declined; not asked again for 24 hours");
        }
    }

    /// Answers an offer of the opponent by the policy; accepts every end of a game that the bot has given up. Ignores offers that
    /// are answered already, that name a game, or that come without a game in progress.
    pub(super) fn on_opponent_offer(&mut self, offer: &OfferNotice) {
        if offer.actor != MeOrOther::Other || offer.answer.is_some() || offer.game.is_some() {
            return;
        }
        let Some(game) = self.games.tracker().iter().find(|game| game.state() == TrackedState::Playing) else { return };
        let (key, Some(decisions)) = (game.key(), self.decisions.get_mut(&game.key())) else { return };
        let is_an_end = matches!(offer.kind, OfferKind::Draw | OfferKind::Abort | OfferKind::Adjourn);
        let verdict = if decisions.has_given_up && is_an_end {
            Verdict::accept("the bot cannot play on")
        } else {
            let (scores, takebacks) = (&decisions.scores, decisions.takebacks);
            self.policy.judge_offer(offer.kind, &GameSituation { config: &self.config, game, scores, takebacks })
        };
        if verdict.decision && offer.kind == OfferKind::Takeback {
            decisions.takebacks += 1;
        }
        self.report_and_answer_offer(key, offer.kind, &verdict);
    }

    /// Reports the decision about an offer, and sends the answer.
    fn report_and_answer_offer(&mut self, key: GameKey, kind: OfferKind, verdict: &Verdict<bool>) {
        let action = if verdict.decision { BotAction::Granted } else { BotAction::Refused };
        self.report(action, Some(key), None, format!("{kind}: {}", verdict.reason));
        let verb = if verdict.decision { OfferAnswerVerb::Accept } else { OfferAnswerVerb::Decline };
        self.send_answer(OfferAnswer { verb, offer: OfferRef::Kind(kind), game: Some(key) });
    }

    /// Sends an answer to an offer, or its withdrawal, in a task of its own.
    pub(super) fn send_answer(&mut self, answer: OfferAnswer) {
        self.requests.spawn(answer.send(self.client.clone()));
    }

    /// Handles the reply to an answer. If the server did not find the offer by name or kind and its number is known, answers again by
    /// number. Otherwise reports an error, unless an offer was declined or withdrawn that no longer existed, as after a move that
    /// crossed it. After an accepted challenge that started no game, the bot can accept the next one.
    pub(super) fn on_answer_reply(&mut self, answer: OfferAnswer, result: Result<Option<OfferOutcome>, RequestError>) {
        // FatICS ignores names and kinds: there an offer is selected by its number, which follows the offer itself.
        if matches!(result, Err(RequestError::Unexpected { .. }))
            && let Some(number) = answer.offer_number(&self.pending_offers)
        {
            return self.send_answer(OfferAnswer { offer: OfferRef::Number(number), ..answer });
        }
        // The first board of a game that has started may be still to come.
        let has_started = matches!(result, Ok(Some(OfferOutcome::Started(_))));
        if answer.verb == OfferAnswerVerb::Accept && answer.game.is_none() && !has_started {
            self.matchmaking.is_accepting = false;
        }
        let is_gone = result.as_ref().is_err_and(|error| error.is_refused_for(Refusal::NoSuchOffer));
        if is_gone && answer.verb != OfferAnswerVerb::Accept {
            return;
        }
        let player = if let OfferRef::Player(player) = answer.offer { Some(player) } else { None };
        self.report_error_if_any(answer.game, player, result.err());
    }

    /// Declines an offered bughouse partnership, as a bot plays one board alone; ignores other messages about partners.
    pub(super) fn decline_partnership(&mut self, partner: &PartnershipUpdate) {
        let PartnershipUpdate::Offered(player) = partner else { return };
        self.report(BotAction::Refused, None, Some(player.clone()), "the bot does not play bughouse with a partner");
        // Servers word the answer in several ways.
        self.spawn_request(None, format!("decline {player}"));
    }

    /// Handles a private message. Requests the profile of a sender with the name of an owner, as only a registered owner may
    /// command; sends any other player the reply of the policy. Ignores other talk.
    pub(super) fn on_talk(&mut self, talk: &Talk) {
        let (TalkKind::Tell | TalkKind::Say { .. }, Some(from)) = (talk.kind, talk.from()) else { return };
        let text = talk.text();
        if contains_player(&self.config.talk.owners, &from) {
            let (client, text) = (self.client.clone(), text.trim().to_owned());
            self.requests.spawn(async move {
                let is_it = |it: Finger| !it.is_unregistered && it.player.name.is_same_player(from.as_str());
                let result = client.finger(from.clone()).await.map(is_it);
                RequestOutcome::Owner(from, text, result)
            });
        } else {
            self.answer_message(&from, &text);
        }
    }

    /// Executes the command of an owner who is registered. Any guest may take the name of an owner who is not: that sender gets the
    /// answer of any other player.
    pub(super) fn on_owner_reply(&mut self, from: Handle, text: &str, result: Result<bool, RequestError>) {
        match result {
            Ok(true) => self.run_owner_command(&from, text),
            Ok(false) => {
                let reason = "has the name of an owner, but is not registered";
                self.report(BotAction::Refused, None, Some(from.clone()), reason);
                self.answer_message(&from, text);
            }
            Err(error) => self.report_error_if_any(None, Some(from), Some(error)),
        }
    }

    /// Sends a player the reply of the policy to a message, at most one in 10 s to each player.
    fn answer_message(&mut self, from: &Handle, text: &str) {
        let Some(answer) = self.policy.choose_reply(from, text, &self.config) else { return };
        if self.matchmaking.record_answer_if_allowed(from, Instant::now()) {
            self.tell(from, &answer);
        } else {
            self.report(BotAction::Dropped, None, Some(from.clone()), "the last answer is less than 10 s ago");
        }
    }

    /// Executes a command of an owner and sends the owner the result; the answer to an unknown command lists the commands.
    fn run_owner_command(&mut self, owner: &Handle, command: &str) {
        self.report(BotAction::Obeyed, None, Some(owner.clone()), command.chars().take(MAX_ANSWER).collect::<String>());
        let playing = self.playing_game().map(TrackedGame::key);
        let answer = match (command, playing) {
            ("status", _) => self.status_line(),
            ("pause", _) => {
                self.matchmaking.is_paused = true;
                self.withdraw_seeks_and_challenge();
                "no new games until: play".to_owned()
            }
            ("play", _) => {
                self.matchmaking.is_paused = false;
                self.plan_seeks_and_challenge(Instant::now());
                "playing".to_owned()
            }
            ("resign", Some(key)) => {
                self.resign(key, "an owner said so");
                "resigned".to_owned()
            }
            ("abort", Some(key)) => {
                self.report(BotAction::Aborted, Some(key), None, "an owner said so");
                self.spawn_request(Some(key), command::abort());
                "asked to abort".to_owned()
            }
            ("stop", _) => {
                self.on_stop_requested(StopUrgency::AfterGame);
                "stopping after the game".to_owned()
            }
            ("resign" | "abort", None) => "no game is in progress".to_owned(),
            _ => "commands: status, pause, play, resign, abort, stop".to_owned(),
        };
        self.tell(owner, &answer);
    }

    /// Returns one line for an owner: mode, engine, game and number of games.
    fn status_line(&self) -> String {
        let engine = self.engine.as_ref().map_or("no engine", |engine| &engine.name);
        let game = self.playing_game().map_or("no game".to_owned(), |game| {
            format!("game {}, move {}", game.number(), game.position().move_number())
        });
        let mode = if self.matchmaking.is_paused { "paused" } else { "playing" };
        format!("{mode}, {engine}, {game}, {} games since the start", self.matchmaking.n_games_started)
    }

    /// Sends the greeting of the settings, if there is one, with the names of opponent and engine in place of `{opponent}` and
    /// `{engine}`.
    pub(super) fn greet(&mut self, opponent: &Handle) {
        let engine = self.engine.as_ref().map_or("", |engine| &engine.name);
        let words = &self.config.talk.greeting;
        let words = words.replace("{opponent}", opponent.as_str()).replace("{engine}", engine);
        self.tell(opponent, &words);
    }

    /// Sends the closing words of the settings, if there are any.
    pub(super) fn say_goodbye(&mut self, opponent: &Handle) {
        let words = self.config.talk.goodbye.replace("{opponent}", opponent.as_str());
        self.tell(opponent, &words);
    }

    /// Sends a private message to a player and reports it. Removes control characters and cuts it to [`MAX_ANSWER`] characters; does
    /// nothing if it is empty.
    fn tell(&mut self, player: &Handle, words: &str) {
        if words.is_empty() {
            return;
        }
        let words: String = words.chars().filter(|letter| !letter.is_control()).take(MAX_ANSWER).collect();
        self.report(BotAction::Said, None, Some(player.clone()), &*words);
        let (client, player, began) = (self.client.clone(), player.clone(), Instant::now());
        self.requests.spawn(async move {
            let result = client.request(&command::Talk::tell(&player, words)).await;
            RequestOutcome::Said(player, began, result.err())
        });
    }

    /// Reports the error of a private message, or its delay if that was longer than [`TELL_DELAY`].
    pub(super) fn on_tell_reply(&self, player: Handle, began: Instant, error: Option<RequestError>) {
        let delay = began.elapsed();
        if error.is_none() && delay > TELL_DELAY {
            self.report(BotAction::Delayed, None, Some(player), format!("the message was delivered after {delay:.0?}"));
        } else {
            self.report_error_if_any(None, Some(player), error);
        }
    }
}
