//! What leads from one phase to the next.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Phase, Session};
use crate::event::{CloseCause, EndReason, Event, Identity, LostCause};
use crate::game::Desync;
use crate::message::{KickedBy, Message, Reader};
use crate::reader::EventReader;
use crate::session::context::Fate;
use crate::session::live::Live;
use crate::session::login::{Entrance, Login, Verdict};
use crate::session::options::after;
use crate::wire::Framer;

/// Longest time between the line of a kick and the end of the connection. Servers close at once.
const KICK_TIME: Duration = Duration::from_secs(10);

impl Session {
    pub(super) fn connected(&mut self, now: Instant) {
        let timeseal = self.ladder.timeseal();
        let mut framer = Framer::new().with_limits(self.options.limits).with_timeseal(timeseal);
        framer.set_prompt(&self.options.prompt);
        framer.set_block_mode(false);
        let reader = Reader::new(framer, self.options.family);
        self.reader = EventReader::new(reader).with_game_limits(self.options.game_limits);
        self.out.connected(timeseal, now);
        self.held = None;
        self.kicked = None;
        self.memory.connected();
        if let Some(password) = self.memory.new_password.take() {
            self.options.credentials.set_password(password);
        }
        self.counters.reconnects += u64::from(self.memory.has_stood);
        self.phase = Phase::LoggingIn(Box::new(Login::new(&self.options, timeseal, self.ladder.login_string(), now)));
        self.tell(Event::Connected);
    }

    /// Takes in what the server said.
    pub(super) fn take_in(&mut self, event: &Event, now: Instant) {
        self.counters.events += 1;
        let message = match event {
            Event::Received { received, .. } => &received.message,
            Event::Desync(desync) => return self.desynced(desync, now),
            _ => return,
        };
        match message {
            Message::Ping => {
                self.counters.pings += 1;
                self.out.answer_ping();
            }
            Message::Kicked(by) => self.kicked = Some((by.clone(), now)),
            _ => {}
        }
        let (phase, mut cx) = self.parts(now);
        match phase {
            Phase::LoggingIn(login) => {
                let verdict = login.handle(message, event.raw(), &mut cx);
                self.judge(verdict, now);
            }
            Phase::Live(live) => {
                live.handle(event, &mut cx);
                self.counters.round_trip = live.round_trip().or(self.counters.round_trip);
            }
            _ => {}
        }
    }

    fn desynced(&mut self, desync: &Desync, now: Instant) {
        if let (Phase::Live(live), mut cx) = self.parts(now) {
            live.desynced(desync, &mut cx);
        }
    }

    /// Returns who threw us out, if the server closed the connection for that. The line alone proves nothing.
    pub(super) fn kicked_before(&self, cause: CloseCause, now: Instant) -> Option<KickedBy> {
        let (by, at) = self.kicked.as_ref()?;
        let is_servers = matches!(cause, CloseCause::Closed | CloseCause::Failed(_));
        (is_servers && now.saturating_duration_since(*at) <= KICK_TIME).then(|| by.clone())
    }

    pub(super) fn judge(&mut self, verdict: Verdict, now: Instant) {
        match verdict {
            Verdict::Goes => {}
            Verdict::LoggedIn(identity) => self.logged_in(identity),
            Verdict::Complete(entrance) => self.enter(&entrance, now),
            Verdict::Retreat(retreat, error) if self.ladder.retreat(retreat, &error) => self.hang_up(Fate::Redial, now),
            Verdict::Failed(error) | Verdict::Retreat(_, error) => {
                self.hang_up(Fate::Login(self.ladder.explain(error)), now);
            }
        }
    }

    pub(super) fn logged_in(&mut self, identity: Identity) {
        self.identity = Some(identity.clone());
        self.tell(Event::LoggedIn(Arc::new(identity)));
    }

    pub(super) fn enter(&mut self, entrance: &Entrance, now: Instant) {
        if let Some(identity) = &entrance.unannounced {
            self.logged_in(identity.clone());
        }
        self.ladder.learn(entrance);
        let live = Live::new(entrance, &mut self.parts(now).1);
        self.phase = Phase::Live(Box::new(live));
    }

    /// Gives the connection up.
    pub(super) fn hang_up(&mut self, fate: Fate, now: Instant) {
        let (phase, mut cx) = self.parts(now);
        if let Phase::Live(live) = phase {
            live.end(&fate, &mut cx);
            if live.is_restored(cx.memory) {
                self.memory.note_loss(self.reader.games(), now);
            }
        }
        self.phase = Phase::Closing(fate);
    }

    /// The connection is closed.
    pub(super) fn settle(&mut self, fate: Fate, now: Instant) {
        match fate {
            Fate::Redial => self.dial(),
            Fate::End(reason) => self.end(reason),
            Fate::Lost(cause) => self.lost(LostCause::Connection(cause), now),
            Fate::Login(error) if error.is_final() || !self.memory.has_stood => self.end(EndReason::Login(error)),
            Fate::Login(error) => self.lost(LostCause::Login(error), now),
        }
    }

    pub(super) fn dial(&mut self) {
        self.phase = Phase::Dialing;
        self.tell(Event::Connecting { attempt: self.attempt() });
    }

    pub(super) fn attempt(&self) -> u32 {
        self.backoff.attempts().max(1)
    }

    pub(super) fn lost(&mut self, cause: LostCause, now: Instant) {
        let retry_in = self.backoff.next(&self.options.reconnect, &mut self.random, now);
        let attempts = self.backoff.attempts();
        self.tell(Event::Lost { cause: cause.clone(), retry_in });
        match retry_in {
            Some(delay) => self.phase = Phase::Waiting { until: after(now, delay) },
            None => self.end(EndReason::Lost { cause, attempts }),
        }
    }

    pub(super) fn end(&mut self, reason: EndReason) {
        self.tell(Event::Ended(reason.clone()));
        self.phase = Phase::Over(reason);
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.events.push_back(event);
    }
}
