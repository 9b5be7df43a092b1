//! The watcher's end: an attached session, and the decoder of its lines.
//!
//! States of the decoder:
//!
//! | state | input | next state | output |
//! |---|---|---|---|
//! | `Detached` | snapshot note | `Snapshot` | |
//! | `Detached` | any other line | `Detached` | |
//! | `Snapshot` | snapshot line | `Snapshot` | |
//! | `Snapshot` | stream note | `Attached` | [`AttachEvent::Snapshot`] |
//! | `Snapshot` | any other line | `Snapshot` | |
//! | `Attached` | received bytes | `Attached` | the bytes, then the events parsed from them |
//! | `Attached` | sent line, life note | `Attached` | the line or event |
//! | `Attached` | stream note | `Attached` | |
//! | `Attached` | snapshot note, after missed lines | `Snapshot` | |

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::path::Path;
#[cfg(feature = "stream")]
use std::pin::Pin;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use kibitzer::internal::json;
use kibitzer::transcript::Direction;
use kibitzer::{Observation, TapItem};
use kibitzer_core::event::Attribution;
use kibitzer_core::event::RequestError;
use kibitzer_core::game::Game;
use kibitzer_core::session::{SessionState, TransmitKind};
use kibitzer_core::text::{Handle, decode_characters};
use kibitzer_core::wire::{StreamState, Timeseal, unseal};
use kibitzer_core::{Event, EventReader};
use tokio::io::{AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::socket::{self, Stream};
use crate::wire::{Hello, LineReader, Note, NoteKind, SendRequest, StreamBytes, VERSION, WireLine};
use crate::{AttachAccess, AttachError, AttachedRequestError, MissedAmounts};

/// Timeout of the connection, and then of the first line.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of an answer. It is longer than the session's own timeout of a request, so it expires only if the process is stopped.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum length in bytes of a received line: four times the size of a watcher's queue in the process of the session.
const LINE_BYTES: usize = 4 << 20;
/// Maximum number of lines that wait to be sent, and maximum number that wait for their answer.
const WAITING_LINES: usize = 64;

/// A connection to a session that another process of this user [exposes](crate::expose). Receives its events, and sends lines if
/// the session permits it.
///
/// ```no_run
/// use kibitzer_attach::{AttachEvent, AttachedSession};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut session = AttachedSession::connect("/run/user/1000/bot.sock").await?;
/// while let Some(event) = session.recv().await? {
///     match event {
///         AttachEvent::Snapshot(snapshot) => println!("{} games", snapshot.games.len()),
///         AttachEvent::Item(item) => println!("{:?}", item.observation),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct AttachedSession {
    lines: LineReader<ReadHalf<Stream>>,
    writer: WriteHalf<Stream>,
    /// Bytes of lines that the socket has not accepted yet.
    unsent: VecDeque<u8>,
    hello: Hello,
    decoder: WatcherDecoder,
    /// Lines to send, from every clone of [`AttachedRequestSender`].
    orders: mpsc::Receiver<UnsentRequest>,
    /// The handle that is cloned for callers; it keeps the channel open.
    requests: AttachedRequestSender,
    /// Number of each sent line without an answer, and the caller that waits for it.
    unanswered: Vec<(u64, AnswerSender)>,
    next_id: u64,
    is_over: bool,
}

/// Handle that sends lines through an [`AttachedSession`]; clones share the connection. Lines are sent, and their answers
/// received, only while [`AttachedSession::recv`] is polled.
#[derive(Clone, Debug)]
pub struct AttachedRequestSender(mpsc::Sender<UnsentRequest>);

/// A line that waits to be sent, and the channel for its answer.
type UnsentRequest = (String, AnswerSender);

type AnswerSender = oneshot::Sender<Result<(), AttachedRequestError>>;

impl AttachedSession {
    /// Attaches to the session that is exposed on a socket. Waits at most 10 s for the connection, and 10 s for its first line.
    ///
    /// # Errors
    ///
    /// [`AttachError`]: there is no such socket, its process does not answer or belongs to another user, or the protocol has another
    /// version.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub async fn connect(path: impl AsRef<Path>) -> Result<Self, AttachError> {
        let (reader, writer) = split(socket::connect(path.as_ref(), CONNECT_TIMEOUT).await?);
        let mut lines = LineReader::new(reader, LINE_BYTES);
        let first = timeout(CONNECT_TIMEOUT, lines.next()).await.map_err(|_| AttachError::Silent(CONNECT_TIMEOUT))?;
        let first = first.map_err(AttachError::Io)?.ok_or(AttachError::Gone)?;
        let Some(WireLine::Note(Note { t, kind: NoteKind::Hello(hello) })) = WireLine::parse(&first) else {
            return Err(AttachError::InvalidLine);
        };
        if hello.version != VERSION {
            return Err(AttachError::Version { theirs: hello.version, ours: VERSION });
        }
        let now = Instant::now();
        let (sender, orders) = mpsc::channel(WAITING_LINES);
        Ok(Self {
            lines,
            writer,
            unsent: VecDeque::new(),
            hello,
            decoder: WatcherDecoder::new(now.checked_sub(t).unwrap_or(now)),
            orders,
            requests: AttachedRequestSender(sender),
            unanswered: Vec::new(),
            next_id: 1,
            is_over: false,
        })
    }

    /// Returns the host name of the server to which the session is connected.
    pub fn server(&self) -> &str {
        &self.hello.server
    }

    /// Returns the rights of this watcher: whether it may send lines.
    pub const fn access(&self) -> AttachAccess {
        self.hello.access
    }

    /// Returns the time at which the session started, converted to this process's clock.
    pub const fn began(&self) -> Instant {
        self.decoder.began
    }

    /// Returns a handle that sends lines to the server through this session.
    pub fn requests(&self) -> AttachedRequestSender {
        self.requests.clone()
    }

    /// Waits for the next event, and meanwhile sends the lines of [`requests`](Self::requests); `None` once the session has
    /// reported its end and disconnected this watcher.
    ///
    /// # Errors
    ///
    /// [`AttachError`]: no more events will be received, although the session may continue.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost.
    pub async fn recv(&mut self) -> Result<Option<AttachEvent>, AttachError> {
        loop {
            if let Some(event) = self.decoder.next_event() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            if let Err(error) = self.read_or_write_once().await {
                self.detach_and_fail_requests();
                return Err(error);
            }
        }
    }

    /// Waits for the next event; `None` after the end or an error. See [`recv`](Self::recv).
    ///
    /// # Cancel safety
    ///
    /// As [`recv`](Self::recv).
    pub async fn next(&mut self) -> Option<Result<AttachEvent, AttachError>> {
        self.recv().await.transpose()
    }

    /// Polls for the result of [`recv`](Self::recv). If nothing is available, registers the waker of `context`; only the latest one
    /// is woken.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<AttachEvent>, AttachError>> {
        // Socket and channels keep the waker when the future is dropped.
        pin!(self.recv()).poll(context)
    }

    /// Waits until one of these is possible, and does it: processes a received line, queues a line to send, removes callers that no
    /// longer wait, or writes some unsent bytes.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancel safety
    ///
    /// As [`recv`](Self::recv).
    async fn read_or_write_once(&mut self) -> Result<(), AttachError> {
        let Self { lines, writer, unsent, orders, unanswered, .. } = self;
        tokio::select! {
            line = lines.next() => {
                let line = line.map_err(AttachError::Io)?;
                self.process_line(line.as_deref())
            }
            Some(pending) = orders.recv(), if unanswered.len() < WAITING_LINES => {
                self.queue_request(pending);
                Ok(())
            }
            () = remove_abandoned_callers(unanswered), if !unanswered.is_empty() => Ok(()),
            // A write error is ignored: the reason for it may still be there to read.
            Ok(1..) = writer.write_buf(unsent), if !unsent.is_empty() => Ok(()),
        }
    }

    /// Queues a line for the socket, and registers the caller that waits for its answer.
    fn queue_request(&mut self, (line, answer): UnsentRequest) {
        let id = self.next_id;
        self.next_id += 1;
        // A number and a text can always be written.
        let _ = json::write(&mut self.unsent, &SendRequest { id, send: line.into() });
        self.unsent.push_back(b'\n');
        self.unanswered.push((id, answer));
    }

    /// Processes a received line; `None` stands for the end of the connection. Fails if the line is invalid, or the process of the
    /// session has disconnected this watcher before it reported the end of the session.
    fn process_line(&mut self, line: Option<&[u8]>) -> Result<(), AttachError> {
        let Some(line) = line else { return self.end_stream(AttachError::Gone) };
        match WireLine::parse(line).ok_or(AttachError::InvalidLine)? {
            WireLine::Note(Note { kind: NoteKind::Answer { id, error }, .. }) => {
                if let Some(at) = self.unanswered.iter().position(|(unanswered, _)| *unanswered == id) {
                    let (_, sender) = self.unanswered.swap_remove(at);
                    // The caller may no longer wait.
                    let _ = sender.send(error.map_or(Ok(()), Err));
                }
            }
            WireLine::Note(Note { kind: NoteKind::Bye { reason }, .. }) => {
                return self.end_stream(AttachError::Dismissed(reason.into_owned()));
            }
            line => self.decoder.process(line),
        }
        Ok(())
    }

    /// Ends the stream. Returns `error` unless the session has reported its end.
    fn end_stream(&mut self, error: AttachError) -> Result<(), AttachError> {
        self.detach_and_fail_requests();
        if self.decoder.has_session_ended { Ok(()) } else { Err(error) }
    }

    /// Marks the stream as over. Current and later calls of [`AttachedRequestSender::request`] fail with
    /// [`AttachedRequestError::Detached`], because their channels are closed.
    fn detach_and_fail_requests(&mut self) {
        self.is_over = true;
        self.unanswered.clear();
        self.orders.close();
        while self.orders.try_recv().is_ok() {}
    }
}

/// The events of [`recv`](AttachedSession::recv), until the end or an error.
#[cfg(feature = "stream")]
impl futures_core::Stream for AttachedSession {
    type Item = Result<AttachEvent, AttachError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_recv(context).map(Result::transpose)
    }
}

impl AttachedRequestSender {
    /// Sends a line to the server and waits, at most two minutes, until the session has received the reply. The reply itself arrives
    /// as events of [`AttachedSession::recv`].
    ///
    /// # Errors
    ///
    /// [`AttachedRequestError`]; [`Busy`](AttachedRequestError::Busy), at once, if 64 lines already wait to be sent.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the answer; the line may have been sent.
    pub async fn request(&self, line: &str) -> Result<(), AttachedRequestError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.0.try_send((line.to_owned(), answer));
        sent.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AttachedRequestError::Busy,
            mpsc::error::TrySendError::Closed(_) => AttachedRequestError::Detached,
        })?;
        match timeout(ANSWER_TIMEOUT, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(AttachedRequestError::Detached),
            Err(_) => Err(RequestError::TimedOut(ANSWER_TIMEOUT).into()),
        }
    }
}

/// Waits until a caller no longer waits for its answer, and removes all such callers.
///
/// # Cancel safety
///
/// Cancel safe: the future only waits.
async fn remove_abandoned_callers(unanswered: &mut Vec<(u64, AnswerSender)>) {
    poll_fn(|context| {
        let n_unanswered = unanswered.len();
        unanswered.retain_mut(|(_, sender)| sender.poll_closed(context).is_pending());
        if unanswered.len() < n_unanswered { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

impl fmt::Debug for AttachedSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachedSession").field("hello", &self.hello).finish_non_exhaustive()
    }
}

/// An event of an attached session.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, clippy::allow_attributes, reason = "nearly all are items")]
pub enum AttachEvent {
    /// The state of the session: the first event, and the first one after this watcher has missed some.
    Snapshot(Box<SessionSnapshot>),
    /// The next observation, in order, as a [`Tap`](kibitzer::Tap) receives it. Offsets in the stream count from the snapshot, or
    /// from the start of the connection if that is later.
    Item(TapItem),
}

/// The state of a session when this watcher attached, or caught up after it missed events.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionSnapshot {
    /// Time of the snapshot.
    pub at: Instant,
    /// State of the connection and login.
    pub state: SessionState,
    /// Handle of this login; `None` if it is not known yet.
    pub handle: Option<Handle>,
    /// Games in progress that the session follows, each with at most its last eight moves.
    pub games: Vec<Game>,
    /// Amounts that this watcher missed since the previous event because it read too slowly; zero in the first snapshot.
    pub missed: MissedAmounts,
}

/// Converts the lines of an exposed session to events. Received bytes are parsed with the reader that the session itself uses.
#[derive(Debug)]
struct WatcherDecoder {
    /// Time at which the session started.
    began: Instant,
    state: DecoderState,
    timeseal: Timeseal,
    /// Events that were not returned yet.
    events: VecDeque<AttachEvent>,
    /// Whether [`Event::Ended`] was received.
    has_session_ended: bool,
}

/// State of a [`WatcherDecoder`]; the table of the module shows the transitions.
#[derive(Debug)]
enum DecoderState {
    /// No snapshot has started.
    Detached,
    Snapshot {
        snapshot: Box<SessionSnapshot>,
        reader: Box<EventReader>,
    },
    Attached(Box<EventReader>),
}

impl WatcherDecoder {
    const fn new(began: Instant) -> Self {
        let state = DecoderState::Detached;
        Self { began, state, timeseal: Timeseal::Off, events: VecDeque::new(), has_session_ended: false }
    }

    /// Removes and returns the next event; `None` if another line has to be processed first.
    fn next_event(&mut self) -> Option<AttachEvent> {
        let event = self.events.pop_front();
        if self.events.is_empty() {
            self.events = VecDeque::new();
        }
        event
    }

    /// Processes a line and queues the events that follow from it. Lines that the current state does not expect are ignored.
    fn process(&mut self, line: WireLine) {
        match line {
            WireLine::Bytes(StreamBytes { hex, snapshot: true, .. }) => {
                if let DecoderState::Snapshot { reader, .. } = &mut self.state {
                    // A line that describes the state of a game.
                    let mut line = &hex[..];
                    while reader.next(&mut line).is_some() {}
                }
            }
            WireLine::Bytes(StreamBytes { t, dir: Direction::Received, hex, .. }) => {
                self.queue_received(self.local_time(t), hex);
            }
            WireLine::Bytes(StreamBytes { t, hex, redacted, kind, request, requested_by, .. }) => {
                let bytes = if redacted { Vec::new() } else { hex };
                let stated = Attribution::of_request(request, requested_by);
                self.queue_sent(self.local_time(t), bytes, kind.unwrap_or(TransmitKind::Command), stated);
            }
            WireLine::Note(Note { t, kind: NoteKind::Snapshot { state, handle, missed } }) => {
                let at = self.local_time(t);
                let snapshot = Box::new(SessionSnapshot { at, state, handle, games: Vec::new(), missed });
                self.state = DecoderState::Snapshot { snapshot, reader: Box::default() };
            }
            WireLine::Note(Note { kind: NoteKind::Stream(state), .. }) => self.finish_snapshot_or_update_reader(&state),
            WireLine::Note(Note { t, kind: NoteKind::Life(event) }) => {
                self.apply_session_event(self.local_time(t), event);
            }
            WireLine::Note(_) => {}
        }
    }

    /// Converts the time of a line to this process's clock; returns the current time if the clock cannot represent it.
    fn local_time(&self, t: Duration) -> Instant {
        self.began.checked_add(t).unwrap_or_else(Instant::now)
    }

    /// Applies a stream note: completes a started snapshot and queues its event; while attached, changes the reader's
    /// settings. Ignored while detached.
    fn finish_snapshot_or_update_reader(&mut self, state: &StreamState) {
        self.timeseal = state.timeseal;
        self.state = match std::mem::replace(&mut self.state, DecoderState::Detached) {
            DecoderState::Detached => DecoderState::Detached,
            DecoderState::Attached(mut reader) => {
                reader.apply_settings(state);
                DecoderState::Attached(reader)
            }
            DecoderState::Snapshot { mut snapshot, mut reader } => {
                while reader.finish().is_some() {}
                let games = reader.into_games();
                snapshot.games = games.iter().cloned().collect();
                self.events.push_back(AttachEvent::Snapshot(snapshot));
                DecoderState::Attached(Box::new(EventReader::resume(state, games)))
            }
        };
    }

    /// Queues received bytes and the events parsed from them. An empty slice marks the end of the connection: an unfinished line then
    /// becomes an event. Ignored unless attached.
    fn queue_received(&mut self, at: Instant, bytes: Vec<u8>) {
        let DecoderState::Attached(reader) = &mut self.state else { return };
        if bytes.is_empty() {
            // The connection has ended, possibly within a line.
            while let Some(event) = reader.finish() {
                self.events.push_back(parsed_event_item(at, event, reader, Duration::ZERO));
            }
            return;
        }
        let mut rest = &bytes[..];
        let mut events = Vec::new();
        // The system's time, which a paused runtime does not stop.
        let mut started = std::time::Instant::now();
        while let Some(event) = reader.next(&mut rest) {
            events.push(parsed_event_item(at, event, reader, started.elapsed()));
            started = std::time::Instant::now();
        }
        self.events.push_back(tap_item(at, Observation::Received(bytes.into()), None));
        self.events.extend(events);
    }

    /// Queues a sent line, and its [`Event::Sent`] unless it is of timeseal or a probe. `bytes` is empty for a private line. Ignored
    /// unless attached.
    fn queue_sent(&mut self, at: Instant, bytes: Vec<u8>, kind: TransmitKind, stated: Attribution) {
        let line = (!bytes.is_empty()).then(|| self.sent_text(&bytes));
        let DecoderState::Attached(reader) = &mut self.state else { return };
        let attribution = if kind.is_line() {
            reader.note_sent_line(line.as_deref().unwrap_or_default().as_bytes(), stated)
        } else {
            stated
        };
        self.events.push_back(tap_item(at, Observation::sent(Bytes::from(bytes), kind, attribution), None));
        if kind.is_line() {
            self.apply_session_event(at, Event::sent(line, attribution));
        }
    }

    /// Returns the text of a sent line: without its line feed, or decoded by timeseal.
    fn sent_text(&self, bytes: &[u8]) -> Arc<str> {
        let plain = match self.timeseal {
            Timeseal::Off => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
            _ => unseal(bytes).map_or_else(|| bytes.to_vec(), |unsealed| unsealed.text),
        };
        decode_characters(&plain).into()
    }

    /// Records the end of the session, and queues an event of the session itself unless detached or within a snapshot. A new connection
    /// resets the reader.
    fn apply_session_event(&mut self, at: Instant, event: Event) {
        self.has_session_ended |= matches!(event, Event::Ended(_));
        let DecoderState::Attached(reader) = &mut self.state else { return };
        if matches!(event, Event::Connected) {
            // A stream note with the state of the new connection's stream follows.
            **reader = EventReader::default();
            self.timeseal = Timeseal::Off;
        }
        let observation = Observation::event(event, Duration::ZERO);
        self.events.push_back(tap_item(at, observation, None));
    }
}

/// Creates the item of an event that was parsed from received bytes, with a copy of the game that it is about.
fn parsed_event_item(at: Instant, event: Event, reader: &EventReader, parsing: Duration) -> AttachEvent {
    let game = event.affected_game().and_then(|id| reader.games().get(id)).cloned().map(Box::new);
    tap_item(at, Observation::event(event, parsing), game)
}

const fn tap_item(at: Instant, observation: Observation, game: Option<Box<Game>>) -> AttachEvent {
    AttachEvent::Item(TapItem::new(at, observation, game))
}
