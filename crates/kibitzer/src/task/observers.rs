//! The observers of a session, and the redaction of everything that they receive.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;

use super::log::SessionLog;
use super::redactor::Redactor;
use crate::core::Event;
use crate::core::event::{RequestError, RequestId};
use crate::core::session::{Reply, Transmit};
use crate::observer::{Observation, SessionObserver, SessionView};

/// Passes what happens in a session to the log and to its observers, in order and without secrets.
pub(super) struct Observers {
    log: SessionLog,
    list: Vec<Box<dyn SessionObserver>>,
    /// Present while the server may echo a secret.
    redactor: Option<Box<Redactor>>,
}

impl Observers {
    pub(super) const fn new(log: SessionLog, list: Vec<Box<dyn SessionObserver>>) -> Self {
        Self { log, list, redactor: None }
    }

    /// Adds observers. Every byte that was received is parsed, so that the next observation follows from the session's state.
    pub(super) fn add(&mut self, new: Vec<Box<dyn SessionObserver>>, view: SessionView<'_>) {
        if new.is_empty() {
            return;
        }
        self.release(view);
        self.list.retain(|observer| !observer.is_done());
        self.list.extend(new);
    }

    /// Returns whether the session should pause reading.
    pub(super) fn is_full(&self) -> bool {
        self.list.iter().any(|observer| observer.is_full())
    }

    /// Returns the time at which parsing starts, if an observer receives how long it takes. It is the system's time, which a
    /// paused runtime does not stop.
    pub(super) fn start_parsing(&self) -> Option<Instant> {
        (!self.list.is_empty()).then(Instant::now)
    }

    /// Processes received bytes, before they are parsed.
    pub(super) fn received(&mut self, bytes: &[u8], now: Instant, view: SessionView<'_>) {
        let Some(redactor) = &mut self.redactor else { return self.show_received(bytes, view) };
        redactor.expire(now);
        let shown = redactor.received(bytes);
        self.show_received(&shown, view);
        self.stop_redacting(view);
    }

    /// Processes bytes that are written.
    pub(super) fn sent(&mut self, transmit: &Transmit, now: Instant, view: SessionView<'_>) {
        self.release(view);
        if transmit.is_secret() {
            self.redactor.get_or_insert_with(|| Box::new(Redactor::new())).learn(transmit, now);
        }
        self.log.sent(transmit);
        self.observe(view, || {
            let bytes = if transmit.is_secret() { Bytes::new() } else { Bytes::copy_from_slice(transmit.bytes()) };
            Observation::Sent { bytes, kind: transmit.kind() }
        });
    }

    /// Processes the end of a request. The reply may still come after a timeout.
    pub(super) fn replied(&mut self, id: RequestId, result: &Result<Reply, RequestError>, view: SessionView<'_>) {
        self.observe(view, || Observation::Reply { request: id, is_ok: result.is_ok() });
        if let Some(redactor) = &mut self.redactor
            && !matches!(result, Err(RequestError::TimedOut(_)))
        {
            redactor.replied(id);
            self.stop_redacting(view);
        }
    }

    /// Processes the end of the connection.
    pub(super) fn closed(&mut self, view: SessionView<'_>) {
        self.release(view);
        self.redactor = None;
        self.observe(view, || Observation::Closed);
    }

    /// Processes an event whose parsing started at this time. Returns the event without its secrets, if it contains one.
    pub(super) fn event(&mut self, event: &Event, started: Option<Instant>, view: SessionView<'_>) -> Option<Event> {
        let redacted = self.redactor.as_ref().and_then(|redactor| redactor.event(event));
        self.observe(view, || Observation::Event {
            event: redacted.as_ref().unwrap_or(event).clone(),
            parsing: started.map(|started| started.elapsed()).unwrap_or_default(),
        });
        self.log.event(event);
        if matches!(event, Event::Ready(_) | Event::Lost { .. } | Event::Ended(_))
            && let Some(redactor) = &mut self.redactor
        {
            redactor.set_up();
            self.stop_redacting(view);
        }
        redacted
    }

    /// Lets the observers work, and registers their wakers. Ready once none of them is full any more.
    pub(super) fn poll(&mut self, view: SessionView<'_>, context: &mut Context<'_>) -> Poll<()> {
        let was_full = self.is_full();
        for observer in &mut self.list {
            observer.poll_progress(view, context);
        }
        if was_full && !self.is_full() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Closes the observers.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the observers that are not closed yet remain.
    pub(super) async fn close(&mut self, view: SessionView<'_>) {
        self.release(view);
        poll_fn(|context| {
            self.list.retain_mut(|observer| observer.poll_close(context).is_pending());
            if self.list.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Drops the observers, even if they are not closed.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    fn show_received(&mut self, bytes: &[u8], view: SessionView<'_>) {
        if !bytes.is_empty() {
            self.log.received(bytes);
            self.observe(view, || Observation::Received(Bytes::copy_from_slice(bytes)));
        }
    }

    /// Passes on withheld bytes, redacted, so that they precede what follows.
    fn release(&mut self, view: SessionView<'_>) {
        if let Some(redactor) = &mut self.redactor {
            let withheld = redactor.release();
            self.show_received(&withheld, view);
        }
    }

    /// Drops the redactor if no secret is left.
    fn stop_redacting(&mut self, view: SessionView<'_>) {
        if self.redactor.as_ref().is_some_and(|redactor| redactor.is_over()) {
            self.release(view);
            self.redactor = None;
        }
    }

    fn observe(&mut self, view: SessionView<'_>, observation: impl FnOnce() -> Observation) {
        if self.list.is_empty() {
            return;
        }
        let observation = observation();
        for observer in &mut self.list {
            observer.observe(&observation, view);
        }
    }
}
