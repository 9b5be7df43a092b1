//! Transitions between the phases of a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Phase, Session};
use crate::event::{CloseCause, EndReason, Event, Identity, LostCause};
use crate::message::{Control, KickedBy, Message, Reader};
use crate::reader::EventReader;
use crate::session::context::AfterClose;
use crate::session::live::Live;
use crate::session::login::{CompletedLogin, Login, LoginProgress};
use crate::session::options::after;
use crate::wire::Framer;

/// Maximum time between the line that reports a kick and the end of the connection. Servers close at once.
const MAX_KICK_DELAY: Duration = Duration::from_secs(10);

impl Session {
    /// Starts the login on a new connection: replaces the reader with its games, and clears the queue of bytes to write.
    pub(super) fn connected(&mut self, now: Instant) {
        let timeseal = self.fallback.timeseal();
        let mut framer = Framer::new().with_limits(self.options.limits).with_timeseal(timeseal);
        framer.set_prompt(&self.options.prompt);
        framer.set_block_mode(false);
        let reader = Reader::new(framer, self.options.family);
        self.reader = EventReader::new(reader).with_game_limits(self.options.game_limits);
        self.out.connected(timeseal, now);
        self.paused_since = None;
        self.kicked = None;
        self.memory.connected();
        if let Some(password) = self.memory.new_password.take() {
            self.options.credentials.set_password(password);
        }
        self.counters.reconnects += u64::from(self.memory.was_ready);
        self.phase =
            Phase::LoggingIn(Box::new(Login::new(&self.options, timeseal, self.fallback.uses_login_string(), now)));
        self.emit(Event::Connected);
    }

    /// Processes an event of the reader: counts it, queues the answer to a ping, and passes it to the login or the live
    /// connection.
    pub(super) fn process(&mut self, event: &Event, now: Instant) {
        self.counters.events += 1;
        let message = match event {
            Event::Received { received, .. } => &received.message,
            Event::Desync(desync) => {
                if let (Phase::Live(live), mut cx) = self.parts(now) {
                    live.desynced(desync, &mut cx);
                }
                return;
            }
            _ => return,
        };
        match message {
            Message::Control(Control::Ping) => {
                self.counters.pings += 1;
                self.out.answer_ping();
            }
            Message::Kicked(by) => self.kicked = Some((KickedBy::clone(by), now)),
            _ => {}
        }
        let (phase, mut cx) = self.parts(now);
        match phase {
            Phase::LoggingIn(login) => {
                let progress = login.handle(message, event.raw(), &mut cx);
                self.login_progressed(progress, now);
            }
            Phase::Live(live) => {
                live.handle(event, &mut cx);
                self.counters.round_trip = live.round_trip().or(self.counters.round_trip);
            }
            _ => {}
        }
    }

    /// Returns who kicked this login; `None` unless the server closed the connection within [`MAX_KICK_DELAY`] of a kick notice.
    /// The notice alone proves nothing: it may be talk.
    pub(super) fn kicked_before(&self, cause: CloseCause, now: Instant) -> Option<KickedBy> {
        let (by, at) = self.kicked.as_ref()?;
        let is_by_server = matches!(cause, CloseCause::Closed | CloseCause::Failed(_));
        (is_by_server && now.saturating_duration_since(*at) <= MAX_KICK_DELAY).then(|| by.clone())
    }

    pub(super) fn login_progressed(&mut self, progress: LoginProgress, now: Instant) {
        match progress {
            LoginProgress::Continue => {}
            LoginProgress::LoggedIn(identity) => self.logged_in(identity),
            LoginProgress::Complete(login) => self.set_up(&login, now),
            LoginProgress::RetryWithout(feature, error) if self.fallback.give_up(feature, &error) => {
                self.close(AfterClose::Redial, now);
            }
            LoginProgress::Failed(error) | LoginProgress::RetryWithout(_, error) => {
                self.close(AfterClose::FailLogin(self.fallback.explain(error)), now);
            }
        }
    }

    fn logged_in(&mut self, identity: Identity) {
        self.identity = Some(identity.clone());
        self.emit(Event::LoggedIn(Arc::new(identity)));
    }

    fn set_up(&mut self, login: &CompletedLogin, now: Instant) {
        if let Some(identity) = &login.unreported {
            self.logged_in(identity.clone());
        }
        self.fallback.learn(login);
        let live = Live::new(login, &mut self.parts(now).1);
        self.phase = Phase::Live(Box::new(live));
    }

    /// Requires the driver to close the connection. Completes all requests, and remembers the games for the next connection if
    /// they were restored on this one.
    pub(super) fn close(&mut self, after_close: AfterClose, now: Instant) {
        let (phase, mut cx) = self.parts(now);
        if let Phase::Live(live) = phase {
            live.end(&after_close, &mut cx);
            if live.is_restored(cx.memory) {
                self.memory.note_loss(self.reader.games(), now);
            }
        }
        self.phase = Phase::Closing(after_close);
    }

    /// Dials, delays the next attempt, or ends the session once the driver has closed the connection.
    pub(super) fn continue_after_close(&mut self, after_close: AfterClose, now: Instant) {
        match after_close {
            AfterClose::Redial => self.dial(),
            AfterClose::End(reason) => self.end(reason),
            AfterClose::Reconnect(cause) => self.lost(LostCause::Connection(cause), now),
            AfterClose::FailLogin(error) if error.is_final() || !self.memory.was_ready => {
                self.end(EndReason::Login(error));
            }
            AfterClose::FailLogin(error) => self.lost(LostCause::Login(error), now),
        }
    }

    pub(super) fn dial(&mut self) {
        self.phase = Phase::Dialing;
        self.emit(Event::Connecting { attempt: self.attempt() });
    }

    pub(super) fn attempt(&self) -> u32 {
        self.backoff.attempts().max(1)
    }

    /// Emits [`Event::Lost`], then delays the next attempt, or ends the session if the limit of attempts is reached.
    pub(super) fn lost(&mut self, cause: LostCause, now: Instant) {
        let retry_in = self.backoff.next(&self.options.reconnect, &mut self.rng, now);
        let attempts = self.backoff.attempts();
        self.emit(Event::Lost { cause: cause.clone(), retry_in });
        match retry_in {
            Some(delay) => self.phase = Phase::Waiting { until: after(now, delay) },
            None => self.end(EndReason::Lost { cause, attempts }),
        }
    }

    pub(super) fn end(&mut self, reason: EndReason) {
        self.emit(Event::Ended(reason.clone()));
        self.phase = Phase::Ended(reason);
    }

    pub(super) fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Reports that the driver has stopped reading, so that silence does not mean a dead connection.
    ///
    /// Postpones the deadlines of the login and of the set-up until [`receive`](Self::receive) is called again. Deadlines of
    /// users' requests are not postponed: the driver may be waiting for a subscriber that waits for such a request.
    pub fn reading_paused(&mut self, now: Instant) {
        self.paused_since.get_or_insert(now);
        self.skip_pause(now);
        if let Phase::Live(live) = &mut self.phase {
            live.heard(now);
        }
    }

    /// Postpones deadlines by the time since reading was paused, or since the last call; does nothing without a pause.
    pub(super) fn skip_pause(&mut self, now: Instant) {
        let Some(since) = &mut self.paused_since else { return };
        let paused = now.saturating_duration_since(std::mem::replace(since, now));
        match &mut self.phase {
            Phase::LoggingIn(login) => login.defer(paused),
            Phase::Live(live) => live.defer(paused),
            _ => {}
        }
    }
}
