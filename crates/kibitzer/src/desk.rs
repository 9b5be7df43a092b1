//! Where the handles of a client and its task meet.

use std::collections::VecDeque;
use std::fmt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::core::event::{Capabilities, EndReason, RequestError};
use crate::core::message::Handle;
use crate::core::session::{Command, Counters, Reply, Session, State};
use crate::observer::SessionObserver;

/// Requests that wait for the task; it never leaves them there for long.
const WAITING_REQUESTS: usize = 64;

/// The end on which somebody waits for a reply.
pub(crate) type ReplySender = oneshot::Sender<Result<Reply, RequestError>>;

/// Requests go one way, how things stand the other.
///
/// Channels would do the same; two of them take a quarter of what an idle session may take.
pub(crate) struct Desk {
    state: Mutex<DeskState>,
    /// Wakes the task.
    ordered: Notify,
    /// Wakes who waits for the session to change.
    shown: Notify,
}

struct DeskState {
    requests: VecDeque<(Command, ReplySender)>,
    /// Observers that the task has not added yet.
    observers: Vec<Box<dyn SessionObserver>>,
    leave: Option<Leave>,
    view: View,
    counters: ClientCounters,
}

/// How the session is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leave {
    /// In the way the server wants.
    Quit,
    /// At once.
    Shutdown,
}

/// How things stand.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) state: State,
    pub(crate) capabilities: Capabilities,
    pub(crate) handle: Option<Handle>,
    /// The task is gone.
    pub(crate) is_closed: bool,
}

impl View {
    /// Why the session is over, if it is. A task that is gone without a reason went down with its runtime.
    pub(crate) fn end(&self) -> Option<EndReason> {
        match &self.state {
            State::Ended(reason) => Some(reason.clone()),
            _ => self.is_closed.then_some(EndReason::Shutdown),
        }
    }
}

/// How much went through a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCounters {
    /// What went over the connections.
    pub session: Counters,
    /// Events that slow subscribers have missed, all of them together.
    pub missed_events: u64,
    /// Pieces of the session that its recordings lack, because they could not be written: this many at most.
    pub unrecorded_pieces: u64,
}

impl Desk {
    pub(crate) fn new(session: &Session) -> Self {
        let view = View {
            state: session.state(),
            capabilities: session.capabilities(),
            handle: session.handle().cloned(),
            is_closed: false,
        };
        let state = DeskState {
            requests: VecDeque::new(),
            observers: Vec::new(),
            leave: None,
            view,
            counters: ClientCounters::default(),
        };
        Self { state: Mutex::new(state), ordered: Notify::new(), shown: Notify::new() }
    }

    /// The lock is held for a few instructions, never over an `.await`. None of them panics half-way, so poison means nothing.
    fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in a request.
    pub(crate) fn request(&self, command: Command, reply: ReplySender) -> Result<(), RequestError> {
        let mut state = self.state();
        if let Some(reason) = state.view.end() {
            return Err(RequestError::Ended(reason));
        }
        if state.requests.len() == WAITING_REQUESTS {
            return Err(RequestError::Busy);
        }
        state.requests.push_back((command, reply));
        drop(state);
        self.ordered.notify_one();
        Ok(())
    }

    /// Queues an observer for the task.
    pub(crate) fn add_observer(&self, observer: Box<dyn SessionObserver>) -> Result<(), EndReason> {
        let mut state = self.state();
        if let Some(reason) = state.view.end() {
            return Err(reason);
        }
        state.observers.push(observer);
        drop(state);
        self.ordered.notify_one();
        Ok(())
    }

    /// Wants the session to end. What is quicker wins.
    pub(crate) fn leave(&self, leave: Leave) {
        let mut state = self.state();
        state.leave = state.leave.max(Some(leave));
        drop(state);
        self.ordered.notify_one();
    }

    /// Looks at how things stand.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&View) -> T) -> T {
        look(&self.state().view)
    }

    pub(crate) fn counters(&self) -> ClientCounters {
        self.state().counters
    }

    /// Waits until things stand so that this is something.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn wait_for<T>(&self, look: impl Fn(&View) -> Option<T>) -> T {
        loop {
            let mut shown = pin!(self.shown.notified());
            // What is shown from here on is not missed.
            shown.as_mut().enable();
            if let Some(found) = self.look(&look) {
                return found;
            }
            shown.await;
        }
    }

    /// The task takes the next request.
    pub(crate) fn take_request(&self) -> Option<(Command, ReplySender)> {
        let mut state = self.state();
        let request = state.requests.pop_front();
        if state.requests.is_empty() && state.requests.capacity() > 0 {
            // An idle session keeps no room for them.
            state.requests = VecDeque::new();
        }
        request
    }

    /// Takes the queued observers.
    pub(crate) fn take_observers(&self) -> Vec<Box<dyn SessionObserver>> {
        std::mem::take(&mut self.state().observers)
    }

    /// The task takes how the session is to end.
    pub(crate) fn take_leave(&self) -> Option<Leave> {
        self.state().leave.take()
    }

    /// The task waits until there may be something to take.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was handed in stays.
    pub(crate) async fn ordered(&self) {
        self.ordered.notified().await;
    }

    /// The task shows how things stand.
    pub(crate) fn show(&self, session: &Session) {
        let mut state = self.state();
        state.counters.session = session.counters();
        let (now, capabilities) = (session.state(), session.capabilities());
        let view = &mut state.view;
        if now == view.state && capabilities == view.capabilities {
            return;
        }
        (view.state, view.capabilities, view.handle) = (now, capabilities, session.handle().cloned());
        drop(state);
        self.shown.notify_waiters();
    }

    /// The task is gone: nobody gets a reply any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.view.is_closed = true;
        let (requests, observers) = (std::mem::take(&mut state.requests), std::mem::take(&mut state.observers));
        let reason = state.view.end().unwrap_or(EndReason::Shutdown);
        drop(state);
        drop(observers);
        for (_, reply) in requests {
            drop(reply.send(Err(RequestError::Ended(reason.clone()))));
        }
        self.shown.notify_waiters();
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("view", &self.state().view).finish_non_exhaustive()
    }
}
