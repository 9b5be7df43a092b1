//! The log of a session.

use tracing::{Level, Span, debug, enabled, error, info, info_span, trace, warn};

use crate::core::Event;
use crate::core::event::SessionEndReason;
use crate::core::session::Transmit;

/// Writes what happens in a session to `tracing`, without its secrets.
pub(super) struct SessionLog {
    /// Span of the session; entered while its task runs.
    span: Span,
    /// Span of the login, from the start of a connection attempt until the session is ready, lost or over. Boxed, because most of
    /// the time there is none.
    login: Option<Box<Span>>,
}

impl SessionLog {
    pub(super) const fn new(span: Span) -> Self {
        Self { span, login: None }
    }

    /// Logs received bytes at level TRACE. The caller has redacted them.
    pub(super) fn received(&self, bytes: &[u8]) {
        self.trace(|| trace!(bytes = %bytes.escape_ascii(), "received"));
    }

    /// Logs a sent line at level TRACE, unless it is private.
    pub(super) fn sent(&self, transmit: &Transmit) {
        if !transmit.kind.is_private() {
            self.trace(|| trace!(bytes = %transmit.bytes().escape_ascii(), "sent"));
        }
    }

    /// Logs an event, and opens or closes the span of the login.
    pub(super) fn event(&mut self, event: &Event) {
        if let Event::Connecting { attempt } = event {
            self.login = Some(Box::new(info_span!(parent: &self.span, "login", attempt)));
        }
        self.log(event);
        if matches!(event, Event::Ready(_) | Event::Lost { .. } | Event::Ended(_)) {
            self.login = None;
        }
    }

    /// Logs an event at the level of its kind, inside the span of the login if there is one.
    fn log(&self, event: &Event) {
        let _login = self.login.as_ref().map(|login| login.enter());
        match event {
            Event::Connecting { attempt } => info!(attempt, "connecting"),
            Event::Connected => info!("connected"),
            Event::LoggedIn(identity) => {
                let handle = identity.handle.as_ref().map_or("?", |handle| handle.as_str());
                self.span.record("handle", handle);
                info!("logged in");
            }
            Event::Ready(_) => info!("session ready"),
            Event::Lost { cause, retry_in } => error!(%cause, ?retry_in, "session lost"),
            Event::Restored(_) => info!("session restored"),
            Event::Ended(reason @ (SessionEndReason::Quit | SessionEndReason::Shutdown)) => {
                info!(%reason, "session over");
            }
            Event::Ended(reason) => error!(%reason, "session over"),
            Event::Fault => warn!("server answered a line without a number"),
            event => debug!(kind = event.kind().as_str(), "event"),
        }
    }

    /// Calls `log` inside the span of the login, if level TRACE is enabled.
    fn trace(&self, log: impl FnOnce()) {
        if enabled!(Level::TRACE) {
            let _login = self.login.as_ref().map(|login| login.enter());
            log();
        }
    }
}
