//! `kibitzer publish`: stores the events of a recording or a live session in a NATS JetStream stream.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use kibitzer::internal::recorded::{PieceDecoder, SessionClock, Stamp, StreamPiece};
use kibitzer::{Observation, Tap};
use kibitzer_core::{Event, EventKind};
use kibitzer_nats::{EventStream, PublishOptions, Publisher, SessionName, WhenUnreachable};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::StreamArgs;
use crate::arguments::{ReaderArgs, parse_duration};
use crate::decode::{Progress, RecordedInput};
use crate::failure::{EXIT_STATUS, Failure, USAGE, report};
use crate::live::{
    LineSender, LoginArgs, StopArgs, StopSignal, Target, report_recorded, send_typed_until_failure,
    start_unless_stopped, wait_for_end,
};

/// Store the events of a session in a NATS JetStream stream
///
/// Each event is the JSON line of `kibitzer decode`, stored once and in order, however often this program, the NATS server or the
/// connection between them fails. A recording continues after the last event in the stream; a live session appends to it, and
/// lines of standard input are sent as commands. Of several publishers of one session, only the last one continues.
#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[arg(value_name = "RECORDING|PROFILE|HOST[:PORT]", help = SOURCE_HELP)]
    source: String,
    #[command(flatten)]
    stream: StreamArgs,
    /// Name of the session in the stream [default: the name of the recording, or the server]
    #[arg(long, value_name = "NAME", value_parser = SessionName::new)]
    session: Option<SessionName>,
    /// When 8 MiB of events wait for the server [default: drop for a live session, hold for a recording]
    #[arg(long, value_enum, value_name = "POLICY", requires_if("spill", "spill"))]
    when_unreachable: Option<UnreachablePolicy>,
    /// The file for `--when-unreachable spill`; events that it has are stored first
    #[arg(long, value_name = "FILE")]
    spill: Option<PathBuf>,
    /// Maximum size of that file, in MiB; then events are dropped
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    spill_limit: u32,
    /// Age after which a new stream deletes events, such as 48h; 0s for never [default: 168h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    max_age: Option<Duration>,
    /// Size in MiB beyond which a new stream deletes the oldest events [default: 4096]
    #[arg(long, value_name = "MIB")]
    max_size: Option<u32>,
    /// Record the live session in this new file, too
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    reader: ReaderArgs,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    ending: StopArgs,
}

const SOURCE_HELP: &str = "A recording or raw log (an existing file, or NAME.jsonl), or a server: fics, icc, demo, a profile (PATH.toml), or HOST[:PORT]";

const EXAMPLES: &str = "\
Examples:
  kibitzer publish session.jsonl --nats nats://localhost:4222     a recording; again to continue
  kibitzer publish fics --session fics-1 --nats nats://nats:4222  a live session, as a guest
  echo 'observe /b' | kibitzer publish fics --record fics.jsonl   with KIBITZER_NATS, and a recording as the archive";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UnreachablePolicy {
    /// Drop events, and store one event with the range
    Drop,
    /// Hold the session or the recording back
    Hold,
    /// Write every event to a file until it is stored, so that a killed process loses none
    Spill,
}

/// Capacity of the channel from the decoder of a recording, in events.
const DECODED_LINES: usize = 512;

/// Maximum number of received bytes that wait for their event when more arrive.
const MAX_UNUSED_BYTES: usize = 256 << 10;

/// Time to store the rest after the end of a live session.
const FINAL_STORE_TIMEOUT: Duration = Duration::from_secs(10);

impl Args {
    /// Publishes the recording or live session that the arguments name, until its end or the stop signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session; events in memory are lost.
    pub(crate) async fn publish_source(&self) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let server = self.parse_server_unless_recording()?;
        // A large future: connecting has many steps.
        let publisher = Box::pin(self.start_publisher(server.as_ref(), self.publish_options(server.as_ref())?));
        let Some(publisher) = ending.unless_stopped(publisher).await else { return Ok(()) };
        match server {
            None => {
                let publishing = self.publish_recording(publisher?);
                ending.unless_stopped(publishing).await.unwrap_or(Ok(()))
            }
            Some(target) => self.connect_and_publish(publisher?, target, &mut ending).await,
        }
    }

    /// Parses the source as a server; `None` for a recording, which is an existing file that does not end in `.toml`, or any name
    /// that ends in `.jsonl`.
    fn parse_server_unless_recording(&self) -> Result<Option<Target>, Failure> {
        let path = Path::new(&self.source);
        let has_extension = |name: &str| path.extension().is_some_and(|extension| extension == name);
        if has_extension("jsonl") || path.is_file() && !has_extension("toml") {
            return Ok(None);
        }
        self.source.parse().map(Some).map_err(|error| Failure::new(USAGE, format!("{}: {error}", self.source)))
    }

    /// Returns the options of the publisher, which reports on standard error when NATS stops or resumes to store events.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the arguments contradict each other or the kind of source.
    fn publish_options(&self, server: Option<&Target>) -> Result<PublishOptions, Failure> {
        let options = server.map_or_else(PublishOptions::recording, |_| PublishOptions::live());
        let options = options.on_link_change(|failure| match failure {
            Some(reason) => report(&format!("NATS stores no events: {reason}")),
            None => report("NATS stores events again"),
        });
        let policy = match (self.when_unreachable, &self.spill) {
            (Some(UnreachablePolicy::Spill), _) if server.is_none() => {
                return Err(Failure::new(USAGE, "a recording is on disk already: nothing to spill (try hold)"));
            }
            (Some(UnreachablePolicy::Spill), Some(path)) => {
                WhenUnreachable::spill(path.clone(), u64::from(self.spill_limit) << 20)
            }
            (_, Some(_)) => return Err(Failure::new(USAGE, "--spill belongs to --when-unreachable spill")),
            (Some(UnreachablePolicy::Drop), _) => WhenUnreachable::Drop,
            (Some(UnreachablePolicy::Hold), _) => WhenUnreachable::Hold,
            _ => return Ok(options),
        };
        Ok(options.when_unreachable(policy))
    }

    /// Connects to the NATS server, opens or creates the stream, and creates a publisher that continues after the last stored
    /// event of the session. `server` is `None` for a recording.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is published.
    async fn start_publisher(&self, server: Option<&Target>, options: PublishOptions) -> Result<Publisher, Failure> {
        let max_bytes = self.max_size.map(|mebibytes| i64::from(mebibytes) << 20);
        let stream = self.stream.resolve_stream_options()?.max_age(self.max_age).max_bytes(max_bytes);
        let session = match (&self.session, server) {
            (Some(session), _) => session.clone(),
            (None, Some(Target::Address(_))) => SessionName::new(&self.source)?,
            (None, _) => SessionName::new(&Path::new(&self.source).file_stem().unwrap_or_default().to_string_lossy())?,
        };
        Ok(Publisher::start(EventStream::open_or_create(&stream).await?, session, options).await?)
    }

    /// Publishes a recording to its end, and waits without a limit until everything is stored.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next run continues after the last stored event.
    async fn publish_recording(&self, mut publisher: Publisher) -> Result<(), Failure> {
        let (sender, mut lines) = mpsc::channel(DECODED_LINES);
        let reader = self.reader;
        let path = PathBuf::from(&self.source);
        let decoding = spawn_blocking(move || send_recorded_lines(&path, reader, &sender));
        while let Some(line) = lines.recv().await {
            publisher.push(line.into()).await?;
        }
        // Never cancelled, so an error is a panic, which its thread has reported.
        let decoded = decoding.await.unwrap_or(Ok(()));
        publisher.finish(Duration::MAX).await?;
        decoded
    }

    /// Starts a session on the chess server, and publishes it until it ends or the stop signal arrives. Sends the lines of
    /// standard input. Then shuts the session down, and stores the rest of its events, for at most twice ten seconds.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session; events in memory are lost.
    async fn connect_and_publish(
        &self,
        mut publisher: Publisher,
        target: Target,
        ending: &mut StopSignal,
    ) -> Result<(), Failure> {
        let profile = async {
            let profile = self.login.load_profile_and_ask_password(&target).await?;
            Ok(match &self.record {
                Some(path) => profile.record_file(path),
                None => profile,
            })
        };
        let Some(started) = start_unless_stopped(&target, profile, ending).await? else { return Ok(()) };
        let (client, tap, server) = started;
        let mut source = LiveSource { tap, clock: SessionClock::new(client.began()), lines: StoredLines::default() };
        let published = tokio::select! {
            pushed = source.push_until_end(&mut publisher) => pushed,
            failure = send_typed_until_failure(LineSender::Own(client.clone()), tokio::io::stdin()) => Err(failure),
            () = ending.wait() => Ok(()),
        };
        let rest = tokio::time::timeout(FINAL_STORE_TIMEOUT, source.push_until_end(&mut publisher));
        let (_, rest) = tokio::join!(client.shutdown(), rest);
        drop(source);
        let published = published.and(rest.unwrap_or(Ok(())));
        let ended = wait_for_end(&server, &client, published).await.map(report_recorded);
        let stored = publisher.finish(FINAL_STORE_TIMEOUT).await;
        ended.and(stored.map_err(Failure::from))
    }
}

/// Decodes a recording, and sends the line of each event to a channel. Blocks while the channel is full, and fails once its
/// receiver is dropped.
fn send_recorded_lines(path: &Path, reader: ReaderArgs, lines: &mpsc::Sender<Vec<u8>>) -> Result<(), Failure> {
    let mut input = RecordedInput::open(Some(path), Progress::Shown)?;
    let mut decoder = PieceDecoder::new(move || reader.event_reader());
    let mut stored = StoredLines::default();
    let mut last_stamp = None;
    let mut cut_line = None;
    let send = |line: Option<Vec<u8>>| {
        let sent = line.map_or(Ok(()), |line| lines.blocking_send(line));
        sent.map_err(|_| Failure::local("publishing has failed"))
    };
    while let Some((piece, stamp)) = input.next()? {
        last_stamp = stamp.or(last_stamp);
        if let StreamPiece::Received(bytes) = &piece {
            stored.push(bytes);
        }
        decoder.decode(&piece, |event| send(stored.line_unless_ping(event, last_stamp)))?;
        match piece {
            StreamPiece::Ended => stored.begin_connection(stored.end),
            StreamPiece::Cut(line) => {
                let members = last_stamp.unwrap_or_default().json_members();
                send(Some(format!(r#"{{"event":"cut","offset":null{members},"line":{line}}}"#).into_bytes()))?;
                cut_line = Some(line);
            }
            _ => {}
        }
    }
    decoder.finish(|event| send(stored.line_unless_ping(event, last_stamp)))?;
    cut_line.filter(|_| reader.strict).map_or(Ok(()), |line| Err(input.cut_failure(line)))
}

/// The events of a live session.
struct LiveSource {
    tap: Tap,
    clock: SessionClock,
    lines: StoredLines,
}

impl LiveSource {
    /// Publishes the events, except for pings, until the session ends. Fails if the publisher does.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: an event that was received may be left out.
    async fn push_until_end(&mut self, publisher: &mut Publisher) -> Result<(), Failure> {
        loop {
            let item = tokio::select! {
                item = self.tap.next() => item,
                error = publisher.wait_for_failure() => return Err(error.into()),
            };
            let Some(item) = item else { return Ok(()) };
            match item.observation {
                Observation::Received(bytes) => self.lines.push(&bytes),
                Observation::Event { event, .. } => {
                    if matches!(event, Event::Connected) {
                        self.lines.begin_connection(0);
                    }
                    if let Some(line) = self.lines.line_unless_ping(&event, Some(self.clock.stamp(item.at))) {
                        publisher.push(line.into()).await?;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Writes events as they are stored: with the bytes of the server since the event before.
///
/// The `raw` of all events of a connection, one after the other, is what the server sent, without pings: the events are a
/// recording.
#[derive(Debug, Default)]
struct StoredLines {
    /// The received bytes that no event contains yet.
    bytes: Vec<u8>,
    /// Position in the stream after the last of them.
    end: u64,
    /// Number of the connection, from 0.
    connection: u64,
}

impl StoredLines {
    /// Adds received bytes. Drops earlier ones if too many belong to no event, as those of a line without an end.
    fn push(&mut self, bytes: &[u8]) {
        if self.bytes.len() > MAX_UNUSED_BYTES {
            self.bytes.clear();
        }
        self.bytes.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
    }

    /// Begins another connection, whose first byte has this position.
    fn begin_connection(&mut self, position: u64) {
        *self = Self { bytes: Vec::new(), end: position, connection: self.connection + 1 };
    }

    /// Returns the JSON line of an event, in which each character of `raw` stands for the byte of its number. `None` for a ping,
    /// whose bytes are dropped.
    fn line_unless_ping(&mut self, event: &Event, stamp: Option<Stamp>) -> Option<Vec<u8>> {
        let mut members = stamp.as_ref().map(Stamp::json_members).unwrap_or_default().into_bytes();
        if let Event::Received { received, .. } = event {
            let end = self.index_of(received.end());
            if event.kind() == EventKind::Ping {
                self.bytes.drain(self.index_of(received.offset)..end);
                return None;
            }
            let raw: String = self.bytes.drain(..end).map(char::from).collect();
            // Nothing fails on the way to memory.
            let _ = write!(members, ",\"connection\":{},\"raw\":", self.connection);
            let _ = kibitzer::internal::json::write(&mut members, &raw);
        }
        let mut line = Vec::new();
        event.write_json(&String::from_utf8_lossy(&members), &mut line);
        Some(line)
    }

    /// Returns the index of a position of the stream, limited to the bytes that are left.
    fn index_of(&self, position: u64) -> usize {
        let n_after = usize::try_from(self.end.saturating_sub(position)).unwrap_or(usize::MAX);
        self.bytes.len().saturating_sub(n_after)
    }
}

#[cfg(test)]
mod tests;
