//! Opening connections: TCP, WebSocket, or a custom transport.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(feature = "websocket")]
use kibitzer_websocket::WebSocketConnector;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, sleep, timeout};
use tracing::debug;

use crate::address::WebSocketSettings;
use kibitzer_core::event::DialError;

/// Maximum number of addresses of one host that are tried; further ones are ignored.
const MAX_ADDRESSES: usize = 16;

/// Part of the connect timeout, at most, after which a silent server is connected to again.
const PAUSES_PER_TIMEOUT: u32 = 5;

/// Number of connect timeouts for which a silent server is connected to again.
const SILENT_TIMEOUTS: u32 = 3;

/// The method that opens connections. The default is WebSocket to the URL of the profile if it has one, otherwise TCP to its host
/// and ports.
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
    /// The function that opens connections; `None` for TCP and WebSocket.
    custom: Option<Arc<CustomDial>>,
}

type CustomDial = dyn Fn() -> Pin<Box<dyn Future<Output = io::Result<Socket>> + Send>> + Send + Sync;

impl Dial {
    /// Returns a custom method: the session calls `open` for every connection attempt, and drops its future at the connect
    /// timeout of the profile. Host, ports and URL of the profile are not used.
    ///
    /// An [`io::Error`] of `open` or of the stream may contain the exact failure, which is then reported:
    /// `io::Error::other(DialError::TimedOut)` of `open`, a [`CloseCause`](kibitzer_core::event::CloseCause) of the stream.
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
        f.write_str(if self.custom.is_some() { "Dial::with(..)" } else { "Dial::default()" })
    }
}

/// A connection: TCP, WebSocket or a custom stream.
pub(crate) type Socket = Pin<Box<dyn ByteStream>>;

/// A stream that can be read and written. A trait object needs one trait for both.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Send + Sync> ByteStream for S {}

/// Opens the connections of a session, by its settings.
#[derive(Clone, Debug)]
pub(crate) struct Dialer {
    pub(crate) dial: Dial,
    pub(crate) host: String,
    /// TCP ports, in the order in which they are tried.
    pub(crate) ports: Vec<u16>,
    /// Performs the handshakes of a WebSocket; `None` for TCP, and until [`prepare_websocket`](Self::prepare_websocket).
    #[cfg(feature = "websocket")]
    connector: Option<Arc<WebSocketConnector>>,
    /// Timeout of the name lookup, of each connection attempt with all its handshakes, and of a custom method.
    pub(crate) connect_timeout: Duration,
    /// Maximum time for which the server may accept no bytes while some are unsent.
    pub(crate) write_timeout: Duration,
}

impl Dialer {
    /// Returns the default settings for a host: TCP to port 5000, then 23, on which both FICS and ICC listen, with a connect
    /// timeout of 10 s and a write timeout of 30 s.
    pub(crate) fn new(host: String) -> Self {
        Self {
            dial: Dial::default(),
            host,
            ports: vec![5000, 23],
            #[cfg(feature = "websocket")]
            connector: None,
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
        }
    }

    /// Prepares connections to the URL, if there is one and no custom method: reads the file of certificates, and sets host and
    /// port.
    ///
    /// # Errors
    ///
    /// The file or a setting is not valid, or the feature `websocket` is off. The message names the file, setting or feature.
    pub(crate) fn prepare_websocket(&mut self, settings: &WebSocketSettings) -> io::Result<()> {
        let Some(url) = settings.url.as_ref().filter(|_| self.dial.custom.is_none()) else { return Ok(()) };
        #[cfg(not(feature = "websocket"))]
        {
            let reason = format!("{url} needs the feature `websocket` of the crate `kibitzer`, which is off");
            Err(io::Error::new(io::ErrorKind::Unsupported, reason))
        }
        #[cfg(feature = "websocket")]
        {
            let connector = WebSocketConnector::new(&url.to_string(), &settings.origin, settings.ca_file.as_deref())?;
            self.connector = Some(Arc::new(connector));
            self.host.clone_from(&url.host);
            self.ports = vec![url.port];
            Ok(())
        }
    }

    /// Opens a connection, with the custom method if there is one, otherwise over TCP or, after
    /// [`prepare_websocket`](Self::prepare_websocket) with a URL, WebSocket.
    ///
    /// # Errors
    ///
    /// [`DialError`]; if several addresses failed, that of the last one that did not time out.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub(crate) async fn open(&self) -> Result<Socket, DialError> {
        let Some(open) = &self.dial.custom else { return self.open_first_address().await };
        Ok(timeout(self.connect_timeout, open()).await.map_err(|_| DialError::TimedOut)??)
    }

    /// Resolves the host, tries every address with the first port, then with the next one, and returns the first connection.
    ///
    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`open`](Self::open).
    async fn open_first_address(&self) -> Result<Socket, DialError> {
        let addresses = self.resolve().await?;
        // A refusal is more informative than a timeout, so no timeout replaces it.
        let mut outcome = DialError::TimedOut;
        if self.ports.is_empty() {
            outcome = DialError::Failed(io::ErrorKind::InvalidInput);
        }
        for &port in &self.ports {
            for &(mut address) in &addresses {
                address.set_port(port);
                match self.connect_until_heard(address).await {
                    Some(Ok(stream)) => return Ok(stream),
                    Some(Err(error)) => {
                        debug!(%address, %error, "address refused");
                        outcome = error;
                    }
                    None => debug!(%address, "address did not answer"),
                }
            }
        }
        Err(outcome)
    }

    /// Connects to an address. While the server is silent, connects again and again beside the first connection, after random
    /// times, and returns the first connection on which the server sends something; after [`SILENT_TIMEOUTS`] connect timeouts, the
    /// first one of all. `None` if no connection is made within the connect timeout, or the first one is not made in that time.
    ///
    /// A system whose queue of new connections is full drops some of them, or completes them without telling the server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connections.
    async fn connect_until_heard(&self, address: SocketAddr) -> Option<Result<Socket, DialError>> {
        let is_connected = AtomicBool::new(false);
        let no_connection_in_time = async {
            sleep(self.connect_timeout).await;
            if is_connected.load(Ordering::Relaxed) {
                // That connection may have been given up since, while the first one was never made.
                sleep(self.connect_timeout.saturating_mul(SILENT_TIMEOUTS)).await;
            }
        };
        tokio::select! {
            biased;
            connected = self.connect_repeatedly(address, &is_connected) => Some(connected),
            () = no_connection_in_time => None,
        }
    }

    /// Connects as [`connect_until_heard`](Self::connect_until_heard) does, without the connect timeout. Sets `is_connected` once
    /// there is a connection.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connections.
    async fn connect_repeatedly(&self, address: SocketAddr, is_connected: &AtomicBool) -> Result<Socket, DialError> {
        let started = Instant::now();
        // Sessions that were started together must not connect again together.
        let longest = self.connect_timeout / PAUSES_PER_TIMEOUT;
        let pause = || longest / 2 + longest / 128 * u32::from(random_seed().to_le_bytes()[0] & 63);
        let mut first = pin!(self.connect(address, started, is_connected));
        if let Ok(connected) = timeout(pause(), &mut first).await {
            return connected;
        }
        loop {
            tokio::select! {
                biased;
                connected = &mut first => return connected,
                again = timeout(pause(), self.connect(address, started, is_connected)) => {
                    if let Ok(connected) = again {
                        return connected;
                    }
                }
            }
        }
    }

    /// Connects over TCP, and performs the handshakes of a WebSocket if one is prepared, or waits until the server sends something
    /// or [`SILENT_TIMEOUTS`] connect timeouts since `started` are over; sets `is_connected` meanwhile. Disables Nagle's algorithm:
    /// lines are short, and their replies are awaited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    async fn connect(
        &self,
        address: SocketAddr,
        started: Instant,
        is_connected: &AtomicBool,
    ) -> Result<Socket, DialError> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        #[cfg(feature = "websocket")]
        if let Some(connector) = &self.connector {
            return Ok(Box::pin(connector.connect(stream).await?));
        }
        is_connected.store(true, Ordering::Relaxed);
        let limit = self.connect_timeout.saturating_mul(SILENT_TIMEOUTS);
        let _ = timeout(limit.saturating_sub(started.elapsed()), stream.peek(&mut [0])).await;
        Ok(Box::pin(stream))
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
                let probe = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(DialError::from);
                let reason = probe.err().filter(|reason| *reason == DialError::TooManyFiles);
                return Err(reason.unwrap_or(DialError::UnknownHost));
            }
        };
        if addresses.is_empty() { Err(DialError::UnknownHost) } else { Ok(addresses) }
    }
}

/// Returns a random number that other programs cannot predict.
pub(crate) fn random_seed() -> u64 {
    // The standard library seeds the keys of its hash maps from the system; a crate for random numbers would add a dependency
    // for this one number.
    RandomState::new().hash_one(())
}
