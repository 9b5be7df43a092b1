use super::*;

fn text_id(id: &str) -> ProgramId {
    ProgramId::Text(id.into())
}

#[test]
fn a_command_has_an_identifier_and_may_have_conditions() {
    let lines = [
        (r#"{"id":7,"command":"finger Newton"}"#, ProgramId::Integer("7".into()), "finger Newton", None, None),
        (
            r#" { "game": 12, "expires_ms": 2000, "command": "e4", "id": "a\u2028" } "#,
            text_id("a\u{2028}"),
            "e4",
            Some(2000),
            Some(12),
        ),
        (
            r#"{"id":-123456789012345678901234567890,"command":"","expires_ms":0,"game":-1}"#,
            ProgramId::Integer("-123456789012345678901234567890".into()),
            "",
            Some(0),
            Some(-1),
        ),
        (r#"{"id":"7","command":"say K\u00f6ln","game":null}"#, text_id("7"), "say K&#xf6;ln", None, None),
    ];
    for (line, id, command, expires_ms, game) in lines {
        let want = ProgramCommand {
            id,
            command: Command::new(command).unwrap(),
            expires_after: expires_ms.map(Duration::from_millis),
            game: game.map(GameId),
        };
        assert_eq!(ProgramRequest::parse(line.as_bytes()), Ok(ProgramRequest::Command(want)), "{line}");
    }
}

#[test]
fn a_subscription_has_a_filter_or_none() {
    let filter = Some(Expression::parse("kind:tell or game:12").unwrap());
    let cases = [
        (r#"{"subscribe":{"filter":"kind:tell or game:12"}}"#, None, filter),
        (r#"{"id":"s","subscribe":{}}"#, Some(text_id("s")), None),
    ];
    for (line, id, filter) in cases {
        let want = ProgramRequest::Subscribe { id, filter };
        assert_eq!(ProgramRequest::parse(line.as_bytes()), Ok(want), "{line}");
    }
}

#[test]
fn an_invalid_line_keeps_its_identifier_if_it_has_one() {
    let seven = Some(ProgramId::Integer("7".into()));
    let cases: &[(&str, &[u8], &Option<ProgramId>, &str)] = &[
        ("cut", br#"{"id":7"#, &None, "EOF while parsing an object at column 7"),
        ("more than one", br#"{"id":7}{}"#, &None, "trailing characters at column 9"),
        ("UTF-8", b"{\"id\":7,\"command\":\"\xff\"}", &None, "invalid UTF-8"),
        ("twice", br#"{"id":7,"id":8}"#, &None, "duplicate field `id` at column 12"),
        ("fraction", br#"{"id":7.0,"command":"x"}"#, &None, "`id` is neither an integer nor a string"),
        ("object", br#"{"id":{},"command":"x"}"#, &None, "`id` is neither an integer nor a string"),
        ("lone surrogate", br#"{"id":"\ud800","command":"x"}"#, &None, "`id` is neither an integer nor a string"),
        ("no identifier", br#"{"command":"x"}"#, &None, "`id` is missing"),
        ("null", br#"{"id":null,"command":"x"}"#, &None, "`id` is missing"),
        ("both", br#"{"id":7,"command":"x","subscribe":{}}"#, &seven, "`command` and `subscribe` are two requests"),
        ("both", br#"{"id":7,"game":1,"subscribe":{}}"#, &seven, "`expires_ms` and `game` belong to a `command`"),
        (
            "unknown key of a subscription",
            br#"{"id":7,"subscribe":{"filer":"mine"}}"#,
            &seven,
            "`subscribe` is not an object with a `filter`, which is a string",
        ),
        (
            "filter",
            br#"{"id":7,"subscribe":{"filter":"kind:tel"}}"#,
            &seven,
            r#"`filter`: unknown kind "tel", did you mean "tell"? (character 6)"#,
        ),
        ("no command", br#"{"id":7}"#, &seven, "`command` is missing"),
        ("number", br#"{"id":7,"command":1}"#, &seven, "`command` is not a string"),
        ("line break", br#"{"id":7,"command":"a\nb"}"#, &seven, "`command`: line break inside a line"),
        ("control", br#"{"id":7,"command":"a\u0007"}"#, &seven, "`command`: control character in a line"),
        ("unknown key", br#"{"id":7,"comand":"x"}"#, &seven, r#"unknown key "comand", did you mean "command"?"#),
        ("unlike any", br#"{"id":7,"zzz":"x"}"#, &seven, r#"unknown key "zzz""#),
        (
            "negative",
            br#"{"id":7,"command":"x","expires_ms":-1}"#,
            &seven,
            "`expires_ms` is not a number of milliseconds",
        ),
        ("text", br#"{"id":7,"command":"x","game":"12"}"#, &seven, "`game` is not the number of a game"),
        ("large", br#"{"id":7,"command":"x","game":4294967296}"#, &seven, "`game` is not the number of a game"),
    ];
    for (name, line, id, text) in cases {
        let invalid = ProgramRequest::parse(line).unwrap_err();
        assert_eq!((&invalid.id, invalid.text.as_str()), (*id, *text), "{name}");
    }
    let long = format!(r#"{{"id":7,"command":"{}"}}"#, "x".repeat(1000));
    let invalid = ProgramRequest::parse(long.as_bytes()).unwrap_err();
    assert_eq!((invalid.id, &*invalid.text), (seven, "`command`: line of 1000 bytes is longer than 995"));
}
