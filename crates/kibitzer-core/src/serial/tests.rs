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
fn invalid_values_are_refused() {
    assert!(serde_json::from_str::<Ivar>("\"no_such_ivar\"").is_err());
    assert!(serde_json::from_str::<SessionEndReason>("\"no_such_reason\"").is_err());
}
