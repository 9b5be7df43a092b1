//! Reads stored events.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::stream::ConsumerErrorKind;
use futures_util::StreamExt as _;
use kibitzer_core::text::error_chain;
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
    stream: EventStream,
    subjects: Vec<String>,
    /// Start of the next consumer: after the last event that was read.
    start: DeliverPolicy,
    /// Number of the last event in the stream, of any session, when the reader was opened.
    end: u64,
    consumer: ConsumerState,
    n_pending: u64,
}

type SyncFuture<T> = Pin<Box<dyn Future<Output = T> + Send + Sync>>;

/// State of a reader's consumer: open, or after a failure on the way to be.
#[expect(clippy::large_enum_variant, reason = "nearly always the large one")]
enum ConsumerState {
    Open(Consumer),
    Opening(SyncFuture<Result<Consumer, StreamFailure>>),
}

/// A consumer of the server, which sends every message to this reader once. It is abandoned after a lost connection.
struct Consumer {
    messages: pull::Stream,
    n_received: u64,
    /// Number of selected events when it was opened.
    n_pending: u64,
    /// Ready when the connection is lost.
    loss: SyncFuture<()>,
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
        let subjects = filter.subjects();
        let consumer = Consumer::open(stream, &subjects, start).await;
        let consumer = consumer.map_err(|failure| stream.stream_error(&failure))?;
        let n_pending = consumer.n_pending;
        let consumer = ConsumerState::Open(consumer);
        Ok(Self { stream: stream.clone(), subjects, start, end, consumer, n_pending })
    }

    /// Returns the number of selected events after the last one that was read, as the server counted them when it sent that one.
    /// Before the first read, as counted when the reader was opened.
    pub const fn n_pending(&self) -> u64 {
        self.n_pending
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
            matches!(self.start, DeliverPolicy::ByStartSequence { start_sequence } if start_sequence > self.end);
        if is_at_end || self.n_pending == 0 {
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

    /// Polls for what [`recv`](Self::recv) returns; while there is nothing, the waker of the latest call is woken.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Result<StoredEvent, NatsError>> {
        loop {
            let consumer = match &mut self.consumer {
                ConsumerState::Open(consumer) => consumer,
                ConsumerState::Opening(opening) => {
                    match ready!(opening.as_mut().poll(context)) {
                        Ok(consumer) => {
                            self.n_pending = consumer.n_pending;
                            self.consumer = ConsumerState::Open(consumer);
                        }
                        Err(failure) => {
                            self.open_consumer();
                            return Poll::Ready(Err(self.stream.stream_error(&failure)));
                        }
                    }
                    continue;
                }
            };
            let Some(message) = ready!(consumer.poll_message(context)) else {
                self.open_consumer();
                continue;
            };
            let info =
                message.info().map_err(|error| self.stream.stream_error(&StreamFailure::Other(error.to_string())))?;
            // A message that was under way when the connection was lost is missing.
            if info.consumer_sequence != consumer.n_received + 1 {
                self.open_consumer();
                continue;
            }
            let sequence = info.stream_sequence;
            consumer.n_received = info.consumer_sequence;
            self.n_pending = info.pending;
            self.start = DeliverPolicy::ByStartSequence { start_sequence: sequence + 1 };
            let message = message.message;
            let event =
                StoredEvent::from_message(&message.subject, sequence, message.headers.as_ref(), message.payload);
            return Poll::Ready(event.map_err(|error| NatsError::Message {
                stream: self.stream.name().to_owned(),
                reason: error.to_string(),
            }));
        }
    }

    /// Starts to open a consumer that begins with the next event, as often as necessary, unless the stream is another one.
    fn open_consumer(&mut self) {
        let (stream, subjects, start) = (self.stream.clone(), self.subjects.clone(), self.start);
        self.consumer = ConsumerState::Opening(Box::pin(async move {
            loop {
                match Consumer::open(&stream, &subjects, start).await {
                    Err(failure) if !matches!(failure, StreamFailure::Missing(_) | StreamFailure::Restored) => {
                        sleep(RETRY_PAUSE).await;
                    }
                    opened => return opened,
                }
            }
        }));
    }
}

/// The results of [`recv`](StreamReader::recv), without an end.
#[cfg(feature = "stream")]
impl futures_util::Stream for StreamReader {
    type Item = Result<StoredEvent, NatsError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_recv(context).map(Some)
    }
}

impl Consumer {
    /// Creates a consumer on the server that begins at `start`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the server removes the consumer after a minute.
    async fn open(stream: &EventStream, subjects: &[String], start: DeliverPolicy) -> Result<Self, StreamFailure> {
        let config = pull::Config {
            deliver_policy: start,
            filter_subjects: subjects.to_vec(),
            ack_policy: AckPolicy::None,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: INACTIVE_THRESHOLD,
            ..pull::Config::default()
        };
        let connection = &stream.connection;
        let mut n_lost = connection.subscribe_losses();
        let created = connection.wait_for_answer(stream.stream.create_consumer(config)).await?;
        let consumer = created.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(reason) if reason.code() == 404 => StreamFailure::Missing(error_chain(&error)),
            _ => StreamFailure::other(error),
        })?;
        // Its numbers would be those of events that were read.
        if let DeliverPolicy::ByStartSequence { start_sequence } = start
            && stream.last_sequence().await? + 1 < start_sequence
        {
            return Err(StreamFailure::Restored);
        }
        let n_pending = consumer.cached_info().num_pending;
        let messages = connection.wait_for_answer(consumer.messages()).await?.map_err(StreamFailure::other)?;
        let loss = Box::pin(async move { drop(n_lost.changed().await) });
        Ok(Self { messages, n_received: 0, n_pending, loss })
    }

    /// Polls for the next message; `None` if it was not received, or the connection is lost.
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Message>> {
        match self.messages.poll_next_unpin(context) {
            Poll::Ready(message) => Poll::Ready(message.and_then(Result::ok)),
            Poll::Pending => self.loss.as_mut().poll(context).map(|()| None),
        }
    }
}

impl fmt::Debug for StreamReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader").field("stream", &self.stream.name()).finish_non_exhaustive()
    }
}
