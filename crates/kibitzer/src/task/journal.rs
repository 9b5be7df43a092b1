//! What is written down of a session: its log and its recording.

use std::future::pending;

use tracing::{Level, Span, debug, enabled, error, info, info_span, trace, warn};

use crate::core::Event;
use crate::core::session::{EndReason, LoginStep, State, Transmit, TransmitKind};
use crate::transcript::Recorder;

/// Writes down what goes over the line and what comes of it, and no secret.
pub(super) struct Journal {
    /// That of the session.
    span: Span,
    /// That of the login, while it goes on.
    login: Option<Span>,
    recorder: Option<Recorder>,
    /// Whether there was to be a recording.
    is_recorded: bool,
    n_unrecorded: u64,
}

impl Journal {
    pub(super) const fn new(span: Span, recorder: Option<Recorder>) -> Self {
        let is_recorded = recorder.is_some();
        Self { span, login: None, recorder, is_recorded, n_unrecorded: 0 }
    }

    /// Pieces that should have been recorded, and could not be.
    pub(super) const fn n_unrecorded(&self) -> u64 {
        self.n_unrecorded
    }

    /// Whether no more should be read before some of the recording is written.
    pub(super) fn is_full(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::is_full)
    }

    /// Notes what the server sent, before anybody has looked at it.
    pub(super) fn received(&mut self, bytes: &[u8], state: &State) {
        // A server that does not keep what it is told to itself sends the password back.
        let may_echo = *state == State::LoggingIn(LoginStep::Password);
        if !may_echo {
            self.trace(|| trace!(bytes = %bytes.escape_ascii(), "received"));
        }
        match &mut self.recorder {
            Some(recorder) => recorder.received(bytes),
            None => self.miss(1),
        }
    }

    /// Notes that the connection has ended: the server sends nothing more on it.
    pub(super) fn closed(&mut self) {
        match &mut self.recorder {
            Some(recorder) => recorder.received(&[]),
            None => self.miss(1),
        }
    }

    /// Notes what is sent.
    pub(super) fn sent(&mut self, transmit: &Transmit) {
        let is_login = matches!(transmit.kind(), TransmitKind::Login | TransmitKind::Password);
        if !is_login {
            self.trace(|| trace!(bytes = %transmit.bytes().escape_ascii(), "sent"));
        }
        match &mut self.recorder {
            Some(recorder) if is_login => recorder.sent_secret(),
            Some(recorder) => recorder.sent(transmit.bytes()),
            None => self.miss(1),
        }
    }

    /// Notes an event, once.
    pub(super) fn note(&mut self, event: &Event) {
        if let Event::Connecting { attempt } = event {
            self.login = Some(info_span!(parent: &self.span, "login", attempt));
        }
        self.log(event);
        if matches!(event, Event::Ready(_) | Event::Lost { .. } | Event::Ended(_)) {
            self.login = None;
        }
    }

    /// Logs bytes, if anybody wants to see them.
    fn trace(&self, log: impl FnOnce()) {
        if enabled!(Level::TRACE) {
            let _login = self.login.as_ref().map(Span::enter);
            log();
        }
    }

    fn log(&self, event: &Event) {
        let _login = self.login.as_ref().map(Span::enter);
        match event {
            Event::Connecting { attempt: 1 } => debug!("connecting"),
            Event::Connecting { attempt } => info!(attempt, "reconnecting"),
            Event::Connected => info!("connected"),
            Event::LoggedIn(identity) => {
                let handle = identity.handle.as_ref().map_or("?", |handle| handle.as_str());
                self.span.record("handle", handle);
                info!("logged in");
            }
            Event::Ready(_) => info!("session ready"),
            Event::Lost { cause, retry_in } => error!(%cause, ?retry_in, "session lost"),
            Event::Restored(_) => info!("session restored"),
            Event::Ended(reason @ (EndReason::Quit | EndReason::ShutDown)) => info!(%reason, "session over"),
            Event::Ended(reason) => error!(%reason, "session over"),
            Event::Fault(fault) => warn!(%fault, "server fault"),
            event => debug!(kind = event.kind().as_str(), "event"),
        }
    }

    /// Writes the recording out, as far as there is something to write.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not written stays.
    pub(super) async fn write(&mut self) {
        match &self.recorder {
            Some(recorder) if !recorder.is_flushed() => self.flush().await,
            _ => pending().await,
        }
    }

    /// Writes the recording out. One that cannot be written ends here; the session goes on.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not written stays.
    pub(super) async fn flush(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        if let Err(error) = recorder.flush().await {
            error!(%error, "recording failed");
            let n_lost = recorder.n_unwritten();
            self.recorder = None;
            self.miss(n_lost);
        }
    }

    const fn miss(&mut self, n_pieces: u64) {
        if self.is_recorded {
            self.n_unrecorded = self.n_unrecorded.saturating_add(n_pieces);
        }
    }
}
