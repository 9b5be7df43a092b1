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

mod filter;
mod publisher;
mod ring;
mod subscription;
#[cfg(test)]
mod tests;

pub use filter::Filter;
pub use publisher::HubPublisher;
pub use subscription::{GameWatch, Hub, Subscription, SubscriptionWithGames};

use std::borrow::Borrow;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use self::ring::{EventRing, Waiters};
use crate::event::Event;
use crate::game::Game;
use crate::message::GameId;
use crate::session::SessionCounters;

/// An event as all subscribers of a session share it. Cloning it copies a pointer, not the event.
///
/// ```
/// use kibitzer_core::Event;
/// use kibitzer_core::hub::SharedEvent;
///
/// let event = SharedEvent::from(Event::Connected);
/// assert!(matches!(&*event, Event::Connected));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedEvent(Arc<Event>);

impl Deref for SharedEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.0
    }
}

impl Borrow<Event> for SharedEvent {
    fn borrow(&self) -> &Event {
        self
    }
}

impl AsRef<Event> for SharedEvent {
    fn as_ref(&self) -> &Event {
        self
    }
}

/// Writes the [`Event`].
#[cfg(feature = "serde")]
impl serde::Serialize for SharedEvent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Event::serialize(self, serializer)
    }
}

impl From<Event> for SharedEvent {
    fn from(event: Event) -> Self {
        Self(Arc::new(event))
    }
}

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
    events: mpsc::Sender<SharedEvent>,
    /// Number of events at the end of the session that the subscriber does not receive; shared with it.
    n_undelivered: Arc<AtomicU64>,
}

impl LosslessQueue {
    /// Adds an event, or counts it as undelivered if the queue is full or an earlier event was not delivered. Returns whether the
    /// subscriber still exists.
    fn add_or_count(&self, event: &SharedEvent, shared: &HubShared) -> bool {
        if self.n_undelivered.load(Ordering::Relaxed) == 0 {
            match self.events.try_send(event.clone()) {
                Ok(()) => return true,
                Err(TrySendError::Closed(_)) => return false,
                Err(TrySendError::Full(_)) => {}
            }
        }
        for counter in [&*self.n_undelivered, &shared.n_undelivered] {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        !self.events.is_closed()
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
    /// Returns the event or the lag for a broadcast subscriber at `position`, and advances `position`. Once all events were read:
    /// `None` while the publisher exists, [`RecvError::Closed`] after it was dropped.
    fn read_at_or_closed(&mut self, position: &mut u64) -> Option<Result<SharedEvent, RecvError>> {
        self.ring.read_at(position).or_else(|| self.closed.then_some(Err(RecvError::Closed)))
    }
}
