//! The state that the handles of a client and its task share.

use std::collections::VecDeque;
use std::fmt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::observer::SessionObserver;
use kibitzer_core::event::{Capabilities, RequestError, SessionEndReason};
use kibitzer_core::message::Handle;
use kibitzer_core::session::{Command, Reply, RequestOptions, Session, SessionCounters, SessionState};

/// Maximum number of requests that wait for the task to accept them; one more is refused as [`RequestError::Busy`].
const WAITING_REQUESTS: usize = 64;

/// Maximum number of observers that wait for the task to take them over; one more is refused as [`RequestError::Busy`].
const WAITING_OBSERVERS: usize = 16;

/// The sending half of the channel on which a caller waits for its reply.
pub(crate) type ReplySender = oneshot::Sender<Result<Reply, RequestError>>;

/// The state that the handles of a client and its task share: requests for the task, and the status of the session.
// Two channels would do the same, but need a quarter of the memory that an idle session may use.
pub(crate) struct ClientShared {
    state: Mutex<SharedState>,
    /// Notifies the task of new requests, new observers and a request to end the session.
    task: Notify,
    /// Notifies the handles of a changed status.
    handles: Notify,
}

/// The part of [`ClientShared`] that its lock protects: work for the task, and the status that the task publishes.
struct SharedState {
    requests: VecDeque<(Command, RequestOptions, ReplySender)>,
    /// Observers that the task has not taken over yet.
    observers: Vec<Box<dyn SessionObserver>>,
    ending: Option<EndRequest>,
    status: SessionStatus,
}

impl SharedState {
    /// Checks whether an item can be queued. Fails with [`RequestError::Ended`] if the session is over, otherwise with
    /// [`RequestError::Busy`] unless the queue `has_room`.
    fn check_room(&self, has_room: bool) -> Result<(), RequestError> {
        match self.status.end_reason() {
            Some(reason) => Err(RequestError::Ended(reason)),
            None if has_room => Ok(()),
            None => Err(RequestError::Busy),
        }
    }
}

/// A request to end the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EndRequest {
    /// Send `quit`, wait for the server to close the connection, and deliver the events until the timeout of `quit`.
    Quit,
    /// Read no more, deliver all events, and close the connection.
    Drain,
    /// Close the connection without waiting for subscribers.
    Shutdown,
}

/// The status of the session: at least as new as every event of the session itself, and every reply, that was delivered.
#[derive(Clone, Debug)]
pub(crate) struct SessionStatus {
    pub(crate) state: SessionState,
    pub(crate) capabilities: Capabilities,
    pub(crate) handle: Option<Handle>,
    /// Whether the session is over, and its subscribers receive no more events.
    pub(crate) is_delivered: bool,
    /// Whether the task has ended.
    pub(crate) is_closed: bool,
}

impl SessionStatus {
    /// Returns why the session is over; `None` while it continues. A task that ended without a reason, because its runtime
    /// dropped it, counts as [`SessionEndReason::Shutdown`].
    pub(crate) fn end_reason(&self) -> Option<SessionEndReason> {
        match &self.state {
            SessionState::Ended(reason) => Some(reason.clone()),
            _ => self.is_closed.then_some(SessionEndReason::Shutdown),
        }
    }
}

/// Totals since the start of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCounters {
    /// Traffic over all connections of the session.
    pub session: SessionCounters,
    /// Number of events that slow subscribers missed, summed over all subscribers.
    pub missed_events: u64,
    /// Number of events that lossless subscribers did not receive at the end of the session, summed over all of them.
    pub undelivered_events: u64,
    /// Upper bound of the number of pieces that are missing from recordings because they could not be written.
    pub unrecorded_pieces: u64,
}

impl ClientShared {
    /// Creates the state with the present status of the session.
    pub(crate) fn new(session: &Session) -> Self {
        let status = SessionStatus {
            state: session.state(),
            capabilities: session.capabilities(),
            handle: session.login_handle().cloned(),
            is_delivered: false,
            is_closed: false,
        };
        let state = SharedState { requests: VecDeque::new(), observers: Vec::new(), ending: None, status };
        Self { state: Mutex::new(state), task: Notify::new(), handles: Notify::new() }
    }

    // The lock is held for a few instructions, never over an `.await`. None of them panics, so poisoning means nothing.
    fn lock(&self) -> MutexGuard<'_, SharedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a request for the task and wakes it.
    ///
    /// # Errors
    ///
    /// [`RequestError::Ended`] if the session is over, [`RequestError::Busy`] if [`WAITING_REQUESTS`] requests are queued
    /// already.
    pub(crate) fn queue_request(
        &self,
        command: Command,
        options: RequestOptions,
        reply: ReplySender,
    ) -> Result<(), RequestError> {
        let mut state = self.lock();
        state.check_room(state.requests.len() < WAITING_REQUESTS)?;
        state.requests.push_back((command, options, reply));
        drop(state);
        self.task.notify_one();
        Ok(())
    }

    /// Queues an observer for the task and wakes it.
    ///
    /// # Errors
    ///
    /// [`RequestError::Ended`] if the session is over, [`RequestError::Busy`] if [`WAITING_OBSERVERS`] observers are queued
    /// already. The observer is then dropped.
    pub(crate) fn queue_observer(&self, observer: Box<dyn SessionObserver>) -> Result<(), RequestError> {
        let mut state = self.lock();
        state.check_room(state.observers.len() < WAITING_OBSERVERS)?;
        state.observers.push(observer);
        drop(state);
        self.task.notify_one();
        Ok(())
    }

    /// Requests the end of the session and wakes the task. Of several requests that the task has not taken yet,
    /// the last one in the order of [`EndRequest`] takes precedence.
    pub(crate) fn request_end(&self, ending: EndRequest) {
        let mut state = self.lock();
        state.ending = state.ending.max(Some(ending));
        drop(state);
        self.task.notify_one();
    }

    /// Calls `read` with the current status and returns its result. The lock is held meanwhile, so `read` must be short.
    pub(crate) fn read_status<T>(&self, read: impl FnOnce(&SessionStatus) -> T) -> T {
        read(&self.lock().status)
    }

    /// Waits until `read` returns `Some` for the current status, and returns the value.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the future only waits.
    pub(crate) async fn wait_for_status<T>(&self, read: impl Fn(&SessionStatus) -> Option<T>) -> T {
        wait_until(&self.handles, || self.read_status(&read)).await
    }

    /// Removes the oldest request from the queue; `None` if it is empty.
    pub(crate) fn take_request(&self) -> Option<(Command, RequestOptions, ReplySender)> {
        let mut state = self.lock();
        let request = state.requests.pop_front();
        if state.requests.is_empty() && state.requests.capacity() > 0 {
            // An idle session keeps no buffer.
            state.requests = VecDeque::new();
        }
        request
    }

    /// Removes and returns all queued observers.
    pub(crate) fn take_observers(&self) -> Vec<Box<dyn SessionObserver>> {
        std::mem::take(&mut self.lock().observers)
    }

    /// Removes and returns the request to end the session; `None` if there is none.
    pub(crate) fn take_end_request(&self) -> Option<EndRequest> {
        self.lock().ending.take()
    }

    /// Waits until a handle has queued a request or an observer, or requested the end.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: requests remain queued.
    pub(crate) async fn wait_for_work(&self) {
        self.task.notified().await;
    }

    /// Copies the status of the session, and wakes the handles if it has changed.
    pub(crate) fn publish_status(&self, session: &Session) {
        let mut state = self.lock();
        let (now, capabilities) = (session.state(), session.capabilities());
        let status = &mut state.status;
        let handle = session.login_handle();
        let has_same_spelling = handle.map(Handle::as_str) == status.handle.as_ref().map(Handle::as_str);
        if now == status.state && capabilities == status.capabilities && has_same_spelling {
            return;
        }
        (status.state, status.capabilities, status.handle) = (now, capabilities, handle.cloned());
        drop(state);
        self.handles.notify_waiters();
    }

    /// Marks all events as delivered, and wakes the handles.
    pub(crate) fn mark_delivered(&self) {
        self.lock().status.is_delivered = true;
        self.handles.notify_waiters();
    }

    /// Marks the task as ended, drops the queued observers, fails the queued requests with [`RequestError::Ended`], and wakes the
    /// handles.
    pub(crate) fn end_and_fail_requests(&self) {
        let mut state = self.lock();
        state.status.is_closed = true;
        let (requests, observers) = (std::mem::take(&mut state.requests), std::mem::take(&mut state.observers));
        let reason = state.status.end_reason().unwrap_or(SessionEndReason::Shutdown);
        drop(state);
        drop(observers);
        for (.., reply) in requests {
            drop(reply.send(Err(RequestError::Ended(reason.clone()))));
        }
        self.handles.notify_waiters();
    }
}

/// Waits until `check` returns `Some`, and returns the value. Calls `check` at once, and again after each notification of
/// `changed`.
///
/// # Cancel safety
///
/// Cancel safe: the future only waits.
pub(crate) async fn wait_until<T>(changed: &Notify, check: impl Fn() -> Option<T>) -> T {
    loop {
        let mut notified = pin!(changed.notified());
        // Enabled before the check, so that no change is missed between the two.
        notified.as_mut().enable();
        if let Some(found) = check() {
            return found;
        }
        notified.await;
    }
}

impl fmt::Debug for ClientShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientShared").field("status", &self.lock().status).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::observer::{Observation, SessionView};
    use kibitzer_core::session::{Credentials, SessionOptions};

    #[test]
    fn the_number_of_waiting_observers_is_limited() {
        struct Ignore;
        impl SessionObserver for Ignore {
            fn observe(&mut self, _: &Observation, _: SessionView<'_>) {}
        }
        let shared = ClientShared::new(&Session::new(SessionOptions::new(Credentials::Guest), Instant::now()));
        for _ in 0..WAITING_OBSERVERS {
            shared.queue_observer(Box::new(Ignore)).unwrap();
        }
        assert_eq!(shared.queue_observer(Box::new(Ignore)), Err(RequestError::Busy));
        assert_eq!(shared.take_observers().len(), WAITING_OBSERVERS);
        shared.queue_observer(Box::new(Ignore)).unwrap();
        shared.end_and_fail_requests();
        assert!(matches!(shared.queue_observer(Box::new(Ignore)), Err(RequestError::Ended(_))));
    }

    #[test]
    fn a_change_of_the_handle_alone_is_published() {
        let session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now());
        let shared = ClientShared::new(&session);
        shared.lock().status.handle = Some(Handle::from_wire(b"GuestABCD"));
        let mut changed = pin!(shared.handles.notified());
        changed.as_mut().enable();
        shared.publish_status(&session);
        assert!(changed.as_mut().enable(), "the handles are notified");
        assert_eq!(shared.read_status(|status| status.handle.clone()), None);
    }
}
