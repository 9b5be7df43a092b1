//! The session: its phases, its inputs and its outputs.
//!
//! | phase | input | next phase |
//! |---|---|---|
//! | `Dialing` | `dialed(Ok)` | `LoggingIn` |
//! | `Dialing` | `dialed(Err)`: first connection without `FirstConnect::Retry`; else | `Ended`; `Waiting` |
//! | `LoggingIn` | proof of the login | `Live` |
//! | `LoggingIn` | refusal, timeout; feature not understood | `Closing` |
//! | `Live` | dead connection, timeout of the set-up or of `quit` | `Closing` |
//! | `LoggingIn`, `Live` | `closed` | as `Closing` |
//! | `Closing` | `closed`: [`AfterClose`] decides | `Dialing`, `Waiting`, `Ended` |
//! | `Waiting` | end of the delay | `Dialing` |
//! | `Dialing`, `Waiting` | `quit`, `shutdown` | `Ended` |
//! | `LoggingIn`, `Live` | `shutdown`; `quit` during the login | `Closing` |
//!
//! The stages of `Live` are in [`live`](super::live), the states of the login in [`login`](super::login).

mod phases;
pub(super) mod state;

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;

use self::phases::Backoff;
use self::state::{AfterClose, DriverAction, SessionCounters, SessionState};
use super::command::{Command, RequestOptions};
use super::live::LiveConnection;
use super::login::Login;
use super::login::fallback::LoginFallback;
use super::options::{SessionOptions, saturating_deadline};
use super::output::{Output, Transmit};
use super::recovery::Memory;
use super::reply::Reply;
use crate::event::{Capabilities, CloseCause, DialError, Event, LostCause, RequestError, RequestId, SessionEndReason};
use crate::game::Games;
use crate::message::{Handle, KickedBy};
use crate::reader::EventReader;
use crate::wire::StreamState;

/// A session on a chess server, without I/O and without a clock.
///
/// It logs in, sets itself up, answers requests, detects dead connections and requests new ones; then it restores observed games,
/// seeks and settings. One value lives across all connections.
///
/// The driver of a session, in turn,
///
/// 1. performs the action that [`next_action`](Self::next_action) returns, and reports its outcome by [`handle_dial_outcome`](Self::handle_dial_outcome) or
///    [`handle_close`](Self::handle_close);
/// 2. passes received bytes to [`receive`](Self::receive) until it returns `None`;
/// 3. calls [`handle_timeout`](Self::handle_timeout) at the time that [`poll_timeout`](Self::poll_timeout) returns;
///
/// and after each of these, and after any other call, polls the output: [`poll_transmit`](Self::poll_transmit) for bytes to
/// write, [`poll_reply`](Self::poll_reply) for completed requests, and last [`poll_event`](Self::poll_event) for events of the
/// session itself.
///
/// ```
/// use std::time::Instant;
///
/// use kibitzer_core::session::{Credentials, DriverAction, Session, SessionOptions};
///
/// let mut session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now());
/// assert_eq!(session.next_action(), DriverAction::Dial { attempt: 1 });
/// session.handle_dial_outcome(Ok(()), Instant::now());
/// let mut read = &b"\n\rlogin: "[..];
/// while session.receive(&mut read, Instant::now()).is_some() {}
/// let line = session.poll_transmit(Instant::now()).unwrap();
/// assert!(line.bytes().starts_with(b"%b"), "the login string, which requests features");
/// ```
#[derive(Debug)]
pub struct Session {
    pub(super) phase: Phase,
    /// Shared with the phase.
    options: Arc<SessionOptions>,
    /// Reader of the current connection, or of the last one.
    reader: EventReader,
    /// Position in the stream at which the last complete frame ended.
    frame_end: u64,
    pub(super) output: Output,
    pub(super) memory: Memory,
    backoff: Backoff,
    fallback: LoginFallback,
    rng: Rng,
    /// Name of the last login, as the server spelled it.
    handle: Option<Handle>,
    /// Time at which the last byte was received, on any connection; before the first one, the start of the session.
    last_byte_at: Instant,
    /// Author of the last kick notice on this connection, and the time of its arrival.
    kicked: Option<Box<(KickedBy, Instant)>>,
    /// Time until which deadlines have been postponed for the current reading pause; `None` while the driver reads.
    paused_since: Option<Instant>,
}

#[derive(Debug)]
pub(super) enum Phase {
    Dialing,
    Waiting {
        until: Instant,
    },
    LoggingIn(Box<Login>),
    Live(Box<LiveConnection>),
    /// The driver has to close the connection.
    Closing(AfterClose),
    Ended(SessionEndReason),
}

impl Session {
    /// Creates a session. Its first [action](Self::next_action) is to connect.
    pub fn new(options: SessionOptions, now: Instant) -> Self {
        let mut session = Self {
            phase: Phase::Dialing,
            reader: EventReader::default(),
            frame_end: 0,
            output: Output::default(),
            memory: Memory::default(),
            backoff: Backoff::default(),
            fallback: LoginFallback::new(options.timeseal),
            rng: Rng::with_seed(options.seed),
            options: Arc::new(options),
            handle: None,
            last_byte_at: now,
            kicked: None,
            paused_since: None,
        };
        session.start_dialing();
        session
    }

    /// Returns the action that the driver has to perform on the connection; the same until an input changes the phase.
    pub fn next_action(&self) -> DriverAction {
        match &self.phase {
            Phase::Dialing => DriverAction::Dial { attempt: self.backoff.attempt_number() },
            Phase::Waiting { .. } => DriverAction::Wait,
            Phase::LoggingIn(_) | Phase::Live(_) => DriverAction::Keep,
            Phase::Closing(_) => DriverAction::Close,
            Phase::Ended(reason) => DriverAction::End(reason.clone()),
        }
    }

    /// Returns the phase of the session, as users see it.
    pub fn state(&self) -> SessionState {
        match &self.phase {
            Phase::Dialing => SessionState::Connecting,
            Phase::Waiting { .. } => SessionState::Waiting,
            Phase::LoggingIn(login) => SessionState::LoggingIn(login.step()),
            Phase::Live(live) => live.state(),
            Phase::Closing(_) => SessionState::Closing,
            Phase::Ended(reason) => SessionState::Ended(reason.clone()),
        }
    }

    /// Returns the features that the server has granted so far; none before the login is complete and while no connection lives.
    pub fn capabilities(&self) -> Capabilities {
        match &self.phase {
            Phase::Live(live) => live.capabilities,
            _ => Capabilities::default(),
        }
    }

    /// Returns the games known after the last event. A new connection starts without games.
    pub const fn games(&self) -> &Games {
        self.reader.games()
    }

    /// Returns the state that the meaning of the next byte depends on, as
    /// [`EventReader::stream_state`](crate::EventReader::stream_state) does.
    pub fn stream_state(&self) -> StreamState {
        self.reader.stream_state()
    }

    /// Returns the number of bytes of this connection that were parsed; after its end, of the last connection.
    pub const fn stream_position(&self) -> u64 {
        self.reader.position()
    }

    /// Returns the position in the stream at which the last complete frame of this connection ended. The bytes from there to
    /// [`stream_position`](Self::stream_position) belong to a frame whose end was not received yet.
    pub const fn frame_end(&self) -> u64 {
        self.frame_end
    }

    /// Returns the name of this login, as the server spelled it last; `None` before the first login, and for a guest whose name
    /// the server did not report.
    pub fn login_handle(&self) -> Option<&Handle> {
        self.handle.as_ref()
    }

    /// Returns the totals of all connections so far.
    pub fn counters(&self) -> SessionCounters {
        self.output.counters
    }

    /// Processes the outcome of [`DriverAction::Dial`]; ignored in other phases.
    ///
    /// Success starts the login. A failure delays the next attempt, or ends the session if no attempt is left, or if it was never
    /// ready and the options do not [retry](super::FirstConnect::Retry).
    pub fn handle_dial_outcome(&mut self, outcome: Result<(), DialError>, now: Instant) {
        if !matches!(self.phase, Phase::Dialing) {
            return;
        }
        match outcome {
            Ok(()) => self.start_login(now),
            Err(error) if self.may_retry() => self.retry_or_end(LostCause::Dial(error), now),
            Err(error) => self.end_session(SessionEndReason::Dial(error)),
        }
    }

    /// Returns the next event, and advances `input` to the byte after it; `None` once all of `input` is consumed. Ends a pause
    /// that [`handle_reading_pause`](Self::handle_reading_pause) reported.
    ///
    /// Events of the session itself that the last event caused are returned before the next one. Without a connection, `input` is
    /// discarded.
    pub fn receive(&mut self, input: &mut &[u8], now: Instant) -> Option<Event> {
        if let Some(event) = self.poll_event() {
            return Some(event);
        }
        if matches!(self.phase, Phase::Dialing | Phase::Waiting { .. } | Phase::Ended(_)) {
            *input = &[];
            return None;
        }
        self.postpone_deadlines_by_pause(now);
        self.paused_since = None;
        if !input.is_empty() {
            self.last_byte_at = now;
            match &mut self.phase {
                Phase::LoggingIn(login) => login.record_receipt(now),
                Phase::Live(live) => live.record_receipt(now),
                _ => {}
            }
        }
        let all = *input;
        let event = self.reader.next(input);
        let consumed = all.get(..all.len() - input.len()).unwrap_or_default();
        self.output.counters.bytes_received += u64::try_from(consumed.len()).unwrap_or(u64::MAX);
        if let Phase::LoggingIn(login) = &mut self.phase {
            login.record_greeting(consumed);
        }
        let event = self.without_refusal_of_own_lines(event?);
        self.process_event(&event, now);
        Some(event)
    }

    /// Handles the end of the connection, whichever side closed it. Does nothing if there is no connection.
    ///
    /// Completes all pending requests, and decides whether to reconnect or to end the session. Bytes that were received but not
    /// parsed yet are parsed now; [`poll_event`](Self::poll_event) returns their events.
    pub fn handle_close(&mut self, cause: CloseCause, now: Instant) {
        if matches!(self.phase, Phase::Dialing | Phase::Waiting { .. } | Phase::Ended(_)) {
            return;
        }
        if let Phase::Live(live) = &mut self.phase {
            live.requests.is_cut_off = true;
        }
        while let Some(event) = self.reader.finish() {
            let event = self.without_refusal_of_own_lines(event);
            self.output.emit(event.clone());
            self.process_event(&event, now);
        }
        // An observer that is added before the next connection has missed no part of a frame.
        self.frame_end = self.reader.position();
        match &self.phase {
            Phase::LoggingIn(_) | Phase::Live(_) if let Some(by) = self.kicked_by_before_close(cause, now) => {
                self.require_close(AfterClose::End(SessionEndReason::Kicked(by)), now);
            }
            Phase::LoggingIn(login) => {
                let progress = login.failure_of_close(cause);
                self.handle_login_progress(progress, now);
            }
            Phase::Live(live) => {
                let after_close = live.action_after_close(cause);
                self.require_close(after_close, now);
            }
            _ => {}
        }
        if let Phase::Closing(after_close) = &self.phase {
            let after_close = after_close.clone();
            self.continue_after_close(after_close, now);
        }
    }

    /// Removes and returns the next event that [`receive`](Self::receive) has not returned; `None` if there is none.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.output.events.pop_front()
    }

    /// Keeps the memory of an event that is no longer needed, as [`EventReader::recycle`](crate::EventReader::recycle) does.
    pub fn recycle(&mut self, event: Event) {
        self.reader.recycle(event);
    }

    /// Removes and returns the next bytes to write, and counts them as sent; `None` if none are due or no connection is open.
    ///
    /// Queues an [`Event::Sent`] for each line that is not an answer to a ping or the first line of timeseal.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        if !matches!(self.phase, Phase::LoggingIn(_) | Phase::Live(_)) {
            return None;
        }
        self.output.poll_transmit(&mut self.reader, now)
    }

    /// Returns the time at which [`handle_timeout`](Self::handle_timeout) has to be called, unless another call changes it;
    /// `None` while the driver has to dial or close, and after the end.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Waiting { until } => Some(*until),
            Phase::LoggingIn(login) => Some(login.next_deadline()),
            Phase::Live(live) => Some(live.next_deadline()),
            Phase::Dialing | Phase::Closing(_) | Phase::Ended(_) => None,
        }
    }

    /// Performs the actions whose time has passed, and releases unused memory. A call before [`poll_timeout`](Self::poll_timeout)
    /// does no harm.
    pub fn handle_timeout(&mut self, now: Instant) {
        // Otherwise a thousand idle sessions would keep the buffers of their busiest minute.
        self.output.shrink_to_fit();
        self.postpone_deadlines_by_pause(now);
        match &mut self.phase {
            Phase::Waiting { until } if *until <= now => self.start_dialing(),
            Phase::LoggingIn(login) => {
                let progress = login.handle_timeout(now);
                self.handle_login_progress(progress, now);
            }
            Phase::Live(live) => match live.handle_timeout(&mut self.output, now) {
                Some(after_close) => self.require_close(after_close, now),
                None => self.advance(now),
            },
            _ => {}
        }
    }

    /// Queues a command; it is sent when earlier ones are answered. [`poll_reply`](Self::poll_reply) returns its reply.
    ///
    /// After a lost connection, an `observe` waits until the games are [restored](Event::Restored): some servers stop observing a
    /// game that is observed already. The game is observed then in any case, even if the server refuses the command for that
    /// reason.
    ///
    /// # Errors
    ///
    /// Nothing was sent. [`RequestError::NotConnected`]: the session does not [accept requests](SessionState::accepts_requests).
    /// [`RequestError::Busy`]: the queue of requests is full, or the queue of events that [`poll_event`](Self::poll_event)
    /// returns. [`RequestError::Ended`]: the session is over, or about to be.
    pub fn request(&mut self, command: Command, now: Instant) -> Result<RequestId, RequestError> {
        self.request_with(command, RequestOptions::new(), now)
    }

    /// Queues a command, as [`request`](Self::request) does, that is sent only while its conditions are met.
    ///
    /// A condition that is no longer met completes the request: with [`RequestError::Expired`] or [`RequestError::GameOver`].
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request); and [`RequestError::GameOver`] if the game of the options is not in progress.
    pub fn request_with(
        &mut self,
        command: Command,
        options: RequestOptions,
        now: Instant,
    ) -> Result<RequestId, RequestError> {
        let is_unpolled = self.output.events.len() >= self.options.requests.queued;
        match &mut self.phase {
            Phase::Live(_) if is_unpolled => Err(RequestError::Busy),
            Phase::Live(live) => {
                let id = live.request(command, options, self.reader.games(), now)?;
                self.advance(now);
                Ok(id)
            }
            Phase::Closing(AfterClose::End(reason)) | Phase::Ended(reason) => Err(RequestError::Ended(reason.clone())),
            _ => Err(RequestError::NotConnected),
        }
    }

    /// Returns whether [`poll_reply`](Self::poll_reply) would return a completed request.
    pub fn has_reply(&self) -> bool {
        !self.output.replies.is_empty()
    }

    /// Removes and returns the oldest completed request, with its reply or error; `None` if none is completed.
    pub fn poll_reply(&mut self) -> Option<(RequestId, Result<Reply, RequestError>)> {
        self.output.replies.pop_front()
    }

    /// Stops waiting for the reply to a request; ignored for an unknown identifier.
    ///
    /// A queued command is withdrawn. A sent command may still be executed; its reply is discarded.
    pub fn abandon(&mut self, id: RequestId, now: Instant) {
        if let Phase::Live(live) = &mut self.phase {
            live.abandon(id);
            self.advance(now);
        }
        self.output.replies.retain(|(completed, _)| *completed != id);
    }

    /// Ends the session with [`SessionEndReason::Quit`]. On a connection that is logged in, sends `quit` and ends when the server
    /// closes the connection, or after a timeout. During the login, ends once the driver has closed the connection; without a
    /// connection, at once. Ignored after the end. Returns the time at which the timeout expires.
    pub fn quit(&mut self, now: Instant) -> Instant {
        match &mut self.phase {
            Phase::Live(live) => {
                live.quit(now);
                self.advance(now);
            }
            _ => self.close_or_end(SessionEndReason::Quit, now),
        }
        saturating_deadline(now, self.options.timings.quit)
    }

    /// Ends the session with [`SessionEndReason::Shutdown`], without sending anything: at once if no connection is open,
    /// otherwise when the driver has closed it.
    pub fn shutdown(&mut self, now: Instant) {
        self.close_or_end(SessionEndReason::Shutdown, now);
    }

    /// Ends the session at once without a connection, otherwise after the driver has closed it; ignored after the end.
    fn close_or_end(&mut self, reason: SessionEndReason, now: Instant) {
        match self.phase {
            Phase::Dialing | Phase::Waiting { .. } => self.end_session(reason),
            Phase::LoggingIn(_) | Phase::Live(_) | Phase::Closing(_) => {
                self.require_close(AfterClose::End(reason), now);
            }
            Phase::Ended(_) => {}
        }
    }
}
