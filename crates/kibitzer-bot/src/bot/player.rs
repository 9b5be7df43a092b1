//! The loop of one account: it reads events, asks engine and policy, and sends requests.
//!
//! | part | owns |
//! |---|---|
//! | `games` | games, decisions in them and their files, engine, books, estimate of the lag |
//! | `answers` | open offers, postponed challenges |
//! | `matchmaking` | planned seeks and challenges, memory of other players |
//! | `stopping` | how far a stop has come |
//! | `out` | unanswered requests, receiver of the events |

mod answers;
mod challenges;
mod commentary;
mod decisions;
mod files;
mod games;
mod matchmaking;
mod moves;
mod opponents;
mod output;
mod records;

use kibitzer::command;
use kibitzer::track::{TrackedChange, TrackedChangeKind};
use kibitzer::{Client, Event, Message, RecvError, RequestError, SessionEndReason, Subscription};
use kibitzer_core::event::LostCause;
use kibitzer_core::message::{GameResult, MeOrOther};
use kibitzer_core::text::error_chain;
use tokio::time::{Instant, sleep_until};

use super::engine_task::{EngineReport, EngineTask, StartEngine};
use super::stop::{Stop, StopStep, StopUrgency, Stopping};
use super::{Bot, BotError, BotSession};
use crate::config::{dial_sentence, first_word};
use crate::policy::Policy;
use crate::verdict::BotAction;

use answers::Answers;
use challenges::SIMUL;
use games::OwnGames;
use matchmaking::{Availability, Matchmaking};
use output::{MAX_REQUESTS, Output, error_with_words};

/// State of the connection of a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LinkState {
    /// No request can be sent.
    #[default]
    Down,
    /// Requests can be sent, but it is not known yet whether an interrupted game goes on.
    Restoring,
    /// All games are known.
    Up,
}

/// Plays for one account.
pub(super) struct BotPlayer {
    games: OwnGames,
    answers: Answers,
    matchmaking: Matchmaking,
    stopping: Stopping,
    link: LinkState,
    /// Whether an owner has paused the bot.
    is_paused: bool,
    policy: Box<dyn Policy>,
    client: Client,
    events: Subscription,
    out: Output,
}

impl BotPlayer {
    /// Creates a player for a session, and starts its engine.
    pub(super) fn new<S: StartEngine, P: Policy>(bot: Bot<S, P>, session: BotSession) -> Self {
        let Bot { config, engine, policy, on_event, on_client, own_handles, statistics } = bot;
        let BotSession { client, events, events_for_caller } = session;
        on_client(&client, events_for_caller);
        let out = Output::new(config, client.clone(), on_event, statistics);
        Self {
            games: OwnGames::new(client.server(), EngineTask::spawn(engine), out.clone()),
            answers: Answers::default(),
            matchmaking: Matchmaking::new(own_handles, out.clone()),
            stopping: Stopping::default(),
            link: LinkState::Down,
            is_paused: false,
            policy: Box::new(policy),
            client,
            events,
            out,
        }
    }

    /// Plays until the bot is stopped or the session is over. Then records the unfinished games, and quits, or disconnects if a
    /// game is still in progress.
    ///
    /// # Errors
    ///
    /// [`BotError::Ended`] if the session ends for another reason than the stop; [`BotError::Engine`] if the first engine does not
    /// start.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the session ends with the future.
    pub(super) async fn play(mut self, stop: Stop) -> Result<(), BotError> {
        let mut urgency = stop.subscribe();
        // The event of a session that was ready before is not among the events.
        if self.client.state().accepts_requests() {
            self.on_ready();
        }
        while !self.is_ready_to_stop() {
            let deadlines = [self.stopping.deadline(), self.matchmaking.deadline(), self.games.deadline()];
            let deadline = deadlines.into_iter().flatten().min();
            tokio::select! {
                event = self.events.recv() => match event {
                    Ok(event) => self.on_session_event(&event),
                    Err(RecvError::Lagged { .. }) => {}
                    Err(_) => {
                        self.games.append_unfinished();
                        return self.wait_for_session_end().await;
                    }
                },
                Some(report) = self.games.engine.reports.recv() => match report {
                    EngineReport::Failed(error) if !self.games.engine.has_started => {
                        return self.leave(Err(error.into())).await;
                    }
                    report => {
                        self.games.on_engine_report(report, &mut *self.policy);
                        self.answer_postponed_challenges();
                    }
                },
                on_reply = self.out.next_reply() => on_reply(&mut self),
                Ok(()) = urgency.changed() => self.on_stop_requested(*urgency.borrow_and_update()),
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => self.on_deadline(),
            }
            // Last, so that the engine already searches while the disk is busy.
            self.matchmaking.opponents.save_if_changed(&self.out);
        }
        self.leave(Ok(())).await
    }

    /// Records the unfinished games. Then quits, or disconnects if a game is still in progress, and returns `result`.
    ///
    /// # Errors
    ///
    /// That of `result`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the session ends with the future.
    async fn leave(mut self, result: Result<(), BotError>) -> Result<(), BotError> {
        self.games.append_unfinished();
        let is_playing = self.is_playing_or_interrupted();
        // Unread events would hold the session back.
        drop(self.events);
        // Servers refuse to log out who plays.
        if is_playing {
            self.client.shutdown().await;
        } else {
            self.client.quit().await;
        }
        result
    }

    /// Waits for the end of the session, and reports an end that was not requested.
    ///
    /// # Errors
    ///
    /// [`BotError::Ended`] with the reason, unless the session ended on request.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn wait_for_session_end(&self) -> Result<(), BotError> {
        match self.client.ended().await {
            SessionEndReason::Quit | SessionEndReason::Shutdown => Ok(()),
            reason => {
                self.out.report(BotAction::Connection, format!("over: {}", error_chain(&reason)));
                Err(BotError::Ended(reason))
            }
        }
    }

    /// Handles an event of the session: updates the state of the connection, the games, challenges and offers. While too many
    /// requests are unanswered, ignores messages that would need an answer.
    fn on_session_event(&mut self, event: &Event) {
        match event {
            Event::SessionReady(_) => self.on_ready(),
            Event::Restored(restored) => {
                self.link = LinkState::Up;
                self.plan_next_game();
                if !restored.seeks.is_empty() {
                    self.matchmaking.cancel_planned_seeks();
                }
            }
            Event::Lost(loss) => {
                let next =
                    loss.retry_in.map_or("no more attempts".to_owned(), |delay| format!("next attempt in {delay:.1?}"));
                let failure = match (&loss.cause, &self.out.config.accounts[..]) {
                    (LostCause::Dial(error), [account]) => dial_sentence(account, *error),
                    (LostCause::Dial(error), _) => error.to_string(),
                    (cause, _) => format!("lost: {cause}"),
                };
                self.out.report(BotAction::Connection, format!("{failure}; {next}"));
                self.link = LinkState::Down;
                self.answers = Answers::default();
                self.matchmaking.reset();
            }
            _ => {}
        }
        for change in self.games.apply(event) {
            self.on_game_change(change);
        }
        if let Some(message) = event.message() {
            self.answers.open.apply(message, event.change());
            self.on_message(message);
        }
        self.answer_postponed_challenges();
    }

    /// Plans seeks and challenges. Does nothing if the session is known to be ready.
    fn on_ready(&mut self) {
        if self.link != LinkState::Down {
            return;
        }
        self.out.report(BotAction::Connection, "the session is ready");
        self.games.files.expect_resumption(Instant::now());
        if let Some(handle) = self.client.handle() {
            self.matchmaking.add_own_handle(handle);
        }
        self.link = if self.games.has_interrupted() { LinkState::Restoring } else { LinkState::Up };
        self.send_login_commands();
        self.plan_next_game();
    }

    /// Sends the commands of the settings one after the other, until the connection is lost. Reports those that fail, without their
    /// arguments.
    fn send_login_commands(&self) {
        let lines = self.out.config.login.commands.clone();
        if lines.is_empty() {
            return;
        }
        self.out.request(
            |client| async move {
                let mut failed = Vec::new();
                for line in lines {
                    let Err(error) = client.request(&line).await else { continue };
                    let is_lost =
                        matches!(error, RequestError::Lost | RequestError::NotConnected | RequestError::Ended(_));
                    failed.push((first_word(&line).to_owned(), error));
                    if is_lost {
                        break;
                    }
                }
                failed
            },
            |bot, failed| {
                for (verb, error) in failed {
                    let reason = format!("command `{verb}` of [login]: {}", error_with_words(&error));
                    bot.out.report(BotAction::ServerRefused, reason);
                }
            },
        );
    }

    /// Handles a message about challenges, offers, partnership or talk. Reports one that would need an answer, and does nothing, while
    /// too many requests are unanswered.
    fn on_message(&mut self, message: &Message) {
        if self.out.has_too_many_requests() {
            let (what, player) = match message {
                Message::Challenge(challenge) => ("challenge", Some(challenge.from.clone())),
                Message::Offer(offer) if offer.actor == MeOrOther::Other => ("offer", None),
                Message::Pending(offer) if offer.kind == SIMUL => ("request for a simul", Some(offer.name.clone())),
                Message::Talk(talk) => match self.speaker_to_answer(talk) {
                    Some(player) => ("message", Some(player)),
                    None => return,
                },
                _ => return,
            };
            let reason = format!("no answer to a {what}: {MAX_REQUESTS} others wait");
            return self.out.report_about(BotAction::Dropped, None, player.as_ref(), reason);
        }
        match message {
            Message::Challenge(challenge) => self.on_challenge(challenge),
            Message::ChallengeUpdate(update) => self.on_challenge_update(update),
            Message::Offer(offer) => self.on_offer(offer),
            Message::Pending(offer) => self.on_pending_offer(offer),
            Message::Partner(partner) => self.on_partnership(partner),
            Message::Talk(talk) => self.on_talk(talk),
            _ => {}
        }
    }

    /// Reacts to a change of a game: searches, stops the search or ends the game, then writes the record.
    fn on_game_change(&mut self, change: TrackedChange) {
        use TrackedChangeKind::{
            Adjourned, Ended, Interrupted, Left, Moved, Refreshed, Replaced, Resumed, Started, TakenBack,
        };
        match change.kind {
            Started | Resumed => self.on_game_started(change),
            Adjourned | Ended | Left => self.on_game_over_or_adjourned(change),
            Interrupted => self.games.interrupt(change.game),
            Moved | TakenBack { .. } | Replaced | Refreshed => self.games.find_move_or_ponder(change.game),
            // A kind of a later version.
            _ => {}
        }
        // Last, so that the engine already searches while the disk is busy.
        self.games.update_files(change);
    }

    /// Sets up a game that starts or goes on after an interruption, and looks for a move. Greets the opponent of a new game.
    fn on_game_started(&mut self, change: TrackedChange) {
        let is_computer = |player: &_| self.matchmaking.opponents.is_known_computer(player);
        let Some(opponent) = self.games.set_up(change, is_computer) else { return };
        self.answers.is_accepting = false;
        self.matchmaking.reset();
        // A resumed game was counted before.
        if change.kind == TrackedChangeKind::Started {
            self.matchmaking.on_game_started(&opponent, Instant::now());
            self.greet(&opponent);
        }
        self.games.find_move_or_ponder(change.game);
    }

    /// Reports the end of a game, and plans seeks and challenges. Unless the game may go on, sends the closing words and may propose a
    /// rematch.
    fn on_game_over_or_adjourned(&mut self, change: TrackedChange) {
        self.games.close(change.game);
        self.plan_next_game();
        let Some(game) = self.games.tracker().get(change.game) else { return };
        if let Some(opponent) = game.opponent().filter(|_| change.kind == TrackedChangeKind::Ended) {
            let is_aborted = game.ending().is_some_and(|ending| ending.result == GameResult::Unfinished);
            let has_begun = game.position().move_number() > 1;
            let is_played = self.games.engine.info.as_ref().is_some_and(|it| it.variants.contains(&game.variant()));
            if is_aborted && !has_begun {
                self.matchmaking.forget_last_game(&opponent);
            }
            self.say_goodbye(&opponent);
            // Those who wait come before a rematch.
            self.answer_postponed_challenges();
            if is_played && self.availability() == Availability::Free {
                self.matchmaking.propose_rematch_if_allowed(&opponent);
            }
        }
        self.games.find_move_in_waiting_game();
    }

    /// Begins to stop, at once or after the game in progress. Ignores a request that is not more urgent than the last one.
    fn on_stop_requested(&mut self, urgency: StopUrgency) {
        let limit = self.out.config.shutdown.finish_game_within;
        let is_second = self.stopping.has_begun();
        if !self.stopping.begin(urgency, limit) {
            return;
        }
        if is_second {
            self.out.report(BotAction::Stopping, "at once");
        }
        if self.stopping.urgency() == StopUrgency::AfterGame {
            let reason = format!("after the game in progress, within {}", humantime::format_duration(limit));
            self.out.report(BotAction::Stopping, reason);
            self.matchmaking.withdraw_all();
        }
    }

    /// Returns whether the bot can end: a stop was requested, and is to take effect at once, or no game is in progress or about
    /// to start.
    fn is_ready_to_stop(&self) -> bool {
        match self.stopping.urgency() {
            StopUrgency::None => false,
            StopUrgency::AfterGame => !self.is_playing_or_interrupted() && !self.answers.is_accepting,
            StopUrgency::Now => true,
        }
    }

    /// Returns whether a game of this account is in progress, or may be after a lost connection.
    fn is_playing_or_interrupted(&self) -> bool {
        self.awaits_interrupted_game() || self.games.playing().is_some()
    }

    /// Returns whether it is not known yet if a game goes on, as the connection was lost. A game that neither goes on nor is
    /// adjourned once the session is restored is over.
    fn awaits_interrupted_game(&self) -> bool {
        self.link != LinkState::Up && self.games.has_interrupted()
    }

    /// Returns whether the bot may begin a game on its own.
    fn availability(&self) -> Availability {
        if self.games.engine.info.is_none() {
            return Availability::NoEngine;
        }
        let is_busy = self.is_playing_or_interrupted() || self.answers.is_accepting;
        if is_busy || self.stopping.has_begun() || self.is_paused { Availability::Busy } else { Availability::Free }
    }

    /// Plans seeks and challenges. Does nothing while the bot plays, is paused or is about to stop.
    fn plan_next_game(&mut self) {
        if !self.is_playing_or_interrupted() && !self.stopping.has_begun() && !self.is_paused {
            self.matchmaking.plan(Instant::now());
        }
    }

    /// Emits a line of analysis, adjourns or leaves the game after a stop, claims the opponent's time, writes the games of an earlier process,
    /// sends a move that was held back, and posts seeks and challenges, each if it is due.
    fn on_deadline(&mut self) {
        let now = Instant::now();
        match self.stopping.take_due_step(now) {
            Some(StopStep::Adjourn) => {
                self.out.report(BotAction::Stopping, "time is up: the bot asks to adjourn");
                self.out.send(None, command::adjourn());
            }
            Some(StopStep::Leave) => self.out.report(BotAction::Stopping, "the game is left to the server"),
            None => {}
        }
        self.games.emit_due_analysis(now);
        self.games.send_due_flag_claims(now);
        self.games.append_cut_off_if_due(now);
        self.games.send_due_moves(now, &mut *self.policy);
        self.matchmaking.send_due(now, self.availability());
    }
}
