//! The subscribers' end.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use super::{Filter, Latecomer, Newcomer, RecvError, Shared, State};
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
        Subscription::broadcast(&self.shared)
    }

    /// The events from now on, every one of them.
    ///
    /// Once `capacity` of them (at least 1) are unread, the session stops reading from the server until this subscriber
    /// goes on or is dropped. A server ends the connection of a client that does not read.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        let (sender, subscription) = Subscription::lossless(capacity);
        self.join(|state| state.newcomers.push(Newcomer::Lossless(sender)));
        subscription
    }

    /// The current state of every game, and the events after exactly that point, as [`subscribe`](Self::subscribe) has
    /// them.
    ///
    /// Games that are over or were left are among them as long as they are kept.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] if the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future subscribes nobody.
    pub async fn subscribe_with_games(&self) -> Result<(Vec<Arc<Game>>, Subscription), RecvError> {
        self.join_late(None).await
    }

    /// The current state of every game, and every event after exactly that point, as
    /// [`subscribe_lossless`](Self::subscribe_lossless) has them.
    ///
    /// # Errors
    ///
    /// As [`subscribe_with_games`](Self::subscribe_with_games).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future subscribes nobody.
    pub async fn subscribe_lossless_with_games(
        &self,
        capacity: usize,
    ) -> Result<(Vec<Arc<Game>>, Subscription), RecvError> {
        self.join_late(Some(capacity)).await
    }

    /// The state of one game, whenever it changes.
    ///
    /// The game may be one the session does not follow (yet).
    pub fn watch_game(&self, id: GameId) -> GameWatch {
        let (sender, receiver) = watch::channel(None);
        self.join(|state| state.newcomers.push(Newcomer::Watch(id, sender)));
        GameWatch { id, newest: receiver }
    }

    /// How many events slow broadcast subscribers have missed so far, all of them together, those who have left included.
    pub fn missed_events(&self) -> u64 {
        self.shared.state().ring.n_missed()
    }

    /// Waits for the publisher to hand out the games with a subscription.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a subscription that nobody waits for is dropped.
    async fn join_late(&self, capacity: Option<usize>) -> Result<(Vec<Arc<Game>>, Subscription), RecvError> {
        let (sender, receiver) = oneshot::channel();
        self.join(|state| state.latecomers.push(Latecomer { capacity, subscription: sender }));
        receiver.await.map_err(|_| RecvError::Closed)
    }

    /// Hands sending ends to the publisher. If there is none any more, they are dropped, which closes the subscription.
    fn join(&self, queue_up: impl FnOnce(&mut State)) {
        let mut state = self.shared.state();
        if !state.closed {
            state.forget_the_gone();
            queue_up(&mut state);
            self.shared.joined.notify_one();
        }
    }
}

/// The events of a session, in order.
#[derive(Debug)]
pub struct Subscription {
    delivery: Delivery,
    /// What is wanted; `None` is everything.
    filter: Option<Box<Filter>>,
    n_missed: u64,
}

#[derive(Debug)]
enum Delivery {
    Broadcast(RingReader),
    Lossless(mpsc::Receiver<Event>),
}

impl Subscription {
    /// A new reader of the ring, behind everything there is.
    pub(super) fn broadcast(shared: &Arc<Shared>) -> Self {
        Self { delivery: Delivery::Broadcast(RingReader::new(Arc::clone(shared))), filter: None, n_missed: 0 }
    }

    /// A queue of its own; 0 is taken as 1.
    pub(super) fn lossless(capacity: usize) -> (mpsc::Sender<Event>, Self) {
        let (sender, receiver) = mpsc::channel(capacity.clamp(1, Semaphore::MAX_PERMITS));
        (sender, Self { delivery: Delivery::Lossless(receiver), filter: None, n_missed: 0 })
    }

    /// Leaves out every event that the filter does not accept, instead of what an earlier filter did not.
    ///
    /// An event that is left out was delivered all the same: it is counted where some were missed, and takes room in a
    /// lossless queue until it is skipped by the next [`next`](Self::next).
    #[must_use]
    pub fn only(self, filter: Filter) -> Self {
        Self { filter: Some(Box::new(filter)), ..self }
    }

    /// Waits for the next event of this session, over gaps: `None` once the session is over and its last event was read.
    ///
    /// How many events the gaps have swallowed is told by [`missed`](Self::missed). Who wants to know of each gap where it
    /// is uses [`next`](Self::next).
    ///
    /// ```
    /// # use kibitzer_core::hub::Subscription;
    /// async fn show(mut events: Subscription) {
    ///     while let Some(event) = events.next_event().await {
    ///         println!("{}", event.raw().escape_ascii());
    ///     }
    ///     println!("the session is over; {} events were missed", events.missed());
    /// }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no event.
    pub async fn next_event(&mut self) -> Option<Event> {
        loop {
            match self.next().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged { .. }) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// How many events this subscriber has missed so far because it was slow, those that its filter would have left out
    /// included. Exact for all that is in front of the event that was taken last; 0 for a lossless subscription.
    pub const fn missed(&self) -> u64 {
        self.n_missed
    }

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
    pub async fn next(&mut self) -> Result<Event, RecvError> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// The next event if it is there already: `None` where [`next`](Self::next) would wait.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn try_next(&mut self) -> Result<Option<Event>, RecvError> {
        loop {
            let next = self.delivery.try_next().inspect_err(|error| self.n_missed += error.missed())?;
            if next.as_ref().is_none_or(|event| self.wants(event)) {
                return Ok(next);
            }
        }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Event, RecvError>> {
        loop {
            let next = ready!(self.delivery.poll_next(context)).inspect_err(|error| self.n_missed += error.missed());
            if next.as_ref().map_or(true, |event| self.wants(event)) {
                return Poll::Ready(next);
            }
        }
    }

    fn wants(&self, event: &Event) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.accepts(event))
    }
}

impl Delivery {
    fn try_next(&mut self) -> Result<Option<Event>, RecvError> {
        match self {
            Self::Broadcast(reader) => reader.try_next().transpose(),
            Self::Lossless(queue) => match queue.try_recv() {
                Ok(event) => Ok(Some(event)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(RecvError::Closed),
            },
        }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Event, RecvError>> {
        match self {
            Self::Broadcast(reader) => reader.poll_next(context),
            Self::Lossless(queue) => queue.poll_recv(context).map(|event| event.ok_or(RecvError::Closed)),
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

    fn try_next(&mut self) -> Option<Result<Event, RecvError>> {
        self.shared.state().read(&mut self.position)
    }

    fn poll_next(&mut self, context: &Context<'_>) -> Poll<Result<Event, RecvError>> {
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
    /// heard of this watch yet. A new connection knows nothing of it until it is followed there.
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
