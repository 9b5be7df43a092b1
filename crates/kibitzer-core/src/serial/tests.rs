use std::time::Duration;

use super::*;
use crate::event::{
    AdjournedGame, CloseCause, DialError, Identity, LoginError, LostCause, RequestError, Restored, RestoredCommand,
    RestoredGame, ResumptionState, SessionEndReason,
};
use crate::message::{GameId, NameKind, Refusal};
use crate::text::{Handle, ServerText};
use crate::wire::StreamState;

/// Serializes a value, checks that it deserializes to itself, and returns its JSON.
fn round_trip<T>(value: &T) -> String
where
    T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug,
{
    let written = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), *value, "{written}");
    written
}

#[test]
fn data_of_session_events_is_read_back_as_it_was_written() {
    let name = |name: &str| Handle::from_wire(name.as_bytes());
    let identity =
        Identity { handle: Some(name("Foo")), titles: Titles::from_codes(b"GM *"), kind: NameKind::Registered };
    assert_eq!(round_trip(&identity), r#"{"handle":"Foo","titles":["GM","*"],"kind":"registered"}"#);
    let capabilities =
        Capabilities { units: true, ..Capabilities::new(Family::Icc, Timeseal::V2, [Ivar::Ms, Ivar::NoWrap]) };
    let form = r#"{"family":"icc","timeseal":"v2","units":true,"ivars":["ms","nowrap"]}"#;
    assert_eq!(round_trip(&capabilities), form);
    let words = ServerText::from_wire(b"caf\xe9 \x1b &#x265a; &#65;, and more than 22 bytes");
    let refused = RequestError::Refused { reason: Refusal::Playing, text: words };
    let mut restored = Restored { offline_for: Duration::from_millis(1500), ..Restored::default() };
    restored.games.push(RestoredGame::unchanged(GameId(7), name("Foo"), name("Bar"), Relation::Other(9)));
    restored.seeks.push(RestoredCommand { command: "seek 5 0".to_owned(), error: Some(refused.clone()), game: None });
    round_trip(&restored);
    round_trip(&AdjournedGame::new(name("Foo"), name("Bar"), ResumptionState::Refused(refused)));
    for kind in [ErrorKind::BrokenPipe, ErrorKind::InvalidData, ErrorKind::Other] {
        round_trip(&SessionEndReason::Lost { cause: LostCause::Connection(CloseCause::Failed(kind)), attempts: 2 });
    }
    round_trip(&LostCause::Connection(CloseCause::WebSocketClosed(1001)));
    let expired = SessionEndReason::Dial(DialError::CertificateExpired);
    assert_eq!(round_trip(&expired), r#"{"dial":"certificate_expired"}"#);
    assert_eq!(round_trip(&DialError::HttpStatus(404)), r#"{"http_status":404}"#);
    round_trip(&SessionEndReason::Login(LoginError::InvalidPassword));
    round_trip(&StreamState { prompt: b"fics% ".to_vec(), block: Some(7), ..StreamState::default() });
}

#[test]
fn a_game_and_a_reply_are_objects() {
    let mut reader = crate::EventReader::default();
    let lines = b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Foo Bar 0 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r\
        <12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Foo Bar 0 3 2 39 39 179 180 1 P/e2-e4 (0:01) e4 0 1 0\n\r\
        {Game 7 (Foo vs. Bar) Bar resigns} 1-0\n\r";
    let mut input = &lines[..];
    let events: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    let game = events.last().unwrap().change().and_then(|change| change.ended_game.clone()).unwrap();
    let game = serde_json::to_value(&*game).unwrap();
    for key in ["game", "white", "black", "result", "reason"] {
        assert_eq!(game[key], last[key], "{key}");
    }
    let board = serde_json::to_value(&events[1]).unwrap();
    for key in ["fen", "side_to_move", "relation", "initial_s", "increment_s", "white_clock_ms", "move_number"] {
        assert_eq!(game[key], board[key], "{key}");
    }
    assert_eq!(game["moves"][0]["san"], board["last_move"]["san"]);
    let reply = serde_json::to_value(crate::session::Reply { code: None, events }).unwrap();
    assert_eq!(reply["events"][2], last);
}

#[test]
fn invalid_values_are_refused() {
    assert!(serde_json::from_str::<Ivar>("\"no_such_ivar\"").is_err());
    assert!(serde_json::from_str::<SessionEndReason>("\"no_such_reason\"").is_err());
}
