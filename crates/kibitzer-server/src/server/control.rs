//! The operator's interface: connections, faults, announcements, shutdown.

use std::io;
use std::time::Duration;

use kibitzer_core::message::Handle;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::ActorRequest;
use super::client_task::Stream;
use crate::fault::{Fault, FaultPoint, FiredFault};
use crate::lobby::ConnectionTarget;

/// Size of the buffer in each direction of a connection within the process.
const DUPLEX_BYTES: usize = 64 << 10;

/// The operator's handle to a running server; cheap to clone.
#[derive(Clone, Debug)]
pub struct ServerControl {
    pub(super) requests: mpsc::Sender<ActorRequest>,
    pub(super) fired: broadcast::Sender<FiredFault>,
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
        self.serve(far).await?;
        Ok(near)
    }

    /// Starts to serve a client over a stream that the program accepted, such as a WebSocket, and returns without waiting for its
    /// end; the server sends its greeting at once. A [`Fault::Reset`] drops the stream without shutting it down.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the stream is dropped without being served.
    pub async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Send + 'static) -> io::Result<()> {
        self.send(ActorRequest::Open(Stream::Other(Box::pin(stream)))).await
    }

    /// Injects a fault into a connection; it takes effect at a point of that connection's output.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`]: there is no such connection, or too many faults are queued for it.
    /// [`io::ErrorKind::InvalidInput`]: the fault cannot take effect at that point; the message lists the points at which it can,
    /// as `kibitzer serve --fault` names them. [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the fault may or may not be injected.
    pub async fn inject(&self, target: ConnectionTarget, at: FaultPoint, fault: Fault) -> io::Result<()> {
        self.send_and_wait(|answer| ActorRequest::Inject(target, at, fault, answer)).await?
    }

    /// Returns a receiver of the faults that take effect from now on, on all connections. It keeps the last 64; reading too late
    /// returns [`RecvError::Lagged`](broadcast::error::RecvError::Lagged).
    pub fn fired_faults(&self) -> broadcast::Receiver<FiredFault> {
        self.fired.subscribe()
    }

    /// Returns the numbers of the connections to clients, in the order in which they were opened, each with the player logged in
    /// over it; `None` before the login.
    ///
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn connections(&self) -> io::Result<Vec<(u64, Option<Handle>)>> {
        self.send_and_wait(ActorRequest::List).await
    }

    /// Sends an announcement to all players who are logged in. Line breaks become blanks.
    ///
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    pub async fn announce(&self, text: &str) -> io::Result<()> {
        self.send(ActorRequest::Announce(text.replace(['\n', '\r'], " "))).await
    }

    /// Announces the shutdown to all players at once, and shuts the server down after this time, unless a later call replaces it.
    /// Returns without waiting for it.
    ///
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    pub async fn shut_down(&self, after: Duration) -> io::Result<()> {
        self.send(ActorRequest::ShutDown(after)).await
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the request may or may not be executed.
    async fn send_and_wait<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> ActorRequest) -> io::Result<T> {
        let (answer, answered) = oneshot::channel();
        self.send(request(answer)).await?;
        answered.await.map_err(|_| shut_down_error())
    }

    /// Sends a request to the server's task.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    async fn send(&self, request: ActorRequest) -> io::Result<()> {
        self.requests.send(request).await.map_err(|_| shut_down_error())
    }
}

fn shut_down_error() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, "the server has shut down")
}
