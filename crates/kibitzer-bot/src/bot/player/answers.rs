//! Answers to other players: offers, partnerships and talk; and how an offer is answered.

use std::sync::Arc;
use std::time::Duration;

use kibitzer::command::{self, OfferOutcome, OfferRef};
use kibitzer::track::TrackedGame;
use kibitzer::{Client, GameId, Handle, RequestError, TalkKind};
use kibitzer_core::game::{OpenOffer, PendingOffers};
use kibitzer_core::message::listing::Finger;
use kibitzer_core::message::{
    Challenge, ChallengeChange, ChallengeUpdate, MeOrOther, OfferNotice, PartnershipUpdate, Refusal, Talk, Titles,
};
use tokio::time::{Instant, timeout};

use super::BotPlayer;
use super::output::{MAX_LATE_REPLIES, Output};
use crate::bot::stop::StopUrgency;
use crate::policy::{TalkReply, TalkSituation};
use crate::verdict::BotAction;

/// Delay of a private message above which it is reported.
const TELL_DELAY: Duration = Duration::from_secs(2);

/// Longest answer in characters; longer ones are cut, as servers limit a tell to about 400 bytes.
const MAX_ANSWER: usize = 300;

/// Longest time until a reply of the policy is known.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// The commands of an owner.
const OWNER_COMMANDS: [&str; 6] = ["status", "pause", "play", "resign", "abort", "stop"];

/// The offers of other players, and what is known of the answers.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The open offers of this connection.
    pub(super) open: PendingOffers,
    /// Challenges that arrived before the session was ready, or before it was known whether an interrupted game goes on; and those
    /// of players whose titles are being requested.
    pub(super) postponed: Vec<Challenge>,
    /// Challenges of people that wait for the end of the game.
    pub(super) waiting: Vec<Challenge>,
    /// Players whose titles are being requested.
    pub(super) asked: Vec<Handle>,
    /// Whether a challenge was accepted whose game has not started yet.
    pub(super) is_accepting: bool,
}

/// A message to the bot, or a kibitz.
#[derive(Debug)]
struct ReceivedTalk {
    from: Handle,
    titles: Titles,
    kind: TalkKind,
    text: String,
}

/// An answer to an offer, or its withdrawal.
#[derive(Clone, Debug)]
pub(super) struct AnswerToOffer {
    pub(super) verb: OfferAnswerVerb,
    pub(super) offer: OfferRef,
    /// The game in which the offer was made; `None` for a challenge.
    pub(super) game: Option<GameId>,
}

/// Command that answers or withdraws an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferAnswerVerb {
    Accept,
    Decline,
    /// Only for offers of the bot.
    Withdraw,
}

impl AnswerToOffer {
    /// Returns the answer to the challenge of a player, or the withdrawal of the challenge to that player. Sends nothing.
    pub(super) const fn to_challenge(verb: OfferAnswerVerb, player: Handle) -> Self {
        Self { verb, offer: OfferRef::Player(player), game: None }
    }

    /// Returns the number of the newest open offer that the answer selects by name or kind; `None` if it is not known.
    fn offer_number(&self, offers: &PendingOffers) -> Option<u32> {
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

    /// Sends the answer in a task of its own.
    pub(super) fn send(self, out: &Output) {
        let (verb, offer) = (self.verb, self.offer.clone());
        let send = move |client: Client| async move {
            match verb {
                OfferAnswerVerb::Accept => client.accept(offer).await.map(Some),
                OfferAnswerVerb::Decline => client.decline(offer).await.map(|_| None),
                OfferAnswerVerb::Withdraw => client.withdraw(offer).await.map(|_| None),
            }
        };
        out.request(send, move |bot, result| bot.on_answer_reply(&self, result));
    }
}

impl Output {
    /// Sends a private message to a player and reports it. Removes control characters and cuts it to [`MAX_ANSWER`] characters; does
    /// nothing if it is empty. Reports an error, or a delay of more than [`TELL_DELAY`].
    pub(super) fn tell(&self, player: &Handle, words: &str) {
        if words.is_empty() {
            return;
        }
        let words: String = words.chars().filter(|letter| !letter.is_control()).take(MAX_ANSWER).collect();
        self.report_to(BotAction::Said, player, &*words);
        let (player, began) = (player.clone(), Instant::now());
        let message = command::TalkCommand::tell(&player, words);
        self.request(
            |client| async move { client.request(&message).await.err() },
            move |bot, error| {
                let delay = began.elapsed();
                if error.is_none() && delay > TELL_DELAY {
                    let reason = format!("the message was delivered after {delay:.0?}");
                    bot.out.report_to(BotAction::Delayed, &player, reason);
                }
                bot.out.report_error_if_any(None, Some(&player), error);
            },
        );
    }
}

impl BotPlayer {
    /// Remembers a player who declined or countered a challenge of the bot, and reports that; ignores other changes.
    pub(super) fn on_challenge_update(&mut self, update: &ChallengeUpdate) {
        use ChallengeChange::{Countered, Declined};
        if let (Some(name), MeOrOther::Other, Declined | Countered) = (&update.name, update.actor, update.change) {
            self.matchmaking.on_decline_by(name);
            self.out.report_to(BotAction::Challenged, name, "was declined; not asked again for 24 hours");
        }
    }

    /// Answers an offer of the opponent. Ignores offers that are answered already, that name a game, or that come without a game in
    /// progress.
    pub(super) fn on_offer(&mut self, offer: &OfferNotice) {
        if offer.actor != MeOrOther::Other || offer.answer.is_some() || offer.game.is_some() {
            return;
        }
        if let Some((game, is_granted)) = self.games.judge_offer(offer.kind, &mut *self.policy) {
            let verb = if is_granted { OfferAnswerVerb::Accept } else { OfferAnswerVerb::Decline };
            AnswerToOffer { verb, offer: OfferRef::Kind(offer.kind), game: Some(game) }.send(&self.out);
        }
    }

    /// Handles the reply to an answer. If the server did not find the offer by name or kind and its number is known, answers again by
    /// number. Otherwise reports an error, unless an offer was declined or withdrawn that no longer existed, as after a move that
    /// crossed it. After an accepted challenge that started no game, the bot can accept the next one.
    fn on_answer_reply(&mut self, answer: &AnswerToOffer, result: Result<Option<OfferOutcome>, RequestError>) {
        // FatICS ignores names and kinds: there an offer is selected by its number, which follows the offer itself.
        if matches!(result, Err(RequestError::Unexpected { .. }))
            && let Some(number) = answer.offer_number(&self.answers.open)
        {
            return AnswerToOffer { offer: OfferRef::Number(number), ..*answer }.send(&self.out);
        }
        // The first board of a game that has started may be still to come.
        let has_started = matches!(result, Ok(Some(OfferOutcome::Started(_))));
        if answer.verb == OfferAnswerVerb::Accept && answer.game.is_none() && !has_started {
            self.answers.is_accepting = false;
            self.answer_postponed_challenges();
        }
        let is_gone = result.as_ref().is_err_and(|error| error.is_refused_for(Refusal::NoSuchOffer));
        if is_gone && answer.verb != OfferAnswerVerb::Accept {
            return;
        }
        let player = if let OfferRef::Player(player) = &answer.offer { Some(player) } else { None };
        self.out.report_error_if_any(answer.game, player, result.err());
    }

    /// Declines an offered bughouse partnership, as a bot plays one board alone; ignores other messages about partners.
    pub(super) fn on_partnership(&mut self, partner: &PartnershipUpdate) {
        let PartnershipUpdate::Offered(player) = partner else { return };
        self.out.report_to(BotAction::Refused, player, "the bot does not play bughouse with a partner");
        // Servers word the answer in several ways.
        self.out.send(None, format!("decline {player}"));
    }

    /// Returns the speaker of a private message or a kibitz; `None` for other talk and for the bot's own.
    pub(super) fn speaker_to_answer(&self, talk: &Talk) -> Option<Handle> {
        let is_answered = matches!(talk.kind, TalkKind::Tell | TalkKind::Say { .. } | TalkKind::Kibitz { .. });
        talk.speaker().filter(|from| is_answered && self.client.handle().as_ref() != Some(from))
    }

    /// Handles a private message or a kibitz. Requests the profile of a sender with the name of an owner, as only a registered
    /// owner may command; sends any other player the reply of the policy. Ignores other talk, and the bot's own.
    pub(super) fn on_talk(&mut self, talk: &Talk) {
        let Some(from) = self.speaker_to_answer(talk) else { return };
        let received = ReceivedTalk { from, titles: talk.titles(), kind: talk.kind, text: talk.text().into_owned() };
        let is_kibitz = matches!(talk.kind, TalkKind::Kibitz { .. });
        if is_kibitz || !self.out.config.talk.owners.contains(&received.from) {
            self.answer_message(&received);
            return;
        }
        let player = received.from.clone();
        self.out.request(
            |client| async move { client.finger(player).await },
            move |bot, result| match result {
                Ok(Finger { is_unregistered: false, player, .. }) if player.name == received.from => {
                    bot.run_owner_command(&received);
                }
                // Any guest may take the name of an owner who is not registered.
                Ok(_) => {
                    let reason = "has the name of an owner, but is not registered";
                    bot.out.report_to(BotAction::Refused, &received.from, reason);
                    bot.answer_message(&received);
                }
                Err(error) => bot.out.report_error_if_any(None, Some(&received.from), Some(error)),
            },
        );
    }

    /// Sends a player the reply of the policy to a message, unless the last one was a moment ago. Returns whether there is one.
    fn answer_message(&mut self, received: &ReceivedTalk) -> bool {
        let ReceivedTalk { from, titles, kind, text } = received;
        let number = match *kind {
            TalkKind::Say { game, .. } | TalkKind::Kibitz { game, .. } => game,
            _ => None,
        };
        let game = self.games.talked_about(number, from);
        let analysis = self.games.analysis.as_ref();
        let analysis = analysis.filter(|(key, _)| game.is_some_and(|it| it.game.key() == *key)).map(|(_, info)| info);
        let (config, kind) = (&*self.out.config, *kind);
        let talk = TalkSituation { config, from, titles, kind, text, game, analysis };
        let Some(reply) = self.policy.choose_reply(&talk) else { return false };
        let pause = config.talk.answer_pause;
        if !self.matchmaking.opponents.record_answer_if_allowed(from, Instant::now(), pause) {
            let reason = format!("the last answer is less than {} ago", humantime::format_duration(pause));
            self.out.report_to(BotAction::Suppressed, from, reason);
            return true;
        }
        match reply {
            TalkReply::Now(words) => self.out.tell(from, &words),
            TalkReply::Later(words) => {
                let Ok(permit) = Arc::clone(&self.out.late_replies).try_acquire_owned() else {
                    let reason = format!("no answer to a message: {MAX_LATE_REPLIES} others wait");
                    self.out.report_to(BotAction::Dropped, from, reason);
                    return true;
                };
                let player = from.clone();
                self.out.request(
                    |_| async move {
                        let _permit = permit;
                        timeout(REPLY_TIMEOUT, words).await
                    },
                    move |bot, words| match words {
                        Ok(words) => bot.out.tell(&player, &words.unwrap_or_default()),
                        Err(_) => bot.out.report_to(BotAction::Dropped, &player, "the answer took more than a minute"),
                    },
                );
            }
        }
        true
    }

    /// Executes a command of an owner and sends the owner the result. To other words the policy replies; without a reply, the
    /// answer lists the commands.
    fn run_owner_command(&mut self, received: &ReceivedTalk) {
        let (owner, command) = (&received.from, received.text.trim());
        if !OWNER_COMMANDS.contains(&command) && self.answer_message(received) {
            return;
        }
        self.out.report_to(BotAction::Obeyed, owner, command.chars().take(MAX_ANSWER).collect::<String>());
        let playing = self.games.playing().map(|game| (game.key(), game.number()));
        let answer = match (command, playing) {
            ("status", _) => self.status_line(),
            ("pause", _) => {
                self.is_paused = true;
                self.matchmaking.withdraw_all();
                "no new games until: play".to_owned()
            }
            ("play", _) => {
                self.is_paused = false;
                self.plan_next_game();
                "playing".to_owned()
            }
            ("resign", Some((key, _))) => {
                self.games.resign(key, "an owner said so");
                "resigned".to_owned()
            }
            ("abort", Some((_, number))) => {
                self.out.report_in_game(BotAction::Aborted, number, "an owner said so");
                self.out.send(Some(number), command::abort());
                "asked to abort".to_owned()
            }
            ("stop", _) => {
                self.on_stop_requested(StopUrgency::AfterGame);
                "stopping after the game".to_owned()
            }
            ("resign" | "abort", None) => "no game is in progress".to_owned(),
            _ => format!("commands: {}", OWNER_COMMANDS.join(", ")),
        };
        self.out.tell(owner, &answer);
    }

    /// Returns one line for an owner: mode, engine, game, number of games and results.
    fn status_line(&self) -> String {
        let engine = self.games.engine.info.as_ref().map_or("no engine", |engine| &engine.name);
        let describe = |game: &TrackedGame| format!("game {}, move {}", game.number(), game.position().move_number());
        let game = self.games.playing().map_or("no game".to_owned(), describe);
        let mode = if self.is_paused { "paused" } else { "playing" };
        let total = self.out.statistics.borrow().total;
        format!("{mode}, {engine}, {game}, {} games since the start; {total}", self.matchmaking.n_games_started)
    }

    /// Sends the greeting of the settings, if there is one, with the names of opponent and engine in place of `{opponent}` and
    /// `{engine}`.
    pub(super) fn greet(&mut self, opponent: &Handle) {
        let words = self.games.fill_in(&self.out.config.talk.greeting, Some(opponent));
        self.out.tell(opponent, &words);
    }

    /// Sends the closing words of the settings, if there are any.
    pub(super) fn say_goodbye(&mut self, opponent: &Handle) {
        let words = self.games.fill_in(&self.out.config.talk.goodbye, Some(opponent));
        self.out.tell(opponent, &words);
    }
}
