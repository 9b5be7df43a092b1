//! The subscribers' end.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{Semaphore, mpsc, watch};

use super::{Newcomer, RecvError, Shared};
use crate::event::Event;
use crate::game::Game;
use crate::message::GameId;

/// Where to subscribe to the events of a session. Clones are the same hub.
#[derive(Clone, Debug)]
pub struct Hub {
    shared: Arc<Shared>,
}

impl Hub {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The events from now on; some will be missed, and counted, if this subscriber is slow. It slows nobody down.
    pub fn subscribe(&self) -> Subscription {
        Subscription { delivery: Delivery::Broadcast(RingReader::new(Arc::clone(&self.shared))) }
    }

    /// The events from now on, every one of them.
    ///
    /// Once `capacity` of them (at least 1) are unread, the session stops reading from the server until this subscriber
    /// goes on or is dropped. A server ends the connection of a client that does not read.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        let (sender, receiver) = mpsc::channel(capacity.clamp(1, Semaphore::MAX_PERMITS));
        self.join(Newcomer::Lossless(sender));
        Subscription { delivery: Delivery::Lossless(receiver) }
    }

    /// The state of one game, whenever it changes.
    ///
    /// The game may be one the session does not follow (yet).
    pub fn watch_game(&self, id: GameId) -> GameWatch {
        let (sender, receiver) = watch::channel(None);
        self.join(Newcomer::Watch(id, sender));
        GameWatch { id, newest: receiver }
    }

    /// Hands the sending end to the publisher. If there is none any more, the end is dropped, which closes the subscription.
    fn join(&self, newcomer: Newcomer) {
        let mut state = self.shared.state();
        if !state.closed {
            state.newcomers.push(newcomer);
            self.shared.joined.notify_one();
        }
    }
}

/// The events of a session, in order.
#[derive(Debug)]
pub struct Subscription {
    delivery: Delivery,
}

#[derive(Debug)]
enum Delivery {
    Broadcast(RingReader),
    Lossless(mpsc::Receiver<Arc<Event>>),
}

impl Subscription {
    /// Waits for the next event of this session.
    ///
    /// # Errors
    ///
    /// [`RecvError::Lagged`] after `missed` events were dropped because this subscriber was slow; the next call continues
    /// with the oldest one kept. A lossless subscription never lags. [`RecvError::Closed`] once the session is over and its
    /// last event was read, for good.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no event.
    pub async fn next(&mut self) -> Result<Arc<Event>, RecvError> {
        match &mut self.delivery {
            Delivery::Broadcast(reader) => poll_fn(|context| reader.poll_next(context)).await,
            Delivery::Lossless(queue) => queue.recv().await.ok_or(RecvError::Closed),
        }
    }

    /// The next event if it is there already: `None` where [`next`](Self::next) would wait.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn try_next(&mut self) -> Result<Option<Arc<Event>>, RecvError> {
        match &mut self.delivery {
            Delivery::Broadcast(reader) => reader.try_next().transpose(),
            Delivery::Lossless(queue) => match queue.try_recv() {
                Ok(event) => Ok(Some(event)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(RecvError::Closed),
            },
        }
    }
}

/// A broadcast subscriber: where it is in the ring, and its slot among those who wait.
#[derive(Debug)]
struct RingReader {
    shared: Arc<Shared>,
    position: u64,
    slot: usize,
}

impl RingReader {
    fn new(shared: Arc<Shared>) -> Self {
        let mut state = shared.state();
        let (position, slot) = (state.ring.join(), state.waiters.join());
        drop(state);
        Self { shared, position, slot }
    }

    fn try_next(&mut self) -> Option<Result<Arc<Event>, RecvError>> {
        self.shared.state().read(&mut self.position)
    }

    fn poll_next(&mut self, context: &Context<'_>) -> Poll<Result<Arc<Event>, RecvError>> {
        let mut state = self.shared.state();
        if let Some(result) = state.read(&mut self.position) {
            return Poll::Ready(result);
        }
        state.waiters.wait(self.slot, context.waker());
        Poll::Pending
    }
}

impl Drop for RingReader {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.ring.leave(self.position);
        state.waiters.leave(self.slot);
    }
}

/// The newest state of one game.
///
/// ```
/// # use kibitzer_core::hub::{GameWatch, RecvError};
/// async fn follow(mut watch: GameWatch) {
///     loop {
///         if let Some(game) = watch.latest() {
///             println!("{}", game.position().fen());
///         }
///         if watch.changed().await == Err(RecvError::Closed) {
///             break;
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct GameWatch {
    id: GameId,
    newest: watch::Receiver<Option<Arc<Game>>>,
}

impl GameWatch {
    /// Which game.
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// The newest state, which counts as seen; `None` if the session knows nothing of the game, or has not
    /// heard of this watch yet.
    pub fn latest(&mut self) -> Option<Arc<Game>> {
        self.newest.borrow_and_update().clone()
    }

    /// Waits until there is a state that was not seen. States in between are skipped.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] once the session is over and its last state was seen.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future leaves the state unseen.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        self.newest.changed().await.map_err(|_| RecvError::Closed)
    }
}
