//! State that all parts of a session share.

use std::collections::VecDeque;
use std::time::Instant;

use fastrand::Rng;

use super::machine::state::SessionCounters;
use super::options::SessionOptions;
use super::recovery::backoff::Backoff;
use super::recovery::memory::SessionMemory;
use super::reply::Reply;
use super::transmit::Outbox;
use crate::event::{CloseCause, Event, Identity, LoginError, RequestError, RequestId, SessionEndReason};
use crate::reader::EventReader;

/// State of a session that its login, requests and recovery share, and the time of the current input.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) options: SessionOptions,
    pub(super) outbox: Outbox,
    pub(super) reader: EventReader,
    /// Position in the stream at which the last complete frame ended.
    pub(super) frame_end: u64,
    pub(super) rng: Rng,
    /// Number of requests made in this session; the identifier of the last one.
    pub(super) n_requests: u64,
    /// Identity of the last login; `None` before the first one.
    pub(super) identity: Option<Identity>,
    pub(super) memory: SessionMemory,
    pub(super) backoff: Backoff,
    pub(super) events: VecDeque<Event>,
    pub(super) replies: VecDeque<(RequestId, Result<Reply, RequestError>)>,
    pub(super) counters: SessionCounters,
    pub(super) now: Instant,
    /// Time at which the last byte was received, on any connection; before the first one, the start of the session.
    pub(super) last_byte_at: Instant,
}

impl Context {
    pub(super) fn new(options: SessionOptions, now: Instant) -> Self {
        Self {
            outbox: Outbox::default(),
            reader: EventReader::default(),
            frame_end: 0,
            rng: Rng::with_seed(options.seed),
            n_requests: 0,
            identity: None,
            memory: SessionMemory::default(),
            backoff: Backoff::default(),
            events: VecDeque::new(),
            replies: VecDeque::new(),
            counters: SessionCounters::default(),
            options,
            now,
            last_byte_at: now,
        }
    }

    pub(super) fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }
}

/// Action of the session once the driver has closed the connection.
#[derive(Clone, Debug)]
pub(super) enum AfterClose {
    /// Ends the session if the error is final or the session was never ready; otherwise retries the login after a delay.
    FailLogin(LoginError),
    /// Connects again at once, with fewer features requested.
    Redial,
    /// Reconnects after a delay, or ends the session if no attempt is left.
    Reconnect(CloseCause),
    /// Ends the session.
    End(SessionEndReason),
}
