//! Publishes the events of sessions on internet chess servers to NATS JetStream, and reads them.
//!
//! - [`EventStream`]: a connection to the stream, which contains the events of all sessions.
//! - [`Publisher`]: stores the events of a session, each once and in order, whichever of publisher, server and link fails.
//! - [`EventReader`]: reads stored events, selected by a [`SubjectFilter`].
//!
//! An event is the JSON line that `kibitzer decode` prints, unchanged, on the subject
//! `kibitzer.v1.<session>.<class>[.<game>].<event>`;
//! `docs/scale.md` of the project describes the format.

mod connection;
mod error;
mod event_head;
mod position;
mod publisher;
mod queue;
mod queued_event;
mod reader;
mod sender;
mod spill;
mod stored_event;
mod stream;
mod subject;

pub use error::NatsError;
pub use position::Position;
pub use publisher::{PublishOptions, Publisher};
pub use queue::WhenUnreachable;
pub use reader::{EventReader, ReadFrom};
pub use stored_event::StoredEvent;
pub use stream::{DEFAULT_STREAM, EventStream, StreamOptions};
pub use subject::{SessionName, SubjectFilter};
