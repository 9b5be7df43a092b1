//! Queue of bytes to be written to one client.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Bytes between the world, which never waits, and a task that writes as fast as its client reads.
#[derive(Debug)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// Wakes the writer.
    filled: Notify,
    /// Wakes the reader, which waits while too much is unsent.
    drained: Notify,
    /// Wakes the task that waits for the end.
    dropped: Notify,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    pending: Pending,
    is_closed: bool,
}

/// Bytes taken from the queue at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) bytes: Vec<u8>,
    /// Whether nothing follows.
    pub(crate) is_last: bool,
}

/// The queue is full, as the client does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Outbox {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            state: Mutex::default(),
            filled: Notify::new(),
            drained: Notify::new(),
            dropped: Notify::new(),
            max_bytes,
        }
    }

    /// Adds bytes. Nothing is taken once one push was the last.
    ///
    /// # Errors
    ///
    /// [`Full`]: more than the limit would wait; the bytes are not taken.
    pub(crate) fn push(&self, bytes: &[u8], is_last: bool) -> Result<(), Full> {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.is_closed {
                return Ok(());
            }
            if state.pending.bytes.len() + bytes.len() > self.max_bytes {
                return Err(Full);
            }
            state.pending.bytes.extend_from_slice(bytes);
            state.pending.is_last = is_last;
            state.is_closed = is_last;
        }
        self.filled.notify_one();
        Ok(())
    }

    /// Discards the queue; the task that serves the client ends.
    pub(crate) fn drop_client(&self) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            *state = State { pending: Pending { bytes: Vec::new(), is_last: true }, is_closed: true };
        }
        self.filled.notify_one();
        self.dropped.notify_one();
    }

    /// Waits until the client is dropped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, for one waiter.
    pub(crate) async fn dropped(&self) {
        self.dropped.notified().await;
    }

    /// Waits until at most half of the limit is unsent.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe, for one waiter.
    pub(crate) async fn has_room(&self) {
        while self.state.lock().unwrap_or_else(PoisonError::into_inner).pending.bytes.len() > self.max_bytes / 2 {
            self.drained.notified().await;
        }
    }

    /// Waits for bytes and takes all of them.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes that were not returned stay in the queue.
    pub(crate) async fn take(&self) -> Pending {
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
    async fn what_was_pushed_is_taken_at_once_and_the_last_ends_it() {
        let outbox = Outbox::new(10);
        outbox.push(b"one ", false).unwrap();
        outbox.push(b"two", false).unwrap();
        assert_eq!(outbox.push(b"three", false), Err(Full));
        assert_eq!(outbox.take().await, Pending { bytes: b"one two".to_vec(), is_last: false });
        outbox.push(b"end", true).unwrap();
        outbox.push(b"more", false).unwrap();
        assert_eq!(outbox.take().await, Pending { bytes: b"end".to_vec(), is_last: true });
    }

    #[tokio::test]
    async fn taking_waits_for_a_push_and_dropping_for_nobody() {
        let outbox = Outbox::new(10);
        let (taken, ()) = tokio::join!(outbox.take(), async { outbox.push(b"late", false).unwrap() });
        assert_eq!(taken.bytes, b"late");
        outbox.push(b"unread", false).unwrap();
        outbox.drop_client();
        outbox.dropped().await;
        assert_eq!(outbox.take().await, Pending { bytes: Vec::new(), is_last: true });
    }
}
