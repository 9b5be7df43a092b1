//! A session under any server, any clock and any requests: it keeps to what it may send, keeps little, and tells the same
//! however the server's bytes are cut.
//!
//! A fuzz input is a script: bytes of the server, and between them what else happens, behind a sign of its own (see [`Step`]).
#![no_main]

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitzer_core::Event;
use kibitzer_core::game::GameLimits;
use kibitzer_core::message::{Ivar, Message};
use kibitzer_core::session::{
    CloseCause, Command, Credentials, DialError, Link, Password, Reconnect, Reply, RequestError, RequestId,
    RequestLimits, Session, SessionOptions, TimesealChoice, Transmit, TransmitKind,
};
use kibitzer_core::wire::unseal;
use kibitzer_core_fuzz::{Setup, Step};
use libfuzzer_sys::fuzz_target;

const PASSWORD: &str = "swordfish";

/// How often a script is played over and over, to see whether anything grows.
const ROUNDS: usize = 24;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::of(input) else { return };
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
    n_prompts: usize,
    n_passwords: usize,
    /// Lines that no server has answered yet.
    unanswered: Vec<String>,
    in_blocks: bool,
    last_request: Option<RequestId>,
    sent: Vec<(Duration, TransmitKind, Vec<u8>)>,
    told: Vec<Arc<Event>>,
    replies: Vec<(RequestId, Result<Reply, RequestError>)>,
}

impl Driver {
    fn new(setup: &Setup<'_>) -> Self {
        let start = Instant::now();
        Self {
            session: Session::new(options(setup)),
            now: start,
            start,
            is_sealed: setup.choice() & 12 != 0,
            was_let_in: false,
            is_in: false,
            n_prompts: 0,
            n_passwords: 0,
            unanswered: Vec::new(),
            in_blocks: false,
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
                Step::Hold => self.session.held_back(self.now),
                Step::Close => self.session.closed(CloseCause::Closed, self.now),
                Step::Fail => self.session.dialed(Err(DialError::TimedOut), self.now),
                Step::Quit => self.session.quit(self.now),
                Step::Stop => self.session.shut_down(self.now),
            }
            self.drain();
        }
    }

    /// Does about the connection what the session says.
    fn follow(&mut self) {
        match self.session.link() {
            Link::Dial { .. } => {
                self.session.dialed(Ok(()), self.now);
                (self.was_let_in, self.is_in, self.in_blocks) = (false, false, false);
                (self.n_prompts, self.n_passwords) = (0, 0);
                self.unanswered.clear();
            }
            Link::Close => self.session.closed(CloseCause::Closed, self.now),
            Link::Keep | Link::Wait | Link::Over(_) => {}
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
        for line in std::mem::take(&mut self.unanswered) {
            let answer = self.answer_to(&line);
            self.read(answer.as_bytes());
        }
    }

    fn answer_to(&mut self, line: &str) -> String {
        let (number, command) = match line.split_once(' ') {
            Some((number, command)) if number.parse::<u64>().is_ok() => (Some(number), command),
            _ => (None, line),
        };
        let text = match command.split(' ').collect::<Vec<_>>()[..] {
            ["iset", ivar, "1"] => format!("{ivar} set.\n\r"),
            ["ivariables"] => "Interface variable settings of Foo:\n\r\n\rms=1  block=1  nowrap=1\n\r\n\r".to_owned(),
            _ if command.starts_with("%b") => return "\n\r#Ivars set.\n\r\n\rlogin: ".to_owned(),
            _ => format!("{}: Command not found.\n\r", command.trim_start_matches('$')),
        };
        let answer = match number {
            Some(number) if self.in_blocks => format!("\x15{number}\x1656\x16{text}\x17\n\rfics% "),
            _ if self.in_blocks => "\x150\x16519\x16\x17\n\rfics% ".to_owned(),
            _ => format!("{text}fics% "),
        };
        self.in_blocks |= command == "iset block 1";
        answer
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

    fn tell(&mut self, event: Arc<Event>) {
        match &*event {
            Event::LoggedIn(_) => self.was_let_in = true,
            Event::Sent { line, .. } => assert!(line.as_ref().is_none_or(|line| !line.contains(PASSWORD))),
            event => self.n_prompts += usize::from(event.message() == Some(&Message::PasswordPrompt)),
        }
        self.told.push(event);
    }

    fn send(&mut self, transmit: &Transmit) {
        assert_eq!(self.session.link(), Link::Keep, "a line on a connection that was given up");
        let bytes = transmit.bytes();
        let kind = transmit.kind();
        assert_eq!(bytes.iter().position(|&byte| byte == b'\n'), Some(bytes.len() - 1), "not one line");
        let text = match unseal(bytes) {
            Ok(unsealed) if self.is_sealed => unsealed.text,
            _ => bytes[..bytes.len() - 1].to_vec(),
        };
        let is_plain = text.iter().all(|byte| (b' '..=b'~').contains(byte));
        assert!(is_plain || kind == TransmitKind::PingAnswer, "{transmit:?}");
        match kind {
            TransmitKind::Password => {
                self.n_passwords += 1;
                assert_eq!(text, PASSWORD.as_bytes());
                assert!(self.n_prompts > 0 && self.n_passwords == 1 && !self.is_in, "a password nobody asked for");
                hides_secrets(transmit);
                hides_secrets(&self.session);
            }
            TransmitKind::Login => assert!(!self.is_in, "a line of the login behind it: {transmit:?}"),
            _ => {}
        }
        if matches!(kind, TransmitKind::Command | TransmitKind::Login) && self.unanswered.len() < 300 {
            let text = String::from_utf8_lossy(&text).into_owned();
            self.in_blocks |= text.starts_with("%b") && text.as_bytes().get(8) == Some(&b'1');
            self.unanswered.push(text);
        }
        self.sent.push((self.now.duration_since(self.start), kind, bytes.to_vec()));
    }

    fn forget(&mut self) {
        self.sent.clear();
        self.told.clear();
        self.replies.clear();
    }

    /// Stops: nothing is sent after that, and nothing is to be waited for.
    fn end(&mut self) {
        self.session.shut_down(self.now);
        let n_sent = self.sent.len();
        self.follow();
        self.pass(Duration::from_secs(600));
        assert!(matches!(self.session.link(), Link::Over(_)), "{:?}", self.session.link());
        assert_eq!((self.session.poll_timeout(), self.sent.len()), (None, n_sent));
        assert!(matches!(self.told.last().map(|event| &**event), Some(Event::Ended(_))));
    }
}

fn hides_secrets(what: &impl Debug) {
    assert!(!format!("{what:?}").contains(PASSWORD));
}

fn options(setup: &Setup<'_>) -> SessionOptions {
    let choice = setup.choice();
    let handle = "Newton".parse().unwrap();
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
        .limits(setup.limits)
        .game_limits(GameLimits::default().games(3).moves(4))
        .requests(RequestLimits::default().queued(8).in_flight(3).reply_events(20).reply_bytes(500));
    if choice & 32 == 0 { options } else { options.without(Ivar::Block).want(Ivar::SeekInfo).want(Ivar::Lock) }
}
