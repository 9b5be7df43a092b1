//! The log of a session.
//!
//! | span | from | to |
//! |---|---|---|
//! | `session{server, handle}` | the start of the session | its end |
//! | `connection{attempt}`, with another handle also `handle` | `Connecting` | `Lost`, `Ended`, or the next attempt |
//! | `login` in it | `Connecting` | `SessionReady` |
//! | `restore` in it | `SessionReady` after a reconnect | `Restored` |
//! | `request{id, command}` in it | its acceptance by the session | its reply or failure |

use tokio::time::Instant;
use tracing::{Level, Span, debug, debug_span, enabled, error, error_span, field, info, info_span, trace, warn};

use kibitzer_core::Event;
use kibitzer_core::event::{RequestError, RequestId, SessionEndReason};
use kibitzer_core::message::Handle;
use kibitzer_core::session::{Command, Reply, Transmit};
use kibitzer_core::text::error_chain;

/// Writes what happens in a session to `tracing`, without its secrets.
///
/// Contains `None` if nothing is logged: most sessions are not, and keep no memory for it.
pub(super) struct SessionLog(Option<Box<SessionSpans>>);

/// Spans of one session. Those that the subscriber does not record are disabled.
struct SessionSpans {
    /// Entered while the task of the session runs.
    session: Span,
    /// Handle in the span of the session, that of the first login: a span keeps every value that is recorded.
    handle: Option<Handle>,
    connection: Span,
    /// The span `login` or `restore`; disabled outside of both stages.
    stage: Span,
    /// Requests without a reply, with the time of their acceptance. Those of a lost connection fail after its end.
    requests: Vec<(RequestId, Span, Instant)>,
    was_ready: bool,
}

impl SessionLog {
    /// Creates the log of a session with this span.
    pub(super) fn new(session: Span) -> Self {
        let spans = |session| {
            let [connection, stage] = [Span::none(), Span::none()];
            SessionSpans { session, handle: None, connection, stage, requests: Vec::new(), was_ready: false }
        };
        Self((!session.is_disabled() || enabled!(Level::ERROR)).then(|| Box::new(spans(session))))
    }

    /// Logs received bytes at level TRACE. The caller has redacted them.
    pub(super) fn log_received(&self, bytes: &[u8]) {
        if let Some(spans) = self.0.as_ref().filter(|_| enabled!(Level::TRACE)) {
            spans.log_in_stage(|| trace!(bytes = %bytes.escape_ascii(), "received"));
        }
    }

    /// Logs a sent line at level TRACE, inside the span of its request, unless it is private.
    pub(super) fn log_sent(&self, transmit: &Transmit) {
        let Some(spans) = self.0.as_ref().filter(|_| enabled!(Level::TRACE) && !transmit.kind.is_secret_or_login())
        else {
            return;
        };
        let log = || trace!(bytes = %transmit.bytes().escape_ascii(), "sent");
        match spans.requests.iter().find(|(id, ..)| Some(*id) == transmit.attribution.request()) {
            Some((_, span, _)) => span.in_scope(log),
            None => spans.log_in_stage(log),
        }
    }

    /// Logs an event, and opens or closes spans.
    pub(super) fn log_and_update_spans(&mut self, event: &Event) {
        if let Some(spans) = &mut self.0 {
            spans.log_and_update(event);
        }
    }

    /// Opens the span of a request. It contains only the name of the command, because arguments may be secret.
    pub(super) fn new_request_span(&self, command: &Command) -> Span {
        let Some(spans) = &self.0 else { return Span::none() };
        let name: String = command.verb().chars().take_while(char::is_ascii_alphanumeric).collect();
        debug_span!(parent: &spans.connection, "request", id = field::Empty, command = name)
    }

    /// Logs that the session has accepted a request, and keeps its span until the reply.
    pub(super) fn log_accepted_request(&mut self, id: RequestId, span: Span) {
        if let Some(spans) = self.0.as_mut().filter(|_| !span.is_disabled()) {
            span.record("id", id.number());
            span.in_scope(|| debug!("request accepted"));
            spans.requests.push((id, span, Instant::now()));
        }
    }

    /// Logs the end of a request, and closes its span. `result` is `None` if the caller no longer waits.
    pub(super) fn log_completed_request(&mut self, id: RequestId, result: Option<&Result<Reply, RequestError>>) {
        let Some(spans) = &mut self.0 else { return };
        let Some(position) = spans.requests.iter().position(|(open, ..)| *open == id) else { return };
        let (_, span, started) = spans.requests.swap_remove(position);
        let outcome = result.map_or("abandoned", outcome_label);
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        span.in_scope(|| debug!(outcome, elapsed_ms, "request completed"));
    }
}

impl SessionSpans {
    /// Opens the spans that begin with the event, logs it in them, and closes those that end with it.
    fn log_and_update(&mut self, event: &Event) {
        match event {
            Event::Connecting(attempt) => {
                // At the highest level, so that every logged line has its server and handle.
                self.connection =
                    error_span!(parent: &self.session, "connection", attempt = attempt.number, handle = field::Empty);
                self.stage = info_span!(parent: &self.connection, "login");
            }
            Event::LoggedIn(identity) if identity.handle != self.handle => {
                let span = if self.handle.is_none() { &self.session } else { &self.connection };
                span.record("handle", identity.handle.as_ref().map_or("?", Handle::as_str));
                self.handle = self.handle.take().or_else(|| identity.handle.clone());
            }
            _ => {}
        }
        self.log_in_stage(|| log_at_kind_level(event));
        match event {
            Event::SessionReady(_) => {
                let is_reconnect = std::mem::replace(&mut self.was_ready, true);
                self.stage = if is_reconnect { info_span!(parent: &self.connection, "restore") } else { Span::none() };
            }
            Event::Restored(_) => self.stage = Span::none(),
            Event::Lost(_) | Event::Ended(_) => (self.connection, self.stage) = (Span::none(), Span::none()),
            _ => {}
        }
    }

    /// Calls `log` inside the spans of the connection and its stage.
    fn log_in_stage(&self, log: impl FnOnce()) {
        let _connection = self.connection.enter();
        let _stage = self.stage.enter();
        log();
    }
}

/// Logs an event at the level of its kind.
fn log_at_kind_level(event: &Event) {
    match event {
        Event::Connecting(attempt) => info!(attempt = attempt.number, "connecting"),
        Event::Connected => info!("connected"),
        Event::LoggedIn(_) => info!("logged in"),
        Event::SessionReady(_) => info!("session ready"),
        Event::Lost(loss) => {
            error!(cause = %loss.cause, retry_in = ?loss.retry_in, silent_for = ?loss.silent_for, "session lost");
        }
        Event::Restored(restored) => info!(
            offline_for = ?restored.offline_for,
            games = restored.games.len(),
            settings = restored.settings.len(),
            requests = restored.requests.len(),
            seeks = restored.seeks.len(),
            "session restored"
        ),
        Event::Ended(reason @ (SessionEndReason::Quit | SessionEndReason::Shutdown)) => {
            info!(reason = reason.as_ref(), "session over");
        }
        Event::Ended(reason) => error!(reason = error_chain(reason), "session over"),
        Event::Fault => warn!("server answered a line without a number"),
        event => debug!(kind = event.kind().as_str(), game = event.affected_game().map(|game| game.0), "event"),
    }
}

/// Returns the result of a request as one word; the server's words may repeat a secret.
const fn outcome_label(result: &Result<Reply, RequestError>) -> &'static str {
    match result {
        Ok(_) => "answered",
        Err(RequestError::Refused { .. }) => "refused",
        Err(RequestError::TimedOut(_)) => "timed_out",
        Err(RequestError::Lost | RequestError::NotConnected | RequestError::Ended(_)) => "lost",
        Err(_) => "failed",
    }
}
