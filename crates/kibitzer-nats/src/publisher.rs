//! Publishes the events of a session: the queue of a source, and the task that stores each event on the condition that it follows
//! the last one of its session.

use std::sync::Arc;
use std::time::Duration;

use async_nats::client::Request;
use async_nats::header::{HeaderMap, NATS_EXPECTED_LAST_SUBJECT_SEQUENCE};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::NatsError;
use crate::event::{DroppedRange, EventHead, POSITION_HEADER, PUBLISHER_HEADER, Position, QueuedEvent, StoredEvent};
use crate::queue::{EventQueue, UnstoredEvents, WhenUnreachable};
use crate::reader::{ReadFrom, StreamReader};
use crate::stream::{EventStream, StreamFailure};
use crate::subject::{SessionName, SubjectFilter};

/// Size of the buffer by default.
const BUFFER_BYTES: usize = 8 << 20;

/// Source of the events, and how many of them are buffered.
#[derive(Clone, Debug)]
pub struct PublishOptions {
    when_unreachable: WhenUnreachable,
    buffer_bytes: usize,
    is_recording: bool,
    on_link_change: fn(failure: Option<&str>),
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

    /// Sets the reaction to a full buffer. Default: that of [`live`](Self::live) or [`recording`](Self::recording).
    #[must_use]
    pub fn when_unreachable(self, when_unreachable: WhenUnreachable) -> Self {
        Self { when_unreachable, ..self }
    }

    /// Sets the size of the buffer in memory from which the policy applies. Default: 8 MiB.
    #[must_use]
    pub fn buffer_bytes(self, buffer_bytes: usize) -> Self {
        Self { buffer_bytes, ..self }
    }

    /// Sets a function that is called with the reason when events could not be stored several times in a row (after 0.3 s without a
    /// connection, after up to half a minute without an answer), and with `None` when events are stored again. Default: nothing is
    /// called.
    ///
    /// It is not called while there is nothing to store. It must return quickly, as the publisher waits for it.
    #[must_use]
    pub fn on_link_change(self, on_link_change: fn(failure: Option<&str>)) -> Self {
        Self { on_link_change, ..self }
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
        let queue = EventQueue::new(&session, &options.when_unreachable, options.buffer_bytes, max_line_bytes)?;
        let queue = Arc::new(queue);
        let stored = last.as_ref().map(|event| event.position);
        let position = match (options.is_recording, stored.max(queue.last_left_in_spill())) {
            (false, Some(last)) => last,
            _ => Position::start_of_epoch(u64::from(options.is_recording)),
        };
        // A recording yields the same events again, whoever stored them.
        let last_unverified = queue.last_left_in_spill().filter(|_| !options.is_recording);
        let sender = Sender {
            id: stream.connection.client.new_inbox(),
            stream,
            session: session.clone(),
            queue: Arc::clone(&queue),
            sequence: last.as_ref().map_or(0, |event| event.sequence),
            position: stored,
            last_unverified,
            lost_until: None,
            history: None,
            has_stored: false,
            n_single: 0,
            pause: FIRST_PAUSE,
            on_link_change: options.on_link_change,
        };
        let mut task = JoinSet::new();
        // Boxed, as a consumer has a large future.
        task.spawn(Box::pin(sender.store_until_closed()));
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

/// Subjects that the expected sequence number refers to.
const EXPECTED_SUBJECT_HEADER: &str = "Nats-Expected-Last-Subject-Sequence-Subject";

/// Pauses after failures double from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A server that does not work after pauses of this length is reported as unreachable.
const REPORTED_PAUSE: Duration = Duration::from_millis(320);

/// The task that stores events.
struct Sender {
    stream: EventStream,
    session: SessionName,
    queue: Arc<EventQueue>,
    /// Unique name of this publisher.
    id: String,
    /// Number in the stream of the session's last event; 0 if it has none.
    sequence: u64,
    /// Position of the session's last event.
    position: Option<Position>,
    /// The last event that an earlier publisher left in the spill file, if it may be stored: events up to it are looked up.
    last_unverified: Option<Position>,
    /// Events up to this one cannot be stored, because another publisher has stored events of their epochs.
    lost_until: Option<Position>,
    /// Reads the stored events from the first looked-up one on.
    history: Option<StreamReader>,
    /// Whether this publisher has stored an event.
    has_stored: bool,
    /// Number of events to send one at a time because the server refused a batch.
    n_single: usize,
    pause: Duration,
    on_link_change: fn(failure: Option<&str>),
}

/// What the stream has of a session.
enum LastStored {
    /// Its last event.
    Event(StoredEvent),
    /// No event any more, in the stream that this publisher knows.
    Deleted,
    /// No event, in a stream that has lower numbers than before.
    StreamIsReset,
}

impl Sender {
    /// Stores events until the queue is closed and empty. Events of the spill file may be stored already; those that cannot be
    /// stored any more are reported as dropped.
    ///
    /// # Errors
    ///
    /// [`NatsError::Spill`] if the spill file cannot be read, [`NatsError::Stream`] if stored events cannot be read,
    /// [`NatsError::Fenced`] or [`NatsError::Lost`] if the stream has other events than this publisher stored.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves events in the queue that may be stored.
    async fn store_until_closed(mut self) -> Result<(), NatsError> {
        while let Some(events) = self.queue.wait_and_peek_batch().await? {
            let n_known = self.count_stored_earlier(&events).await?;
            self.queue.remove_oldest(n_known);
            let rest = events.get(n_known..).unwrap_or_default();
            let n_lost = rest.iter().take_while(|event| Some(event.position) <= self.lost_until).count();
            let (lost, mut rest) = rest.split_at_checked(n_lost).unwrap_or_default();
            if let ([first, ..], [.., last]) = (lost, lost) {
                let range = DroppedRange { first: first.position, last: last.position, count: lost.len() as u64 };
                let position = self.position.unwrap_or_default().next_at_offset();
                let report = QueuedEvent { position, ..range.to_report() };
                while self.store_batch_or_first(std::slice::from_ref(&report)).await? == 0 {}
                self.queue.remove_oldest(n_lost);
            }
            while !rest.is_empty() {
                let n_stored = self.store_batch_or_first(rest).await?;
                self.queue.remove_oldest(n_stored);
                rest = rest.get(n_stored..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Returns how many events at the start of the slice were stored before. Sets `lost_until` at the first event of the spill
    /// file whose place in the stream is taken by another one.
    ///
    /// # Errors
    ///
    /// [`NatsError::Stream`] if stored events cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the history may be ahead of the events.
    async fn count_stored_earlier(&mut self, events: &[QueuedEvent]) -> Result<usize, NatsError> {
        for (n, event) in events.iter().enumerate() {
            let position = Some(event.position);
            if position > self.position || position <= self.lost_until {
                return Ok(n);
            }
            if position <= self.last_unverified && !self.matches_next_in_history(event).await? {
                let end_of_epoch =
                    self.position.map(|Position { epoch, .. }| Position { epoch, offset: u64::MAX, n: u64::MAX });
                self.lost_until = self.last_unverified.min(end_of_epoch);
                return Ok(n);
            }
        }
        Ok(events.len())
    }

    /// Reads the next stored event of the history, and returns whether it is this one. The first call starts the history at the
    /// event.
    ///
    /// # Errors
    ///
    /// [`NatsError::Stream`] if stored events cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: the event may have been read.
    async fn matches_next_in_history(&mut self, event: &QueuedEvent) -> Result<bool, NatsError> {
        let history = match &mut self.history {
            Some(history) => history,
            none => {
                let found = self.stream.find_first_sequence_from(&self.session, event.position, self.sequence).await;
                let first = ReadFrom::Sequence(found.map_err(|failure| self.stream.stream_error(&failure))?);
                let filter = SubjectFilter { session: Some(self.session.clone()), ..SubjectFilter::default() };
                none.insert(StreamReader::open(&self.stream, &filter, first).await?)
            }
        };
        let stored = history.recv_stored().await?;
        Ok(stored.is_some_and(|stored| (stored.position, stored.line) == (event.position, event.line.clone())))
    }

    /// Stores all of these events in one atomic step, or the first one. Returns how many are stored, possibly none, after a pause
    /// if that was not possible.
    ///
    /// # Errors
    ///
    /// Those of [`count_stored_on_server`](Self::count_stored_on_server).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe; the events may be stored.
    async fn store_batch_or_first(&mut self, events: &[QueuedEvent]) -> Result<usize, NatsError> {
        let n_stored = match self.send_batch_or_first(events).await {
            Ok(n_stored) => n_stored,
            Err(failure) => {
                self.back_off(&failure).await;
                self.count_stored_on_server(events).await?
            }
        };
        if let Some(last) = n_stored.checked_sub(1).and_then(|last| events.get(last)) {
            self.position = Some(last.position);
            self.has_stored = true;
            if self.pause > REPORTED_PAUSE {
                (self.on_link_change)(None);
            }
            self.pause = FIRST_PAUSE;
        }
        Ok(n_stored)
    }

    /// Sends all of these events in one atomic step, or only the first one, and waits for the acknowledgement. Returns how many
    /// are stored.
    ///
    /// # Errors
    ///
    /// [`StreamFailure`] if it is not known whether they are stored.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe; the events may be stored.
    async fn send_batch_or_first(&mut self, events: &[QueuedEvent]) -> Result<usize, StreamFailure> {
        let may_batch = self.n_single == 0 && self.stream.accepts_batches();
        let events = if may_batch { events } else { events.get(..1).unwrap_or_default() };
        let answer = self.stream.connection.wait_for_answer(self.publish_and_await_ack(events)).await??;
        match serde_json::from_slice(&answer).map_err(|_| StreamFailure::NotJetStream)? {
            Response::Ok(PublishAck { sequence, .. }) if sequence > self.sequence => {
                self.sequence = sequence;
                self.n_single = self.n_single.saturating_sub(1);
                Ok(events.len())
            }
            Response::Err { error } => {
                // A server accepts a limited number of batches at a time.
                if events.len() > 1 && error.error_code() != ErrorCode::STREAM_WRONG_LAST_SEQUENCE {
                    self.n_single = events.len();
                }
                Err(StreamFailure::other(error))
            }
            Response::Ok(_) => Err(StreamFailure::NotJetStream),
        }
    }

    /// Publishes a message for each event, as one atomic batch if there are several, and returns the server's answer to the last
    /// one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe; the messages may be sent.
    async fn publish_and_await_ack(&self, events: &[QueuedEvent]) -> Result<Bytes, StreamFailure> {
        let client = &self.stream.connection.client;
        let batch = (events.len() > 1).then(|| client.new_inbox());
        for (n, event) in events.iter().enumerate() {
            let mut headers = HeaderMap::new();
            headers.insert(POSITION_HEADER, event.position.to_string());
            headers.insert(PUBLISHER_HEADER, self.id.as_str());
            if n == 0 {
                headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, self.sequence.to_string());
                headers.insert(EXPECTED_SUBJECT_HEADER, self.session.all_subjects());
            }
            let is_last = n + 1 == events.len();
            if let Some(batch) = &batch {
                headers.insert("Nats-Batch-Id", batch.trim_start_matches("_INBOX."));
                headers.insert("Nats-Batch-Sequence", (n + 1).to_string());
                if is_last {
                    headers.insert("Nats-Batch-Commit", "1");
                }
            }
            let subject = self.session.subject_of(&EventHead::parse(&event.line)?);
            let line = event.line.clone();
            if is_last {
                let request = Request::new().headers(headers).payload(line);
                let answer = client.send_request(subject, request).await.map_err(StreamFailure::other)?;
                return Ok(answer.payload);
            }
            let sent = client.publish_with_headers(subject, headers, line).await;
            sent.map_err(StreamFailure::other)?;
        }
        Err(StreamFailure::NotJetStream)
    }

    /// Reads the session's last event in the stream, again and again until the server answers. Returns how many of these events
    /// are stored.
    ///
    /// # Errors
    ///
    /// [`NatsError::Fenced`] or [`NatsError::Lost`] if the last event is neither the last known one nor one of these.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is changed on the server.
    async fn count_stored_on_server(&mut self, events: &[QueuedEvent]) -> Result<usize, NatsError> {
        loop {
            let last = match self.stream.last_event(&self.session).await {
                // Deleted events leave the numbers of the stream growing; a new or restored stream starts again.
                Ok(None) => self
                    .stream
                    .last_sequence()
                    .await
                    .map(|last| if last < self.sequence { LastStored::StreamIsReset } else { LastStored::Deleted }),
                Ok(Some(last)) => Ok(LastStored::Event(last)),
                Err(failure) => Err(failure),
            };
            match last {
                Ok(last) => return self.resume_and_count_stored(events, last),
                Err(failure) => self.back_off(&failure).await,
            }
        }
    }

    /// Returns how many of these events are stored if `last` is what the stream has of the session, and continues after it.
    fn resume_and_count_stored(&mut self, events: &[QueuedEvent], last: LastStored) -> Result<usize, NatsError> {
        let session = self.session.token().to_owned();
        let lost = NatsError::Lost { session: session.clone(), stored: self.position.unwrap_or_default() };
        match last {
            LastStored::Deleted => {
                self.sequence = 0;
                Ok(0)
            }
            LastStored::StreamIsReset => Err(lost),
            LastStored::Event(last) if last.sequence == self.sequence => Ok(0),
            LastStored::Event(last) if last.sequence > self.sequence && last.publisher != self.id => {
                // An earlier publisher stored more since this one was started, which continues if its events follow.
                if self.has_stored || events.first().is_none_or(|event| event.position <= last.position) {
                    return Err(NatsError::Fenced { session, position: last.position });
                }
                self.sequence = last.sequence;
                self.position = Some(last.position);
                Ok(0)
            }
            LastStored::Event(last) => {
                let n = events.iter().position(|event| event.position == last.position).ok_or(lost)?;
                self.sequence = last.sequence;
                Ok(n + 1)
            }
        }
    }

    /// Waits before the next attempt, twice as long as before, at most [`LONGEST_PAUSE`]. Reports the server as unreachable at
    /// the sixth failure in a row.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    async fn back_off(&mut self, failure: &StreamFailure) {
        if self.pause == REPORTED_PAUSE {
            (self.on_link_change)(Some(&failure.to_string()));
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}
