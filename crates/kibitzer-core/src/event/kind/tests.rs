use super::*;
use crate::ParseError;

#[test]
fn every_name_is_its_kinds_alone() {
    for &kind in EventKind::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
        assert_eq!(kind.to_string(), kind.as_str());
        let name: String = format!("{kind:?}")
            .chars()
            .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()))
            .collect();
        assert_eq!(kind.as_str(), name.trim_start_matches('_'));
    }
    for name in ["", "Tell", "tell ", "pings"] {
        assert_eq!(name.parse::<EventKind>(), Err(ParseError::new("no event has this name")), "{name:?}");
    }
}

#[test]
fn an_event_is_of_the_kind_its_line_shows() {
    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
            Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r";
    let delta = "<d1> 1 1 e4 e2e4 922 121078 207\n\r";
    let cases: &[(&str, &[EventKind])] = &[
        (BOARD, &[EventKind::Position]),
        (&format!("{BOARD}{delta}"), &[EventKind::Position, EventKind::Position]),
        (delta, &[EventKind::Desync, EventKind::Text]),
        ("Foo(50): hi\n\r", &[EventKind::ChannelTell]),
        ("<wa> gbtami 001411E1663P1483P0000 0000 0000 0000 0000 0000 \n\r", &[EventKind::Arrived]),
        ("Challenge: Foo (1500) Bar (1671) unrated blitz 5 0.\n\r", &[EventKind::Challenge]),
        ("Issuing: Foo (1500) Bar (1671) unrated blitz 5 0.\n\r", &[EventKind::ChallengeSent]),
        ("<pf> 7 w=Foo t=draw p=#\n\r", &[EventKind::PendingFrom]),
        ("There is no such game.\n\r", &[EventKind::Refused]),
        ("Your primary game is now game 3.\n\r", &[EventKind::Focus]),
    ];
    for &(sent, want) in cases {
        let (mut reader, mut input) = (crate::EventReader::default(), sent.as_bytes());
        let mut kinds: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).map(|event| event.kind()).collect();
        kinds.extend(std::iter::from_fn(|| reader.finish()).map(|event| event.kind()));
        assert_eq!(kinds, want, "{sent}");
    }
}
