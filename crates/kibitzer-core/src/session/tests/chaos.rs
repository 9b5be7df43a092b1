//! Arbitrary input in arbitrary chunks.

use proptest::prelude::*;

use super::login::{log_in_guest, on_fics, on_uhlin};
use super::*;
use crate::message::Attribution;
use crate::session::machine::Phase;
use crate::session::reply::PartialReply;

/// Output of a server for a guest, without parts that depend on the fences.
const STREAM: &[u8] = b"Welcome\n\r\xff\xfc\x01login: \n\r#Ivars set.\n\r\n\rlogin: \n\rLogging you in as \"GuestPUPE\"; you may use \
    this name to play unrated games.\n\rPress return to enter the server as \"GuestPUPE\":\n\r\xff\xfb\x01\n\r**** Starting FICS \
    session as GuestPUPE(U) ****\n\r\n\rfics% \x150\x16519\x16\x17\n\rfics% \x151\x1658\x16Interface variable settings of GuestPUPE:\n\r\n\r\
    ms=1   nowrap=1 defprompt=1 startpos=1 gameinfo=1 pendinfo=1 nohighlight=1\n\r\x17\n\rfics% \x152\x16109\x16Style 12 set.\n\r\x17\n\rfics% \
    \x155\x16109\x16\n\rwidth set\n\r\x17\n\rfics% \n\rFoo tells you: a line that goes on and on and is wrapped by the\n\r\\   server\n\rfics% \
    \x153\x16109\x16\x17\x154\x16109\x16\x17\x156\x16109\x16\x17\n\rfics% \x157\x16109\x16ok\n\r\x17\n\rfics% [G]\0 Notification: Foo has arrived.\n\r\x150\x16519\x16\x17\
    <12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 1 2 12 39 39 119 122 2 \
    K/e1-e2 (0:06) Ke2 0\n\rfics% half a li";

/// Output of a session for a stream.
#[derive(Debug, PartialEq)]
struct Outcome {
    events: Vec<Event>,
    sent: Vec<Vec<u8>>,
    link: DriverAction,
    counters: SessionCounters,
}

fn run<'a>(options: SessionOptions, pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut driver = Driver::connected(options);
    for piece in pieces {
        driver.feed(piece);
    }
    driver.close(CloseCause::Closed);
    let is_sent = |event: &&Event| matches!(event, Event::Sent { .. });
    Outcome {
        events: driver.events().iter().filter(|event| !is_sent(event)).map(without_request).collect(),
        sent: driver
            .take_transmits()
            .iter()
            .filter(|transmit| is_command(transmit))
            .map(|transmit| transmit.bytes().to_vec())
            .collect(),
        link: driver.session.next_action(),
        counters: SessionCounters { lines_sent: 0, bytes_sent: 0, ..driver.session.counters() },
    }
}

/// Returns the event without its request: these streams contain replies to lines that were not sent yet.
fn without_request(event: &Event) -> Event {
    let mut event = event.clone();
    match &mut event {
        Event::Received { received, .. } => received.attribution = Attribution::default(),
        Event::Listing { attribution, .. } | Event::Missed { attribution, .. } => *attribution = Attribution::default(),
        Event::Desync(desync) => desync.attribution = Attribution::default(),
        _ => {}
    }
    event
}

/// Returns whether the line is a command, which is sent regardless of polling: unsent lines of a login are dropped when it
/// succeeds.
fn is_command(transmit: &Transmit) -> bool {
    transmit.kind == TransmitKind::Command
}

#[test]
fn the_stream_of_these_tests_is_read_to_its_end() {
    let Outcome { events, sent, link, .. } = run(guest(), [STREAM]);
    assert!(events.iter().any(|event| matches!(event, Event::SessionReady(_))), "{events:?} {sent:?}");
    assert_eq!(link, DriverAction::Wait);
    assert_eq!(sent.len(), 1 + 1 + 6, "{sent:?}");
}

#[test]
fn any_chunking_gives_the_same_session() {
    let want = run(guest(), [STREAM]);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(run(guest(), STREAM.chunks(size)), want, "{size}");
    }
}

/// Returns bytes that resemble the output of servers, mixed with noise.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::sample::select(vec![
            &b"fics% "[..],
            b"\n\r",
            b"login: ",
            b"password: ",
            b"\x151\x1632\x16",
            b"\x150\x16519\x16",
            b"\x17",
            b"[G]\0",
            b"zq",
            b"**** Invalid password! ****\n\r",
            b"block set.\n\r",
            b"block unset.\n\r",
            b"Press return to enter the server as \"Foo\":",
            b"**** Starting FICS session as Foo ****\n\r",
            b"Shout not sent. Next shout in 9 seconds.\n\r",
            b"<sr> 1 2 3\n\r",
            b"Your seek has been posted with index 3.\n\r",
            b"\xff\xfb\x01",
            b"#Ivars set.\n\r",
            b"You are now observing game 7.\n\r",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

/// Input of a session: a call of its driver, or an event of its connection.
#[derive(Clone, Debug)]
enum Step {
    Feed(Vec<u8>),
    Wait(u64),
    Request(&'static str),
    Abandon,
    Close,
    Dial(bool),
    Quit,
}

fn step() -> impl Strategy<Value = Step> {
    let command = prop::sample::select(vec![
        "date",
        "tell foo hi",
        "shout hi",
        "seek 5 0",
        "unseek",
        "iset block 0",
        "quit",
        "e4",
        "",
    ]);
    prop_oneof![
        6 => noise().prop_map(Step::Feed),
        3 => (0_u64..40_000).prop_map(Step::Wait),
        5 => command.prop_map(Step::Request),
        1 => Just(Step::Abandon),
        1 => Just(Step::Close),
        2 => prop::bool::weighted(0.7).prop_map(Step::Dial),
        // Seldom, as little happens after it.
        1 => prop::bool::weighted(0.05).prop_map(|quits| if quits { Step::Quit } else { Step::Wait(1) }),
    ]
}

fn take(driver: &mut Driver, step: Step) {
    match step {
        Step::Feed(bytes) => driver.feed(bytes),
        Step::Wait(ms) => driver.wait(Duration::from_millis(ms)),
        Step::Request(line) => drop(driver.request(line)),
        Step::Abandon => {
            if let Ok(id) = driver.request("who") {
                driver.session.abandon(id, driver.now);
            }
        }
        Step::Close => driver.close(CloseCause::Closed),
        Step::Dial(works) if matches!(driver.session.next_action(), DriverAction::Dial { .. }) => {
            driver.dial(if works { Ok(()) } else { Err(DialError::TimedOut) });
        }
        Step::Dial(_) => {}
        Step::Quit => _ = driver.session.quit(driver.now),
    }
    if driver.session.next_action() == DriverAction::Close {
        driver.close_on_request();
    }
}

/// Returns the number of items kept because of received bytes; the framer and the games have limits of their own.
fn n_kept_items(session: &Session) -> usize {
    let output = &session.output;
    let memory = &session.memory;
    let remembered =
        memory.games.len() + memory.seeks.len() + memory.settings.len() + memory.requests.len() + memory.given_up.len();
    let live = if let Phase::Live(live) = &session.phase {
        let requests = &live.requests;
        let in_replies = |reply: &PartialReply| reply.reply.events.len();
        let sent: usize = requests.sent.commands.iter().map(|sent| 1 + in_replies(&sent.reply)).sum();
        let unanswered = requests.queue.len() + sent + requests.sent.removed_fences.len();
        unanswered + requests.completed.len() + in_replies(&requests.unfenced)
    } else {
        0
    };
    output.events.len() + output.replies.len() + output.lines.len() + remembered + live
}

proptest! {
    #[test]
    fn any_chunking_of_noise_gives_the_same_session(
        noise in noise(),
        at in any::<prop::sample::Index>(),
        size in 1_usize..50,
        sealed: bool,
    ) {
        let options = || if sealed { guest().timeseal(TimesealChoice::V2) } else { account() };
        let mut bytes = STREAM.to_vec();
        let at = at.index(bytes.len());
        bytes.splice(at..at, noise);
        let (whole, pieces) = (run(options(), [&bytes[..]]), run(options(), bytes.chunks(size)));
        prop_assert_eq!(&pieces.events, &whole.events);
        prop_assert_eq!(&pieces.link, &whole.link);
        prop_assert_eq!(pieces.counters.bytes_received, whole.counters.bytes_received);
        // Lines queued at the end are not written, and their number depends on polling.
        let (mut more, less) = (pieces.sent, whole.sent);
        for line in less {
            let at = more.iter().position(|sent| *sent == line);
            prop_assert!(at.is_some(), "{}", line.escape_ascii());
            more.swap_remove(at.unwrap());
        }
        prop_assert!(more.is_empty() || whole.link != DriverAction::Wait);
    }

    #[test]
    fn any_input_causes_no_panic_and_no_unbounded_growth(
        steps in prop::collection::vec(step(), 0..80),
        block: bool,
        logged_in: bool,
    ) {
        let limits = RequestLimits::default().queued(8).in_flight(4).reply_events(50).reply_bytes(500);
        let options = guest().requests(limits).with_ivar(crate::message::Ivar::SeekInfo);
        let mut driver = match (logged_in, block) {
            (true, true) => on_fics(options).0,
            (true, false) => on_uhlin(options).0,
            (false, _) => Driver::connected(options),
        };
        for step in steps {
            take(&mut driver, step);
            let kept = n_kept_items(&driver.session);
            prop_assert!(kept <= 400, "{kept}");
        }
        // Whatever happened, the session can go on or is over.
        if driver.session.next_action() == DriverAction::Keep {
            driver.wait(Duration::from_mins(10));
            prop_assert_ne!(driver.session.next_action(), DriverAction::Keep, "ten minutes of silence");
        }
    }

    #[test]
    fn every_login_ends(noise in prop::collection::vec(noise(), 0..12)) {
        let mut driver = Driver::connected(account());
        for bytes in noise {
            driver.feed(bytes);
            driver.wait(seconds(3));
            prop_assert!(driver.take_transmits().iter().filter(|transmit| transmit.kind.is_secret()).count() <= 1);
        }
        driver.wait(Duration::from_mins(2));
        prop_assert_ne!(driver.session.next_action(), DriverAction::Keep);
    }
}

#[test]
fn a_reconnect_succeeds_with_the_login_string_again() {
    let (mut driver, _) = on_fics(guest());
    driver.close(CloseCause::Closed);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    log_in_guest(&mut driver);
    driver.feed("login: \n\rpassword: ");
    assert!(driver.take_sent().len() <= 1, "they are text by now");
}
