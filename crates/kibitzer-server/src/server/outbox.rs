//! Queue of bytes to be written to one client.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Queue of bytes from the actor, which never waits, to the task that writes them as fast as its client reads.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    state: Mutex<OutboxState>,
    /// Wakes the writer.
    filled: Notify,
    /// Wakes [`wait_until_half_empty`](Self::wait_until_half_empty).
    drained: Notify,
    /// Wakes [`wait_until_discarded`](Self::wait_until_discarded).
    discarded: Notify,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct OutboxState {
    pending: OutboxContents,
    is_closed: bool,
}

/// Bytes taken from the queue at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OutboxContents {
    pub(crate) bytes: Vec<u8>,
    /// Whether nothing follows.
    pub(crate) is_last: bool,
}

impl Outbox {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// Adds bytes; `is_last` closes the queue. Returns `false` and adds nothing if the queue would exceed its limit, because the
    /// client does not read. On a closed queue, does nothing and returns `true`.
    pub(crate) fn try_push(&self, bytes: &[u8], is_last: bool) -> bool {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.is_closed {
                return true;
            }
            if state.pending.bytes.len() + bytes.len() > self.max_bytes {
                return false;
            }
            state.pending.bytes.extend_from_slice(bytes);
            state.pending.is_last = is_last;
            state.is_closed = is_last;
        }
        // Stores a permit if the writer is not waiting yet, so that no wake-up is lost.
        self.filled.notify_one();
        true
    }

    /// Discards all queued bytes and closes the queue; the task that serves the client then ends.
    pub(crate) fn discard(&self) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            *state = OutboxState { pending: OutboxContents { bytes: Vec::new(), is_last: true }, is_closed: true };
        }
        self.filled.notify_one();
        self.discarded.notify_one();
    }

    /// Waits until [`discard`](Self::discard) is called. Returns once for each call.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, for one waiter.
    pub(crate) async fn wait_until_discarded(&self) {
        self.discarded.notified().await;
    }

    /// Waits until at most half of the limit is unsent.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, for one waiter.
    pub(crate) async fn wait_until_half_empty(&self) {
        while self.state.lock().unwrap_or_else(PoisonError::into_inner).pending.bytes.len() > self.max_bytes / 2 {
            self.drained.notified().await;
        }
    }

    /// Waits until bytes are queued or the queue is closed, and removes and returns all bytes. After the last contents it never
    /// completes.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes that were not returned stay in the queue.
    pub(crate) async fn wait_and_take(&self) -> OutboxContents {
        loop {
            let taken = std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).pending);
            if !taken.bytes.is_empty() || taken.is_last {
                self.drained.notify_one();
                return taken;
            }
            self.filled.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pushed_bytes_are_taken_together_until_the_last_push() {
        let outbox = Outbox::new(10);
        assert!(outbox.try_push(b"one ", false));
        assert!(outbox.try_push(b"two", false));
        assert!(!outbox.try_push(b"three", false));
        assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: b"one two".to_vec(), is_last: false });
        assert!(outbox.try_push(b"end", true));
        assert!(outbox.try_push(b"more", false));
        assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: b"end".to_vec(), is_last: true });
    }

    #[tokio::test]
    async fn taking_waits_for_a_push_but_not_after_dropping() {
        let outbox = Outbox::new(10);
        let (taken, ()) = tokio::join!(outbox.wait_and_take(), async { assert!(outbox.try_push(b"late", false)) });
        assert_eq!(taken.bytes, b"late");
        assert!(outbox.try_push(b"unread", false));
        outbox.discard();
        outbox.wait_until_discarded().await;
        assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: Vec::new(), is_last: true });
    }
}
