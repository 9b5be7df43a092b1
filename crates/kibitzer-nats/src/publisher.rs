//! Publishes the events of a session.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::NatsError;
use crate::event::{EventHead, Position, QueuedEvent, StoredEvent};
use crate::queue::{EventQueue, UnstoredEvents, WhenUnreachable};
use crate::sender::Sender;
use crate::stream::EventStream;
use crate::subject::SessionName;

/// Size of the buffer by default.
const BUFFER_BYTES: usize = 8 << 20;

/// Source of the events, and how many of them are buffered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PublishOptions {
    /// The reaction to a full buffer. Default: that of [`live`](Self::live) or [`recording`](Self::recording).
    pub when_unreachable: WhenUnreachable,
    /// Size of the buffer in memory from which the policy applies. Default: 8 MiB.
    pub buffer_bytes: usize,
    is_recording: bool,
    /// A function that is called with the reason when events could not be stored several times in a row (after 0.3 s without a
    /// connection, after up to half a minute without an answer), and with `None` when events are stored again. Default: nothing is
    /// called.
    ///
    /// It is not called while there is nothing to store. It must return quickly, as the publisher waits for it.
    pub on_link_change: fn(failure: Option<&str>),
}

impl PublishOptions {
    /// Creates options for a live session: its events continue after those in the stream. Default policy:
    /// [`WhenUnreachable::Drop`].
    pub fn live() -> Self {
        Self { is_recording: false, when_unreachable: WhenUnreachable::Drop, ..Self::recording() }
    }

    /// Creates options for a recording, which yields the same events every time: those that are in the stream already are
    /// skipped. Default policy: [`WhenUnreachable::Hold`].
    pub fn recording() -> Self {
        Self {
            when_unreachable: WhenUnreachable::Hold,
            buffer_bytes: BUFFER_BYTES,
            is_recording: true,
            on_link_change: |_| {},
        }
    }
}

/// Publishes the events of a session, each once and in order, as long as no event of the session comes from elsewhere.
///
/// Every message is stored on the condition that the last message of the session is the one before it. After any doubt (a lost
/// connection, a late answer) the publisher reads the last message, whose position shows which events are stored. A publisher
/// that is started later continues there, and an earlier one of the same session fails with [`NatsError::Fenced`] at its next
/// event.
///
/// An acknowledged event is in the memory of the server, and on its disk within two minutes by default. A server that loses power
/// may lose it; the publisher then fails with [`NatsError::Lost`] at its next event.
#[derive(Debug)]
pub struct Publisher {
    session: SessionName,
    queue: Arc<EventQueue>,
    /// The task that stores events; it ends with an error, or after the last event.
    task: JoinSet<Result<(), NatsError>>,
    /// Position of the last event of the source.
    position: Position,
    /// Number of lines of the source.
    n_lines: u64,
    /// Last event in the stream, until the recording has reached it.
    resume_at: Option<StoredEvent>,
}

impl Publisher {
    /// Reads the session's last event in the stream, opens the spill file if the policy has one, and spawns a task that stores
    /// events.
    ///
    /// # Errors
    ///
    /// [`NatsError`] if the server does not answer or the spill file cannot be used.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is published.
    pub async fn start(stream: EventStream, session: SessionName, options: PublishOptions) -> Result<Self, NatsError> {
        let last = stream.last_event(&session).await.map_err(|failure| stream.stream_error(&failure))?;
        let max_line_bytes = stream.max_line_bytes();
        let policy = &options.when_unreachable;
        let queue = EventQueue::new(&session, policy, options.buffer_bytes, max_line_bytes);
        let queue = Arc::new(queue.map_err(|source| policy.spill_error(source))?);
        let stored = last.as_ref().map(|event| event.position);
        let position = match (options.is_recording, stored.max(queue.last_left_in_spill())) {
            (false, Some(last)) => last,
            _ => Position::start_of_epoch(u64::from(options.is_recording)),
        };
        // A recording yields the same events again, whoever stored them.
        let last_unverified = queue.last_left_in_spill().filter(|_| !options.is_recording);
        let mut sender = Sender::new(stream, session.clone(), Arc::clone(&queue), last.as_ref());
        sender.last_unverified = last_unverified;
        sender.on_link_change = options.on_link_change;
        let mut task = JoinSet::new();
        let policy = policy.clone();
        // Boxed, as a consumer has a large future.
        task.spawn(async move { Box::pin(sender.store_until_closed(&policy)).await });
        let resume_at = last.filter(|_| options.is_recording);
        Ok(Self { session, queue, task, position, n_lines: 0, resume_at })
    }

    /// Queues the JSON line of an event, without its line end, for publishing. Skips an event of a recording that is stored
    /// already. While the buffer is full, the policy decides. Every event is in the stream once [`finish`](Self::finish) has
    /// returned without an error.
    ///
    /// # Errors
    ///
    /// [`NatsError::Line`] if the line is not an event; it is left out. [`NatsError::OtherSource`] if a recording differs from the
    /// events in the stream. Any error that has ended publishing.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the event may be left out.
    pub async fn push(&mut self, line: Bytes) -> Result<(), NatsError> {
        self.n_lines += 1;
        let head = EventHead::parse(&line);
        let head = head.map_err(|error| NatsError::Line { number: self.n_lines, reason: error.to_string() })?;
        let position = self.position.position_of_next(&head);
        self.position = position;
        if let Some(stored) = &self.resume_at {
            let is_same = stored.line == line || stored.subject.ends_with(".dropped");
            match position.cmp(&stored.position) {
                std::cmp::Ordering::Less => return Ok(()),
                std::cmp::Ordering::Equal if is_same => {
                    self.resume_at = None;
                    return Ok(());
                }
                _ => return Err(self.other_source_error(stored.position)),
            }
        }
        let pushed = self.queue.push_by_policy(QueuedEvent { position, line });
        tokio::select! {
            biased;
            () = pushed => Ok(()),
            Some(Ok(Err(error))) = self.task.join_next() => Err(error),
        }
    }

    /// Waits until publishing fails; pending forever if it does not. A failure is returned once, by this method or another one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the failure is returned by the next call.
    pub async fn wait_for_failure(&mut self) -> NatsError {
        match self.task.join_next().await {
            Some(Ok(Err(error))) => error,
            _ => std::future::pending().await,
        }
    }

    /// Waits until all events are stored, at most for `time_limit`, and stops publishing. At the limit, the rest remains in the
    /// spill file if there is one.
    ///
    /// # Errors
    ///
    /// [`NatsError::Unsent`] at the limit, [`NatsError::OtherSource`] if the recording ended before the last event in the stream, or
    /// the error that has ended publishing.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops publishing; events in memory are lost.
    pub async fn finish(mut self, time_limit: Duration) -> Result<(), NatsError> {
        if let Some(stored) = &self.resume_at {
            return Err(self.other_source_error(stored.position));
        }
        self.queue.close();
        let Ok(ended) = timeout(time_limit, self.task.join_next()).await else {
            self.task.shutdown().await;
            let UnstoredEvents { count, are_all_in_file } = self.queue.count_unstored();
            let rest = if are_all_in_file { "the spill file has them" } else { "they are lost" };
            let reason = format!("the server did not answer within {time_limit:?}; {rest}");
            return Err(NatsError::Unsent { session: self.session.token().to_owned(), count, reason });
        };
        ended.and_then(Result::ok).unwrap_or(Ok(()))
    }

    fn other_source_error(&self, position: Position) -> NatsError {
        NatsError::OtherSource { session: self.session.token().to_owned(), position }
    }
}
