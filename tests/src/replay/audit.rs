//! What must hold of every line a session sends, whatever the server says.

use std::fmt::Debug;

use kibitzer_core::session::{Link, Session, TimesealChoice, Transmit, TransmitKind};
use kibitzer_core::wire::unseal;

/// How the commands of a set-up begin.
const SET_UP: [&str; 8] = [
    "iset ",
    "ivariables",
    "set style 12",
    "set bell 0",
    "set ptime 0",
    "set width 240",
    "set height 240",
    "set interface kibitzer",
];

/// Listens in on a session, and takes down what it should not have done. It reads what the server said by itself.
#[derive(Clone, Debug)]
pub struct Audit {
    password: Option<String>,
    timeseal: TimesealChoice,
    /// What the server said on this connection since the last line of ours.
    heard: Vec<u8>,
    is_greeted: bool,
    n_passwords: usize,
    is_in: bool,
    pings_due: usize,
    fences: Vec<String>,
    /// What was wrong.
    pub problems: Vec<String>,
}

impl Audit {
    /// For a session that has this secret, and asks for this version of timeseal.
    pub const fn new(password: Option<String>, timeseal: TimesealChoice) -> Self {
        Self {
            password,
            timeseal,
            heard: Vec::new(),
            is_greeted: false,
            n_passwords: 0,
            is_in: false,
            pings_due: 0,
            fences: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// A new connection.
    pub fn connected(&mut self) {
        let problems = std::mem::take(&mut self.problems);
        *self = Self { problems, ..Self::new(self.password.take(), self.timeseal) };
    }

    /// The server said this.
    pub fn heard(&mut self, bytes: &[u8]) {
        self.heard.extend(bytes);
    }

    /// The session took a ping in.
    pub const fn pinged(&mut self) {
        self.pings_due += 1;
    }

    /// The session says that it is logged in.
    pub const fn logged_in(&mut self) {
        self.is_in = true;
    }

    /// The session sends this.
    pub fn sent(&mut self, transmit: &Transmit, session: &Session) {
        self.require(session.link() == Link::Keep, "a line on a connection that was given up", transmit);
        let text = self.text_of(transmit);
        let heard = readable(&self.heard);
        let asked = heard.rsplit('\n').next().unwrap_or_default();
        match transmit.kind() {
            TransmitKind::Hello => return self.require(!self.is_greeted, "a hello behind other lines", transmit),
            TransmitKind::PingAnswer => {
                self.require(self.pings_due > 0, "an answer to no ping", transmit);
                self.pings_due = self.pings_due.saturating_sub(1);
                return self.require(text == "\u{2}9", "no answer to a ping", transmit);
            }
            TransmitKind::Password => {
                self.n_passwords += 1;
                self.require(asked == "password: ", "a password that was not asked for", transmit);
                self.require(self.n_passwords == 1, "a second password", transmit);
                self.require(Some(&text) == self.password.as_ref(), "another password", transmit);
            }
            TransmitKind::Login if text.is_empty() => {
                self.require(heard.contains("Press return to enter"), "a return that was not asked for", transmit);
            }
            TransmitKind::Login => self.require(asked == "login: ", "a name that was not asked for", transmit),
            _ => self.require(self.is_greeted, "a command before the login", transmit),
        }
        let is_login = matches!(transmit.kind(), TransmitKind::Login | TransmitKind::Password);
        self.require(!is_login || !self.is_in, "a line of the login behind it", transmit);
        self.require(self.pings_due == 0, "a line in front of the answer to a ping", transmit);
        let is_secret = self.password.as_ref().is_some_and(|password| text == *password);
        self.require(is_secret == transmit.is_secret(), "a secret that is not marked so, or marked and none", transmit);
        self.is_greeted = true;
        self.heard.clear();
    }

    /// The text of a line, which must be one.
    fn text_of(&mut self, transmit: &Transmit) -> String {
        let bytes = transmit.bytes();
        let is_one = bytes.iter().position(|&byte| byte == b'\n') == Some(bytes.len().wrapping_sub(1));
        self.require(is_one && bytes.len() <= 2000, "not one line", transmit);
        let text = match unseal(bytes) {
            Ok(unsealed) if self.timeseal != TimesealChoice::Off => unsealed.text,
            _ => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        };
        let is_plain = text.iter().all(|byte| (b' '..=b'~').contains(byte));
        self.require(is_plain || transmit.kind() == TransmitKind::PingAnswer, "not printable", transmit);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The session sends a command that nobody asked for. Set-up ends when it is ready; then only signs of life are left.
    pub fn added(&mut self, line: &str, is_ready: bool) {
        let command = match line.split_once(' ') {
            Some((number, command)) if number.parse::<u8>().is_ok() => command,
            _ => line,
        };
        let bare = command.trim_start_matches("$$");
        let is_fence = bare.len() == 10 && bare.starts_with("zq") && bare.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_set_up = SET_UP.iter().any(|head| command.starts_with(head));
        if is_fence && self.fences.iter().any(|fence| fence == bare) {
            self.problems.push(format!("a fence is used twice: {line}"));
        }
        if is_fence {
            self.fences.push(bare.to_owned());
        } else if !(bare == "date" || is_set_up && !is_ready) {
            self.problems.push(format!("a command that nobody asked for: {line}"));
        }
    }

    /// Everything that was to be sent now is out.
    pub fn drained(&mut self) {
        if self.pings_due > 0 {
            self.problems.push(format!("{} pings were not answered at once", self.pings_due));
            self.pings_due = 0;
        }
    }

    /// Somebody prints this.
    pub fn shown(&mut self, what: &impl Debug) {
        let Some(password) = &self.password else { return };
        let shown = format!("{what:?}");
        let as_numbers = format!("{:?}", password.as_bytes());
        let as_numbers = as_numbers.trim_matches(['[', ']']);
        if shown.contains(password.as_str()) || shown.contains(as_numbers) {
            self.problems.push(format!("a secret is shown: {}", shown.chars().take(2000).collect::<String>()));
        }
    }

    fn require(&mut self, holds: bool, what: &str, transmit: &Transmit) {
        if !holds {
            let tail = readable(&self.heard);
            let tail: String = tail.chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
            self.problems.push(format!("{what}: {transmit:?} behind {tail:?}"));
        }
    }
}

/// What the server wrote, without what a terminal does not show.
pub(super) fn readable(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while let [byte, later @ ..] = rest {
        rest = match (byte, later) {
            (0xFF, [0xFB..=0xFE, _, later @ ..] | [0xF0..=0xF9, later @ ..]) => later,
            (0xFF, [0xFB..=0xFE] | []) => &[],
            (b'\r' | 0 | 7, _) => later,
            _ => {
                text.push(char::from(*byte));
                later
            }
        };
    }
    text
}
