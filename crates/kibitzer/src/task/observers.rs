//! The observers of a session, and the redaction of everything that they receive.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use zeroize::Zeroizing;

use super::log::SessionLog;
use crate::observer::{Observation, SessionObserver, SessionView};
use kibitzer_core::Event;
use kibitzer_core::event::{Attribution, RequestError, RequestId};
use kibitzer_core::session::{
    Reply, Secret, Session, Transmit, mask_secrets_in_line, mask_secrets_in_stream, mask_text_keeping_controls,
};

/// Passes what happens in a session to the log and to its observers, in order and without secrets.
pub(super) struct Observers {
    pub(super) log: SessionLog,
    list: Vec<Box<dyn SessionObserver>>,
    /// Redactor of received bytes and events; `None` while no secret was sent that the server may still echo.
    redactor: Option<Box<Redactor>>,
    /// Attribution of the last redacted line, until the reply that contains it has ended.
    redacted_line: Option<Attribution>,
}

/// The form in which an event may be shown.
pub(super) enum Redaction {
    /// The event contains no secret.
    Unmodified,
    /// The event without its secrets.
    Redacted(Event),
    /// Do not show the event: a listing with a secret in one of its lines.
    Withheld,
}

impl Observers {
    pub(super) const fn new(log: SessionLog, list: Vec<Box<dyn SessionObserver>>) -> Self {
        Self { log, list, redactor: None, redacted_line: None }
    }

    /// Adds observers. Call it only while every received byte is parsed, so that the new observers
    /// receive no event whose bytes they have not observed. Bytes that the redactor withholds are shown to the earlier observers
    /// first.
    pub(super) fn add(&mut self, new: Vec<Box<dyn SessionObserver>>, session: &Session) {
        if new.is_empty() {
            return;
        }
        self.show_withheld_masked(session);
        self.list.extend(new);
    }

    /// Returns whether an observer is full, so that the session should pause reading.
    pub(super) fn any_is_full(&self) -> bool {
        self.list.iter().any(|observer| observer.is_full())
    }

    /// Returns the system's time, from which [`show_event_redacted`](Self::show_event_redacted) measures how long parsing takes;
    /// `None` without observers. It is not the runtime's time, which a paused runtime stops.
    pub(super) fn parsing_start_time(&self) -> Option<Instant> {
        (!self.list.is_empty()).then(Instant::now)
    }

    /// Logs received bytes and shows them to the observers, redacted. Bytes that may begin a secret are withheld until later
    /// bytes decide, or until something else is observed.
    pub(super) fn show_received_redacted(&mut self, bytes: &[u8], now: Instant, session: &Session) {
        let Some(redactor) = &mut self.redactor else { return self.show_received(bytes, session) };
        redactor.forget_overdue_secrets(now);
        let shown = redactor.redact_or_withhold(bytes);
        self.show_received(&shown, session);
        self.drop_idle_redactor(session);
    }

    /// Logs a sent line and shows it to the observers, without bytes if it is secret. Its secrets are redacted in received bytes
    /// from now on.
    pub(super) fn show_sent(&mut self, transmit: &Transmit, now: Instant, session: &Session) {
        self.show_withheld_masked(session);
        if transmit.kind.is_secret() {
            self.redactor.get_or_insert_default().add_secrets_of(transmit, now);
        }
        self.log.log_sent(transmit);
        self.notify_all(session, || {
            let bytes = if transmit.kind.is_secret() { Bytes::new() } else { Bytes::copy_from_slice(transmit.bytes()) };
            Observation::Sent { bytes, kind: transmit.kind, attribution: transmit.attribution }
        });
    }

    /// Redacts the events of a reply, as those that were shown to the observers, and removes its listing if a line contained a
    /// secret. Call it before [`show_reply`](Self::show_reply).
    pub(super) fn redact_reply(&self, reply: &mut Reply) {
        let Some(redactor) = &self.redactor else { return };
        let mut is_redacted = false;
        for event in &mut reply.events {
            if let Some(redacted) = redactor.redact_event(event) {
                *event = redacted;
                is_redacted = true;
            }
        }
        reply.events.retain(|event| !is_redacted || !matches!(event, Event::Listing { .. }));
    }

    /// Logs the end of a request and shows it to the observers. Redaction of its secrets ends, except after a timeout, because the reply may
    /// still come.
    pub(super) fn show_reply(&mut self, id: RequestId, result: &Result<Reply, RequestError>, session: &Session) {
        self.log.log_completed_request(id, Some(result));
        if result.is_ok() {
            self.redacted_line = None;
        }
        self.notify_all(session, || Observation::Reply { request: id, is_ok: result.is_ok() });
        if let Some(redactor) = &mut self.redactor
            && !matches!(result, Err(RequestError::TimedOut(_)))
        {
            redactor.forget_secrets_of(id);
            self.drop_idle_redactor(session);
        }
    }

    /// Shows the end of the connection to the observers, after the withheld bytes, and forgets all secrets.
    pub(super) fn show_closed(&mut self, session: &Session) {
        self.show_withheld_masked(session);
        (self.redactor, self.redacted_line) = (None, None);
        self.notify_all(session, || Observation::Closed);
    }

    /// Logs an event and shows it to the observers, redacted, and returns the form in which it was shown. `started` is the time at
    /// which its parsing started. The secrets of the login are forgotten once the session is ready, lost or over.
    pub(super) fn show_event_redacted(
        &mut self,
        event: &Event,
        started: Option<Instant>,
        session: &Session,
    ) -> Redaction {
        let redaction = self.redact_or_withhold_event(event);
        let shown = match &redaction {
            Redaction::Unmodified => Some(event),
            Redaction::Redacted(redacted) => Some(redacted),
            Redaction::Withheld => None,
        };
        if let Some(shown) = shown {
            self.notify_all(session, || Observation::Event {
                event: shown.clone(),
                parsing: started.map(|started| started.elapsed()).unwrap_or_default(),
            });
        }
        self.log.log_and_update_spans(event);
        if matches!(event, Event::SessionReady(_) | Event::Lost(_) | Event::Ended(_)) {
            self.redacted_line = None;
            if let Some(redactor) = &mut self.redactor {
                redactor.forget_login_secrets();
                self.drop_idle_redactor(session);
            }
        }
        redaction
    }

    /// Returns the form in which an event may be shown. A listing is withheld if a line that may be part of it was redacted, even
    /// if the secret was forgotten since then. Where replies have no marks, that is any line since the last reply.
    fn redact_or_withhold_event(&mut self, event: &Event) -> Redaction {
        if let Event::Listing { attribution, .. } = event {
            let is_of_reply =
                |line: &mut Attribution| attribution.is_inferred() || line.request() == attribution.request();
            return if self.redacted_line.take_if(is_of_reply).is_some() {
                Redaction::Withheld
            } else {
                Redaction::Unmodified
            };
        }
        match self.redactor.as_ref().and_then(|redactor| redactor.redact_event(event)) {
            Some(redacted) => {
                self.redacted_line = Some(event.attribution());
                Redaction::Redacted(redacted)
            }
            None => Redaction::Unmodified,
        }
    }

    /// Lets every observer do pending work, registers their wakers, and drops those that are done. Ready if an observer was full
    /// and none is any more; otherwise pending.
    pub(super) fn poll_progress(&mut self, session: &Session, context: &mut Context<'_>) -> Poll<()> {
        let was_full = self.any_is_full();
        self.list.retain_mut(|observer| {
            observer.poll_progress(SessionView(session), context);
            !observer.is_done()
        });
        if was_full && !self.any_is_full() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Shows withheld bytes to the observers, then waits until all of them are closed. Each observer is dropped as soon as it is
    /// closed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the observers that are not closed yet remain.
    pub(super) async fn close_and_drop_all(&mut self, session: &Session) {
        self.show_withheld_masked(session);
        poll_fn(|context| {
            self.list.retain_mut(|observer| observer.poll_close(context).is_pending());
            if self.list.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Drops the observers, even if they are not closed.
    pub(super) fn drop_all(&mut self) {
        self.list.clear();
    }

    /// Logs received bytes that are already redacted and shows them to the observers; does nothing without bytes.
    fn show_received(&mut self, bytes: &[u8], session: &Session) {
        if !bytes.is_empty() {
            self.log.log_received(bytes);
            self.notify_all(session, || Observation::Received(Bytes::copy_from_slice(bytes)));
        }
    }

    /// Shows the withheld bytes, masked, to the observers, so that they are observed before the next observation. The redactor
    /// still withholds them until it knows whether they begin a secret.
    fn show_withheld_masked(&mut self, session: &Session) {
        if let Some(redactor) = &mut self.redactor {
            let withheld = redactor.release_masked();
            self.show_received(&withheld, session);
        }
    }

    /// Drops the redactor if no secret is left in it. The bytes that it withheld are shown to the observers first.
    fn drop_idle_redactor(&mut self, session: &Session) {
        if self.redactor.as_ref().is_some_and(|redactor| redactor.secrets.is_empty()) {
            self.show_withheld_masked(session);
            self.redactor = None;
        }
    }

    /// Drops the observers that are done, and passes an observation to the others. The observation is created only if observers
    /// are left.
    fn notify_all(&mut self, session: &Session, observation: impl FnOnce() -> Observation) {
        self.list.retain(|observer| !observer.is_done());
        if self.list.is_empty() {
            return;
        }
        let observation = observation();
        for observer in &mut self.list {
            observer.observe(&observation, SessionView(session));
        }
    }
}

/// Maximum time for which the secrets of a command are redacted while its reply is not received.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// Replaces secrets that were sent in the bytes that the server sends, independently of read boundaries.
///
/// A password of the login is redacted until the session is set up, the secrets of a command until its reply or for
/// [`REPLY_TIMEOUT`], both no longer than the connection lasts. They may be common words, which have to remain readable
/// afterwards.
#[derive(Default)]
pub(super) struct Redactor {
    pub(super) secrets: Vec<SentSecret>,
    /// The last received bytes if a secret may begin with them. They are withheld until the next bytes decide.
    withheld: Zeroizing<Vec<u8>>,
    /// Number of withheld bytes that [`release_masked`](Self::release_masked) has already returned, masked.
    n_released: usize,
}

/// A secret that was sent.
pub(super) struct SentSecret {
    secret: Secret,
    /// The request that contained it; `None` for a password of the login.
    request: Option<RequestId>,
    /// Time at which the secret of a request is forgotten even without a reply; `None` for a password of the login.
    at_latest: Option<Instant>,
}

impl Redactor {
    /// Redacts the secrets of a sent line in bytes received from now on: the password of the login until the set-up is over,
    /// others until the reply to their request, at most for [`REPLY_TIMEOUT`].
    pub(super) fn add_secrets_of(&mut self, transmit: &Transmit, now: Instant) {
        let at_latest = transmit.attribution.request().map(|_| now + REPLY_TIMEOUT);
        let sent = |secret| SentSecret { secret, request: transmit.attribution.request(), at_latest };
        self.secrets.extend(transmit.secrets().filter_map(Secret::new).map(sent));
    }

    /// Forgets the secrets of the login, because the session is set up.
    pub(super) fn forget_login_secrets(&mut self) {
        self.secrets.retain(|sent| sent.at_latest.is_some());
    }

    /// Forgets the secrets of a request that was replied to.
    pub(super) fn forget_secrets_of(&mut self, id: RequestId) {
        self.secrets.retain(|sent| sent.request != Some(id));
    }

    /// Forgets the secrets of requests whose reply is overdue at this time.
    pub(super) fn forget_overdue_secrets(&mut self, now: Instant) {
        self.secrets.retain(|sent| sent.at_latest.is_none_or(|at_latest| at_latest > now));
    }

    /// Returns the redacted bytes that can be shown now: the withheld bytes and `bytes`, without those that
    /// [`release_masked`](Self::release_masked) has already returned, up to the first byte that may begin a secret. That byte and all
    /// after it are withheld.
    pub(super) fn redact_or_withhold(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.withheld);
        all.extend_from_slice(bytes);
        let n_decided = mask_secrets_in_stream(&self.secrets(), &mut all);
        let shown = all.get(self.n_released..n_decided).unwrap_or_default().to_vec();
        self.withheld = Zeroizing::new(all.split_off(n_decided));
        self.n_released = self.n_released.saturating_sub(n_decided);
        shown
    }

    /// Returns the withheld bytes that were not returned before, masked as if they were secret. They remain withheld, because
    /// later bytes may complete the secret.
    pub(super) fn release_masked(&mut self) -> Vec<u8> {
        let mut shown = self.withheld.to_vec();
        mask_text_keeping_controls(&mut shown);
        let n_released = std::mem::replace(&mut self.n_released, shown.len());
        shown.split_off(n_released)
    }

    /// Returns the event without its secrets, as the text of its redacted line; `None` if it contains no secret.
    pub(super) fn redact_event(&self, event: &Event) -> Option<Event> {
        let mut line = event.raw().to_vec();
        mask_secrets_in_line(&self.secrets(), &mut line);
        if line == event.raw() { None } else { event.to_redacted_text(&line) }
    }

    fn secrets(&self) -> impl Iterator<Item = &Secret> + Clone {
        self.secrets.iter().map(|sent| &sent.secret)
    }
}

#[cfg(test)]
mod tests;
