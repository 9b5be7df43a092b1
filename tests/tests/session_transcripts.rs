//! Every recorded session, played to the session machine: see [`Mode`] for how far the server of the recording is made to fit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{Family, Ivar, Message, NameKind};
use kibitzer_core::session::{Credentials, Password, Reply, Session, SessionOptions, TimesealChoice, TransmitKind};
use kibitzer_core::wire::{Timeseal, unseal};
use kibitzer_tests::{Audit, LineRole, Mode, Play, PlayResult, Recording, Sent, StepKind, Transcript, blessing};

const MODES: [Mode; 3] = [Mode::Alone, Mode::Passive, Mode::Acting];

/// Every recording, and what came of acting on it.
fn acted() -> &'static [(Recording, PlayResult)] {
    static ACTED: LazyLock<Vec<(Recording, PlayResult)>> = LazyLock::new(|| {
        let act = |recording: Recording| {
            let played = Play::new(&recording, Mode::Acting).run();
            (recording, played)
        };
        Recording::all().into_iter().map(act).collect()
    });
    &ACTED
}

/// Who logged in, as whom, and the end in each mode.
fn row(recording: &Recording, played: &[PlayResult]) -> String {
    let who = match recording.credentials() {
        Credentials::Guest => "guest".to_owned(),
        Credentials::NamedGuest(name) => format!("guest {name}"),
        Credentials::Account { handle, .. } => format!("account {handle}"),
        other => format!("{other:?}"),
    };
    let states: Vec<_> = played.iter().map(PlayResult::state).collect();
    format!("{} | {who} | {}", recording.name, states.join(" | "))
}

/// The table that a person has checked, its comments left out.
fn table() -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/sessions.table");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (path, text)
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// Writes new rows over the old ones, each where it stood; rows of new recordings come last.
fn bless(rows: &[String]) {
    let (path, old) = table();
    let key = |row: &str| row.split(" | ").next().unwrap().to_owned();
    let mut new: HashMap<_, _> = rows.iter().map(|row| (key(row), row.clone())).collect();
    let mut lines: Vec<_> = old
        .lines()
        .filter_map(|line| {
            if line.contains(" | ") && !line.starts_with('#') { new.remove(&key(line)) } else { Some(line.to_owned()) }
        })
        .collect();
    lines.extend(rows.iter().filter(|row| new.contains_key(&key(row))).cloned());
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn every_recorded_session_ends_as_it_should_and_nothing_wrong_is_sent() {
    let mut found = Vec::new();
    for (recording, acted) in acted() {
        let played =
            [Play::new(recording, Mode::Alone).run(), Play::new(recording, Mode::Passive).run(), acted.clone()];
        for (played, mode) in played.iter().zip(MODES) {
            assert_eq!(played.problems, [""; 0], "{}, {mode:?}", recording.name);
        }
        found.push(row(recording, &played));
    }
    if blessing() {
        bless(&found);
    }
    let (_, text) = table();
    let want: Vec<_> = rows(&text).collect();
    let wrong: Vec<_> = found.iter().filter(|row| !want.contains(&row.as_str())).collect();
    assert_eq!((wrong, found.len()), (Vec::new(), want.len()));
}

// Rules: transport S1, transport S2, transport S3
#[test]
fn a_sealed_session_answers_pings_where_the_recorded_client_did() {
    for name in ["fatics-timeseal1-black", "fatics-timeseal1-white", "fatics-timeseal2-black", "fatics-timeseal2-white"]
    {
        let sent = Transcript::named(name).sent;
        let lines = sent.split_inclusive(|&byte| byte == b'\n').map(|line| unseal(line).unwrap().text);
        let want: Vec<_> = lines.map(|line| String::from_utf8(line).unwrap()).skip(1).collect();
        let played = Play::new(&Recording::named(name), Mode::Acting).run();
        assert_eq!(played.sent[0].kind, TransmitKind::Hello, "{name}");
        let found: Vec<_> =
            played.sent.iter().skip(1).filter(|sent| sent.is_recorded).map(|sent| sent.text.as_str()).collect();
        assert_eq!(found, want, "{name}");
        assert!(found.contains(&"\u{2}9"), "{name}: no ping");
    }
}

#[test]
fn a_server_that_does_not_speak_timeseal_is_told_so_or_left_unsealed() {
    let refused = "login: server does not speak timeseal";
    let unknown = r#"login: login refused: "unknown timeseal version""#;
    let cases = [
        // It says that it does not know the version, and hangs up.
        ("fatics-seal-errors-badhello", TimesealChoice::V2, 1, refused),
        ("fatics-seal-errors-badhello", TimesealChoice::Auto, 3, unknown),
        // It hangs up without a word.
        ("fatics-seal-errors-zipcompat", TimesealChoice::V1, 1, "login: connection closed during login: login_string"),
    ];
    for (name, timeseal, n_connections, end) in cases {
        let recording = Recording::named(name);
        let played = Play::new(&recording, Mode::Alone).with_timeseal(timeseal).run();
        let n_connected = played.events.iter().filter(|event| **event == Event::Connected).count();
        assert_eq!((played.end.as_str(), n_connected), (end, n_connections), "{name}, {timeseal:?}");
        assert_eq!(played.problems, [""; 0], "{name}, {timeseal:?}");
    }
}

#[test]
fn a_guest_who_takes_the_server_for_icc_gets_in_as_well() {
    let mut n_ready = 0;
    for recording in Recording::all() {
        // ICC takes name and password on one line, and no login string: what FICS would answer was not recorded.
        if recording.password().is_some() || recording.typed(LineRole::LoginString).next().is_some() {
            continue;
        }
        let [fics, icc] =
            [Family::Fics, Family::Icc].map(|family| Play::new(&recording, Mode::Passive).with_family(family).run());
        if fics.is_ready {
            assert_eq!((icc.state(), &icc.problems[..]), (fics.state(), &[][..]), "{}", recording.name);
        }
        n_ready += usize::from(icc.is_ready);
    }
    assert!(n_ready > 20, "only {n_ready}");
}

/// Commands of a session, without the numbers of block mode.
fn commands<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let bare = |line: &'a str| match line.split_once(' ') {
        Some((number, command)) if number.parse::<u64>().is_ok() => command,
        _ => line,
    };
    lines.map(bare).collect()
}

#[test]
fn what_the_recorded_client_asked_for_goes_out_in_its_order() {
    let mut n_commands = 0;
    for (recording, played) in acted() {
        let sent = played.sent.iter().filter(|sent| sent.is_recorded && sent.is_command());
        let sent = commands(sent.map(|sent| sent.text.as_str()));
        let typed: Vec<_> = recording.typed(LineRole::Command).map(String::from_utf8_lossy).collect();
        let mut typed_on = commands(typed.iter().map(AsRef::as_ref)).into_iter();
        assert!(sent.iter().all(|line| typed_on.any(|typed| typed == *line)), "{}: {sent:?}", recording.name);
        if played.is_ready {
            assert_eq!(sent.len() + played.n_skipped, typed.len(), "{}", recording.name);
        }
        n_commands += sent.len();
    }
    assert!(n_commands > 3000, "only {n_commands} commands");
}

/// The lines of the login with what came of them: recording, lines behind the login string, name and titles, kind, end.
type Entry =
    (&'static str, &'static [&'static str], Option<(&'static str, &'static [&'static str], NameKind)>, &'static str);

// Rules: transport LG1, transport LG3, transport LG4
#[test]
fn a_login_says_what_it_is_asked_for() {
    use NameKind::{Registered, Unregistered};
    let closed = "lost: server closed the connection";
    let cases: &[Entry] = &[
        ("fatics-login-guest-guest", &["guest", ""], Some(("GuestPUPE", &["U"], Unregistered)), "quit"),
        ("fatics-login-guest-native", &["guest", ""], Some(("GuestIEUC", &["U"], Unregistered)), "quit"),
        ("fatics-login-guest-named", &["Zoltan", ""], Some(("Zoltan", &["U"], Unregistered)), "quit"),
        ("fatics-login-guest-takenname", &["zoltan"], None, "login: name is in use"),
        ("fatics-login-registered-plain", &["Alekhine", "pwalekhine"], Some(("Alekhine", &[], Registered)), "quit"),
        (
            "fatics-login-registered-ivarstring",
            &["bogoljubov", "pwbogoljub"],
            Some(("Bogoljubov", &[], Registered)),
            "quit",
        ),
        (
            "fatics-login-registered-ivarjin",
            &["Capablanca", "pwcapablan"],
            Some(("Capablanca", &[], Registered)),
            "quit",
        ),
        (
            "fatics-login-twice-first",
            &["Duras", "pwduras"],
            Some(("Duras", &[], Registered)),
            "kicked by another login",
        ),
        ("fatics-login-twice-second", &["Duras", "pwduras"], Some(("Duras", &[], Registered)), "quit"),
        ("fatics-login-failed-retry#3", &["abc1"], None, "login: name is against the server's rules"),
        ("fatics-login-failed-retry#7", &["Alekhine", "wrongpassword"], None, "login: wrong password"),
        ("fatics-login-failed-retry#9", &["Alekhine", "pwalekhine"], Some(("Alekhine", &[], Registered)), "quit"),
        ("fatics-server-error-admin", &["admin", "pwadmin"], Some(("admin", &["*"], Registered)), "quit"),
        ("fatics-server-error-kicked", &["guest", ""], Some(("GuestOFLY", &["U"], Unregistered)), "kicked by admin"),
        ("fatics-shutdown-white", &["Alekhine", "pwalekhine"], Some(("Alekhine", &[], Registered)), closed),
        ("uhlinfics-login-guest-Wanderer", &["Wanderer", ""], Some(("Wanderer", &[], Unregistered)), "quit"),
        ("uhlinfics-login-registered-Alice", &["Alice", "zanuwgxi"], Some(("Alice", &[], Registered)), "quit"),
        ("uhlinfics-login-failures-badnames", &["ab"], None, "login: name is against the server's rules"),
        ("uhlinfics-login-failures-wrongpw", &["Alice", "notthepassword"], None, "login: wrong password"),
        (
            "uhlinfics-login-failures-emptypw",
            &["Alice", "unknown"],
            None,
            "login: connection closed during login: password",
        ),
        ("uhlinfics-login-failures-nameinuse", &["Visitor", ""], None, "login: name is in use"),
        ("uhlinfics-login-failures-latin1name", &["guest", ""], Some(("caf", &[], Unregistered)), "quit"),
        ("uhlinfics-login-idle-timeout-anon", &["guest"], None, "login: login timed out: name"),
        (
            "uhlinfics-login-kicked-first",
            &["Carla", "axejhhkr"],
            Some(("Carla", &[], Registered)),
            "kicked by another login",
        ),
        ("uhlinfics-login-kicked-second", &["Carla", "axejhhkr"], Some(("Carla", &[], Registered)), "quit"),
        ("uhlinfics-cut-mid-line-Alice", &["Alice", "zanuwgxi"], Some(("Alice", &[], Registered)), closed),
        ("uhlinfics-cut-mid-line-reset-Carla", &["Carla", "axejhhkr"], Some(("Carla", &[], Registered)), closed),
        ("uhlinfics-server-killed-Carla", &["Carla", "axejhhkr"], Some(("Carla", &[], Registered)), closed),
        ("uhlinfics-admin-shutdown-Quiet", &["Quiet", ""], Some(("Quiet", &[], Unregistered)), closed),
    ];
    for &(name, lines, who, end) in cases {
        let played = Play::new(&Recording::named(name), Mode::Acting).run();
        let is_login = |sent: &&Sent| matches!(sent.kind, TransmitKind::Login | TransmitKind::Password);
        let login: Vec<_> = played.sent.iter().filter(is_login).map(|sent| sent.text.as_str()).collect();
        assert!(login[0].starts_with("%b"), "{name}");
        assert_eq!(login[1..], *lines, "{name}");
        let identities = played.events.iter().filter_map(|event| match event {
            Event::LoggedIn(identity) => Some(identity),
            _ => None,
        });
        let found: Vec<_> = identities
            .map(|found| {
                (
                    found.handle.clone().unwrap().to_string(),
                    found.titles.iter().map(str::to_owned).collect(),
                    found.kind,
                )
            })
            .collect();
        let want = who.map(|(name, titles, kind)| {
            (name.to_owned(), titles.iter().map(|&title| title.to_owned()).collect::<Vec<_>>(), kind)
        });
        assert_eq!(found, Vec::from_iter(want), "{name}");
        assert_eq!(played.end, end, "{name}");
    }
}

#[test]
fn what_a_server_can_do_is_found_out() {
    let ready = |played: &PlayResult| {
        played.events.iter().find_map(|event| match event {
            Event::SessionReady(capabilities) => Some(*capabilities),
            _ => None,
        })
    };
    for recording in Recording::all() {
        let Some(capabilities) = ready(&Play::new(&recording, Mode::Passive).run()) else { continue };
        let name = &recording.name;
        if recording.typed(LineRole::LoginString).next().is_some() {
            // Its own string, not ours, was what that server understood.
            continue;
        }
        if recording.is_fatics() {
            let found: Vec<_> = capabilities.ivars().collect();
            let want = [
                Ivar::Ms,
                Ivar::DefPrompt,
                Ivar::StartPos,
                Ivar::Block,
                Ivar::GameInfo,
                Ivar::PendInfo,
                Ivar::NoHighlight,
            ];
            assert!(found.len() == want.len() && want.iter().all(|ivar| found.contains(ivar)), "{name}: {found:?}");
        } else {
            assert_eq!(capabilities.ivars().count(), 0, "{name}: its answers mean nothing");
        }
        assert_eq!(capabilities.timeseal, recording.timeseal, "{name}");
    }
}

/// Printable bytes but blanks, in order.
fn ink(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

/// What stands in blocks, by their numbers: codes and texts.
fn blocks(stream: &[u8]) -> HashMap<u64, (u32, String)> {
    let number = |bytes: &[u8]| String::from_utf8_lossy(bytes).parse::<u64>().ok();
    let block = |block: &[u8]| {
        let mut parts = block.splitn(3, |&byte| byte == 0x16);
        let (id, code) = (number(parts.next()?)?, number(parts.next()?)?);
        let text = parts.next()?.split(|&byte| byte == 0x17).next()?;
        Some((id, (u32::try_from(code).ok()?, ink(&String::from_utf8_lossy(text).replace("\rfics% ", "")))))
    };
    stream.split(|&byte| byte == 0x15).skip(1).filter_map(block).collect()
}

// Rules: datagrams BM4
#[test]
fn a_reply_in_block_mode_is_what_the_block_holds() {
    for (name, want) in [("fatics-block-client", 110), ("fatics-login-registered-ivarstring", 2)] {
        let recording = Recording::named(name);
        let blocks = blocks(&Transcript::named(name).stream());
        let played = Play::new(&recording, Mode::Acting).run();
        let mut replies = played.replies.iter();
        let mut n_compared = 0;
        for line in recording.typed(LineRole::Command).map(String::from_utf8_lossy) {
            let Some((number, command)) = line.split_once(' ') else { continue };
            // The server gives 0 to lines without a number, too; and after 141, block mode is off, and on again.
            let number = number.parse().ok().filter(|number| (1..=141).contains(number));
            let Some((code, text)) = number.and_then(|number: u64| blocks.get(&number)) else { continue };
            let Some((_, reply)) = replies.clone().find(|(asked, _)| asked == command) else { continue };
            while replies.next().is_some_and(|(asked, _)| asked != command) {}
            match reply {
                Ok(reply) => {
                    let found = (reply.code.map(|code| code.0), ink(&reply.text()));
                    assert_eq!(found, (Some(*code), text.clone()), "{name}: {line}");
                }
                Err(RequestError::Refused { text: said, .. }) => {
                    assert!(text.contains(&ink(said.as_str())), "{name}: {line}: {said:?} not in {text:?}");
                }
                Err(other) => panic!("{name}: {line}: {other:?}"),
            }
            n_compared += 1;
        }
        assert!(n_compared >= want, "{name}: only {n_compared} replies");
    }
}

/// What the server said between a command and the next line that was typed, prompts and marks of broken lines left out.
fn answers(recording: &Recording) -> Vec<(String, String)> {
    let mut answers: Vec<(String, String)> = Vec::new();
    for step in &recording.steps {
        match &step.kind {
            StepKind::Typed(LineRole::Command, line) => {
                answers.push((String::from_utf8_lossy(line).into_owned(), String::new()));
            }
            StepKind::Received(bytes) => {
                if let Some((_, answer)) = answers.last_mut() {
                    answer.extend(bytes.iter().map(|&byte| char::from(byte)));
                }
            }
            StepKind::Typed(..) => {}
        }
    }
    for (_, answer) in &mut answers {
        *answer =
            ink(&answer.replace("\n\r\\   ", "").replace("\r\n\\   ", "").replace("fics% ", "").replace("[G]", ""));
    }
    answers
}

/// Where a reply and the recorded answer differ for reasons that are not the machine's: the recorded client did not wait for its
/// answers, so that its next line stands in the middle of one; it changed its prompt; the server cut a board in the middle and wrote
/// no line end, so that no fence could be answered; or what it wrote is not plain (terminal escapes, style 10).
const ELSEWHERE: [&str; 14] = [
    "fatics-block-",
    "fatics-info-",
    "fatics-login-guest-named",
    "fatics-login-twice-telnet",
    "fatics-multi-",
    "fatics-talk-mixed-a",
    "uhlinfics-examine-1-Carla",
    "uhlinfics-listings-1-Boris",
    "uhlinfics-login-kicked-watcher",
    "uhlinfics-prompts-1-Carla",
    "uhlinfics-style12-truncated-names-",
    "uhlinfics-styles-midgame-",
    "uhlinfics-talk-1-",
    "uhlinfics-telnet-options-Dripper",
];

#[test]
fn a_fenced_reply_is_what_the_server_answered() {
    let (mut n_same, mut n_early) = (0, 0);
    for (recording, played) in acted().iter().filter(|(recording, _)| !recording.is_in_blocks()) {
        let name = &recording.name;
        let is_elsewhere = ELSEWHERE.iter().any(|start| name.starts_with(start));
        let mut replies = played.replies.iter();
        for (command, answer) in answers(recording) {
            let Some((_, reply)) = replies.clone().find(|(asked, _)| *asked == command) else { continue };
            while replies.next().is_some_and(|(asked, _)| *asked != command) {}
            let Ok(reply) = reply else { continue };
            let line =
                |line: &[u8]| line.iter().map(|&byte| char::from(byte)).collect::<String>().replace("fics% ", "");
            let found: String = reply.lines().map(|raw| ink(&line(raw))).collect();
            if found == answer {
                n_same += 1;
            } else if !is_elsewhere {
                // A fence is answered in a long silence: what came later was not for the command.
                assert!(answer.starts_with(&found), "{name}, {command}: {found:?} instead of {answer:?}");
                n_early += 1;
            }
        }
    }
    assert!(n_same > 3300 && n_early < 40, "{n_same} replies are whole, {n_early} end early");
}

/// Returns the event with all its fields, except for its request: the recorded client sent its lines at other times than the
/// session, which receives some replies before it sends the line.
fn without_request(event: &Event) -> String {
    let mut text = format!("{event:?}");
    while let Some(start) = text.find(", attribution: {") {
        let end = text.get(start..).unwrap_or_default().find('}').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text
}

fn same(name: &str, one: &PlayResult, other: &PlayResult) {
    let events = |result: &PlayResult| result.events_except_sent().into_iter().map(without_request).collect::<Vec<_>>();
    let (events, others) = (events(one), events(other));
    let differ = events.iter().zip(&others).find(|(one, other)| one != other);
    assert_eq!(differ, None, "{name}");
    assert_eq!((events.len(), &one.sent, one.state()), (others.len(), &other.sent, other.state()), "{name}");
    let replies = one.replies.iter().zip(&other.replies).all(|((asked, one), (also, other))| {
        let events = |reply: &Reply| reply.events.iter().map(without_request).collect::<Vec<_>>();
        asked == also && one.as_ref().map(events) == other.as_ref().map(events)
    });
    assert!(replies && one.replies.len() == other.replies.len(), "{name}: replies differ");
}

#[test]
fn any_pieces_give_the_same_session() {
    for (index, (recording, whole)) in acted().iter().enumerate() {
        let name = &recording.name;
        same(name, &Play::new(recording, Mode::Acting).in_pieces_of(7).run(), whole);
        if index % 16 == 0 || recording.timeseal != Timeseal::Off || recording.is_in_blocks() {
            for mode in MODES {
                let whole = Play::new(recording, mode).run();
                let bytes = Play::new(recording, mode).in_pieces_of(1).run();
                assert_eq!(bytes.problems, [""; 0], "{name}, {mode:?}");
                same(name, &bytes, &whole);
            }
        }
    }
}

#[test]
fn a_session_that_does_wrong_is_noticed() {
    let account = || Credentials::account("Alice".parse().unwrap(), Password::new("zanuwgxi").unwrap());
    let now = Instant::now();
    let said = |name: &str, prompt: &str| format!("\n\r{name}\n\r{prompt}").into_bytes();
    // What the audit is told that the server said, instead of what it did; and what it has to find.
    let cases: [(&str, &str, bool, &str); 4] = [
        ("login: ", "password: ", false, ""),
        ("login: ", "secret: ", false, "a password that was not asked for"),
        ("name: ", "password: ", false, "a name that was not asked for"),
        ("login: ", "password: ", true, "a line of the login after it"),
    ];
    for (login, password, is_in, want) in cases {
        let mut session = Session::new(SessionOptions::new(account()), now);
        let mut audit = Audit::new(Some("zanuwgxi".to_owned()), TimesealChoice::Off, Family::Fics);
        session.handle_dial_outcome(Ok(()), now);
        for (server, told) in [("login: ", login), ("login: ", login), ("password: ", password)] {
            let (server, told) = (said("", server), said("", told));
            let mut rest = server.as_slice();
            while session.receive(&mut rest, now).is_some() {}
            audit.heard(&told);
            while let Some(transmit) = session.poll_transmit(now) {
                audit.sent(&transmit, &session, now);
            }
            if is_in {
                audit.logged_in();
            }
        }
        match want {
            "" => assert_eq!(audit.problems, [""; 0]),
            want => {
                assert!(audit.problems.iter().any(|problem| problem.contains(want)), "{want}: {:?}", audit.problems);
            }
        }
    }
    let mut audit = Audit::new(Some("zanuwgxi".to_owned()), TimesealChoice::Off, Family::Fics);
    audit.check_hidden(&"zanuwgxi".as_bytes());
    audit.added("resign", true);
    audit.added("set style 12", true);
    audit.pinged();
    audit.drained();
    assert_eq!(audit.problems.len(), 4, "{:?}", audit.problems);
}

#[test]
fn an_event_has_its_board_in_every_style() {
    for (name, styles) in
        [("uhlinfics-styles-midgame-Boris", [true, false, true]), ("fatics-ms-compress-observer", [true, true, false])]
    {
        let mut with_board = [false; 3];
        for event in Transcript::named(name).events() {
            let style = match event.message() {
                Some(Message::Style12(_)) => 0,
                Some(Message::Delta(_)) => 1,
                Some(Message::Style10(_)) => 2,
                _ => continue,
            };
            with_board[style] = true;
            assert!(event.board().is_some(), "{name}: {event:?}");
        }
        assert_eq!(with_board, styles, "{name}");
    }
}
