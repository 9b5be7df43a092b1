use super::*;

fn encoded(line: &str) -> Result<String, CommandError> {
    Command::new(line).map(|command| command.as_str().to_owned())
}

#[test]
fn lines_are_encoded_as_printable_ascii() {
    let cases = [
        ("empty", "", ""),
        ("command", "tell 50 hello", "tell 50 hello"),
        ("blanks stay", "  say a  b ", "  say a  b "),
        ("Latin-1", "say Köln", "say K&#xf6;ln"),
        ("beyond", "say ♞ 🐎", "say &#x265e; &#x1f40e;"),
        ("no-break space, line separator", "\u{a0}\u{2028}", "&#xa0;&#x2028;"),
        ("an entity stays", "&#x41;", "&#x41;"),
    ];
    for (name, line, want) in cases {
        assert_eq!(encoded(line).as_deref(), Ok(want), "{name}");
    }
}

// Rules: transport L5, transport L7, bugs 15
#[test]
fn lines_with_control_characters_are_refused() {
    for line in ["tell Foo hi\nresign", "\n", "quit\r", "a\r\nb"] {
        assert_eq!(encoded(line), Err(CommandError::LineBreak), "{line:?}");
    }
    for line in ["\0", "a\tb", "\x07", "\x18", "\x19", "\x1b[2J", "\x7f", "\u{85}", "\u{9b}2J"] {
        assert_eq!(encoded(line), Err(CommandError::Control), "{line:?}");
    }
}

// Rules: transport L6, bugs 15
#[test]
fn lines_that_are_too_long_are_refused() {
    let max = Command::MAX_BYTES;
    assert_eq!(encoded(&"x".repeat(max)).map(|line| line.len()), Ok(max));
    assert_eq!(encoded(&"x".repeat(max + 1)), Err(CommandError::too_long(max + 1, max)));
    assert_eq!(encoded(&"♞".repeat(125)), Err(CommandError::too_long(1000, max)), "what counts is what is sent");
}

#[test]
fn a_free_text_follows_its_command() {
    assert_eq!(Command::with_text("tell Foo", "hi").unwrap().as_str(), "tell Foo hi");
    assert_eq!(Command::with_text("tell Foo", " \u{2003}"), Err(CommandError::Empty));
    assert_eq!(Command::with_text("tell Foo", "hi\0"), Err(CommandError::Control));
}

#[test]
fn effects_of_commands_are_recognized() {
    let command = |line| Command::new(line).unwrap();
    assert_eq!(command("$$tell  Foo hi").verb(), "tell");
    assert!(command("quit").is_quit() && command(" logout").is_quit() && !command("tell quit x").is_quit());
    assert!(command("Quit").is_quit() && command("$LOGOUT").is_quit());
    assert_eq!(command("Seek 5 0").verb(), "seek");
    for (line, switches) in
        [("iset block 1", true), ("Iset Block 0", true), ("$iset bl 0", true), ("iset ms 1", false), ("iset", false)]
    {
        assert_eq!(command(line).may_switch_block_mode(), switches, "{line}");
    }
    for (line, style) in [
        ("style 1", Some("1")),
        ("$set style 12", Some("12")),
        ("Style 1", Some("1")),
        ("set width 80", None),
        ("set", None),
    ] {
        assert_eq!(command(line).style_to_set(), style, "{line}");
    }
    for (line, contains_password) in
        [("password old new", true), ("set password new", true), ("tell Newton password", false)]
    {
        assert_eq!(format!("{:?}", command(line)) == "Command(..)", contains_password, "{line}");
    }
    assert!(command("$date").resets_idle_timer() && !command("$$date").resets_idle_timer());
}
