//! Events that are not stored yet, in a bounded amount of memory.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::queued_event::{DroppedRange, QueuedEvent};
use crate::spill::SpillFile;
use crate::subject::SessionName;
use crate::{NatsError, Position};

/// Reaction of a publisher when its buffer is full because the server cannot be reached, or is too slow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnreachable {
    /// Drops events until the buffer is empty again, and publishes one event `dropped` with the range.
    Drop,
    /// Holds the source back.
    Hold,
    /// Writes events to a file, and publishes them later, in order. Drops events while the file is full.
    Spill {
        /// The file. It is created if it does not exist; events in it are published first.
        path: PathBuf,
        /// Maximum size of the file.
        max_bytes: u64,
    },
}

impl WhenUnreachable {
    /// Returns the error for a failure of the spill file.
    pub(crate) fn error(&self, source: io::Error) -> NatsError {
        let path = if let Self::Spill { path, .. } = self { path.clone() } else { PathBuf::new() };
        NatsError::Spill { path, source }
    }
}

/// Maximum number of events in one atomic step; servers accept 1,000.
const BATCH_EVENTS: usize = 500;

/// Size beyond which no more events are added to an atomic step.
const BATCH_BYTES: usize = 512 << 10;

/// The queue between the source of events and the task that stores them.
#[derive(Debug)]
pub(crate) struct EventQueue {
    state: Mutex<QueueState>,
    /// Notified when an event is added, or the queue is closed.
    filled: Notify,
    /// Notified when events are removed.
    emptied: Notify,
}

#[derive(Debug)]
struct QueueState {
    session: SessionName,
    /// The oldest events. While the spill file has events, these are in it, too.
    memory: VecDeque<QueuedEvent>,
    /// Total size of `memory`.
    bytes: usize,
    max_bytes: usize,
    /// Longer lines are dropped, as the server would refuse them.
    max_line_bytes: usize,
    spill: Option<SpillFile>,
    /// The newest events.
    dropped: Option<DroppedRange>,
    holds: bool,
    is_closed: bool,
}

impl EventQueue {
    pub(crate) fn new(session: &SessionName, policy: &WhenUnreachable, limits: [usize; 2]) -> io::Result<Self> {
        let [max_bytes, max_line_bytes] = limits;
        let spill = match policy {
            WhenUnreachable::Spill { path, max_bytes } => Some(SpillFile::open(path, session, *max_bytes)?),
            _ => None,
        };
        let state = QueueState {
            session: session.clone(),
            memory: VecDeque::new(),
            bytes: 0,
            max_bytes,
            max_line_bytes,
            spill,
            dropped: None,
            holds: *policy == WhenUnreachable::Hold,
            is_closed: false,
        };
        Ok(Self { state: Mutex::new(state), filled: Notify::new(), emptied: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position of the last event that an earlier publisher left in the spill file.
    pub(crate) fn last_spilled(&self) -> Option<Position> {
        self.lock().spill.as_ref()?.last()
    }

    /// Adds an event, by the policy.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready adds nothing.
    pub(crate) async fn push(&self, mut event: QueuedEvent) {
        loop {
            let refused = self.lock().offer(event);
            match refused {
                None => return self.filled.notify_one(),
                Some(returned) => event = returned,
            }
            self.emptied.notified().await;
        }
    }

    /// Waits for events, and returns the oldest of them; `None` once the queue is closed and empty. They stay in the queue.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the spill file cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is removed.
    pub(crate) async fn wait_for_oldest(&self) -> io::Result<Option<Vec<QueuedEvent>>> {
        loop {
            {
                let mut state = self.lock();
                let events = state.oldest()?;
                if !events.is_empty() || state.is_closed {
                    return Ok((!events.is_empty()).then_some(events));
                }
            }
            self.filled.notified().await;
        }
    }

    /// Removes the oldest events, which are stored.
    pub(crate) fn remove(&self, count: usize) {
        let mut state = self.lock();
        for _ in 0..count {
            let size = state.memory.pop_front().map_or(0, |event| event.size());
            state.bytes = state.bytes.saturating_sub(size);
        }
        self.emptied.notify_one();
    }

    /// Accepts no more events: [`next`](Self::next) ends with the last of them.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// Writes the events in memory to the spill file, if there is one. Returns the number of events that are not stored, and
    /// whether all of them are in the file.
    pub(crate) fn save(&self) -> (u64, bool) {
        let mut state = self.lock();
        let QueueState { memory, spill, dropped, .. } = &mut *state;
        let is_saved = spill.as_mut().is_some_and(|spill| !spill.is_empty() || spill.take_over(&*memory).is_ok());
        let n_spilled = spill.as_ref().map_or(0, SpillFile::n_unread);
        let n_dropped = dropped.map_or(0, |range| range.count);
        (memory.len() as u64 + n_spilled + n_dropped, is_saved && dropped.is_none())
    }
}

impl QueueState {
    /// Adds, spills or drops an event; returns it if the source has to wait.
    fn offer(&mut self, event: QueuedEvent) -> Option<QueuedEvent> {
        let event = if event.line.len() > self.max_line_bytes {
            QueuedEvent::dropped(&self.session, DroppedRange { first: event.position, last: event.position, count: 1 })
        } else {
            event
        };
        let is_spilling = self.spill.as_ref().is_some_and(|spill| !spill.is_empty());
        if self.dropped.is_none() && !is_spilling && self.bytes < self.max_bytes {
            self.bytes += event.size();
            self.memory.push_back(event);
        } else if self.holds {
            return Some(event);
        } else if self.dropped.is_some() || !self.spill(&event) {
            let range =
                self.dropped.get_or_insert(DroppedRange { first: event.position, last: event.position, count: 0 });
            (range.last, range.count) = (event.position, range.count + 1);
        }
        None
    }

    /// Writes an event to the spill file. Returns whether that was possible.
    fn spill(&mut self, event: &QueuedEvent) -> bool {
        let Some(spill) = &mut self.spill else { return false };
        // If the process is killed, the file has all that is not stored.
        let is_complete = !spill.is_empty() || spill.take_over(&self.memory).is_ok();
        is_complete && spill.append([event]).is_ok()
    }

    /// Returns the oldest events.
    fn oldest(&mut self) -> io::Result<Vec<QueuedEvent>> {
        if self.memory.is_empty() {
            self.refill()?;
        }
        let mut bytes = 0;
        let has_room = |event: &&QueuedEvent| {
            let has_room = bytes < BATCH_BYTES;
            bytes += event.size();
            has_room
        };
        Ok(self.memory.iter().take(BATCH_EVENTS).take_while(has_room).cloned().collect())
    }

    /// Reads events from the spill file; after the last of them, reports dropped events.
    fn refill(&mut self) -> io::Result<()> {
        if let Some(spill) = self.spill.as_mut().filter(|spill| !spill.is_empty()) {
            self.memory.extend(spill.read(self.max_bytes)?);
            if self.memory.is_empty() {
                spill.clear()?;
            }
        }
        if self.memory.is_empty() {
            self.memory.extend(self.dropped.take().map(|range| QueuedEvent::dropped(&self.session, range)));
        }
        self.bytes = self.memory.iter().map(QueuedEvent::size).sum();
        Ok(())
    }
}
