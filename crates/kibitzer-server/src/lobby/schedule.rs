//! The current time, and a schedule of due times.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

/// The server's clock: the time of the input that is being processed, and that of the start, which has a configured date.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerClock {
    pub(crate) now: Instant,
    pub(crate) started: Instant,
    pub(crate) started_date: SystemTime,
}

impl ServerClock {
    /// Returns the current date, as the server shows it, as a system time.
    pub(crate) fn system_time(&self) -> SystemTime {
        self.started_date + self.uptime()
    }

    pub(crate) fn uptime(&self) -> Duration {
        self.now.saturating_duration_since(self.started)
    }
}

/// Items with one due time each, ordered by time and then by item.
#[derive(Debug)]
pub(crate) struct Schedule<T> {
    times: BTreeMap<T, Instant>,
    order: BTreeSet<(Instant, T)>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self { times: BTreeMap::new(), order: BTreeSet::new() }
    }
}

impl<T: Copy + Ord> Schedule<T> {
    /// Sets the due time of an item, replacing an earlier setting.
    pub(crate) fn set(&mut self, item: T, time: Instant) {
        if let Some(former) = self.times.insert(item, time) {
            self.order.remove(&(former, item));
        }
        self.order.insert((time, item));
    }

    /// Removes the due time of an item, if it has one.
    pub(crate) fn cancel(&mut self, item: T) {
        if let Some(time) = self.times.remove(&item) {
            self.order.remove(&(time, item));
        }
    }

    /// Returns the earliest due time; `None` if no item is scheduled.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.order.first().map(|&(time, _)| time)
    }

    /// Removes and returns the item with the earliest due time; `None` if none is due at this time.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<T> {
        let (_, item) = self.order.first().copied().filter(|&(time, _)| time <= now)?;
        self.cancel(item);
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_taken_in_the_order_of_their_last_due_time() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut schedule = Schedule::default();
        schedule.set('a', at(1));
        schedule.set('b', at(2));
        schedule.set('c', at(3));
        schedule.set('a', at(4));
        schedule.cancel('c');
        assert_eq!(schedule.next_time(), Some(at(2)));
        assert_eq!(schedule.take_due(at(1)), None);
        assert_eq!(schedule.take_due(at(9)), Some('b'));
        assert_eq!(schedule.take_due(at(9)), Some('a'));
        assert_eq!((schedule.take_due(at(9)), schedule.next_time()), (None, None));
    }
}
