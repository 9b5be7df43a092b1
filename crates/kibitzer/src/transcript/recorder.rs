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
    pub(crate) fn record_sent(&mut self, bytes: &[u8]) {
        self.append_line("tx", bytes, "");
    }

    /// Adds the placeholder `[redacted]` in place of a sent line that must not be recorded.
    pub(crate) fn record_redacted(&mut self) {
        self.append_line("tx", REDACTED, r#", "redacted": true"#);
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
mod tests {
    use std::future::poll_fn;
    use std::io::ErrorKind;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, duplex};

    use super::super::{Direction, Record, TranscriptReader};
    use super::*;

    impl Recorder {
        async fn flush(&mut self) -> io::Result<()> {
            poll_fn(|context| self.poll_flush(context)).await
        }
    }

    fn read(text: &[u8]) -> Vec<Record> {
        TranscriptReader::new(text).map(Result::unwrap).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn records_are_read_as_they_were_recorded() {
        let (sink, mut recorded) = duplex(4096);
        let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
        let all: Vec<u8> = (0..=255).collect();
        recorder.record_received(&all);
        tokio::time::advance(Duration::from_micros(1_000_001)).await;
        recorder.record_sent(b"quit\n");
        recorder.record_redacted();
        assert!(!recorder.is_flushed());
        recorder.flush().await.unwrap();
        assert!(recorder.is_flushed());
        drop(recorder);
        let mut text = Vec::new();
        recorded.read_to_end(&mut text).await.unwrap();
        let records = read(&text);
        let [first, second, third] = &records[..] else { panic!("{records:?}") };
        assert_eq!((first.time, first.direction, &first.bytes), (Duration::ZERO, Direction::Received, &all));
        let late = Duration::from_micros(1_000_001);
        assert_eq!((second.time, second.direction, &second.bytes[..]), (late, Direction::Sent, &b"quit\n"[..]));
        assert_eq!((third.redacted, &third.bytes[..]), (true, REDACTED));
        assert!(!first.redacted && !second.redacted);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_sink_loses_nothing_and_fills_the_recorder() {
        let (sink, mut recorded) = duplex(16);
        let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
        let mut n_put = 0;
        while !recorder.is_full() {
            recorder.record_received(&[b'x'; 1000]);
            n_put += 1;
        }
        assert!(n_put > 100, "{n_put}");
        let reading = tokio::spawn(async move {
            let mut text = Vec::new();
            recorded.read_to_end(&mut text).await.unwrap();
            text
        });
        // Futures that are dropped lose no bytes.
        for _ in 0..10 {
            tokio::select! {
                biased;
                result = recorder.flush() => result.unwrap(),
                () = tokio::task::yield_now() => {}
            }
        }
        recorder.flush().await.unwrap();
        drop(recorder);
        assert_eq!(read(&reading.await.unwrap()).len(), n_put);
    }

    #[tokio::test]
    async fn a_recording_is_private_and_never_overwritten() {
        let folder = std::env::temp_dir().join(format!("kibitzer-recorder-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("session.jsonl");
        let mut recorder = Recorder::create(&path).await.unwrap();
        recorder.record_received(b"fics% ");
        recorder.flush().await.unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap()).len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let error = Recorder::create(&path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[tokio::test]
    async fn an_error_of_the_sink_is_reported() {
        let (sink, recorded) = duplex(16);
        drop(recorded);
        let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
        recorder.record_received(b"fics% ");
        assert_eq!(recorder.flush().await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        assert!(!recorder.is_flushed());
    }

    #[tokio::test]
    async fn a_file_is_counted_and_an_empty_one_is_removed() {
        let path = std::env::temp_dir().join(format!("kibitzer-recorder-empty-{}.jsonl", std::process::id()));
        drop(Recorder::create(&path).await.unwrap());
        assert!(!path.exists());
        let mut recorder = Recorder::create(&path).await.unwrap();
        recorder.record_received(b"fics% ");
        recorder.record_received(b"");
        assert_eq!(recorder.recording.pieces, 0, "nothing is written yet");
        recorder.flush().await.unwrap();
        let recording = recorder.recording.clone();
        drop(recorder);
        let written = std::fs::read(&path).unwrap();
        assert_eq!((recording.pieces, recording.bytes, &*recording.path), (2, written.len() as u64, &*path));
        let records = read(&written);
        assert!(records.iter().all(|record| record.utc.is_some()), "{records:?}");
        assert_eq!(String::from_utf8(written).unwrap().matches("utc").count(), 1);
        std::fs::remove_file(&path).unwrap();
    }
}
