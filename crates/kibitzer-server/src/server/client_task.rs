//! The task that serves one client, and the queue of bytes to be written to it.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time;

use super::ActorRequest;
use crate::fault::{Fault, FaultInjector, FaultPoint, FiredFault, OutputEnd, OutputStep};
use crate::lobby::ConnectionId;

/// Size of the read buffer, which every idle connection holds.
const READ_BYTES: usize = 512;

/// Maximum number of bytes that are read but not processed, without pipelining.
const MAX_UNPROCESSED_BYTES: usize = 4096;

/// Maximum time until the next line is processed, without pipelining.
const MAX_LINE_DELAY: Duration = Duration::from_secs(2);

/// Time for a client to close its side after the server has, or to read the last output after it has closed its own.
const LINGER: Duration = Duration::from_secs(2);

/// The stream of a client.
pub(super) enum Stream {
    Tcp(TcpStream),
    /// In process, or accepted by the program.
    Other(Pin<Box<dyn OtherStream>>),
}

/// A stream that can be read and written. A trait object needs one trait for both.
pub(super) trait OtherStream: AsyncRead + AsyncWrite + Send {}

impl<S: AsyncRead + AsyncWrite + Send> OtherStream for S {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Tcp(_)) { "Stream::Tcp(..)" } else { "Stream::Other(..)" })
    }
}

/// The state of the task that serves a client, without the stream.
#[derive(Debug)]
pub(super) struct ClientTask {
    pub(super) id: ConnectionId,
    pub(super) outbox: Arc<Outbox>,
    pub(super) requests: mpsc::Sender<ActorRequest>,
    pub(super) injector: FaultInjector,
    /// Faults that are injected later.
    pub(super) faults: mpsc::Receiver<(FaultPoint, Fault)>,
    /// Channel for the faults that took effect.
    pub(super) fired: broadcast::Sender<FiredFault>,
    /// Whether lines that arrive together are processed together.
    pub(super) is_pipelined: bool,
}

impl ClientTask {
    /// Serves the client until one side closes the connection, then sends [`ActorRequest::Closed`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: bytes that were read and not passed on are lost, and the end is not reported.
    pub(super) async fn serve(self, stream: Stream) {
        let (id, requests) = (self.id, self.requests.clone());
        match stream {
            Stream::Tcp(stream) => {
                let (reader, writer) = stream.into_split();
                let enable_reset = |writer: OwnedWriteHalf| {
                    // Without this option the socket is closed normally.
                    drop(writer.as_ref().set_zero_linger());
                    writer.forget();
                };
                self.serve_halves(reader, writer, enable_reset).await;
            }
            Stream::Other(stream) => {
                let (reader, writer) = tokio::io::split(stream);
                self.serve_halves(reader, writer, |_| ()).await;
            }
        }
        // Fails only after shutdown, when the session has ended anyway.
        drop(requests.send(ActorRequest::Closed(id)).await);
    }

    /// Forwards the client's lines and writes the server's output concurrently, until one side has closed the connection; then
    /// gives the client time to read the last output. Returns at once if the actor drops the client; after a stall, waits until
    /// the session ends. `reset` makes the stream reset when it is dropped.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe, like [`serve`](Self::serve).
    async fn serve_halves<R, W>(mut self, mut reader: R, mut writer: W, reset: impl FnOnce(W))
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let (id, requests, outbox) = (self.id, self.requests.clone(), Arc::clone(&self.outbox));
        let is_pipelined = self.is_pipelined;
        let end = {
            let mut writing = pin!(self.write_output(&mut writer));
            tokio::select! {
                () = outbox.wait_until_discarded() => return,
                end = &mut writing => end,
                () = forward_lines(&mut reader, id, &outbox, &requests, is_pipelined) => {
                    // It may have closed its own half only, and is still sent the replies to its earlier lines.
                    drop(requests.send(ActorRequest::Closed(id)).await);
                    let Ok(end) = time::timeout(LINGER, writing).await else { return };
                    end
                }
            }
        };
        match end {
            Ok(OutputEnd::Stall) => while !outbox.wait_and_take().await.is_last {},
            Ok(OutputEnd::Reset) => reset(writer),
            // Unread bytes would cause a reset, by which the client could lose the last output.
            Ok(OutputEnd::Close) => {
                drop(time::timeout(LINGER, tokio::io::copy(&mut reader, &mut tokio::io::sink())).await);
            }
            Err(_) => {}
        }
    }

    /// Writes the server's output, modified by the connection's faults, and reports and forwards the faults that take effect.
    /// Returns how this ends; after [`OutputEnd::Close`] the writing half is closed.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: bytes taken from the outbox and not written are lost.
    async fn write_output<W: AsyncWrite + Unpin>(&mut self, writer: &mut W) -> io::Result<OutputEnd> {
        loop {
            let (steps, is_last) = tokio::select! {
                // Faults first, so that one that was injected before some output applies to it.
                biased;
                Some((at, fault)) = self.faults.recv() => (self.injector.inject(at, fault).into_iter().collect(), false),
                pending = self.outbox.wait_and_take() => (self.injector.apply_to_output(&pending.bytes), pending.is_last),
            };
            for fault in self.injector.drain_fired(self.id.0) {
                // Fails if there is no receiver.
                let _ = self.fired.send(fault);
            }
            for step in steps {
                match step {
                    OutputStep::Write(bytes) => writer.write_all(&bytes).await?,
                    OutputStep::Wait(delay) => time::sleep(delay).await,
                    OutputStep::End(end) => {
                        if end == OutputEnd::Close {
                            writer.shutdown().await?;
                        }
                        return Ok(end);
                    }
                    OutputStep::Forward(fault) => {
                        drop(self.requests.send(ActorRequest::ApplyFault(self.id, fault)).await);
                    }
                }
            }
            if is_last {
                writer.shutdown().await?;
                return Ok(OutputEnd::Close);
            }
            writer.flush().await?;
        }
    }
}

/// Forwards the client's bytes, a line or an unfinished line at a time, until the client closes the connection. Waits while a
/// reply is due or the outbox is more than half full, so that a client that sends many commands at once is throttled to the pace
/// at which it reads the replies.
///
/// # Cancel safety
///
/// Not cancel safe: bytes that were read and not passed on are lost.
async fn forward_lines<R: AsyncRead + Unpin>(
    reader: &mut R,
    id: ConnectionId,
    outbox: &Outbox,
    requests: &mpsc::Sender<ActorRequest>,
    is_pipelined: bool,
) {
    let mut buffer = [0; READ_BYTES];
    let mut unprocessed = Vec::new();
    loop {
        tokio::select! {
            length = reader.read(&mut buffer), if unprocessed.len() < MAX_UNPROCESSED_BYTES => match length {
                Ok(length @ 1..) => unprocessed.extend_from_slice(buffer.get(..length).unwrap_or_default()),
                _ => return,
            },
            () = time::sleep(MAX_LINE_DELAY), if !unprocessed.is_empty() => {}
        }
        let n_lines = if is_pipelined { usize::MAX } else { 1 };
        let mut n_processed = 0;
        for line in unprocessed.split_inclusive(|&byte| byte == b'\n').take(n_lines) {
            // Bounds the replies to a client that sends faster than it reads.
            outbox.wait_until_half_empty().await;
            let (done, replied) = oneshot::channel();
            if requests.send(ActorRequest::Received(id, line.to_vec(), done)).await.is_err() {
                return;
            }
            drop(replied.await);
            n_processed += line.len();
        }
        unprocessed.drain(..n_processed);
    }
}

/// Queue of bytes from the actor, which never waits, to the task that writes them as fast as its client reads.
#[derive(Debug)]
pub(crate) struct Outbox {
    /// Wakes those who wait at each change.
    state: watch::Sender<OutboxState>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct OutboxState {
    pending: OutboxContents,
    is_closed: bool,
    is_discarded: bool,
}

/// Bytes taken from the queue at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OutboxContents {
    pub(crate) bytes: Vec<u8>,
    /// Whether nothing follows.
    pub(crate) is_last: bool,
}

impl Outbox {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { state: watch::Sender::default(), max_bytes }
    }

    /// Adds bytes; `is_last` closes the queue. Returns `false` and adds nothing if the queue would exceed its limit, because the
    /// client does not read. On a closed queue, does nothing and returns `true`.
    pub(crate) fn try_push(&self, bytes: &[u8], is_last: bool) -> bool {
        let mut has_room = true;
        self.state.send_if_modified(|state| {
            has_room = state.is_closed || state.pending.bytes.len() + bytes.len() <= self.max_bytes;
            if has_room && !state.is_closed {
                state.pending.bytes.extend_from_slice(bytes);
                state.pending.is_last = is_last;
                state.is_closed = is_last;
            }
            has_room
        });
        has_room
    }

    /// Discards all queued bytes and closes the queue; the task that serves the client then ends.
    pub(crate) fn discard(&self) {
        let pending = OutboxContents { bytes: Vec::new(), is_last: true };
        self.state.send_replace(OutboxState { pending, is_closed: true, is_discarded: true });
    }

    /// Waits until [`discard`](Self::discard) is called.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn wait_until_discarded(&self) {
        // Cannot fail, as the sender lives as long as `self`; also below.
        drop(self.state.subscribe().wait_for(|state| state.is_discarded).await);
    }

    /// Waits until at most half of the limit is unsent.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn wait_until_half_empty(&self) {
        drop(self.state.subscribe().wait_for(|state| state.pending.bytes.len() <= self.max_bytes / 2).await);
    }

    /// Waits until bytes are queued or the queue is closed, and removes and returns all bytes. After the last contents it never
    /// completes.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes that were not returned stay in the queue.
    pub(crate) async fn wait_and_take(&self) -> OutboxContents {
        let is_due = |state: &OutboxState| !state.pending.bytes.is_empty() || state.pending.is_last;
        drop(self.state.subscribe().wait_for(is_due).await);
        let mut taken = OutboxContents::default();
        self.state.send_modify(|state| taken = std::mem::take(&mut state.pending));
        taken
    }
}

#[cfg(test)]
mod tests;
