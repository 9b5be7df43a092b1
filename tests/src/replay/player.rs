//! One recorded session and one session machine, under a clock that jumps from one thing that happens to the next.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, RequestId, SessionEndReason};
use kibitzer_core::message::{Control, Message};
use kibitzer_core::session::{Command, DriverAction, Session, SessionState, TimesealChoice, Transmit, TransmitKind};
use kibitzer_core::wire::unseal;

use super::audit::{is_level_line, readable};
use super::play::{end, is_command};
use super::{Audit, Mode, Play, Played, Role, Sent, StandIn, Step, What};

/// A silence of the recording in which an answer to a fence is in time.
const GAP: Duration = Duration::from_secs(3);

/// More turns than any play takes.
const MANY_TURNS: usize = 20_000;

/// A play that goes on.
pub(super) struct Player<'a> {
    play: &'a Play<'a>,
    steps: &'a [Step],
    session: Session,
    audit: Audit,
    stand_in: StandIn,
    zero: Instant,
    now: Instant,
    /// When the recording would have begun.
    start: Instant,
    /// The next step.
    next: usize,
    /// What the machine has not sent yet, and the recorded client had.
    awaited: Option<Awaited>,
    /// Lines of the login that were sent in front of the step that stands for them.
    early: VecDeque<Role>,
    /// Answers of the stand-in that wait for a place between two things the server said.
    owed: VecDeque<String>,
    /// Whether a recorded command was sent, and whether anything was heard since.
    command: Option<bool>,
    /// The end of what the server said, on this connection.
    tail: Vec<u8>,
    is_in_block: bool,
    /// Recorded numbers of commands in block mode, and those of the machine.
    numbers: HashMap<u64, u64>,
    requests: HashMap<RequestId, String>,
    played: Played,
}

#[derive(Debug)]
enum Awaited {
    Login(Role),
    /// The command cannot be asked for yet.
    Ready(Command, Option<u64>),
    /// It was asked for.
    Line(Command, Option<u64>),
}

impl<'a> Player<'a> {
    pub(super) fn new(play: &'a Play<'a>) -> Self {
        let zero = Instant::now();
        let recording = play.recording;
        Self {
            play,
            steps: &recording.steps,
            session: Session::new(play.options(), zero),
            audit: Audit::new(recording.password(), play.timeseal, play.family),
            stand_in: StandIn::new(recording.is_fatics()),
            zero,
            now: zero,
            start: zero,
            next: 0,
            awaited: None,
            early: VecDeque::new(),
            owed: VecDeque::new(),
            command: None,
            tail: Vec::new(),
            is_in_block: false,
            numbers: HashMap::new(),
            requests: HashMap::new(),
            played: Played::default(),
        }
    }

    pub(super) fn run(mut self) -> Played {
        self.drain();
        let mut turns = 0..MANY_TURNS;
        loop {
            assert!(turns.next().is_some(), "{}: the session comes to no end", self.play.recording.name);
            match self.session.next_action() {
                DriverAction::Dial { .. } => self.connect(),
                DriverAction::Keep => self.go_on(),
                DriverAction::Wait => self.wait(),
                DriverAction::Close => self.close(),
                DriverAction::End(reason) => return self.finish(&reason),
            }
        }
    }

    fn finish(mut self, reason: &SessionEndReason) -> Played {
        // Whatever happens now: nothing is sent any more.
        let over = self.now + Duration::from_hours(24);
        self.session.handle_timeout(over);
        self.session.handle_close(CloseCause::Closed, over);
        assert_eq!(self.session.poll_timeout(), None);
        self.now = over;
        self.drain();
        self.audit.shown(&self.session);
        assert!(self.requests.is_empty(), "{}: no end of {:?}", self.play.recording.name, self.requests);
        self.played.end = end(reason);
        self.played.problems = std::mem::take(&mut self.audit.problems);
        self.played
    }

    fn connect(&mut self) {
        self.audit.connected();
        self.stand_in = StandIn::new(self.play.recording.is_fatics());
        (self.start, self.next) = (self.now, 0);
        (self.awaited, self.command, self.is_in_block) = (None, None, false);
        self.early.clear();
        self.owed.clear();
        self.tail.clear();
        self.session.handle_dial_outcome(Ok(()), self.now);
        self.drain();
    }

    fn close(&mut self) {
        self.session.handle_close(CloseCause::Closed, self.now);
        self.drain();
    }

    /// Lets the session have its time-out.
    fn wait(&mut self) {
        self.now = self.now.max(self.session.poll_timeout().expect("a session that waits says how long"));
        self.session.handle_timeout(self.now);
        self.drain();
    }

    /// Does what comes next on a connection.
    fn go_on(&mut self) {
        if self.may_answer() {
            let answer = self.owed.pop_front().unwrap_or_default();
            if self.owed.is_empty() {
                self.command = None;
            }
            return self.hear(answer.as_bytes());
        }
        let step = self.steps.get(self.next);
        let at = step.map_or(self.now, |step| self.start + step.at).max(self.now);
        let is_due = self.session.poll_timeout().is_none_or(|due| at <= due);
        match step {
            _ if self.awaited.is_some() || !is_due => self.wait(),
            None => self.close(),
            Some(step) => {
                (self.now, self.next) = (at, self.next + 1);
                self.take(step);
            }
        }
    }

    /// Whether the stand-in may speak now: not in the middle of anything, and behind the answer to what was typed before.
    fn may_answer(&self) -> bool {
        if self.owed.is_empty() {
            return false;
        }
        let is_answered = match self.steps.get(self.next) {
            None => self.is_at_prompt(),
            // Some things a server says have no prompt behind them.
            Some(Step { what: What::Typed(..), .. }) => {
                self.command != Some(false)
                    && (self.is_at_prompt() || self.tail.ends_with(b"\r") || self.tail.ends_with(b"\n"))
            }
            Some(step) => self.is_at_prompt() && (self.command.is_none() || self.start + step.at > self.now + GAP),
        };
        self.awaited.is_some() || is_answered && !self.is_in_block
    }

    fn is_at_prompt(&self) -> bool {
        let tail = readable(&self.tail);
        let tail = tail.trim_end_matches("[G]");
        ["fics% ", "login: ", self.stand_in.prompt()].iter().any(|prompt| tail.ends_with(prompt))
    }

    fn take(&mut self, step: &Step) {
        match &step.what {
            What::Received(bytes) if self.play.mode == Mode::Acting && self.play.recording.is_in_blocks() => {
                let bytes = self.renumbered(bytes);
                self.hear(&bytes);
            }
            What::Received(bytes) => self.hear(bytes),
            What::Typed(..) if self.play.mode == Mode::Alone => {}
            What::Typed(Role::Command, line) if self.play.mode == Mode::Acting => self.act(line),
            What::Typed(Role::Command, line) => {
                let line = String::from_utf8_lossy(line);
                if line.starts_with("set prompt") {
                    self.stand_in.overhear(&line);
                }
            }
            What::Typed(role, line) => {
                if *role == Role::LoginString {
                    self.stand_in.overhear(&String::from_utf8_lossy(line));
                }
                self.awaited = Some(Awaited::Login(*role));
                self.look_for_login();
            }
        }
    }

    /// Makes a request of what the recorded client typed.
    fn act(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let (number, text) = match text.split_once(' ').map(|(number, text)| (number.parse::<u64>().ok(), text)) {
            Some((Some(number), text)) if self.stand_in.is_in_blocks() => (Some(number), text),
            _ => (None, text.as_ref()),
        };
        let is_numbered = number.is_some() == self.stand_in.is_in_blocks();
        let is_line = !text.trim().is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        match Command::new(text) {
            // 0 is no number of anybody's: the server gives it to lines without one.
            Ok(command) if is_line && is_numbered && number != Some(0) => {
                self.awaited = Some(Awaited::Ready(command, number));
                self.ask();
            }
            _ => self.played.n_skipped += 1,
        }
    }

    /// Asks for the command that waits until it can be asked for.
    fn ask(&mut self) {
        if let Some(Awaited::Ready(command, number)) = &self.awaited
            && self.session.state() == SessionState::Ready
        {
            let (command, number) = (command.clone(), *number);
            let id = self.session.request(command.clone(), self.now).expect("the session is ready, and little waits");
            self.requests.insert(id, command.as_str().to_owned());
            self.awaited = Some(Awaited::Line(command, number));
            self.drain();
        }
    }

    fn look_for_login(&mut self) {
        let Some(Awaited::Login(role)) = self.awaited else { return };
        let Some(&early) = self.early.front() else { return };
        if role == early || role == Role::LoginString {
            self.early.pop_front();
            self.found();
        }
    }

    /// The machine has sent what the recorded client had: the rest comes as long after it as it did then.
    fn found(&mut self) {
        self.awaited = None;
        if let Some(step) = self.next.checked_sub(1).and_then(|at| self.steps.get(at)) {
            self.start = self.start.max(self.now.checked_sub(step.at).unwrap_or(self.start));
        }
    }

    /// The server says this.
    fn hear(&mut self, bytes: &[u8]) {
        self.command = self.command.map(|_| true);
        self.tail.extend(bytes);
        self.tail.drain(..self.tail.len().saturating_sub(200));
        for &byte in bytes {
            self.is_in_block = byte == 0x15 || self.is_in_block && byte != 0x17;
        }
        for mut piece in bytes.chunks(self.play.piece) {
            self.audit.heard(piece);
            while let Some(event) = self.session.receive(&mut piece, self.now) {
                self.tell(event);
            }
            assert!(piece.is_empty(), "{}: bytes are left", self.play.recording.name);
            self.drain();
        }
    }

    fn drain(&mut self) {
        if !self.played.is_ready && self.play.piece == usize::MAX {
            self.audit.shown(&self.session);
        }
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.audit.sent(&transmit, &self.session, self.now);
            self.audit.shown(&transmit);
            self.sent(&transmit);
        }
        self.audit.drained();
        while let Some((id, result)) = self.session.poll_reply() {
            let command = self.requests.remove(&id).expect("a reply is one to a request, and the only one");
            self.played.replies.push((command, result));
        }
        while let Some(event) = self.session.poll_event() {
            self.tell(event);
        }
        self.ask();
    }

    fn tell(&mut self, event: Event) {
        match &event {
            Event::LoggedIn(identity) => {
                self.audit.logged_in();
                self.played.name = Some(identity.handle.as_ref().map_or("?".to_owned(), ToString::to_string));
            }
            Event::Ready(_) => self.played.is_ready = true,
            event if event.message() == Some(&Message::Control(Control::Ping)) => self.audit.pinged(),
            Event::Sent { .. } => self.audit.shown(&event),
            _ => {}
        }
        self.played.events.push(event);
    }

    fn sent(&mut self, transmit: &Transmit) {
        let bytes = transmit.bytes();
        let text = match unseal(bytes) {
            Some(unsealed) if self.play.timeseal != TimesealChoice::Off => unsealed.text,
            _ => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_recorded = match transmit.kind {
            TransmitKind::Password => self.sent_login(Role::Password),
            TransmitKind::Login if is_level_line(&text) => false,
            TransmitKind::Login if text.is_empty() => self.sent_login(Role::Return),
            TransmitKind::Login if !text.starts_with('%') => self.sent_login(Role::Name),
            TransmitKind::Login if self.next_role() == Some(Role::LoginString) => self.sent_login(Role::LoginString),
            TransmitKind::Login => false,
            kind if is_command(kind) => self.sent_command(&text),
            _ => true,
        };
        // What the server dropped is said again.
        let is_repeated = self.requests.values().any(|command| *command == text);
        if !is_recorded && !is_repeated && is_command(transmit.kind) {
            self.audit.added(&text, self.played.is_ready);
        }
        if !is_recorded && self.play.mode != Mode::Alone {
            let answer = self.stand_in.answer(transmit.kind, &text);
            self.owed.push_back(answer);
        }
        let at = self.now.duration_since(self.zero);
        self.played.sent.push(Sent { at, kind: transmit.kind, text, is_recorded });
    }

    fn sent_login(&mut self, role: Role) -> bool {
        self.early.push_back(role);
        self.look_for_login();
        true
    }

    /// What the recorded client typed next, the line included that is awaited.
    fn next_role(&self) -> Option<Role> {
        if let Some(Awaited::Login(role)) = self.awaited {
            return Some(role);
        }
        self.steps.iter().skip(self.next).find_map(|step| match step.what {
            What::Typed(role, _) => Some(role),
            What::Received(_) => None,
        })
    }

    fn sent_command(&mut self, line: &str) -> bool {
        let Some(Awaited::Line(command, recorded)) = &self.awaited else { return false };
        let Some(number) = line.strip_suffix(command.as_str()) else { return false };
        if let (Some(recorded), Ok(number)) = (recorded, number.trim_end().parse()) {
            self.numbers.insert(*recorded, number);
        }
        self.stand_in.overhear(line);
        self.command = Some(false);
        self.found();
        true
    }

    /// The bytes with the numbers of blocks as the machine gave them.
    fn renumbered(&self, bytes: &[u8]) -> Vec<u8> {
        let mut parts = bytes.split(|&byte| byte == 0x15);
        let mut renumbered = parts.next().unwrap_or_default().to_vec();
        for part in parts {
            renumbered.push(0x15);
            let end = part.iter().position(|&byte| byte == 0x16).unwrap_or_default();
            let (number, rest) = part.split_at(end);
            let ours = std::str::from_utf8(number).ok().and_then(|number| self.numbers.get(&number.parse().ok()?));
            match ours {
                Some(ours) => renumbered.extend(ours.to_string().bytes()),
                None => renumbered.extend(number),
            }
            renumbered.extend(rest);
        }
        renumbered
    }
}
