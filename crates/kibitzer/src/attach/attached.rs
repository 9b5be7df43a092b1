//! The other end: a session of another process, looked at.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::decoding::Decoding;
use super::lines::Lines;
use super::sight::Sight;
use super::wire::{Answer, Hello, Line, Note, Order, Refusal, VERSION};
use super::{AttachAccess, AttachError, AttachedRequestError, socket};
use crate::core::event::RequestError;
use crate::json;
use crate::socket::Duplex;

/// How long the other side has to take the connection, and then to say what it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a line may go without an answer. The session's own time-out is shorter; this is for one that has stopped.
const ANSWER_PATIENCE: Duration = Duration::from_mins(2);
/// Longest line of the other side: four times as much as it holds back of a line of the server.
const LINE_BYTES: usize = 4 << 20;
/// Lines that may wait to be sent, and as many for their answers.
const WAITING_LINES: usize = 64;

type Stream = Pin<Box<dyn Duplex>>;

/// A session of another process of this user, which exposes it with
/// [`Profile::attach_socket`](crate::Profile::attach_socket).
///
/// ```no_run
/// use kibitzer::{Attached, Sight, Tapped};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut session = Attached::connect("/run/user/1000/bot.sock").await?;
/// while let Some(sight) = session.next().await? {
///     match sight {
///         Sight::Snapshot(now) => println!("{} games", now.games.len()),
///         Sight::Piece(piece) => println!("{:?}", piece.what),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Attached {
    lines: Lines<ReadHalf<Stream>>,
    writer: WriteHalf<Stream>,
    /// What is to be written.
    unsent: VecDeque<u8>,
    hello: Hello,
    decoding: Decoding,
    orders: mpsc::Receiver<Posted>,
    requests: AttachedRequests,
    waiting: Vec<(u64, Outcome)>,
    next_id: u64,
    is_over: bool,
}

/// Sends lines on a session that is looked at. They go out, and their answers come in, while somebody waits for
/// [`Attached::next`].
#[derive(Clone, Debug)]
pub struct AttachedRequests(mpsc::Sender<Posted>);

/// A line that is to be sent.
#[derive(Debug)]
struct Posted {
    line: String,
    outcome: Outcome,
}

type Outcome = oneshot::Sender<Result<(), AttachedRequestError>>;

impl Attached {
    /// Attaches to the session behind a socket.
    ///
    /// # Errors
    ///
    /// [`AttachError`]: there is none, it is not this user's, or it speaks another version of the protocol.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future attaches nobody.
    pub async fn connect(path: impl AsRef<Path>) -> Result<Self, AttachError> {
        let stream = socket::connect(path.as_ref(), PATIENCE).await?;
        Self::over(Box::pin(stream)).await
    }

    /// Attaches over a connection that stands.
    ///
    /// # Errors
    ///
    /// [`AttachError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future hangs up.
    pub(super) async fn over(stream: Stream) -> Result<Self, AttachError> {
        let (reader, writer) = split(stream);
        let mut lines = Lines::new(reader, LINE_BYTES);
        let first = timeout(PATIENCE, lines.next()).await.map_err(|_| AttachError::Silent(PATIENCE))?;
        let first = first.map_err(AttachError::Io)?.ok_or(AttachError::Gone)?;
        let Some((time, Line::Note(Note::Hello(hello)))) = Line::parse(&first) else {
            return Err(AttachError::NotUnderstood);
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
            decoding: Decoding::new(now.checked_sub(time).unwrap_or(now)),
            orders,
            requests: AttachedRequests(sender),
            waiting: Vec::new(),
            next_id: 1,
            is_over: false,
        })
    }

    /// What the server is called.
    pub fn server(&self) -> &str {
        &self.hello.server
    }

    /// What may be done.
    pub const fn access(&self) -> AttachAccess {
        self.hello.access
    }

    /// When the session began.
    pub const fn began(&self) -> Instant {
        self.decoding.began()
    }

    /// Where to send lines.
    pub fn requests(&self) -> AttachedRequests {
        self.requests.clone()
    }

    /// The next thing that is seen; `None` once the session is over, and has said so.
    ///
    /// # Errors
    ///
    /// [`AttachError`]: nothing more will be seen, though the session may go on.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is lost.
    pub async fn next(&mut self) -> Result<Option<Sight>, AttachError> {
        loop {
            if let Some(sight) = self.decoding.pop() {
                return Ok(Some(sight));
            }
            if self.is_over {
                return Ok(None);
            }
            self.progress().await?;
        }
    }

    /// Waits for a line, or sends some.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    ///
    /// # Cancel safety
    ///
    /// As [`next`](Self::next).
    async fn progress(&mut self) -> Result<(), AttachError> {
        let Self { lines, writer, unsent, orders, .. } = self;
        tokio::select! {
            line = lines.next() => {
                let line = line.map_err(AttachError::Io)?;
                self.take(line.as_deref())
            }
            Some(posted) = orders.recv(), if self.waiting.len() < WAITING_LINES => {
                self.post(posted);
                Ok(())
            }
            // Who does not take our lines may still tell us why.
            Ok(1..) = writer.write_buf(unsent), if !unsent.is_empty() => Ok(()),
        }
    }

    fn post(&mut self, Posted { line, outcome }: Posted) {
        let id = self.next_id;
        self.next_id += 1;
        // A number and a text can always be written.
        let _ = json::write(&mut self.unsent, &Order { id, send: line.into() });
        self.unsent.push_back(b'\n');
        self.waiting.push((id, outcome));
    }

    /// Takes in a line, or that there are no more.
    fn take(&mut self, line: Option<&[u8]>) -> Result<(), AttachError> {
        let parsed = line.map(|line| Line::parse(line).ok_or(AttachError::NotUnderstood)).transpose()?;
        match parsed {
            Some((_, Line::Note(Note::Answer(answer)))) => self.answer(answer),
            Some((_, Line::Note(Note::Bye { reason }))) => {
                self.is_over = true;
                self.judge(AttachError::Dismissed(reason.into_owned()))?;
            }
            Some((time, line)) => self.decoding.take(time, line),
            None => {
                self.is_over = true;
                self.judge(AttachError::Gone)?;
            }
        }
        Ok(())
    }

    /// An end is a failure if the session has not ended.
    fn judge(&self, error: AttachError) -> Result<(), AttachError> {
        if self.decoding.has_ended() { Ok(()) } else { Err(error) }
    }

    fn answer(&mut self, answer: Answer) {
        self.waiting.retain(|(_, outcome)| !outcome.is_closed());
        let Some(place) = self.waiting.iter().position(|(id, _)| *id == answer.id) else { return };
        let (_, outcome) = self.waiting.swap_remove(place);
        // Who does not wait any more does not need it.
        let _ = outcome.send(match answer.error {
            None => Ok(()),
            Some(Refusal::ReadOnly) => Err(AttachedRequestError::ReadOnly),
            Some(Refusal::Request(error)) => Err(error.into()),
        });
    }
}

impl AttachedRequests {
    /// Sends a line, and waits until it is answered. The reply itself is seen like everything else.
    ///
    /// # Errors
    ///
    /// [`AttachedRequestError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future harms nobody: the line may have been sent.
    pub async fn request(&self, line: &str) -> Result<(), AttachedRequestError> {
        let (outcome, answered) = oneshot::channel();
        let posted = self.0.try_send(Posted { line: line.to_owned(), outcome });
        posted.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AttachedRequestError::Busy,
            mpsc::error::TrySendError::Closed(_) => AttachedRequestError::Detached,
        })?;
        match timeout(ANSWER_PATIENCE, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(AttachedRequestError::Detached),
            Err(_) => Err(RequestError::TimedOut(ANSWER_PATIENCE).into()),
        }
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached").field("hello", &self.hello).finish_non_exhaustive()
    }
}
