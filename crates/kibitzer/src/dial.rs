//! Making the connection.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tracing::debug;

use crate::core::event::DialError;
use crate::socket::Socket;

/// Most addresses of one host that are tried.
const MAX_ADDRESSES: usize = 16;

type Opening = Pin<Box<dyn Future<Output = io::Result<Socket>> + Send>>;

/// In which way connections are made: over TCP unless told otherwise.
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
pub struct Dial(Way);

#[derive(Clone, Default)]
enum Way {
    #[default]
    Tcp,
    Custom(Arc<dyn Fn() -> Opening + Send + Sync>),
}

impl Dial {
    /// Over TCP, to the host and the ports of the profile.
    pub const fn tcp() -> Self {
        Self(Way::Tcp)
    }

    /// In a way of your own: `open` is called for every attempt. Host and ports of the profile are not used.
    pub fn with<F, Fut, S>(open: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = io::Result<S>> + Send + 'static,
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Sync + 'static,
    {
        Self(Way::Custom(Arc::new(move || {
            let opening = open();
            Box::pin(async move { opening.await.map(Socket::custom) })
        })))
    }

    /// Opens a connection.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready gives the connection up.
    pub(crate) async fn open(&self, target: &Target) -> Result<Socket, DialError> {
        match &self.0 {
            Way::Tcp => target.open().await.map(Socket::Tcp),
            Way::Custom(open) => timeout(target.timeout, open())
                .await
                .map_err(|_| DialError::TimedOut)?
                .map_err(|error| dial_error(&error)),
        }
    }
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Way::Tcp => "Dial::tcp()",
            Way::Custom(_) => "Dial::with(..)",
        })
    }
}

/// Where a server is, and how long it has to answer.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) host: String,
    /// In the order in which they are tried.
    pub(crate) ports: Vec<u16>,
    /// For the look-up of the name, and for each try.
    pub(crate) timeout: Duration,
}

impl Target {
    /// Tries every address at the first port, then at the next.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready gives the connection up.
    async fn open(&self) -> Result<TcpStream, DialError> {
        let addresses = self.addresses().await?;
        // Somebody who refused says more than nobody who answered.
        let mut outcome = DialError::TimedOut;
        if self.ports.is_empty() {
            outcome = DialError::Failed(io::ErrorKind::InvalidInput);
        }
        for &port in &self.ports {
            for &(mut address) in &addresses {
                address.set_port(port);
                match timeout(self.timeout, connect(address)).await {
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

    /// The addresses of the host, IPv4 and IPv6 in the system's order.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready loses nothing.
    async fn addresses(&self) -> Result<Vec<SocketAddr>, DialError> {
        let found =
            timeout(self.timeout, lookup_host((self.host.as_str(), 0))).await.map_err(|_| DialError::TimedOut)?;
        let addresses: Vec<_> = match found {
            Ok(found) => found.take(MAX_ADDRESSES).collect(),
            Err(error) => {
                debug!(host = self.host, %error, "host not found");
                // A resolver that may not open its files reports an unknown host; a socket shows why.
                let probe = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| dial_error(&error));
                return Err(probe
                    .err()
                    .filter(|why| *why == DialError::TooManyFiles)
                    .unwrap_or(DialError::UnknownHost));
            }
        };
        if addresses.is_empty() { Err(DialError::UnknownHost) } else { Ok(addresses) }
    }
}

/// Opens the socket. Lines are short and wait for their answer, so none is held back to fill a packet.
///
/// # Cancel safety
///
/// Dropping the future before it is ready gives the connection up.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The reason for a failed attempt. The standard library has no kind of error for a process or a system that may open no more
/// files.
fn dial_error(error: &io::Error) -> DialError {
    #[cfg(unix)]
    if let Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) = rustix::io::Errno::from_io_error(error) {
        return DialError::TooManyFiles;
    }
    DialError::Failed(error.kind())
}
