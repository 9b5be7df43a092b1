//! Plays one recording to one session, with a virtual clock that advances to the next step or timeout.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, RequestId, SessionEndReason};
use kibitzer_core::message::{Control, Message};
use kibitzer_core::session::{Command, DriverAction, Session, TimesealChoice, Transmit, TransmitKind};
use kibitzer_core::text::encode_ascii;
use kibitzer_core::wire::unseal;

use super::audit::{is_level_line, readable};
use super::play::{end, is_command};
use super::{Audit, LineRole, Mode, Play, PlayResult, Sent, StandIn, Step, StepKind};

/// Length of a silence in the recording during which a reply of the stand-in may be inserted.
const GAP: Duration = Duration::from_secs(3);

/// Maximum number of turns; no recording needs as many.
const MANY_TURNS: usize = 20_000;

/// State of a play.
pub(super) struct Player<'a> {
    play: &'a Play<'a>,
    steps: &'a [Step],
    session: Session,
    audit: Audit,
    stand_in: StandIn,
    zero: Instant,
    now: Instant,
    /// Virtual time at which the current connection's recording starts.
    start: Instant,
    /// Index of the next step.
    next: usize,
    /// The recorded line for which the session has not sent its counterpart yet.
    awaited: Option<Awaited>,
    /// Login lines that the session sent before their recorded step.
    early: VecDeque<LineRole>,
    /// Replies of the stand-in that wait to be inserted between two recorded outputs.
    pending_replies: VecDeque<String>,
    /// Whether output was received since the last recorded command was sent; `None` if no command waits for output.
    command: Option<bool>,
    /// The last received bytes of this connection.
    tail: Vec<u8>,
    is_in_block: bool,
    /// Numbers of commands in block mode: recorded number to the session's number.
    numbers: HashMap<u64, u64>,
    requests: HashMap<RequestId, String>,
    played: PlayResult,
}

#[derive(Debug)]
enum Awaited {
    Login(LineRole),
    /// The session has to become ready before the command can be requested.
    Ready(Command, Option<u64>),
    /// The command was requested, but not sent yet.
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
            pending_replies: VecDeque::new(),
            command: None,
            tail: Vec::new(),
            is_in_block: false,
            numbers: HashMap::new(),
            requests: HashMap::new(),
            played: PlayResult::default(),
        }
    }

    pub(super) fn run(mut self) -> PlayResult {
        self.drain();
        let mut turns = 0..MANY_TURNS;
        loop {
            assert!(turns.next().is_some(), "{}: the session comes to no end", self.play.recording.name);
            match self.session.next_action() {
                DriverAction::Dial { .. } => self.connect(),
                DriverAction::Keep => self.advance(),
                DriverAction::Wait => self.wait(),
                DriverAction::Close => self.close(),
                DriverAction::End(reason) => return self.finish(&reason),
            }
        }
    }

    fn finish(mut self, reason: &SessionEndReason) -> PlayResult {
        // Nothing may be sent any more, whatever happens.
        let over = self.now + Duration::from_hours(24);
        self.session.handle_timeout(over);
        self.session.handle_close(CloseCause::Closed, over);
        assert_eq!(self.session.poll_timeout(), None);
        self.now = over;
        self.drain();
        self.audit.check_hidden(&self.session);
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
        self.pending_replies.clear();
        self.tail.clear();
        self.session.handle_dial_outcome(Ok(()), self.now);
        self.drain();
    }

    fn close(&mut self) {
        self.session.handle_close(CloseCause::Closed, self.now);
        self.drain();
    }

    /// Advances the clock to the session's next timeout and handles it.
    fn wait(&mut self) {
        self.now = self.now.max(self.session.poll_timeout().expect("a session that waits says how long"));
        self.session.handle_timeout(self.now);
        self.drain();
    }

    /// Performs the next action on a connection: a reply of the stand-in, a recorded step, or a timeout.
    fn advance(&mut self) {
        if self.may_insert_reply() {
            let answer = self.pending_replies.pop_front().unwrap_or_default();
            if self.pending_replies.is_empty() {
                self.command = None;
            }
            return self.receive(answer.as_bytes());
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

    /// Returns whether a reply of the stand-in may be inserted now: not inside a reply, and after the reply to the recorded
    /// command.
    fn may_insert_reply(&self) -> bool {
        if self.pending_replies.is_empty() {
            return false;
        }
        let is_answered = match self.steps.get(self.next) {
            None => self.is_at_prompt(),
            // Not all output of a server is followed by a prompt.
            Some(Step { kind: StepKind::Typed(..), .. }) => {
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
        match &step.kind {
            StepKind::Received(bytes) if self.play.mode == Mode::Acting && self.play.recording.is_in_blocks() => {
                let bytes = self.renumbered(bytes);
                self.receive(&bytes);
            }
            StepKind::Received(bytes) => self.receive(bytes),
            StepKind::Typed(..) if self.play.mode == Mode::Alone => {}
            StepKind::Typed(LineRole::Command, line) if self.play.mode == Mode::Acting => self.request_recorded(line),
            StepKind::Typed(LineRole::Command, line) => {
                let line = String::from_utf8_lossy(line);
                if line.starts_with("set prompt") {
                    self.stand_in.note_recorded_line(&line);
                }
            }
            StepKind::Typed(role, line) => {
                if *role == LineRole::LoginString {
                    self.stand_in.note_recorded_line(&String::from_utf8_lossy(line));
                }
                self.awaited = Some(Awaited::Login(*role));
                self.look_for_login();
            }
        }
    }

    /// Requests the command that the recorded client sent, or skips a line that cannot be requested.
    fn request_recorded(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let (number, text) = match text.split_once(' ').map(|(number, text)| (number.parse::<u64>().ok(), text)) {
            Some((Some(number), text)) if self.stand_in.is_in_blocks() => (Some(number), text),
            _ => (None, text.as_ref()),
        };
        let is_numbered = number.is_some() == self.stand_in.is_in_blocks();
        let is_line = !text.trim().is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        match Command::new(text) {
            // The server uses the number 0 for lines without a number.
            Ok(command) if is_line && is_numbered && number != Some(0) => {
                self.awaited = Some(Awaited::Ready(command, number));
                self.request_when_ready();
            }
            _ => self.played.n_skipped += 1,
        }
    }

    /// Requests the waiting command if the session is ready.
    fn request_when_ready(&mut self) {
        if let Some(Awaited::Ready(command, number)) = &self.awaited
            && self.session.state().accepts_requests()
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
        if role == early || role == LineRole::LoginString {
            self.early.pop_front();
            self.on_awaited_line_sent();
        }
    }

    /// Records that the session has sent the awaited line, and delays the later steps by the same time.
    fn on_awaited_line_sent(&mut self) {
        self.awaited = None;
        if let Some(step) = self.next.checked_sub(1).and_then(|at| self.steps.get(at)) {
            self.start = self.start.max(self.now.checked_sub(step.at).unwrap_or(self.start));
        }
    }

    /// Passes received bytes to the session.
    fn receive(&mut self, bytes: &[u8]) {
        self.command = self.command.map(|_| true);
        self.tail.extend(bytes);
        self.tail.drain(..self.tail.len().saturating_sub(200));
        for &byte in bytes {
            self.is_in_block = byte == 0x15 || self.is_in_block && byte != 0x17;
        }
        for mut piece in bytes.chunks(self.play.piece) {
            self.audit.heard(piece);
            while let Some(event) = self.session.receive(&mut piece, self.now) {
                self.on_event(event);
            }
            assert!(piece.is_empty(), "{}: bytes are left", self.play.recording.name);
            self.drain();
        }
    }

    fn drain(&mut self) {
        if !self.played.is_ready && self.play.piece == usize::MAX {
            self.audit.check_hidden(&self.session);
        }
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.audit.sent(&transmit, &self.session, self.now);
            self.audit.check_hidden(&transmit);
            self.on_transmit(&transmit);
        }
        self.audit.drained();
        while let Some((id, result)) = self.session.poll_reply() {
            let command = self.requests.remove(&id).expect("a reply is one to a request, and the only one");
            self.played.replies.push((command, result));
        }
        while let Some(event) = self.session.poll_event() {
            self.on_event(event);
        }
        self.request_when_ready();
    }

    /// Records an event, and passes it to the audit.
    fn on_event(&mut self, event: Event) {
        match &event {
            Event::LoggedIn(identity) => {
                self.audit.logged_in();
                self.played.name = Some(identity.handle.as_ref().map_or("?".to_owned(), ToString::to_string));
            }
            Event::SessionReady(_) => self.played.is_ready = true,
            event if event.message() == Some(&Message::Control(Control::Ping)) => self.audit.pinged(),
            Event::Sent { .. } => self.audit.check_hidden(&event),
            _ => {}
        }
        self.played.events.push(event);
    }

    /// Records a line of the session, and queues the reply of the stand-in if the line was not recorded.
    fn on_transmit(&mut self, transmit: &Transmit) {
        let bytes = transmit.bytes();
        let text = match unseal(bytes) {
            Some(unsealed) if self.play.timeseal != TimesealChoice::Off => unsealed.text,
            _ => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        };
        // Commands have entities; a server that greets in UTF-8 is sent the characters.
        let text = String::from_utf8_lossy(&text);
        let text = if transmit.kind == TransmitKind::Command { encode_ascii(&text) } else { text }.into_owned();
        let is_recorded = match transmit.kind {
            TransmitKind::Password => self.sent_login(LineRole::Password),
            TransmitKind::Login if is_level_line(&text) => false,
            TransmitKind::Login if text.is_empty() => self.sent_login(LineRole::Return),
            TransmitKind::Login if !text.starts_with('%') => self.sent_login(LineRole::Name),
            TransmitKind::Login if self.next_role() == Some(LineRole::LoginString) => {
                self.sent_login(LineRole::LoginString)
            }
            TransmitKind::Login => false,
            kind if is_command(kind) => self.sent_command(&text),
            _ => true,
        };
        // Commands that the server dropped are sent again.
        let is_repeated = self.requests.values().any(|command| *command == text);
        if !is_recorded && !is_repeated && is_command(transmit.kind) {
            self.audit.added(&text, self.played.is_ready);
        }
        if !is_recorded && self.play.mode != Mode::Alone {
            let answer = self.stand_in.reply_to(transmit.kind, &text);
            self.pending_replies.push_back(answer);
        }
        let at = self.now.duration_since(self.zero);
        self.played.sent.push(Sent { at, kind: transmit.kind, text, is_recorded });
    }

    fn sent_login(&mut self, role: LineRole) -> bool {
        self.early.push_back(role);
        self.look_for_login();
        true
    }

    /// Returns the role of the recorded client's next line, which may be the awaited one.
    fn next_role(&self) -> Option<LineRole> {
        if let Some(Awaited::Login(role)) = self.awaited {
            return Some(role);
        }
        self.steps.iter().skip(self.next).find_map(|step| match step.kind {
            StepKind::Typed(role, _) => Some(role),
            StepKind::Received(_) => None,
        })
    }

    fn sent_command(&mut self, line: &str) -> bool {
        let Some(Awaited::Line(command, recorded)) = &self.awaited else { return false };
        let Some(number) = line.strip_suffix(command.as_str()) else { return false };
        if let (Some(recorded), Ok(number)) = (recorded, number.trim_end().parse()) {
            self.numbers.insert(*recorded, number);
        }
        self.stand_in.note_recorded_line(line);
        self.command = Some(false);
        self.on_awaited_line_sent();
        true
    }

    /// Returns the bytes with the session's numbers of commands in the marks of blocks.
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
