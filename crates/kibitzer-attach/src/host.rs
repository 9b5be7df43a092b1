//! The task that owns the socket: it accepts watchers, writes their queues, and sends their lines to the server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use kibitzer::transcript::Utc;
use kibitzer::{Client, WeakClient};
use kibitzer_core::event::{RequestError, SessionEndReason};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, split};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::{Instrument as _, debug, info, info_span, warn};

use crate::exposure::ExposureWriter;
use crate::socket::{self, Listener, Stream};
use crate::watchers::{MAX_WATCHERS, WatcherId, Watchers};
use crate::wire::{self, Hello, LineReader, NoteKind, SendRequest, VERSION};
use crate::{AttachAccess, AttachedRequestError};

/// Time that watchers have to read the last lines after the end of the session.
const FINAL_READ_TIMEOUT: Duration = Duration::from_millis(250);
/// Time that a watcher has to accept one queued line before it is disconnected. It is long, because the process may be stopped in
/// a debugger.
const READ_TIMEOUT: Duration = Duration::from_mins(10);
/// Time that a refused or disconnected peer has to read the reason.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failure to accept a connection, such as too many open files.
const ACCEPT_RETRY: Duration = Duration::from_secs(1);
/// Maximum length in bytes of a line from a watcher, which no encoded command exceeds. A longer line ends the connection.
const MAX_REQUEST_BYTES: usize = 16 << 10;
/// Maximum number of lines of one watcher that wait for their reply; no more are read until one is answered.
const UNANSWERED_LINES: usize = 64;

/// Spawns the task that accepts watchers of a session. Returns the observer that writes lines for them, which the caller has to
/// add to the session.
pub(crate) fn spawn_host(listener: Listener, access: AttachAccess, client: &Client) -> ExposureWriter {
    let watchers = Arc::new(Watchers::default());
    let hello = Hello {
        version: VERSION,
        program: concat!("kibitzer ", env!("CARGO_PKG_VERSION")).to_owned(),
        server: client.server().to_owned(),
        access,
        utc: None,
    };
    let began = client.began();
    let span = info_span!("attach", server = client.server());
    // The host must not keep the session alive.
    let host = WatcherHost { watchers: Arc::clone(&watchers), client: client.downgrade(), hello, began };
    let task = tokio::spawn(host.accept_until_session_ends(async move || listener.accept().await).instrument(span));
    ExposureWriter::new(watchers, task, began)
}

/// The state that the task that accepts watchers and the tasks that serve them share.
#[derive(Clone)]
struct WatcherHost {
    watchers: Arc<Watchers>,
    client: WeakClient,
    hello: Hello,
    began: Instant,
}

impl WatcherHost {
    /// Accepts watchers with `accept` until the session is over, then drops `accept`, which owns the socket, and waits at most
    /// [`FINAL_READ_TIMEOUT`] until the watchers have read the last lines.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future disconnects all watchers and removes the socket's file.
    async fn accept_until_session_ends(self, accept: impl AsyncFn() -> io::Result<Stream>) {
        let mut peers = JoinSet::new();
        let mut may_accept_at = Instant::now();
        loop {
            let next = async {
                sleep_until(may_accept_at).await;
                accept().await
            };
            tokio::select! {
                accepted = next => match accepted {
                    // Refused peers are tasks, too, so their number is limited.
                    Ok(_) if peers.len() >= 2 * MAX_WATCHERS => {}
                    Ok(stream) if socket::is_peer_same_user(&stream).is_ok_and(|is_same| is_same) => {
                        peers.spawn(self.clone().serve(stream).in_current_span());
                    }
                    Ok(stream) => {
                        warn!("watcher of another user refused");
                        peers.spawn(self.clone().refuse(stream, "you are not the user of this session").in_current_span());
                    }
                    Err(error) => {
                        warn!(%error, "no watcher can be accepted");
                        may_accept_at = Instant::now() + ACCEPT_RETRY;
                    }
                },
                Some(_) = peers.join_next() => {}
                () = self.watchers.closed() => break,
            }
        }
        drop(accept);
        let _ = timeout(FINAL_READ_TIMEOUT, async { while peers.join_next().await.is_some() {} }).await;
    }

    /// Serves one watcher until it closes its writing end, breaks the protocol, reads too slowly, or the session is over; then
    /// sends it the rest of its queue, or the reason. Refuses it if there are too many, or the session is over.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future disconnects the watcher.
    async fn serve<S: AsyncRead + AsyncWrite + Send>(self, stream: S) {
        let Some(id) = self.watchers.join(self.hello_line()) else {
            return self.refuse(stream, "too many watchers, or the session is over").await;
        };
        info!(watcher = id, "watcher attached");
        let (reader, mut writer) = split(stream);
        let mut unsent = Bytes::new();
        let outcome = tokio::select! {
            written = self.write_queued_lines(id, &mut writer, &mut unsent) => written,
            read = self.forward_and_answer_requests(id, reader) => read,
        };
        let unread = self.watchers.leave(id);
        info!(watcher = id, error = outcome.as_ref().err().map(tracing::field::display), "watcher detached");
        let last = match outcome {
            // A watcher that has closed only its writing end reads the answers to its last lines.
            Ok(()) => unread.concat().into(),
            Err(error) => self.note_line(NoteKind::Bye { reason: error.to_string().into() }),
        };
        // After the rest of a line that was being written. The watcher may be unable to read it.
        let _ = timeout(REFUSAL_TIMEOUT, writer.write_all_buf(&mut unsent.chain(last))).await;
    }

    /// Sends the first line and the reason for a refusal, and closes the connection.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future disconnects the peer.
    async fn refuse<S: AsyncWrite>(self, stream: S, reason: &'static str) {
        let mut stream = std::pin::pin!(stream);
        let lines = [self.hello_line(), self.note_line(NoteKind::Bye { reason: reason.into() })].concat();
        let sent = timeout(REFUSAL_TIMEOUT, async {
            stream.write_all(&lines).await?;
            stream.shutdown().await
        });
        // The peer may be unable to read it.
        let _ = sent.await;
    }

    /// Writes the queue of a watcher until the session is over. `unsent` is the rest of the line that is being written.
    ///
    /// # Errors
    ///
    /// The watcher is gone, or has not accepted a line within [`READ_TIMEOUT`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes that are not written are queued or in `unsent`.
    async fn write_queued_lines(
        &self,
        id: WatcherId,
        writer: &mut (impl AsyncWrite + Unpin),
        unsent: &mut Bytes,
    ) -> io::Result<()> {
        while let Some(line) = self.watchers.next_line(id).await {
            *unsent = line;
            let written = timeout(READ_TIMEOUT, writer.write_all_buf(unsent)).await;
            written.map_err(|_| io::Error::other("nothing is read"))??;
        }
        writer.shutdown().await
    }

    /// Sends the lines of a watcher to the server and queues the answers. Returns once the watcher has closed its writing end, or its
    /// process has died, and every line is answered.
    ///
    /// # Errors
    ///
    /// A line is not valid, or answers are not read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the answers to its lines.
    async fn forward_and_answer_requests(&self, id: WatcherId, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = LineReader::new(reader, MAX_REQUEST_BYTES);
        let mut answers = JoinSet::new();
        let mut is_open = true;
        loop {
            tokio::select! {
                line = lines.next(), if is_open && answers.len() < UNANSWERED_LINES => match line? {
                    Some(line) => {
                        let order = serde_json::from_slice::<SendRequest<'_>>(&line).map_err(|_| io::Error::other("invalid line"))?;
                        answers.spawn(send_and_answer(self.client.clone(), self.hello.access, order.id, order.send.into_owned()));
                    }
                    None => is_open = false,
                },
                Some(answer) = answers.join_next() => {
                    // A panic was reported where it happened; it has no answer.
                    let Ok(answer) = answer else { continue };
                    let line = self.note_line(answer);
                    if !self.watchers.try_queue_answer(id, line) {
                        return Err(io::Error::other("answers are not read"));
                    }
                }
                else => return Ok(()),
            }
        }
    }

    /// Returns the first line for a watcher, with the current time of day.
    fn hello_line(&self) -> Bytes {
        self.note_line(NoteKind::Hello(Hello { utc: Some(Utc::now().to_string()), ..self.hello.clone() }))
    }

    /// Returns the line of a note with the current time.
    fn note_line(&self, kind: NoteKind) -> Bytes {
        wire::note_line(self.began.elapsed(), kind)
    }
}

/// Sends a watcher's line to the server and waits for the result, unless watchers may only read. Keeps the client alive
/// meanwhile.
///
/// # Cancel safety
///
/// Dropping the future loses the result; the line may have been sent.
async fn send_and_answer(client: WeakClient, access: AttachAccess, id: u64, line: String) -> NoteKind {
    let error = if !access.may_send() {
        Some(AttachedRequestError::ReadOnly)
    } else if let Some(client) = client.upgrade() {
        debug!(id, "line of a watcher");
        client.request(line.as_str()).await.err().map(Into::into)
    } else {
        Some(RequestError::Ended(SessionEndReason::Shutdown).into())
    };
    NoteKind::Answer { id, error }
}

#[cfg(test)]
mod tests;
