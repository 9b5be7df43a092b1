use super::*;

/// Questions and answers of the transcripts.
#[test]
fn replies_to_set_are_the_recorded_ones() {
    let cases = [
        ("style", "12", "Style 12 set."),
        ("width", "60", "width set to 60."),
        ("height", "240", "height set to 240."),
        ("prompt", "zz:", "prompt set to \"zz: \"."),
        ("interface", "fcdriver 0.1", "interface set to \"fcdriver 0.1\"."),
        ("busy", "is having lunch; 5% left", "busy set to \"is having lunch; 5% left\"."),
        ("formula", "", "formula unset."),
        ("bell", "0", "You will not hear beeps."),
        ("open", "0", "You are no longer receiving match requests."),
        ("ptime", "1", "Your prompt will now show the time."),
        ("flip", "1", "Flip on."),
        ("1", "my note: 100% \"x\"", "Note 1 set: my note: 100% \"x\""),
        ("1", "", "Note 1 cleared."),
    ];
    let mut variables = Variables::default();
    for (name, value, want) in cases {
        assert_eq!(variables.set_or_toggle(name, value), want);
    }
    assert_eq!(variables.number("width"), 60);
    assert_eq!(variables.value("prompt"), "zz: ");
    assert!(variables.is_flag_on("ptime") && !variables.is_flag_on("open"));
}

#[test]
fn invalid_names_and_values_are_refused() {
    let bad_value = |name: &str| format!("Bad value given for variable \"{name}\".");
    let mut variables = Variables::default();
    assert_eq!(variables.set_or_toggle("nosuch", "1"), "No such variable \"nosuch\".");
    assert_eq!(variables.set_or_toggle("sh", "1"), "Ambiguous variable \"sh\". Matches: shout showownseek");
    assert_eq!(variables.set_or_toggle("formula", "rated & blitz"), bad_value("formula"));
    assert_eq!(variables.set_or_toggle("width", "1000"), bad_value("width"));
    assert_eq!(variables.set_or_toggle("style", "13"), bad_value("style"));
    assert_eq!(variables.set_or_toggle("bell", "x"), bad_value("bell"));
    assert_eq!(variables.set_or_toggle("interface", &"x".repeat(401)), bad_value("interface"));
    assert_eq!(variables, Variables::default());
}

#[test]
fn each_variable_has_one_name() {
    let names: std::collections::BTreeSet<_> = VARIABLES.iter().map(|(name, ..)| name).collect();
    assert_eq!(names.len(), VARIABLES.len());
}

#[test]
fn a_login_string_sets_each_variable_by_its_number() {
    let ivars = Ivars::parse_login_digits("00010000000001000000000000000001").unwrap();
    let set: Vec<_> = settable_ivars().filter(|&ivar| ivars.is_set(ivar)).map(Ivar::as_str).collect();
    assert_eq!(set, ["defprompt", "nohighlight", "nowrap", "atomic"]);
    assert_eq!(Ivars::parse_login_digits("101"), None);
    assert_eq!(Ivars::parse_login_digits(&"2".repeat(32)), None);
    assert!(Ivars::parse_login_digits(&"1".repeat(60)).is_some());
}

#[test]
fn names_may_be_abbreviated() {
    let find = |prefix| find_only_by_prefix(settable_ivars().map(|ivar| (ivar.as_str(), ivar)), prefix);
    assert_eq!(find("ms"), Ok(Ivar::Ms));
    assert_eq!(find("comp"), Ok(Ivar::CompressMove));
    assert_eq!(find("se"), Err(vec!["seekremove", "seekinfo", "seekca"]));
    assert_eq!(find("zz"), Err(vec![]));
    assert_eq!(find("xml"), Err(vec![]), "it is listed, and cannot be set");
}
