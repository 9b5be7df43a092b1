//! A session with any server, any times and any requests: it sends only permitted lines, its memory is bounded, and its events do
//! not depend on the boundaries of reads.
//!
//! A fuzz input is a script of bytes and other [`Step`]s.
#![no_main]

use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, DialError, RequestError, RequestId};
use kibitzer_core::game::GameLimits;
use kibitzer_core::message::{Control, Family, Ivar, Message};
use kibitzer_core::session::{
    Command, Credentials, DriverAction, Password, Reconnect, Reply, RequestLimits, Session, SessionOptions,
    TimesealChoice, Transmit, TransmitKind,
};
use kibitzer_core::wire::{Timeseal, unseal};
use kibitzer_core_fuzz::{LimitValues, Peer, Setup, Step};
use libfuzzer_sys::fuzz_target;

const NAME: &str = "Newton";
const PASSWORD: &str = "swordfish";

/// Number of times that a script is repeated between two looks at the size of the state.
const ROUNDS: usize = 12;
/// Most looks at the size; some states have their full size only after 400 rounds.
const MAX_LOOKS: usize = 80;
/// Number of bytes by which the state may differ between two looks without growing, such as the digits of counters.
const STEADY_BYTES: usize = 64;
/// Number of bytes of debug output by which the state may grow in the last half of the looks, for buffers with high limits.
const MAX_GROWTH_BYTES: usize = 65_536;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::parse(input) else { return };
    // Only the session may know the password.
    if setup.stream.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()) {
        return;
    }
    let steps: Vec<_> = Step::parse_script(setup.stream).take(200).collect();
    let mut whole = Driver::new(&setup);
    whole.play(&steps, |bytes| vec![bytes]);
    let mut cut = Driver::new(&setup);
    cut.play(&steps, |bytes| setup.split_into_reads(bytes).collect());
    assert_eq!(cut.events, whole.events);
    assert_eq!(cut.sent, whole.sent);
    assert_eq!(cut.replies, whole.replies);
    whole.check_shutdown();
    // With high limits, the buffer of an unfinished line may grow for thousands of rounds.
    if setup.target_options() >= 0xC0 && setup.limits.line_bytes == LimitValues::LOW.line_bytes {
        check_growth(&setup, &steps);
    }
});

/// Checks that the state of a session stops growing when a script is repeated.
fn check_growth(setup: &Setup<'_>, steps: &[Step<'_>]) {
    let mut driver = Driver::new(setup);
    let mut sizes: Vec<usize> = Vec::new();
    for _ in 0..MAX_LOOKS {
        let size = driver.largest_state_of_rounds(steps);
        let is_steady = sizes.iter().max().is_some_and(|largest| size <= largest + STEADY_BYTES);
        if is_steady {
            return;
        }
        sizes.push(size);
    }
    let (half, last) = (sizes[MAX_LOOKS / 2], sizes[MAX_LOOKS - 1]);
    assert!(last <= half + MAX_GROWTH_BYTES, "the state grows: {sizes:?}");
}

/// Drives a session with a virtual clock, checks everything that it sends, and records its outputs.
struct Driver {
    session: Session,
    now: Instant,
    start: Instant,
    is_sealed: bool,
    /// Whether the login was complete when the lines to send were last polled.
    was_let_in: bool,
    is_in: bool,
    /// Prompts for a name and a password that were received; passwords sent alone and after a name. All on this connection.
    n_name_prompts: usize,
    n_prompts: usize,
    n_passwords: usize,
    n_names_with_password: usize,
    /// Whether the session may take the server for ICC on this connection; whether it was configured so.
    is_icc: bool,
    is_said_to_be_icc: bool,
    /// Whether a line with UTF-8 was received before the login on this connection, so that the server may read UTF-8.
    may_read_utf8: bool,
    peer: Peer,
    /// For each sent line without its event yet: whether it contains a secret.
    unreported: VecDeque<bool>,
    last_request: Option<RequestId>,
    sent: Vec<(Duration, TransmitKind, Vec<u8>)>,
    events: Vec<Event>,
    replies: Vec<(RequestId, Result<Reply, RequestError>)>,
}

impl Driver {
    fn new(setup: &Setup<'_>) -> Self {
        let start = Instant::now();
        Self {
            session: Session::new(options(setup), start),
            now: start,
            start,
            is_sealed: setup.target_options() & 12 != 0,
            was_let_in: false,
            is_in: false,
            n_name_prompts: 0,
            n_prompts: 0,
            n_passwords: 0,
            n_names_with_password: 0,
            is_icc: false,
            is_said_to_be_icc: setup.family == Family::Icc,
            may_read_utf8: false,
            peer: Peer::new(setup.peer_family),
            unreported: VecDeque::new(),
            last_request: None,
            sent: Vec::new(),
            events: Vec::new(),
            replies: Vec::new(),
        }
    }

    /// Repeats a script, and returns the largest size of the state after it, as debug output in bytes.
    fn largest_state_of_rounds(&mut self, steps: &[Step<'_>]) -> usize {
        let sizes = (0..ROUNDS).map(|_| {
            self.play(steps, |bytes| vec![bytes]);
            self.clear_outputs();
            format!("{:?}", self.session).len()
        });
        sizes.max().unwrap_or_default()
    }

    /// Performs the steps of a script; `cut` splits bytes into reads.
    fn play<'a>(&mut self, steps: &[Step<'a>], cut: impl Fn(&'a [u8]) -> Vec<&'a [u8]>) {
        for step in steps {
            self.perform_next_action();
            match *step {
                Step::Read(bytes) => cut(bytes).into_iter().for_each(|bytes| self.read(bytes)),
                Step::Answer => self.answer(),
                Step::Time(duration) => self.advance_time(duration),
                Step::Request(line) => self.request(line),
                Step::Abandon => {
                    if let Some(id) = self.last_request.take() {
                        self.session.abandon(id, self.now);
                    }
                }
                Step::Hold => self.session.handle_reading_pause(self.now),
                Step::Close => self.session.handle_close(CloseCause::Closed, self.now),
                Step::Fail => self.session.handle_dial_outcome(Err(DialError::TimedOut), self.now),
                Step::Quit => _ = self.session.quit(self.now),
                Step::Stop => self.session.shutdown(self.now),
            }
            self.drain();
        }
    }

    /// Connects or closes, if that is the next action of the session.
    fn perform_next_action(&mut self) {
        match self.session.next_action() {
            DriverAction::Dial { .. } => {
                self.session.handle_dial_outcome(Ok(()), self.now);
                (self.was_let_in, self.is_in, self.is_icc) = (false, false, self.is_said_to_be_icc);
                (self.n_name_prompts, self.n_prompts) = (0, 0);
                (self.n_passwords, self.n_names_with_password) = (0, 0);
                self.may_read_utf8 = false;
                self.peer = Peer::new(self.peer.family());
            }
            DriverAction::Close => self.session.handle_close(CloseCause::Closed, self.now),
            DriverAction::Keep | DriverAction::Wait | DriverAction::End(_) => {}
        }
        self.drain();
    }

    /// Passes received bytes to the session.
    fn read(&mut self, mut bytes: &[u8]) {
        while let Some(event) = self.session.receive(&mut bytes, self.now) {
            self.on_event(event);
        }
        assert!(bytes.is_empty(), "bytes are left");
    }

    /// Advances the clock by this duration, and handles every timeout when it is due.
    fn advance_time(&mut self, duration: Duration) {
        let end = self.now + duration;
        for _ in 0..2000 {
            let Some(due) = self.session.poll_timeout().filter(|due| *due <= end) else { break };
            let before = self.now;
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            self.drain();
            assert!(self.now > before || self.session.poll_timeout() != Some(due), "the same time-out again");
            self.perform_next_action();
        }
        self.now = end;
    }

    /// Requests the line, if it is a valid command.
    fn request(&mut self, line: &[u8]) {
        let Ok(command) = Command::new(&String::from_utf8_lossy(line)) else { return };
        if let Ok(id) = self.session.request(command, self.now) {
            self.last_request = Some(id);
        }
    }

    /// Passes the replies of the peer to the session.
    fn answer(&mut self) {
        for answer in self.peer.take_replies() {
            self.read(answer.as_bytes());
        }
    }

    /// Polls all outputs of the session.
    fn drain(&mut self) {
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.on_transmit(&transmit);
        }
        while let Some(reply) = self.session.poll_reply() {
            self.replies.push(reply);
        }
        while let Some(event) = self.session.poll_event() {
            self.on_event(event);
        }
        // Only now: lines that were decided on before the login was complete may still be sent.
        self.is_in = self.was_let_in;
    }

    /// Checks and records an event.
    fn on_event(&mut self, event: Event) {
        match &event {
            Event::LoggedIn(_) => self.was_let_in = true,
            Event::Sent { line, .. } => {
                assert!(line.as_ref().is_none_or(|line| !line.contains(PASSWORD)));
                assert_eq!(self.unreported.pop_front(), Some(line.is_none()), "{event:?}");
            }
            event => {
                self.n_prompts += usize::from(event.message() == Some(&Message::Control(Control::PasswordPrompt)));
                self.n_name_prompts += usize::from(event.message() == Some(&Message::Control(Control::LoginPrompt)));
                self.is_icc |= shows_icc(event);
                self.may_read_utf8 |=
                    !self.was_let_in && !event.raw().is_ascii() && std::str::from_utf8(event.raw()).is_ok();
            }
        }
        self.events.push(event);
    }

    /// Checks and records a line to send.
    fn on_transmit(&mut self, transmit: &Transmit) {
        assert_eq!(self.session.next_action(), DriverAction::Keep, "a line on a connection that was given up");
        let bytes = transmit.bytes();
        let kind = transmit.kind;
        if kind == TransmitKind::Probe {
            let is_sealed = self.session.capabilities().timeseal != Timeseal::Off;
            assert!(!is_sealed && bytes == b"\xff\xfd\x06", "{transmit:?}");
            self.sent.push((self.now.duration_since(self.start), kind, bytes.to_vec()));
            return;
        }
        assert_eq!(bytes.iter().position(|&byte| byte == b'\n'), Some(bytes.len() - 1), "not one line");
        let text = match unseal(bytes) {
            Some(unsealed) if self.is_sealed => unsealed.text,
            _ => bytes[..bytes.len() - 1].to_vec(),
        };
        let is_in_charset = text.is_ascii() || self.may_read_utf8;
        let is_plain =
            is_in_charset && std::str::from_utf8(&text).is_ok_and(|text| !text.chars().any(char::is_control));
        assert!(is_plain || kind == TransmitKind::PingAnswer, "{transmit:?}");
        match kind {
            TransmitKind::Hello | TransmitKind::PingAnswer => {}
            _ => self.on_line(transmit, text),
        }
        self.sent.push((self.now.duration_since(self.start), kind, bytes.to_vec()));
    }

    /// Checks a line other than those of timeseal, and passes it to the peer.
    fn on_line(&mut self, transmit: &Transmit, text: Vec<u8>) {
        let kind = transmit.kind;
        match kind {
            TransmitKind::Password => {
                self.check_password(&text);
                assert!(transmit.secrets().eq([PASSWORD.as_bytes()]));
                check_hidden(transmit, PASSWORD);
                check_hidden(&self.session, PASSWORD);
            }
            TransmitKind::Login => assert!(!self.is_in, "a line of the login behind it: {transmit:?}"),
            TransmitKind::SecretCommand => check_hidden(transmit, &text.escape_ascii().to_string()),
            _ => {}
        }
        self.unreported.push_back(transmit.kind.is_secret());
        // A server of the FICS family would repeat the password, as it repeats every command that it does not know.
        if kind != TransmitKind::Password || self.peer.family() == Family::Icc {
            self.peer.receive_line(String::from_utf8_lossy(&text).into_owned());
        }
    }

    /// Checks that a password is sent alone after a password prompt, or after the name on ICC, and each at most once.
    fn check_password(&mut self, text: &[u8]) {
        assert!(!self.is_in, "a password behind the login");
        if text == PASSWORD.as_bytes() {
            self.n_passwords += 1;
            assert!(self.n_prompts > 0 && self.n_passwords == 1, "a password nobody asked for");
            return;
        }
        assert_eq!(text, [NAME, " ", PASSWORD].concat().as_bytes());
        self.n_names_with_password += 1;
        assert!(self.n_name_prompts > 0 && self.n_names_with_password == 1, "a name nobody asked for");
        assert!(self.is_icc, "a password on a line with a name, on a server that may show it");
    }

    /// Discards the recorded outputs.
    fn clear_outputs(&mut self) {
        self.sent.clear();
        self.events.clear();
        self.replies.clear();
    }

    /// Shuts the session down, and checks that nothing is sent after that and no timer is left.
    fn check_shutdown(&mut self) {
        self.session.shutdown(self.now);
        let n_sent = self.sent.len();
        self.perform_next_action();
        self.advance_time(Duration::from_secs(600));
        assert!(matches!(self.session.next_action(), DriverAction::End(_)), "{:?}", self.session.next_action());
        assert_eq!((self.session.poll_timeout(), self.sent.len()), (None, n_sent));
        assert!(matches!(self.events.last(), Some(Event::Ended(_))));
    }
}

/// Returns whether the session may take the server for ICC after this event.
fn shows_icc(event: &Event) -> bool {
    let is_greeting = event.raw().windows(13).any(|part| part == b"chessclub.com");
    is_greeting || matches!(event.message(), Some(Message::LoggedIn(_)))
}

/// Checks that the debug output does not contain the secret.
fn check_hidden(what: &impl Debug, secret: &str) {
    assert!(!format!("{what:?}").contains(secret));
}

fn options(setup: &Setup<'_>) -> SessionOptions {
    let choice = setup.target_options();
    let handle = NAME.parse().unwrap();
    let credentials = match choice & 3 {
        0 => Credentials::Guest,
        1 => Credentials::NamedGuest(handle),
        _ => Credentials::account(handle, Password::new(PASSWORD).unwrap()),
    };
    let timeseal = match choice >> 2 & 3 {
        0 => TimesealChoice::Off,
        1 => TimesealChoice::V1,
        2 => TimesealChoice::V2,
        _ => TimesealChoice::Auto,
    };
    let reconnect = if choice & 16 == 0 { Reconnect::default() } else { Reconnect::never() };
    let options = SessionOptions::new(credentials)
        .timeseal(timeseal)
        .reconnect(reconnect)
        .family(setup.family)
        .limits(setup.limits.to_limits())
        .game_limits(GameLimits::default().games(3).moves(4))
        .requests(RequestLimits::default().queued(8).in_flight(3).reply_events(20).reply_bytes(500));
    if choice & 32 == 0 {
        options
    } else {
        options.without_ivar(Ivar::Block).with_ivar(Ivar::SeekInfo).with_ivar(Ivar::Lock)
    }
}
