//! The events that some broadcast subscriber has not read.

use std::collections::VecDeque;

use super::RecvError;
use crate::event::Event;

/// Places the ring keeps allocated once all events were read: 72 bytes.
const IDLE_PLACES: usize = 1;

/// A queue with many readers, each at a position of its own.
///
/// `tokio::sync::broadcast` does the same over a fixed ring: 32 bytes for every place, allocated at once. That is 32 KiB for
/// a session that wants 1,024 places for its bursts and is idle otherwise. This one holds what is unread, no more.
#[derive(Debug)]
pub(super) struct Ring {
    pub(super) unread: VecDeque<Unread>,
    /// Position of the first of `unread`, counted over the life of the ring.
    first: u64,
    limit: usize,
    n_readers: usize,
    n_missed: u64,
}

#[derive(Debug)]
pub(super) struct Unread {
    event: Event,
    /// Whoever is behind on an event is behind on all that follow, so this never shrinks towards the end of the queue.
    n_readers: usize,
}

impl Ring {
    pub(super) fn new(limit: usize) -> Self {
        Self { unread: VecDeque::new(), first: 0, limit: limit.max(1), n_readers: 0, n_missed: 0 }
    }

    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    /// A new reader's position: behind everything there is.
    pub(super) fn join(&mut self) -> u64 {
        self.n_readers += 1;
        self.first + self.unread.len() as u64
    }

    /// A reader's position ends.
    pub(super) fn leave(&mut self, position: u64) {
        self.n_readers -= 1;
        let read = position.saturating_sub(self.first);
        for unread in self.unread.iter_mut().skip(usize::try_from(read).unwrap_or(usize::MAX)) {
            unread.n_readers -= 1;
        }
        while self.unread.front().is_some_and(|unread| unread.n_readers == 0) {
            self.pop_first();
        }
    }

    pub(super) const fn has_readers(&self) -> bool {
        self.n_readers > 0
    }

    /// How many events were dropped before a reader had read them, counted for each reader.
    pub(super) const fn n_missed(&self) -> u64 {
        self.n_missed
    }

    /// Adds an event; the oldest goes if there are too many.
    pub(super) fn push(&mut self, event: Event) {
        if self.unread.len() == self.limit {
            self.n_missed += self.unread.front().map_or(0, |oldest| oldest.n_readers as u64);
            self.pop_first();
        }
        self.unread.push_back(Unread { event, n_readers: self.n_readers });
    }

    /// The event at a reader's position, which moves on; `None` if there is none yet.
    pub(super) fn read(&mut self, position: &mut u64) -> Option<Result<Event, RecvError>> {
        let Some(ahead) = position.checked_sub(self.first) else {
            let missed = self.first - *position;
            *position = self.first;
            return Some(Err(RecvError::Lagged { missed }));
        };
        let unread = self.unread.get_mut(usize::try_from(ahead).ok()?)?;
        *position += 1;
        unread.n_readers -= 1;
        if unread.n_readers > 0 {
            return Some(Ok(unread.event.clone()));
        }
        // The last of all who wanted it, so it is the first of the queue.
        self.pop_first().map(Ok)
    }

    fn pop_first(&mut self) -> Option<Event> {
        let first = self.unread.pop_front()?;
        self.first += 1;
        if self.unread.is_empty() && self.unread.capacity() > IDLE_PLACES {
            self.unread.shrink_to(IDLE_PLACES);
        }
        Some(first.event)
    }
}
