//! Checks of every line that a session sends, whatever the server sends.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use kibitzer_core::message::Family;
use kibitzer_core::session::{DriverAction, Session, TimesealChoice, Transmit, TransmitKind};
use kibitzer_core::text::encode_ascii;
use kibitzer_core::wire::unseal;

use super::play::is_command;

/// Time during which a session without block mode sends no further command if the server is silent.
const LINE_GAP: Duration = Duration::from_millis(250);

/// Prefixes of the commands of a set-up.
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

/// Additional prefixes on ICC.
const ICC_SET_UP: [&str; 4] = ["set prompt 0", "set wrap 0", "set height 0", "set-2 "];

/// Commands that are sent after a board in another style.
const REPAIR: [&str; 2] = ["set style 12", "refresh"];

/// Checks the lines that a session sends against the output of the server, which it interprets independently. Records every
/// violation.
#[derive(Clone, Debug)]
pub struct Audit {
    password: Option<String>,
    timeseal: TimesealChoice,
    family: Family,
    /// Bytes received on this connection since the session's last line.
    heard: Vec<u8>,
    /// The unfinished line of the server.
    line: Vec<u8>,
    /// Whether a board in another style was received, and no board has been requested since.
    is_other_style: bool,
    /// End of the time during which no further command may be sent.
    busy_until: Option<Instant>,
    /// Number of sent lines that set ICC's levels.
    n_level_lines: usize,
    is_greeted: bool,
    n_passwords: usize,
    is_in: bool,
    /// Number of requests for the list of adjourned games.
    n_listings: usize,
    pings_due: usize,
    fences: Vec<String>,
    /// Violations found so far.
    pub problems: Vec<String>,
}

impl Audit {
    /// Creates an audit of a session with this password, version of timeseal and family.
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

    /// Records that a new connection was opened.
    pub fn connected(&mut self) {
        let problems = std::mem::take(&mut self.problems);
        *self = Self { problems, ..Self::new(self.password.take(), self.timeseal, self.family) };
    }

    /// Records received bytes.
    pub fn heard(&mut self, bytes: &[u8]) {
        self.heard.extend(bytes);
        for &byte in bytes {
            self.line.push(byte);
            if byte == b'\n' {
                self.is_other_style |= is_other_board(&readable(&std::mem::take(&mut self.line)));
            }
        }
    }

    /// Records that the session received a ping.
    pub const fn pinged(&mut self) {
        self.pings_due += 1;
    }

    /// Records that the session reported its login.
    pub const fn logged_in(&mut self) {
        self.is_in = true;
    }

    /// Checks and records a line that the session sends.
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
                // The wording of ICC's prompt is not known, so silence is accepted, too.
                let is_asked = heard.contains("Press return to enter") || self.family == Family::Icc;
                self.require(is_asked, "a return that was not asked for", transmit);
            }
            // Both lines are sent at once.
            TransmitKind::Login if is_level_line(&text) && self.n_level_lines == 1 => {}
            TransmitKind::Login => self.require(asked == "login: ", "a name that was not asked for", transmit),
            _ => self.require(self.is_greeted, "a command before the login", transmit),
        }
        let is_login = matches!(transmit.kind, TransmitKind::Login | TransmitKind::Password);
        self.require(!is_login || !self.is_in, "a line of the login after it", transmit);
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

    /// Returns whether the session has to wait for output after the last command. Commands after a board in another style need
    /// not wait for the prompt.
    fn is_busy(&self, now: Instant) -> bool {
        self.heard.is_empty() && !self.is_other_style && self.busy_until.is_some_and(|until| now < until)
    }

    /// Returns the text of a line, unsealed; checks that it is one printable line.
    fn text_of(&mut self, transmit: &Transmit) -> String {
        let bytes = transmit.bytes();
        let is_one = bytes.iter().position(|&byte| byte == b'\n') == Some(bytes.len().wrapping_sub(1));
        self.require(is_one && bytes.len() <= 2000, "not one line", transmit);
        let text = match unseal(bytes) {
            Some(unsealed) if self.timeseal != TimesealChoice::Off => unsealed.text,
            _ => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        };
        // A server that greets in UTF-8 is sent characters in place of entities.
        let is_plain = std::str::from_utf8(&text).is_ok_and(|text| !text.contains(char::is_control));
        self.require(is_plain || transmit.kind == TransmitKind::PingAnswer, "not printable", transmit);
        let text = String::from_utf8_lossy(&text);
        if transmit.kind == TransmitKind::Command { encode_ascii(&text) } else { text }.into_owned()
    }

    /// Checks a command that was not requested: set-up until the session is ready; later only fences, keep-alives and commands
    /// after a board in another style.
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

    /// Returns whether the command restores style 12 after a board in another style.
    fn repairs(&mut self, command: &str) -> bool {
        let was_other_style = self.is_other_style;
        self.is_other_style &= command != REPAIR[1];
        was_other_style && REPAIR.contains(&command)
    }

    /// Checks that no ping is unanswered, once the session has nothing to send.
    pub fn drained(&mut self) {
        if self.pings_due > 0 {
            self.problems.push(format!("{} pings were not answered at once", self.pings_due));
            self.pings_due = 0;
        }
    }

    /// Checks that the debug output of a value does not contain the password.
    pub fn check_hidden(&mut self, what: &impl Debug) {
        let Some(password) = &self.password else { return };
        let shown = format!("{what:?}");
        let as_numbers = format!("{:?}", password.as_bytes());
        let as_numbers = as_numbers.trim_matches(['[', ']']);
        if shown.contains(password.as_str()) || shown.contains(as_numbers) {
            self.problems.push(format!("a secret is shown: {}", shown.chars().take(2000).collect::<String>()));
        }
    }

    /// Records a violation unless the condition holds.
    fn require(&mut self, holds: bool, what: &str, transmit: &Transmit) {
        if !holds {
            let tail = readable(&self.heard);
            let tail: String = tail.chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
            self.problems.push(format!("{what}: {transmit:?} behind {tail:?}"));
        }
    }
}

/// Returns whether a line is a board in another style than 12, or the heading of one.
fn is_other_board(line: &str) -> bool {
    let line = line.trim_end();
    let is_heading = line.starts_with("Game ") && line.contains(" vs. ") && line.ends_with(')');
    is_heading || line.starts_with("#@#") || line.starts_with("<10>")
}

/// Returns whether a line sets ICC's levels, which is sent before the name.
pub(super) fn is_level_line(line: &str) -> bool {
    line.starts_with("level1=") || line.starts_with("level2settings=")
}

/// Returns the command in a line, without the number of block mode or the tag of ICC.
fn command_of(line: &str) -> &str {
    if let Some((_, command)) = line.strip_prefix('`').and_then(|line| line.split_once('`')) {
        return command;
    }
    match line.split_once(' ') {
        Some((number, command)) if number.parse::<u8>().is_ok() => command,
        _ => line,
    }
}

/// Returns received bytes as text, without telnet commands, carriage returns, NUL and bells.
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
