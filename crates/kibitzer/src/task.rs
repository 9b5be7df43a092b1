//! The task behind a client. It owns the session, the connection, the publisher and the recorder, and moves bytes, time,
//! orders and events between them; what they mean is the session's business.

mod alarm;
mod connection;
mod journal;
mod order;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, watch};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::client::{ClientCounters, View};
use crate::core::Event;
use crate::core::game::Games;
use crate::core::hub::{Publisher, TryPublishError};
use crate::core::session::{CloseCause, EndReason, Link, RequestError, Session};
use crate::dial::{Dial, Target};
use crate::transcript::Recorder;
use alarm::Alarm;
use connection::{Connection, Progress};
use journal::Journal;
use order::Replies;

pub(crate) use order::Order;

/// Events that are published before those who subscribed on the same thread have their turn.
const EVENTS_PER_TURN: usize = 128;

/// What the task has.
pub(crate) struct Task {
    session: Session,
    publisher: Publisher,
    orders: mpsc::Receiver<Order>,
    replies: Replies,
    dial: Dial,
    target: Target,
    write_timeout: Duration,
    connection: Connection,
    input: Input,
    /// The next event, as long as a lossless subscriber has no room for it. Then nothing is read.
    held: Option<Arc<Event>>,
    journal: Journal,
    alarm: Alarm,
    view: watch::Sender<View>,
    counters: Arc<Mutex<ClientCounters>>,
    /// Nobody wants the session any more: whoever still has no room for its events does not get them.
    is_dismissed: bool,
}

/// What a task needs to begin.
pub(crate) struct Beginning {
    pub(crate) session: Session,
    pub(crate) publisher: Publisher,
    pub(crate) orders: mpsc::Receiver<Order>,
    pub(crate) dial: Dial,
    pub(crate) target: Target,
    pub(crate) write_timeout: Duration,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) view: watch::Sender<View>,
    pub(crate) counters: Arc<Mutex<ClientCounters>>,
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
    Order(Option<Order>),
    /// Something is due, written, or published: the next turn finds out.
    Other,
}

impl Task {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning { session, publisher, orders, dial, target, write_timeout, recorder, view, counters } = beginning;
        Self {
            session,
            publisher,
            orders,
            replies: Replies::default(),
            dial,
            target,
            write_timeout,
            connection: Connection::None,
            input: Input::default(),
            held: None,
            journal: Journal::new(recorder),
            alarm: Alarm::new(),
            view,
            counters,
            is_dismissed: false,
        }
    }

    /// Runs until the session is over and all it has to tell is published.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session at once.
    pub(crate) async fn run(mut self) {
        loop {
            let turn = self.turn(now());
            self.show();
            match turn {
                Turn::Wait => self.wait().await,
                Turn::More => yield_now().await,
                Turn::Over => break,
            }
        }
        self.finish().await;
    }

    /// Does all that can be done without waiting.
    fn turn(&mut self, now: Instant) -> Turn {
        self.take_orders(now);
        if self.held.is_some() || self.journal.is_full() {
            // The server may have said much that we did not read: its silence is ours.
            self.session.held_back(now);
        }
        if self.session.poll_timeout().is_some_and(|due| due <= now) {
            self.session.handle_timeout(now);
        }
        self.connection.check_deadline(self.write_timeout, now);
        self.pump(now)
    }

    fn take_orders(&mut self, now: Instant) {
        loop {
            match self.orders.try_recv() {
                Ok(order) => self.obey(order, now),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.dismiss(now);
                    break;
                }
            }
        }
        while let Some(id) = self.replies.take_abandoned() {
            self.session.abandon(id, now);
        }
    }

    fn obey(&mut self, order: Order, now: Instant) {
        match order {
            Order::Request(_, sender) if sender.is_closed() => {}
            Order::Request(command, sender) => match self.session.request(command, now) {
                Ok(id) => self.replies.expect(id, sender),
                Err(error) => drop(sender.send(Err(error))),
            },
            Order::Quit => self.session.quit(now),
            Order::ShutDown => self.dismiss(now),
        }
    }

    fn dismiss(&mut self, now: Instant) {
        self.is_dismissed = true;
        self.session.shut_down(now);
    }

    /// Moves what the session has to say to where it belongs, until it has no more or somebody has no room.
    fn pump(&mut self, now: Instant) -> Turn {
        for _ in 0..EVENTS_PER_TURN {
            self.hang_up(now);
            // Before anything is published: the server may be counting the time.
            self.send(now);
            while let Some((id, result)) = self.session.poll_reply() {
                self.replies.answer(id, result);
            }
            if !self.publish() {
                return Turn::Wait;
            }
            self.dial();
            self.held = self.next_event(now);
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
            Link::Close => {
                self.connection = Connection::None;
                self.input = Input::default();
                self.session.closed(CloseCause::Closed, now);
            }
        }
    }

    /// Begins to connect if the session wants that. It has to be asked for only while there is room for what comes of it.
    fn dial(&mut self) {
        if matches!(self.session.link(), Link::Dial { .. }) && !self.connection.is_dialing() {
            self.connection = Connection::dial(&self.dial, &self.target);
        }
    }

    fn send(&mut self, now: Instant) {
        while let Some(transmit) = self.session.poll_transmit(now) {
            self.journal.sent(&transmit);
            self.connection.send(transmit.bytes());
        }
    }

    /// Publishes the event that is held, if there is one. Returns whether there is room for the next.
    fn publish(&mut self) -> bool {
        let Some(event) = self.held.take() else { return true };
        let Err(TryPublishError::Full(event)) = self.publisher.try_publish(event, self.session.games()) else {
            return true;
        };
        if !self.is_dismissed {
            self.held = Some(event);
        }
        self.is_dismissed
    }

    /// The next event: the session's own, then what the server said, then that the connection is gone.
    fn next_event(&mut self, now: Instant) -> Option<Arc<Event>> {
        let event =
            self.session.poll_event().or_else(|| self.input.next_event(&mut self.session, now)).or_else(|| {
                self.session.closed(self.connection.take_broken()?, now);
                self.session.poll_event()
            })?;
        Journal::note(&event);
        Some(event)
    }

    /// Waits until there is something to do.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was read is in the input.
    async fn wait(&mut self) {
        let may_read = self.held.is_none() && self.input.is_empty() && !self.journal.is_full();
        let deadline = self.connection.deadline(self.write_timeout);
        self.alarm.set([self.session.poll_timeout(), deadline].into_iter().flatten().min());
        let wake = tokio::select! {
            biased;
            progress = self.connection.progress(&mut self.input.bytes, may_read) => Wake::Connection(progress),
            order = self.orders.recv(), if !self.is_dismissed => Wake::Order(order),
            () = self.alarm.ring() => Wake::Other,
            () = deliver(&mut self.publisher, &mut self.held, self.session.games()) => Wake::Other,
            () = self.journal.write() => Wake::Other,
        };
        match wake {
            Wake::Connection(Progress::Received) => {
                self.journal.received(&self.input.bytes, &self.session.state());
            }
            Wake::Connection(Progress::Dialed(outcome)) => self.session.dialed(outcome, now()),
            Wake::Order(Some(order)) => self.obey(order, now()),
            Wake::Order(None) => self.dismiss(now()),
            Wake::Connection(Progress::Broken) | Wake::Other => {}
        }
    }

    /// Shows the clients how things stand.
    fn show(&self) {
        self.view.send_if_modified(|view| view.update(&self.session));
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters.session = self.session.counters();
        counters.unrecorded_pieces = self.journal.n_unrecorded();
    }

    /// Ends what is left: orders that came too late, and the recording.
    ///
    /// # Cancel safety
    ///
    /// What was not written of the recording is lost.
    async fn finish(mut self) {
        self.orders.close();
        let reason = self.view.borrow().end().cloned().unwrap_or(EndReason::ShutDown);
        while let Ok(order) = self.orders.try_recv() {
            if let Order::Request(_, sender) = order {
                drop(sender.send(Err(RequestError::Ended(reason.clone()))));
            }
        }
        // A disk that hangs must not keep the task.
        let _ = timeout(self.write_timeout, self.journal.flush()).await;
    }
}

impl Input {
    fn is_empty(&self) -> bool {
        self.n_taken == self.bytes.len()
    }

    fn next_event(&mut self, session: &mut Session, now: Instant) -> Option<Arc<Event>> {
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
async fn deliver(publisher: &mut Publisher, held: &mut Option<Arc<Event>>, games: &Games) {
    if let Some(event) = held {
        publisher.publish(Arc::clone(event), games).await;
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
