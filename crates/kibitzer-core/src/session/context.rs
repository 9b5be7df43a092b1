//! What the parts of a session share.

use std::collections::VecDeque;
use std::time::Instant;

use crate::event::{CloseCause, EndReason, Event, LoginError, RequestError, RequestId};
use crate::reader::EventReader;
use crate::session::options::SessionOptions;
use crate::session::random::Random;
use crate::session::recovery::backoff::Backoff;
use crate::session::recovery::memory::Memory;
use crate::session::reply::Reply;
use crate::session::transmit::Outbox;

/// Room for so many events is kept: every line that is sent makes one.
pub(super) const KEPT_EVENTS: usize = 0;

/// Hands out the names of requests.
#[derive(Debug, Default)]
pub(super) struct RequestIds(u64);

impl RequestIds {
    pub(super) const fn next(&mut self) -> RequestId {
        self.0 += 1;
        RequestId::new(self.0)
    }
}

/// What the connected parts of a session need besides their own state.
pub(super) struct Context<'a> {
    pub(super) options: &'a SessionOptions,
    pub(super) out: &'a mut Outbox,
    pub(super) reader: &'a mut EventReader,
    pub(super) random: &'a mut Random,
    pub(super) ids: &'a mut RequestIds,
    pub(super) memory: &'a mut Memory,
    pub(super) backoff: &'a mut Backoff,
    pub(super) events: &'a mut VecDeque<Event>,
    pub(super) replies: &'a mut VecDeque<(RequestId, Result<Reply, RequestError>)>,
    pub(super) now: Instant,
}

impl Context<'_> {
    pub(super) fn tell(&mut self, event: Event) {
        self.events.push_back(event);
    }
}

/// What becomes of a connection that is to be given up.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// The login failed.
    Login(LoginError),
    /// A new one with less asked for, at once.
    Redial,
    /// It is lost.
    Lost(CloseCause),
    /// The session is over.
    End(EndReason),
}
