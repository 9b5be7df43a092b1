//! The session's end.

use std::sync::Arc;
use std::task::Waker;

use thiserror::Error;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use super::subscription::{Hub, Subscription};
use super::{HubOptions, Latecomer, Newcomer, Shared};
use crate::event::Event;
use crate::game::{Game, Games};
use crate::message::GameId;

/// The end that events go in at; there is one, and dropping it ends every subscription.
#[derive(Debug)]
pub struct Publisher {
    pub(super) shared: Arc<Shared>,
    pub(super) lossless: Vec<mpsc::Sender<Event>>,
    pub(super) watches: Vec<Watch>,
    /// Kept for its memory; empty between events.
    woken: Vec<Waker>,
}

/// Why an event was published to nobody.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TryPublishError {
    /// The queue of a lossless subscriber is full. The event is here again.
    #[error("the queue of a lossless subscriber is full")]
    Full(Event),
}

#[derive(Debug)]
pub(super) struct Watch {
    id: GameId,
    newest: watch::Sender<Option<Arc<Game>>>,
}

/// What is left to do once the broadcast subscribers have an event.
struct Rest {
    /// The event, if there are queues that want it.
    for_queues: Option<Event>,
    /// Whether there are some who want the games as they stand after it.
    has_latecomers: bool,
}

impl Publisher {
    /// A publisher nobody has subscribed to.
    pub fn new(options: HubOptions) -> Self {
        Self { shared: Arc::new(Shared::new(options)), lossless: Vec::new(), watches: Vec::new(), woken: Vec::new() }
    }

    /// The end to subscribe at.
    pub fn hub(&self) -> Hub {
        Hub::new(Arc::clone(&self.shared))
    }

    /// How many events are kept for slow broadcast subscribers, as [`HubOptions`] say.
    pub fn kept_events(&self) -> usize {
        self.shared.state().ring.limit()
    }

    /// Gives an event to every subscriber, and the game it changed to those who watch that game.
    ///
    /// `games` are the games as they stand after the event. Waits only while the queue of a lossless subscriber is full.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready publishes the event to nobody.
    pub async fn publish(&mut self, event: Event, games: &Games) {
        self.room().await;
        self.send(event, games);
    }

    /// Does what [`publish`](Self::publish) does if it need not wait: if no queue of a lossless subscriber is full.
    ///
    /// # Errors
    ///
    /// [`TryPublishError::Full`] gives the event back. Nobody got it.
    pub fn try_publish(&mut self, event: Event, games: &Games) -> Result<(), TryPublishError> {
        if self.lossless.iter().any(|queue| queue.capacity() == 0 && !queue.is_closed()) {
            return Err(TryPublishError::Full(event));
        }
        self.send(event, games);
        Ok(())
    }

    /// Waits until somebody may have subscribed since the last event. Answer with [`admit`](Self::admit).
    ///
    /// [`publish`](Self::publish) lets them in too, but who wants the state of games wants it before the next event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future forgets nobody.
    pub async fn newcomers(&self) {
        self.shared.joined.notified().await;
    }

    /// Lets in who has subscribed since the last event, and gives the state of games to those who want it.
    ///
    /// `games` are the games as they stand after the last event that was published.
    pub fn admit(&mut self, games: &Games) {
        let newcomers = std::mem::take(&mut self.shared.state().newcomers);
        self.admit_newcomers(newcomers, games);
        self.admit_latecomers(games);
    }

    /// Waits until every lossless queue has room. It stays: nobody else puts anything in.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    async fn room(&self) {
        for queue in &self.lossless {
            if queue.capacity() == 0 {
                // An error means that the subscriber has left; `send` cleans up.
                drop(queue.reserve().await);
            }
        }
    }

    fn send(&mut self, event: Event, games: &Games) {
        let changed = changed_game(&event).filter(|_| !self.watches.is_empty());
        let is_new_connection = matches!(event, Event::Connected);
        let is_settled = !games_are_ahead_of(&event);
        let Rest { for_queues, has_latecomers } = self.broadcast(event, games);
        if let Some(event) = for_queues {
            self.lossless.retain(|queue| !matches!(queue.try_send(event.clone()), Err(TrySendError::Closed(_))));
        }
        if let Some(id) = changed {
            self.update_watches(id, games);
        }
        if is_new_connection {
            self.clear_watches();
        }
        if has_latecomers && is_settled {
            // The event is in the state they get, so it must not come to them as well.
            self.admit_latecomers(games);
        }
    }

    /// Lets newcomers in, then gives the event to the broadcast subscribers.
    fn broadcast(&mut self, event: Event, games: &Games) -> Rest {
        let mut state = self.shared.state();
        let newcomers = std::mem::take(&mut state.newcomers);
        let has_latecomers = !state.latecomers.is_empty();
        let has_queues = !self.lossless.is_empty() || !newcomers.is_empty();
        let for_queues = has_queues.then(|| event.clone());
        if state.ring.has_readers() {
            state.ring.push(event);
            state.waiters.take(&mut self.woken);
        }
        drop(state);
        self.woken.drain(..).for_each(Waker::wake);
        if !newcomers.is_empty() {
            self.admit_newcomers(newcomers, games);
        }
        Rest { for_queues, has_latecomers }
    }

    fn admit_newcomers(&mut self, newcomers: Vec<Newcomer>, games: &Games) {
        self.lossless.retain(|queue| !queue.is_closed());
        self.watches.retain(|watch| !watch.newest.is_closed());
        for newcomer in newcomers {
            match newcomer {
                Newcomer::Lossless(queue) => self.lossless.push(queue),
                Newcomer::Watch(id, newest) => {
                    if let Some(game) = games.get(id) {
                        newest.send_replace(Some(Arc::new(game.clone())));
                    }
                    self.watches.push(Watch { id, newest });
                }
            }
        }
    }

    /// Gives each of them the games and a subscription to what comes after.
    #[cold]
    fn admit_latecomers(&mut self, games: &Games) {
        let mut latecomers = std::mem::take(&mut self.shared.state().latecomers);
        latecomers.retain(|latecomer| !latecomer.subscription.is_closed());
        if latecomers.is_empty() {
            return;
        }
        let all: Vec<_> = games.iter().cloned().map(Arc::new).collect();
        for Latecomer { capacity, subscription } in latecomers {
            let events = match capacity {
                None => Subscription::broadcast(&self.shared),
                Some(capacity) => {
                    let (queue, events) = Subscription::lossless(capacity);
                    self.lossless.push(queue);
                    events
                }
            };
            // Who does not wait any more is not subscribed: what comes back is dropped.
            drop(subscription.send((all.clone(), events)));
        }
    }

    /// A new connection knows no game yet; its numbers may come to mean others.
    fn clear_watches(&self) {
        for watch in &self.watches {
            watch.newest.send_if_modified(|newest| newest.take().is_some());
        }
    }

    fn update_watches(&mut self, id: GameId, games: &Games) {
        self.watches.retain(|watch| watch.id != id || !watch.newest.is_closed());
        let mut watches = self.watches.iter().filter(|watch| watch.id == id).peekable();
        if watches.peek().is_none() {
            return;
        }
        let newest = games.get(id).cloned().map(Arc::new);
        for watch in watches {
            watch.newest.send_replace(newest.clone());
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.closed = true;
        state.waiters.take(&mut self.woken);
        // Dropping their sending ends closes them.
        let sending_ends = (std::mem::take(&mut state.newcomers), std::mem::take(&mut state.latecomers));
        drop(state);
        drop(sending_ends);
        self.woken.drain(..).for_each(Waker::wake);
    }
}

/// Whether the games are as the event behind this one leaves them, not as this one does.
const fn games_are_ahead_of(event: &Event) -> bool {
    matches!(event, Event::Desync(_) | Event::Missed(_))
}

/// The game that is another since this event. A desync or missing moves change none: the event that follows does.
fn changed_game(event: &Event) -> Option<GameId> {
    match event {
        Event::Desync(_) | Event::Missed(_) => None,
        event => event.game(),
    }
}
