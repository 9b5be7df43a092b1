//! What must hold of every line a session sends, whatever the server says.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use kibitzer_core::message::Family;
use kibitzer_core::session::{DriverAction, Session, TimesealChoice, Transmit, TransmitKind};
use kibitzer_core::wire::unseal;

use super::play::is_command;

/// How long a server without block mode is left with one line, if it says nothing.
const LINE_GAP: Duration = Duration::from_millis(250);

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

/// How they begin where the server is taken for ICC, too.
const ICC_SET_UP: [&str; 4] = ["set prompt 0", "set wrap 0", "set height 0", "set-2 "];

/// What is sent when boards come in another style.
const REPAIR: [&str; 2] = ["set style 12", "refresh"];

/// Listens in on a session, and takes down what it should not have done. It reads what the server said by itself.
#[derive(Clone, Debug)]
pub struct Audit {
    password: Option<String>,
    timeseal: TimesealChoice,
    family: Family,
    /// What the server said on this connection since the last line of ours.
    heard: Vec<u8>,
    /// The line of the server that has no end yet.
    line: Vec<u8>,
    /// Boards come in another style, and no board was asked for since.
    is_other_style: bool,
    /// Until when it is left with the last command.
    busy_until: Option<Instant>,
    /// Lines that told ICC what to send.
    n_level_lines: usize,
    is_greeted: bool,
    n_passwords: usize,
    is_in: bool,
    /// How often the adjourned games of the account were asked for.
    n_listings: usize,
    pings_due: usize,
    fences: Vec<String>,
    /// What was wrong.
    pub problems: Vec<String>,
}

impl Audit {
    /// For a session that has this secret, asks for this version of timeseal, and takes the server for one of this family.
    pub const fn new(password: Option<String>, timeseal: TimesealChoice, family: Family) -> Self {
        Self {
            password,
            timeseal,
            family,
            heard: Vec::new(),
            line: Vec::new(),
            is_other_style: false,
            busy_until: None,
            n_level_lines: 0,
            is_greeted: false,
            n_passwords: 0,
            is_in: false,
            n_listings: 0,
            pings_due: 0,
            fences: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// A new connection.
    pub fn connected(&mut self) {
        let problems = std::mem::take(&mut self.problems);
        *self = Self { problems, ..Self::new(self.password.take(), self.timeseal, self.family) };
    }

    /// The server said this.
    pub fn heard(&mut self, bytes: &[u8]) {
        self.heard.extend(bytes);
        for &byte in bytes {
            self.line.push(byte);
            if byte == b'\n' {
                self.is_other_style |= is_other_board(&readable(&std::mem::take(&mut self.line)));
            }
        }
    }

    /// The session took a ping in.
    pub const fn pinged(&mut self) {
        self.pings_due += 1;
    }

    /// The session says that it is logged in.
    pub const fn logged_in(&mut self) {
        self.is_in = true;
    }

    /// The session sends this now.
    pub fn sent(&mut self, transmit: &Transmit, session: &Session, now: Instant) {
        self.require(session.next_action() == DriverAction::Keep, "a line on a connection that was given up", transmit);
        let text = self.text_of(transmit);
        let heard = readable(&self.heard);
        let asked = heard.rsplit('\n').next().unwrap_or_default();
        match transmit.kind {
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
                // In which words ICC asks for it is not known: silence does.
                let is_asked = heard.contains("Press return to enter") || self.family == Family::Icc;
                self.require(is_asked, "a return that was not asked for", transmit);
            }
            // The second follows the first at once.
            TransmitKind::Login if is_level_line(&text) && self.n_level_lines == 1 => {}
            TransmitKind::Login => self.require(asked == "login: ", "a name that was not asked for", transmit),
            _ => self.require(self.is_greeted, "a command before the login", transmit),
        }
        let is_login = matches!(transmit.kind, TransmitKind::Login | TransmitKind::Password);
        self.require(!is_login || !self.is_in, "a line of the login behind it", transmit);
        self.require(self.pings_due == 0, "a line in front of the answer to a ping", transmit);
        let is_secret = self.password.as_ref() == Some(&text) || command_of(&text).starts_with("password ");
        self.require(
            is_secret == transmit.kind.is_secret(),
            "a secret that is not marked so, or marked and none",
            transmit,
        );
        if is_command(transmit.kind) && command_of(&text) == text {
            self.require(!self.is_busy(now), "a line that the server may leave for later", transmit);
            self.busy_until = Some(now + LINE_GAP);
        }
        self.n_level_lines += usize::from(is_level_line(&text));
        self.is_greeted = true;
        self.heard.clear();
    }

    /// Whether the server has said nothing to the last command. What a board in another style calls for goes out in front of the
    /// board's own prompt.
    fn is_busy(&self, now: Instant) -> bool {
        self.heard.is_empty() && !self.is_other_style && self.busy_until.is_some_and(|until| now < until)
    }

    /// The text of a line, which must be one.
    fn text_of(&mut self, transmit: &Transmit) -> String {
        let bytes = transmit.bytes();
        let is_one = bytes.iter().position(|&byte| byte == b'\n') == Some(bytes.len().wrapping_sub(1));
        self.require(is_one && bytes.len() <= 2000, "not one line", transmit);
        let text = match unseal(bytes) {
            Some(unsealed) if self.timeseal != TimesealChoice::Off => unsealed.text,
            _ => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        };
        let is_plain = text.iter().all(|byte| (b' '..=b'~').contains(byte));
        self.require(is_plain || transmit.kind == TransmitKind::PingAnswer, "not printable", transmit);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The session sends a command that nobody asked for. Set-up ends when it is ready; then only signs of life are left, and what
    /// boards in another style call for.
    pub fn added(&mut self, line: &str, is_ready: bool) {
        let command = command_of(line);
        let bare = command.trim_start_matches("$$");
        let is_fence = bare.len() == 10 && bare.starts_with("zq") && bare.bytes().all(|byte| byte.is_ascii_lowercase());
        let of_icc = ICC_SET_UP.iter().filter(|_| self.family == Family::Icc);
        let is_set_up = SET_UP.iter().chain(of_icc).any(|head| command.starts_with(head));
        if is_fence && self.fences.iter().any(|fence| fence == bare) {
            self.problems.push(format!("a fence is used twice: {line}"));
        }
        if is_fence {
            self.fences.push(bare.to_owned());
        } else if command == "stored" && self.password.is_some() && self.n_listings == 0 {
            self.n_listings += 1;
        } else if !(bare == "date" || is_set_up && !is_ready || self.repairs(command)) {
            self.problems.push(format!("a command that nobody asked for: {line}"));
        }
    }

    /// Whether it asks for boards in our style, and they came in another.
    fn repairs(&mut self, command: &str) -> bool {
        let was_other_style = self.is_other_style;
        self.is_other_style &= command != REPAIR[1];
        was_other_style && REPAIR.contains(&command)
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

/// Whether it is a board in a style other than 12, or what stands above it.
fn is_other_board(line: &str) -> bool {
    let line = line.trim_end();
    let is_heading = line.starts_with("Game ") && line.contains(" vs. ") && line.ends_with(')');
    is_heading || line.starts_with("#@#") || line.starts_with("<10>")
}

/// Whether it tells ICC in front of the name what to send.
pub(super) fn is_level_line(line: &str) -> bool {
    line.starts_with("level1=") || line.starts_with("level2settings=")
}

/// The command of a line, without its number in block mode, or its tag on ICC.
fn command_of(line: &str) -> &str {
    if let Some((_, command)) = line.strip_prefix('`').and_then(|line| line.split_once('`')) {
        return command;
    }
    match line.split_once(' ') {
        Some((number, command)) if number.parse::<u8>().is_ok() => command,
        _ => line,
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
