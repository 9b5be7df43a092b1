//! The broadcast subscribers that wait for an event.

use std::task::Waker;

/// A slot per subscriber, so that one who is polled often, or leaves, takes no room.
///
/// `tokio::sync::Notify` would need a second lock and a list entry for every wait; this shares the lock of the ring.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    pub(super) slots: Vec<Slot>,
    n_waiting: usize,
}

#[derive(Debug)]
pub(super) enum Slot {
    Free,
    Idle,
    Waiting(Waker),
}

impl Waiters {
    /// A slot for a new subscriber.
    pub(super) fn join(&mut self) -> usize {
        let free = self.slots.iter().position(|slot| matches!(slot, Slot::Free));
        let index = free.unwrap_or(self.slots.len());
        match self.slots.get_mut(index) {
            Some(slot) => *slot = Slot::Idle,
            None => self.slots.push(Slot::Idle),
        }
        index
    }

    /// The slot is free again.
    pub(super) fn leave(&mut self, index: usize) {
        self.set(index, Slot::Free);
    }

    /// Keeps the waker for the next [`take`](Self::take), instead of the one before.
    pub(super) fn wait(&mut self, index: usize, waker: &Waker) {
        if let Some(Slot::Waiting(known)) = self.slots.get_mut(index) {
            known.clone_from(waker);
        } else {
            self.set(index, Slot::Waiting(waker.clone()));
        }
    }

    /// Moves every waker to `woken`, to be woken when the lock is released.
    pub(super) fn take(&mut self, woken: &mut Vec<Waker>) {
        if self.n_waiting == 0 {
            return;
        }
        for slot in &mut self.slots {
            if matches!(slot, Slot::Waiting(_))
                && let Slot::Waiting(waker) = std::mem::replace(slot, Slot::Idle)
            {
                woken.push(waker);
            }
        }
        self.n_waiting = 0;
    }

    fn set(&mut self, index: usize, new: Slot) {
        let Some(slot) = self.slots.get_mut(index) else {
            return;
        };
        self.n_waiting -= usize::from(matches!(slot, Slot::Waiting(_)));
        self.n_waiting += usize::from(matches!(new, Slot::Waiting(_)));
        *slot = new;
    }
}
