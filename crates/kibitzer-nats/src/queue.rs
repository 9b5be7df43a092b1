//! Events that are not stored yet, in a bounded amount of memory.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::NatsError;
use crate::event::{DroppedRange, Position, QueuedEvent};
use crate::spill::SpillFile;
use crate::subject::SessionName;

/// Reaction of a publisher when its buffer is full because the server cannot be reached, or is too slow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnreachable {
    /// Drops new events until the buffer is empty again, and then publishes one event `dropped` with the range.
    Drop,
    /// Drops nothing: [`Publisher::push`](crate::Publisher::push) waits until there is room.
    Hold,
    /// Writes every event to a file before it is sent, and removes the events from the file once all of them are stored: a publisher
    /// that is killed loses none, and the next one publishes them first. Once the file is full, drops new events until all others
    /// are stored; the file also has the range of the dropped ones.
    #[non_exhaustive]
    Spill {
        /// The file, which is created if it does not exist.
        path: PathBuf,
        /// Maximum size of the file in bytes.
        max_bytes: u64,
    },
}

impl WhenUnreachable {
    /// Creates the reaction that writes events [to a file](Self::Spill) of at most `max_bytes`.
    pub const fn spill(path: PathBuf, max_bytes: u64) -> Self {
        Self::Spill { path, max_bytes }
    }
}

/// Maximum number of events in one atomic step; servers accept 1,000.
const BATCH_EVENTS: usize = 500;

/// Size from which a spill file is written again without the events that are stored. It happens while at most
/// [`REWRITTEN_BYTES`] are not stored, which are in memory only meanwhile.
const STALE_FILE_BYTES: u64 = 1 << 20;
const REWRITTEN_BYTES: usize = 64 << 10;

/// Size beyond which no more events are added to an atomic step.
const BATCH_BYTES: usize = 512 << 10;

/// The events of a publisher that ends before they are stored.
pub(crate) struct UnstoredEvents {
    /// Includes those that were dropped and not reported yet.
    pub(crate) count: u64,
    /// Whether the spill file has every one of them.
    pub(crate) are_all_in_file: bool,
}

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
    /// The oldest events. With a spill file, these are in it, too.
    memory: VecDeque<QueuedEvent>,
    /// Total size of `memory`.
    bytes: usize,
    max_bytes: usize,
    /// Longer lines are dropped, as the server would refuse them.
    max_line_bytes: usize,
    spill: Option<SpillFile>,
    /// Whether events are in memory only because the file could not be written. It is used again once they are stored.
    is_file_abandoned: bool,
    /// Dropped events that no event reports yet. They are newer than all events in memory and in the spill file.
    dropped: Option<DroppedRange>,
    /// Whether the source waits while the queue is full.
    holds: bool,
    is_closed: bool,
}

impl EventQueue {
    /// Creates the queue, and opens the spill file of the policy. The policy applies while the events in memory have `max_bytes`
    /// or more. A line of more than `max_line_bytes` is replaced by a report of a dropped event.
    ///
    /// # Errors
    ///
    /// [`NatsError::Spill`]: those of [`SpillFile::open_locked`].
    pub(crate) fn new(
        session: &SessionName,
        policy: &WhenUnreachable,
        max_bytes: usize,
        max_line_bytes: usize,
    ) -> Result<Self, NatsError> {
        let spill = match policy {
            WhenUnreachable::Spill { path, max_bytes } => {
                let opened = SpillFile::open_locked(path, session, *max_bytes);
                Some(opened.map_err(|source| NatsError::Spill { path: path.clone(), source })?)
            }
            _ => None,
        };
        let state = QueueState {
            memory: VecDeque::new(),
            bytes: 0,
            max_bytes,
            max_line_bytes,
            spill,
            is_file_abandoned: false,
            dropped: None,
            holds: *policy == WhenUnreachable::Hold,
            is_closed: false,
        };
        Ok(Self { state: Mutex::new(state), filled: Notify::new(), emptied: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position of the last event in the spill file; `None` if it is empty, or the policy has no file. Call it
    /// before the first event is pushed: then it is an event that an earlier publisher left.
    pub(crate) fn last_left_in_spill(&self) -> Option<Position> {
        self.lock().spill.as_ref()?.last
    }

    /// Adds an event. If the queue is full, spills it, drops it or waits for room, by the policy.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready adds nothing.
    pub(crate) async fn push_by_policy(&self, mut event: QueuedEvent) {
        loop {
            let accepted = self.lock().try_accept(event);
            match accepted {
                Ok(()) => return self.filled.notify_one(),
                Err(returned) => event = returned,
            }
            self.emptied.notified().await;
        }
    }

    /// Waits for events, and returns copies of the oldest ones, at most one batch; `None` once the queue is closed and empty.
    ///
    /// # Errors
    ///
    /// [`NatsError::Spill`] if the spill file cannot be read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is removed.
    pub(crate) async fn wait_and_peek_batch(&self) -> Result<Option<Vec<QueuedEvent>>, NatsError> {
        loop {
            {
                let mut state = self.lock();
                let events = state.refill_and_peek()?;
                if !events.is_empty() || state.is_closed {
                    return Ok((!events.is_empty()).then_some(events));
                }
            }
            self.filled.notified().await;
        }
    }

    /// Removes the oldest events of the queue, which are stored, and makes room for waiting ones.
    pub(crate) fn remove_oldest(&self, count: usize) {
        let mut state = self.lock();
        for _ in 0..count {
            let size = state.memory.pop_front().map_or(0, |event| event.memory_bytes());
            state.bytes = state.bytes.saturating_sub(size);
        }
        self.emptied.notify_one();
    }

    /// Lets [`wait_and_peek_batch`](Self::wait_and_peek_batch) end after the last event. No event may be added afterwards.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// Returns the number of the events that are not stored, and whether the spill file has them.
    pub(crate) fn count_unstored(&self) -> UnstoredEvents {
        let state = self.lock();
        let QueueState { memory, spill, dropped, .. } = &*state;
        let n_spilled = spill.as_ref().map_or(0, |spill| spill.n_unread);
        let n_dropped = dropped.map_or(0, |range| range.count);
        let count = memory.len() as u64 + n_spilled + n_dropped;
        let has_file_last = |spill: &SpillFile| memory.back().is_none_or(|event| spill.last >= Some(event.position));
        UnstoredEvents { count, are_all_in_file: spill.as_ref().is_some_and(has_file_last) && dropped.is_none() }
    }
}

impl QueueState {
    /// Adds, spills or drops an event.
    ///
    /// # Errors
    ///
    /// The event itself, if the source has to wait until there is room.
    fn try_accept(&mut self, event: QueuedEvent) -> Result<(), QueuedEvent> {
        let event = if event.line.len() > self.max_line_bytes {
            DroppedRange { first: event.position, last: event.position, count: 1 }.to_report()
        } else {
            event
        };
        let has_room = self.has_room();
        if self.holds && !has_room {
            return Err(event);
        }
        if self.dropped.is_some() || !self.try_spill(&event) {
            self.drop_event(event.position);
        } else if has_room {
            self.bytes += event.memory_bytes();
            self.memory.push_back(event);
        }
        Ok(())
    }

    /// Returns whether an event can be added to those in memory: there is room, and no event before it is in the file alone or dropped.
    fn has_room(&self) -> bool {
        let has_unread = self.spill.as_ref().is_some_and(|spill| spill.n_unread > 0);
        self.dropped.is_none() && !has_unread && self.bytes < self.max_bytes
    }

    /// Appends an event to the spill file, if there is one. Returns whether the event is in the file, or there is room in memory
    /// and no file, or none that the disk can take.
    fn try_spill(&mut self, event: &QueuedEvent) -> bool {
        let has_room = self.has_room();
        let Some(spill) = &mut self.spill else { return has_room };
        if self.is_file_abandoned && !self.memory.is_empty() {
            return has_room;
        }
        self.is_file_abandoned = false;
        if !has_room {
            return spill.append([event]).is_ok();
        }
        let is_stale = spill.event_bytes() > STALE_FILE_BYTES && self.bytes <= REWRITTEN_BYTES;
        let mut appended = if is_stale { Ok(()) } else { spill.append_as_read([event]) };
        // There may be room without the stored events, which are in the file only if it is larger than memory.
        if is_stale || appended.is_err() && (self.bytes as u64) < spill.event_bytes() {
            let events = self.memory.iter().chain([event]);
            appended = spill.clear().and_then(|()| spill.append_as_read(events));
        }
        // An error of the system, such as a full disk, and not the limit of the file: the events can still be stored.
        self.is_file_abandoned = appended.as_ref().is_err_and(|error| error.raw_os_error().is_some());
        if self.is_file_abandoned {
            // It would lack events between its own and later ones.
            let _ = spill.clear();
        }
        appended.is_ok() || self.is_file_abandoned
    }

    /// Adds an event to the dropped ones, and writes their range to the spill file for the next publisher.
    fn drop_event(&mut self, position: Position) {
        let range = self.dropped.get_or_insert(DroppedRange { first: position, last: position, count: 0 });
        range.last = position;
        range.count += 1;
        if let Some(spill) = &mut self.spill {
            // It fails on a full disk; then only this process can report them.
            let _ = spill.write_report(&range.to_report());
        }
    }

    /// Returns copies of the oldest events, at most one batch; first reads spilled ones if there are none in memory.
    fn refill_and_peek(&mut self) -> Result<Vec<QueuedEvent>, NatsError> {
        if self.memory.is_empty() {
            self.refill_from_spill_or_dropped()?;
        }
        let mut bytes = 0;
        let has_room = |event: &&QueuedEvent| {
            let has_room = bytes < BATCH_BYTES;
            bytes += event.memory_bytes();
            has_room
        };
        Ok(self.memory.iter().take(BATCH_EVENTS).take_while(has_room).cloned().collect())
    }

    /// Moves the next spilled events to memory. After the last of them, clears the file, and adds the report of dropped events if
    /// there are any. Call it only while memory is empty.
    fn refill_from_spill_or_dropped(&mut self) -> Result<(), NatsError> {
        if let Some(spill) = self.spill.as_mut().filter(|spill| spill.event_bytes() > 0) {
            self.memory.extend(spill.read_next(self.max_bytes).map_err(|source| spill.error(source))?);
            if self.memory.is_empty() {
                spill.clear().map_err(|source| spill.error(source))?;
            }
        }
        if self.memory.is_empty()
            && let Some(range) = self.dropped.take()
        {
            let report = range.to_report();
            if let Some(spill) = &mut self.spill {
                // It fails on a full disk; then only this process can report them.
                let _ = spill.append_as_read([&report]);
            }
            self.memory.push_back(report);
        }
        self.bytes = self.memory.iter().map(QueuedEvent::memory_bytes).sum();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
