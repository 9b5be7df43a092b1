//! Faults of the embedded server that the session is on.

use kibitzer::core::message::Handle;
use kibitzer_server::{ConnectionTarget, FiredFault, ServerControl};
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use super::Notice;
use crate::fault::{FaultRequest, fired_text};

/// Error for sessions on other servers.
pub(super) const NOT_EMBEDDED: &str =
    "faults need an embedded server: `kibitzer` or `kibitzer bot --demo`; others have `serve --control-socket`";

/// The control of the embedded server, and the faults that took effect there.
#[derive(Debug)]
pub(super) struct EmbeddedServer {
    control: ServerControl,
    fired: Receiver<FiredFault>,
}

impl EmbeddedServer {
    pub(super) fn new(control: &ServerControl) -> Self {
        Self { control: control.clone(), fired: control.fired_faults() }
    }

    /// Returns the job that injects a fault and returns its outcome. A request without a connection is for that of `player`, or for the
    /// next one before the login.
    pub(super) fn inject(
        &self,
        request: FaultRequest,
        player: Option<&Handle>,
    ) -> impl Future<Output = Option<Notice>> + Send + use<> {
        let own = player.map_or(ConnectionTarget::Next, |player| ConnectionTarget::Player(player.to_string()));
        let control = self.control.clone();
        async move { Some(request.inject(&control, own).await.map_or_else(Notice::Error, Notice::Info)) }
    }

    /// Returns the text of the next fault that took effect.
    pub(super) fn next_fired(&mut self) -> Option<String> {
        match self.fired.try_recv() {
            Ok(fault) => Some(fired_text(&fault)),
            Err(TryRecvError::Lagged(missed)) => Some(format!("missed: {missed} faults")),
            Err(_) => None,
        }
    }
}
