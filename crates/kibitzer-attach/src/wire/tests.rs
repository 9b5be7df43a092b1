use super::*;
use kibitzer_core::event::{
    CloseCause, DialError, LoginError, LoginStep, LostCause, RestoreOutcome, RestoredGame, ResumptionState,
};
use kibitzer_core::message::{Family, GameId, Ivar, KickedBy, Relation};
use kibitzer_core::text::ServerText;
use kibitzer_core::wire::Timeseal;
use tokio::io::{AsyncWriteExt as _, duplex};

const TIME: Duration = Duration::from_micros(1_500_001);

fn parse(line: &Bytes) -> NoteKind {
    assert!(!str::from_utf8(line).unwrap().contains(['\u{202e}', '\u{2028}']), "{line:?}");
    let Some(WireLine::Note(Note { t, kind })) = WireLine::parse(line.trim_ascii_end()) else { panic!("{line:?}") };
    assert_eq!(t, TIME);
    kind
}

#[test]
fn events_of_the_session_are_parsed_as_they_were_written() {
    let name = |name: &str| Handle::from_wire(name.as_bytes());
    let text = ServerText::from_wire(b"\"no\" &#x265a;&#x202e;&#x2028;\\");
    let identity: Identity =
        serde_json::from_str(r#"{"handle":"Newton","titles":["C","TD"],"kind":"registered"}"#).unwrap();
    let mut capabilities = Capabilities::new(Family::Icc, Timeseal::V2, [Ivar::Ms, Ivar::Block]);
    capabilities.units = true;
    let mut restored = Restored::default();
    let mut game = RestoredGame::unchanged(GameId(7), name("A"), name("B"), Relation::Observing);
    (game.now, game.outcome, game.moves_missing) = (Some(GameId(-1)), RestoreOutcome::advanced(3), true);
    restored.offline_for = Duration::from_nanos(1_234_567_891);
    restored.games = vec![game];
    restored.seeks = serde_json::from_str(r#"[{"command":"seek 5 0","error":"busy"}]"#).unwrap();
    let stored = AdjournedGame::new(name("A"), name("B"), ResumptionState::resumed(GameId(7)));
    let cause = LostCause::Connection(CloseCause::Failed(io::ErrorKind::ConnectionReset));
    let events = [
        Event::Connecting(ConnectionAttempt::new(3)),
        Event::Connected,
        Event::LoggedIn(Arc::new(identity)),
        Event::SessionReady(capabilities),
        Event::Fault,
        Event::Lost(ConnectionLoss::new(cause.clone(), Some(Duration::from_nanos(7)), TIME).into()),
        Event::Lost(Box::new(ConnectionLoss::new(LoginError::TimedOut(LoginStep::SetUp).into(), None, TIME))),
        Event::Restored(Arc::new(restored)),
        Event::AdjournedGame(Arc::new(stored)),
        Event::Ended(SessionEndReason::Quit),
        Event::Ended(SessionEndReason::Kicked(KickedBy::Admin(name("Boss")))),
        Event::Ended(SessionEndReason::Login(LoginError::Other(text))),
        Event::Ended(SessionEndReason::Dial(DialError::UnknownHost)),
        Event::Ended(SessionEndReason::lost(cause, 4)),
    ];
    for event in events {
        let NoteKind::Life(parsed) = parse(&lifecycle_line(TIME, &event).unwrap()) else { panic!("{event:?}") };
        assert_eq!(parsed, event);
    }
}

#[test]
fn events_of_received_and_sent_lines_are_not_notes() {
    assert!(lifecycle_line(TIME, &Event::sent(None, Attribution::default())).is_none());
}

#[test]
fn a_stream_state_is_parsed_as_it_was_written() {
    let mut state = StreamState::default();
    (state.family, state.timeseal, state.prompt) = (Family::Fics, Timeseal::V1, b"> \xff".to_vec());
    (state.is_unwrapped, state.block, state.n_units) = (true, Some(12), 2);
    (state.is_logged_in, state.is_mid_line, state.me) = (true, true, Some(Handle::from_wire(b"Newton")));
    let NoteKind::Stream(parsed) = parse(&note_line(TIME, NoteKind::Stream(state.clone()))) else { panic!() };
    assert_eq!(parsed, state);
}

#[test]
fn private_lines_are_withheld() {
    let login = sent_line(TIME, b"Newton\n", TransmitKind::Login, Attribution::default());
    let Some(WireLine::Bytes(piece)) = WireLine::parse(login.trim_ascii_end()) else { panic!("{login:?}") };
    assert_eq!((piece.redacted, &piece.hex[..], piece.kind), (true, REDACTED, Some(TransmitKind::Login)));
}

#[test]
fn later_notes_are_ignored_and_invalid_lines_refused() {
    let later = WireLine::parse(br#"{"t": 1, "note": "weather", "degrees": 12}"#);
    assert!(matches!(later, Some(WireLine::Note(Note { kind: NoteKind::Unknown, .. }))), "{later:?}");
    for invalid in
        ["", "{}", "[]", r#"{"t": -1, "note": "bye", "reason": "x"}"#, r#"{"t": 1, "dir": "rx", "hex": "4"}"#]
    {
        assert!(WireLine::parse(invalid.as_bytes()).is_none(), "{invalid}");
    }
}

#[tokio::test]
async fn lines_are_complete_at_any_read_boundary() {
    let (mut writer, reader) = duplex(3);
    let mut lines = LineReader::new(reader, 10);
    let writing = async {
        writer.write_all(b"one\n\nthree, \n4567890123").await.unwrap();
        drop(writer);
    };
    let reading = async {
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(String::from_utf8(line).unwrap());
        }
        all
    };
    let ((), all) = tokio::join!(writing, reading);
    assert_eq!(all, ["one", "", "three, "]);
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused() {
    let mut lines = LineReader::new(&b"0123456789\n01234567890\n"[..], 10);
    assert!(lines.next().await.unwrap().is_some());
    assert_eq!(lines.next().await.unwrap_err().kind(), io::ErrorKind::InvalidData);
}
