//! Reads stored events.

use std::fmt;
use std::time::SystemTime;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use futures_util::StreamExt as _;
use kibitzer_core::text::error_chain;

use crate::stored_event::StoredEvent;
use crate::subject::SubjectFilter;
use crate::{EventStream, NatsError};

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// The first event to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a stream is ordered by number and by time")]
pub enum ReadFrom {
    /// The oldest event in the stream.
    First,
    /// The first event that is stored from now on.
    Now,
    /// The first event that was stored at this time or later.
    Time(SystemTime),
}

/// Reads the events of a stream, in order and each once, also over lost connections and restarts of the server.
pub struct EventReader {
    stream: String,
    messages: Ordered,
    /// Events before this number, and before this time, are skipped.
    start: (u64, Option<SystemTime>),
    n_pending: u64,
}

impl EventReader {
    /// Starts to read the selected events.
    ///
    /// # Errors
    ///
    /// [`NatsError::Stream`] if the server does not answer or refuses.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the server removes the reader after half a minute.
    pub async fn open(stream: &EventStream, filter: &SubjectFilter, from: ReadFrom) -> Result<Self, NatsError> {
        let failed = |error: &(dyn std::error::Error + 'static)| stream.error(error_chain(error));
        let (deliver_policy, start) = match from {
            ReadFrom::First => (DeliverPolicy::All, (0, None)),
            ReadFrom::Now => {
                let next = stream.last_sequence().await.map_err(|reason| stream.error(reason))? + 1;
                (DeliverPolicy::ByStartSequence { start_sequence: next }, (next, None))
            }
            ReadFrom::Time(time) => (DeliverPolicy::ByStartTime { start_time: time.into() }, (0, Some(time))),
        };
        let config = OrderedConfig { filter_subjects: filter.subjects(), deliver_policy, ..OrderedConfig::default() };
        let consumer = stream.stream.create_consumer(config).await.map_err(|error| failed(&error))?;
        let n_pending = consumer.cached_info().num_pending;
        let messages = consumer.messages().await.map_err(|error| failed(&error))?;
        Ok(Self { stream: stream.name.clone(), messages, start, n_pending })
    }

    /// Returns the number of stored events that were not read yet, as of the last event.
    pub const fn n_pending(&self) -> u64 {
        self.n_pending
    }

    /// Waits for the next event.
    ///
    /// # Errors
    ///
    /// [`NatsError::Message`] for a message that is not an event; the next call continues after it. [`NatsError::Stream`] if the server
    /// refuses to continue.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the event is returned by the next call.
    pub async fn next(&mut self) -> Result<StoredEvent, NatsError> {
        let failed = |reason| NatsError::Stream { stream: self.stream.clone(), reason };
        loop {
            let message = match self.messages.next().await {
                Some(Ok(message)) => message,
                Some(Err(error)) => return Err(failed(error_chain(&error))),
                None => return Err(failed("the server ended the subscription".to_owned())),
            };
            let info = message.info().map_err(|error| failed(error.to_string()))?;
            let (sequence, published) = (info.stream_sequence, SystemTime::from(info.published));
            self.n_pending = info.pending;
            // Before the first message the client resumes at the beginning of the stream.
            if sequence >= self.start.0 && self.start.1.is_none_or(|time| published >= time) {
                let message = message.message;
                let event = StoredEvent::new(&message.subject, sequence, message.headers.as_ref(), message.payload);
                return event.map_err(|reason| NatsError::Message { stream: self.stream.clone(), reason });
            }
        }
    }
}
