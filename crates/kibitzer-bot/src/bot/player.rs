//! The loop of one account: it reads events, asks engine and policy, and sends requests.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitzer::command::{self, Request};
use kibitzer::core::game::PendingOffers;
use kibitzer::core::message::MeOrOther;
use kibitzer::core::text::error_chain;
use kibitzer::transcript::Utc;
use kibitzer::{Client, Event, Handle, Message, RecvError, RequestError, SessionEndReason, Subscription, TalkKind};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tracing::info;

use super::engine_task::{EngineReport, EngineTask};
use super::game_decisions::GameDecisions;
use super::matchmaking_state::{LinkState, MatchmakingState};
use super::requests::{MAX_REQUESTS, RequestOutcome, are_too_many};
use super::{Bot, BotError, StartEngine, Stop, StopUrgency};
use crate::book::Book;
use crate::clock::LagEstimate;
use crate::config::{BotConfig, contains_player};
use crate::engine::{EngineInfo, SearchInfo};
use crate::pgn::{PgnCollector, PgnOrigin};
use crate::policy::Policy;
use crate::tracker::{GameKey, TrackedGame, TrackedState};
use crate::verdict::{BotAction, BotEvent};

/// How long the bot waits for the end of a game when its time to stop is over.
const ADJOURN_WAIT: Duration = Duration::from_secs(10);

/// A delay of a year: a deadline after it is never reached.
pub(super) const NEVER: Duration = Duration::from_hours(24 * 365);

/// Plays for one account. Owns its games, the handle to its engine, and its unanswered requests.
pub(super) struct BotPlayer<P> {
    pub(super) config: Arc<BotConfig>,
    pub(super) policy: P,
    pub(super) client: Client,
    pub(super) games: PgnCollector,
    pub(super) decisions: BTreeMap<GameKey, GameDecisions>,
    /// Requests without a reply yet.
    pub(super) requests: JoinSet<RequestOutcome>,
    pub(super) pending_offers: PendingOffers,
    pub(super) engine_task: EngineTask,
    /// The engine; `None` until it has started, and after a failure until it runs again.
    pub(super) engine: Option<EngineInfo>,
    /// Whether an engine has ever started.
    pub(super) has_had_engine: bool,
    /// The latest line of analysis that is not emitted yet.
    pub(super) analysis: Option<(GameKey, SearchInfo)>,
    /// When the next line of analysis may be emitted.
    pub(super) analysis_at: Instant,
    /// The book; `None` without one, and after it could not be read.
    pub(super) book: Option<Book>,
    pub(super) lag: LagEstimate,
    /// Seeks, challenges and memory of opponents.
    pub(super) matchmaking: MatchmakingState,
    pub(super) urgency: StopUrgency,
    /// When a bot that is stopping adjourns its game, and then when it leaves.
    leave_at: Option<Instant>,
    has_adjourned: bool,
    events: Subscription,
    own_handles: Arc<Mutex<Vec<Handle>>>,
    pub(super) on_event: Arc<dyn Fn(&BotEvent) + Send + Sync>,
}

impl<P: Policy + Clone> BotPlayer<P> {
    /// Creates a player for a session, and starts its engine.
    pub(super) fn new<S: StartEngine>(bot: Bot<S, P>, client: Client, events: Subscription) -> Self {
        let Bot { config, engine, policy, on_event, on_client, own_handles } = bot;
        on_client(&client);
        let book = config.book.clone().map(Book::open);
        let mut player = Self {
            config,
            policy,
            games: PgnCollector::new(PgnOrigin::new(client.server())),
            client,
            decisions: BTreeMap::new(),
            requests: JoinSet::new(),
            pending_offers: PendingOffers::default(),
            engine_task: EngineTask::spawn(engine),
            engine: None,
            has_had_engine: false,
            analysis: None,
            analysis_at: Instant::now(),
            matchmaking: MatchmakingState::default(),
            urgency: StopUrgency::None,
            leave_at: None,
            has_adjourned: false,
            events,
            own_handles,
            on_event,
            book: None,
            lag: LagEstimate::default(),
        };
        player.book = book.and_then(|book| player.ok_or_report(None, book));
        player
    }

    /// Returns the value, or reports the error of a file and returns `None`. `game` is the game that the error concerns, if any.
    pub(super) fn ok_or_report<T>(&self, game: Option<GameKey>, result: io::Result<T>) -> Option<T> {
        result.inspect_err(|error| self.report(BotAction::FileFailed, game, None, error.to_string())).ok()
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
        let mut urgency = stop.0.subscribe();
        urgency.mark_changed();
        // The event of a session that was ready before is not among the events.
        if self.client.state().accepts_requests() {
            self.on_ready();
        }
        while !self.is_ready_to_stop() {
            let deadline = self.next_deadline();
            tokio::select! {
                event = self.events.next() => match event {
                    Ok(event) => self.on_session_event(&event),
                    Err(RecvError::Lagged { .. }) => {}
                    Err(_) => {
                        self.append_unfinished_games();
                        return self.wait_for_session_end().await;
                    }
                },
                Some(report) = self.engine_task.reports.recv() => match report {
                    EngineReport::Failed(error) if !self.has_had_engine => return self.leave(Err(error.into())).await,
                    report => self.on_engine_report(report),
                },
                // A request cannot panic, and nothing cancels one.
                Some(Ok(outcome)) = self.requests.join_next() => self.on_request_outcome(outcome),
                Ok(()) = urgency.changed() => self.on_stop_requested(*urgency.borrow_and_update()),
                () = sleep_until(deadline) => self.on_deadline(),
            }
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
    async fn leave(self, result: Result<(), BotError>) -> Result<(), BotError> {
        self.append_unfinished_games();
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
                self.report(BotAction::Connection, None, None, format!("over: {}", error_chain(&reason)));
                Err(BotError::Ended(reason))
            }
        }
    }

    /// Handles an event of the session: updates the state of the connection, the games, challenges and offers. While too many
    /// requests are unanswered, ignores messages that would need an answer.
    fn on_session_event(&mut self, event: &Event) {
        match event {
            Event::Ready(_) => self.on_ready(),
            Event::Restored(restored) => {
                self.matchmaking.link = LinkState::Up;
                self.plan_seeks_and_challenge(Instant::now());
                // The session has posted them again itself.
                self.matchmaking.seeks_at = self.matchmaking.seeks_at.filter(|_| restored.seeks.is_empty());
            }
            Event::Lost { cause, retry_in, .. } => {
                let next =
                    retry_in.map_or("no more attempts".to_owned(), |delay| format!("next attempt in {delay:.1?}"));
                self.report(BotAction::Connection, None, None, format!("lost: {cause}; {next}"));
                self.matchmaking.on_connection_lost();
                self.pending_offers = PendingOffers::default();
            }
            _ => {}
        }
        for change in self.games.apply(event, Some(Utc::now())) {
            self.on_game_change(change);
        }
        if let Some(message) = event.message() {
            self.pending_offers.apply(message, event.change());
            self.on_message(message);
        }
        self.answer_postponed_challenges();
    }

    /// Plans seeks and challenges. Does nothing if the session is known to be ready.
    fn on_ready(&mut self) {
        if self.matchmaking.link != LinkState::Down {
            return;
        }
        self.report(BotAction::Connection, None, None, "the session is ready");
        let handle = self.client.handle().filter(|handle| !contains_player(&self.own_handles(), handle));
        self.own_handles().extend(handle);
        self.matchmaking.link = if self.awaits_interrupted_game() { LinkState::Restoring } else { LinkState::Up };
        self.plan_seeks_and_challenge(Instant::now());
    }

    /// Handles a message about challenges, offers, partnership or talk. Reports one that would need an answer, and does nothing, while
    /// too many requests are unanswered.
    fn on_message(&mut self, message: &Message) {
        if are_too_many(&self.requests) {
            let (what, player) = match message {
                Message::Challenge(challenge) => ("challenge", Some(challenge.from.clone())),
                Message::Offer(offer) if offer.actor == MeOrOther::Other => ("offer", None),
                Message::Talk(talk) if talk.kind == TalkKind::Tell => ("message", talk.from()),
                _ => return,
            };
            let reason = format!("no answer to a {what}: {MAX_REQUESTS} others wait");
            return self.report(BotAction::Dropped, None, player, reason);
        }
        match message {
            Message::Challenge(challenge) => self.on_challenge(challenge),
            Message::ChallengeUpdate(update) => self.on_own_challenge_declined(update),
            Message::Offer(offer) => self.on_opponent_offer(offer),
            Message::Partner(partner) => self.decline_partnership(partner),
            Message::Talk(talk) => self.on_talk(talk),
            _ => {}
        }
    }

    /// Passes the outcome of a request to its handler.
    fn on_request_outcome(&mut self, outcome: RequestOutcome) {
        match outcome {
            RequestOutcome::Move(position, result) => self.on_move_reply(position, result),
            RequestOutcome::Answer(answer, result) => self.on_answer_reply(answer, result),
            RequestOutcome::Challenge(player, error) => self.on_challenge_reply(player, error),
            RequestOutcome::Abort(game, result) => self.on_abort_reply(game, &result),
            RequestOutcome::Candidates(result) => self.on_candidates_reply(result),
            RequestOutcome::Owner(owner, text, result) => self.on_owner_reply(owner, &text, result),
            RequestOutcome::Said(player, began, error) => self.on_tell_reply(player, began, error),
            RequestOutcome::Other(game, error) => self.report_error_if_any(game, None, error),
        }
    }

    /// Reports an error of a request; does nothing for `None`.
    pub(super) fn report_error_if_any(
        &self,
        game: Option<GameKey>,
        player: Option<Handle>,
        error: Option<RequestError>,
    ) {
        if let Some(error) = error {
            // A refusal contains the server's words already.
            let text = error.text().filter(|_| error.refusal_reason().is_none());
            let words = text.map_or(String::new(), |text| format!(": {}", text.trim()));
            self.report(BotAction::ServerRefused, game, player, format!("{error}{words}"));
        }
    }

    /// Begins to stop, at once or after the game in progress. Ignores a request that is not more urgent than the last one.
    pub(super) fn on_stop_requested(&mut self, urgency: StopUrgency) {
        if urgency <= self.urgency {
            return;
        }
        let limit = self.config.shutdown.finish_game_within;
        self.urgency = if limit.is_zero() { StopUrgency::Now } else { urgency };
        if self.urgency == StopUrgency::Now {
            return;
        }
        self.leave_at = Some(Instant::now() + limit.min(NEVER));
        let reason = format!("after the game in progress, within {}", humantime::format_duration(limit));
        self.report(BotAction::Stopping, None, None, reason);
        self.withdraw_seeks_and_challenge();
    }

    /// Returns whether the bot can end: a stop was requested, and is to take effect at once, or no game is in progress or about
    /// to start.
    fn is_ready_to_stop(&self) -> bool {
        match self.urgency {
            StopUrgency::None => false,
            StopUrgency::AfterGame => !self.is_playing_or_interrupted() && !self.matchmaking.is_accepting,
            StopUrgency::Now => true,
        }
    }

    /// Returns whether a game of this account is in progress, or may be after a lost connection.
    pub(super) fn is_playing_or_interrupted(&self) -> bool {
        self.awaits_interrupted_game() || self.playing_game().is_some()
    }

    /// Returns the game in progress; `None` without one, and while the connection is lost.
    pub(super) fn playing_game(&self) -> Option<&TrackedGame> {
        self.games.tracker().iter().find(|game| game.state() == TrackedState::Playing)
    }

    /// Returns whether it is not known yet if a game goes on, as the connection was lost. A game that neither goes on nor is
    /// adjourned once the session is restored is over.
    pub(super) fn awaits_interrupted_game(&self) -> bool {
        self.matchmaking.link != LinkState::Up
            && self.games.tracker().iter().any(|game| game.state() == TrackedState::Interrupted)
    }

    /// Returns whether the bot may challenge a player: not one of its own accounts, nor one who is blocked or has declined recently.
    pub(super) fn may_challenge(&self, player: &Handle) -> bool {
        let is_excluded =
            contains_player(&self.own_handles(), player) || contains_player(&self.config.accept.block, player);
        !is_excluded && !self.matchmaking.has_declined_recently(player, Instant::now())
    }

    /// Locks the handles of all accounts.
    fn own_handles(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.own_handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the bot may begin a game on its own: it plays none and has accepted none, its engine runs, and it is
    /// neither paused nor stopping.
    pub(super) fn may_begin_game(&self) -> bool {
        let is_free = !self.is_playing_or_interrupted() && !self.matchmaking.is_accepting && self.engine.is_some();
        is_free && self.urgency == StopUrgency::None && !self.matchmaking.is_paused
    }

    /// Returns the earliest time at which something is due.
    fn next_deadline(&self) -> Instant {
        let flags = self.decisions.values().filter_map(GameDecisions::flag_claim_at);
        let analysis_at = self.analysis.as_ref().map(|_| self.analysis_at);
        let others = [self.leave_at, self.matchmaking.seeks_at, self.matchmaking.challenge_at, analysis_at];
        flags.chain(others.into_iter().flatten()).min().unwrap_or_else(|| Instant::now() + NEVER)
    }

    /// Emits a line of analysis, adjourns or leaves the game after a stop, claims the opponent's time, and posts seeks and challenges,
    /// each if it is due.
    fn on_deadline(&mut self) {
        let now = Instant::now();
        if self.leave_at.is_some_and(|at| at <= now) {
            self.request_adjournment_or_leave(now);
        }
        self.emit_due_analysis(now);
        self.send_due_flag_claims(now);
        self.send_due_seeks_and_challenge(now);
    }

    /// Requests to adjourn the game in progress, and plans the next call after [`ADJOURN_WAIT`]. The second call stops the bot at
    /// once and leaves the game to the server.
    fn request_adjournment_or_leave(&mut self, now: Instant) {
        if std::mem::replace(&mut self.has_adjourned, true) {
            self.report(BotAction::Stopping, None, None, "the game is left to the server");
            self.urgency = StopUrgency::Now;
            return;
        }
        self.leave_at = Some(now + ADJOURN_WAIT);
        self.report(BotAction::Stopping, None, None, "time is up: the bot asks to adjourn");
        self.spawn_request(None, command::adjourn());
    }

    /// Sends a command in a task of its own. If it fails, the error is reported.
    pub(super) fn spawn_request(&mut self, game: Option<GameKey>, command: impl Request + Send + Sync + 'static) {
        let client = self.client.clone();
        self.requests.spawn(async move { RequestOutcome::Other(game, client.request(&command).await.err()) });
    }

    /// Emits the event of an action, and logs it.
    pub(super) fn report(
        &self,
        action: BotAction,
        game: Option<GameKey>,
        player: Option<Handle>,
        reason: impl Into<String>,
    ) {
        let game = game.and_then(|game| self.games.tracker().get(game)).map(TrackedGame::number);
        let account = self.client.handle().or_else(|| self.config.only_handle());
        report_action(&*self.on_event, &BotEvent::Acted { account, action, game, player, reason: reason.into() });
    }
}

/// Logs an action, and passes it to the function that receives the events.
pub(super) fn report_action(on_event: &dyn Fn(&BotEvent), event: &BotEvent) {
    if let BotEvent::Acted { account, action, game, player, reason } = event {
        info!(
            account = account.as_ref().map(tracing::field::display),
            ?action,
            game = game.map(tracing::field::display),
            player = player.as_ref().map(tracing::field::display),
            reason,
            "bot acted"
        );
    }
    on_event(event);
}
