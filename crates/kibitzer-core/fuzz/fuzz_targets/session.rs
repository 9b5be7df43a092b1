//! A session under any server, any clock and any requests: it keeps to what it may send, keeps little, and tells the same
//! however the server's bytes are cut.
//!
//! A fuzz input is a script: bytes of the server, and between them what else happens, behind a sign of its own (see [`Step`]).
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
use kibitzer_core::wire::unseal;
use kibitzer_core_fuzz::{Manner, Peer, Setup, Step};
use libfuzzer_sys::fuzz_target;

const NAME: &str = "Newton";
const PASSWORD: &str = "swordfish";

/// How often a script is played over and over, to see whether anything grows.
const ROUNDS: usize = 24;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::of(input) else { return };
    // The server is not told the password but by us.
    if setup.stream.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()) {
        return;
    }
    let steps: Vec<_> = Step::all(setup.stream).take(200).collect();
    let mut whole = Driver::new(&setup);
    whole.play(&steps, |bytes| vec![bytes]);
    let mut cut = Driver::new(&setup);
    cut.play(&steps, |bytes| setup.cut(bytes).collect());
    assert_eq!(cut.told, whole.told);
    assert_eq!(cut.sent, whole.sent);
    assert_eq!(cut.replies, whole.replies);
    whole.end();
    if setup.choice() >= 0xC0 {
        check_growth(&setup, &steps);
    }
});

/// Plays a script again and again: what is kept must not grow with it.
fn check_growth(setup: &Setup<'_>, steps: &[Step<'_>]) {
    let mut driver = Driver::new(setup);
    let mut sizes = Vec::new();
    for _ in 0..ROUNDS {
        driver.play(steps, |bytes| vec![bytes]);
        driver.forget();
        sizes.push(format!("{:?}", driver.session).len());
    }
    let (early, late) = sizes.split_at(ROUNDS * 3 / 4);
    let (early, late) = (early.iter().max().unwrap(), late.iter().max().unwrap());
    assert!(*late <= early * 2 + 4096, "what is kept grows: {sizes:?}");
}

/// A session, the clock, and what came out.
struct Driver {
    session: Session,
    now: Instant,
    start: Instant,
    is_sealed: bool,
    /// The server has let us in; since the last time that lines were taken out.
    was_let_in: bool,
    is_in: bool,
    /// The server has asked for a name, for a password; we have sent one, and one behind the name.
    n_name_prompts: usize,
    n_prompts: usize,
    n_passwords: usize,
    n_names_with_password: usize,
    /// Something shows that the server is ICC, or it is said to be.
    is_icc: bool,
    is_said_to_be_icc: bool,
    peer: Peer,
    /// Whether the lines that were sent, and not told of yet, are secret.
    unshown: VecDeque<bool>,
    last_request: Option<RequestId>,
    sent: Vec<(Duration, TransmitKind, Vec<u8>)>,
    told: Vec<Event>,
    replies: Vec<(RequestId, Result<Reply, RequestError>)>,
}

impl Driver {
    fn new(setup: &Setup<'_>) -> Self {
        let start = Instant::now();
        Self {
            session: Session::new(options(setup), start),
            now: start,
            start,
            is_sealed: setup.choice() & 12 != 0,
            was_let_in: false,
            is_in: false,
            n_name_prompts: 0,
            n_prompts: 0,
            n_passwords: 0,
            n_names_with_password: 0,
            is_icc: false,
            is_said_to_be_icc: setup.family == Family::Icc,
            peer: Peer::new(setup.manner),
            unshown: VecDeque::new(),
            last_request: None,
            sent: Vec::new(),
            told: Vec::new(),
            replies: Vec::new(),
        }
    }

    fn play<'a>(&mut self, steps: &[Step<'a>], cut: impl Fn(&'a [u8]) -> Vec<&'a [u8]>) {
        for step in steps {
            self.follow();
            match *step {
                Step::Read(bytes) => cut(bytes).into_iter().for_each(|bytes| self.read(bytes)),
                Step::Answer => self.answer(),
                Step::Time(duration) => self.pass(duration),
                Step::Request(line) => self.request(line),
                Step::Abandon => {
                    if let Some(id) = self.last_request.take() {
                        self.session.abandon(id, self.now);
                    }
                }
                Step::Hold => self.session.handle_reading_pause(self.now),
                Step::Close => self.session.handle_close(CloseCause::Closed, self.now),
                Step::Fail => self.session.handle_dial_outcome(Err(DialError::TimedOut), self.now),
                Step::Quit => self.session.quit(self.now),
                Step::Stop => self.session.shutdown(self.now),
            }
            self.drain();
        }
    }

    /// Does about the connection what the session says.
    fn follow(&mut self) {
        match self.session.next_action() {
            DriverAction::Dial { .. } => {
                self.session.handle_dial_outcome(Ok(()), self.now);
                (self.was_let_in, self.is_in, self.is_icc) = (false, false, self.is_said_to_be_icc);
                (self.n_name_prompts, self.n_prompts) = (0, 0);
                (self.n_passwords, self.n_names_with_password) = (0, 0);
                self.peer = Peer::new(self.peer.manner());
            }
            DriverAction::Close => self.session.handle_close(CloseCause::Closed, self.now),
            DriverAction::Keep | DriverAction::Wait | DriverAction::End(_) => {}
        }
        self.drain();
    }

    fn read(&mut self, mut bytes: &[u8]) {
        while let Some(event) = self.session.receive(&mut bytes, self.now) {
            self.tell(event);
        }
        assert!(bytes.is_empty(), "bytes are left");
    }

    /// Lets time pass as a driver does: every time-out when it is due.
    fn pass(&mut self, duration: Duration) {
        let end = self.now + duration;
        for _ in 0..2000 {
            let Some(due) = self.session.poll_timeout().filter(|due| *due <= end) else { break };
            let before = self.now;
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            self.drain();
            assert!(self.now > before || self.session.poll_timeout() != Some(due), "the same time-out again");
            self.follow();
        }
        self.now = end;
    }

    fn request(&mut self, line: &[u8]) {
        let Ok(command) = Command::new(&String::from_utf8_lossy(line)) else { return };
        if let Ok(id) = self.session.request(command, self.now) {
            self.last_request = Some(id);
        }
    }

    /// Has a server answer what was sent.
    fn answer(&mut self) {
        for answer in self.peer.answers() {
            self.read(answer.as_bytes());
        }
    }

    fn drain(&mut self) {
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.send(&transmit);
        }
        while let Some(reply) = self.session.poll_reply() {
            self.replies.push(reply);
        }
        while let Some(event) = self.session.poll_event() {
            self.tell(event);
        }
        // A server that did not wait gets what it had asked for: a line is decided on where the prompt stands.
        self.is_in = self.was_let_in;
    }

    fn tell(&mut self, event: Event) {
        match &event {
            Event::LoggedIn(_) => self.was_let_in = true,
            Event::Sent { line, .. } => {
                assert!(line.as_ref().is_none_or(|line| !line.contains(PASSWORD)));
                assert_eq!(self.unshown.pop_front(), Some(line.is_none()), "{event:?}");
            }
            event => {
                self.n_prompts += usize::from(event.message() == Some(&Message::Control(Control::PasswordPrompt)));
                self.n_name_prompts += usize::from(event.message() == Some(&Message::Control(Control::LoginPrompt)));
                self.is_icc |= is_of_icc(event);
            }
        }
        self.told.push(event);
    }

    fn send(&mut self, transmit: &Transmit) {
        assert_eq!(self.session.next_action(), DriverAction::Keep, "a line on a connection that was given up");
        let bytes = transmit.bytes();
        let kind = transmit.kind;
        assert_eq!(bytes.iter().position(|&byte| byte == b'\n'), Some(bytes.len() - 1), "not one line");
        let text = match unseal(bytes) {
            Some(unsealed) if self.is_sealed => unsealed.text,
            _ => bytes[..bytes.len() - 1].to_vec(),
        };
        let is_plain = text.iter().all(|byte| (b' '..=b'~').contains(byte));
        assert!(is_plain || kind == TransmitKind::PingAnswer, "{transmit:?}");
        match kind {
            TransmitKind::Hello | TransmitKind::PingAnswer => {}
            _ => self.send_line(transmit, text),
        }
        self.sent.push((self.now.duration_since(self.start), kind, bytes.to_vec()));
    }

    fn send_line(&mut self, transmit: &Transmit, text: Vec<u8>) {
        let kind = transmit.kind;
        match kind {
            TransmitKind::Password => {
                self.check_password(&text);
                assert!(transmit.secrets().eq([PASSWORD.as_bytes()]));
                hides(transmit, PASSWORD);
                hides(&self.session, PASSWORD);
            }
            TransmitKind::Login => assert!(!self.is_in, "a line of the login behind it: {transmit:?}"),
            TransmitKind::SecretCommand => hides(transmit, &text.escape_ascii().to_string()),
            _ => {}
        }
        self.unshown.push_back(transmit.kind.is_secret());
        // A server of the FICS family would repeat the password, as it repeats every command that it does not know.
        if kind != TransmitKind::Password || self.peer.manner() == Manner::Icc {
            self.peer.hear(String::from_utf8_lossy(&text).into_owned());
        }
    }

    /// A password stands alone where the server has asked for it, or on ICC behind the name; each once at most.
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

    fn forget(&mut self) {
        self.sent.clear();
        self.told.clear();
        self.replies.clear();
    }

    /// Stops: nothing is sent after that, and nothing is to be waited for.
    fn end(&mut self) {
        self.session.shutdown(self.now);
        let n_sent = self.sent.len();
        self.follow();
        self.pass(Duration::from_secs(600));
        assert!(matches!(self.session.next_action(), DriverAction::End(_)), "{:?}", self.session.next_action());
        assert_eq!((self.session.poll_timeout(), self.sent.len()), (None, n_sent));
        assert!(matches!(self.told.last(), Some(Event::Ended(_))));
    }
}

/// Whether the session may take the server for ICC from here on.
fn is_of_icc(event: &Event) -> bool {
    let is_greeting = event.raw().windows(13).any(|part| part == b"chessclub.com");
    is_greeting || matches!(event.message(), Some(Message::LoggedIn(_)))
}

fn hides(what: &impl Debug, secret: &str) {
    assert!(!format!("{what:?}").contains(secret));
}

fn options(setup: &Setup<'_>) -> SessionOptions {
    let choice = setup.choice();
    let handle = NAME.parse().unwrap();
    let credentials = match choice & 3 {
        0 => Credentials::Guest,
        1 => Credentials::NamedGuest(handle),
        _ => Credentials::Account { handle, password: Password::new(PASSWORD).unwrap() },
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
        .limits(setup.kept.limits())
        .game_limits(GameLimits::default().games(3).moves(4))
        .requests(RequestLimits::default().queued(8).in_flight(3).reply_events(20).reply_bytes(500));
    if choice & 32 == 0 { options } else { options.without_ivar(Ivar::Block).with_ivar(Ivar::SeekInfo).with_ivar(Ivar::Lock) }
}
