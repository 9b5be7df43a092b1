//! Publishes the events of sessions on internet chess servers to NATS JetStream, and reads them.
//!
//! - [`EventStream`]: a connection to the stream, which contains the events of all sessions.
//! - [`Publisher`]: stores the events of a session, each once and in order, whichever of publisher, server and link fails.
//! - [`StreamReader`]: reads stored events, selected by a [`SubjectFilter`].
//!
//! An event is the JSON line that `kibitzer decode` prints, unchanged, on the subject
//! `kibitzer.v1.<session>.<class>[.<game>].<event>`;
//! `docs/scale.md` of the project describes the format.

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
