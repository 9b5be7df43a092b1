//! Transitions between the phases of a session.

use std::time::{Duration, Instant};

use super::{Phase, Session};
use crate::event::{CloseCause, Event, LostCause, SessionEndReason};
use crate::message::{Control, KickedBy, Message, Reader};
use crate::reader::EventReader;
use crate::session::context::AfterClose;
use crate::session::live::LiveConnection;
use crate::session::login::{Login, LoginProgress};
use crate::session::options::choices::FirstConnect;
use crate::session::options::credentials::Credentials;
use crate::session::options::saturating_deadline;
use crate::session::recovery::memory::Loss;
use crate::wire::Framer;

/// Maximum time between the line that reports a kick and the end of the connection. Servers close at once.
const MAX_KICK_DELAY: Duration = Duration::from_secs(10);

impl Session {
    /// Starts the login on a new connection, and emits [`Event::Connected`]. Replaces the reader with its games, and clears the
    /// queue of bytes to write. Uses a password that was changed during the last connection.
    pub(super) fn start_login(&mut self) {
        let timeseal = self.fallback.next_timeseal();
        let cx = &mut self.cx;
        let mut framer =
            Framer::new().with_limits(cx.options.limits).with_timeseal(timeseal).with_encoding(cx.options.encoding);
        framer.set_prompt(&cx.options.prompt);
        framer.set_block_mode(false);
        let reader = Reader::new(framer, cx.options.family);
        cx.reader = EventReader::new(reader).with_game_limits(cx.options.game_limits);
        cx.frame_end = 0;
        cx.outbox.reset_for_connection(timeseal, cx.now);
        // The numbers of seeks are valid on one connection only.
        cx.memory.seeks.iter_mut().for_each(|seek| seek.index = None);
        if let Some(new) = cx.memory.new_password.take()
            && let Credentials::Account { password, .. } = &mut cx.options.credentials
        {
            *password = new;
        }
        cx.counters.reconnects += u64::from(cx.memory.was_ready);
        cx.emit(Event::Connected);
        self.paused_since = None;
        self.kicked = None;
        self.phase = Phase::LoggingIn(Box::new(Login::new(cx, timeseal, self.fallback.uses_login_string)));
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
    pub(super) fn process_event(&mut self, event: &Event) {
        self.cx.counters.events += 1;
        let message = match event {
            Event::Received { received, .. } => {
                self.cx.frame_end = received.end();
                &received.message
            }
            Event::Desync(desync) => {
                if let Phase::Live(live) = &mut self.phase {
                    live.handle_desync(desync, &mut self.cx);
                }
                return;
            }
            _ => return,
        };
        self.cx.counters.lines_received += u64::from(!matches!(message, Message::Control(_)));
        match message {
            Message::Control(Control::Ping) => {
                self.cx.counters.pings += 1;
                self.cx.outbox.queue_ping_answer();
            }
            Message::Kicked(by) => self.kicked = Some((KickedBy::clone(by), self.cx.now)),
            _ => {}
        }
        match &mut self.phase {
            Phase::LoggingIn(login) => {
                let progress = login.handle_message(message, event.raw(), &mut self.cx);
                self.handle_login_progress(progress);
            }
            Phase::Live(live) => live.handle_event(event, &mut self.cx),
            _ => {}
        }
    }

    /// Returns who kicked this login; `None` unless the server closed the connection within [`MAX_KICK_DELAY`] of a kick notice.
    /// The notice alone proves nothing: it may be talk.
    pub(super) fn kicked_by_before_close(&self, cause: CloseCause) -> Option<KickedBy> {
        let (by, at) = self.kicked.as_ref()?;
        let is_by_server = matches!(cause, CloseCause::Closed | CloseCause::WebSocketClosed(_) | CloseCause::Failed(_));
        (is_by_server && self.cx.now.saturating_duration_since(*at) <= MAX_KICK_DELAY).then(|| by.clone())
    }

    /// Applies the progress of the login: starts the live connection, retries without a feature, or fails.
    pub(super) fn handle_login_progress(&mut self, progress: LoginProgress) {
        match progress {
            LoginProgress::Continue => {}
            LoginProgress::Complete(login) => {
                self.fallback.note_working_features(login);
                self.phase = Phase::Live(Box::new(LiveConnection::start_set_up(login, &mut self.cx)));
            }
            LoginProgress::RetryWithout(feature, error) if self.fallback.try_stop_requesting(feature, &error) => {
                self.fail_requests_and_require_close(AfterClose::Redial);
            }
            LoginProgress::Failed(error) | LoginProgress::RetryWithout(_, error) => {
                self.fail_requests_and_require_close(AfterClose::FailLogin(self.fallback.explain_silence(error)));
            }
        }
    }

    /// Requires the driver to close the connection. Completes all requests, and remembers the games for the next connection if
    /// they were restored on this one.
    pub(super) fn fail_requests_and_require_close(&mut self, after_close: AfterClose) {
        if let Phase::Live(live) = &mut self.phase {
            live.fail_all_requests(&after_close, &mut self.cx);
            if live.is_restored(&self.cx.memory) {
                let games = self.cx.reader.games().iter().filter(|game| game.is_followed_and_ongoing());
                self.cx.memory.games = games.cloned().collect();
                self.cx.memory.loss =
                    Some(Box::new(Loss { last_byte_at: self.cx.last_byte_at, noticed_at: self.cx.now }));
            }
        }
        self.phase = Phase::Closing(after_close);
    }

    /// Dials, delays the next attempt, or ends the session once the driver has closed the connection.
    pub(super) fn continue_after_close(&mut self, after_close: AfterClose) {
        match after_close {
            AfterClose::Redial => self.start_dialing(),
            AfterClose::End(reason) => self.end_session(reason),
            AfterClose::Reconnect(cause) => self.retry_or_end(LostCause::Connection(cause)),
            AfterClose::FailLogin(error) if error.is_final() || !self.may_retry() => {
                self.end_session(SessionEndReason::Login(error));
            }
            AfterClose::FailLogin(error) => self.retry_or_end(LostCause::Login(error)),
        }
    }

    /// Returns whether a failed connection or login is followed by another attempt.
    pub(super) fn may_retry(&self) -> bool {
        self.cx.memory.was_ready || self.cx.options.first_connect == FirstConnect::Retry
    }

    /// Emits [`Event::Connecting`], and enters the phase `Dialing`.
    pub(super) fn start_dialing(&mut self) {
        self.phase = Phase::Dialing;
        self.cx.emit(Event::Connecting { attempt: self.attempt_number() });
    }

    /// Returns the number of the connection attempt, from 1.
    pub(super) fn attempt_number(&self) -> u32 {
        let is_first_series = u32::from(!self.cx.memory.was_ready);
        self.cx.backoff.attempts.saturating_add(is_first_series).max(1)
    }

    /// Emits [`Event::Lost`], then delays the next attempt, or ends the session if the limit of attempts is reached.
    pub(super) fn retry_or_end(&mut self, cause: LostCause) {
        let cx = &mut self.cx;
        let retry_in = cx.backoff.next_delay(&cx.options.reconnect, &mut cx.rng, cx.now);
        let attempts = self.cx.backoff.attempts;
        let silent_for = self.cx.now.saturating_duration_since(self.cx.last_byte_at);
        self.cx.emit(Event::Lost { cause: cause.clone().into(), retry_in, silent_for });
        match retry_in {
            Some(delay) => self.phase = Phase::Waiting { until: saturating_deadline(self.cx.now, delay) },
            None => self.end_session(SessionEndReason::Lost { cause, attempts }),
        }
    }

    /// Emits [`Event::Ended`], and enters the phase `Ended`.
    pub(super) fn end_session(&mut self, reason: SessionEndReason) {
        self.cx.emit(Event::Ended(reason.clone()));
        self.phase = Phase::Ended(reason);
    }

    /// Reports that the driver has stopped reading, so that silence does not mean a dead connection.
    ///
    /// Postpones the deadlines of the login, of the set-up and of the session's own requests until [`receive`](Self::receive) is
    /// called again. Deadlines of users' requests are not postponed: the driver may be waiting for a subscriber that waits for
    /// such a request.
    pub fn handle_reading_pause(&mut self, now: Instant) {
        self.cx.now = now;
        self.paused_since.get_or_insert(now);
        self.postpone_deadlines_by_pause();
        if let Phase::Live(live) = &mut self.phase {
            live.liveness.record_receipt(now);
        }
    }

    /// Postpones deadlines by the time since reading was paused, or since the last call; does nothing without a pause.
    pub(super) fn postpone_deadlines_by_pause(&mut self) {
        let Some(since) = &mut self.paused_since else { return };
        let paused = self.cx.now.saturating_duration_since(std::mem::replace(since, self.cx.now));
        match &mut self.phase {
            Phase::LoggingIn(login) => login.postpone_deadlines(paused),
            Phase::Live(live) => live.postpone_non_user_deadlines(paused),
            _ => {}
        }
    }
}
