//! The two ends of a WebSocket, with the handshakes that open it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::header::ORIGIN;
use http::{HeaderValue, Uri};
use kibitzer_core::event::DialError;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tokio_websockets::{ClientBuilder, Limits, ServerBuilder};

use crate::stream::{MessageUnit, WebSocket, dial_error, io_error};
use crate::transport::limited;

/// Maximum size of a message from a server.
const MAX_SERVER_MESSAGE_BYTES: usize = 1 << 20;

/// Opens WebSocket connections to one server.
pub struct WebSocketConnector {
    uri: Uri,
    /// `None`: no `Origin` header.
    origin: Option<HeaderValue>,
    /// `None` without TLS.
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl WebSocketConnector {
    /// Creates the connector of a server: `ws://HOST[:PORT][/PATH]`, or `wss://` for TLS.
    ///
    /// `origin` is the value of the `Origin` header; empty: none. With TLS, the server's certificate has to be valid for the host
    /// of the URL, and issued by a public authority or by one whose certificate is in the PEM file `ca_file`. There is no way to
    /// accept other certificates.
    ///
    /// # Errors
    ///
    /// `ca_file` cannot be read or contains no certificate, or `url` or `origin` is not valid. The message names the file or the
    /// parameter.
    pub fn new(url: &str, origin: &str, ca_file: Option<&Path>) -> io::Result<Self> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let uri: Uri = url.parse().map_err(|_| invalid("url: not valid"))?;
        let origin_value = HeaderValue::from_str(origin).map_err(|_| invalid("origin: not a valid header"))?;
        let tls = match uri.scheme_str() {
            Some("ws") => None,
            Some("wss") => {
                let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
                let name = ServerName::try_from(host).map_err(|_| invalid("url: not a valid host name"))?;
                Some((connector(ca_file)?, name.to_owned()))
            }
            _ => return Err(invalid("url: must begin with ws:// or wss://")),
        };
        Ok(Self { uri, origin: (!origin.is_empty()).then_some(origin_value), tls })
    }

    /// Performs the TLS handshake, for a `wss` URL, and the WebSocket handshake on a new TCP connection. There is no timeout.
    ///
    /// # Errors
    ///
    /// TLS failed, the server refused the handshake of the WebSocket or answered it incorrectly, or the connection failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub async fn connect(&self, stream: TcpStream) -> Result<WebSocket, DialError> {
        let transport = match &self.tls {
            Some((connector, name)) => {
                let connected = connector.connect(name.clone(), stream).await;
                limited(connected.map_err(tls_error)?)
            }
            None => limited(stream),
        };
        let limits = Limits::default().max_payload_len(Some(MAX_SERVER_MESSAGE_BYTES));
        let mut builder = ClientBuilder::from_uri(self.uri.clone()).limits(limits);
        if let Some(origin) = &self.origin {
            builder = builder.add_header(ORIGIN, origin.clone()).map_err(dial_error)?;
        }
        let (messages, _) = builder.connect_on(transport).await.map_err(dial_error)?;
        Ok(WebSocket::new(messages, MessageUnit::Line))
    }
}

impl fmt::Debug for WebSocketConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketConnector").field("uri", &self.uri).finish_non_exhaustive()
    }
}

/// Maximum size of a message from a client.
const MAX_CLIENT_MESSAGE_BYTES: usize = 64 << 10;

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
        let tls = certificate_and_key.map(|(certificate, key)| acceptor(certificate, key)).transpose()?;
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
    let limits = Limits::default().max_payload_len(Some(MAX_CLIENT_MESSAGE_BYTES));
    let (_, messages) = ServerBuilder::new().limits(limits).accept(transport).await.map_err(io_error)?;
    Ok(WebSocket::new(messages, MessageUnit::Write))
}

impl fmt::Debug for WebSocketListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketListener").field("listener", &self.listener).finish_non_exhaustive()
    }
}

/// Maximum size of a file with certificates or a key.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns a connector that accepts the certificates of public authorities and of those in `ca_file`, in PEM.
///
/// # Errors
///
/// The file cannot be read, or contains no certificate.
fn connector(ca_file: Option<&Path>) -> io::Result<TlsConnector> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = ca_file {
        for certificate in read_certificates(path)? {
            roots.add(certificate).map_err(|error| invalid_file(path, &error))?;
        }
    }
    // The provider is named, as another crate of the program may enable a second one, which would leave no default.
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config).into())
}

/// Returns an acceptor with the certificate chain and the private key in these files, in PEM.
///
/// # Errors
///
/// A file cannot be read, or contains no certificate or key; or the two do not match.
fn acceptor(certificate_file: &Path, key_file: &Path) -> io::Result<TlsAcceptor> {
    let chain = read_certificates(certificate_file)?;
    let key =
        PrivateKeyDer::from_pem_slice(&read_limited(key_file)?).map_err(|error| invalid_file(key_file, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| invalid_file(key_file, &error))?;
    Ok(Arc::new(config).into())
}

/// Reads the certificates of a PEM file; at least one.
fn read_certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read_limited(path)?).collect();
    match found {
        Ok(certificates) if certificates.is_empty() => Err(invalid_file(path, &"no certificate in PEM format")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(invalid_file(path, &error)),
    }
}

/// Reads a file, which must be shorter than [`MAX_FILE_BYTES`]. An error names the file.
fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let n_read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut content));
    match n_read {
        Ok(n_read) if n_read as u64 == MAX_FILE_BYTES => Err(invalid_file(path, &"too long")),
        Ok(_) => Ok(content),
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

/// Returns an error that names the file and the reason.
fn invalid_file(path: &Path, reason: &dyn fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {reason}", path.display()))
}

/// Converts the error of a client's TLS handshake.
fn tls_error(error: io::Error) -> DialError {
    let Some(reason) = error.get_ref().and_then(|inner| inner.downcast_ref()) else { return error.into() };
    let Error::InvalidCertificate(reason) = reason else { return DialError::TlsHandshake };
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => DialError::CertificateExpired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            DialError::CertificateNotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            DialError::CertificateOfOtherHost
        }
        CertificateError::UnknownIssuer => DialError::UnknownCertificateIssuer,
        _ => DialError::InvalidCertificate,
    }
}
