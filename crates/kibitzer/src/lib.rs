//! A client library for internet chess servers (FICS, ICC and their relatives).
//!
//! - [`core`]: the protocol and the game state, without I/O.
//! - [`connect`]: a live connection. What the server says goes to the subscribers of a [`hub`](core::hub).
//! - [`EventDecoder`]: bytes to events, for a transport of your own.
//! - [`transcript`]: recorded sessions.
//!
//! A guest who greets whoever talks to him, until the server hangs up:
//!
//! ```
//! # use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! # let (host, port) = ("127.0.0.1", listener.local_addr()?.port());
//! # let server = tokio::spawn(async move {
//! #     let mut socket = BufReader::new(listener.accept().await?.0);
//! #     socket.write_all(b"login: \n\rNewton tells you: hello\n\r").await?;
//! #     let (mut login, mut greeting) = (String::new(), String::new());
//! #     socket.read_line(&mut login).await?;
//! #     socket.read_line(&mut greeting).await?;
//! #     Ok::<_, std::io::Error>((login, greeting))
//! # });
//! use kibitzer::ConnectOptions;
//! use kibitzer::core::hub::{HubOptions, Publisher};
//! use kibitzer::core::message::{Message, TalkKind};
//!
//! let publisher = Publisher::new(HubOptions::default());
//! let mut subscription = publisher.hub().subscribe_lossless(64);
//! let (mut lines, reading) = kibitzer::connect(&ConnectOptions::new(host, port), publisher).await?;
//! lines.send("guest").await?;
//! while let Ok(event) = subscription.next().await {
//!     if let Some(Message::Talk(talk)) = event.message()
//!         && talk.kind == TalkKind::Tell
//!         && let Some(from) = &talk.from
//!     {
//!         lines.send(&format!("tell {from} welcome")).await?;
//!     }
//! }
//! reading.ended().await?;
//! # assert_eq!(server.await??, ("guest\n".to_owned(), "tell Newton welcome\n".to_owned()));
//! # Ok(())
//! # }
//! ```

mod connection;
mod decoder;
mod dial;
mod options;
mod outgoing;
mod password;
mod profile;
mod socket;
pub mod transcript;
mod writer;

pub use connection::{ConnectError, ConnectionLost, ReadTask, connect};
pub use decoder::EventDecoder;
pub use dial::Dial;
pub use kibitzer_core as core;
pub use options::ConnectOptions;
pub use outgoing::{LineError, MAX_LINE_BYTES};
pub use password::{PasswordSource, SecretError};
pub use profile::{ConfigError, Profile};
pub use writer::{LineWriter, SendError};

/// Builds the README's program with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
