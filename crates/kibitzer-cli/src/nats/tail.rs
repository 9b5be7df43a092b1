//! `kibitzer tail`: prints events of a NATS JetStream stream.

use std::io::{self, BufWriter, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use kibitzer::transcript::Utc;
use kibitzer_core::EventKind;
use kibitzer_nats::{EventStream, NatsError, ReadFrom, SessionName, StoredEvent, StreamReader, SubjectFilter};
use serde_json::Value;

use super::StreamArgs;
use crate::arguments::parse_duration;
use crate::failure::{EXIT_STATUS, Failure, report};
use crate::live::StopArgs;
use crate::output::{FORMAT_HELP, LineFormat, TerminalSafe};

/// Print events that `kibitzer publish` stored in a NATS JetStream stream
///
/// Prints each event once and in the order in which it was stored, then waits for more.
#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[command(flatten)]
    stream: StreamArgs,
    /// Start with new events, with the first one in the stream, or at a time: 2025-03-01T12:34:56Z, or 10m for ten minutes ago
    #[arg(long, value_name = "now|first|TIME", default_value = "now", value_parser = parse_start_point)]
    from: ReadFrom,
    /// End after the events that are stored already
    #[arg(long)]
    stored: bool,
    /// Print events of this session only
    #[arg(long, value_name = "NAME", value_parser = SessionName::new)]
    session: Option<SessionName>,
    /// Print events of games with this number only
    #[arg(long, value_name = "NUMBER")]
    game: Option<u32>,
    /// Print events of these kinds only, such as `position,game_ended`
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = str::parse::<EventKind>)]
    kind: Vec<EventKind>,
    #[arg(long, value_enum, help = FORMAT_HELP)]
    format: Option<LineFormat>,
    #[command(flatten)]
    ending: StopArgs,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer tail --nats nats://localhost:4222                      new events of all sessions
  kibitzer tail --from first --stored --session fics-1 | jq .event
  kibitzer tail --from 10m --game 12 --kind position,kibitz       game 12 since ten minutes";

/// Parses the value of `--from`. A duration counts back from now.
pub(super) fn parse_start_point(text: &str) -> Result<ReadFrom, &'static str> {
    match text {
        "now" => Ok(ReadFrom::Now),
        "first" => Ok(ReadFrom::First),
        _ => match (parse_duration(text), text.parse::<Utc>()) {
            (Ok(ago), _) => Ok(ReadFrom::Time(SystemTime::now().checked_sub(ago).unwrap_or(UNIX_EPOCH))),
            (_, Ok(utc)) => Ok(ReadFrom::Time(utc.into())),
            _ => Err("it is now, first, a time ago such as 10m, or a time such as 2025-03-01T12:34:56Z"),
        },
    }
}

impl Args {
    /// Prints events until the stop signal, or with `--stored` to the last one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the printed events are whole lines.
    pub(crate) async fn print_until_stopped(&self) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let mut filter = SubjectFilter::default();
        filter.session.clone_from(&self.session);
        filter.game = self.game;
        filter.kinds.extend(&self.kind);
        // A large future: connecting has many steps.
        ending.unless_stopped(Box::pin(self.print_selected(&filter))).await.unwrap_or(Ok(()))
    }

    /// Prints the events that pass the filter, and reports messages that are not events on standard error. Ends only with
    /// `--stored`; then reports a `--session` of which the stream has no events.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the printed events are whole lines.
    async fn print_selected(&self, filter: &SubjectFilter) -> Result<(), Failure> {
        let stream = EventStream::open(&self.stream.resolve_stream_options()?).await?;
        let mut events = StreamReader::open(&stream, filter, self.from).await?;
        let mut out = BufWriter::new(io::stdout());
        let format = self.format.unwrap_or_else(LineFormat::for_stdout);
        let mut is_empty = true;
        loop {
            let next = if self.stored { events.recv_stored().await } else { events.recv().await.map(Some) };
            is_empty &= matches!(next, Ok(None));
            match next {
                Ok(None) => break,
                Ok(Some(event)) => match format_event(&event, format) {
                    Ok(line) => writeln!(out, "{line}").map_err(Failure::stdout)?,
                    Err(error) => report(&format!("message {} is not an event: {error}", event.sequence)),
                },
                Err(error) if matches!(error, NatsError::Message { .. }) => report(&error.to_string()),
                Err(error) => return Err(error.into()),
            }
            if events.n_pending() == 0 {
                out.flush().map_err(Failure::stdout)?;
            }
        }
        out.flush().map_err(Failure::stdout)?;
        if let Some(session) = self.session.as_ref().filter(|_| is_empty)
            && !stream.has_session(session).await?
        {
            report(&format!("the stream has no events of session {}", session.token()));
        }
        Ok(())
    }
}

/// Returns the line to print for a stored event, without its end; the error says why the message is not an event. JSON is printed
/// as it was published, except for characters that would end the line or control a terminal.
pub(super) fn format_event(stored: &StoredEvent, format: LineFormat) -> Result<String, String> {
    let line = std::str::from_utf8(&stored.line).map_err(|error| error.to_string())?;
    let event: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let name = event.get("event").and_then(Value::as_str).ok_or("it names no event")?;
    if format == LineFormat::Jsonl {
        return Ok(escape_json(line));
    }
    let utc = event.get("utc").and_then(Value::as_str).unwrap_or("-");
    let members = event.as_object().into_iter().flatten();
    let shown = members.filter(|(key, value)| !HIDDEN_KEYS.contains(&&***key) && !value.is_null());
    let shown = shown.map(|(key, value)| format!(" {key}={value}")).collect::<Vec<_>>().concat();
    Ok(TerminalSafe(&format!("{utc} {} {name}{shown}", stored.session_token())).to_string())
}

/// Returns JSON on one line, in which characters that a terminal could act on are escaped.
pub(super) fn escape_json(json: &str) -> String {
    let escape = |character: char| match character {
        // Outside of strings, where JSON allows line ends.
        '\0'..=' ' => " ".to_owned(),
        _ if kibitzer::internal::json::is_escaped(character) => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    };
    json.chars().map(escape).collect()
}

/// Members that the text output leaves out, or shows without their names.
const HIDDEN_KEYS: [&str; 6] = ["event", "offset", "t", "utc", "connection", "raw"];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_start_is_now_first_or_a_time() {
        assert!(matches!(parse_start_point("now"), Ok(ReadFrom::Now)));
        assert!(matches!(parse_start_point("first"), Ok(ReadFrom::First)));
        let before = SystemTime::now();
        let Ok(ReadFrom::Time(start)) = parse_start_point("10m") else { panic!("10m is a time") };
        assert!((before..=SystemTime::now()).contains(&(start + Duration::from_mins(10))));
        let time = UNIX_EPOCH + Duration::from_secs(1_740_832_496);
        let parsed = parse_start_point("2025-03-01T12:34:56Z");
        assert!(matches!(parsed, Ok(ReadFrom::Time(at)) if at == time), "{parsed:?}");
        for text in ["", "last", "10", "2025-03-01"] {
            assert!(parse_start_point(text).is_err(), "{text}");
        }
    }
}
