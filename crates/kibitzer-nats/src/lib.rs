//! Publishes the events of sessions on internet chess servers to NATS JetStream, and reads them.
//!
//! - [`EventStream`]: a connection to the stream, which contains the events of all sessions.
//! - [`Publisher`]: stores the events of a session, each once and in order, whichever of publisher, server and link fails.
//! - [`StreamReader`]: reads stored events, selected by a [`SubjectFilter`].
//!
//! An event is the JSON line that `kibitzer decode` prints, unchanged, on the subject
//! `kibitzer.v1.<session>.<class>[.<game>].<event>`.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use kibitzer_nats::{EventStream, PublishOptions, Publisher, ReadFrom, SessionName, StreamOptions, StreamReader, SubjectFilter};
//!
//! # async fn run(lines: Vec<String>) -> Result<(), Box<dyn std::error::Error>> {
//! let stream = EventStream::open_or_create(&StreamOptions::new("nats://localhost:4222")).await?;
//!
//! let session = SessionName::new("fics-1")?;
//! let mut publisher = Publisher::start(stream.clone(), session.clone(), PublishOptions::live()).await?;
//! for line in lines {
//!     publisher.push(line.into()).await?;
//! }
//! publisher.finish(Duration::from_secs(10)).await?;
//!
//! // All stored boards of the session.
//! let mut boards = SubjectFilter::default();
//! boards.session = Some(session);
//! boards.kinds.insert("position".parse()?);
//! let mut reader = StreamReader::open(&stream, &boards, ReadFrom::First).await?;
//! while let Some(stored) = reader.recv_stored().await? {
//!     println!("{}: {}", stored.position, String::from_utf8_lossy(&stored.line));
//! }
//! # Ok(())
//! # }
//! ```

mod error;
mod event;
mod publisher;
mod queue;
mod reader;
mod spill;
mod stream;
mod subject;

pub use error::NatsError;
pub use event::{Position, StoredEvent};
pub use publisher::{PublishOptions, Publisher};
pub use queue::WhenUnreachable;
pub use reader::{ReadFrom, StreamReader};
pub use stream::{DEFAULT_STREAM, EventStream, StreamOptions};
pub use subject::{SessionName, SubjectFilter};

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
