use super::*;

#[test]
fn intervals_are_within_reason() {
    assert_eq!(parse_interval("100ms"), Ok(Duration::from_millis(100)));
    for text in ["0s", "99ms", "25h", "18446744073709551615h", "", "1"] {
        assert!(parse_interval(text).is_err(), "{text}");
    }
}

pub(super) fn session(server: &str, handle: Option<&str>) -> SessionMetrics {
    let mut counters = ClientCounters::default();
    counters.session.bytes_received = u64::MAX;
    counters.session.request_time = Duration::from_micros(1_234_567);
    if handle.is_some() {
        counters.session.round_trip = Some(Duration::from_micros(70_500));
    }
    let clock = SessionClock::new(Instant::now());
    SessionMetrics { clock, server: server.to_owned(), handle: handle.map(str::to_owned), is_ready: true, counters }
}

#[test]
fn the_event_has_every_counter() {
    let event = serde_json::to_value(session("hall.example", Some("Newton"))).unwrap();
    assert_eq!(event.as_object().unwrap().len(), 3 + COUNTS.len() + TIMES.len(), "{event}");
    assert_eq!((&event["server"], &event["ready"]), (&"hall.example".into(), &true.into()));
    assert_eq!((&event["bytes_received"], &event["round_trip_ms"]), (&u64::MAX.into(), &70.into()));
    assert_eq!(event["request_time_ms"], 1234);
}
