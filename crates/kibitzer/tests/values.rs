//! Values as programs see them: addresses, names, typed lines, moves, and the events of recordings.

use kibitzer::chess::{ApplyError, Color, Fen, SanMove};
use kibitzer::message::listing::{GameActivity, GameRowState, WhoStatus};
use kibitzer::message::{
    ChallengeChange, ClockAction, ExamineAction, Farewell, GameEndReason, Ivar, ListChangeKind, LoginRefusal,
    OfferAnswer, PresenceReportReason, Rating, SeekNotice, Titles,
};
use kibitzer::transcript::TranscriptError;
use kibitzer::{
    AddressError, ConfigError, Event, EventKind, EventReader, HostPort, Message, Profile, RecordedEvents, Relation,
};

#[test]
fn addresses_have_a_host_and_may_have_a_port() {
    let cases = [
        ("localhost:5001", "localhost", Some(5001)),
        ("127.0.0.1:23", "127.0.0.1", Some(23)),
        ("[::1]:5000", "::1", Some(5000)),
        ("chess.example", "chess.example", None),
        ("[::1]", "::1", None),
    ];
    for (text, host, port) in cases {
        let address: HostPort = text.parse().unwrap();
        assert_eq!((address.host.as_str(), address.port, address.to_string().as_str()), (host, port, text));
    }
}

#[test]
fn invalid_addresses_are_refused() {
    let cases = [
        ("", AddressError::NoHost),
        (":5000", AddressError::NoHost),
        ("[]:5000", AddressError::NoHost),
        ("localhost:", AddressError::InvalidPort),
        ("localhost:0", AddressError::InvalidPort),
        ("localhost:65536", AddressError::InvalidPort),
        ("localhost:five", AddressError::InvalidPort),
        ("[::1]5000", AddressError::InvalidPort),
        ("::1", AddressError::NoHost),
        ("fe80::1", AddressError::NoBrackets),
        ("[::1", AddressError::NoBrackets),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<HostPort>(), Err(want), "{text}");
    }
}

#[test]
fn invalid_urls_are_refused() {
    let cases = [
        ("", AddressError::NoScheme),
        ("www.freechess.org:5001", AddressError::NoScheme),
        ("https://www.freechess.org", AddressError::NoScheme),
        ("wss:/x", AddressError::NoScheme),
        ("wss://", AddressError::NoHost),
        ("wss://:5001", AddressError::NoHost),
        ("wss://[]:5001", AddressError::NoHost),
        ("wss://[::1]5001", AddressError::InvalidPort),
        ("wss://::1", AddressError::NoHost),
        ("wss://a b", AddressError::NotAscii),
        ("wss://a\r\nHost: b", AddressError::InvalidPort),
        ("wss://\u{e4}.example", AddressError::NotAscii),
        ("wss://chess.example:", AddressError::InvalidPort),
        ("wss://chess.example:0", AddressError::InvalidPort),
        ("wss://chess.example:65536", AddressError::InvalidPort),
        ("wss://Newton:apple@chess.example", AddressError::UserName),
    ];
    for (text, want) in cases {
        let error = Profile::fics().url(text).unwrap_err();
        assert!(matches!(&error, ConfigError::Url { reason, .. } if *reason == want), "{text}: {error}");
    }
}

/// Checks that every value of an enum is parsed from the text that it displays, and that another text is refused.
macro_rules! assert_names_are_parsed {
    ($($kind:ty),+) => {$(
        for &value in <$kind>::ALL {
            assert_eq!(value.to_string().parse(), Ok(value));
        }
        assert!("Newton".parse::<$kind>().is_err());
    )+};
}

#[test]
fn displayed_names_are_parsed() {
    assert_names_are_parsed!(ChallengeChange, ClockAction, EventKind, Farewell, GameActivity, GameEndReason);
    assert_names_are_parsed!(GameRowState, Ivar, ListChangeKind, LoginRefusal, OfferAnswer, WhoStatus);
    assert_eq!("black".parse(), Ok(Color::Black));
    assert_eq!("Black".parse::<Color>().unwrap_err().to_string(), "a color is white or black");
}

#[test]
fn displayed_ratings_and_titles_are_parsed() {
    let ratings = [
        (Rating::Guest, "++++"),
        (Rating::Unrated, "----"),
        (Rating::Established(1500), "1500"),
        (Rating::Estimated(958), "958E"),
        (Rating::Provisional(1500), "1500P"),
    ];
    for (rating, text) in ratings {
        assert_eq!((rating.to_string().as_str(), text.parse()), (text, Ok(rating)));
    }
    for other in ["", "1500X", "70000", "++++ "] {
        assert!(other.parse::<Rating>().is_err(), "{other}");
    }
    let titles: Titles = "(GM)(*)".parse().unwrap();
    assert_eq!((&titles).into_iter().collect::<Vec<_>>(), ["GM", "*"]);
}

/// The first event of these lines.
fn first_event(lines: &str) -> Event {
    EventReader::default().next(&mut lines.as_bytes()).unwrap()
}

#[test]
fn lines_are_typed() {
    type Check = fn(&Message) -> bool;
    let cases: &[(&str, Check)] = &[
        (
            "Your seek 7 has been removed.",
            |message| matches!(message, Message::SeekNotice(notice) if matches!(**notice, SeekNotice::RemovedOne { index: 7, .. })),
        ),
        ("You will now be following Newton's games.", |message| {
            matches!(message, Message::Following(it) if it.player.as_ref().is_some_and(|name| name.as_str() == "Newton")
                && !it.is_partner)
        }),
        (
            "Notification: Newton has arrived and isn't on your notify list.",
            |message| matches!(message, Message::Arrival(it) if it.reason == PresenceReportReason::NotifiedBy),
        ),
        (
            "[Newton has disconnected.]",
            |message| matches!(message, Message::Arrival(it) if it.reason == PresenceReportReason::Pin),
        ),
        (
            "Starting a game in examine (scratch) mode.",
            |message| matches!(message, Message::Examine(it) if matches!(it.action, ExamineAction::Start { scratch: true, .. })),
        ),
        (
            "<wa> gbtami 001411E1663P1483P0000 0000 0000 0000 0000 0000 ",
            |message| matches!(message, Message::UserArrived(it) if it.name.as_str() == "gbtami"),
        ),
        ("{Game 7 (Ann vs. Bob) Bob resigns} 1-0", |message| matches!(message, Message::GameEnded(it) if !it.lives_on)),
    ];
    for (line, check) in cases {
        let event = first_event(&format!("{line}\n\rfics% "));
        assert!(check(event.message().unwrap()), "{line}: {event:?}");
    }
}

/// A line of style 12 with the start position, this relation and this last move.
fn board_line(relation: i8, last_move: &str) -> String {
    format!(
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR B -1 1 1 1 1 0 7 Ann Bob {relation} 3 2 \
         39 39 180 180 1 {last_move} (0:00) Pretty 0 0 0\n\r"
    )
}

#[test]
fn a_move_that_does_not_fit_leaves_the_board_alone() {
    type Reason = fn(ApplyError) -> bool;
    let cases: [(&str, Reason); 5] = [
        ("P/e4-e5", |reason| matches!(reason, ApplyError::NoSuchPiece(_))),
        ("R/a1-a2", |reason| matches!(reason, ApplyError::OwnPiece(_))),
        ("P/e2-d3", |reason| matches!(reason, ApplyError::NothingToCapture(_))),
        ("N/@@-e7", |reason| matches!(reason, ApplyError::Occupied(_))),
        ("?", |reason| matches!(reason, ApplyError::Hidden)),
    ];
    for (last_move, is_reason) in cases {
        let event = first_event(&board_line(-4, last_move));
        let position = event.board().unwrap();
        assert_eq!(position.relation(), Relation::ListedStart);
        let mut board = Fen::START.board;
        let refused = board.apply(position.played().unwrap(), Color::White).unwrap_err();
        assert!(is_reason(refused), "{last_move}: {refused}");
        assert_eq!(board, Fen::START.board, "{last_move}");
    }
    assert!(matches!(SanMove::parse(b"O-O"), Some(SanMove::Castle(_))));
}

/// The text of a transcript's line.
fn record(seconds: u32, direction: &str, bytes: &str) -> String {
    let hex = bytes.bytes().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    format!("{{\"t\": {seconds}, \"dir\": \"{direction}\", \"hex\": \"{hex}\"}}\n")
}

#[test]
fn a_recording_has_the_events_of_all_its_connections() {
    let transcript = [
        record(1, "rx", "first\n\runfin"),
        record(2, "rx", ""),
        record(3, "tx", "date\n"),
        record(4, "rx", "second\n\r"),
        "{\"t\": 5, \"dir\"".to_owned(),
    ]
    .concat();
    let mut events = RecordedEvents::new(transcript.as_bytes()).unwrap();
    let mut found = Vec::new();
    let error = loop {
        match events.next().unwrap() {
            Ok(recorded) => {
                let text = String::from_utf8_lossy(recorded.event.raw()).trim().to_owned();
                found.push((recorded.time.unwrap().as_secs(), recorded.event.kind(), text));
            }
            Err(error) => break error,
        }
    };
    let text = |seconds, text: &str| (seconds, EventKind::Text, text.to_owned());
    assert_eq!(found, [text(1, "first"), text(2, "unfin"), (3, EventKind::Sent, String::new()), text(4, "second")]);
    assert!(matches!(error, TranscriptError::Torn { line: 5, .. }), "{error}");
    assert!(events.next().is_none());
}

#[test]
fn a_log_of_received_bytes_has_events_without_times() {
    let events: Vec<_> = RecordedEvents::new(&b"fics% hello\n\rrest"[..]).unwrap().map(Result::unwrap).collect();
    assert!(events.iter().all(|recorded| recorded.time.is_none() && recorded.utc.is_none()));
    assert_eq!(events.last().unwrap().event.raw(), b"rest");
}
