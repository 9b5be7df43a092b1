//! The session's end.

use std::sync::Arc;
use std::task::Waker;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use super::subscription::Hub;
use super::{HubOptions, Newcomer, Shared};
use crate::event::Event;
use crate::game::{Game, Games};
use crate::message::GameId;

/// The end that events go in at; there is one, and dropping it ends every subscription.
#[derive(Debug)]
pub struct Publisher {
    pub(super) shared: Arc<Shared>,
    pub(super) lossless: Vec<mpsc::Sender<Arc<Event>>>,
    pub(super) watches: Vec<Watch>,
    /// Kept for its memory; empty between events.
    woken: Vec<Waker>,
}

#[derive(Debug)]
pub(super) struct Watch {
    id: GameId,
    newest: watch::Sender<Option<Arc<Game>>>,
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

    /// Gives an event to every subscriber, and the game it changed to those who watch that game.
    ///
    /// `games` are the games as they stand after the event. Waits only while the queue of a lossless subscriber is full.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready publishes the event to nobody.
    pub async fn publish(&mut self, event: Arc<Event>, games: &Games) {
        self.room().await;
        self.send(event, games);
    }

    /// Waits until somebody may have subscribed since the last event. Answer with [`admit`](Self::admit).
    ///
    /// [`publish`](Self::publish) lets them in too, but who watches a game wants its state before the next event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future forgets nobody.
    pub async fn newcomers(&self) {
        self.shared.joined.notified().await;
    }

    /// Lets in who has subscribed since the last event, and gives the newest state to those who watch a game.
    pub fn admit(&mut self, games: &Games) {
        let newcomers = std::mem::take(&mut self.shared.state().newcomers);
        self.admit_all(newcomers, games);
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

    fn send(&mut self, event: Arc<Event>, games: &Games) {
        let changed = changed_game(&event).filter(|_| !self.watches.is_empty());
        let for_queues = self.broadcast(event, games);
        if let Some(event) = for_queues {
            self.lossless.retain(|queue| !matches!(queue.try_send(Arc::clone(&event)), Err(TrySendError::Closed(_))));
        }
        if let Some(id) = changed {
            self.update_watches(id, games);
        }
    }

    /// Lets newcomers in, then gives the event to the broadcast subscribers; returns it if there are queues that want it.
    fn broadcast(&mut self, event: Arc<Event>, games: &Games) -> Option<Arc<Event>> {
        let mut state = self.shared.state();
        let newcomers = std::mem::take(&mut state.newcomers);
        let has_queues = !self.lossless.is_empty() || !newcomers.is_empty();
        let for_queues = has_queues.then(|| Arc::clone(&event));
        if state.ring.has_readers() {
            state.ring.push(event);
            state.waiters.take(&mut self.woken);
        }
        drop(state);
        self.woken.drain(..).for_each(Waker::wake);
        if !newcomers.is_empty() {
            self.admit_all(newcomers, games);
        }
        for_queues
    }

    fn admit_all(&mut self, newcomers: Vec<Newcomer>, games: &Games) {
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
        let newcomers = std::mem::take(&mut state.newcomers);
        drop(state);
        drop(newcomers);
        self.woken.drain(..).for_each(Waker::wake);
    }
}

/// The game that is another since this event. A desync changes none: the event behind it does.
fn changed_game(event: &Event) -> Option<GameId> {
    match event {
        Event::Desync(_) => None,
        event => event.game(),
    }
}
