use super::*;

// Rules: bugs 18
#[test]
fn a_kick_is_typed() {
    let admin = |name: &str| KickedBy::Admin(Handle::from_wire(name.as_bytes()));
    let cases = [
        ("**** Foo has arrived - you can't both be logged in. ****", KickedBy::SecondLogin),
        ("**** Duras has arrived; you can't both be logged in. ****", KickedBy::SecondLogin),
        ("**** You have been kicked out by Headadm! ****", admin("Headadm")),
    ];
    for (line, by) in cases {
        assert_eq!(KickedBy::parse(line.as_bytes()), Some(by), "{line}");
        for quote in
            [format!("Foo tells you: {line}"), format!("--> Foo {line}"), format!(" {line}"), format!("{line} x")]
        {
            assert_eq!(KickedBy::parse(quote.as_bytes()), None, "{quote}");
        }
    }
    assert_eq!(KickedBy::parse(b"**** Carla is already logged in - kicking them out. ****"), None);
}

#[test]
fn farewells() {
    let cases = [
        ("**** Auto-logout because you were idle more than 60 minutes. ****", Some(Farewell::Idle)),
        ("**** Auto-logout because you were idle more than one hour. ****", Some(Farewell::Idle)),
        ("Logging you out.", Some(Farewell::LoggingOut)),
        ("    **** Server going down in 0 minutes and 9 seconds. ****", Some(Farewell::Shutdown)),
        ("    **** Server shutting down immediately. ****", Some(Farewell::Shutdown)),
        ("    **** Server shutdown ordered by Headadm. ****", Some(Farewell::Shutdown)),
        ("*** The server is shutting down in 3 minutes, initiated by admin ***", Some(Farewell::Shutdown)),
        ("*** Server shutdown canceled by admin ***", Some(Farewell::ShutdownCanceled)),
        ("Foo tells you: **** Server shutting down immediately. ****", None),
        ("--> Foo *** Server shutdown canceled by admin ***", None),
        ("Foo tells you: Logging you out.", None),
        ("**** Invalid password! ****", None),
        ("******", None),
        ("*** ***", None),
    ];
    for (line, want) in cases {
        assert_eq!(Farewell::parse(line.as_bytes()), want, "{line}");
    }
}
