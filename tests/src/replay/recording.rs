//! A recorded session as steps: received bytes, and the lines that the client sent, each with its role in the session.

use std::time::Duration;

use kibitzer::transcript::{Direction, Record};
use kibitzer_core::session::{Credentials, Password};
use kibitzer_core::wire::{Timeseal, unseal};

use crate::Transcript;

/// Password of an account whose recorded client sent no valid one.
const NO_PASSWORD: &str = "unknown";

/// One login attempt of a recorded session, with everything after it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the transcript, followed by `#` and a number for every attempt except the first.
    pub name: String,
    /// All steps, in order.
    pub steps: Vec<Step>,
    /// Version of timeseal of the recorded client.
    pub timeseal: Timeseal,
}

/// A step of a recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time since the start of the connection.
    pub at: Duration,
    /// Kind of step.
    pub kind: StepKind,
}

/// Kind of a recorded step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one of two ends does something")]
pub enum StepKind {
    /// The client received these bytes.
    Received(Vec<u8>),
    /// The client sent this line, here without line end, telnet commands and seal.
    Typed(LineRole, Vec<u8>),
}

/// Role of a line that the client sent, according to the server's prompt before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the steps of a login, and the phase after it")]
pub enum LineRole {
    /// The ivars, before the name.
    LoginString,
    /// A name, after `login: `.
    Name,
    /// A password, after `password: `.
    Password,
    /// The empty line of a guest.
    Return,
    /// Any later line.
    Command,
}

impl Recording {
    /// Returns the login attempts of all transcripts, except those whose login lines are redacted.
    pub fn all() -> Vec<Self> {
        let is_redacted = |transcript: &Transcript| transcript.sent.starts_with(b"[redacted]");
        Transcript::all().iter().filter(|transcript| !is_redacted(transcript)).flat_map(Self::of).collect()
    }

    /// Returns the attempt with this name.
    pub fn named(name: &str) -> Self {
        let transcript = Transcript::named(name.split('#').next().expect("a name has a first part"));
        Self::of(&transcript).into_iter().find(|recording| recording.name == name).expect("there is such an attempt")
    }

    /// Returns the login attempts of a transcript. Each begins with the steps before the first attempt, which is the banner.
    pub fn of(transcript: &Transcript) -> Vec<Self> {
        let steps = steps(transcript);
        let is_attempt = |step: &Step| matches!(step.kind, StepKind::Typed(LineRole::Name, _));
        let starts: Vec<usize> = (0..steps.len()).filter(|&at| steps.get(at).is_some_and(is_attempt)).collect();
        let (timeseal, first) = (transcript.timeseal(), starts.first().copied().unwrap_or(steps.len()));
        let mut recordings = vec![Self { name: transcript.name.clone(), steps: steps.clone(), timeseal }];
        for (number, &start) in (2..).zip(starts.iter().skip(1)) {
            let steps = steps.iter().take(first).chain(steps.iter().skip(start)).cloned().collect();
            recordings.push(Self { name: format!("{}#{number}", transcript.name), steps, timeseal });
        }
        recordings
    }

    /// Iterates over the lines with this role.
    pub fn typed(&self, wanted: LineRole) -> impl Iterator<Item = &[u8]> {
        self.steps.iter().filter_map(move |step| match &step.kind {
            StepKind::Typed(role, line) if *role == wanted => Some(line.as_slice()),
            _ => None,
        })
    }

    /// Returns the credentials of the recorded login: the first name, and its password. Without a valid name, those of a guest.
    pub fn credentials(&self) -> Credentials {
        let login: Vec<_> = self
            .steps
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::Typed(role, line) => Some((*role, String::from_utf8_lossy(line))),
                StepKind::Received(_) => None,
            })
            .filter(|(role, _)| *role != LineRole::LoginString)
            .take(2)
            .collect();
        let Some((LineRole::Name, name)) = login.first() else { return Credentials::Guest };
        let Ok(handle) = name.parse() else { return Credentials::Guest };
        match login.get(1) {
            Some((LineRole::Password, password)) => {
                let password = Password::new(password.as_ref()).or_else(|_| Password::new(NO_PASSWORD));
                Credentials::account(handle, password.expect("one of them is a password"))
            }
            _ if ["guest", "g"].contains(&name.as_ref()) => Credentials::Guest,
            _ => Credentials::NamedGuest(handle),
        }
    }

    /// Returns the password of an account, which must not be printed; `None` for a guest.
    pub fn password(&self) -> Option<String> {
        let Credentials::Account { .. } = self.credentials() else { return None };
        let typed = self.typed(LineRole::Password).next().filter(|password| !password.is_empty());
        Some(typed.map_or(NO_PASSWORD.to_owned(), |typed| String::from_utf8_lossy(typed).into_owned()))
    }

    /// Returns whether the recorded client enabled block mode before the login.
    pub fn is_in_blocks(&self) -> bool {
        self.typed(LineRole::LoginString).any(|string| string.get(8) == Some(&b'1'))
    }

    /// Returns whether the server was FatICS rather than uhlin/fics.
    pub fn is_fatics(&self) -> bool {
        self.name.starts_with("fatics-")
    }
}

fn steps(transcript: &Transcript) -> Vec<Step> {
    let start = transcript.records.first().map_or(Duration::ZERO, |record| record.time);
    let mut classifier = LineClassifier::default();
    let mut steps = Vec::new();
    for Record { time, direction, bytes, .. } in &transcript.records {
        let at = time.saturating_sub(start);
        match direction {
            Direction::Received if bytes.is_empty() => {}
            Direction::Received => {
                classifier.receive(bytes);
                steps.push(Step { at, kind: StepKind::Received(bytes.clone()) });
            }
            Direction::Sent => {
                let lines = classifier.classify_sent(bytes);
                steps.extend(lines.into_iter().map(|(role, line)| Step { at, kind: StepKind::Typed(role, line) }));
            }
        }
    }
    steps
}

/// Determines the roles of the client's lines from the server's output before them.
#[derive(Debug, Default)]
struct LineClassifier {
    /// Bytes received since the client's last line.
    heard: Vec<u8>,
    /// The unfinished line of the client.
    line: Vec<u8>,
    is_in: bool,
}

impl LineClassifier {
    fn receive(&mut self, bytes: &[u8]) {
        self.heard.extend(bytes);
    }

    fn classify_sent(&mut self, bytes: &[u8]) -> Vec<(LineRole, Vec<u8>)> {
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

    fn role(&mut self, line: &[u8]) -> LineRole {
        let heard = super::audit::readable(&std::mem::take(&mut self.heard));
        let is_asked_for = |prompt: &str| heard.split('\n').any(|line| line.starts_with(prompt));
        let role = if self.is_in {
            LineRole::Command
        } else if is_asked_for("password: ") {
            LineRole::Password
        } else if is_asked_for("Press return to enter") {
            LineRole::Return
        } else if !is_asked_for("login: ") {
            LineRole::Command
        } else if line.starts_with(b"%") {
            LineRole::LoginString
        } else {
            LineRole::Name
        };
        self.is_in |= role == LineRole::Command;
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
            // The command erases the line so far.
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
