//! Sending side of the hub.

use std::borrow::Borrow;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::task::Waker;

use tokio::sync::Notify;

use super::subscription::{Hub, Subscription, SubscriptionWithGames};
use super::{
    EventRing, HubShared, HubState, LosslessQueue, NewSubscriber, SharedEvent, UnreadEvents, Waiters, WatchSender,
};
use crate::event::{Event, Restored};
use crate::game::{Game, Games};
use crate::message::GameId;
use crate::session::SessionCounters;

/// Number of batches after a silence from which on their memory is kept for later ones: the answer to a probe has fewer.
const MIN_REUSED_BATCHES: u32 = 8;

/// Sender of the events of a session. Dropping it closes every subscription after its last event.
#[derive(Debug)]
pub struct HubPublisher {
    pub(super) shared: Arc<HubShared>,
    pub(super) lossless: Vec<LosslessQueue>,
    pub(super) watches: Vec<WatchSender>,
    /// Buffer for wakers, empty between publications; stored to reuse its allocation.
    woken: Vec<Waker>,
    /// The last batches whose memory may be reused once no subscriber has a handle of them, the older one first.
    recent: [Option<Arc<Vec<Event>>>; 2],
    /// Number of batches since the last silence, at most [`MIN_REUSED_BATCHES`].
    n_batches: u32,
}

impl HubPublisher {
    /// Creates a publisher without subscribers, which keeps at most `kept_events` events for broadcast subscribers that have not
    /// read them; 0 counts as 1.
    pub fn new(kept_events: usize) -> Self {
        let state = HubState {
            ring: EventRing::new(kept_events),
            waiters: Waiters::default(),
            new_subscribers: Vec::new(),
            counters: SessionCounters::default(),
            closed: false,
        };
        let (subscriber_added, n_undelivered) = (Notify::new(), AtomicU64::new(0));
        Self {
            shared: Arc::new(HubShared { state: Mutex::new(state), subscriber_added, n_undelivered }),
            lossless: Vec::new(),
            watches: Vec::new(),
            woken: Vec::new(),
            recent: [None, None],
            n_batches: 0,
        }
    }

    /// Returns a handle for subscribing to this publisher.
    pub fn hub(&self) -> Hub {
        Hub { shared: Arc::clone(&self.shared) }
    }

    /// Returns the maximum number of unread events kept for broadcast subscribers; at least 1.
    pub fn max_kept_events(&self) -> usize {
        self.shared.lock_state().ring.limit as usize
    }

    /// Sets the totals that [`Hub::counters`] returns, without an event.
    pub fn set_counters(&self, counters: SessionCounters) {
        self.shared.lock_state().counters = counters;
    }

    /// Sends an event to every subscriber, and before that the new state of the game that it changed to the watches of that game.
    /// An [`Event::Connected`] resets every watch to `None`; from [`Event::Restored`] on, a watch follows its game under its new number.
    ///
    /// `games` is the state of all games after the event. Waits only while the queue of a lossless subscriber is full.
    /// Subscribers share the event; it becomes a [`SharedEvent`] only if there are any.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropping the future before it is ready drops the event, and no subscriber receives it.
    pub async fn publish(&mut self, event: impl Borrow<Event> + Into<SharedEvent>, games: &Games) {
        self.wait_for_room().await;
        self.publish_where_room(event, games, None);
    }

    /// Waits until every lossless subscriber has room. The room remains, because only this publisher fills the queues.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it changes nothing.
    pub async fn wait_for_room(&self) {
        for queue in &self.lossless {
            while queue.is_full() {
                queue.room.freed.notified().await;
            }
        }
    }

    /// Returns whether every lossless subscriber has room for the next event or batch.
    pub fn has_room(&self) -> bool {
        !self.lossless.iter().any(LosslessQueue::is_full)
    }

    /// Publishes an event as [`publish`](Self::publish) does, but fails instead of waiting. [`Hub::counters`] returns `counters`,
    /// the totals after the event, before a subscriber receives it.
    ///
    /// # Errors
    ///
    /// Returns the event if the queue of a lossless subscriber is full; no subscriber has received it.
    pub fn try_publish<E: Borrow<Event> + Into<SharedEvent>>(
        &mut self,
        event: E,
        games: &Games,
        counters: &SessionCounters,
    ) -> Result<(), E> {
        if !self.has_room() {
            return Err(event);
        }
        self.publish_where_room(event, games, Some(counters));
        Ok(())
    }

    /// Publishes events in one step, as [`publish_where_room`](Self::publish_where_room) does with one: with one lock and one
    /// wake-up of each waiting subscriber. `games` and `counters` are those after the last event. Does nothing without events.
    ///
    /// A lossless subscriber with room receives all of them, also if they are more than its capacity. A watch receives the state
    /// after the last event.
    ///
    /// Leaves events in `events` whose memory the caller may reuse, or none: earlier ones that no subscriber has any more, or, without
    /// subscribers, the given ones. The caller must remove them before it adds others.
    pub fn publish_batch(&mut self, events: &mut Vec<Event>, games: &Games, counters: &SessionCounters) {
        if events.is_empty() {
            return;
        }
        self.n_batches = MIN_REUSED_BATCHES.min(self.n_batches + 1);
        // A handle that a subscriber keeps is never overwritten: `get_mut` succeeds without any.
        let is_unused = |batch: &mut Arc<_>| Arc::get_mut(batch).is_some();
        let unused = self.recent.iter_mut().rev().find_map(|recent| recent.take_if(is_unused));
        let is_report = self.update_watches(events, games);
        let mut published = None;
        let share = || {
            let mut batch = unused.unwrap_or_default();
            if let Some(unused) = Arc::get_mut(&mut batch) {
                std::mem::swap(unused, events);
            }
            published = Some(Arc::clone(&batch));
            UnreadEvents::all(batch)
        };
        let dropped = self.deliver(share, is_report, games, Some(counters));
        if self.n_batches < MIN_REUSED_BATCHES {
            *events = Vec::new();
        } else if published.is_some() {
            let [older, newer] = &mut self.recent;
            *older = dropped.or(newer.take());
            *newer = published;
        }
    }

    /// Frees the memory that is kept for later batches.
    pub fn release_memory(&mut self) {
        self.recent = [None, None];
        self.n_batches = 0;
    }

    /// Waits until a subscriber has joined since the last call; may return although it was admitted already. The caller then
    /// calls [`admit_new_subscribers`](Self::admit_new_subscribers).
    ///
    /// [`publish`](Self::publish) adds new subscribers too, but a snapshot of the games must not wait for the next event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future loses no subscriber.
    pub async fn wait_for_new_subscribers(&self) {
        self.shared.subscriber_added.notified().await;
    }

    /// Adds the subscribers that have joined and were not added yet, and sends a snapshot of the games to those that requested
    /// one.
    ///
    /// `games` is the state of all games after the last published event.
    pub fn admit_new_subscribers(&mut self, games: &Games) {
        let new_subscribers = std::mem::take(&mut self.shared.lock_state().new_subscribers);
        self.admit_with_requested_games(new_subscribers, games);
    }

    /// Publishes an event without waiting, as at the end of a session: a lossless subscriber whose queue is full receives neither
    /// this event nor later ones.
    ///
    /// Before [`RecvError::Closed`](super::RecvError::Closed), the subscriber receives their number as a lag;
    /// [`Hub::undelivered_events`] returns the sum for all. [`Hub::counters`] returns `counters` from now on, if there are any.
    pub fn publish_where_room(
        &mut self,
        event: impl Borrow<Event> + Into<SharedEvent>,
        games: &Games,
        counters: Option<&SessionCounters>,
    ) {
        let is_report = self.update_watches(std::slice::from_ref(event.borrow()), games);
        self.deliver(|| event.into().into(), is_report, games, counters);
    }

    /// Sends the new states of the games that the events changed to their watches. Returns whether the last event is a report on the
    /// one that follows.
    ///
    /// A subscriber on another thread may receive the events as soon as they are in the ring. The watches are updated before, so that
    /// none is older than an event that was received.
    fn update_watches(&mut self, events: &[Event], games: &Games) -> bool {
        let is_report = |event: &Event| matches!(event, Event::Desync(_) | Event::Missed { .. });
        let ends_with_report = events.last().is_some_and(is_report);
        if self.watches.is_empty() {
            return ends_with_report;
        }
        let mut changed = Vec::new();
        for event in events {
            // The games already include the change by the event that follows a report. While games are restored, a number may belong
            // to another game.
            let is_settled = !is_report(event) && event.change().is_none_or(|change| !change.is_by_restoration());
            changed.extend(event.affected_game().filter(|id| is_settled && !changed.contains(id)));
            if matches!(event, Event::Connected) {
                // A new connection knows no games, and may use the same numbers for other games.
                changed.clear();
                self.watches
                    .iter()
                    .for_each(|watch| _ = watch.newest.send_if_modified(|newest| newest.take().is_some()));
            }
            if let Event::Restored(restored) = event {
                self.renumber_watches(restored, games);
            }
        }
        for id in changed {
            self.send_game_to_its_watches(id, games);
        }
        ends_with_report
    }

    /// Delivers the events that `share` returns, which is called only if there are subscribers. Returns the last batch that the ring
    /// has dropped for them.
    fn deliver(
        &mut self,
        share: impl FnOnce() -> UnreadEvents,
        is_report: bool,
        games: &Games,
        counters: Option<&SessionCounters>,
    ) -> Option<Arc<Vec<Event>>> {
        let mut with_games = Vec::new();
        let mut state = self.shared.lock_state();
        while !state.new_subscribers.is_empty() {
            let joined = std::mem::take(&mut state.new_subscribers).into_iter();
            drop(state);
            let (requests, others) = joined.partition(|joined| matches!(joined, NewSubscriber::WithGames { .. }));
            with_games.extend::<Vec<_>>(requests);
            self.admit_with_requested_games(others, games);
            state = self.shared.lock_state();
        }
        state.counters = counters.copied().unwrap_or(state.counters);
        let has_queues = !self.lossless.is_empty();
        let has_readers = state.ring.n_readers > 0;
        let shared = (has_queues || has_readers).then(share);
        let for_queues = if has_queues { shared.clone() } else { None };
        let mut dropped = None;
        if let Some(events) = shared.filter(|_| has_readers) {
            dropped = state.ring.push(events);
            state.waiters.take_wakers(&mut self.woken);
        }
        drop(state);
        self.woken.drain(..).for_each(Waker::wake);
        if let Some(events) = for_queues {
            self.lossless.retain(|queue| queue.add_or_count(&events, &self.shared));
        }
        if !is_report {
            // The snapshot already contains the effect of the events, so these subscribers must not receive the events.
            self.admit_with_requested_games(with_games, games);
        } else if !with_games.is_empty() {
            self.shared.lock_state().new_subscribers.extend(with_games);
        }
        dropped
    }

    /// Adds new subscribers; if there are any, first removes those that were dropped.
    ///
    /// A watch receives the current state of its game. A subscriber that waits for a snapshot receives all games, and a
    /// subscription to the events after them. A lossless queue receives only later events.
    fn admit_with_requested_games(&mut self, new_subscribers: Vec<NewSubscriber>, games: &Games) {
        if new_subscribers.is_empty() {
            return;
        }
        self.lossless.retain(|queue| !queue.events.is_closed());
        self.watches.retain(|watch| !watch.newest.is_closed());
        let mut snapshot = None;
        for new_subscriber in new_subscribers.into_iter().filter(|new_subscriber| !new_subscriber.is_dropped()) {
            match new_subscriber {
                NewSubscriber::Lossless(queue) => self.lossless.push(queue),
                NewSubscriber::Watch(watch) => {
                    if let Some(game) = games.get(watch.id) {
                        watch.newest.send_replace(Some(Arc::new(game.clone())));
                    }
                    self.watches.push(watch);
                }
                NewSubscriber::WithGames { capacity, reply } => {
                    let all: &Vec<_> = snapshot.get_or_insert_with(|| games.iter().cloned().map(Arc::new).collect());
                    let events = match capacity {
                        None => Subscription::broadcast(&self.shared),
                        Some(capacity) => {
                            let (queue, events) = Subscription::lossless(capacity);
                            self.lossless.push(queue);
                            events
                        }
                    };
                    // If the requesting future was dropped, `send` returns the subscription, which is dropped here.
                    drop(reply.send(SubscriptionWithGames { games: all.clone(), events }));
                }
            }
        }
    }

    /// Lets the watches of restored games follow them under their new numbers, and sends every watch the state of its game.
    fn renumber_watches(&mut self, restored: &Restored, games: &Games) {
        for watch in &mut self.watches {
            let found = restored.games.iter().find(|game| game.was == watch.id);
            let now = found.and_then(|game| game.now.or_else(|| Some(game.ending.as_ref()?.game)));
            watch.id = now.unwrap_or(watch.id);
            let is_current = |game: &&Game| now.is_some() || game.is_followed_and_ongoing();
            if let Some(game) = games.get(watch.id).filter(is_current) {
                watch.newest.send_replace(Some(Arc::new(game.clone())));
            }
        }
    }

    /// Sends the state of a game to its watches, and removes dropped ones. Copies the game only if it has a watch.
    fn send_game_to_its_watches(&mut self, id: GameId, games: &Games) {
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

impl Drop for HubPublisher {
    fn drop(&mut self) {
        let mut state = self.shared.lock_state();
        state.closed = true;
        state.waiters.take_wakers(&mut self.woken);
        // Dropping the senders closes these subscriptions. They are dropped after the lock is released.
        let new_subscribers = std::mem::take(&mut state.new_subscribers);
        drop(state);
        drop(new_subscribers);
        self.woken.drain(..).for_each(Waker::wake);
    }
}
