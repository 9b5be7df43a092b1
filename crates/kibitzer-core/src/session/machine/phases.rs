//! Transitions between the phases of a session, and the delay of attempts to connect.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::state::AfterClose;
use super::{Phase, Session};
use crate::MessageReader;
use crate::event::{CloseCause, ConnectionAttempt, ConnectionLoss, Event, LostCause, SessionEndReason};
use crate::message::{Control, KickedBy, Message};
use crate::reader::EventReader;
use crate::session::custom_prompt;
use crate::session::live::LiveConnection;
use crate::session::login::{Login, LoginProgress, LoginState};
use crate::session::options::{Credentials, FirstConnect, Reconnect, saturating_deadline};
use crate::session::recovery::Loss;
use crate::wire::{Fence, Framer, Timeseal};

/// Maximum time between the line that reports a kick and the end of the connection. Servers close at once.
const MAX_KICK_DELAY: Duration = Duration::from_secs(10);

impl Session {
    /// Starts the login on a new connection, and emits [`Event::Connected`]. Replaces the reader with its games, and clears the
    /// queue of bytes to write. Uses a password that was changed during the last connection.
    pub(super) fn start_login(&mut self, now: Instant) {
        if let Some(new) = self.memory.new_password.take()
            && let Credentials::Account { password, .. } = &mut Arc::make_mut(&mut self.options).credentials
        {
            *password = new;
        }
        let timeseal = self.fallback.next_timeseal();
        let options = &self.options;
        let mut framer =
            Framer::new().with_limits(options.limits).with_timeseal(timeseal).with_encoding(options.encoding);
        framer.set_block_mode(false);
        let reader = MessageReader::new(framer, options.family);
        self.reader = EventReader::new(reader).with_game_limits(options.game_limits);
        custom_prompt::apply(Some(&options.prompt), &mut self.reader);
        self.frame_end = 0;
        self.output.start_connection(timeseal, now);
        self.output.counters.reconnects += u64::from(self.backoff.was_ready);
        self.output.emit(Event::Connected);
        self.paused_since = None;
        self.kicked = None;
        let login = Login::new(Arc::clone(&self.options), &self.fallback, Fence::random(&mut self.rng), now);
        self.phase = Phase::LoggingIn(Box::new(login));
    }

    /// Returns the event, as text if the server refuses a name in it that is none: a line that the session sent before the name.
    pub(super) fn without_refusal_of_own_lines(&self, event: Event) -> Event {
        let Phase::LoggingIn(login) = &self.phase else { return event };
        let is_refusal = event.message().is_some_and(|message| login.is_answer_to_line_before_name(message));
        let text = is_refusal.then(|| event.to_redacted_text(event.raw())).flatten();
        text.unwrap_or(event)
    }

    /// Processes an event of the reader: counts it, queues the answer to a ping, notes that the server has kicked the login, and
    /// passes it to the login or the live connection.
    pub(super) fn process_event(&mut self, event: &Event, now: Instant) {
        self.output.counters.events += 1;
        let message = match event {
            Event::Received { received, .. } => {
                self.frame_end = received.end();
                &received.message
            }
            other => {
                match (other, &mut self.phase) {
                    (Event::Desync(desync), Phase::Live(live)) => live.handle_desync(desync, self.reader.games()),
                    (Event::Listing { .. }, Phase::Live(live)) => live.handle_event(event, &mut self.output, now),
                    _ => {}
                }
                return;
            }
        };
        self.output.counters.lines_received += u64::from(!matches!(message, Message::Control(_)));
        match message {
            Message::Control(Control::Ping) => {
                self.output.counters.pings += 1;
                self.output.queue_ping_answer();
            }
            Message::Kicked(by) => self.kicked = Some(Box::new((KickedBy::clone(by), now))),
            _ => {}
        }
        match &mut self.phase {
            Phase::LoggingIn(login) => {
                let progress = login.handle_message(message, event.raw(), now);
                self.handle_login_progress(progress, now);
            }
            Phase::Live(live) => {
                self.memory.handle_event(event, self.reader.games(), &mut self.output);
                live.handle_event(event, &mut self.output, now);
                self.advance(now);
            }
            _ => {}
        }
    }

    /// Sends what a live connection may send now, and processes its completed requests.
    pub(super) fn advance(&mut self, now: Instant) {
        if let Phase::Live(live) = &mut self.phase {
            live.send_and_advance(&mut self.memory, &mut self.reader, &mut self.output, now);
        }
    }

    /// Returns who kicked this login; `None` unless the server closed the connection within [`MAX_KICK_DELAY`] of a kick notice.
    /// The notice alone proves nothing: it may be talk.
    pub(super) fn kicked_by_before_close(&self, cause: CloseCause, now: Instant) -> Option<KickedBy> {
        let (by, at) = self.kicked.as_deref()?;
        let is_by_server = matches!(cause, CloseCause::Closed | CloseCause::WebSocketClosed(_) | CloseCause::Failed(_));
        (is_by_server && now.saturating_duration_since(*at) <= MAX_KICK_DELAY).then(|| by.clone())
    }

    /// Applies the progress of the login: reports the login, starts the live connection, retries without a feature, or fails.
    pub(super) fn handle_login_progress(&mut self, progress: LoginProgress, now: Instant) {
        let Phase::LoggingIn(login) = &mut self.phase else { return };
        if let Some(identity) = login.take_new_identity() {
            // They would be commands now, and other players could see a password. This depends on whether the lines were polled
            // before, not on how the received bytes were chunked: a server that waits for an answer has to get it.
            self.output.remove_unsent_login_lines();
            self.handle.clone_from(&identity.handle);
            // Servers of the FICS 1.6 family name no account after its password.
            self.reader.games_mut().me.clone_from(&identity.handle);
            self.output.emit(Event::LoggedIn(Arc::new(identity)));
        }
        match progress {
            LoginProgress::Continue => {}
            LoginProgress::Enter(state) => login.enter(state, &mut self.output, now),
            LoginProgress::WithoutTimeseal => {
                self.output.disable_timeseal();
                self.reader.framer_mut().set_timeseal(Timeseal::Off);
                login.enter(LoginState::LoginString { prompts: 0 }, &mut self.output, now);
            }
            LoginProgress::Complete(login) => {
                self.fallback.note_working_features(&login);
                custom_prompt::apply(login.prompt.as_deref(), &mut self.reader);
                self.reader.framer_mut().set_family(login.dialect.family());
                let options = Arc::clone(&self.options);
                let live = LiveConnection::new(login, &self.memory, options, self.rng.fork(), now);
                self.phase = Phase::Live(Box::new(live));
                self.advance(now);
            }
            LoginProgress::RetryWithout(feature, error) if self.fallback.try_stop_requesting(feature, &error) => {
                self.require_close(AfterClose::Redial, now);
            }
            LoginProgress::Failed(error) | LoginProgress::RetryWithout(_, error) => {
                self.require_close(AfterClose::FailLogin(self.fallback.explain_silence(error)), now);
            }
        }
    }

    /// Requires the driver to close the connection. Completes all requests, and remembers the games for the next connection if
    /// they were restored on this one.
    pub(super) fn require_close(&mut self, after_close: AfterClose, now: Instant) {
        if let Phase::Live(live) = &mut self.phase {
            if let Some(at) = live.ready_since {
                self.backoff.note_ready(at);
            }
            live.end(&after_close, &mut self.memory, &mut self.output);
            if live.is_restored() {
                let loss = Loss { last_byte_at: self.last_byte_at, noticed_at: now };
                self.memory.note_loss(self.reader.games(), loss);
            }
        }
        self.phase = Phase::Closing(after_close);
    }

    /// Dials, delays the next attempt, or ends the session once the driver has closed the connection.
    pub(super) fn continue_after_close(&mut self, after_close: AfterClose, now: Instant) {
        match after_close {
            AfterClose::Redial => self.start_dialing(),
            AfterClose::End(reason) => self.end_session(reason),
            AfterClose::Reconnect(cause) => self.retry_or_end(LostCause::Connection(cause), now),
            AfterClose::FailLogin(error) if error.is_final() || !self.may_retry() => {
                self.end_session(SessionEndReason::Login(error));
            }
            AfterClose::FailLogin(error) => self.retry_or_end(LostCause::Login(error), now),
        }
    }

    /// Returns whether a failed connection or login is followed by another attempt.
    pub(super) fn may_retry(&self) -> bool {
        self.backoff.was_ready || self.options.first_connect == FirstConnect::Retry
    }

    /// Emits [`Event::Connecting`], and enters the phase `Dialing`.
    pub(super) fn start_dialing(&mut self) {
        self.phase = Phase::Dialing;
        self.output.emit(Event::Connecting(ConnectionAttempt::new(self.backoff.attempt_number())));
    }

    /// Emits [`Event::Lost`], then delays the next attempt, or ends the session if the limit of attempts is reached.
    pub(super) fn retry_or_end(&mut self, cause: LostCause, now: Instant) {
        let retry_in = self.backoff.next_delay(&self.options.reconnect, &mut self.rng, now);
        let silent_for = now.saturating_duration_since(self.last_byte_at);
        self.output.emit(Event::Lost(ConnectionLoss::new(cause.clone(), retry_in, silent_for).into()));
        match retry_in {
            Some(delay) => self.phase = Phase::Waiting { until: saturating_deadline(now, delay) },
            None => self.end_session(SessionEndReason::Lost { cause, attempts: self.backoff.attempts }),
        }
    }

    /// Emits [`Event::Ended`], and enters the phase `Ended`.
    pub(super) fn end_session(&mut self, reason: SessionEndReason) {
        self.output.emit(Event::Ended(reason.clone()));
        self.phase = Phase::Ended(reason);
    }

    /// Reports that the driver has stopped reading, so that silence does not mean a dead connection.
    ///
    /// Postpones the deadlines of the login, of the set-up and of the session's own requests until [`receive`](Self::receive) is
    /// called again. Deadlines of users' requests are not postponed: the driver may be waiting for a subscriber that waits for
    /// such a request.
    pub fn handle_reading_pause(&mut self, now: Instant) {
        self.paused_since.get_or_insert(now);
        self.postpone_deadlines_by_pause(now);
        if let Phase::Live(live) = &mut self.phase {
            live.record_receipt(now);
        }
    }

    /// Postpones deadlines by the time since reading was paused, or since the last call; does nothing without a pause.
    pub(super) fn postpone_deadlines_by_pause(&mut self, now: Instant) {
        let Some(since) = &mut self.paused_since else { return };
        let paused = now.saturating_duration_since(std::mem::replace(since, now));
        match &mut self.phase {
            Phase::LoggingIn(login) => login.postpone_deadlines(paused),
            Phase::Live(live) => live.postpone_non_user_deadlines(paused),
            _ => {}
        }
    }
}

/// Delays between attempts to connect: they double up to a maximum, and half of each is random.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    /// Number of attempts since the last stable session.
    pub(super) attempts: u32,
    /// Time at which the last session was set up; `None` if its loss was handled.
    ready_since: Option<Instant>,
    /// Whether a session was set up at least once.
    pub(super) was_ready: bool,
}

impl Backoff {
    pub(super) const fn note_ready(&mut self, at: Instant) {
        self.ready_since = Some(at);
        self.was_ready = true;
    }

    /// Returns the number of the connection attempt, from 1.
    pub(super) fn attempt_number(&self) -> u32 {
        self.attempts.saturating_add(u32::from(!self.was_ready)).max(1)
    }

    /// Counts an attempt and returns the delay before it; `None` if the limit of attempts is reached. The delay doubles with each
    /// attempt up to the cap, and its second half is random.
    ///
    /// Restarts from the first delay after a stable session only: a server that closes right after the set-up must not be dialed
    /// at full speed. The random half keeps sessions that lose the same server at once from reconnecting at once.
    pub(super) fn next_delay(&mut self, options: &Reconnect, rng: &mut Rng, now: Instant) -> Option<Duration> {
        if self.ready_since.take().is_some_and(|since| now.saturating_duration_since(since) >= options.stable_after) {
            self.attempts = 0;
        }
        if options.attempts.is_some_and(|limit| self.attempts >= limit) {
            return None;
        }
        let factor = 1_u32.checked_shl(self.attempts).unwrap_or(u32::MAX);
        let delay = options.base.saturating_mul(factor).min(options.cap);
        self.attempts = self.attempts.saturating_add(1);
        Some(delay / 2 + (delay / 2).mul_f64(rng.f64()))
    }
}

#[cfg(test)]
mod tests;
