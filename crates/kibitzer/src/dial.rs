//! Opening connections: TCP, or a custom transport.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tracing::debug;

use crate::core::event::DialError;

/// Maximum number of addresses of one host that are tried; further ones are ignored.
const MAX_ADDRESSES: usize = 16;

/// The method that opens connections: TCP by default.
///
/// ```
/// use kibitzer::Dial;
///
/// // A server in the same process, one pipe per connection.
/// let dial = Dial::with(|| async {
///     let (client, server) = tokio::io::duplex(4096);
///     # let serve = drop;
///     serve(server);
///     Ok(client)
/// });
/// ```
#[derive(Clone, Default)]
pub struct Dial {
    /// The function that opens connections; `None` for TCP.
    custom: Option<Arc<CustomDial>>,
}

type CustomDial = dyn Fn() -> Pin<Box<dyn Future<Output = io::Result<Socket>> + Send>> + Send + Sync;

impl Dial {
    /// Returns the default: TCP to the host and the ports of the profile.
    pub const fn tcp() -> Self {
        Self { custom: None }
    }

    /// Returns a custom method: the session calls `open` for every connection attempt, and drops its future at the connect
    /// timeout of the profile. Host and ports of the profile are not used.
    pub fn with<F, Fut, S>(open: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = io::Result<S>> + Send + 'static,
        S: AsyncRead + AsyncWrite + Send + Sync + 'static,
    {
        let custom: Arc<CustomDial> = Arc::new(move || {
            let opening = open();
            Box::pin(async move { opening.await.map(|stream| Box::pin(stream) as Socket) })
        });
        Self { custom: Some(custom) }
    }
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.custom.is_some() { "Dial::with(..)" } else { "Dial::tcp()" })
    }
}

/// A connection: TCP or a custom stream.
pub(crate) type Socket = Pin<Box<dyn Stream>>;

/// A stream that can be read and written. A trait object needs one trait for both.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Send + Sync> Stream for S {}

/// The connection settings of a profile.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    pub(crate) dial: Dial,
    pub(crate) host: String,
    /// TCP ports, in the order in which they are tried.
    pub(crate) ports: Vec<u16>,
    /// Timeout of the name lookup, of each TCP connection attempt, and of a custom method.
    pub(crate) connect_timeout: Duration,
    /// Maximum time for which the server may accept no bytes while some are unsent.
    pub(crate) write_timeout: Duration,
}

impl Transport {
    /// Returns the default settings for a host: TCP to port 5000, then 23, on which both FICS and ICC listen, with a connect
    /// timeout of 10 s and a write timeout of 30 s.
    pub(crate) fn new(host: String) -> Self {
        Self {
            dial: Dial::tcp(),
            host,
            ports: vec![5000, 23],
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
        }
    }

    /// Opens a connection, with the custom method if there is one, otherwise over TCP.
    ///
    /// # Errors
    ///
    /// [`DialError`]; the most informative one if several addresses failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub(crate) async fn open(&self) -> Result<Socket, DialError> {
        let Some(open) = &self.dial.custom else { return Ok(Box::pin(self.open_tcp().await?)) };
        let opened = timeout(self.connect_timeout, open()).await.map_err(|_| DialError::TimedOut)?;
        opened.map_err(|error| dial_error(&error))
    }

    /// Connects over TCP: tries every address of the host with the first port, then with the next, and returns the first connection.
    ///
    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`open`](Self::open).
    async fn open_tcp(&self) -> Result<TcpStream, DialError> {
        let addresses = self.resolve().await?;
        // A refusal is more informative than a timeout, so no timeout replaces it.
        let mut outcome = DialError::TimedOut;
        if self.ports.is_empty() {
            outcome = DialError::Failed(io::ErrorKind::InvalidInput);
        }
        for &port in &self.ports {
            for &(mut address) in &addresses {
                address.set_port(port);
                match timeout(self.connect_timeout, connect(address)).await {
                    Ok(Ok(stream)) => return Ok(stream),
                    Ok(Err(error)) => {
                        debug!(%address, %error, "address refused");
                        outcome = dial_error(&error);
                    }
                    Err(_) => debug!(%address, "address did not answer"),
                }
            }
        }
        Err(outcome)
    }

    /// Resolves the host to at most [`MAX_ADDRESSES`] IPv4 and IPv6 addresses, in the system's order.
    ///
    /// # Errors
    ///
    /// [`DialError`] if the lookup fails, takes too long or finds no address.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn resolve(&self) -> Result<Vec<SocketAddr>, DialError> {
        let lookup = timeout(self.connect_timeout, lookup_host((self.host.as_str(), 0))).await;
        let addresses: Vec<_> = match lookup.map_err(|_| DialError::TimedOut)? {
            Ok(found) => found.take(MAX_ADDRESSES).collect(),
            Err(error) => {
                debug!(host = self.host, %error, "host not found");
                // A resolver that cannot open its files reports an unknown host; opening a socket shows the real reason.
                let probe = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| dial_error(&error));
                let reason = probe.err().filter(|reason| *reason == DialError::TooManyFiles);
                return Err(reason.unwrap_or(DialError::UnknownHost));
            }
        };
        if addresses.is_empty() { Err(DialError::UnknownHost) } else { Ok(addresses) }
    }
}

/// Connects and disables Nagle's algorithm: lines are short, and their replies are awaited.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Converts the error of a failed attempt: to [`DialError::TooManyFiles`] if the process or the system may open no more files,
/// otherwise to [`DialError::Failed`].
fn dial_error(error: &io::Error) -> DialError {
    // The standard library has no kind of error for a process or a system that may open no more files.
    #[cfg(unix)]
    if let Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) = rustix::io::Errno::from_io_error(error) {
        return DialError::TooManyFiles;
    }
    DialError::Failed(error.kind())
}
