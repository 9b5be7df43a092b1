//! Writing transcripts while a session goes on.

use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BytesMut};
use thiserror::Error;
use tokio::fs::OpenOptions;
use tokio::io::AsyncWrite;
use tokio::time::Instant;

use super::line::{self, REDACTED};
use super::{Direction, Utc};

/// Unwritten bytes from which on the session should wait for the disk: 1 MiB, which is half a MiB received.
const FULL_BYTES: usize = 1 << 20;

/// Why there is no recording.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be made. One that exists is not written over.
    #[error("cannot create the recording {path}", path = .path.display())]
    Create {
        /// Where it was to be.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Writes a transcript, piece by piece, without making anybody wait for a disk.
///
/// Pieces are put down in memory at once; [`flush`](Self::flush) writes them out. Times are tokio's, counted from when the
/// recorder was made.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use kibitzer::transcript::{Direction, Recorder, TranscriptReader};
///
/// let (sink, mut recorded) = tokio::io::duplex(1024);
/// let mut recorder = Recorder::new(sink);
/// recorder.received(b"password: ");
/// recorder.sent_secret();
/// recorder.flush().await?;
/// drop(recorder);
///
/// let mut text = Vec::new();
/// tokio::io::AsyncReadExt::read_to_end(&mut recorded, &mut text).await?;
/// let records: Vec<_> = TranscriptReader::new(&text[..]).map(Result::unwrap).collect();
/// assert_eq!((records[0].direction, &records[0].bytes[..]), (Direction::Received, &b"password: "[..]));
/// assert!(records[1].redacted);
/// # Ok(())
/// # }
/// ```
pub struct Recorder {
    sink: Pin<Box<dyn AsyncWrite + Send + Sync>>,
    began: Instant,
    unwritten: BytesMut,
    /// Pieces that were put down since all was out.
    n_unwritten: u64,
    /// Whether something was put down.
    has_begun: bool,
    /// The sink has taken bytes it may still hold.
    is_dirty: bool,
}

impl Recorder {
    /// A recording that goes to this sink, and begins now.
    pub fn new(sink: impl AsyncWrite + Send + Sync + 'static) -> Self {
        Self {
            sink: Box::pin(sink),
            began: Instant::now(),
            unwritten: BytesMut::new(),
            n_unwritten: 0,
            has_begun: false,
            is_dirty: false,
        }
    }

    /// A recording in a new file that only its owner can read: it holds what was said in private.
    ///
    /// # Errors
    ///
    /// [`RecordError::Create`] if the file exists or cannot be made.
    ///
    /// # Cancel safety
    ///
    /// The file may have been made if the future is dropped before it is ready.
    pub async fn create(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let file = options.open(path).await;
        file.map(Self::new).map_err(|source| RecordError::Create { path: path.to_owned(), source })
    }

    /// Puts down what the server sent.
    pub fn received(&mut self, bytes: &[u8]) {
        self.put(Direction::Received, bytes, "");
    }

    /// Puts down what was sent to the server.
    pub fn sent(&mut self, bytes: &[u8]) {
        self.put(Direction::Sent, bytes, "");
    }

    /// Puts down that something secret was sent, and not what.
    pub fn sent_secret(&mut self) {
        self.put(Direction::Sent, REDACTED, r#", "redacted": true"#);
    }

    /// Whether so much is unwritten that no more should be put down before some of it is out.
    pub fn is_full(&self) -> bool {
        self.unwritten.len() >= FULL_BYTES
    }

    /// Whether everything that was put down is out.
    pub fn is_flushed(&self) -> bool {
        self.unwritten.is_empty() && !self.is_dirty
    }

    /// How many pieces may not be out yet.
    pub fn n_unwritten(&self) -> u64 {
        self.n_unwritten
    }

    /// Writes out everything that was put down.
    ///
    /// # Errors
    ///
    /// Those of the sink; what is unwritten stays.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not written stays.
    pub async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|context| self.poll_flush(context)).await
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
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
        (self.is_dirty, self.n_unwritten) = (false, 0);
        Poll::Ready(Ok(()))
    }

    fn put(&mut self, direction: Direction, bytes: &[u8], mark: &str) {
        let mark = match std::mem::replace(&mut self.has_begun, true) {
            false => Cow::Owned(format!(r#"{mark}, "utc": "{}""#, Utc::now())),
            true => Cow::Borrowed(mark),
        };
        self.n_unwritten += 1;
        line::put(&mut self.unwritten, self.began.elapsed(), direction, bytes, &mark);
    }
}

/// Shows no bytes: they are what people said to each other.
impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("unwritten_bytes", &self.unwritten.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, duplex};

    use super::super::{Record, TranscriptReader};
    use super::*;

    fn read(text: &[u8]) -> Vec<Record> {
        TranscriptReader::new(text).map(Result::unwrap).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_recorded_is_read_back() {
        let (sink, mut recorded) = duplex(4096);
        let mut recorder = Recorder::new(sink);
        let all: Vec<u8> = (0..=255).collect();
        recorder.received(&all);
        tokio::time::advance(Duration::from_micros(1_000_001)).await;
        recorder.sent(b"quit\n");
        recorder.sent_secret();
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
        let mut recorder = Recorder::new(sink);
        let mut n_put = 0;
        while !recorder.is_full() {
            recorder.received(&[b'x'; 1000]);
            n_put += 1;
        }
        assert!(n_put > 100, "{n_put}");
        let reading = tokio::spawn(async move {
            let mut text = Vec::new();
            recorded.read_to_end(&mut text).await.unwrap();
            text
        });
        // A future that is dropped has lost nothing.
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
    async fn a_file_is_its_owners_and_never_written_over() {
        let folder = std::env::temp_dir().join(format!("kibitzer-recorder-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("session.jsonl");
        let mut recorder = Recorder::create(&path).await.unwrap();
        recorder.received(b"fics% ");
        recorder.flush().await.unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap()).len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let error = Recorder::create(&path).await.unwrap_err();
        let RecordError::Create { source, .. } = error;
        assert_eq!(source.kind(), ErrorKind::AlreadyExists);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[tokio::test]
    async fn a_sink_that_fails_says_so() {
        let (sink, recorded) = duplex(16);
        drop(recorded);
        let mut recorder = Recorder::new(sink);
        recorder.received(b"fics% ");
        assert_eq!(recorder.flush().await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        assert!(!recorder.is_flushed());
    }
}
