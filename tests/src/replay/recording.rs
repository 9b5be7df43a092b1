//! A recorded session as steps: what the server said, and the lines that its client typed, each with the role it had.

use std::time::Duration;

use kibitzer::transcript::{Direction, Record};
use kibitzer_core::session::{Credentials, Password};
use kibitzer_core::wire::{Timeseal, unseal};

use crate::Transcript;

/// The password of an account whose recorded client typed none that could be one.
const NO_PASSWORD: &str = "unknown";

/// One attempt to log in, and all that followed it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The name of the transcript; behind it `#` and a number for every attempt but the first.
    pub name: String,
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// What the recorded client spoke.
    pub timeseal: Timeseal,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When, from the start of the connection.
    pub at: Duration,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one of two ends does something")]
pub enum What {
    /// The server said this.
    Received(Vec<u8>),
    /// The client typed this line: without its end, telnet commands and seal.
    Typed(Role, Vec<u8>),
}

/// What a line is that a client typed, by what the server had asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the steps of a login, and what is behind it")]
pub enum Role {
    /// Ivars, in front of the name.
    LoginString,
    /// A name, at `login: `.
    Name,
    /// A password, at `password: `.
    Password,
    /// A guest's return.
    Return,
    /// Anything later.
    Command,
}

impl Recording {
    /// Every attempt to log in of every transcript, except for those whose login lines are redacted.
    pub fn all() -> Vec<Self> {
        let is_redacted = |transcript: &Transcript| transcript.sent.starts_with(b"[redacted]");
        Transcript::all().iter().filter(|transcript| !is_redacted(transcript)).flat_map(Self::of).collect()
    }

    /// The attempt of that name.
    pub fn named(name: &str) -> Self {
        let transcript = Transcript::named(name.split('#').next().expect("a name has a first part"));
        Self::of(&transcript).into_iter().find(|recording| recording.name == name).expect("there is such an attempt")
    }

    /// The attempts of a transcript. Each has what came in front of the first, which is the banner.
    pub fn of(transcript: &Transcript) -> Vec<Self> {
        let steps = steps(transcript);
        let is_attempt = |step: &Step| matches!(step.what, What::Typed(Role::Name, _));
        let starts: Vec<usize> = (0..steps.len()).filter(|&at| steps.get(at).is_some_and(is_attempt)).collect();
        let (timeseal, first) = (transcript.timeseal(), starts.first().copied().unwrap_or(steps.len()));
        let mut recordings = vec![Self { name: transcript.name.clone(), steps: steps.clone(), timeseal }];
        for (number, &start) in (2..).zip(starts.iter().skip(1)) {
            let steps = steps.iter().take(first).chain(steps.iter().skip(start)).cloned().collect();
            recordings.push(Self { name: format!("{}#{number}", transcript.name), steps, timeseal });
        }
        recordings
    }

    /// The lines of a role.
    pub fn typed(&self, wanted: Role) -> impl Iterator<Item = &[u8]> {
        self.steps.iter().filter_map(move |step| match &step.what {
            What::Typed(role, line) if *role == wanted => Some(line.as_slice()),
            _ => None,
        })
    }

    /// Who logs in: the first name, and what was typed for its password. A client that typed no name a program would is a guest.
    pub fn credentials(&self) -> Credentials {
        let login: Vec<_> = self
            .steps
            .iter()
            .filter_map(|step| match &step.what {
                What::Typed(role, line) => Some((*role, String::from_utf8_lossy(line))),
                What::Received(_) => None,
            })
            .filter(|(role, _)| *role != Role::LoginString)
            .take(2)
            .collect();
        let Some((Role::Name, name)) = login.first() else { return Credentials::Guest };
        let Ok(handle) = name.parse() else { return Credentials::Guest };
        match login.get(1) {
            Some((Role::Password, password)) => {
                let password = Password::new(password.as_ref()).or_else(|_| Password::new(NO_PASSWORD));
                Credentials::Account { handle, password: password.expect("one of them is a password") }
            }
            _ if ["guest", "g"].contains(&name.as_ref()) => Credentials::Guest,
            _ => Credentials::NamedGuest(handle),
        }
    }

    /// The password that must not be shown.
    pub fn password(&self) -> Option<String> {
        let Credentials::Account { .. } = self.credentials() else { return None };
        let typed = self.typed(Role::Password).next().filter(|password| !password.is_empty());
        Some(typed.map_or(NO_PASSWORD.to_owned(), |typed| String::from_utf8_lossy(typed).into_owned()))
    }

    /// Whether the recorded client had switched block mode on before it logged in.
    pub fn is_in_blocks(&self) -> bool {
        self.typed(Role::LoginString).any(|string| string.get(8) == Some(&b'1'))
    }

    /// Whether it was recorded from FatICS, and not from uhlin/fics.
    pub fn is_fatics(&self) -> bool {
        self.name.starts_with("fatics-")
    }
}

fn steps(transcript: &Transcript) -> Vec<Step> {
    let start = transcript.records.first().map_or(Duration::ZERO, |record| record.time);
    let mut typist = Typist::default();
    let mut steps = Vec::new();
    for Record { time, direction, bytes, .. } in &transcript.records {
        let at = time.saturating_sub(start);
        match direction {
            Direction::Received if bytes.is_empty() => {}
            Direction::Received => {
                typist.hear(bytes);
                steps.push(Step { at, what: What::Received(bytes.clone()) });
            }
            Direction::Sent => {
                let lines = typist.type_out(bytes);
                steps.extend(lines.into_iter().map(|(role, line)| Step { at, what: What::Typed(role, line) }));
            }
        }
    }
    steps
}

/// Reads what a client typed in the light of what the server had said before.
#[derive(Debug, Default)]
struct Typist {
    /// What the server said since the last line.
    heard: Vec<u8>,
    /// The start of a line.
    line: Vec<u8>,
    is_in: bool,
}

impl Typist {
    fn hear(&mut self, bytes: &[u8]) {
        self.heard.extend(bytes);
    }

    fn type_out(&mut self, bytes: &[u8]) -> Vec<(Role, Vec<u8>)> {
        let mut lines = Vec::new();
        self.line.extend(bytes);
        while let Some(end) = self.line.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            if let Some(line) = plain(&line) {
                lines.push((self.role(&line), line));
            }
        }
        lines
    }

    fn role(&mut self, line: &[u8]) -> Role {
        let heard = super::audit::readable(&std::mem::take(&mut self.heard));
        let is_asked_for = |prompt: &str| heard.split('\n').any(|line| line.starts_with(prompt));
        let role = if self.is_in {
            Role::Command
        } else if is_asked_for("password: ") {
            Role::Password
        } else if is_asked_for("Press return to enter") {
            Role::Return
        } else if !is_asked_for("login: ") {
            Role::Command
        } else if line.starts_with(b"%") {
            Role::LoginString
        } else {
            Role::Name
        };
        self.is_in |= role == Role::Command;
        role
    }
}

/// Returns the text of a sent line, unsealed if it is sealed; `None` for the hello and the ping answers of timeseal.
fn plain(line: &[u8]) -> Option<Vec<u8>> {
    if let Some(sealed) = unseal(line) {
        return (sealed.hello_version().is_none() && !sealed.is_ping_answer()).then_some(sealed.text);
    }
    let line: Vec<u8> = without_telnet(line).into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r' | 0)).collect();
    // Zipseal only adds the time.
    let Some(end) = line.iter().position(|&byte| byte == 0x18) else { return Some(line) };
    let text = line.get(..end).unwrap_or_default();
    (!text.starts_with(b"ZIPSEAL") && text != b"\x029").then(|| text.to_vec())
}

fn without_telnet(line: &[u8]) -> Vec<u8> {
    let mut left = Vec::new();
    let mut rest = line;
    while let [byte, later @ ..] = rest {
        rest = match (byte, later) {
            // Erases the line so far.
            (0xFF, [0xF8, later @ ..]) => {
                left.clear();
                later
            }
            (0xFF, [0xFB..=0xFE, _, later @ ..] | [_, later @ ..]) => later,
            _ => {
                left.push(*byte);
                later
            }
        };
    }
    left
}
