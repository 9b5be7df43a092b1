use super::*;

// Rules: transport P1, transport P3
#[test]
fn command_prompts_of_every_server_with_and_without_a_clock() {
    let prompts = Prompts::default();
    for sent in ["fics% ", "aics% ", "ics% ", "chess% ", "uscn% ", "bics% ", "12:34_fics% ", "00:59_aics% "] {
        let family = if sent.contains("aics") { Family::Icc } else { Family::Fics };
        assert_eq!(prompts.match_start(sent.as_bytes()), Some((PromptKind::Command(family), sent.len())), "{sent}");
    }
    for sent in ["fics%", "Fics% ", "12:3_fics% ", "1a:34_fics% ", "xics% ", "fics %"] {
        assert_eq!(prompts.match_start(sent.as_bytes()), None, "{sent}");
    }
}

// Rules: transport P2
#[test]
fn a_custom_prompt_is_recognized_once_it_is_set() {
    let mut prompts = Prompts::default();
    assert_eq!(prompts.match_start(b"chess> <12>"), None);
    prompts.set_custom(b"chess> ");
    assert_eq!(prompts.match_start(b"chess> <12>"), Some((PromptKind::Command(Family::Auto), 7)));
    prompts.set_custom(b"chess>");
    assert_eq!(
        prompts.match_start(b"chess> <12>"),
        Some((PromptKind::Command(Family::Auto), 7)),
        "the server adds the blank"
    );
    assert_eq!(prompts.match_start(b"chess><12>"), None);
    prompts.set_custom(b"play> ");
    assert_eq!(
        prompts.match_start(b"play> "),
        Some((PromptKind::Command(Family::Auto), 6)),
        "one that starts like `password: `"
    );
    for none in [&b""[..], b"chess>\x07 ", b"\xff "] {
        prompts.set_custom(none);
        assert_eq!(prompts.match_start(b"chess> <12>"), None);
        assert_eq!(prompts.match_start(none), None);
    }
}

// Rules: transport P9, transport LG4
#[test]
fn login_prompts_end_with_the_login() {
    let mut prompts = Prompts::default();
    assert_eq!(prompts.match_start(b"login: "), Some((PromptKind::Login, 7)));
    assert_eq!(prompts.match_start(b"password: "), Some((PromptKind::Password, 10)));
    prompts.is_logged_in = true;
    assert_eq!(prompts.match_start(b"login: "), None);
    assert_eq!(prompts.match_start(b"fics% "), Some((PromptKind::Command(Family::Fics), 6)));
}

#[test]
fn the_guest_prompt_ends_at_its_colon() {
    let cases = [
        ("Press return to enter the server as \"GuestABCD\":", Some("GuestABCD")),
        ("Press return to enter the FICS as \"Guesty\":", Some("Guesty")),
        ("Press return to enter the server as \"GuestABCD\"", None),
        ("Press return to enter the server as \"GuestABCD\": ", None),
        ("Press return to enter the server as \"", None),
        ("Press return to enter as you like", None),
        ("Foo tells you: Press return to enter the server as \"Foo\":", None),
        ("", None),
    ];
    for (line, want) in cases {
        assert_eq!(guest_name_in_prompt(line.as_bytes()), want.map(str::as_bytes), "{line}");
    }
}
