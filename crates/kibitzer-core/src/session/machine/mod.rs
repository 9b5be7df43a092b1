//! The session itself: which phase it is in, and what it is asked.

pub(super) mod counters;
mod hold;
mod life;
pub(super) mod link;

use std::collections::VecDeque;
use std::time::Instant;

use crate::event::{
    Capabilities, CloseCause, DialError, EndReason, Event, Identity, LostCause, RequestError, RequestId,
};
use crate::game::Games;
use crate::message::{Handle, KickedBy};
use crate::reader::EventReader;
use crate::session::command::Command;
use crate::session::context::{Context, Fate, KEPT_EVENTS, RequestIds};
use crate::session::live::Live;
use crate::session::login::Login;
use crate::session::login::fallback::Ladder;
use crate::session::machine::counters::Counters;
use crate::session::machine::link::{Link, State};
use crate::session::options::SessionOptions;
use crate::session::random::Random;
use crate::session::recovery::backoff::Backoff;
use crate::session::recovery::memory::Memory;
use crate::session::reply::Reply;
use crate::session::transmit::{Outbox, Transmit};
use crate::wire::StreamState;

/// A session on a chess server, without I/O and without a clock.
///
/// It logs in, sets itself up, answers requests, notices a dead line and says when to connect again; then it restores
/// what was observed and sought. One value lives across all connections.
///
/// Whoever drives it does in turn
///
/// 1. what [`link`](Self::link) says about the connection, and tells the outcome with [`dialed`](Self::dialed) and
///    [`closed`](Self::closed);
/// 2. with what was read, [`receive`](Self::receive) until it returns `None`;
/// 3. at [`poll_timeout`](Self::poll_timeout), [`handle_timeout`](Self::handle_timeout);
///
/// and after each of these, and after any other call, takes out what came of it: [`poll_transmit`](Self::poll_transmit)
/// for what to write, [`poll_reply`](Self::poll_reply) for requests that are over, and last
/// [`poll_event`](Self::poll_event) for what to tell.
///
/// ```
/// use std::time::Instant;
///
/// use kibitzer_core::session::{Credentials, Link, Session, SessionOptions};
///
/// let mut session = Session::new(SessionOptions::new(Credentials::Guest));
/// assert_eq!(session.link(), Link::Dial { attempt: 1 });
/// session.dialed(Ok(()), Instant::now());
/// let mut read = &b"\n\rlogin: "[..];
/// while session.receive(&mut read, Instant::now()).is_some() {}
/// let line = session.poll_transmit(Instant::now()).unwrap();
/// assert!(line.bytes().starts_with(b"%b"), "what we want of the server, before the name");
/// ```
#[derive(Debug)]
pub struct Session {
    options: SessionOptions,
    phase: Phase,
    reader: EventReader,
    out: Outbox,
    random: Random,
    ids: RequestIds,
    memory: Memory,
    backoff: Backoff,
    ladder: Ladder,
    identity: Option<Identity>,
    /// The server's line that this connection is thrown out, and when it came.
    kicked: Option<(KickedBy, Instant)>,
    /// Until when deadlines stood still, while nothing is read.
    held: Option<Instant>,
    events: VecDeque<Event>,
    replies: VecDeque<(RequestId, Result<Reply, RequestError>)>,
    counters: Counters,
}

#[derive(Debug)]
enum Phase {
    Dialing,
    Waiting {
        until: Instant,
    },
    LoggingIn(Box<Login>),
    Live(Box<Live>),
    /// The connection is given up, and its driver has not said yet that it is closed.
    Closing(Fate),
    Over(EndReason),
}

impl Session {
    /// A session that has to be connected.
    pub fn new(options: SessionOptions) -> Self {
        let mut session = Self {
            phase: Phase::Dialing,
            reader: EventReader::default(),
            out: Outbox::default(),
            random: Random::new(options.seed),
            ids: RequestIds::default(),
            memory: Memory::default(),
            backoff: Backoff::default(),
            ladder: Ladder::new(options.timeseal),
            identity: None,
            kicked: None,
            held: None,
            events: VecDeque::new(),
            replies: VecDeque::new(),
            counters: Counters::default(),
            options,
        };
        session.dial();
        session
    }

    /// What has to be done about the connection now.
    pub fn link(&self) -> Link {
        match &self.phase {
            Phase::Dialing => Link::Dial { attempt: self.attempt() },
            Phase::Waiting { .. } => Link::Wait,
            Phase::LoggingIn(_) | Phase::Live(_) => Link::Keep,
            Phase::Closing(_) => Link::Close,
            Phase::Over(reason) => Link::Over(reason.clone()),
        }
    }

    /// How far the session has come.
    pub fn state(&self) -> State {
        match &self.phase {
            Phase::Dialing => State::Connecting,
            Phase::Waiting { .. } => State::Waiting,
            Phase::LoggingIn(login) => State::LoggingIn(login.step()),
            Phase::Live(live) => live.state(),
            Phase::Closing(_) => State::Closing,
            Phase::Over(reason) => State::Ended(reason.clone()),
        }
    }

    /// What the server does for us; nothing until the session is set up.
    pub fn capabilities(&self) -> Capabilities {
        match &self.phase {
            Phase::Live(live) => live.capabilities(),
            _ => Capabilities::default(),
        }
    }

    /// The games as they stand after the last event. A new connection starts with none.
    pub const fn games(&self) -> &Games {
        self.reader.games()
    }

    /// What the meaning of the next byte of this connection depends on; see [`EventReader::stream_state`].
    pub fn stream_state(&self) -> StreamState {
        self.reader.stream_state()
    }

    /// Our own name, as the server spelled it last. A guest may not know it.
    pub fn handle(&self) -> Option<&Handle> {
        self.identity.as_ref()?.handle.as_ref()
    }

    /// How much went over the connections so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// A connection stands, or could not be made. Only after [`Link::Dial`].
    pub fn dialed(&mut self, outcome: Result<(), DialError>, now: Instant) {
        if !matches!(self.phase, Phase::Dialing) {
            return;
        }
        match outcome {
            Ok(()) => self.connected(now),
            Err(error) if self.memory.has_stood => self.lost(LostCause::Dial(error), now),
            Err(error) => self.end(EndReason::Dial(error)),
        }
    }

    /// Takes the next event out of what was read, and moves `input` behind it. `None` once all of it was taken in.
    ///
    /// Events of the session itself, which came of the last one, are returned in front of the next.
    pub fn receive(&mut self, input: &mut &[u8], now: Instant) -> Option<Event> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        if matches!(self.phase, Phase::Dialing | Phase::Waiting { .. } | Phase::Over(_)) {
            *input = &[];
            return None;
        }
        self.read_on(now);
        self.heard(input, now);
        let all = *input;
        let event = self.reader.next(input);
        let consumed = all.get(..all.len() - input.len()).unwrap_or_default();
        self.counters.bytes_received += u64::try_from(consumed.len()).unwrap_or(u64::MAX);
        if let Phase::LoggingIn(login) = &mut self.phase {
            login.greeted(consumed);
        }
        let event = event?;
        self.take_in(&event, now);
        Some(event)
    }

    fn heard(&mut self, input: &[u8], now: Instant) {
        match &mut self.phase {
            Phase::LoggingIn(login) if !input.is_empty() => login.heard(now),
            Phase::Live(live) if !input.is_empty() => live.heard(now),
            _ => {}
        }
    }

    /// The connection was closed, by whomever. What was left of the stream is told by [`poll_event`](Self::poll_event).
    pub fn closed(&mut self, cause: CloseCause, now: Instant) {
        if matches!(self.phase, Phase::Dialing | Phase::Waiting { .. } | Phase::Over(_)) {
            return;
        }
        if let Phase::Live(live) = &mut self.phase {
            live.cut_off();
        }
        while let Some(event) = self.reader.finish() {
            self.events.push_back(event.clone());
            self.take_in(&event, now);
        }
        match &self.phase {
            Phase::LoggingIn(_) | Phase::Live(_) if let Some(by) = self.kicked_before(cause, now) => {
                self.hang_up(Fate::End(EndReason::Kicked(by)), now);
            }
            Phase::LoggingIn(login) => {
                let verdict = login.closed();
                self.judge(verdict, now);
            }
            Phase::Live(live) => {
                let fate = live.closed(cause);
                self.hang_up(fate, now);
            }
            _ => {}
        }
        if let Phase::Closing(fate) = &self.phase {
            let fate = fate.clone();
            self.settle(fate, now);
        }
    }

    /// Takes the next event of the session itself.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes the next bytes to write.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        if !matches!(self.phase, Phase::LoggingIn(_) | Phase::Live(_)) {
            return None;
        }
        let (transmit, line) = self.out.pop(now)?;
        self.counters.lines_sent += 1;
        self.counters.bytes_sent += u64::try_from(transmit.bytes().len()).unwrap_or(u64::MAX);
        if let Some(line) = line {
            self.tell(Event::Sent { line: line.shown(), request: line.request });
        }
        Some(transmit)
    }

    /// When [`handle_timeout`](Self::handle_timeout) has to be called, if nothing happens before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Waiting { until } => Some(*until),
            Phase::LoggingIn(login) => Some(login.timeout(&self.options)),
            Phase::Live(live) => Some(live.timeout(&self.options)),
            Phase::Dialing | Phase::Closing(_) | Phase::Over(_) => None,
        }
    }

    /// Does what is due. Calling it early does no harm.
    pub fn handle_timeout(&mut self, now: Instant) {
        // A thousand idle sessions should not keep what a busy minute needed.
        self.out.shrink();
        self.events.shrink_to(KEPT_EVENTS);
        self.replies.shrink_to_fit();
        self.stand_still(now);
        let (phase, mut cx) = self.parts(now);
        match phase {
            Phase::Waiting { until } if *until <= now => self.dial(),
            Phase::LoggingIn(login) => {
                let verdict = login.handle_timeout(&mut cx);
                self.judge(verdict, now);
            }
            Phase::Live(live) => {
                if let Some(fate) = live.handle_timeout(&mut cx) {
                    self.hang_up(fate, now);
                }
            }
            _ => {}
        }
    }

    /// Sends a command, now or as soon as others were answered. [`poll_reply`](Self::poll_reply) brings what came of
    /// it.
    ///
    /// Behind a lost connection an `observe` waits until the games are [restored](Event::Restored): some servers take it for the
    /// wish to observe no longer if the game is observed already. It leads to an observed game then in any case; a server may
    /// still refuse it, because that is so.
    ///
    /// # Errors
    ///
    /// Nothing was sent. [`RequestError::NotConnected`]: the session is not [`Ready`](State::Ready).
    /// [`RequestError::Busy`]: too many wait, or too many events that nobody has [taken out](Self::poll_event).
    /// [`RequestError::Ended`]: the session is over,
    /// or about to be.
    pub fn request(&mut self, command: Command, now: Instant) -> Result<RequestId, RequestError> {
        let is_unheard = self.events.len() >= self.options.requests.queued;
        match self.parts(now) {
            (Phase::Live(_), _) if is_unheard => Err(RequestError::Busy),
            (Phase::Live(live), mut cx) => live.request(command, &mut cx),
            (Phase::Closing(Fate::End(reason)) | Phase::Over(reason), _) => Err(RequestError::Ended(reason.clone())),
            _ => Err(RequestError::NotConnected),
        }
    }

    /// Takes the next request that is over.
    pub fn poll_reply(&mut self) -> Option<(RequestId, Result<Reply, RequestError>)> {
        self.replies.pop_front()
    }

    /// Nobody waits for this reply any more. A command that was not sent yet is not sent; one that was stays sent, and
    /// its reply is not taken for another's.
    pub fn abandon(&mut self, id: RequestId, now: Instant) {
        if let (Phase::Live(live), mut cx) = self.parts(now) {
            live.abandon(id, &mut cx);
        }
        self.replies.retain(|(over, _)| *over != id);
    }

    /// Says `quit`. The session ends with [`EndReason::Quit`] when the server hangs up, or after a time-out.
    pub fn quit(&mut self, now: Instant) {
        match self.parts(now) {
            (Phase::Live(live), mut cx) => live.quit(&mut cx),
            _ => self.stop(EndReason::Quit, now),
        }
    }

    /// Ends the session at once, without a word to the server.
    pub fn shutdown(&mut self, now: Instant) {
        self.stop(EndReason::Shutdown, now);
    }

    fn stop(&mut self, reason: EndReason, now: Instant) {
        match self.phase {
            Phase::Dialing | Phase::Waiting { .. } => self.end(reason),
            Phase::LoggingIn(_) | Phase::Live(_) | Phase::Closing(_) => self.hang_up(Fate::End(reason), now),
            Phase::Over(_) => {}
        }
    }

    /// How many things are kept because of what came in; the framer and the games have limits of their own.
    #[cfg(test)]
    pub(crate) fn footprint(&self) -> usize {
        let live = if let Phase::Live(live) = &self.phase { live.footprint() } else { 0 };
        self.events.len() + self.replies.len() + self.out.footprint() + self.memory.footprint() + live
    }

    /// The phase, and all it needs.
    fn parts(&mut self, now: Instant) -> (&mut Phase, Context<'_>) {
        let cx = Context {
            options: &self.options,
            out: &mut self.out,
            reader: &mut self.reader,
            random: &mut self.random,
            ids: &mut self.ids,
            memory: &mut self.memory,
            backoff: &mut self.backoff,
            events: &mut self.events,
            replies: &mut self.replies,
            now,
        };
        (&mut self.phase, cx)
    }
}
