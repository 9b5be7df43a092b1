//! The watchers of a session, and the lines that each of them has not read.
//!
//! | state of a watcher | input | next state | effect |
//! |---|---|---|---|
//! | `Joining` | snapshot | `Following` | the snapshot is queued |
//! | `Joining` | line | `Joining` | the line is counted if lines were missed before; the snapshot includes it otherwise |
//! | `Following` | line that fits the queue | `Following` | the line is queued |
//! | `Following` | line that does not | `Lagging` | the line is counted |
//! | `Lagging` | line | `Lagging` | the line is counted |
//! | `Lagging` | queue read to its end | `Joining` | a snapshot is requested |

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::Bytes;
use tokio::sync::Notify;

use crate::MissedAmounts;

/// Maximum number of watchers of a session; further ones are refused.
pub(crate) const MAX_WATCHERS: usize = 16;
/// Size of a watcher's queue in bytes. A watcher with a full queue misses lines until it has read the queue to its end.
pub(crate) const QUEUE_BYTES: usize = 1 << 20;
/// Size of the queue in bytes above which answers are refused, too: the watcher sends lines, but reads nothing.
const ANSWERS_BYTES: usize = 8 << 20;

/// The watchers of a session.
///
/// The session's task adds lines, the host removes them. Neither waits for the other: the lock is held for a few instructions,
/// never over an `.await`.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    state: Mutex<WatchersState>,
    /// Notifies the host of new lines and of the end.
    changed: Notify,
}

#[derive(Debug, Default)]
struct WatchersState {
    watchers: Vec<Watcher>,
    next_id: WatcherId,
    is_over: bool,
    /// Wakes the session's task, which writes snapshots.
    waker: Option<Waker>,
}

/// Number of a watcher, unique in its session.
pub(crate) type WatcherId = u64;

/// One watcher with its queue of unread lines.
#[derive(Debug)]
struct Watcher {
    id: WatcherId,
    unread: VecDeque<Bytes>,
    n_unread_bytes: usize,
    state: WatcherState,
}

/// The state of a watcher, which decides which lines it receives.
#[derive(Clone, Copy, Debug)]
enum WatcherState {
    /// The watcher needs a snapshot; contains what it missed since the last one.
    Joining(MissedAmounts),
    /// The watcher receives every line.
    Following,
    /// The watcher receives no line until it has read its queue to the end; contains what it missed meanwhile.
    Lagging(MissedAmounts),
}

/// The result of reading the next line of a watcher's queue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextLine {
    /// The next line.
    Line(Bytes),
    /// The queue is empty until another line is queued.
    Nothing,
    /// The queue is empty until a snapshot is queued.
    NeedsSnapshot,
    /// No more lines follow: the session is over, or the watcher was removed.
    Closed,
}

impl Watchers {
    // No holder of the lock panics, so poisoning means nothing.
    fn lock(&self) -> MutexGuard<'_, WatchersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there are no watchers.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().watchers.is_empty()
    }

    /// Adds a watcher with a first line in its queue. Returns `None` if there are [`MAX_WATCHERS`] already, or the session is
    /// over.
    pub(crate) fn join(&self, first_line: Bytes) -> Option<WatcherId> {
        let mut state = self.lock();
        if state.is_over || state.watchers.len() >= MAX_WATCHERS {
            return None;
        }
        let id = state.next_id;
        state.next_id += 1;
        let joining = WatcherState::Joining(MissedAmounts::default());
        state.watchers.push(Watcher {
            id,
            n_unread_bytes: first_line.len(),
            unread: VecDeque::from([first_line]),
            state: joining,
        });
        Some(id)
    }

    /// Removes a watcher and returns its unread lines: none if it was removed before.
    pub(crate) fn leave(&self, id: WatcherId) -> Vec<Bytes> {
        let mut state = self.lock();
        state.watchers.extract_if(.., |watcher| watcher.id == id).flat_map(|watcher| watcher.unread).collect()
    }

    /// Queues a line for every watcher that follows and has room for the line. A watcher without room starts to lag. Adds `size` to the
    /// losses of every lagging watcher.
    pub(crate) fn send_or_count_missed(&self, line: &Bytes, size: MissedAmounts) {
        let mut state = self.lock();
        state.watchers.iter_mut().for_each(|watcher| watcher.send_or_count_missed(line, size));
        drop(state);
        self.changed.notify_waiters();
    }

    /// Queues a snapshot for every watcher that needs one, after which it follows. `snapshot` returns the lines for a watcher
    /// that missed the given amount; they are queued even if the queue is full.
    pub(crate) fn send_snapshots(&self, mut snapshot: impl FnMut(MissedAmounts) -> Bytes) {
        let mut state = self.lock();
        for watcher in &mut state.watchers {
            if let WatcherState::Joining(missed) = watcher.state {
                watcher.push(snapshot(missed));
                watcher.state = WatcherState::Following;
            }
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Returns whether a watcher needs a snapshot. Registers `waker`, replacing an earlier one, to be woken when one needs it
    /// later.
    pub(crate) fn poll_needs_snapshot(&self, waker: &Waker) -> bool {
        let mut state = self.lock();
        if !state.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            state.waker = Some(waker.clone());
        }
        state.watchers.iter().any(|watcher| matches!(watcher.state, WatcherState::Joining(_)))
    }

    /// Queues an answer for one watcher, even if its queue is full. Returns `false`, and drops the answer, if more than
    /// [`ANSWERS_BYTES`] are unread; `true` if it was queued, or the watcher was removed.
    pub(crate) fn try_queue_answer(&self, id: WatcherId, line: Bytes) -> bool {
        let mut state = self.lock();
        let Some(watcher) = state.watchers.iter_mut().find(|watcher| watcher.id == id) else { return true };
        let has_room = watcher.n_unread_bytes <= ANSWERS_BYTES;
        if has_room {
            watcher.push(line);
        }
        drop(state);
        self.changed.notify_waiters();
        has_room
    }

    /// Ends the session for the watchers: queues a last line for each, even if its queue is full. Later calls have no effect.
    pub(crate) fn close(&self, last_line: &Bytes) {
        let mut state = self.lock();
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        state.watchers.iter_mut().for_each(|watcher| watcher.push(last_line.clone()));
        drop(state);
        self.changed.notify_waiters();
    }

    /// Removes and returns the next line of a watcher's queue, without waiting. If the queue of a lagging watcher is empty, the watcher
    /// needs a snapshot from now on.
    fn try_next_line(&self, id: WatcherId) -> NextLine {
        let mut state = self.lock();
        let is_over = state.is_over;
        let Some(watcher) = state.watchers.iter_mut().find(|watcher| watcher.id == id) else { return NextLine::Closed };
        if let Some(line) = watcher.unread.pop_front() {
            watcher.n_unread_bytes = watcher.n_unread_bytes.saturating_sub(line.len());
            return NextLine::Line(line);
        }
        // An idle watcher keeps no buffer.
        watcher.unread = VecDeque::new();
        if is_over {
            return NextLine::Closed;
        }
        if let WatcherState::Lagging(missed) = watcher.state {
            watcher.state = WatcherState::Joining(missed);
        }
        match watcher.state {
            WatcherState::Following => NextLine::Nothing,
            _ => NextLine::NeedsSnapshot,
        }
    }

    /// Waits for the next line of a watcher; `None` once the session is over and every line was read, or the watcher was removed.
    /// Wakes the session's task if the watcher needs a snapshot.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a line that was not returned remains queued.
    pub(crate) async fn next_line(&self, id: WatcherId) -> Option<Bytes> {
        let next = self.wait_until(|| match self.try_next_line(id) {
            NextLine::Nothing => None,
            NextLine::NeedsSnapshot => {
                let waker = self.lock().waker.clone();
                if let Some(waker) = waker {
                    waker.wake();
                }
                None
            }
            next => Some(next),
        });
        if let NextLine::Line(line) = next.await { Some(line) } else { None }
    }

    /// Waits until [`close`](Self::close) was called.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the future only waits.
    pub(crate) async fn closed(&self) {
        self.wait_until(|| self.lock().is_over.then_some(())).await;
    }

    /// Waits until `check` returns `Some`, and returns the value. Calls `check` at once, and again after each change.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the future only waits.
    async fn wait_until<T>(&self, check: impl Fn() -> Option<T>) -> T {
        loop {
            let mut changed = pin!(self.changed.notified());
            // Enabled before the check, so that no change is missed between the two.
            changed.as_mut().enable();
            if let Some(found) = check() {
                return found;
            }
            changed.await;
        }
    }
}

impl Watcher {
    /// Queues a line if the watcher follows and has room for it. Without room, the watcher starts to lag; while it lags, or waits
    /// for the snapshot after that, `size` is added to what it missed. Before the first snapshot nothing counts as missed.
    fn send_or_count_missed(&mut self, line: &Bytes, size: MissedAmounts) {
        match &mut self.state {
            WatcherState::Following if self.n_unread_bytes + line.len() <= QUEUE_BYTES => self.push(line.clone()),
            WatcherState::Following => self.state = WatcherState::Lagging(size),
            // The first snapshot includes everything before it.
            WatcherState::Joining(missed) if missed.is_zero() => {}
            WatcherState::Joining(missed) | WatcherState::Lagging(missed) => missed.add(size),
        }
    }

    /// Queues a line without regard to the size of the queue.
    fn push(&mut self, line: Bytes) {
        self.n_unread_bytes += line.len();
        self.unread.push_back(line);
    }
}

#[cfg(test)]
mod tests;
