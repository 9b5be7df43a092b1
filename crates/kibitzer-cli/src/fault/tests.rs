use std::time::Duration;

use kibitzer_server::LoginObstacle;

use super::*;

#[test]
fn a_fault_has_a_point() {
    let cases = [
        ("stall", Fault::Stall, FaultPoint::Connect),
        ("cut@next-board", Fault::Cut, FaultPoint::NextBoard),
        ("reset@after=4096", Fault::Reset, FaultPoint::After(4096)),
        ("split=1", Fault::Split(1), FaultPoint::Connect),
        ("delay=200ms@setup", Fault::Delay(Duration::from_millis(200)), FaultPoint::Setup),
        ("refuse=full", Fault::Refuse(LoginObstacle::Full), FaultPoint::Connect),
        ("garbage=80@in-block", Fault::Garbage(80), FaultPoint::InBlock),
    ];
    for (text, fault, at) in cases {
        let scheduled = ScheduledFault { fault, at };
        assert_eq!(text.parse().as_ref(), Ok(&scheduled), "{text}");
        assert_eq!(scheduled.to_string().parse(), Ok(scheduled), "{scheduled}");
    }
}

#[test]
fn invalid_faults_are_refused() {
    for text in [
        "",
        "fire",
        "stall=1",
        "split",
        "split=x",
        "delay=5",
        "refuse",
        "refuse=me",
        "cut@noon",
        "cut@after",
        "cut@after=",
    ] {
        assert!(text.parse::<ScheduledFault>().is_err(), "{text}");
    }
}

#[test]
fn similar_names_are_suggested() {
    let cases = [
        ("ct@login", "unknown fault \"ct\", did you mean \"cut\"?"),
        ("cut@nextboard", "unknown point \"nextboard\", did you mean \"next-board\"?"),
        ("cutt", "unknown fault \"cutt\", did you mean \"cut\"?"),
        ("splitt=4", "unknown fault \"splitt\", did you mean \"split\"?"),
        ("refuse=passwort", "unknown refusal \"passwort\", did you mean \"password\"?"),
        ("fire", "unknown fault \"fire\""),
        ("refuse=ful", "unknown refusal \"ful\", did you mean \"full\"?"),
        ("cut #x", "a number is missing after #"),
        ("cut #3 now", "nothing is expected at \"now\": FAULT[@POINT] [#N|NAME|next]"),
        (" ", "a fault is missing, such as cut@next-board"),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<FaultRequest>().unwrap_err(), want, "{text}");
    }
    let request: FaultRequest = "cut@next-board #3".parse().unwrap();
    assert_eq!(request.target, Some(ConnectionTarget::Connection(3)));
}

#[test]
fn every_completed_fault_is_parsed() {
    for fault in fault_completions("").iter().chain(&fault_completions("cut@")) {
        let value = if fault.starts_with("delay") { "1s" } else { "1" };
        let text = if fault.ends_with('=') { format!("{fault}{value}") } else { fault.clone() };
        let parsed: ScheduledFault = text.parse().unwrap();
        assert_eq!(parsed.to_string().parse(), Ok(parsed), "{text}");
        assert!(HELP.contains(fault.trim_start_matches("refuse=").trim_start_matches("cut@")), "{fault}");
    }
}

#[test]
fn a_fault_has_the_same_name_in_rust() {
    // `Refuse(BadName)` is `refuse=bad-name`.
    let written = |value: &dyn fmt::Debug| {
        let mut name = String::new();
        for letter in format!("{value:?}").chars().filter(|letter| *letter != ')') {
            let is_inside = letter.is_ascii_uppercase() && name.ends_with(|last: char| last.is_ascii_lowercase());
            name.extend(is_inside.then_some('-'));
            name.push(if letter == '(' { '=' } else { letter.to_ascii_lowercase() });
        }
        name
    };
    for name in FAULTS {
        let value = if name == "delay=" { "1ms" } else { "1" };
        let text = if name.ends_with('=') { format!("{name}{value}") } else { name.to_owned() };
        assert_eq!(written(&text.parse::<Fault>().unwrap()), text);
    }
    for point in POINTS.map(|point| point.replace("after=", "after=1")) {
        assert_eq!(written(&point.parse::<FaultPoint>().unwrap()), point);
    }
}

#[test]
fn the_help_names_every_fault() {
    for word in HELP.split([' ', ',', '\n']).filter(|word| word.starts_with("refuse=") || word.contains("=N")) {
        let word = word.replace("=N", "=1").replace("=WHY", "=full");
        assert!(
            word.parse::<ScheduledFault>().is_ok() || format!("cut@{word}").parse::<ScheduledFault>().is_ok(),
            "{word}"
        );
    }
}
