//! The server's tasks: one owns the state, one listens, one serves each client.

mod actor;
mod control;
mod link;
mod outbox;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time;

use self::actor::{Actor, QUEUE_LENGTH};
pub use self::control::{Control, ControlError};
use self::link::Stream;
use crate::fault::{At, Fault};
use crate::lobby::{Connected, ConnectionId, Target};
use crate::options::ServerOptions;

/// How much a client in this process may be ahead of the server, and the server of the client.
const DUPLEX_BYTES: usize = 64 << 10;

/// How long to wait after a connection could not be accepted: the process may be out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A request to the task that owns the state.
#[derive(Debug)]
enum Request {
    /// A client has connected.
    Open(Stream),
    /// Bytes from a client. The sender is dropped once the reply is in the outbox and the next bytes may follow.
    Received(ConnectionId, Vec<u8>, oneshot::Sender<()>),
    /// A client has disconnected.
    Closed(ConnectionId),
    /// A fault of a connection strikes that concerns the state.
    Ask(ConnectionId, Fault),
    /// A fault is ordered.
    Inject(Target, At, Fault, oneshot::Sender<Result<(), ControlError>>),
    /// Answered with the list of clients.
    List(oneshot::Sender<Vec<Connected>>),
    Announce(String),
    /// Shuts down after that time, announced at once.
    ShutDown(Duration),
}

/// A chess server that runs until it is shut down or dropped.
///
/// ```
/// use kibitzer_server::{Server, ServerOptions};
/// use tokio::io::AsyncReadExt;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let server = Server::start(ServerOptions::new().detached()).await?;
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
    requests: mpsc::Sender<Request>,
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
        let listener = listen(&options).await?;
        let address = listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let (requests, requested) = mpsc::channel(QUEUE_LENGTH);
        let actor = Actor::new(options, requested, requests.downgrade());
        let world = tokio::spawn(actor.run());
        let listener = listener.map(|listener| tokio::spawn(accept(listener, requests.clone())));
        Ok(Self { address, requests, world, listener })
    }

    /// Where the server listens; `None` if it does not.
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Connects from within the process.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: there is a connection or none.
    pub async fn connect(&self) -> io::Result<DuplexStream> {
        self.connector().connect().await
    }

    /// Returns a handle that connects from within the process.
    pub fn connector(&self) -> Connector {
        Connector { requests: self.requests.clone() }
    }

    /// The operator's handle.
    pub fn control(&self) -> Control {
        Control { requests: self.requests.clone() }
    }

    /// Announces the shutdown, closes all connections and waits until all tasks have ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends everything at once.
    pub async fn shutdown(mut self) {
        // An error says that it is over already.
        let _ = self.control().shut_down(Duration::ZERO).await;
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

/// Makes connections to a server from within the process.
#[derive(Clone, Debug)]
pub struct Connector {
    requests: mpsc::Sender<Request>,
}

impl Connector {
    /// Connects.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: there is a connection or none.
    pub async fn connect(&self) -> io::Result<DuplexStream> {
        let (near, far) = tokio::io::duplex(DUPLEX_BYTES);
        let request = Request::Open(Stream::Duplex(far));
        self.requests.send(request).await.map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(near)
    }
}

/// Opens the port that is asked for.
///
/// # Errors
///
/// As [`Server::start`].
///
/// # Cancel safety
///
/// Cancel safe.
async fn listen(options: &ServerOptions) -> io::Result<Option<TcpListener>> {
    let Some(address) = options.address else { return Ok(None) };
    if !address.ip().is_loopback() && !options.is_remote_allowed {
        let why = "the address can be reached from other machines, which has to be allowed";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    TcpListener::bind(address).await.map(Some)
}

/// Hands every connection to the world.
///
/// # Cancel safety
///
/// Dropping the future stops the listening.
async fn accept(listener: TcpListener, requests: mpsc::Sender<Request>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // A connection whose options cannot be set is slow, not broken.
        drop(stream.set_nodelay(true));
        if requests.send(Request::Open(Stream::Tcp(stream))).await.is_err() {
            return;
        }
    }
}
