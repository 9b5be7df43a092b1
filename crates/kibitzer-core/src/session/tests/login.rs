//! From the connection to the end of the set-up.

use super::peer::{Manner, Peer};
use super::*;
use crate::event::WebSocketViolation;
use crate::message::{Family, Handle, Ivar, Message, NameKind, Refusal};
use crate::text::ServerText;

pub(super) const STRING: &str = "%b00010111010001000100000000000001000\n";

const FATICS_GUEST: &str = "\n\rLogging you in as \"GuestPUPE\"; you may use this name to play unrated games.\n\r\
    (After logging in, do \"help register\" for more info on how to register.)\n\r\n\r\
    Press return to enter the server as \"GuestPUPE\":\n\r\u{0}";
const FATICS_STARTING: &str =
    "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\rCopyright (C) 2010-2014 Wil Mahan\n\r\n\rfics% ";

const UHLIN_GREETING: &str = "\n\r ***** Welcome to a Free (GNU) Internet Chess Server at <this.place.net> *****\n\r\
    If you are not a registered player, enter a unique ID to join the server.\n\rlogin: ";
const UHLIN_BAD_NAME: &str = "\n\rSorry, names can only consist of lower and upper case letters. Try again.\n\r\n\r\
    If you are not a registered player, enter a unique ID to join the server.\n\rlogin: ";
const UHLIN_GUEST: &[u8] = b"\xff\xfb\x01\n\r\"guest\" is not a registered name. You may use this name to play unrated games.\n\r\
    (After logging in,do \"help register\" for more info on how to register.)\n\r\n\rPress return to enter the FICS as \"guest\":";
const UHLIN_ACCOUNT: &[u8] = b"\xff\xfb\x01\n\r\"Newton\" is a registered name. If it is yours, type the password.\n\r\
    If not, just hit return to try another name.\n\r\n\rpassword: ";
const UHLIN_DAY: &[u8] = b"\xff\xfc\x01__________________________________________________________________________ \n\r\
    Do 'help' for a list of the commands that are available.\n\r\n\rThere are no new news items.\n\r\n\r";

/// Logs in a guest on FatICS, up to the first command of the set-up.
pub(super) fn log_in_guest(driver: &mut Driver) {
    driver.feed("Welcome\n\r\n\rlogin: ");
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    driver.feed(FATICS_GUEST);
    driver.feed(FATICS_STARTING);
    driver.drop_sent_except_last();
}

/// Returns a server that behaves like FICS in block mode, for a session after [`log_in_guest`].
pub(super) fn fics() -> Peer {
    let mut peer = Peer::new(Manner::Fics);
    peer.block = true;
    peer.ivars =
        ["defprompt", "startpos", "gameinfo", "pendinfo", "nohighlight", "ms", "nowrap"].map(String::from).into();
    peer
}

/// Returns the session of a guest on FICS after the set-up.
pub(super) fn on_fics(options: SessionOptions) -> (Driver, Peer) {
    let (mut driver, mut peer) = (Driver::connected(options), fics());
    log_in_guest(&mut driver);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    (driver, peer)
}

/// Returns the session of a guest on uhlin/fics after the set-up, without block mode.
pub(super) fn on_uhlin(options: SessionOptions) -> (Driver, Peer) {
    let (mut driver, mut peer) = (Driver::connected(options), Peer::new(Manner::Uhlin));
    driver.feed(UHLIN_GREETING);
    driver.feed(UHLIN_BAD_NAME);
    driver.feed(UHLIN_GUEST);
    driver.feed(UHLIN_DAY);
    driver.take_sent();
    driver.feed("fics% ");
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    (driver, peer)
}

/// The prompt after the answer to the fence of the login does not belong to the first line of the set-up.
#[test]
fn a_set_up_without_block_mode_sends_one_line_at_a_time() {
    let (mut driver, mut peer) = (Driver::connected(guest()), Peer::new(Manner::Uhlin));
    driver.feed(UHLIN_GREETING);
    driver.feed(UHLIN_BAD_NAME);
    driver.feed(UHLIN_GUEST);
    driver.feed(UHLIN_DAY);
    driver.take_sent();
    driver.feed("fics% ");
    while driver.session.state() != SessionState::Ready {
        let sent = driver.take_sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        driver.answer(&mut peer, &sent);
    }
}

#[test]
fn a_guest_logs_in_and_the_session_is_set_up() {
    let mut driver = Driver::connected(guest());
    driver.feed("Welcome to / Bienvenue &#xe0;\n\r\n\rlogin: ");
    assert_eq!(driver.take_sent(), [STRING]);
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    assert_eq!(driver.take_sent(), ["guest\n"]);
    driver.feed(FATICS_GUEST);
    assert_eq!(driver.take_sent(), ["\n"]);
    assert_eq!(driver.session.state(), SessionState::LoggingIn(LoginStep::Entering));
    driver.feed(FATICS_STARTING);

    let mut peer = fics();
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("GuestPUPE"));
    let capabilities = driver.session.capabilities();
    assert!(capabilities.has(Ivar::Block) && capabilities.has(Ivar::Ms) && capabilities.has(Ivar::NoWrap));
    assert!(!capabilities.has(Ivar::SeekInfo) && !capabilities.has(Ivar::Lock));
    let news = driver.take_session_events();
    assert!(
        matches!(&news[..], [Event::Connecting(_), Event::Connected, Event::LoggedIn(identity), Event::SessionReady(_)]
            if identity.kind == NameKind::Unregistered && identity.titles.iter().eq(["U"])),
        "{news:?}"
    );
    let version = env!("CARGO_PKG_VERSION");
    // The listing lacks three of the ivars, which are set after it.
    let want = [
        "ivariables",
        "iset defprompt 1",
        "iset startpos 1",
        "iset nohighlight 1",
        "set style 12",
        "set bell 0",
        "set ptime 0",
        "set width 240",
        "set height 240",
        &format!("set interface kibitzer {version}"),
    ];
    assert_eq!(peer.heard, want);
}

// Rules: transport L2, transport LG2, bugs 17
#[test]
fn an_account_logs_in_and_its_password_is_never_printed() {
    let mut driver = Driver::connected(account());
    driver.feed("\r\nlogin: ");
    driver.feed("\r\n#Ivars set.\r\n\r\nlogin: ");
    assert_eq!(driver.take_sent(), [STRING, "newton\n"]);
    driver.feed("\r\n\"Newton\" is a registered name.  If it is yours, type the password.\r\nIf not, just hit return to try another name.\r\n\r\npassword: \u{ff}\u{fb}\u{1}");
    let transmits = driver.take_transmits();
    let [password] = &transmits[..] else { panic!("{transmits:?}") };
    assert_eq!((password.bytes(), password.kind.is_secret()), (&b"swordfish\n"[..], true));
    assert_eq!(password.kind, TransmitKind::Password);
    driver.feed(b"\xff\xfc\x01\r\n**** Starting FICS session as Newton(*)(TD) ****\r\n\r\nfics% ");
    driver.serve(&mut fics());
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("Newton"));

    let sent = driver.events().iter().filter(|event| matches!(event, Event::Sent { line: None, .. })).count();
    assert_eq!(sent, 1, "the password, not shown");
    let shown = format!("{:?} {:?} {transmits:?}", driver.events(), driver.session);
    assert!(!shown.contains("swordfish"), "{shown}");
    assert!(
        driver
            .events()
            .iter()
            .all(|event| !matches!(event, Event::Sent { line: Some(line), .. } if line.contains('\r')))
    );
}

// Rules: transport LG2
#[test]
fn unsent_login_lines_are_dropped_after_the_login() {
    for (options, question, typed) in [
        (account(), "\n\r\"Newton\" is a registered name.\n\r\n\rpassword: ", "swordfish\n"),
        (guest(), "\n\rPress return to enter the server as \"GuestABCD\":\n\r", "\n"),
    ] {
        for entrance in ["\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ", "\n\rWelcome!\n\rfics% "] {
            let asked = || {
                let mut driver = Driver::connected(options.clone());
                driver.feed("login: ");
                driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
                driver.take_sent();
                driver
            };
            let mut at_once = asked();
            at_once.feed(format!("{question}{entrance}"));
            assert!(at_once.sent.iter().all(|line| line.bytes() != typed.as_bytes()), "{question} {entrance}");
            assert!(!at_once.events().iter().any(|event| matches!(event, Event::Sent { line: None, .. })));

            let mut answered = asked();
            answered.feed(question);
            assert_eq!(answered.take_sent(), [typed], "a server that waits gets its answer");
            answered.feed(entrance);
            for mut driver in [at_once, answered] {
                driver.serve(&mut fics());
                assert_eq!(driver.session.state(), SessionState::Ready);
            }
        }
    }
}

#[test]
fn a_guest_may_choose_a_name() {
    let mut driver = Driver::connected(guest().credentials(Credentials::NamedGuest("zoltan".parse().unwrap())));
    driver.feed("login: ");
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    driver.feed(
        "\n\r\"Zoltan\" is not a registered name.  You may play unrated games as a guest.\n\r\n\r\
        Press return to enter the server as \"Zoltan\":\n\r",
    );
    assert_eq!(driver.take_sent(), [STRING, "zoltan\n", "\n"]);
    driver.feed("\n\r**** Starting FICS session as Zoltan(U) ****\n\r\n\rfics% ");
    assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("Zoltan"));
}

/// FICS 1.6 never reports that an account is logged in, and announces a game without the line `Creating`.
#[test]
fn an_announced_game_of_an_account_is_its_own_without_a_login_report() {
    let mut driver = Driver::connected(account());
    for said in ["login: ", "login: ", "password: ", "\n\r", "fics% "] {
        driver.feed(said);
    }
    driver.serve(&mut Peer::new(Manner::Uhlin));
    driver.events.clear();
    for (player, is_own) in [("Newton", true), ("Euwe", false)] {
        driver.feed(format!("{{Game 1 ({player} vs. Bogoljubov) Creating unrated blitz match.}}\n\r"));
        assert_eq!(driver.events.last().unwrap().attribution().is_own_game(), is_own, "{player}");
    }
}

#[test]
fn uhlin_fics_has_no_ivars_no_greeting_and_confirms_every_iset() {
    let mut driver = Driver::connected(guest().with_ivar(Ivar::SeekInfo));
    driver.feed(UHLIN_GREETING);
    driver.feed(UHLIN_BAD_NAME);
    driver.feed(UHLIN_GUEST);
    driver.feed(UHLIN_DAY);
    assert_eq!(driver.take_sent(), [STRING, "guest\n", "\n"]);
    assert_eq!(driver.session.state(), SessionState::LoggingIn(LoginStep::Entering));
    driver.feed("fics% ");
    let mut peer = Peer::new(Manner::Uhlin);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("guest"));
    assert_eq!(driver.session.capabilities().ivars().count(), 0, "`com_iset: block 1` is no consent");
    assert_eq!(peer.heard[0], "iset block 1");
    assert_eq!(peer.heard.last().unwrap(), "iset seekinfo 1");
    assert!(!peer.heard.iter().any(|line| line == "ivariables"));
}

#[test]
fn the_custom_prompt_of_an_account_is_detected() {
    for (prompt, want) in [("chess> ", "chess> "), ("$ %d %s fics% ", "$ %d %s fics% "), ("> ", "> ")] {
        let mut driver = Driver::connected(account());
        driver.feed(UHLIN_GREETING);
        driver.feed(UHLIN_BAD_NAME);
        driver.feed(UHLIN_ACCOUNT);
        driver.feed(UHLIN_DAY);
        driver.feed(prompt);
        assert_eq!(driver.take_sent(), [STRING, "newton\n", "swordfish\n"]);
        assert!(!driver.take_session_events().iter().any(|event| matches!(event, Event::LoggedIn(_))));
        driver.wait(Duration::from_millis(999));
        assert!(driver.take_sent().is_empty(), "it may still be asked something");
        driver.wait(Duration::from_millis(1));

        let fence = driver.take_sent();
        assert_eq!(fence.len(), 1);
        driver.feed(format!("{}: Command has failed.\n\r{prompt}", fence[0].trim()));
        assert!(driver.take_session_events().iter().any(|event| matches!(event, Event::LoggedIn(_))), "{prompt}");
        let mut peer = Peer::new(Manner::Uhlin);
        peer.prompt = want;
        driver.serve(&mut peer);
        assert_eq!(driver.session.state(), SessionState::Ready, "{prompt}");
        assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("Newton"), "as the server spells it");
        driver.request("date").unwrap();
        driver.serve(&mut peer);
        let reply = driver.reply().unwrap();
        assert_eq!(reply.text(), "Local time     - Sat Nov 21,  0:22 UTC\n", "{prompt}");
    }
}

// Rules: datagrams S3
#[test]
fn ivars_are_set_one_by_one_if_the_login_string_is_not_understood() {
    let mut driver = Driver::connected(
        guest().with_ivar(Ivar::SeekInfo).with_ivar(Ivar::Lock).with_ivar(Ivar::Atomic).without_ivar(Ivar::PendInfo),
    );
    driver.feed("login: ");
    driver.feed("\n\rlogin: ");
    assert_eq!(driver.take_sent(), ["%b00010111000001000100000000000001000\n", "guest\n"]);
    driver.feed(FATICS_GUEST);
    driver.feed(FATICS_STARTING);
    driver.drop_sent_except_last();
    let mut peer = Peer::new(Manner::Fics);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    let isets: Vec<_> = peer.heard.iter().filter_map(|line| line.strip_prefix("iset ")).collect();
    let want = [
        "block 1",
        "defprompt 1",
        "startpos 1",
        "gameinfo 1",
        "nohighlight 1",
        "ms 1",
        "nowrap 1",
        "atomic 1",
        "seekinfo 1",
        "lock 1",
    ];
    assert_eq!(
        isets, want,
        "block first, as it changes how the rest is answered; the list of seeks comes only when asked for now; lock last"
    );
    assert!(driver.session.capabilities().ivars().count() == 10);
    assert!(peer.block);
}

#[test]
fn a_server_without_iset_receives_it_once() {
    let mut driver = Driver::connected(guest());
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed(FATICS_GUEST);
    driver.feed(FATICS_STARTING);
    driver.drop_sent_except_last();
    let mut peer = Peer::new(Manner::Uhlin).on("iset", "iset: Command has failed.\n\r");
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(peer.heard.iter().filter(|line| line.starts_with("iset")).count(), 1, "{:?}", peer.heard);
}

#[test]
fn icc_is_detected_by_its_greeting() {
    let mut driver = Driver::connected(guest());
    driver.feed("Welcome to the Internet Chess Club (chessclub.com)\r\n\r\nlogin: ");
    assert_eq!(driver.take_sent().len(), 2, "its levels, and no login string");
    driver.feed("login: login: ");
    assert_eq!(driver.take_sent(), ["guest\n"]);
    driver.feed("\r\nPress return to enter ICC as a guest\r\n\r\n");
    assert_eq!(driver.take_sent(), ["\n"]);
    driver.feed("Message of the day\r\naics% ");
    let mut peer = Peer::new(Manner::Icc);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.login_handle(), None, "nobody told");
    let set = ["set style 12", "set prompt 0", "set bell 0", "set wrap 0", "set height 0"];
    assert_eq!(peer.heard[..5], set);
    assert_eq!(driver.session.capabilities().family, Family::Icc);
    assert!(peer.heard.contains(&"set-2 31 1".to_owned()), "the levels were not understood: {:?}", peer.heard);
    driver.request("finger nobody").unwrap();
    driver.serve(&mut peer);
    assert!(driver.reply().unwrap_err().is_refused_for(Refusal::UnknownCommand));
}

#[test]
fn icc_may_ask_guests_to_press_return_without_a_line_end() {
    let mut driver = Driver::connected(guest());
    driver.feed("chessclub.com\r\nlogin: login: login: ");
    driver.feed("Hit the return key now: ");
    driver.wait(seconds(1));
    assert_eq!(driver.take_sent()[2..], ["guest\n", "\n"]);
}

/// Server, credentials, its text after the name, and the error.
type RefusalCase = (&'static str, fn() -> SessionOptions, &'static [&'static str], LoginError);

/// Wordings from transcripts of two servers and from the protocol pages.
fn refusals() -> Vec<RefusalCase> {
    vec![
        (
            "FatICS",
            account,
            &[
                "\n\r\"Newton\" is a registered name.  If it is yours, type the password.\n\r\n\rpassword: ",
                "\n\r\n\r**** Invalid password! ****\n\r\n\r",
            ],
            LoginError::InvalidPassword,
        ),
        (
            "uhlin",
            account,
            &[
                "\n\r\"Newton\" is a registered name. If it is yours, type the password.\n\r\n\rpassword: ",
                "\n\r\n\r**** Invalid password! ****\n\r\n\r",
            ],
            LoginError::InvalidPassword,
        ),
        (
            "FatICS",
            account,
            &["\n\r\"newton\" is not a registered name.  You may play unrated games as a guest.\n\r"],
            LoginError::UnknownAccount,
        ),
        ("uhlin", account, &["\n\rPress return to enter the FICS as \"newton\":"], LoginError::UnknownAccount),
        ("FatICS", guest, &["Sorry, zoltan is already logged in. Try again.\n\r\n\rlogin: "], LoginError::NameInUse),
        (
            "uhlin",
            guest,
            &[
                "\n\rPress return to enter the FICS as \"Visitor\":",
                "\n\r*** Sorry Visitor is already logged in ***\n\r",
            ],
            LoginError::NameInUse,
        ),
        ("FICS", account, &["\n\rPlayer \"newton\" is banned.\n\r"], LoginError::Banned),
        ("FICS", account, &["\n\rSorry, nobody from your site may login to this server.\n\r"], LoginError::Banned),
        (
            "FICS",
            guest,
            &["\n\rSorry, guest connections have been prevented from your site.\n\r"],
            LoginError::GuestsRefused,
        ),
        (
            "FICS",
            guest,
            &["\n\rDue to abuse, only registered players may login without an account at this time.\n\r"],
            LoginError::GuestsRefused,
        ),
        (
            "uhlin",
            guest,
            &["\n\rA name should be at least three characters long! Try again.\n\r\n\rlogin: "],
            LoginError::BadName,
        ),
        (
            "uhlin",
            guest,
            &["\n\rSorry, names may be at most 17 characters long. Try again.\n\r\n\rlogin: "],
            LoginError::BadName,
        ),
        ("uhlin", guest, &[UHLIN_BAD_NAME], LoginError::BadName),
        (
            "FatICS",
            guest,
            &["\n\rNames should be at least 3 characters long.  Try again.\n\r\n\rlogin: "],
            LoginError::BadName,
        ),
        (
            "FatICS",
            guest,
            &["\n\rNames should only consist of lower and upper case letters.  Try again.\n\r"],
            LoginError::BadName,
        ),
        ("FatICS", guest, &["\n\rNames should be at most 17 characters long.  Try again.\n\r"], LoginError::BadName),
        (
            "FatICS",
            guest,
            &["\n\r\"guest\" is a registered name.  If it is yours, type the password.\n\r"],
            LoginError::PasswordRequired,
        ),
        ("no word of the name", guest, &["\n\rpassword: "], LoginError::PasswordRequired),
        ("FICS", guest, &["\n\rSorry, the server is full.\n\r"], LoginError::ServerFull),
        ("uhlin", guest, &["\n\r**** LOGIN TIMEOUT ****\n\r"], LoginError::TimedOut(LoginStep::Name)),
        ("unsealed", guest, &["unknown timeseal version\r\n"], LoginError::Other(said("unknown timeseal version"))),
        ("unheard of", guest, &["We do not like you.\n\r\n\rlogin: "], LoginError::Other(said("We do not like you."))),
    ]
}

fn said(line: &str) -> ServerText {
    ServerText::from_wire(line.as_bytes())
}

#[test]
fn every_login_refusal_has_its_error() {
    for (server, options, script, want) in refusals() {
        let (mut driver, name) = (Driver::connected(options()), script.last().unwrap());
        driver.feed("login: ");
        driver.feed("login: ");
        for said in script {
            driver.feed(said);
        }
        // A long line that may continue is emitted with the next byte, or at the end of the stream.
        driver.close(CloseCause::Closed);
        let end = SessionEndReason::Login(want.clone());
        assert_eq!(driver.session.next_action(), DriverAction::End(end.clone()), "{server}: {name}");
        assert_eq!(driver.take_session_events().last(), Some(&Event::Ended(end)), "{server}: {name}");
        assert_eq!(driver.request("date"), Err(RequestError::Ended(SessionEndReason::Login(want.clone()))));
    }
}

// Rules: transport LG1, transport LG3, bugs 18
#[test]
fn a_password_is_sent_once_and_only_on_request() {
    let mut driver = Driver::connected(account());
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed("If you like, type your password now.\n\r");
    assert_eq!(driver.take_sent(), [STRING, "newton\n"]);
    driver.feed("password: ");
    assert_eq!(driver.take_sent(), ["swordfish\n"]);
    driver.feed("\n\rSorry?\n\r\n\rlogin: \n\rpassword: ");
    driver.wait(seconds(1));
    assert!(driver.take_sent().is_empty(), "not the name, not the password, no fence");
    driver.close_on_request();
    assert_eq!(
        driver.session.next_action(),
        DriverAction::End(SessionEndReason::Login(LoginError::Other(said("Sorry?"))))
    );
}

// Rules: transport LG2, bugs 17
#[test]
fn an_echoed_password_is_not_part_of_the_error() {
    let mut driver = Driver::connected(account());
    for said in ["login: ", "login: ", "password: ", "Not that.\n\rSwordFish: no such name\n\r\n\rlogin: "] {
        driver.feed(said);
    }
    driver.wait(seconds(1));
    driver.close_on_request();
    assert_eq!(
        driver.session.next_action(),
        DriverAction::End(SessionEndReason::Login(LoginError::Other(said("Not that."))))
    );
}

#[test]
fn a_silent_refusal_quotes_the_greeting_and_says_so() {
    type Case<'a> = (fn() -> SessionOptions, &'a [&'a str], LoginError);
    let silent = LoginError::Silent(said("Welcome to chess"));
    let cases: &[Case<'_>] = &[
        (guest, &["\n\rlogin: "], silent.clone()),
        (guest, &["Not you.\n\rEnter a name or \"guest\".\n\rlogin: "], LoginError::Other(said("Not you."))),
        (guest, &["\n\rEnter a name or \"guest\".\n\rlogin: "], silent.clone()),
        (guest, &[FATICS_GUEST, "\n\rlogin: "], silent.clone()),
        (account, &["If not, just hit return.\n\rpassword: ", "\n\rlogin: "], silent.clone()),
        (account, &["password: ", "Not today.\n\rlogin: "], LoginError::Other(said("Not today."))),
    ];
    for (options, script, want) in cases {
        let mut driver = Driver::connected(options());
        driver.feed("\n\rWelcome to chess\n\rEnter a name or \"guest\".\n\rlogin: ");
        driver.feed("#Ivars set.\n\rlogin: ");
        for said in *script {
            driver.feed(said);
        }
        driver.wait(seconds(1));
        driver.close_on_request();
        assert_eq!(
            driver.session.next_action(),
            DriverAction::End(SessionEndReason::Login(want.clone())),
            "{script:?}"
        );
    }
    let message = r#"login refused without a reason; the server greeted with "Welcome to chess""#;
    assert_eq!(silent.to_string(), message);
}

#[test]
fn a_refused_login_string_is_no_refused_login_for_users() {
    let is_refusal = |event: &Event| matches!(event.message(), Some(Message::LoginRefused(_)));
    let text = "Sorry, names can only consist of lower and upper case letters. Try again.";
    let mut driver = Driver::connected(guest());
    driver.feed(UHLIN_GREETING);
    driver.feed(UHLIN_BAD_NAME);
    assert!(driver.events().iter().any(|event| event.raw() == text.as_bytes()), "it is text");
    assert!(!driver.events().iter().any(is_refusal));
    driver.feed(UHLIN_BAD_NAME);
    assert!(driver.events().iter().any(is_refusal), "the name is refused");

    let mut driver = Driver::connected(guest());
    driver.feed(UHLIN_GREETING);
    driver.feed(text);
    driver.close(CloseCause::Closed);
    assert!(!driver.events().iter().any(is_refusal), "it is the last line");
}

// Rules: transport LG4
#[test]
fn a_message_of_the_day_may_look_like_a_login() {
    let mut driver = Driver::connected(account());
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed("password: ");
    driver.take_sent();
    driver.feed("News:\n\rlogin: is what you type first\n\rpassword: comes next\n\rNames should be at most 17 characters long.\n\r\n\rfics% ");
    assert_eq!(driver.take_sent().len(), 1, "only the fence");
    assert!(driver.take_session_events().iter().any(|event| matches!(event, Event::LoggedIn(_))));
}

#[test]
fn every_login_step_has_a_timeout() {
    type Step<'a> = (LoginStep, &'a [&'a str], u64);
    let steps: &[Step<'_>] = &[
        (LoginStep::Greeting, &["\n\r"], 30),
        (LoginStep::Name, &["login: ", "login: "], 20),
        (LoginStep::Password, &["login: ", "login: ", "password: "], 21),
        (
            LoginStep::Entering,
            &["login: ", "login: ", "password: ", "**** Starting FICS session as Newton ****\n\r\n\r"],
            21,
        ),
        (
            LoginStep::SetUp,
            &[
                "login: ",
                "login: ",
                "password: ",
                "**** Starting FICS session as Newton ****\n\rfics% ",
                "\x150\x16519\x16\x17\n\rfics% ",
            ],
            25,
        ),
    ];
    for (step, script, patience) in steps {
        let mut driver = Driver::connected(account());
        for said in *script {
            driver.feed(said);
        }
        assert_eq!(driver.session.state(), SessionState::LoggingIn(*step));
        driver.wait(almost(seconds(*patience)));
        assert_eq!(driver.session.next_action(), DriverAction::Keep, "{step:?}");
        driver.wait(Duration::from_millis(1));
        driver.close_on_request();
        let news = driver.take_session_events();
        let Some(Event::Ended(SessionEndReason::Login(error))) = news.last() else { panic!("{step:?}: {news:?}") };
        // Once a fence was typed it is the prompt that is waited for, whatever the step before was.
        match step {
            LoginStep::Password => assert_eq!(*error, LoginError::TimedOut(LoginStep::Entering)),
            _ => assert_eq!(*error, LoginError::TimedOut(*step)),
        }
    }
}

#[test]
fn the_error_quotes_a_peer_that_is_not_a_chess_server() {
    let cases: [(&str, &[u8], &str); 6] = [
        ("HTTP", b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", r#""HTTP/1.1 400 Bad Request""#),
        ("SSH", b"SSH-2.0-OpenSSH_9.6p1\r\n", r#""SSH-2.0-OpenSSH_9.6p1""#),
        ("SMTP", b"220 mail.example ESMTP\r\n", r#""220 mail.example ESMTP""#),
        ("no line end", b"\r\n+OK", r#""+OK""#),
        ("what a terminal obeys", b"\x1b]0;a\x07\x9b2J\"\xe2&#x202e;", r#""\u{1b}]0;a\u{7}\u{9b}2J\"â\u{202e}""#),
        ("long", &[b'x'; 1000], &format!("{:?}", "x".repeat(80))),
    ];
    for (name, bytes, want) in cases {
        for is_closed in [true, false] {
            for timeseal in [TimesealChoice::Off, TimesealChoice::Auto] {
                let mut driver = Driver::connected(guest().timeseal(timeseal));
                for &byte in bytes {
                    driver.feed([byte]);
                }
                if is_closed {
                    driver.close(CloseCause::Closed);
                } else {
                    driver.wait(seconds(60));
                    driver.close_on_request();
                }
                // A web server says nothing to who says nothing.
                while matches!(driver.session.next_action(), DriverAction::Dial { .. }) {
                    driver.dial(Ok(()));
                    driver.wait(seconds(60));
                    driver.close_on_request();
                }
                let DriverAction::End(SessionEndReason::Login(error)) = driver.session.next_action() else {
                    panic!("{name}")
                };
                assert_eq!(error.to_string(), format!("no login prompt: the server began with {want}"), "{name}");
            }
        }
    }
}

#[test]
fn every_login_error_has_a_message() {
    let nothing = || ServerText::from_wire(b"");
    for (error, want) in [
        (LoginError::Other(said("Not \x07you.")), r#"login refused: "Not \u{7}you.""#),
        (LoginError::Other(nothing()), "login refused without a reason"),
        (LoginError::AccountRefused(nothing()), "account is refused without a reason"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    let reason = Refusal::Code(crate::message::CommandCode(517));
    let refused = RequestError::Refused { reason, text: nothing() };
    assert_eq!((refused.to_string().as_str(), refused.text()), ("refused", None));
}

#[test]
fn an_unanswered_set_up_times_out() {
    let mut driver = Driver::connected(account());
    for said in ["login: ", "login: ", "password: ", "fics% ", "\x150\x16519\x16\x17\n\rfics% "] {
        driver.feed(said);
    }
    for _ in 0..3 {
        driver.wait(seconds(9));
        driver.feed("Foo shouts: still here\n\rfics% ");
    }
    driver.wait(seconds(3));
    driver.close_on_request();
    assert_eq!(
        driver.session.next_action(),
        DriverAction::End(SessionEndReason::Login(LoginError::TimedOut(LoginStep::SetUp)))
    );
}

#[test]
fn a_closed_connection_reports_the_login_step() {
    let steps: &[(LoginStep, &[&str])] = &[
        (LoginStep::Greeting, &["\n\r"]),
        (LoginStep::Name, &["login: ", "login: "]),
        (LoginStep::Password, &["login: ", "login: ", "password: "]),
        (LoginStep::Entering, &["login: ", "login: ", "password: ", "fics% "]),
        (LoginStep::SetUp, &["login: ", "login: ", "password: ", "fics% ", "\x150\x16519\x16\x17\n\rfics% "]),
    ];
    for (step, script) in steps {
        let mut driver = Driver::connected(account());
        for said in *script {
            driver.feed(said);
        }
        driver.close(CloseCause::Closed);
        assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Login(LoginError::Closed(*step))));
    }
}

#[test]
fn the_last_line_counts_even_without_a_line_end() {
    let mut driver = Driver::connected(account());
    for said in ["login: ", "login: ", "password: ", "\n\r**** Invalid password! ****"] {
        driver.feed(said);
    }
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Login(LoginError::InvalidPassword)));
}

#[test]
fn a_server_that_closes_on_the_login_string_is_retried_without() {
    let mut driver = Driver::connected(guest());
    driver.feed("login: ");
    assert_eq!(driver.take_sent(), [STRING]);
    driver.close(CloseCause::Closed);
    driver.dial(Ok(()));
    driver.feed("login: ");
    assert_eq!(driver.take_sent(), ["guest\n"]);
    driver.close(CloseCause::Closed);
    assert_eq!(
        driver.session.next_action(),
        DriverAction::End(SessionEndReason::Login(LoginError::Closed(LoginStep::Name)))
    );
}

#[test]
fn a_broken_web_socket_is_an_error_at_once_and_one_that_ends_in_order_may_not_know_timeseal() {
    let violation = CloseCause::WebSocketViolation(WebSocketViolation::Masking);
    let causes = [
        (violation, true),
        (CloseCause::WebSocketClosed(1008), true),
        (CloseCause::WebSocketClosed(1000), false),
        (CloseCause::WebSocketClosed(1005), false),
        (CloseCause::Closed, false),
    ];
    for (cause, is_final) in causes {
        for said in [&[][..], &["Welcome\n\rlogin: "], &["login: ", "login: "]] {
            let mut driver = Driver::connected(account().timeseal(TimesealChoice::Auto));
            for said in said {
                driver.feed(said);
            }
            driver.close(cause);
            let end = DriverAction::End(SessionEndReason::Login(LoginError::WebSocket(cause)));
            assert_eq!(driver.session.next_action() == end, is_final, "{cause} after {said:?}");
            assert_eq!(matches!(driver.session.next_action(), DriverAction::Dial { .. }), !is_final, "{cause}");
        }
    }
    assert_eq!(
        LoginError::WebSocket(violation).to_string(),
        "connection failed during login: server violated the WebSocket protocol: wrong masking"
    );
}

#[test]
fn requests_are_refused_before_the_set_up_is_complete() {
    let mut driver = Driver::new(guest());
    assert_eq!(driver.request("date"), Err(RequestError::NotConnected));
    driver.dial(Ok(()));
    assert_eq!(driver.request("date"), Err(RequestError::NotConnected));
    log_in_guest(&mut driver);
    assert_eq!(driver.request("date"), Err(RequestError::NotConnected), "set-up goes on");
}

#[test]
fn the_session_ends_if_the_first_connection_fails() {
    let mut driver = Driver::new(guest());
    driver.dial(Err(DialError::TimedOut));
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Dial(DialError::TimedOut)));
    assert_eq!(driver.session.state(), SessionState::Ended(SessionEndReason::Dial(DialError::TimedOut)));
    assert!(driver.session.poll_timeout().is_none());
}
