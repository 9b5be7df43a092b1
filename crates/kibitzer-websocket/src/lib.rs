//! The byte stream of an internet chess server over WebSocket, with TLS.
//!
//! A WebSocket carries messages; a chess server's protocol, its telnet commands and timeseal need a stream of bytes.
//! [`WebSocket`] is that stream: received messages, text or binary, are joined in their order. Written bytes are sent in binary
//! messages: one for each line at the client's end, one for each write at the server's.
//!
//! - [`WebSocketConnector`]: the client's end, used by the feature `websocket` of the crate `kibitzer`.
//! - [`WebSocketListener`]: the server's end, used by `kibitzer serve --websocket`.
//!
//! The two ends in one program:
//!
//! ```
//! use kibitzer_websocket::{WebSocketConnector, WebSocketListener};
//! use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//! use tokio::net::TcpStream;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut listener = WebSocketListener::bind("127.0.0.1:0".parse()?, None).await?;
//! let address = listener.local_addr()?;
//! let connector = WebSocketConnector::new(&format!("ws://{address}"), "", None)?;
//! let connecting = async { connector.connect(TcpStream::connect(address).await?).await };
//! let (mut server, client) = tokio::join!(listener.accept(), connecting);
//! let mut client = client?;
//! server.write_all(b"login: ").await?;
//! server.flush().await?;
//! let mut prompt = [0; 7];
//! client.read_exact(&mut prompt).await?;
//! assert_eq!(&prompt, b"login: ");
//! # Ok(()) }
//! ```

mod ends;
mod stream;
mod transport;

pub use ends::{WebSocketConnector, WebSocketListener};
pub use stream::WebSocket;

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
