//! The server's end of WebSocket connections.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_websockets::{Limits, ServerBuilder};

use crate::stream::{MessageUnit, WebSocket, io_error};
use crate::tls;
use crate::transport::limited;

/// Maximum size of a received message.
const MAX_RECEIVED_BYTES: usize = 64 << 10;

/// Maximum number of handshakes at a time; further connections wait until one is over.
const MAX_HANDSHAKES: usize = 64;

/// Maximum time of the handshakes of one connection.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after a connection could not be accepted, as the process may be out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts WebSocket connections on a TCP port.
pub struct WebSocketListener {
    listener: TcpListener,
    /// `None` without TLS.
    tls: Option<TlsAcceptor>,
    handshakes: JoinSet<io::Result<WebSocket>>,
}

impl WebSocketListener {
    /// Listens on an address: with TLS (`wss`) if the files of a certificate chain and of its private key, both in PEM, are
    /// given, otherwise without (`ws`).
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or a file is not valid. In the second case the message names the file.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn bind(address: SocketAddr, certificate_and_key: Option<(&Path, &Path)>) -> io::Result<Self> {
        let tls = certificate_and_key.map(|(certificate, key)| tls::acceptor(certificate, key)).transpose()?;
        Ok(Self { listener: TcpListener::bind(address).await?, tls, handshakes: JoinSet::new() })
    }

    /// Returns the address on which it listens.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits for the next client whose handshakes are complete. Performs up to 64 handshakes at a time; connections whose
    /// handshakes fail or take longer than 10 s are closed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: handshakes that have begun continue.
    pub async fn accept(&mut self) -> WebSocket {
        loop {
            tokio::select! {
                Some(finished) = self.handshakes.join_next() => {
                    if let Ok(Ok(stream)) = finished {
                        return stream;
                    }
                }
                accepted = self.listener.accept(), if self.handshakes.len() < MAX_HANDSHAKES => {
                    let Ok((stream, _)) = accepted else {
                        sleep(ACCEPT_PAUSE).await;
                        continue;
                    };
                    let handshake = timeout(HANDSHAKE_TIMEOUT, handshake(stream, self.tls.clone()));
                    self.handshakes.spawn(async { handshake.await? });
                }
            }
        }
    }
}

/// Performs the handshakes of TLS and of the WebSocket.
///
/// # Errors
///
/// Those of the connection, or the client's request is invalid.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
async fn handshake(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<WebSocket> {
    stream.set_nodelay(true)?;
    let transport = match tls {
        Some(acceptor) => limited(acceptor.accept(stream).await?),
        None => limited(stream),
    };
    let limits = Limits::default().max_payload_len(Some(MAX_RECEIVED_BYTES));
    let (_, messages) = ServerBuilder::new().limits(limits).accept(transport).await.map_err(io_error)?;
    Ok(WebSocket::new(messages, MessageUnit::Write))
}

impl fmt::Debug for WebSocketListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketListener").field("listener", &self.listener).finish_non_exhaustive()
    }
}
