//! The client's end of a WebSocket.

use std::fmt;
use std::io;
use std::path::Path;

use http::header::ORIGIN;
use http::{HeaderValue, Uri};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_websockets::{ClientBuilder, Limits};

use crate::stream::{MessageUnit, WebSocket, io_error};
use crate::tls;
use crate::transport::limited;

/// Maximum size of a received message.
const MAX_RECEIVED_BYTES: usize = 1 << 20;

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
                Some((tls::connector(ca_file)?, name.to_owned()))
            }
            _ => return Err(invalid("url: must begin with ws:// or wss://")),
        };
        Ok(Self { uri, origin: (!origin.is_empty()).then_some(origin_value), tls })
    }

    /// Performs the TLS handshake, for a `wss` URL, and the WebSocket handshake on a new TCP connection. There is no timeout.
    ///
    /// # Errors
    ///
    /// The error contains a [`DialError`](kibitzer_core::event::DialError) if TLS failed, or if the server refused the handshake
    /// of the WebSocket or answered it incorrectly; otherwise it is an error of the connection.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub async fn connect(&self, stream: TcpStream) -> io::Result<WebSocket> {
        let transport = match &self.tls {
            Some((connector, name)) => {
                let connected = connector.connect(name.clone(), stream).await;
                limited(connected.map_err(tls::to_dial_error)?)
            }
            None => limited(stream),
        };
        let limits = Limits::default().max_payload_len(Some(MAX_RECEIVED_BYTES));
        let mut builder = ClientBuilder::from_uri(self.uri.clone()).limits(limits);
        if let Some(origin) = &self.origin {
            builder = builder.add_header(ORIGIN, origin.clone()).map_err(io_error)?;
        }
        let (messages, _) = builder.connect_on(transport).await.map_err(io_error)?;
        Ok(WebSocket::new(messages, MessageUnit::Line))
    }
}

impl fmt::Debug for WebSocketConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketConnector").field("uri", &self.uri).finish_non_exhaustive()
    }
}
