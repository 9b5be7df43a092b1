//! Writing transcripts of running sessions.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BufMut as _, BytesMut};
use tokio::fs::OpenOptions;
use tokio::io::AsyncWrite;
use tokio::time::Instant;

use super::{Utc, hex};
use kibitzer_core::event::Attribution;

/// Size of the unwritten lines, in bytes, from which a recorder is full and the session pauses reading: 1 MiB, which holds about
/// half a MiB of received bytes, because each byte is two hexadecimal digits.
const FULL_BYTES: usize = 1 << 20;

/// Placeholder for a line that is not recorded.
const REDACTED: &[u8] = b"[redacted]\n";

/// The state of a recording that was started for a session: its file, its size so far, and its failure if there was one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// Path of the file.
    pub path: Arc<Path>,
    /// Number of pieces in the file, counted at the end of each complete flush.
    pub pieces: u64,
    /// Size of those pieces' lines in the file, in bytes.
    pub bytes: u64,
    /// The error that ended the recording before its session; `None` while it continues, or if it is complete.
    pub error: Option<Arc<io::Error>>,
}

/// Writes a transcript piece by piece. Adding a piece never waits: it only appends a line to a buffer in memory.
///
/// Pieces are added to a buffer, which [`poll_flush`](Self::poll_flush) writes. Times are tokio's, counted from the creation of
/// the recorder.
pub(crate) struct Recorder {
    sink: Pin<Box<dyn AsyncWrite + Send + Sync>>,
    /// Creation of the recorder, from which times are counted.
    began: Instant,
    /// Complete lines, and possibly the rest of one, that the sink has not accepted yet.
    unwritten: BytesMut,
    /// Pieces that were added since the last complete flush. Some of them may be in the sink already.
    pub(super) n_unwritten: u64,
    /// Bytes of all lines that were added.
    n_bytes: u64,
    /// Whether the sink may hold bytes that are not flushed.
    is_dirty: bool,
    /// The file, and how much of the recording is written to it.
    pub(super) recording: Recording,
}

impl Recorder {
    /// Creates a recorder that writes to a new file. Only its owner can read it, because it contains private talk. The file is
    /// removed if no piece is added before the recorder is dropped.
    ///
    /// # Errors
    ///
    /// Errors of the operating system: the file exists, or cannot be created.
    ///
    /// # Cancel safety
    ///
    /// An empty file may remain if the future is dropped before it is ready.
    pub(crate) async fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let file = options.open(path).await;
        let file = file.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot create the recording {}: {error}", path.display()))
        })?;
        Ok(Self::new(path, file))
    }

    /// Creates a recorder for a sink that is the file at this path. Its time 0 is the time of this call. The file is removed if
    /// no piece is added before the recorder is dropped.
    pub(super) fn new(path: &Path, sink: impl AsyncWrite + Send + Sync + 'static) -> Self {
        Self {
            sink: Box::pin(sink),
            began: Instant::now(),
            unwritten: BytesMut::new(),
            n_unwritten: 0,
            n_bytes: 0,
            is_dirty: false,
            recording: Recording { path: path.into(), pieces: 0, bytes: 0, error: None },
        }
    }

    /// Adds a piece of received bytes. An empty slice records the end of the connection.
    pub(crate) fn record_received(&mut self, bytes: &[u8]) {
        self.append_line("rx", bytes, "");
    }

    /// Adds a piece of sent bytes, without any redaction; use [`record_redacted`](Self::record_redacted) for private lines.
    pub(crate) fn record_sent(&mut self, bytes: &[u8], attribution: Attribution) {
        self.append_line("tx", bytes, &attribution_members(attribution));
    }

    /// Adds the placeholder `[redacted]` in place of a sent line that must not be recorded.
    pub(crate) fn record_redacted(&mut self, attribution: Attribution) {
        let marks = r#", "redacted": true"#.to_owned() + &attribution_members(attribution);
        self.append_line("tx", REDACTED, &marks);
    }

    /// Returns whether the buffer holds twice the size of a full one, although the session pauses reading.
    pub(super) fn is_overfull(&self) -> bool {
        self.unwritten.len() >= 2 * FULL_BYTES
    }

    /// Returns whether the buffer holds 1 MiB or more and should be flushed first. A full recorder still accepts every piece.
    pub(crate) fn is_full(&self) -> bool {
        self.unwritten.len() >= FULL_BYTES
    }

    /// Returns whether the sink has accepted and flushed every piece.
    pub(super) fn is_flushed(&self) -> bool {
        self.unwritten.is_empty() && !self.is_dirty
    }

    /// Writes all buffered pieces to the sink and flushes it. Pieces that are not written, because the sink is not ready or
    /// fails, remain in the buffer.
    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unwritten.is_empty() {
            let n_written = ready!(self.sink.as_mut().poll_write(context, &self.unwritten))?;
            if n_written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unwritten.advance(n_written);
            self.is_dirty = true;
        }
        // An idle session keeps no buffer.
        self.unwritten = BytesMut::new();
        ready!(self.sink.as_mut().poll_flush(context))?;
        self.recording.pieces += self.n_unwritten;
        self.recording.bytes = self.n_bytes;
        (self.is_dirty, self.n_unwritten) = (false, 0);
        Poll::Ready(Ok(()))
    }

    /// Appends the line of a piece, with the current time, to the buffer. `mark` is inserted at the end of the JSON object; it is
    /// empty or begins with a comma. The first line of a recording also states the time of day.
    fn append_line(&mut self, direction: &str, bytes: &[u8], mark: &str) {
        let before = self.unwritten.len();
        let mark = match self.n_bytes {
            0 => Cow::Owned(format!(r#"{mark}, "utc": "{}""#, Utc::now())),
            _ => Cow::Borrowed(mark),
        };
        let (time, hex) = (self.began.elapsed(), hex::encode(bytes));
        let (seconds, micros) = (time.as_secs(), time.subsec_micros());
        let line = format!("{{\"t\": {seconds}.{micros:06}, \"dir\": \"{direction}\", \"hex\": \"{hex}\"{mark}}}\n");
        self.unwritten.put_slice(line.as_bytes());
        self.n_unwritten += 1;
        self.n_bytes += u64::try_from(self.unwritten.len() - before).unwrap_or(u64::MAX);
    }
}

/// Returns the members of a sent line's object that state its request and who made it, each after a comma.
fn attribution_members(attribution: Attribution) -> String {
    let request = attribution.request().map(|request| format!(r#", "request": {}"#, request.number()));
    let origin = attribution.origin().map(<&str>::from).map(|origin| format!(r#", "requested_by": "{origin}""#));
    [request, origin].into_iter().flatten().collect()
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.n_bytes == 0 {
            // An empty file that cannot be removed is harmless.
            let _ = std::fs::remove_file(&self.recording.path);
        }
    }
}

/// Shows no bytes, because they contain private talk.
impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("unwritten_bytes", &self.unwritten.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
