//! The server's tasks: one owns the state, one listens, one serves each client; and the operator's interface to them.

mod actor;
mod client_task;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use kibitzer_core::hub::RecvError;
use kibitzer_core::message::Handle;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::TcpListener;
use tokio::sync::broadcast::{self, error::TryRecvError};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time;

use self::actor::{QUEUE_LENGTH, ServerActor};
use self::client_task::Stream;
use crate::fault::{Fault, FaultPoint, FiredFault, StateFault};
use crate::lobby::{ConnectionId, ConnectionTarget};
use crate::options::ServerOptions;

/// Pause after a connection could not be accepted, as the process may be out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Number of unread faults that [`FiredFaults`] keeps.
const FIRED_FAULTS: usize = 64;

/// Size of the buffer in each direction of a connection within the process.
const DUPLEX_BYTES: usize = 64 << 10;

/// A request to the task that owns the state.
#[derive(Debug)]
enum ActorRequest {
    /// A client has connected.
    Open(Stream),
    /// Bytes from a client. The sender is dropped once the reply is in the outbox and the next bytes may follow.
    Received(ConnectionId, Vec<u8>, oneshot::Sender<()>),
    /// A client has closed its side of the connection.
    Closed(ConnectionId),
    /// A fault that the actor itself applies takes effect on this connection.
    ApplyFault(ConnectionId, StateFault),
    /// A fault is injected.
    Inject(ConnectionTarget, FaultPoint, Fault, oneshot::Sender<io::Result<()>>),
    /// Requests the list of clients.
    List(oneshot::Sender<Vec<(u64, Option<Handle>)>>),
    Announce(String),
    /// Announces the shutdown, which follows after that time.
    ShutDown(Duration),
}

/// A chess server that runs until it is shut down or dropped.
///
/// ```
/// use kibitzer_server::{Server, ServerOptions};
/// use tokio::io::AsyncReadExt;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let server = Server::start(ServerOptions::new().in_process()).await?;
/// let mut connection = server.connect().await?;
/// let mut banner = [0; 35];
/// connection.read_exact(&mut banner).await?;
/// assert_eq!(&banner, b"This is an embedded kibitzer server");
/// server.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Server {
    address: Option<SocketAddr>,
    control: ServerControl,
    world: JoinHandle<()>,
    listener: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server in the current runtime.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or is one that other machines can reach and
    /// [`ServerOptions::allow_remote`] was not given ([`io::ErrorKind::PermissionDenied`]).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future starts nothing.
    pub async fn start(options: ServerOptions) -> io::Result<Self> {
        let listener = match options.address {
            Some(address) if !address.ip().is_loopback() && !options.is_remote_allowed => {
                let why = "other machines can reach the address, which has to be allowed";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
            Some(address) => Some(TcpListener::bind(address).await?),
            None => None,
        };
        let address = listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let (requests, requested) = mpsc::channel(QUEUE_LENGTH);
        let fired = broadcast::Sender::new(FIRED_FAULTS);
        let actor = ServerActor::new(options, requested, requests.downgrade(), fired.clone());
        let world = tokio::spawn(actor.run());
        let listener = listener.map(|listener| tokio::spawn(accept_connections(listener, requests.clone())));
        Ok(Self { address, control: ServerControl { requests, fired }, world, listener })
    }

    /// Returns the address on which the server listens; `None` if it opens no port.
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

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
        self.control.connect().await
    }

    /// Returns a handle that operates the server and connects clients within the process.
    pub fn control(&self) -> ServerControl {
        self.control.clone()
    }

    /// Announces the shutdown, closes all connections and waits until all tasks have ended. Aborts connections whose clients have
    /// not closed them after 3 s.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts all tasks at once.
    pub async fn shutdown(mut self) {
        // Fails only if the server has shut down already.
        let _ = self.control.shutdown(Duration::ZERO).await;
        drop((&mut self.world).await);
        if let Some(listener) = &mut self.listener {
            listener.abort();
            drop(listener.await);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.world.abort();
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

/// The operator's handle to a running server; cheap to clone.
#[derive(Clone, Debug)]
pub struct ServerControl {
    requests: mpsc::Sender<ActorRequest>,
    fired: broadcast::Sender<FiredFault>,
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

    /// Subscribes to the faults that take effect from now on, on all connections. The receiver keeps the last 64 that were not read;
    /// if it dropped older ones, its next call returns [`RecvError::Lagged`] first.
    pub fn fired_faults(&self) -> FiredFaults {
        FiredFaults(self.fired.subscribe())
    }

    /// Returns the numbers of the connections to clients, in the order in which they were opened, each with the player logged in
    /// over it; `None` before the login.
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
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the request is sent or not.
    pub async fn shutdown(&self, after: Duration) -> io::Result<()> {
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
        answered.await.map_err(|_| shutdown_error())
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
        self.requests.send(request).await.map_err(|_| shutdown_error())
    }
}

fn shutdown_error() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, "the server has shut down")
}

/// Accepts connections and passes them to the actor, until the server has shut down.
///
/// # Cancel safety
///
/// Dropping the future stops listening.
async fn accept_connections(listener: TcpListener, requests: mpsc::Sender<ActorRequest>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Without this option the connection is slower, but works.
        drop(stream.set_nodelay(true));
        if requests.send(ActorRequest::Open(Stream::Tcp(stream))).await.is_err() {
            return;
        }
    }
}

/// Receiver of the faults that take effect on a server. It keeps the last 64 that were not read.
#[derive(Debug)]
pub struct FiredFaults(broadcast::Receiver<FiredFault>);

impl FiredFaults {
    /// Waits for the next fault.
    ///
    /// # Errors
    ///
    /// [`RecvError::Lagged`] if older faults were dropped; the next call continues with the oldest one kept. [`RecvError::Closed`] once
    /// the server has shut down, and its controls are dropped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no fault is lost.
    pub async fn recv(&mut self) -> Result<FiredFault, RecvError> {
        self.0.recv().await.map_err(|error| match error {
            broadcast::error::RecvError::Lagged(missed) => RecvError::Lagged { missed },
            broadcast::error::RecvError::Closed => RecvError::Closed,
        })
    }

    /// Returns the next fault without waiting; `None` where [`recv`](Self::recv) would wait.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<Option<FiredFault>, RecvError> {
        match self.0.try_recv() {
            Ok(fault) => Ok(Some(fault)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged { missed }),
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
        }
    }
}
