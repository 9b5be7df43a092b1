use super::*;
use crate::ParseError;

#[test]
fn names_are_parsed_as_they_are_printed() {
    for &choice in TimesealChoice::ALL {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
    for name in ["", "3", "v2", "Auto"] {
        assert_eq!(
            name.parse::<TimesealChoice>(),
            Err(ParseError::new("timeseal is none of off, 1, 2 and auto")),
            "{name}"
        );
    }
}

// Rules: transport LG2, bugs 17
#[test]
fn passwords_are_never_printed() {
    let password = Password::new("swordfish").unwrap();
    let account = Credentials::Account { handle: "Newton".parse().unwrap(), password: password.clone() };
    for shown in [format!("{password:?}"), format!("{password:#?}"), format!("{account:?}")] {
        assert!(!shown.contains("swordfish"), "{shown}");
    }
}

#[test]
fn passwords_are_one_line_of_ascii() {
    let cases = [
        ("", CommandError::Empty),
        ("a\nb", CommandError::LineBreak),
        ("a\x18", CommandError::Control),
        ("süß", CommandError::Control),
    ];
    for (text, want) in cases {
        assert_eq!(Password::new(text), Err(want), "{text:?}");
    }
    assert_eq!(Password::new("x".repeat(2000)), Err(CommandError::too_long(2000, Command::MAX_BYTES)));
}
