//! Events to subscribers, each with the delivery it asked for.
//!
//! The session keeps the [`Publisher`] and hands it every event. Everybody else gets a clone of its [`Hub`] and subscribes
//! there:
//!
//! | delivery | made by | a slow subscriber |
//! |---|---|---|
//! | broadcast | [`Hub::subscribe`] | misses events, and is told how many |
//! | lossless | [`Hub::subscribe_lossless`] | holds the session back |
//! | latest | [`Hub::watch_game`] | sees fewer states of the game, always the newest |
//!
//! Nobody gets what was published before they subscribed. Who comes late and needs to know how things stand has the current
//! state of all games first, by [`Hub::subscribe_with_games`], and then what changes it.
//!
//! A subscription may be narrowed to what its owner wants to hear of: [`Subscription::only`].
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use kibitzer_core::EventReader;
//! use kibitzer_core::hub::{HubOptions, Publisher, RecvError};
//!
//! let mut publisher = Publisher::new(HubOptions::default());
//! let mut subscription = publisher.hub().subscribe();
//!
//! let mut events = EventReader::default();
//! let mut read = &b"Foo shouts: hello\n\rfics% "[..];
//! while let Some(event) = events.next(&mut read) {
//!     publisher.publish(event, events.games()).await;
//! }
//! drop(publisher);
//!
//! assert_eq!(subscription.next().await.unwrap().raw(), b"Foo shouts: hello");
//! assert_eq!(subscription.next().await.unwrap().raw(), b"");
//! assert_eq!(subscription.next().await, Err(RecvError::Closed));
//! # }
//! ```

mod filter;
mod publisher;
mod ring;
mod subscription;
#[cfg(test)]
mod tests;
mod waiters;

pub use filter::Filter;
pub use publisher::{Publisher, TryPublishError};
pub use subscription::{GameWatch, Hub, Subscription};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use self::ring::Ring;
use self::waiters::Waiters;
use crate::event::Event;
use crate::game::Game;
use crate::message::GameId;
use crate::options::numeric_options;

numeric_options! {
    /// Limit of undelivered events.
    pub struct HubOptions {
        /// Sets the maximum number of events kept for broadcast subscribers that have not read them.
        ///
        /// 0 counts as 1. Memory is used only while a subscriber lags: an event is freed once every subscriber has read it, and without
        /// unread events the ring shrinks to 72 bytes.
        kept_events: usize = 1_024, "kept_events";
    }
}

/// Why there is no next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum RecvError {
    /// This subscriber was slow and some events were dropped. The next call continues with the oldest one kept.
    #[error("{missed} events were missed")]
    Lagged {
        /// Exactly how many.
        missed: u64,
    },
    /// The session is over, and everything it published was read. Final.
    #[error("the session is over")]
    Closed,
}

impl RecvError {
    /// How many events were missed.
    const fn missed(self) -> u64 {
        match self {
            Self::Lagged { missed } => missed,
            Self::Closed => 0,
        }
    }
}

/// What the two ends share.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the publisher when there are newcomers.
    joined: Notify,
}

#[derive(Debug)]
struct State {
    ring: Ring,
    waiters: Waiters,
    /// Those who subscribed since the last event.
    newcomers: Vec<Newcomer>,
    /// Those who did, and want the games first.
    latecomers: Vec<Latecomer>,
    closed: bool,
}

/// The sending end for a subscriber that the publisher has not met.
#[derive(Debug)]
enum Newcomer {
    Lossless(mpsc::Sender<Event>),
    Watch(GameId, watch::Sender<Option<Arc<Game>>>),
}

/// A subscriber that wants the games first, and whom the publisher therefore gives the subscription.
#[derive(Debug)]
struct Latecomer {
    /// Room for so many events in a lossless queue; `None` is a broadcast.
    capacity: Option<usize>,
    subscription: oneshot::Sender<(Vec<Arc<Game>>, Subscription)>,
}

impl Shared {
    fn new(options: HubOptions) -> Self {
        let state = State {
            ring: Ring::new(options.kept_events),
            waiters: Waiters::default(),
            newcomers: Vec::new(),
            latecomers: Vec::new(),
            closed: false,
        };
        Self { state: Mutex::new(state), joined: Notify::new() }
    }

    /// The lock is held for a few instructions, never over an `.await`. None of them panics half-way, so poison means nothing.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Newcomer {
    fn is_gone(&self) -> bool {
        match self {
            Self::Lossless(queue) => queue.is_closed(),
            Self::Watch(_, newest) => newest.is_closed(),
        }
    }
}

impl State {
    /// Drops those who have left before the publisher met them, whenever the lists would grow: while a lossless
    /// subscriber holds the publisher back, nobody else does.
    fn forget_the_gone(&mut self) {
        if self.newcomers.len() == self.newcomers.capacity() {
            self.newcomers.retain(|newcomer| !newcomer.is_gone());
        }
        if self.latecomers.len() == self.latecomers.capacity() {
            self.latecomers.retain(|latecomer| !latecomer.subscription.is_closed());
        }
    }

    /// What a broadcast subscriber at `position` gets; `None` if it has to wait.
    fn read(&mut self, position: &mut u64) -> Option<Result<Event, RecvError>> {
        self.ring.read(position).or_else(|| self.closed.then_some(Err(RecvError::Closed)))
    }
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Publisher>();
    is_send_and_sync::<Hub>();
    is_send_and_sync::<Subscription>();
    is_send_and_sync::<GameWatch>();
};
