//! The operator's interface: connections, faults, announcements, shutdown.

use std::io;
use std::time::Duration;

use kibitzer_core::message::Handle;
use thiserror::Error;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};

use super::ActorRequest;
use super::client_task::Stream;
use crate::fault::{Fault, FaultPoint};
use crate::lobby::{ConnectionId, ConnectionTarget};

/// Size of the buffer in each direction of a connection within the process.
const DUPLEX_BYTES: usize = 64 << 10;

/// Why a request of the operator failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The server has shut down.
    #[error("the server has shut down")]
    Over,
    /// There is no such connection, or too many faults wait for it already.
    #[error("no such connection, or too many faults are queued for it")]
    NoTarget,
    /// The fault cannot take effect at that point.
    #[error("this fault can take effect at these points: {points}")]
    Unsupported {
        /// The points at which it can, as `kibitzer serve --fault` names them.
        points: &'static str,
    },
}

/// A handle to a running server; cheap to clone.
#[derive(Clone, Debug)]
pub struct ServerControl {
    pub(super) requests: mpsc::Sender<ActorRequest>,
}

impl ServerControl {
    /// Connects a client within the process; the server sends its greeting at once.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the connection is made or not.
    pub async fn connect(&self) -> io::Result<DuplexStream> {
        let (near, far) = tokio::io::duplex(DUPLEX_BYTES);
        let request = ActorRequest::Open(Stream::Duplex(far));
        self.send(request).await.map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(near)
    }

    /// Injects a fault into a connection.
    ///
    /// # Errors
    ///
    /// [`ControlError`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the fault may or may not be injected.
    pub async fn inject(&self, target: ConnectionTarget, at: FaultPoint, fault: Fault) -> Result<(), ControlError> {
        self.ask(|answer| ActorRequest::Inject(target, at, fault, answer)).await?
    }

    /// Returns the connected clients, in the order of their connections, with the player logged in over each.
    ///
    /// # Errors
    ///
    /// [`ControlError::Over`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn connections(&self) -> Result<Vec<(ConnectionId, Option<Handle>)>, ControlError> {
        self.ask(ActorRequest::List).await
    }

    /// Sends an announcement to all players. Line breaks become blanks.
    ///
    /// # Errors
    ///
    /// [`ControlError::Over`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    pub async fn announce(&self, text: &str) -> Result<(), ControlError> {
        self.send(ActorRequest::Announce(text.replace(['\n', '\r'], " "))).await
    }

    /// Announces the shutdown at once, and shuts the server down after that time.
    ///
    /// # Errors
    ///
    /// [`ControlError::Over`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    pub async fn shut_down(&self, after: Duration) -> Result<(), ControlError> {
        self.send(ActorRequest::ShutDown(after)).await
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`ControlError::Over`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the request may or may not be executed.
    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> ActorRequest) -> Result<T, ControlError> {
        let (answer, answered) = oneshot::channel();
        self.send(request(answer)).await?;
        answered.await.map_err(|_| ControlError::Over)
    }

    /// Sends a request to the server's task.
    ///
    /// # Errors
    ///
    /// [`ControlError::Over`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    async fn send(&self, request: ActorRequest) -> Result<(), ControlError> {
        self.requests.send(request).await.map_err(|_| ControlError::Over)
    }
}
