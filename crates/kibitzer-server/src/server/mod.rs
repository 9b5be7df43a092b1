//! The server's tasks: one owns the state, one listens, one serves each client.

mod actor;
mod client_task;
mod control;
mod outbox;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use kibitzer_core::message::Handle;
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time;

use self::actor::{QUEUE_LENGTH, ServerActor};
use self::client_task::Stream;
pub use self::control::ServerControl;
use crate::fault::{Fault, FaultPoint};
use crate::lobby::{ConnectionId, ConnectionTarget};
use crate::options::ServerOptions;

/// Pause after a connection could not be accepted, as the process may be out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Number of faults kept for a receiver of [`ServerControl::fired_faults`].
const FIRED_FAULTS: usize = 64;

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
    ApplyFault(ConnectionId, Fault),
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
        let listener = bind_listener(&options).await?;
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
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts all tasks at once.
    pub async fn shutdown(mut self) {
        // Fails only if the server has shut down already.
        let _ = self.control.shut_down(Duration::ZERO).await;
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

/// Listens on the address of the options; returns `None` if they have none.
///
/// # Errors
///
/// As [`Server::start`].
///
/// # Cancel safety
///
/// Cancel safe.
async fn bind_listener(options: &ServerOptions) -> io::Result<Option<TcpListener>> {
    let Some(address) = options.address else { return Ok(None) };
    if !address.ip().is_loopback() && !options.is_remote_allowed {
        let why = "other machines can reach the address, which has to be allowed";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    TcpListener::bind(address).await.map(Some)
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
