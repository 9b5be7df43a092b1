//! Delivery of events to subscribers, each with a delivery mode of its choice.
//!
//! The session owns the [`HubPublisher`] and publishes every event through it. All other code subscribes through a clone of its
//! [`Hub`]:
//!
//! | delivery | subscribe with | a slow subscriber |
//! |---|---|---|
//! | broadcast | [`Hub::subscribe`] | misses events, and receives their number |
//! | lossless | [`Hub::subscribe_lossless`] | stops the session from reading |
//! | latest | [`Hub::watch_game`] | skips states of the game, and receives the newest |
//!
//! The subscribers may run on any threads. Once one of them has received an event, every [`GameWatch`], every snapshot and the
//! [counters](Hub::counters) are at least as new as that event; they may be newer. The event of the end of a game carries its
//! final state ([`Change::ended_game`](crate::game::Change::ended_game)), because the watch may already show the next game with
//! that number.
//!
//! A subscriber receives only events that are published after it subscribed. [`Hub::subscribe_with_games`] returns a snapshot of
//! all games together with the subscription, for subscribers that join a running session.
//!
//! [`Subscription::only`] applies a [`Filter`] to a subscription.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use kibitzer_core::EventReader;
//! use kibitzer_core::hub::{HubPublisher, RecvError};
//!
//! let mut publisher = HubPublisher::new(1_024);
//! let mut subscription = publisher.hub().subscribe();
//!
//! let mut events = EventReader::default();
//! let mut read = &b"Foo shouts: hello\n\rfics% "[..];
//! while let Some(event) = events.next(&mut read) {
//!     publisher.publish(event, events.games()).await;
//! }
//! drop(publisher);
//!
//! assert_eq!(subscription.recv().await.unwrap().raw(), b"Foo shouts: hello");
//! assert_eq!(subscription.recv().await.unwrap().raw(), b"");
//! assert_eq!(subscription.recv().await, Err(RecvError::Closed));
//! # }
//! ```

mod batch;
mod filter;
mod publisher;
mod ring;
mod subscription;
#[cfg(test)]
mod tests;

pub use batch::SharedEvent;
pub use filter::Filter;
pub use publisher::HubPublisher;
pub use subscription::{GameWatch, Hub, Subscription, SubscriptionWithGames};

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use self::batch::UnreadEvents;
use self::ring::{EventRing, RingPosition, Waiters};
use crate::game::Game;
use crate::message::GameId;
use crate::session::SessionCounters;

/// Error of a wait for an event, for a new state of a game, or for a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum RecvError {
    /// The subscriber was slow, and events were dropped. The next call continues with the oldest event that was kept.
    #[error("{missed} events were missed")]
    Lagged {
        /// Number of events that were dropped since the last event that this subscriber read.
        missed: u64,
    },
    /// The session is over, and every event was read. All later calls return this error too.
    #[error("the session is over")]
    Closed,
}

/// State shared by the publisher, the hubs and the broadcast subscribers.
#[derive(Debug)]
struct HubShared {
    state: Mutex<HubState>,
    /// Wakes [`HubPublisher::wait_for_new_subscribers`] after a subscriber has been added to the state.
    subscriber_added: Notify,
    /// Sum over all lossless subscribers of the events that they do not receive.
    n_undelivered: AtomicU64,
}

/// State in the mutex of [`HubShared`]: the unread events of broadcast subscribers, their wakers, and the new subscribers.
#[derive(Debug)]
struct HubState {
    ring: EventRing,
    waiters: Waiters,
    /// Subscribers that joined after the last event; the publisher has not added them to its own lists yet.
    new_subscribers: Vec<NewSubscriber>,
    /// Totals of the session after the last event.
    counters: SessionCounters,
    /// Whether the publisher was dropped.
    closed: bool,
}

/// Sending half of a lossless subscription.
#[derive(Debug)]
struct LosslessQueue {
    events: mpsc::UnboundedSender<UnreadEvents>,
    room: Arc<LosslessRoom>,
}

/// Numbers of events of a lossless subscription, shared by both halves.
#[derive(Debug)]
struct LosslessRoom {
    /// Number of unread events from which on the publisher waits, at least 1.
    capacity: usize,
    n_unread: AtomicUsize,
    /// Number of events at the end of the session that the subscriber does not receive.
    n_undelivered: AtomicU64,
    /// Wakes the publisher once there is room again, or the subscriber has left.
    freed: Notify,
}

impl LosslessQueue {
    /// Returns whether the publisher has to wait for the subscriber.
    fn is_full(&self) -> bool {
        self.room.n_unread.load(Ordering::Acquire) >= self.room.capacity && !self.events.is_closed()
    }

    /// Adds events, or counts them as undelivered if the queue is full or earlier events were not delivered. Returns whether the
    /// subscriber still exists.
    fn add_or_count(&self, events: &UnreadEvents, shared: &HubShared) -> bool {
        if self.room.n_undelivered.load(Ordering::Relaxed) == 0 && !self.is_full() {
            self.room.n_unread.fetch_add(events.len(), Ordering::AcqRel);
            return self.events.send(events.clone()).is_ok();
        }
        for counter in [&self.room.n_undelivered, &shared.n_undelivered] {
            counter.fetch_add(events.len() as u64, Ordering::Relaxed);
        }
        !self.events.is_closed()
    }
}

impl LosslessRoom {
    /// Records that events were read, and wakes the publisher if it may wait for that.
    fn note_read(&self, n_events: usize) {
        let n_unread = self.n_unread.fetch_sub(n_events, Ordering::AcqRel);
        if n_unread >= self.capacity && n_unread - n_events < self.capacity {
            self.freed.notify_one();
        }
    }
}

/// Sender of the states of one watched game.
#[derive(Debug)]
struct WatchSender {
    id: GameId,
    newest: watch::Sender<Option<Arc<Game>>>,
}

/// Subscriber that [`Hub`] has queued and the [`HubPublisher`] has not admitted yet: the sending half of its channel.
#[derive(Debug)]
enum NewSubscriber {
    Lossless(LosslessQueue),
    Watch(WatchSender),
    /// A subscriber that waits for a snapshot of the games and a subscription, both of which the publisher sends to `reply`.
    WithGames {
        /// Capacity of the lossless queue in events; `None` for a broadcast subscription.
        capacity: Option<usize>,
        reply: oneshot::Sender<SubscriptionWithGames>,
    },
}

impl HubShared {
    /// Locks the state. The lock is held briefly, and never across an `.await`. No holder leaves the state inconsistent when it
    /// panics, so poisoning is ignored.
    fn lock_state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NewSubscriber {
    /// Returns whether the subscriber was dropped.
    fn is_dropped(&self) -> bool {
        match self {
            Self::Lossless(queue) => queue.events.is_closed(),
            Self::Watch(watch) => watch.newest.is_closed(),
            Self::WithGames { reply, .. } => reply.is_closed(),
        }
    }
}

impl HubState {
    /// Returns the events or the lag for a broadcast subscriber at `position`, and advances `position`. Once all events were taken:
    /// `None` while the publisher exists, [`RecvError::Closed`] after it was dropped.
    fn take_at_or_closed(&mut self, position: &mut RingPosition) -> Option<Result<UnreadEvents, RecvError>> {
        self.ring.take_at(position).or_else(|| self.closed.then_some(Err(RecvError::Closed)))
    }
}
