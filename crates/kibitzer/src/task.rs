//! The task behind a client. It owns the session, the connection, the publisher and the recorder, and moves bytes, time,
//! orders and events between them; what they mean is the session's business.

mod alarm;
mod connection;
mod journal;
mod mask;
mod replies;

use std::sync::Arc;
use std::time::Instant;

use tokio::task::yield_now;
use tokio::time::timeout;
use tracing::Span;

use crate::attach::Exposure;
use crate::core::Event;
use crate::core::event::CloseCause;
use crate::core::game::Games;
use crate::core::hub::{Publisher, TryPublishError};
use crate::core::session::{Link, Session};
use crate::desk::{Desk, Leave};
use crate::dial::Transport;
use crate::tap::Spout;
use crate::transcript::Recorder;
use alarm::Alarm;
use connection::{Connection, Progress};
use journal::Journal;
use replies::Replies;

/// Most events that are published before those who subscribed on the same thread have their turn.
const EVENTS_PER_TURN: usize = 128;

/// What the task has.
pub(crate) struct Task {
    session: Session,
    publisher: Publisher,
    desk: Arc<Desk>,
    replies: Replies,
    transport: Transport,
    /// Events that are published before others have their turn: no more than are kept for them.
    events_per_turn: usize,
    /// How many of them were since.
    n_published: usize,
    connection: Connection,
    input: Input,
    /// The next event, as long as a lossless subscriber has no room for it. Then nothing is read.
    held: Option<Box<Event>>,
    journal: Journal,
    alarm: Alarm,
    /// Nobody wants the session any more: whoever still has no room for its events does not get them.
    is_dismissed: bool,
    /// Whether subscribers get events without passwords.
    redacts_events: bool,
}

/// What a task needs to begin.
pub(crate) struct Beginning {
    pub(crate) session: Session,
    pub(crate) publisher: Publisher,
    pub(crate) desk: Arc<Desk>,
    pub(crate) transport: Transport,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) spout: Option<Spout>,
    pub(crate) exposure: Option<Exposure>,
    pub(crate) redacts_events: bool,
    pub(crate) span: Span,
}

/// Bytes that were read and not looked at.
#[derive(Default)]
struct Input {
    bytes: Vec<u8>,
    n_taken: usize,
}

/// What is left after a turn.
enum Turn {
    /// To wait for something.
    Wait,
    /// More of the same, after others had theirs.
    More,
    /// Nothing.
    Over,
}

/// What the task has waited for.
enum Wake {
    Connection(Progress),
    /// Something is due, ordered, written, or published: the next turn finds out.
    Other,
}

impl Task {
    /// A task that has not begun. It is boxed: its future would hold a copy for every function it is handed to.
    pub(crate) fn new(beginning: Beginning) -> Box<Self> {
        let Beginning { session, publisher, desk, transport, .. } = beginning;
        let Beginning { recorder, spout, exposure, redacts_events, span, .. } = beginning;
        Box::new(Self {
            events_per_turn: publisher.kept_events().min(EVENTS_PER_TURN),
            session,
            publisher,
            desk,
            replies: Replies::default(),
            transport,
            n_published: 0,
            connection: Connection::None,
            input: Input::default(),
            held: None,
            journal: Journal::new(span, recorder, spout, exposure),
            alarm: Alarm::new(),
            is_dismissed: false,
            redacts_events,
        })
    }

    /// Runs until the session is over and all it has to tell is published.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session at once.
    pub(crate) async fn run(mut self: Box<Self>) {
        loop {
            let turn = self.turn(now());
            self.journal.settle(&self.session, self.input.n_left());
            self.desk.show(&self.session, self.journal.n_unrecorded(), self.journal.recording());
            match turn {
                Turn::Wait => self.wait().await,
                Turn::More => {
                    self.n_published = 0;
                    yield_now().await;
                }
                Turn::Over => break,
            }
        }
        // A disk that hangs must not keep the task.
        if timeout(self.transport.write_timeout, self.journal.flush()).await.is_err() {
            self.journal.give_up();
        }
        self.journal.close().await;
        self.desk.show(&self.session, self.journal.n_unrecorded(), self.journal.recording());
    }

    /// Does all that can be done without waiting.
    fn turn(&mut self, now: Instant) -> Turn {
        self.take_orders(now);
        if self.held.is_some() || self.journal.is_full() {
            // The server may have said much that we did not read: its silence is ours.
            self.session.reading_paused(now);
        }
        self.connection.check_deadline(self.transport.write_timeout, now);
        // What has come is looked at before anything is found to be late.
        let turn = self.pump(now);
        let is_late = self.session.poll_timeout().is_some_and(|due| due <= now);
        if !is_late || !matches!(turn, Turn::Wait) {
            return turn;
        }
        self.session.handle_timeout(now);
        self.pump(now)
    }

    fn take_orders(&mut self, now: Instant) {
        if let Some(recorder) = self.desk.take_recorder() {
            self.journal.record(recorder);
        }
        while let Some((command, reply)) = self.desk.take_request() {
            if reply.is_closed() {
                continue;
            }
            match self.session.request(command, now) {
                Ok(id) => self.replies.expect(id, reply),
                Err(error) => drop(reply.send(Err(error))),
            }
        }
        while let Some(id) = self.replies.take_abandoned() {
            self.session.abandon(id, now);
        }
        match self.desk.take_leave() {
            None => {}
            Some(Leave::Quit) => self.session.quit(now),
            Some(Leave::Shutdown) => {
                self.is_dismissed = true;
                self.session.shutdown(now);
            }
        }
    }

    /// Moves what the session has to say to where it belongs, until it has no more or somebody has no room.
    fn pump(&mut self, now: Instant) -> Turn {
        while self.n_published < self.events_per_turn {
            self.hang_up(now);
            // Before anything is published: the server may be counting the time.
            self.send(now);
            while let Some((id, result)) = self.session.poll_reply() {
                self.journal.replied(id, &result);
                self.replies.answer(id, result);
            }
            if !self.publish() {
                return Turn::Wait;
            }
            self.dial();
            self.held = self.next_event(now).map(Box::new);
            if self.held.is_none() {
                let is_over = matches!(self.session.link(), Link::Over(_));
                return if is_over { Turn::Over } else { Turn::Wait };
            }
        }
        Turn::More
    }

    /// Gives the connection up if the session wants that.
    fn hang_up(&mut self, now: Instant) {
        match self.session.link() {
            Link::Dial { .. } | Link::Keep => {}
            Link::Wait | Link::Over(_) => self.connection = Connection::None,
            Link::Close => self.close(CloseCause::Closed, now),
        }
    }

    /// Begins to connect if the session wants that. It has to be asked for only while there is room for what comes of it.
    fn dial(&mut self) {
        if matches!(self.session.link(), Link::Dial { .. }) && !self.connection.is_dialing() {
            self.connection = Connection::dial(&self.transport);
        }
    }

    /// Hands over what is to be sent, all that is there at once: a server answers what it read together.
    fn send(&mut self, now: Instant) {
        let mut is_more = false;
        while let Some(transmit) = self.session.poll_transmit(now) {
            self.journal.sent(&transmit, now, self.input.n_left());
            self.connection.push(transmit.bytes());
            is_more = true;
            if transmit.is_secret() {
                // What grows behind it would be copied, and a copy is not wiped.
                self.connection.send();
            }
        }
        if is_more {
            self.connection.send();
        }
    }

    /// Publishes the event that is held, if there is one. Returns whether there is room for the next.
    fn publish(&mut self) -> bool {
        let Some(event) = self.held.take().map(|event| *event) else { return true };
        let Err(TryPublishError::Full(event)) = self.publisher.try_publish(event, self.session.games()) else {
            self.n_published += 1;
            return true;
        };
        if !self.is_dismissed {
            self.held = Some(Box::new(event));
        }
        self.is_dismissed
    }

    /// The next event: the session's own, then what the server said, then that the connection is gone.
    fn next_event(&mut self, now: Instant) -> Option<Event> {
        let started = self.journal.stopwatch();
        let mut event = self.session.poll_event().or_else(|| self.input.next_event(&mut self.session, now));
        if event.is_none()
            && let Some(cause) = self.connection.take_broken()
        {
            self.close(cause, now);
            event = self.session.poll_event();
        }
        let event = event?;
        let redacted = self.journal.note(&event, &self.session, started, self.input.n_left());
        Some(redacted.filter(|_| self.redacts_events).unwrap_or(event))
    }

    fn close(&mut self, cause: CloseCause, now: Instant) {
        self.connection = Connection::None;
        self.input = Input::default();
        self.journal.closed();
        self.session.closed(cause, now);
    }

    /// Waits until there is something to do.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was read is in the input.
    async fn wait(&mut self) {
        let may_read = self.held.is_none() && self.input.is_empty() && !self.journal.is_full();
        let deadline = self.connection.deadline(self.transport.write_timeout);
        self.alarm.set([self.session.poll_timeout(), deadline].into_iter().flatten().min());
        let wake = tokio::select! {
            biased;
            progress = self.connection.progress(&mut self.input.bytes, may_read) => Wake::Connection(progress),
            () = self.desk.ordered() => Wake::Other,
            () = self.alarm.ring() => Wake::Other,
            () = deliver(&mut self.publisher, &mut self.held, self.session.games()) => Wake::Other,
            () = self.journal.write() => Wake::Other,
        };
        match wake {
            Wake::Connection(Progress::Received) => {
                self.journal.received(&self.input.bytes, now());
            }
            Wake::Connection(Progress::Dialed(outcome)) => self.session.dialed(outcome, now()),
            Wake::Connection(Progress::Broken) | Wake::Other => {}
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.desk.close();
    }
}

impl Input {
    fn is_empty(&self) -> bool {
        self.n_left() == 0
    }

    /// Bytes that nobody has looked at.
    const fn n_left(&self) -> usize {
        self.bytes.len().saturating_sub(self.n_taken)
    }

    fn next_event(&mut self, session: &mut Session, now: Instant) -> Option<Event> {
        let mut rest = self.bytes.get(self.n_taken..).unwrap_or_default();
        let event = session.receive(&mut rest, now);
        self.n_taken = self.bytes.len() - rest.len();
        if event.is_none() {
            // An idle session keeps no buffer.
            *self = Self::default();
        }
        event
    }
}

/// Waits until there is room for the event, and publishes it. Without one, waits for those who want to subscribe.
///
/// # Cancel safety
///
/// Cancel safe: the event is published or still held.
async fn deliver(publisher: &mut Publisher, held: &mut Option<Box<Event>>, games: &Games) {
    if let Some(event) = held {
        // Boxed, as the task's future has room for whatever it may wait for, and hardly any session waits for this.
        Box::pin(publisher.publish(Event::clone(event), games)).await;
        *held = None;
    } else {
        publisher.newcomers().await;
        publisher.admit(games);
    }
}

/// The time, as the runtime has it: a test can stop it.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
