//! A connection that is logged in: set-up, requests, signs of life.

mod liveness;
mod setup;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::event::{
    Capabilities, CloseCause, EndReason, Event, LoginError, LoginStep, Outcome, RequestError, RequestId, Restored,
    ServerFault,
};
use crate::game::Desync;
use crate::message::Ivar;
use crate::scan::find;
use crate::session::command::Command;
use crate::session::context::{Context, Fate, KEPT_EVENTS};
use crate::session::live::liveness::{Due, Liveness};
use crate::session::live::setup::{SetUp, learn_ivar};
use crate::session::login::Entrance;
use crate::session::machine::link::State;
use crate::session::options::credentials::{Credentials, Password};
use crate::session::options::{SessionOptions, after};
use crate::session::recovery::adjourned::{Adjourned, AdjournedGames};
use crate::session::recovery::memory::Memory;
use crate::session::recovery::restore::Restore;
use crate::session::recovery::resync::Resync;
use crate::session::recovery::style::{REPAIR, StyleWatch};
use crate::session::reply::Reply;
use crate::session::requests::sent::Owner;
use crate::session::requests::{Done, Mode, Requests, Sending};
use crate::session::secret::{Secret, SecretSource, hide_secrets};
use crate::text::{ServerText, encode};

/// Ends our idle time, as every command does, and nothing else. FICS logs out who is idle for an hour.
const KEEP_ALIVE: &str = "date";

/// A connection that is logged in.
#[derive(Debug)]
pub(crate) struct Live {
    stage: Stage,
    requests: Requests,
    liveness: Liveness,
    capabilities: Capabilities,
    style: StyleWatch,
    resync: Resync,
    adjourned: Adjourned,
    /// We said `quit`.
    quitting: Option<Quitting>,
}

#[derive(Debug)]
enum Stage {
    SettingUp(Box<SetUp>),
    Restoring(Box<Restore>),
    Ready,
}

/// A `quit` that was said.
#[derive(Clone, Copy, Debug)]
struct Quitting {
    deadline: Instant,
    /// The request that it was, if it was one.
    asked_by: Option<RequestId>,
    /// A refusal changes nothing.
    for_good: bool,
}

impl Live {
    /// Begins the set-up.
    pub(crate) fn new(entrance: &Entrance, cx: &mut Context<'_>) -> Self {
        let capabilities = entrance.capabilities();
        let deadline = after(cx.now, cx.options.timings.set_up);
        let mut live = Self {
            stage: Stage::SettingUp(Box::new(SetUp::new(entrance, capabilities, cx.options, deadline))),
            requests: Requests::new(entrance.mode, cx.options.requests, cx.now),
            liveness: Liveness::new(cx.now),
            capabilities,
            style: StyleWatch::default(),
            resync: Resync::default(),
            adjourned: Adjourned::default(),
            quitting: None,
        };
        live.progress(cx);
        live
    }

    pub(crate) const fn state(&self) -> State {
        match (&self.stage, self.quitting) {
            (_, Some(_)) => State::Closing,
            (Stage::SettingUp(_), None) => State::LoggingIn(LoginStep::SetUp),
            (Stage::Restoring(_) | Stage::Ready, None) => State::Ready,
        }
    }

    /// Whether nothing is left to restore.
    pub(crate) const fn is_restored(&self, memory: &Memory) -> bool {
        match self.stage {
            Stage::SettingUp(_) => false,
            Stage::Restoring(_) => memory.lost_at.is_none(),
            Stage::Ready => true,
        }
    }

    pub(crate) const fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    #[cfg(test)]
    pub(crate) fn footprint(&self) -> usize {
        self.requests.footprint()
    }

    pub(crate) const fn round_trip(&self) -> Option<Duration> {
        self.requests.round_trip()
    }

    pub(crate) const fn heard(&mut self, now: Instant) {
        self.liveness.heard(now);
    }

    /// This much time does not count for what the session asks for by itself.
    pub(crate) fn defer(&mut self, by: Duration) {
        self.requests.defer(by);
        if let Stage::SettingUp(set_up) = &mut self.stage {
            set_up.deadline = after(set_up.deadline, by);
        }
    }

    pub(crate) fn timeout(&self, options: &SessionOptions) -> Instant {
        let due = self.liveness.timeout(&options.timings);
        let deadline = match (self.quitting, &self.stage) {
            (Some(quitting), _) => Some(quitting.deadline),
            (None, Stage::SettingUp(set_up)) => Some(set_up.deadline),
            (None, Stage::Restoring(_) | Stage::Ready) => None,
        };
        [deadline, self.requests.timeout()].into_iter().flatten().fold(due, Instant::min)
    }

    /// Takes in what the server said.
    pub(crate) fn handle(&mut self, event: &Event, cx: &mut Context<'_>) {
        self.requests.handle(event, cx.now);
        if self.requests.take_unnumbered() {
            cx.tell(Event::Fault(ServerFault::Unnumbered));
        }
        if let Some(prompt) = self.requests.take_prompt() {
            cx.reader.framer_mut().set_prompt(&prompt);
        }
        cx.memory.handle(event, cx.reader.games());
        self.adjourned.handle(event, cx);
        self.resync.handle(event);
        self.watch_style(event, cx);
        self.progress(cx);
    }

    /// Requests the board of a game that is out of step. What is sent for the event that follows goes out with it.
    pub(crate) fn desynced(&mut self, desync: &Desync, cx: &mut Context<'_>) {
        let is_due = self.state() == State::Ready && !self.style.is_chosen();
        if is_due && self.resync.is_due(desync, cx.reader.games()) {
            let refresh = Command::new(&format!("refresh {}", desync.game)).ok();
            self.requests.order(cx.ids.next(), Owner::Boards, refresh);
        }
    }

    fn watch_style(&mut self, event: &Event, cx: &mut Context<'_>) {
        let Some(message) = event.message().filter(|_| self.state() == State::Ready) else { return };
        if self.style.is_lost(message, event.raw(), cx.now) {
            for command in REPAIR {
                self.requests.order(cx.ids.next(), Owner::Boards, Command::new(command).ok());
            }
        }
    }

    pub(crate) fn handle_timeout(&mut self, cx: &mut Context<'_>) -> Option<Fate> {
        match (self.quitting, &self.stage) {
            (Some(quitting), _) if quitting.deadline <= cx.now => return Some(Fate::End(EndReason::Quit)),
            (None, Stage::SettingUp(set_up)) if set_up.deadline <= cx.now => {
                return Some(Fate::Login(LoginError::TimedOut(LoginStep::SetUp)));
            }
            _ => {}
        }
        while let Some(due) = self.liveness.handle_timeout(&cx.options.timings, cx.now) {
            match due {
                Due::Dead => return Some(self.closed(CloseCause::Silent)),
                Due::Probe => self.requests.order(cx.ids.next(), Owner::Probe, None),
                Due::KeepAlive => self.requests.order(cx.ids.next(), Owner::KeepAlive, Command::new(KEEP_ALIVE).ok()),
            }
        }
        self.requests.handle_timeout(&cx.options.timings, cx.now);
        self.requests.shrink();
        self.progress(cx);
        None
    }

    /// What comes now is what was left of the stream.
    pub(crate) const fn cut_off(&mut self) {
        self.requests.cut_off();
    }

    /// The connection is gone.
    pub(crate) fn closed(&self, cause: CloseCause) -> Fate {
        match self.stage {
            _ if self.quitting.is_some() => Fate::End(EndReason::Quit),
            Stage::SettingUp(_) if matches!(cause, CloseCause::Silent | CloseCause::WriteTimedOut) => {
                Fate::Login(LoginError::TimedOut(LoginStep::SetUp))
            }
            Stage::SettingUp(_) => Fate::Login(LoginError::Closed(LoginStep::SetUp)),
            Stage::Restoring(_) | Stage::Ready => Fate::Lost(cause),
        }
    }

    /// Ends the requests with the connection.
    pub(crate) fn end(&mut self, fate: &Fate, cx: &mut Context<'_>) {
        let (sent, queued) = match fate {
            Fate::End(reason) => (RequestError::Ended(reason.clone()), RequestError::Ended(reason.clone())),
            Fate::Login(_) | Fate::Redial | Fate::Lost(_) => (RequestError::Lost, RequestError::NotConnected),
        };
        self.requests.end(&sent, &queued);
        let mut is_oldest = true;
        while let Some(done) = self.requests.pop_done() {
            if let (Some(command), Owner::User | Owner::Nobody | Owner::Restore, Err(RequestError::Lost), true) =
                (&done.command, done.owner, &done.result, is_oldest)
            {
                cx.memory.note_cut_off(command);
                is_oldest = false;
            }
            if let (Some(command), Owner::User | Owner::Nobody, Err(RequestError::Lost)) =
                (&done.command, done.owner, &done.result)
            {
                cx.memory.learn_unanswered(command);
            }
            if done.owner == Owner::User {
                cx.replies.push_back((done.id, done.result));
            }
        }
    }

    pub(crate) fn request(&mut self, command: Command, cx: &mut Context<'_>) -> Result<RequestId, RequestError> {
        match self.stage {
            _ if self.quitting.is_some() => return Err(RequestError::NotConnected),
            Stage::SettingUp(_) => return Err(RequestError::NotConnected),
            Stage::Restoring(_) | Stage::Ready if self.requests.is_full() => return Err(RequestError::Busy),
            Stage::Restoring(_) | Stage::Ready => {}
        }
        let id = cx.ids.next();
        if command.is_quit() {
            self.begin_to_quit(Some(id), cx);
        }
        self.requests.order(id, Owner::User, Some(command));
        self.progress(cx);
        Ok(id)
    }

    pub(crate) fn abandon(&mut self, id: RequestId, cx: &mut Context<'_>) {
        match self.quitting {
            // Sent, it may still be refused: then we stay.
            Some(quitting) if quitting.asked_by == Some(id) => {
                if self.requests.withdraw(id) {
                    self.stay();
                } else {
                    self.requests.hand_over(id, Owner::Quit);
                }
            }
            _ => self.requests.abandon(id),
        }
        self.progress(cx);
    }

    /// Says goodbye.
    pub(crate) fn quit(&mut self, cx: &mut Context<'_>) {
        if let Some(quitting) = &mut self.quitting {
            quitting.for_good = true;
            return;
        }
        self.begin_to_quit(None, cx);
        self.requests.order(cx.ids.next(), Owner::Quit, Command::new("quit").ok());
        self.progress(cx);
    }

    fn begin_to_quit(&mut self, asked_by: Option<RequestId>, cx: &Context<'_>) {
        self.quitting =
            Some(Quitting { deadline: after(cx.now, cx.options.timings.quit), asked_by, for_good: asked_by.is_none() });
    }

    /// The `quit` came to nothing.
    fn stay(&mut self) {
        self.quitting = self.quitting.filter(|quitting| quitting.for_good);
    }

    /// Deals with replies and sends what can be sent, until the server has to say something.
    fn progress(&mut self, cx: &mut Context<'_>) {
        loop {
            self.send(cx);
            while let Some(done) = self.requests.pop_done() {
                self.done(done, cx);
            }
            if !self.advance(cx) {
                break;
            }
        }
        let is_numbered = self.requests.mode() == Mode::Numbered;
        cx.reader.framer_mut().set_block_mode(is_numbered);
        if !matches!(self.stage, Stage::SettingUp(_)) {
            self.capabilities.set(Ivar::Block, is_numbered);
        }
    }

    fn send(&mut self, cx: &mut Context<'_>) {
        let (timings, now) = (&cx.options.timings, cx.now);
        let resets_idle = self.requests.send(&mut Sending { out: cx.out, random: cx.random, timings, now });
        if resets_idle {
            self.liveness.spoke(now);
        }
    }

    fn done(&mut self, mut done: Done, cx: &mut Context<'_>) {
        if let Some(command) = &done.command {
            guard_secrets(command, &mut done.result, cx);
        }
        if let (Some(command), Ok(reply)) = (&done.command, &done.result) {
            cx.memory.learn(command, reply);
            // The style of the set-up, which is 13 where boards come as moves, is not the user's choice.
            if done.owner != Owner::SetUp {
                self.style.learn(command);
            }
        }
        if let (Some(command), Ok(_), Owner::User | Owner::Nobody) = (&done.command, &done.result, done.owner) {
            cx.memory.learn_setting(command);
        }
        if matches!(done.owner, Owner::User | Owner::Nobody | Owner::Restore) {
            learn_ivar(&mut self.capabilities, &done);
        }
        match (&mut self.stage, done.owner) {
            (Stage::SettingUp(set_up), Owner::SetUp) => set_up.handle(&done, self.requests.mode()),
            (Stage::Restoring(restore), Owner::Restore) => restore.handle(&done, cx.reader.games()),
            (_, Owner::Adjourned) => {
                let next = self.adjourned.answered(&done, cx);
                if next.is_some() {
                    self.requests.order(cx.ids.next(), Owner::Nobody, next);
                }
            }
            // Nobody asks for anything at the moment: what was needed when somebody did is not kept.
            (_, Owner::Probe) => self.shrink(cx),
            // It was refused, or timed out. A unit of ICC's may end in front of the connection: any other answer is no refusal.
            (_, Owner::User | Owner::Quit) if done.result.is_err() && is_quit(&done) => self.stay(),
            _ => {}
        }
        if done.owner == Owner::User {
            cx.replies.push_back((done.id, done.result));
        }
    }

    /// Goes on to what comes next. Returns whether there may be something to send.
    fn advance(&mut self, cx: &mut Context<'_>) -> bool {
        match &mut self.stage {
            _ if self.quitting.is_some() => false,
            Stage::SettingUp(set_up) => {
                let Some(commands) = set_up.next_commands(cx.options, self.requests.mode()) else {
                    let capabilities = set_up.capabilities();
                    self.set_up(capabilities, cx);
                    return true;
                };
                let is_more = !commands.is_empty();
                for command in commands {
                    self.requests.order(cx.ids.next(), Owner::SetUp, Some(command));
                }
                is_more
            }
            Stage::Restoring(restore) => {
                let next = restore.take_next();
                let mut is_more = !next.is_empty();
                for (command, task) in next {
                    let id = cx.ids.next();
                    self.requests.order(id, Owner::Restore, Some(command));
                    restore.sent(id, task);
                }
                if restore.is_done() && !self.adjourned.is_listing {
                    self.restored(cx);
                    is_more = true;
                }
                is_more
            }
            Stage::Ready => self.resume_adjourned(cx),
        }
    }

    /// Sends the next challenge to resume an adjourned game. Returns whether there was one.
    fn resume_adjourned(&mut self, cx: &mut Context<'_>) -> bool {
        if cx.options.adjourned != AdjournedGames::Resume || self.requests.is_challenging() {
            return false;
        }
        let challenge = self.adjourned.next_challenge(cx.reader.games());
        let is_one = challenge.is_some();
        if is_one {
            self.requests.order(cx.ids.next(), Owner::Adjourned, challenge);
        }
        is_one
    }

    fn set_up(&mut self, capabilities: Capabilities, cx: &mut Context<'_>) {
        self.capabilities = capabilities;
        if capabilities.nowrap() {
            cx.reader.framer_mut().set_unwrapped();
        }
        cx.backoff.ready(cx.now);
        cx.memory.has_stood = true;
        cx.tell(Event::Ready(capabilities));
        // All of the set-up was asked for at once; that much will hardly be needed again.
        self.shrink(cx);
        if matches!(cx.options.credentials, Credentials::Account { .. }) {
            self.adjourned.is_listing = true;
            self.requests.order(cx.ids.next(), Owner::Adjourned, Command::new("stored").ok());
        }
        let restore = Restore::new(&cx.options.settings, cx.memory, cx.reader.games());
        self.stage = if cx.memory.lost_at.is_none() && restore.is_done() {
            Stage::Ready
        } else {
            Stage::Restoring(Box::new(restore))
        };
        self.requests.set_restoring(!self.is_restored(cx.memory));
    }

    /// Gives back memory that is not used.
    fn shrink(&mut self, cx: &mut Context<'_>) {
        self.requests.shrink();
        cx.out.shrink();
        cx.reader.shrink();
        cx.events.shrink_to(KEPT_EVENTS);
    }

    fn restored(&mut self, cx: &mut Context<'_>) {
        let Stage::Restoring(restore) = std::mem::replace(&mut self.stage, Stage::Ready) else { return };
        self.requests.set_restoring(false);
        let mut restored = restore.finish(cx.memory);
        for game in restored.games.iter_mut().filter(|game| self.adjourned.has(&game.white, &game.black)) {
            if game.outcome == Outcome::Interrupted {
                game.outcome = Outcome::Adjourned;
            }
        }
        if let Some(lost_at) = cx.memory.lost_at.take() {
            let offline_for = cx.now.saturating_duration_since(lost_at);
            cx.tell(Event::Restored(Arc::new(Restored { offline_for, ..restored })));
        }
    }
}

/// Whether it was a `quit`.
fn is_quit(done: &Done) -> bool {
    done.command.as_ref().is_some_and(Command::is_quit)
}

/// Learns from the outcome of a command which lines and which password are secret from now on. Hides a secret that the server
/// repeats in an error, as errors are logged.
fn guard_secrets(command: &Command, result: &mut Result<Reply, RequestError>, cx: &mut Context<'_>) {
    let secrets = cx.out.secrets(command);
    match result {
        Ok(reply) => {
            // Both families list aliases so.
            let listed = reply.lines().filter(|_| command.verb().starts_with("al"));
            for (name, value) in listed.filter_map(|line| str::from_utf8(line).ok()?.split_once(" -> ")) {
                cx.out.learn_alias(&format!("alias {name} {value}"));
            }
            if reply.answers().any(|answer| confirms_password(answer.raw()))
                && let Some(new) = secrets.last()
            {
                cx.memory.new_password = Password::new(*new).ok();
            }
        }
        Err(RequestError::Refused { text, .. }) if !secrets.is_empty() => {
            let secrets: Vec<_> = secrets.iter().filter_map(|word| Secret::new(word.as_bytes())).collect();
            let mut line = encode(text.as_str()).into_owned().into_bytes();
            hide_secrets(&secrets.iter(), &mut line, SecretSource::Line);
            *text = ServerText::from_wire(&line);
        }
        Err(_) => {}
    }
}

/// Whether a line reports a new password: `Password changed to "perch".`
///
/// Source: uhlin-fics, FatICS. The wording of ICC is not known.
fn confirms_password(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    line.starts_with(b"password changed") || find(&line, b"password has been changed").is_some()
}
