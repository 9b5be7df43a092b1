//! What is to be done when.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// One appointment per item, the earliest at hand.
#[derive(Debug)]
pub(crate) struct Agenda<T> {
    times: BTreeMap<T, Instant>,
    order: BTreeSet<(Instant, T)>,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Self { times: BTreeMap::new(), order: BTreeSet::new() }
    }
}

impl<T: Copy + Ord> Agenda<T> {
    /// Makes an appointment, in place of the item's former one.
    pub(crate) fn set(&mut self, item: T, time: Instant) {
        if let Some(former) = self.times.insert(item, time) {
            self.order.remove(&(former, item));
        }
        self.order.insert((time, item));
    }

    pub(crate) fn cancel(&mut self, item: T) {
        if let Some(time) = self.times.remove(&item) {
            self.order.remove(&(time, item));
        }
    }

    /// When something is to be done next.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.order.first().map(|&(time, _)| time)
    }

    /// Takes the first item whose time has come.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<T> {
        let (_, item) = self.order.first().copied().filter(|&(time, _)| time <= now)?;
        self.cancel(item);
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn items_come_in_the_order_of_their_last_appointment() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut agenda = Agenda::default();
        agenda.set('a', at(1));
        agenda.set('b', at(2));
        agenda.set('c', at(3));
        agenda.set('a', at(4));
        agenda.cancel('c');
        assert_eq!(agenda.next_time(), Some(at(2)));
        assert_eq!(agenda.take_due(at(1)), None);
        assert_eq!(agenda.take_due(at(9)), Some('b'));
        assert_eq!(agenda.take_due(at(9)), Some('a'));
        assert_eq!((agenda.take_due(at(9)), agenda.next_time()), (None, None));
    }
}
