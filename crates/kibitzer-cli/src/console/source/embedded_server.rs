//! Faults of the embedded server that the session is on.

use kibitzer::core::message::Handle;
use kibitzer_server::{ConnectionTarget, FiredFault, ServerControl};
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use super::Notice;
use crate::fault::{FaultRequest, fired_fault_text};

/// Error for faults in a session on a server that is not embedded.
pub(super) const NOT_EMBEDDED: &str =
    "faults need an embedded server: `kibitzer` or `kibitzer bot --demo`; others have `serve --control-socket`";

/// Injects faults into the embedded server, and receives those that took effect there.
#[derive(Debug)]
pub(super) struct EmbeddedServerFaults {
    control: ServerControl,
    fired: Receiver<FiredFault>,
}

impl EmbeddedServerFaults {
    pub(super) fn new(control: &ServerControl) -> Self {
        Self { control: control.clone(), fired: control.fired_faults() }
    }

    /// Returns a future that injects a fault, and resolves to the notice with the outcome. A request that names no connection
    /// means that of `player`; before the login (`None`), the next connection.
    pub(super) fn fault_injection(
        &self,
        request: FaultRequest,
        player: Option<&Handle>,
    ) -> impl Future<Output = Option<Notice>> + Send + use<> {
        let own = player.map_or(ConnectionTarget::Next, |player| ConnectionTarget::Player(player.to_string()));
        let control = self.control.clone();
        async move { Some(request.inject(&control, own).await.map_or_else(Notice::Error, Notice::Info)) }
    }

    /// Returns the text of the next fault that took effect, without waiting; also of faults that were missed, because too many
    /// took effect at once.
    pub(super) fn try_next_fired(&mut self) -> Option<String> {
        match self.fired.try_recv() {
            Ok(fault) => Some(fired_fault_text(&fault)),
            Err(TryRecvError::Lagged(missed)) => Some(format!("missed: {missed} faults")),
            Err(_) => None,
        }
    }
}
