//! Reads stored events.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::stream::ConsumerErrorKind;
use futures_util::stream::{Stream, StreamExt as _, unfold};
use kibitzer_core::text::error_chain;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::NatsError;
use crate::event::StoredEvent;
use crate::stream::{EventStream, StreamFailure};
use crate::subject::SubjectFilter;

/// Pause between attempts to continue after a failure.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// Time after which the server removes the consumer of a reader that is gone.
const INACTIVE_THRESHOLD: Duration = Duration::from_mins(1);

/// The first event to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadFrom {
    /// The oldest event in the stream.
    First,
    /// The first event that is stored from now on.
    Now,
    /// The event with this number in the stream, or the next one that there is.
    Sequence(u64),
    /// The first event that was stored at this time or later.
    Time(SystemTime),
}

/// Reads the events of a stream, in order and each once, also over lost connections and restarts of the server.
pub struct StreamReader {
    name: String,
    /// The results of [`Cursor::recv`], without an end.
    results: Pin<Box<dyn Stream<Item = CursorResult> + Send + Sync>>,
    place: Place,
    /// Number of the last event in the stream, of any session, when the reader was opened.
    end: u64,
    /// Whether [`next`](StreamReader::next) has returned an error after which it ends.
    has_failed: bool,
}

/// A result of a cursor, and its place after it.
type CursorResult = (Result<StoredEvent, NatsError>, Place);

/// Place in a stream.
#[derive(Clone, Copy)]
struct Place {
    /// Start of the next consumer: after the last event that was read.
    start: DeliverPolicy,
    /// Number of selected events after the last one that was read.
    n_pending: u64,
}

/// Reads the events of a reader.
struct Cursor {
    stream: EventStream,
    subjects: Vec<String>,
    place: Place,
    /// `None` after a failure.
    consumer: Option<Consumer>,
}

/// A consumer of the server, which sends every message to this reader once. It is abandoned after a lost connection.
struct Consumer {
    messages: pull::Stream,
    n_received: u64,
    /// Changes when the connection is lost.
    n_lost: watch::Receiver<u64>,
}

impl StreamReader {
    /// Starts to read the selected events.
    ///
    /// # Errors
    ///
    /// [`NatsError::Stream`] if the server does not answer or refuses.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the server removes the reader after a minute.
    pub async fn open(stream: &EventStream, filter: &SubjectFilter, from: ReadFrom) -> Result<Self, NatsError> {
        let end = stream.last_sequence().await.map_err(|failure| stream.stream_error(&failure))?;
        let start = match from {
            ReadFrom::First => DeliverPolicy::All,
            ReadFrom::Now => DeliverPolicy::ByStartSequence { start_sequence: end + 1 },
            ReadFrom::Sequence(start_sequence) => DeliverPolicy::ByStartSequence { start_sequence },
            ReadFrom::Time(time) => DeliverPolicy::ByStartTime { start_time: time.into() },
        };
        let place = Place { start, n_pending: 0 };
        let mut cursor = Cursor { stream: stream.clone(), subjects: filter.subjects(), place, consumer: None };
        let created = cursor.create_consumer().await;
        cursor.consumer = Some(created.map_err(|failure| stream.stream_error(&failure))?);
        let (name, place) = (stream.name().to_owned(), cursor.place);
        let results = Box::pin(unfold(cursor, async |mut cursor| {
            let result = cursor.recv().await;
            Some(((result, cursor.place), cursor))
        }));
        Ok(Self { name, results, place, end, has_failed: false })
    }

    /// Returns the number of selected events after the last one that was read, as the server counted them when it sent that one.
    /// Before the first read, as counted when the reader was opened.
    pub const fn n_pending(&self) -> u64 {
        self.place.n_pending
    }

    /// Returns the next of the events that were stored when the reader was opened; `None` after the last one, even if the stream
    /// grows.
    ///
    /// `None` may consume a newer event, which [`recv`](Self::recv) then skips.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancel safety
    ///
    /// As [`recv`](Self::recv).
    pub async fn recv_stored(&mut self) -> Result<Option<StoredEvent>, NatsError> {
        let is_at_end =
            matches!(self.place.start, DeliverPolicy::ByStartSequence { start_sequence } if start_sequence > self.end);
        if is_at_end || self.place.n_pending == 0 {
            return Ok(None);
        }
        self.recv().await.map(|event| (event.sequence <= self.end).then_some(event))
    }

    /// Waits for the next event, without a time limit. Reconnects after a lost connection, as often as necessary.
    ///
    /// # Errors
    ///
    /// [`NatsError::Message`] for a message that is not an event; the next call continues after it. [`NatsError::Stream`] if the
    /// server refuses to continue, such as without the stream, or if the stream is another one than before.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the event is returned by the next call.
    pub async fn recv(&mut self) -> Result<StoredEvent, NatsError> {
        poll_fn(|context| self.poll_recv(context)).await
    }

    /// Waits for the next result of [`recv`](Self::recv); `None` after an error other than [`NatsError::Message`].
    ///
    /// # Cancel safety
    ///
    /// As [`recv`](Self::recv).
    pub async fn next(&mut self) -> Option<Result<StoredEvent, NatsError>> {
        poll_fn(|context| self.poll_next_result(context)).await
    }

    /// Polls for what [`next`](Self::next) returns.
    fn poll_next_result(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<StoredEvent, NatsError>>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        let result = ready!(self.poll_recv(context));
        self.has_failed = result.as_ref().is_err_and(|error| !matches!(error, NatsError::Message { .. }));
        Poll::Ready(Some(result))
    }

    /// Polls for the result of [`recv`](Self::recv). If nothing is available, registers the waker of `context`; only the latest one
    /// is woken.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Result<StoredEvent, NatsError>> {
        match ready!(self.results.poll_next_unpin(context)) {
            Some((result, place)) => {
                self.place = place;
                Poll::Ready(result)
            }
            // The results have no end.
            None => Poll::Pending,
        }
    }
}

/// The results of [`next`](StreamReader::next).
#[cfg(feature = "stream")]
impl Stream for StreamReader {
    type Item = Result<StoredEvent, NatsError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_next_result(context)
    }
}

impl Cursor {
    /// Waits for the next event, as [`StreamReader::recv`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn recv(&mut self) -> Result<StoredEvent, NatsError> {
        loop {
            let Some(consumer) = &mut self.consumer else {
                match self.create_consumer().await {
                    Ok(consumer) => self.consumer = Some(consumer),
                    Err(failure @ (StreamFailure::Missing(_) | StreamFailure::Restored)) => {
                        return Err(self.stream.stream_error(&failure));
                    }
                    Err(_) => sleep(RETRY_PAUSE).await,
                }
                continue;
            };
            let received = tokio::select! {
                biased;
                message = consumer.messages.next() => message,
                _ = consumer.n_lost.changed() => None,
            };
            let Some(Ok(message)) = received else {
                self.consumer = None;
                continue;
            };
            let info =
                message.info().map_err(|error| self.stream.stream_error(&StreamFailure::Other(error.to_string())))?;
            // A message that was under way when the connection was lost is missing.
            if info.consumer_sequence != consumer.n_received + 1 {
                self.consumer = None;
                continue;
            }
            let sequence = info.stream_sequence;
            consumer.n_received = info.consumer_sequence;
            let start = DeliverPolicy::ByStartSequence { start_sequence: sequence + 1 };
            self.place = Place { start, n_pending: info.pending };
            let message = message.message;
            let event =
                StoredEvent::from_message(&message.subject, sequence, message.headers.as_ref(), message.payload);
            return event.map_err(|error| NatsError::Message {
                stream: self.stream.name().to_owned(),
                reason: error.to_string(),
            });
        }
    }

    /// Creates a consumer on the server that starts with the next event, and sets `n_pending`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the server removes the consumer after a minute.
    async fn create_consumer(&mut self) -> Result<Consumer, StreamFailure> {
        let config = pull::Config {
            deliver_policy: self.place.start,
            filter_subjects: self.subjects.clone(),
            ack_policy: AckPolicy::None,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: INACTIVE_THRESHOLD,
            ..pull::Config::default()
        };
        let connection = &self.stream.connection;
        let n_lost = connection.subscribe_losses();
        let created = connection.wait_for_answer(self.stream.stream.create_consumer(config)).await?;
        let consumer = created.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(reason) if reason.code() == 404 => StreamFailure::Missing(error_chain(&error)),
            _ => StreamFailure::other(error),
        })?;
        // Its numbers would be those of events that were read.
        if let DeliverPolicy::ByStartSequence { start_sequence } = self.place.start
            && self.stream.last_sequence().await? + 1 < start_sequence
        {
            return Err(StreamFailure::Restored);
        }
        self.place.n_pending = consumer.cached_info().num_pending;
        let messages = connection.wait_for_answer(consumer.messages()).await?.map_err(StreamFailure::other)?;
        Ok(Consumer { messages, n_received: 0, n_lost })
    }
}

impl fmt::Debug for StreamReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader").field("stream", &self.name).finish_non_exhaustive()
    }
}
