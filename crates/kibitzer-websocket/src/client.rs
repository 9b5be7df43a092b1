//! The client's end of a WebSocket.

use std::io;
use std::path::Path;

use http::HeaderValue;
use http::header::ORIGIN;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_websockets::{ClientBuilder, Limits};

use crate::stream::{LimitedTransport, WebSocket, WrittenMessage, io_error, limited};
use crate::tls;
use crate::url::WebSocketUrl;

/// Maximum size of a received message.
const MAX_RECEIVED_BYTES: usize = 1 << 20;

/// Opens WebSocket connections to one server.
pub struct WebSocketConnector {
    url: WebSocketUrl,
    /// `None`: no `Origin` header.
    origin: Option<HeaderValue>,
    /// `None` without TLS.
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl WebSocketConnector {
    /// Creates the connector of a server.
    ///
    /// `origin` is the value of the `Origin` header; empty: none. With TLS, the server's certificate has to be valid for the host of the URL
    /// and issued by a public authority or one in `ca_file`, in PEM. There is no way to accept other certificates.
    ///
    /// # Errors
    ///
    /// `ca_file` cannot be read or contains no certificate, or `origin` is not a valid header. The message names the file or the value.
    pub fn new(url: &WebSocketUrl, origin: &str, ca_file: Option<&Path>) -> io::Result<Self> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let origin_value = HeaderValue::from_str(origin).map_err(|_| invalid("origin: not a valid header"))?;
        let tls = if url.uses_tls() {
            let name = ServerName::try_from(url.host()).map_err(|_| invalid("url: not a valid host name"))?;
            Some((tls::connector(ca_file)?, name.to_owned()))
        } else {
            None
        };
        Ok(Self { url: url.clone(), origin: (!origin.is_empty()).then_some(origin_value), tls })
    }

    /// Returns the URL of the server.
    pub const fn url(&self) -> &WebSocketUrl {
        &self.url
    }

    /// Performs the handshakes of TLS, if the URL has it, and of the WebSocket. There is no timeout.
    ///
    /// # Errors
    ///
    /// Those of the connection. [`DialError::Tls`](kibitzer_core::event::DialError::Tls) and
    /// [`DialError::HttpStatus`](kibitzer_core::event::DialError::HttpStatus) are inside of an error of kind
    /// [`Other`](io::ErrorKind::Other); [`io::ErrorKind::InvalidData`]: the answer is not that of a WebSocket server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub async fn connect(&self, stream: TcpStream) -> io::Result<WebSocket> {
        match &self.tls {
            Some((connector, name)) => {
                let connected = connector.connect(name.clone(), stream).await;
                self.upgrade(limited(connected.map_err(tls::handshake_error)?)).await
            }
            None => self.upgrade(limited(stream)).await,
        }
    }

    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`connect`](Self::connect).
    async fn upgrade(&self, transport: LimitedTransport) -> io::Result<WebSocket> {
        let limits = Limits::default().max_payload_len(Some(MAX_RECEIVED_BYTES));
        let mut builder = ClientBuilder::from_uri(self.url.uri()).limits(limits);
        if let Some(origin) = &self.origin {
            builder = builder.add_header(ORIGIN, origin.clone()).map_err(io_error)?;
        }
        let (messages, _) = builder.connect_on(transport).await.map_err(io_error)?;
        Ok(WebSocket::new(messages, WrittenMessage::Line))
    }
}

impl std::fmt::Debug for WebSocketConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebSocketConnector")
            .field("url", &self.url)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
