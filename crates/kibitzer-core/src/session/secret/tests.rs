use super::*;

#[test]
fn every_command_with_a_password_is_recognized() {
    let lines: &[(&str, &[&str])] = &[
        ("password old new", &["old", "new"]),
        ("  $$Passw  old\tnew ", &["old", "new"]),
        ("/password old new", &["old", "new"]),
        ("12 password old new", &["old", "new"]),
        ("`7`password old new", &["old", "new"]),
        ("pa old new", &["old", "new"]),
        ("passwd n;ew", &["n;ew"]),
        ("set password new", &["new"]),
        ("Set PASS new", &["new"]),
        ("asetpasswd Newton new", &["new"]),
        ("aset Newton new", &["new"]),
        ("asetv Newton password new", &["new"]),
        ("multi finger; password old new;date", &["old", "new"]),
        ("MUL password a b; set passw c", &["a", "b", "c"]),
        (";date;password old new", &["old", "new"]),
        (";password a b;passw c d", &["a", "b", "c", "d"]),
        ("register Newton swordfish", &["Newton", "swordfish"]),
        ("reg Newton swordfish", &["Newton", "swordfish"]),
        ("login Newton swordfish", &["swordfish"]),
        ("alias pw password old new", &["old", "new"]),
        ("alias pw multi date; pass old new", &["old", "new"]),
        ("pose Newton password old new", &["old", "new"]),
    ];
    let detector = SecretDetector::default();
    for (line, want) in lines {
        assert_eq!((detector.secrets(line), detector.is_secret(line)), (want.to_vec(), true), "{line}");
    }
    for line in [
        "",
        "$",
        "password",
        "set password",
        "multi ;;",
        "partner Newton",
        "p Newton",
        "simpass",
        "set prompt password",
        "tell Newton password a b",
        "shout a; password b",
        "help password",
        "alias pw password",
        "finger password",
    ] {
        assert!(!detector.is_secret(line), "{line}");
    }
}

#[test]
fn aliases_are_learned() {
    let mut detector = SecretDetector::default();
    for line in ["alias PW $password", "Ali pp multi date; pw @", "alias f finger", "say alias g password"] {
        detector.learn_alias(line);
    }
    assert_eq!(detector.secrets("pw old new"), ["old", "new"]);
    assert_eq!(detector.secrets("5 pp old"), ["old"]);
    assert!(!detector.is_secret("f Newton") && !detector.is_secret("g Newton") && !detector.is_secret("pw"));
    for n in 0..1000 {
        detector.learn_alias(&format!("alias x{n} password"));
    }
    assert!(detector.aliases.len() <= 1000);
}

#[test]
fn many_aliases_are_recognized() {
    let mut detector = SecretDetector::default();
    for n in 0..120 {
        detector.learn_alias(&format!("alias x{n} password"));
    }
    for n in 0..120 {
        assert_eq!(detector.secrets(&format!("X{n} old new")), ["old", "new"]);
    }
    let n_masked = (0..1000).filter(|n| detector.is_secret(&format!("other{n} Newton"))).count();
    assert!(n_masked < 10, "{n_masked} of 1000 other commands are taken for aliases");
}

#[test]
fn nested_commands_take_linear_time() {
    let detector = SecretDetector::default();
    for piece in ["multi ", "alias a ", "; ", "multi a;", "$"] {
        assert!(!detector.is_secret(&piece.repeat(2_000)), "{piece}");
    }
}
