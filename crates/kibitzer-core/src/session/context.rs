//! State that the parts of a session share.

use std::collections::VecDeque;
use std::time::Instant;

use fastrand::Rng;

use super::options::SessionOptions;
use super::recovery::backoff::Backoff;
use super::recovery::memory::Memory;
use super::reply::Reply;
use super::transmit::Outbox;
use crate::event::{CloseCause, EndReason, Event, LoginError, RequestError, RequestId};
use crate::reader::EventReader;

/// Borrowed state that the login, the requests and the recovery need besides their own.
pub(super) struct Context<'a> {
    pub(super) options: &'a SessionOptions,
    pub(super) out: &'a mut Outbox,
    pub(super) reader: &'a mut EventReader,
    pub(super) rng: &'a mut Rng,
    /// Number of requests made in this session; the identifier of the last one.
    pub(super) n_requests: &'a mut u64,
    pub(super) memory: &'a mut Memory,
    pub(super) backoff: &'a mut Backoff,
    pub(super) events: &'a mut VecDeque<Event>,
    pub(super) replies: &'a mut VecDeque<(RequestId, Result<Reply, RequestError>)>,
    pub(super) now: Instant,
}

impl Context<'_> {
    pub(super) fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Returns an identifier that no other request of this session has.
    pub(super) const fn next_request_id(&mut self) -> RequestId {
        *self.n_requests += 1;
        RequestId::new(*self.n_requests)
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
    End(EndReason),
}
