//! Jobs that the user starts on a live session: sent lines, recordings, faults of the embedded server.

use kibitzer::core::event::RequestError;
use kibitzer::core::text::error_chain;
use kibitzer_attach::AttachedRequestError;
use kibitzer_server::{ConnectionTarget, ServerControl};
use tokio::sync::broadcast::error::TryRecvError;

use super::{LiveSession, Notice};
use crate::fault::{FaultRequest, fired_fault_text};
use crate::live::send_failure_text;

/// Number of running jobs, most of them sent lines that wait for their reply, from which on no further line is sent.
const MAX_RUNNING_JOBS: usize = 64;
/// Error for faults in a session on a server that is not embedded.
const NOT_EMBEDDED: &str =
    "faults need an embedded server: `kibitzer` or `kibitzer bot --demo`; others have `serve --control-socket`";

impl LiveSession {
    /// Sets the control of the embedded server to which the session is connected. From now on, faults that take effect there
    /// become marks, and [`start_fault_injection`](Self::start_fault_injection) works.
    pub(crate) fn set_embedded_server(&mut self, control: &ServerControl) {
        self.embedded_server = Some((control.clone(), control.fired_faults()));
    }

    /// Returns a text about the next fault that the embedded server reported, without waiting. If too many took effect at once, the
    /// text is the number of missed reports. `None` while there are no reports, and for other servers.
    pub(super) fn try_next_fired_fault(&mut self) -> Option<String> {
        match self.embedded_server.as_mut()?.1.try_recv() {
            Ok(fault) => Some(fired_fault_text(&fault)),
            Err(TryRecvError::Lagged(missed)) => Some(format!("missed: {missed} faults")),
            Err(_) => None,
        }
    }

    /// Starts to inject a fault. A request that names no connection applies to that of this session; before the login, to the
    /// next one. [`take_notice`](Self::take_notice) returns the outcome.
    ///
    /// # Errors
    ///
    /// The text to show if the server is not embedded.
    pub(crate) fn start_fault_injection(&mut self, request: FaultRequest) -> Result<(), &'static str> {
        let (control, _) = self.embedded_server.as_ref().ok_or(NOT_EMBEDDED)?;
        let (control, player) = (control.clone(), self.handle.as_ref());
        let own = player.map_or(ConnectionTarget::Next, |player| ConnectionTarget::Player(player.to_string()));
        let injection =
            async move { Some(request.inject(&control, own).await.map_or_else(Notice::Error, Notice::Info)) };
        self.jobs.spawn_on(injection, &self.runtime);
        Ok(())
    }

    /// Starts to send a line. Its reply arrives as items; [`take_notice`](Self::take_notice) returns failures that no item shows.
    ///
    /// # Errors
    ///
    /// The text to show if the session is over or not ready, without write access, and if too many lines wait for their reply.
    pub(crate) fn start_sending(&mut self, line: &str) -> Result<(), &'static str> {
        if self.is_over() {
            return Err("not sent: the session is over");
        }
        let Some(sender) = self.sender.clone() else {
            return Err("not sent: attached to look; with --write lines are sent");
        };
        if !self.is_ready() {
            // A typed line is meant for now: it must not wait for a connection that may come hours later.
            return Err("not sent: the session is not ready; Enter tries again");
        }
        if self.jobs.len() >= MAX_RUNNING_JOBS {
            return Err("not sent: too many lines wait for their reply");
        }
        let line = line.to_owned();
        let request = async move {
            let error = sender.send(&line).await.err()?;
            let is_lost = matches!(error, AttachedRequestError::Request(RequestError::Lost));
            let text = if is_lost { Some(error.to_string()) } else { send_failure_text(&error) };
            text.map(Notice::Error)
        };
        self.jobs.spawn_on(request, &self.runtime);
        Ok(())
    }

    /// Starts to record the session in a new file. [`take_notice`](Self::take_notice) returns the outcome.
    ///
    /// # Errors
    ///
    /// The text to show if the session is attached.
    pub(crate) fn start_recording(&mut self, file: String) -> Result<(), &'static str> {
        let Some(client) = self.client().cloned() else {
            return Err("an attached session can be recorded by its own process only");
        };
        let recording = async move {
            Some(match client.record(&file).await {
                Ok(()) => Notice::Info(format!("recording in {file}, passwords left out")),
                Err(error) => Notice::Error(error_chain(&error)),
            })
        };
        self.jobs.spawn_on(recording, &self.runtime);
        Ok(())
    }

    /// Removes and returns the next notice, without waiting: the outcome of a job that has ended, otherwise that of the session
    /// itself.
    pub(crate) fn take_notice(&mut self) -> Option<Notice> {
        while let Some(outcome) = self.jobs.try_join_next() {
            if let Ok(Some(notice)) = outcome {
                return Some(notice);
            }
        }
        self.pending_notice.take()
    }
}
