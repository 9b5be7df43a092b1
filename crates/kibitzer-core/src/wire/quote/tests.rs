use super::*;

// Rules: text X8
#[test]
fn every_heading_is_recognized_with_its_sender() {
    let cases = [
        ("Foo just sent you a message:", Some("Foo")),
        ("Foo(TD) just sent you a message:", Some("Foo TD")),
        ("Foo(GM TD) just sent you a message:", Some("Foo GM TD")),
        ("Foo(GM)(*) just sent you a message:", Some("Foo GM *")),
        ("A message was just sent to you by Foo(GM TD):", Some("Foo GM TD")),
        ("The following message was sent to Foo:", None),
        ("The following message was sent (and emailed) to Foo:", None),
        ("The following message was sent and emailed to Foo:", None),
        ("The following message was emailed to Foo:", None),
        ("The following message was forwarded to Foo:", None),
        ("The following message was forwarded and emailed to Foo:", None),
        ("The following message was received:", None),
        ("The following message was received from Foo:", Some("Foo")),
        ("The following message was received from Foo(GM TD) at Mon Jan  1, 10:00 PST 2024:", Some("Foo GM TD")),
    ];
    for (line, want) in cases {
        assert_eq!(Quote::None.after_line(line.as_bytes()), Quote::Expected, "{line}");
        let found = sender_in_heading(line.as_bytes())
            .map(|(name, titles)| titles.iter().fold(name.to_string(), |text, title| format!("{text} {title}")));
        assert_eq!(found.as_deref(), want, "{line}");
    }
}

// Rules: text X8, ten 8
#[test]
fn no_player_can_write_a_heading() {
    let lines = [
        "Foo tells you: Bar just sent you a message:",
        "--> Foo just sent you a message:",
        ":Foo just sent you a message:",
        " Foo just sent you a message:",
        "(told Foo, who just sent you a message:",
        " 1: The following message was sent to Foo:",
        "Foo tells you: The following message was sent to Foo:",
        "Foo just sent you a message: hi",
        "Messages:",
    ];
    for line in lines {
        assert_eq!(Quote::None.after_line(line.as_bytes()), Quote::None, "{line}");
        assert_eq!(sender_in_heading(line.as_bytes()), None, "{line}");
    }
}
