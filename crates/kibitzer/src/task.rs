//! The task that runs a session. It owns the session, the connection, the publisher and the observers, and moves bytes, time,
//! requests and events between them. All decisions are the session's.

mod connection;
mod log;
mod observers;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::yield_now;
use tokio::time::timeout;
use tracing::{Span, warn};

use crate::client_shared::{ClientShared, EndRequest, ReplySender};
use crate::dial::Dialer;
use crate::observer::SessionObserver;
use crate::profile::Profile;
use connection::{ConnectionChange, ConnectionState, ReceiveBuffer, Timer};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, ReadingBlocker, RequestError, RequestId, SessionEndReason};
use kibitzer_core::game::Games;
use kibitzer_core::hub::HubPublisher;
use kibitzer_core::session::{DriverAction, Reply, Session};
use log::SessionLog;
use observers::{Observers, Redaction};

/// Most events that are published before the task yields to subscribers on the same thread.
const EVENTS_PER_TURN: usize = 128;

/// Time without reading after which a warning is logged.
const PAUSE_WARNING: Duration = Duration::from_secs(1);

/// The owner of a running session, which moves bytes, time, requests and events between its parts.
pub(crate) struct SessionTask {
    session: Session,
    publisher: HubPublisher,
    shared: Arc<ClientShared>,
    /// Accepted requests, with the callers that wait for the reply. The session limits their number.
    waiting: Vec<(RequestId, ReplySender)>,
    dialer: Dialer,
    /// Number of events published since the last yield.
    n_published: usize,
    connection: ConnectionState,
    input: ReceiveBuffer,
    /// Events that are published together: once the received bytes are parsed, before a reply, and at the limit of a turn.
    batch: Vec<Event>,
    /// Whether a lossless subscriber has no room for the batch. Nothing is read meanwhile.
    is_held: bool,
    observers: Observers,
    timer: Timer,
    /// The last request to end the session, in the order of [`EndRequest`].
    ending: Option<EndRequest>,
    /// Time at which `quit` stops to wait for subscribers; `None` before `quit`. Boxed to save memory, as an idle session has none.
    quit_deadline: Option<Box<Instant>>,
    /// Whether a lossless subscriber that has no room for an event no longer receives it.
    drops_events: bool,
    /// The present pause in reading; `None` while the session reads. Boxed like the deadline.
    pause: Option<Box<ReadingPause>>,
    /// Whether subscribers receive events with recently sent passwords masked.
    redacts_events: bool,
}

/// A pause in reading, because a subscriber or an observer has no room.
struct ReadingPause {
    began: Instant,
    is_logged: bool,
}

/// How a turn ended.
enum TurnOutcome {
    /// No work is left until something happens.
    Wait,
    /// The maximum number of events was published; work may be left, which continues after a yield.
    More,
    /// The session is over, and all its events are published.
    Over,
}

impl SessionTask {
    /// Creates the task of a session with the redaction of a profile. It is boxed, because its future would contain a copy for
    /// each function that receives it.
    pub(crate) fn new(
        profile: &Profile,
        dialer: Dialer,
        session: Session,
        publisher: HubPublisher,
        shared: Arc<ClientShared>,
        observers: Vec<Box<dyn SessionObserver>>,
        span: Span,
    ) -> Box<Self> {
        Box::new(Self {
            session,
            publisher,
            shared,
            waiting: Vec::new(),
            dialer,
            n_published: 0,
            connection: ConnectionState::None,
            input: ReceiveBuffer::default(),
            batch: Vec::new(),
            is_held: false,
            observers: Observers::new(SessionLog::new(span), observers),
            timer: Timer::new(),
            ending: None,
            quit_deadline: None,
            drops_events: false,
            pause: None,
            redacts_events: profile.redacts_events,
        })
    }

    /// Runs until the session is over and all its events are published, then closes the observers within the write timeout.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session at once.
    pub(crate) async fn run(mut self: Box<Self>) {
        loop {
            let turn = self.run_turn(runtime_now());
            self.publish_status();
            match turn {
                TurnOutcome::Wait => self.wait_for_next_turn().await,
                TurnOutcome::More => {
                    self.n_published = 0;
                    yield_now().await;
                }
                TurnOutcome::Over => break,
            }
        }
        self.shared.mark_delivered();
        // An observer that hangs, such as a full disk, must not keep the task.
        let _ = timeout(self.dialer.write_timeout, self.observers.close_and_drop_all(&self.session)).await;
    }

    /// Does all work that is possible without waiting: requests, timeouts, output, replies and events, up to the maximum number
    /// of events.
    fn run_turn(&mut self, now: Instant) -> TurnOutcome {
        self.accept_client_work(now);
        self.track_reading_pause(now);
        if self.pause.is_some() {
            // Nothing is read, so silence does not mean that the server is dead.
            self.session.handle_reading_pause(now);
        }
        self.connection.break_if_write_timed_out(self.dialer.write_timeout, now);
        // Received bytes are processed before timeouts: they may be the awaited answer.
        let turn = self.process_until_blocked(now);
        let is_late = self.session.poll_timeout().is_some_and(|due| due <= now);
        if !is_late || !matches!(turn, TurnOutcome::Wait) {
            return turn;
        }
        // A timer is due and no work is left: the session is often idle, and does not need the memory of a burst.
        self.publisher.release_memory();
        self.batch.shrink_to_fit();
        self.session.handle_timeout(now);
        self.process_until_blocked(now)
    }

    /// Takes the queued requests from the handles, and the queued observers once all received bytes are parsed. Cancels requests
    /// whose callers have stopped waiting, and passes on a request to end the session.
    fn accept_client_work(&mut self, now: Instant) {
        // A new observer receives no event whose bytes it has not observed.
        if self.input.is_empty() {
            self.observers.add(self.shared.take_observers(), &self.session);
        }
        while let Some((command, options, reply)) = self.shared.take_request() {
            if reply.is_closed() {
                continue;
            }
            if self.stops_reading() {
                drop(reply.send(Err(RequestError::Ended(SessionEndReason::Shutdown))));
                continue;
            }
            let span = self.observers.log.new_request_span(&command);
            match self.session.request_with(command, options, now) {
                Ok(id) => {
                    self.observers.log.log_accepted_request(id, span);
                    self.waiting.push((id, reply));
                }
                Err(error) => drop(reply.send(Err(error))),
            }
        }
        for (id, _) in self.waiting.extract_if(.., |(_, reply)| reply.is_closed()) {
            self.observers.log.log_completed_request(id, None);
            self.session.abandon(id, now);
        }
        let ending = self.shared.take_end_request();
        if ending == Some(EndRequest::Quit) {
            let deadline = self.session.quit(now);
            self.quit_deadline.get_or_insert(Box::new(deadline));
        }
        self.ending = self.ending.max(ending);
        self.drops_events = match self.ending {
            Some(EndRequest::Quit) => self.quit_deadline.as_deref().is_some_and(|due| *due <= now),
            ending => ending == Some(EndRequest::Shutdown),
        };
    }

    /// Returns whether no more bytes are read, because the session ends once those that were read are parsed.
    fn stops_reading(&self) -> bool {
        self.ending >= Some(EndRequest::Drain)
    }

    /// Returns what has no room for events, so that nothing is read; `None` if nothing is full.
    fn reading_blocker(&self) -> Option<ReadingBlocker> {
        if self.is_held {
            return Some(ReadingBlocker::Subscription);
        }
        self.observers.any_is_full().then_some(ReadingBlocker::Observer)
    }

    /// Notes whether reading is paused, and logs a warning once the pause has lasted for [`PAUSE_WARNING`].
    fn track_reading_pause(&mut self, now: Instant) {
        let Some(by) = self.reading_blocker() else { return self.pause = None };
        let pause = self.pause.get_or_insert_with(|| Box::new(ReadingPause { began: now, is_logged: false }));
        if !pause.is_logged && now >= pause.began + PAUSE_WARNING {
            pause.is_logged = true;
            warn!(full = %by, "nothing is read from the server");
        }
    }

    /// Passes the session's output to the connection, the callers and the subscribers, and parses received bytes, until nothing
    /// is left, a subscriber has no room, or the maximum number of events per turn is published.
    fn process_until_blocked(&mut self, now: Instant) -> TurnOutcome {
        // No more than the hub keeps, so that a subscriber that reads after each turn misses none.
        let max_events = self.publisher.max_kept_events().min(EVENTS_PER_TURN);
        let mut is_parsed = false;
        loop {
            self.close_if_required(now);
            // Before publishing, because the server measures how long the answer to its ping takes.
            self.send_session_output(now);
            let is_at_limit = self.n_published + self.batch.len() >= max_events;
            if is_parsed || is_at_limit || self.is_held || self.session.has_reply() {
                let has_room = self.try_publish_batch();
                // After the events of the replies: whoever receives a reply may look for them at once.
                while let Some((id, result)) = self.session.poll_reply() {
                    self.deliver_reply(id, result);
                }
                if !has_room {
                    return TurnOutcome::Wait;
                }
            }
            self.dial_if_required();
            let event = self.next_observed_event(now);
            is_parsed = event.is_none();
            if let Some(event) = event {
                self.batch.push(event);
            } else if self.batch.is_empty() {
                match self.session.next_action() {
                    DriverAction::End(_) => return TurnOutcome::Over,
                    _ if self.stops_reading() => self.session.shutdown(now),
                    _ => return TurnOutcome::Wait,
                }
            }
            if is_at_limit {
                return TurnOutcome::More;
            }
        }
    }

    /// Closes the connection if the session's next action requires that, and reports the end unless the session knows it already.
    fn close_if_required(&mut self, now: Instant) {
        match self.session.next_action() {
            DriverAction::Dial { .. } | DriverAction::Keep => {}
            DriverAction::Wait | DriverAction::End(_) => self.connection.close(),
            DriverAction::Close => {
                // With the games of the closed connection, if there is room.
                self.try_publish_batch();
                self.drop_and_report_connection(CloseCause::Closed, now);
            }
        }
    }

    /// Starts a connection attempt if the session's next action requires one and none is running. Call it only while subscribers
    /// have room for the events that follow.
    fn dial_if_required(&mut self) {
        if matches!(self.session.next_action(), DriverAction::Dial { .. })
            && !matches!(self.connection, ConnectionState::Dialing(_))
        {
            self.connection = ConnectionState::start_dialing(&self.dialer);
        }
    }

    /// Shows every line that the session sends to the observers, and queues and writes the lines, together if possible: servers
    /// answer lines that they read together in one block.
    fn send_session_output(&mut self, now: Instant) {
        let mut is_more = false;
        while let Some(transmit) = self.session.poll_transmit(now) {
            self.observers.show_sent(&transmit, now, &self.session);
            self.connection.queue_bytes(transmit.bytes());
            is_more = true;
            if transmit.kind.is_secret() {
                // Written at once: a buffer that grows is copied, and the copy of a secret is not wiped.
                self.connection.try_write_queued();
            }
        }
        if is_more {
            self.connection.try_write_queued();
        }
    }

    /// Shows the end of a request to the observers, and sends the reply to its caller, if that still waits.
    fn deliver_reply(&mut self, id: RequestId, mut result: Result<Reply, RequestError>) {
        if self.redacts_events
            && let Ok(reply) = &mut result
        {
            self.observers.redact_reply(reply);
        }
        self.observers.show_reply(id, &result, &self.session);
        self.publish_status();
        if let Some(position) = self.waiting.iter().position(|(waiting, _)| *waiting == id) {
            let (_, sender) = self.waiting.swap_remove(position);
            if let Err(RequestError::TimedOut(after)) = result
                && let Some(by) = self.reading_blocker()
                && self.pause.as_ref().is_some_and(|pause| pause.began + after / 2 <= runtime_now())
            {
                result = Err(RequestError::blocked(by, after));
            }
            drop(sender.send(result));
        }
        if self.waiting.is_empty() {
            self.waiting = Vec::new();
        }
    }

    /// Publishes the batch if every lossless subscriber has room for it; with `drops_events`, publishes it to the others otherwise.
    /// Returns whether no event is left. Memory of earlier events that no subscriber has any more is reused.
    fn try_publish_batch(&mut self) -> bool {
        if self.batch.is_empty() {
            return true;
        }
        self.is_held = !self.drops_events && !self.publisher.has_room();
        if self.is_held {
            return false;
        }
        // Before the events, because a subscriber on another thread may receive them before the end of the turn.
        if self.batch.iter().any(|event| event.message().is_none()) {
            self.shared.publish_status(&self.session);
        }
        self.n_published += self.batch.len();
        self.publisher.publish_batch(&mut self.batch, self.session.games(), &self.session.counters());
        for event in self.batch.drain(..) {
            self.session.recycle(event);
        }
        true
    }

    /// Makes the present status and counters visible to the handles.
    fn publish_status(&self) {
        self.publisher.set_counters(self.session.counters());
        self.shared.publish_status(&self.session);
    }

    /// Takes the next event, shows it to the observers, and returns it as subscribers receive it; `None` if there is none now.
    /// The session's own events come first, then those parsed from received bytes, then, once these are published, the end of a
    /// broken connection, which is dropped.
    fn next_observed_event(&mut self, now: Instant) -> Option<Event> {
        loop {
            let started = self.observers.parsing_start_time();
            let mut event = self.session.poll_event().or_else(|| self.input.next_event(&mut self.session, now));
            if event.is_none()
                && self.batch.is_empty()
                && let Some(cause) = self.connection.take_broken_cause()
            {
                self.drop_and_report_connection(cause, now);
                event = self.session.poll_event();
            }
            let event = event?;
            let redaction = self.observers.show_event_redacted(&event, started, &self.session);
            return match redaction {
                Redaction::Redacted(redacted) if self.redacts_events => Some(redacted),
                Redaction::Withheld if self.redacts_events => continue,
                _ => Some(event),
            };
        }
    }

    /// Drops the connection and its unparsed bytes, and reports its end to the observers and the session.
    fn drop_and_report_connection(&mut self, cause: CloseCause, now: Instant) {
        self.connection.close();
        self.observers.show_closed(&self.session);
        self.input = ReceiveBuffer::default();
        self.session.handle_close(cause, now);
    }

    /// Waits until there is work for a turn; meanwhile writes queued bytes, polls the observers, and waits for room for a held
    /// batch or admits new subscribers. Passes received bytes to the observers, and the outcome of dialing to the session. Reads nothing
    /// while events are held, bytes are unparsed, or an observer is full.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are in the input.
    async fn wait_for_next_turn(&mut self) {
        self.track_reading_pause(runtime_now());
        let may_read = self.pause.is_none() && self.input.is_empty() && !self.stops_reading();
        let deadlines = [
            self.session.poll_timeout(),
            self.connection.write_stall_deadline(self.dialer.write_timeout),
            self.quit_deadline.as_deref().copied().filter(|_| !self.drops_events),
            self.pause.as_ref().filter(|pause| !pause.is_logged).map(|pause| pause.began + PAUSE_WARNING),
        ];
        self.timer.set(deadlines.into_iter().flatten().min());
        let progress = tokio::select! {
            biased;
            // First, so that observers work even if the server sends without a pause.
            () = poll_fn(|context| self.observers.poll_progress(&self.session, context)) => return,
            progress = self.connection.wait_for_change(&mut self.input.bytes, may_read) => progress,
            // The next turn does the work.
            () = self.shared.wait_for_work() => return,
            () = self.timer.wait_until_expired() => return,
            () = wait_for_room_or_admit(&mut self.publisher, self.is_held, self.session.games()) => return,
        };
        match progress {
            ConnectionChange::Received => {
                self.observers.show_received_redacted(&self.input.bytes, runtime_now(), &self.session);
            }
            ConnectionChange::Dialed(outcome) => self.session.handle_dial_outcome(outcome, runtime_now()),
            ConnectionChange::Broken => {}
        }
    }
}

impl Drop for SessionTask {
    fn drop(&mut self) {
        // An empty recording removes its file before the session is reported as over.
        self.observers.drop_all();
        self.shared.end_and_fail_requests();
    }
}

/// Waits until there is room for a held batch. Without one, waits for new subscribers, and admits them with the state of the games.
///
/// # Cancel safety
///
/// Cancel safe: no subscriber is lost.
async fn wait_for_room_or_admit(publisher: &mut HubPublisher, is_held: bool, games: &Games) {
    if is_held {
        // Boxed, because hardly any session waits for this, and the task's future would be larger for all of them.
        Box::pin(publisher.wait_for_room()).await;
    } else {
        publisher.wait_for_new_subscribers().await;
        publisher.admit_new_subscribers(games);
    }
}

/// Returns the runtime's time, which tests pause.
fn runtime_now() -> Instant {
    tokio::time::Instant::now().into_std()
}
