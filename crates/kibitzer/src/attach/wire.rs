//! What goes over the socket: the lines of a transcript, and notes among them. docs/console.md describes it.

mod cause;
mod life;
mod stream;

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use self::cause::{KindDef, RequestDef, StateDef};
use super::{AttachAccess, Missed};
use crate::core::Event;
use crate::core::event::RequestError;
use crate::core::session::{State, Transmit, TransmitKind};
use crate::core::wire::StreamState;
use crate::json;
use crate::transcript::line::{REDACTED, Seconds, put};
use crate::transcript::{Direction, decode_hex};

use self::life::Life;
use self::stream::StreamNote;

/// The version of what follows. It changes with whatever a reader of this version would misunderstand.
pub(super) const VERSION: u32 = 1;

/// A line that is no piece of the stream.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub(super) enum Note {
    /// The first line.
    Hello(Hello),
    /// How the session stands. Lines marked `snapshot` follow, then [`Stream`](Self::Stream).
    Snapshot(SnapshotNote),
    /// What the meaning of the next byte depends on.
    Stream(StreamNote),
    /// Something happened to the session.
    Life(Life),
    /// What became of a line that this watcher wanted to be sent.
    Answer(Answer),
    /// The last line: nothing follows.
    Bye {
        /// Why, for people.
        reason: Cow<'static, str>,
    },
    /// What a later version of the same protocol adds.
    #[serde(other)]
    Unknown,
}

/// Who exposes what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) version: u32,
    /// The program, for people.
    pub(super) program: String,
    pub(super) server: String,
    pub(super) access: AttachAccess,
    /// The time of day at this line, as a transcript has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) utc: Option<String>,
}

/// How a session stands.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SnapshotNote {
    #[serde(with = "StateDef")]
    pub(super) state: State,
    pub(super) handle: Option<String>,
    /// What this watcher has missed since it was told last.
    pub(super) missed: Missed,
}

/// What became of a line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) id: u64,
    /// Why there is no reply; `None` if there is one, which is in the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Refusal>,
}

/// Why a line was not sent, or has no reply.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Refusal {
    /// Watchers may only look.
    ReadOnly,
    /// The session says so.
    Request(#[serde(with = "RequestDef")] RequestError),
}

/// What a watcher says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order<'a> {
    /// Comes back in the [`Answer`].
    pub(super) id: u64,
    /// A line for the server.
    pub(super) send: Cow<'a, str>,
}

/// A piece of the stream.
#[derive(Debug, Deserialize)]
struct Piece<'a> {
    t: f64,
    dir: Direction,
    #[serde(borrow)]
    hex: Cow<'a, str>,
    #[serde(default)]
    redacted: bool,
    #[serde(default)]
    snapshot: bool,
    #[serde(default = "usual_kind", with = "KindDef")]
    kind: TransmitKind,
}

/// What kind of line was sent if nothing is said.
const fn usual_kind() -> TransmitKind {
    TransmitKind::Command
}

/// A note with its time.
#[derive(Debug, Deserialize)]
struct Noted {
    t: f64,
    #[serde(flatten)]
    note: Note,
}

/// What kind of line was sent, by its name.
#[derive(Serialize)]
struct Kind(#[serde(with = "KindDef")] TransmitKind);

/// A line that came.
#[derive(Debug)]
pub(super) enum Line {
    /// The server sent this; nothing if the connection has ended.
    Received(Vec<u8>),
    /// A line of a snapshot.
    Told(Vec<u8>),
    /// This was sent; nothing if it is not told what.
    Sent(Vec<u8>, TransmitKind),
    Note(Note),
}

impl Line {
    /// Reads a line and its time; `None` if it is none of the protocol's.
    pub(super) fn parse(line: &[u8]) -> Option<(Duration, Self)> {
        let Ok(piece) = serde_json::from_slice::<Piece<'_>>(line) else {
            let Noted { t, note } = serde_json::from_slice(line).ok()?;
            return Some((time(t)?, Self::Note(note)));
        };
        let bytes = decode_hex(&piece.hex)?;
        let line = match piece.dir {
            Direction::Received if piece.snapshot => Self::Told(bytes),
            Direction::Received => Self::Received(bytes),
            Direction::Sent => Self::Sent(if piece.redacted { Vec::new() } else { bytes }, piece.kind),
        };
        Some((time(piece.t)?, line))
    }
}

fn time(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// The line of what the server sent.
pub(super) fn received(at: Duration, bytes: &[u8]) -> Bytes {
    let mut line = Vec::new();
    put(&mut line, at, Direction::Received, bytes, "");
    line.into()
}

/// The line of what was sent; what nobody may see is not in it.
pub(super) fn sent(at: Duration, transmit: &Transmit) -> Bytes {
    // Of what this version does not know, nothing is told.
    let known = serde_json::to_string(&Kind(transmit.kind())).ok();
    let is_hidden = known.is_none() || transmit.is_private();
    let more = format!(r#", "kind": {}"#, known.as_deref().unwrap_or(r#""secret_command""#));
    let mut line = Vec::new();
    if is_hidden {
        put(&mut line, at, Direction::Sent, REDACTED, &format!(r#"{more}, "redacted": true"#));
    } else {
        put(&mut line, at, Direction::Sent, transmit.bytes(), &more);
    }
    line.into()
}

/// The line of a note.
pub(super) fn note(at: Duration, note: &Note) -> Bytes {
    // What cannot be written is of a kind that this version does not know.
    let mut object = Vec::new();
    let Ok(()) = json::write(&mut object, note) else { return Bytes::new() };
    let fields = object.strip_prefix(b"{").unwrap_or(&object);
    [format!("{{\"t\": {}, ", Seconds(at)).as_bytes(), fields, b"\n"].concat().into()
}

/// The line of something that happened to the session; `None` if the event tells something else.
pub(super) fn life(at: Duration, event: &Event) -> Option<Bytes> {
    let line = note(at, &Note::Life(Life::of(event)?));
    (!line.is_empty()).then_some(line)
}

/// The line of what the stream's bytes mean from here on.
pub(super) fn stream(at: Duration, state: &StreamState) -> Bytes {
    note(at, &Note::Stream(StreamNote::of(state)))
}

/// A line of a snapshot, as a server would say it.
pub(super) fn told(out: &mut Vec<u8>, at: Duration, line: &[u8]) {
    put(out, at, Direction::Received, &[line, b"\n\r"].concat(), r#", "snapshot": true"#);
}

#[cfg(test)]
mod tests {
    use crate::core::ServerFault;
    use crate::core::event::{
        AdjournedGame, AdjournedState, Capabilities, CloseCause, CommandError, DialError, EndReason, Identity,
        LoginError, LoginStep, LostCause, Outcome, RefusalReason, RequestError, Restored, RestoredCommand,
        RestoredGame,
    };
    use crate::core::message::listing::ListingError;
    use crate::core::message::{CommandCode, Family, GameId, Handle, Ivar, KickedBy, NameKind, Relation, Titles};
    use crate::core::session::Command;
    use crate::core::text::{PlayerText, ServerText};
    use crate::core::wire::Timeseal;

    use super::*;

    fn life_again(event: &Event) -> Event {
        let line = life(Duration::from_micros(1_500_001), event).unwrap();
        assert!(!str::from_utf8(&line).unwrap().contains(['\u{202e}', '\u{2028}']), "{line:?}");
        let Some((at, Line::Note(Note::Life(life)))) = Line::parse(line.trim_ascii_end()) else { panic!("{line:?}") };
        assert_eq!(at, Duration::from_micros(1_500_001));
        life.event()
    }

    fn causes() -> Vec<LostCause> {
        let text = || ServerText::from_wire(b"\"no\" &#x265a;&#x202e;&#x2028;\\");
        let closes = [
            CloseCause::Closed,
            CloseCause::Failed(std::io::ErrorKind::ConnectionReset),
            CloseCause::Failed(std::io::ErrorKind::Other),
            CloseCause::WriteTimedOut,
            CloseCause::Silent,
        ];
        let dials = [
            DialError::TimedOut,
            DialError::UnknownHost,
            DialError::TooManyFiles,
            DialError::Failed(std::io::ErrorKind::ConnectionRefused),
        ];
        let logins = [
            LoginError::InvalidPassword,
            LoginError::Banned,
            LoginError::AccountRefused(text()),
            LoginError::TimedOut(LoginStep::SetUp),
            LoginError::Closed(LoginStep::LoginString),
            LoginError::NoLoginPrompt(text()),
            LoginError::Other(text()),
        ];
        let closes = closes.into_iter().map(LostCause::Connection);
        closes.chain(dials.into_iter().map(LostCause::Dial)).chain(logins.into_iter().map(LostCause::Login)).collect()
    }

    fn request_errors() -> Vec<RequestError> {
        let reason = RefusalReason::Code(CommandCode(12));
        vec![
            RequestError::Command(CommandError::TooLong { length: 7 }),
            RequestError::Busy,
            RequestError::TimedOut(Duration::from_millis(1_500)),
            RequestError::TooLong { limit_bytes: 1, limit_events: 2 },
            RequestError::Refused { reason, text: ServerText::from_wire(b"no") },
            RequestError::Unexpected { text: PlayerText::from_wire(b"what?") },
            RequestError::Listing { source: ListingError::TooLong, text: PlayerText::from_wire(b"No.") },
            RequestError::Ended(EndReason::Quit),
        ]
    }

    #[test]
    fn what_a_session_tells_of_itself_is_told_again() {
        let name = |name: &str| Handle::from_wire(name.as_bytes());
        let identity = Identity::new(Some(name("Newton")), Titles::from_codes(b"C TD"), NameKind::Registered);
        let capabilities = Capabilities::new(Family::Icc, Timeseal::V2, [Ivar::Ms, Ivar::Block]).with_units();
        let mut game = RestoredGame::new(GameId(7), name("A"), name("B"), Relation::Observing);
        (game.now, game.outcome, game.moves_missing) = (Some(GameId(-1)), Outcome::Advanced { plies: 3 }, true);
        let mut restored = Restored::default();
        restored.offline_for = Duration::from_nanos(1_234_567_891);
        restored.games = vec![game, RestoredGame::new(GameId(8), name("C"), name("D"), Relation::MyTurn)];
        let seek = || Command::new("seek 5 0").unwrap();
        restored.seeks =
            request_errors().into_iter().map(|error| RestoredCommand::new(seek().as_str(), Some(error))).collect();
        restored.seeks.push(RestoredCommand::new(seek().as_str(), None));
        restored.settings.push(RestoredCommand::new("set gin 1", None));
        restored.requests.push(RestoredCommand::new("observe 7", Some(RequestError::Lost)));
        let mut events = vec![
            Event::Connecting { attempt: 3 },
            Event::Connected,
            Event::LoggedIn(std::sync::Arc::new(identity)),
            Event::LoggedIn(std::sync::Arc::new(Identity::new(None, Titles::default(), NameKind::Unregistered))),
            Event::Ready(capabilities),
            Event::Fault(ServerFault::Unnumbered),
            Event::Restored(std::sync::Arc::new(restored)),
        ];
        for reason in [
            EndReason::Quit,
            EndReason::Shutdown,
            EndReason::Kicked(KickedBy::SecondLogin),
            EndReason::Kicked(KickedBy::Admin(name("Boss"))),
            EndReason::Login(LoginError::ServerFull),
            EndReason::Dial(DialError::UnknownHost),
        ] {
            events.push(Event::Ended(reason));
        }
        for (retry, cause) in (0..).zip(causes()) {
            events.push(Event::Lost { cause: cause.clone(), retry_in: Some(Duration::from_nanos(retry)) });
            events.push(Event::Ended(EndReason::Lost { cause, attempts: 4 }));
        }
        for state in [
            AdjournedState::Stored,
            AdjournedState::Challenged,
            AdjournedState::Resumed { game: GameId(7) },
            AdjournedState::Declined,
            AdjournedState::Refused(RequestError::Lost),
        ] {
            events.push(Event::Adjourned(std::sync::Arc::new(AdjournedGame::new(name("A"), name("B"), state))));
        }
        for event in events {
            assert_eq!(life_again(&event), event);
        }
    }

    #[test]
    fn what_the_server_said_and_what_was_sent_are_no_notes() {
        assert!(life(Duration::ZERO, &Event::Sent { line: None, request: None }).is_none());
    }

    #[test]
    fn a_stream_is_told_again() {
        let mut state = StreamState::default();
        (state.family, state.timeseal, state.prompt) = (Family::Fics, Timeseal::V1, b"> \xff".to_vec());
        (state.is_unwrapped, state.block, state.n_units) = (true, Some(12), 2);
        (state.is_logged_in, state.is_mid_line, state.me) = (true, true, Some(Handle::from_wire(b"Newton")));
        let line = stream(Duration::ZERO, &state);
        let Some((_, Line::Note(Note::Stream(note)))) = Line::parse(line.trim_ascii_end()) else { panic!("{line:?}") };
        assert_eq!(note.state(), state);
    }

    #[test]
    fn what_is_added_later_is_passed_over_and_nonsense_is_not() {
        let later = Line::parse(br#"{"t": 1, "note": "weather", "degrees": 12}"#);
        assert!(matches!(later, Some((_, Line::Note(Note::Unknown)))), "{later:?}");
        for nonsense in
            ["", "{}", "[]", r#"{"t": -1, "note": "bye", "reason": "x"}"#, r#"{"t": 1, "dir": "rx", "hex": "4"}"#]
        {
            assert!(Line::parse(nonsense.as_bytes()).is_none(), "{nonsense}");
        }
    }
}
