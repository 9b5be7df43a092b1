//! `kibitzer web --nats`: follows a session of a NATS JetStream stream.

use std::str::FromStr as _;
use std::time::{Duration, SystemTime};

use kibitzer::internal::recorded::StreamPiece;
use kibitzer::transcript::Utc;
use kibitzer_core::text::error_chain;
use kibitzer_core::{Event, EventKind, EventReader};
use kibitzer_nats::{EventStream, NatsError, ReadFrom, SessionName, StoredEvent, StreamReader, SubjectFilter};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::tail::{escape_json, parse_start_point};
use super::{ServerOutput, StreamArgs};
use crate::arguments::ReaderArgs;
use crate::console::model::{GameSnapshot, SentItem, SourceItem, SourceItemKind};
use crate::console::source::{FeedItem, FeedSender, LiveSession, SessionFeed};
use crate::failure::{Failure, USAGE, report};

/// Arguments of `kibitzer web` that a stored session does not have.
const OTHER_SOURCES: [&str; 9] =
    ["source", "attach", "guest", "user", "password_command", "password_file", "no_reconnect", "record", "write"];

/// Arguments that select a stored session.
#[derive(Clone, clap::Args)]
pub(crate) struct FollowArgs {
    #[command(flatten)]
    stream: StreamArgs,
    /// With --nats, the name of the session to show
    #[arg(long, value_name = "NAME", value_parser = SessionName::new, conflicts_with_all = OTHER_SOURCES)]
    session: Option<SessionName>,
    /// With --nats, start with new events, with the first one in the stream, or at a time: 2025-03-01T12:34:56Z, or 10m for ten
    /// minutes ago
    #[arg(long, value_name = "now|first|TIME", default_value = "10m", value_parser = parse_start_point)]
    from: ReadFrom,
}

impl FollowArgs {
    /// Returns whether a stored session is to be shown.
    pub(crate) const fn is_given(&self) -> bool {
        self.stream.url.is_some() || self.session.is_some()
    }

    /// Opens the session. Reports on standard error if the stream has no event of it yet.
    ///
    /// # Errors
    ///
    /// [`Failure`] if no session is named, or the stream cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn open(&self) -> Result<FollowedSession, Failure> {
        let missing = || Failure::new(USAGE, "which session of the stream? give --session NAME (try --help)");
        let session = self.session.clone().ok_or_else(missing)?;
        let stream = EventStream::open(&self.stream.resolve_stream_options()?).await?;
        let mut filter = SubjectFilter::default();
        filter.session = Some(session.clone());
        let mut events = StreamReader::open(&stream, &filter, self.from).await?;
        if !stream.has_session(&session).await? {
            report(&format!("the stream has no events of session {} yet", session.token()));
        }
        let first = if events.n_pending() > 0 { Some(events.recv().await) } else { None };
        let output = first.as_ref().and_then(|first| ServerOutput::parse(first.as_ref().ok()?).ok());
        // Without a stored event, the session begins now.
        let start = output.map_or_else(|| Some(Utc::now()), |output| Some(output.utc?.minus(output.time)));
        Ok(FollowedSession {
            name: session.token().to_owned(),
            events,
            first,
            start,
            at: Duration::ZERO,
            epoch: None,
            connection: None,
            reader: ReaderArgs::default().event_reader(),
        })
    }
}

/// A session of a stream, from its first event that is to be shown.
pub(crate) struct FollowedSession {
    pub(crate) name: String,
    events: StreamReader,
    /// The first event, if it was stored before.
    first: Option<Result<StoredEvent, NatsError>>,
    /// Time of day at which the session began; `None` if its events have none.
    start: Option<Utc>,
    /// Time of the last event since then.
    at: Duration,
    /// The connection attempt of the last event, and when the times of its publisher begin.
    epoch: Option<(u64, Duration)>,
    /// The connection of the last bytes, as in [`ServerOutput`].
    connection: Option<(u64, u64)>,
    /// Reads the present connection.
    reader: EventReader,
}

impl FollowedSession {
    /// Returns the source that shows the session, from the feed that [`forward`](Self::forward) fills.
    pub(crate) fn live_session(&self, feed: SessionFeed, runtime: Handle) -> LiveSession {
        let start = self.start.map_or_else(SystemTime::now, SystemTime::from);
        let age = SystemTime::now().duration_since(start).unwrap_or_default();
        let began = Instant::now().checked_sub(age).unwrap_or_else(Instant::now);
        let mut source = LiveSession::new(feed, None, self.name.clone(), runtime, began);
        source.utc_start = self.start;
        source
    }

    /// Forwards the session to its feed until the stream cannot be read any more, which is an item as well, or the feed is dropped.
    /// Reports messages that are not events on standard error.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: an event that was read but not forwarded yet is lost.
    pub(crate) async fn forward(mut self, feed: FeedSender) {
        loop {
            let next = match self.first.take() {
                Some(first) => first,
                None => self.events.recv().await,
            };
            let items = match next {
                Ok(stored) => self.convert(&stored).unwrap_or_else(|error| {
                    report(&format!("message {} is not an event: {error}", stored.sequence));
                    Vec::new()
                }),
                Err(error @ NatsError::Message { .. }) => {
                    report(&error.to_string());
                    Vec::new()
                }
                Err(error) => {
                    // A closed feed means that the page is closing.
                    let _ = feed.send(FeedItem::Detached(error_chain(&error))).await;
                    return;
                }
            };
            for kind in items {
                if feed.send(FeedItem::Stored(SourceItem { at: self.at, kind })).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Converts a stored event: to what the server sent, with the events in it; a sent line; or an event of the session itself.
    ///
    /// # Errors
    ///
    /// Why the message is not an event of a session.
    fn convert(&mut self, stored: &StoredEvent) -> Result<Vec<SourceItemKind>, String> {
        let output = ServerOutput::parse(stored).map_err(|error| error.to_string())?;
        self.set_time(stored.position.epoch, &output);
        let mut items = Vec::new();
        match output.piece {
            Some(StreamPiece::Received(bytes)) => {
                let last = std::mem::replace(&mut self.connection, output.connection);
                if last.is_some() && last != output.connection {
                    self.end_connection(&mut items);
                    items.push(SourceItemKind::Disconnected);
                }
                items.push(SourceItemKind::Bytes(bytes.clone()));
                let mut rest = &bytes[..];
                while let Some(event) = self.reader.next(&mut rest) {
                    items.push(self.event_item(event));
                }
            }
            Some(StreamPiece::Sent { bytes: line, stated }) => {
                let (is_secret, text) = (line.is_none(), line.unwrap_or_default());
                let attribution = self.reader.note_sent_line(&text, stated);
                let bytes = [&text[..], b"\n"].concat();
                items.push(SourceItemKind::Sent(SentItem { bytes, text, answers_ping: false, is_secret, attribution }));
            }
            // Listings and desyncs were parsed from the bytes of other events.
            _ if output.has_offset => {}
            _ => {
                if matches!(&*output.event, "lost" | "ended") {
                    self.end_connection(&mut items);
                }
                let json = with_time(&stored.line, self.at)?;
                items.push(match EventKind::from_str(&output.event) {
                    Ok(kind) => SourceItemKind::Stored(kind, json),
                    // An event of the publisher, such as `dropped`.
                    Err(_) => SourceItemKind::Note(json),
                });
            }
        }
        Ok(items)
    }

    /// Adds the event of an unfinished line, and begins another connection.
    fn end_connection(&mut self, items: &mut Vec<SourceItemKind>) {
        while let Some(event) = self.reader.finish() {
            items.push(self.event_item(event));
        }
        self.reader = ReaderArgs::default().event_reader();
    }

    fn event_item(&self, event: Event) -> SourceItemKind {
        let game = event.affected_game().and_then(|game| self.reader.games().get(game));
        SourceItemKind::Event {
            snapshot: game.map(|game| Box::new(GameSnapshot::new(game))),
            event,
            decoding: Duration::ZERO,
        }
    }

    /// Sets the time of the present event. Those of a publisher count from its start; the next one continues at its time of day.
    fn set_time(&mut self, epoch: u64, output: &ServerOutput) {
        let base = match self.epoch {
            Some((known, base)) if known == epoch => base,
            _ => {
                let since_start = |(start, utc): (Utc, Utc)| SystemTime::from(utc).duration_since(start.into()).ok();
                let now = self.start.zip(output.utc).and_then(since_start).unwrap_or(self.at);
                now.saturating_sub(output.time)
            }
        };
        self.epoch = Some((epoch, base));
        self.at = base.saturating_add(output.time);
    }
}

/// Returns a stored event with the time at which it is shown, which counts from another start than that of its publisher.
///
/// # Errors
///
/// Why it is not a JSON object.
fn with_time(line: &[u8], time: Duration) -> Result<String, String> {
    let mut members: Map<String, Value> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    members.insert("t".to_owned(), ((time.as_secs_f64() * 1e3).round() / 1e3).into());
    Ok(escape_json(&Value::Object(members).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::source::NextItem;

    #[test]
    fn stored_events_have_the_time_at_which_they_are_shown() {
        let json = with_time(br#"{"event":"lost","t":900.5,"text":"x"}"#, Duration::from_millis(1250)).unwrap();
        let members: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(members, serde_json::json!({ "event": "lost", "t": 1.25, "text": "x" }));
        assert!(with_time(b"[]", Duration::ZERO).is_err());
    }

    #[tokio::test]
    async fn the_account_of_a_stored_session_is_known_after_its_login() {
        let (feed, sender) = SessionFeed::new_attached();
        let mut live = LiveSession::new(feed, None, "x".to_owned(), Handle::current(), Instant::now());
        let json = r#"{"event":"logged_in","name":"Newton","titles":[]}"#.to_owned();
        let kind = SourceItemKind::Stored(EventKind::LoggedIn, json);
        assert!(sender.send(FeedItem::Stored(SourceItem { at: Duration::ZERO, kind })).await.is_ok());
        assert!(matches!(live.next_item(), NextItem::Item(_)));
        assert_eq!(live.handle.as_ref().map(ToString::to_string).as_deref(), Some("Newton"));
    }
}
