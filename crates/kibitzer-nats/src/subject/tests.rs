use super::*;

fn subject(session: &str, line: &str) -> String {
    SessionName::new(session).unwrap().subject_of(&EventHead::parse(line.as_bytes()).unwrap())
}

#[test]
fn a_subject_names_session_class_game_and_event() {
    let cases = [
        (r#"{"event":"position","offset":0,"game":12,"fen":"x"}"#, "kibitzer.v1.fics.game.12.position"),
        (r#"{"event":"kibitz","offset":0,"text":"kibitzer.v1.>","game":7}"#, "kibitzer.v1.fics.talk.7.kibitz"),
        (r#"{"event":"say","offset":0,"text":"x","game":null}"#, "kibitzer.v1.fics.talk.say"),
        (r#"{"event":"desync","offset":0,"game":7,"text":"x"}"#, "kibitzer.v1.fics.game.7.desync"),
        (r#"{"event":"finger","offset":0,"game":{"game":3}}"#, "kibitzer.v1.fics.text.finger"),
        (r#"{"event":"challenge","offset":0}"#, "kibitzer.v1.fics.seek.challenge"),
        (r#"{"event":"lost","offset":null,"text":"x"}"#, "kibitzer.v1.fics.life.lost"),
        (r#"{"event":"prompt","offset":1}"#, "kibitzer.v1.fics.text.prompt"),
        (r#"{"event":"of_a_later_version","offset":1}"#, "kibitzer.v1.fics.life.of_a_later_version"),
    ];
    for (line, want) in cases {
        assert_eq!(subject("fics", line), want);
    }
}

#[test]
fn every_character_of_a_session_is_escaped_unless_it_is_safe_in_a_subject() {
    let name = SessionName::new("a.b*>\u{e9} =Z_9-").unwrap();
    assert_eq!(name.token(), "a=2Eb=2A=3E=C3=A9=20=3DZ_9-");
    assert_eq!(name.all_subjects(), "kibitzer.v1.a=2Eb=2A=3E=C3=A9=20=3DZ_9-.>");
    for text in [String::new(), "x".repeat(65)] {
        assert!(SessionName::new(&text).is_err(), "{text}");
    }
    assert!(SessionName::is_token(SessionName::new(&" ".repeat(64)).unwrap().token()));
    for word in [String::new(), "x".repeat(193), "../x".to_owned(), "a b".to_owned(), "\u{e9}".to_owned()] {
        assert!(!SessionName::is_token(&word), "{word}");
    }
}

#[test]
fn a_filter_selects_the_subjects_of_its_events() {
    let session = || SubjectFilter { session: SessionName::new("a").ok(), ..SubjectFilter::default() };
    let kinds = BTreeSet::from([EventKind::Tell, EventKind::Position]);
    let cases: [(SubjectFilter, &[&str]); 5] = [
        (SubjectFilter::default(), &["kibitzer.v1.*.>"]),
        (session(), &["kibitzer.v1.a.>"]),
        (SubjectFilter { game: Some(7), ..session() }, &["kibitzer.v1.a.*.7.*"]),
        (
            SubjectFilter { game: Some(7), kinds: BTreeSet::from([EventKind::Position]), ..session() },
            &["kibitzer.v1.a.game.7.position"],
        ),
        (
            SubjectFilter { kinds, ..SubjectFilter::default() },
            &[
                "kibitzer.v1.*.game.position",
                "kibitzer.v1.*.game.*.position",
                "kibitzer.v1.*.talk.tell",
                "kibitzer.v1.*.talk.*.tell",
            ],
        ),
    ];
    for (filter, want) in cases {
        assert_eq!(filter.subjects(), want);
    }
}
