//! Receiving side of the hub.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::ring::{RingPosition, WakerSlot};
use super::{
    Filter, HubShared, LosslessQueue, LosslessRoom, NewSubscriber, RecvError, SharedEvent, UnreadEvents, WatchSender,
};
use crate::game::Game;
use crate::message::GameId;
use crate::session::SessionCounters;

/// Handle for subscribing to the events of a session. All clones refer to the same session.
#[derive(Clone, Debug)]
pub struct Hub {
    pub(super) shared: Arc<HubShared>,
}

impl Hub {
    /// Subscribes to all later events by broadcast.
    ///
    /// A slow subscriber does not delay the session: the oldest unread events are dropped beyond the limit of
    /// [`HubPublisher::max_kept_events`](super::HubPublisher::max_kept_events), and counted. Not counted are the events that were
    /// published together with the last received one, at most 128: the subscription keeps them. After the end of the session, the
    /// subscription is closed.
    pub fn subscribe(&self) -> Subscription {
        Subscription::broadcast(&self.shared)
    }

    /// Subscribes to all later events without loss.
    ///
    /// While `capacity` events are unread (0 counts as 1), the session does not read from the server, until this subscriber
    /// receives an event or is dropped. The events of one turn, at most 128, are published together, so that up to 127 more may be
    /// unread. A server closes the connection of a client that does not read. At the end of a session that
    /// does not wait, the subscription returns the number of events that it does not receive.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        let (sender, subscription) = Subscription::lossless(capacity);
        self.queue_and_notify_publisher(NewSubscriber::Lossless(sender));
        subscription
    }

    /// Waits for a snapshot of all games, and subscribes by broadcast to exactly the events after it, as
    /// [`subscribe`](Self::subscribe) does.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] if the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future cancels the subscription.
    pub async fn subscribe_with_games(&self) -> Result<SubscriptionWithGames, RecvError> {
        self.subscribe_after_snapshot(None).await
    }

    /// Waits for a snapshot of all games, and subscribes without loss to exactly the events after it, as
    /// [`subscribe_lossless`](Self::subscribe_lossless) does.
    ///
    /// # Errors
    ///
    /// As [`subscribe_with_games`](Self::subscribe_with_games).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future cancels the subscription.
    pub async fn subscribe_lossless_with_games(&self, capacity: usize) -> Result<SubscriptionWithGames, RecvError> {
        self.subscribe_after_snapshot(Some(capacity)).await
    }

    /// Watches the state of one game, whether or not the session knows the game yet.
    pub fn watch_game(&self, id: GameId) -> GameWatch {
        let (sender, receiver) = watch::channel(None);
        self.queue_and_notify_publisher(NewSubscriber::Watch(WatchSender { id, newest: sender }));
        GameWatch { id, newest: receiver, waiting: None }
    }

    /// Returns the totals of the session, which include every event that a subscriber has received.
    pub fn counters(&self) -> SessionCounters {
        self.shared.lock_state().counters
    }

    /// Returns the number of events that broadcast subscribers have missed so far: the sum over all subscribers, including
    /// dropped ones.
    pub fn missed_events(&self) -> u64 {
        self.shared.lock_state().ring.n_missed
    }

    /// Returns the number of events that lossless subscribers did not receive because their queues were full at the end of the
    /// session: the sum over all of them.
    pub fn undelivered_events(&self) -> u64 {
        self.shared.n_undelivered.load(Ordering::Relaxed)
    }

    /// Waits until the publisher returns a snapshot and a subscription; `capacity` is that of a lossless queue, `None` for a
    /// broadcast.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the publisher drops the subscription if the future was dropped.
    async fn subscribe_after_snapshot(&self, capacity: Option<usize>) -> Result<SubscriptionWithGames, RecvError> {
        let (sender, receiver) = oneshot::channel();
        self.queue_and_notify_publisher(NewSubscriber::WithGames { capacity, reply: sender });
        receiver.await.map_err(|_| RecvError::Closed)
    }

    /// Queues a new subscriber, and wakes the publisher. If the publisher was dropped, drops the new subscriber, which closes its
    /// subscription.
    ///
    /// Where the list would be reallocated, first removes dropped subscribers: the publisher does not empty the list while it
    /// waits for a lossless subscriber, so it could grow without limit.
    fn queue_and_notify_publisher(&self, new_subscriber: NewSubscriber) {
        let mut state = self.shared.lock_state();
        if state.closed {
            return;
        }
        if state.new_subscribers.len() == state.new_subscribers.capacity() {
            state.new_subscribers.retain(|new_subscriber| !new_subscriber.is_dropped());
        }
        state.new_subscribers.push(new_subscriber);
        self.shared.subscriber_added.notify_one();
    }
}

/// The games of a session, and a subscription to exactly the events after that state.
#[derive(Debug)]
#[non_exhaustive]
pub struct SubscriptionWithGames {
    /// Every game that the session keeps, also if it is over or was left.
    pub games: Vec<Arc<Game>>,
    /// The events that follow.
    pub events: Subscription,
}

/// Receiver of the events of a session, in the order in which they were published.
#[derive(Debug)]
pub struct Subscription {
    receiver: EventReceiver,
    /// Unread events of the last batch that was taken from the receiver.
    taken: Option<UnreadEvents>,
    /// Filter on the events; `None` accepts every event.
    filter: Option<Box<Filter>>,
    /// Number of events that this subscriber has missed.
    n_missed: u64,
}

/// Receiving half of a subscription: the shared ring, or a queue for this subscriber alone.
#[derive(Debug)]
enum EventReceiver {
    Broadcast(RingReader),
    Lossless(QueueReader),
}

impl Subscription {
    /// Creates a subscription that reads the ring, starting after the last event.
    pub(super) fn broadcast(shared: &Arc<HubShared>) -> Self {
        let mut state = shared.lock_state();
        let (position, slot) = (state.ring.add_reader(), state.waiters.add_slot());
        Self::new(EventReceiver::Broadcast(RingReader { shared: Arc::clone(shared), position, slot }))
    }

    /// Creates a subscription with its own queue of `capacity` events; 0 counts as 1. Returns the sender of the queue too.
    pub(super) fn lossless(capacity: usize) -> (LosslessQueue, Self) {
        let (events, queue) = mpsc::unbounded_channel();
        let room = Arc::new(LosslessRoom {
            capacity: capacity.max(1),
            n_unread: AtomicUsize::new(0),
            n_undelivered: AtomicU64::new(0),
            freed: Notify::new(),
        });
        let reader = QueueReader { queue, room: Arc::clone(&room) };
        (LosslessQueue { events, room }, Self::new(EventReceiver::Lossless(reader)))
    }

    const fn new(receiver: EventReceiver) -> Self {
        Self { receiver, taken: None, filter: None, n_missed: 0 }
    }

    /// Skips all events that the filter does not accept; replaces an earlier filter.
    ///
    /// The filter is applied on receipt: skipped events count as missed if they are dropped, and occupy a lossless queue until a
    /// call such as [`recv`](Self::recv) skips them.
    #[must_use]
    pub fn only(self, filter: Filter) -> Self {
        Self { filter: Some(Box::new(filter)), ..self }
    }

    /// Waits for the next event that the filter accepts, and ignores gaps; `None` once the session is over and its last event was
    /// read.
    ///
    /// [`missed`](Self::missed) returns the number of events lost in gaps. [`recv`](Self::recv) reports each gap at its place in
    /// the stream.
    ///
    /// ```
    /// # use kibitzer_core::hub::Subscription;
    /// async fn show(mut events: Subscription) {
    ///     while let Some(event) = events.next().await {
    ///         println!("{}", event.raw().escape_ascii());
    ///     }
    ///     println!("the session is over; {} events were missed", events.missed());
    /// }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no event.
    pub async fn next(&mut self) -> Option<SharedEvent> {
        poll_fn(|context| self.poll_event(context)).await
    }

    /// Returns the number of events that this subscriber has missed so far because it was slow, including those that its filter
    /// would have skipped. A lossless subscription misses events only at the end of a session that did not wait for it.
    ///
    /// Gaps after the last received event are not included yet.
    pub const fn missed(&self) -> u64 {
        self.n_missed
    }

    /// Waits for the next event that the filter accepts.
    ///
    /// # Errors
    ///
    /// [`RecvError::Lagged`] if events were dropped because this subscriber was slow; the next call continues with the oldest
    /// event that was kept. A lossless subscription lags only once, at the end of a session that did not wait for it: the events
    /// after the last received one were dropped. [`RecvError::Closed`] once the session is over and its last event was read; all
    /// later calls return it too.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready loses no event.
    pub async fn recv(&mut self) -> Result<SharedEvent, RecvError> {
        poll_fn(|context| self.poll_recv(context)).await
    }

    /// Returns the next event that the filter accepts, without waiting; `None` where [`recv`](Self::recv) would wait.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<Option<SharedEvent>, RecvError> {
        loop {
            if let Some(event) = self.next_taken() {
                return Ok(Some(event));
            }
            self.taken = self.receiver.try_take().inspect_err(|error| self.count_missed(*error))?;
            if self.taken.is_none() {
                return Ok(None);
            }
        }
    }

    /// Polls for the result of [`recv`](Self::recv). If nothing is available, registers the waker of `context`; only the latest one
    /// is woken.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    #[inline]
    pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Result<SharedEvent, RecvError>> {
        loop {
            if let Some(event) = self.next_taken() {
                return Poll::Ready(Ok(event));
            }
            ready!(self.poll_take(context))?;
        }
    }

    /// Takes the next batch from the receiver.
    #[inline(never)]
    fn poll_take(&mut self, context: &mut Context<'_>) -> Poll<Result<(), RecvError>> {
        let taken = ready!(self.receiver.poll_take(context)).inspect_err(|error| self.count_missed(*error))?;
        self.taken = Some(taken);
        Poll::Ready(Ok(()))
    }

    /// Returns the next event of the taken batch that the filter accepts; `None` if none is left.
    #[inline]
    fn next_taken(&mut self) -> Option<SharedEvent> {
        let n_unread = self.taken.as_ref()?.len();
        if let Some(filter) = &self.filter {
            UnreadEvents::skip_rejected(&mut self.taken, filter);
        }
        let event = UnreadEvents::pop(&mut self.taken);
        if let EventReceiver::Lossless(reader) = &self.receiver {
            reader.room.note_read(n_unread - self.taken.as_ref().map_or(0, UnreadEvents::len));
        }
        event
    }

    /// Polls for what [`next`](Self::next) returns.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<SharedEvent>> {
        loop {
            match ready!(self.poll_recv(context)) {
                Ok(event) => return Poll::Ready(Some(event)),
                Err(RecvError::Lagged { .. }) => {}
                Err(RecvError::Closed) => return Poll::Ready(None),
            }
        }
    }

    const fn count_missed(&mut self, error: RecvError) {
        if let RecvError::Lagged { missed } = error {
            self.n_missed += missed;
        }
    }
}

/// The events of [`next`](Subscription::next).
#[cfg(feature = "stream")]
impl futures_core::Stream for Subscription {
    type Item = SharedEvent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<SharedEvent>> {
        self.get_mut().poll_event(context)
    }
}

impl EventReceiver {
    /// Returns the next events without waiting; `None` if there are none yet.
    fn try_take(&mut self) -> Result<Option<UnreadEvents>, RecvError> {
        match self {
            Self::Broadcast(reader) => reader.shared.lock_state().take_at_or_closed(&mut reader.position).transpose(),
            Self::Lossless(QueueReader { queue, room }) => match queue.try_recv() {
                Ok(events) => Ok(Some(events)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(lag_or_closed(&room.n_undelivered)),
            },
        }
    }

    fn poll_take(&mut self, context: &mut Context<'_>) -> Poll<Result<UnreadEvents, RecvError>> {
        match self {
            Self::Broadcast(reader) => reader.poll_take(context),
            Self::Lossless(QueueReader { queue, room }) => {
                queue.poll_recv(context).map(|events| events.ok_or_else(|| lag_or_closed(&room.n_undelivered)))
            }
        }
    }
}

/// Returns the number of undelivered events as a lag, and resets it; [`RecvError::Closed`] if it is 0.
#[cold]
fn lag_or_closed(n_undelivered: &AtomicU64) -> RecvError {
    match n_undelivered.swap(0, Ordering::Relaxed) {
        0 => RecvError::Closed,
        missed => RecvError::Lagged { missed },
    }
}

/// Reader of the queue of one lossless subscriber. Dropping it wakes a publisher that waits for room.
#[derive(Debug)]
struct QueueReader {
    queue: mpsc::UnboundedReceiver<UnreadEvents>,
    room: Arc<LosslessRoom>,
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        self.queue.close();
        self.room.freed.notify_one();
    }
}

/// Reader of the ring for one broadcast subscriber. Dropping it frees its position and its slot.
#[derive(Debug)]
struct RingReader {
    shared: Arc<HubShared>,
    /// Position of the next batch in the ring.
    position: RingPosition,
    /// Index of its slot in the waiters.
    slot: usize,
}

impl RingReader {
    fn poll_take(&mut self, context: &Context<'_>) -> Poll<Result<UnreadEvents, RecvError>> {
        let mut state = self.shared.lock_state();
        if let Some(result) = state.take_at_or_closed(&mut self.position) {
            return Poll::Ready(result);
        }
        state.waiters.store_waker(self.slot, context.waker());
        Poll::Pending
    }
}

impl Drop for RingReader {
    fn drop(&mut self) {
        let mut state = self.shared.lock_state();
        state.ring.remove_reader(self.position);
        state.waiters.set_slot(self.slot, WakerSlot::Free);
    }
}

/// Receiver of the newest state of one game; earlier states that were not read are skipped.
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
pub struct GameWatch {
    id: GameId,
    newest: watch::Receiver<Option<Arc<Game>>>,
    /// The wait of [`poll_changed`](Self::poll_changed), on a copy of the receiver: a wait that is dropped forgets its waker.
    waiting: Option<ChangeWait>,
}

type ChangeWait = Pin<Box<dyn Future<Output = Result<(), RecvError>> + Send + Sync>>;

impl fmt::Debug for GameWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameWatch").field("id", &self.id).field("newest", &self.newest).finish_non_exhaustive()
    }
}

impl GameWatch {
    /// Returns the number that the watched game had when the watch was created.
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// Returns the newest state, and marks it as seen. It is at least as new as every event that was received before.
    ///
    /// `None` if the session does not know the game, or has not processed this watch yet. A new connection resets the state to
    /// `None` until [`Event::Restored`](crate::Event::Restored). Then the watch follows its game, perhaps under another number; if the game was not found,
    /// the next game with its number.
    pub fn latest(&mut self) -> Option<Arc<Game>> {
        self.newest.borrow_and_update().clone()
    }

    /// Waits for a state that was not seen yet, and marks it as seen. [`latest`](Self::latest) returns it.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] once the session is over and the last state was seen.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future before it is ready marks no state as seen.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        self.newest.changed().await.map_err(|_| RecvError::Closed)
    }

    /// Polls for the result of [`changed`](Self::changed). If there is no state that was not seen yet, registers the waker of
    /// `context`; only the latest one is woken. Each wait allocates memory, unlike `changed`.
    ///
    /// # Errors
    ///
    /// As [`changed`](Self::changed).
    pub fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<Result<(), RecvError>> {
        loop {
            let waiting = self.waiting.get_or_insert_with(|| {
                let mut newest = self.newest.clone();
                Box::pin(async move { newest.changed().await.map_err(|_| RecvError::Closed) })
            });
            let changed = ready!(waiting.as_mut().poll(context));
            self.waiting = None;
            // The state may have been seen since the wait began.
            if changed.is_err() || self.newest.has_changed().unwrap_or(true) {
                self.newest.mark_unchanged();
                return Poll::Ready(changed);
            }
        }
    }
}
