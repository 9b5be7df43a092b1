//! Events that are published together, and the handles through which subscribers share them.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::Filter;
use crate::event::Event;

/// An event as all subscribers of a session share it. Cloning it copies a pointer, not the event.
///
/// It keeps the events that were published with it in memory, at most 128. To keep one event for long, clone the [`Event`].
///
/// ```
/// use kibitzer_core::Event;
/// use kibitzer_core::hub::SharedEvent;
///
/// let event = SharedEvent::from(Event::Connected);
/// assert!(matches!(&*event, Event::Connected));
/// ```
#[derive(Clone)]
pub struct SharedEvent {
    batch: Arc<Vec<Event>>,
    /// Index of the event in the batch, which has one there.
    index: usize,
}

impl Deref for SharedEvent {
    type Target = Event;

    #[expect(clippy::expect_used, reason = "an invariant of this module")]
    fn deref(&self) -> &Event {
        self.batch.get(self.index).expect("the batch of a handle contains its event")
    }
}

impl Borrow<Event> for SharedEvent {
    fn borrow(&self) -> &Event {
        self
    }
}

impl AsRef<Event> for SharedEvent {
    fn as_ref(&self) -> &Event {
        self
    }
}

impl fmt::Debug for SharedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedEvent").field(&**self).finish()
    }
}

/// Compares the events.
impl PartialEq for SharedEvent {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedEvent {}

/// Writes the [`Event`].
#[cfg(feature = "serde")]
impl serde::Serialize for SharedEvent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Event::serialize(self, serializer)
    }
}

impl From<Event> for SharedEvent {
    fn from(event: Event) -> Self {
        Self { batch: Arc::new(vec![event]), index: 0 }
    }
}

/// Consecutive events of a batch that a subscriber has not read; at least one.
#[derive(Clone, Debug)]
pub(super) struct UnreadEvents {
    pub(super) batch: Arc<Vec<Event>>,
    next: usize,
    end: usize,
}

impl UnreadEvents {
    /// Returns all events of a batch.
    pub(super) fn all(batch: Arc<Vec<Event>>) -> Self {
        Self { next: 0, end: batch.len(), batch }
    }

    pub(super) const fn len(&self) -> usize {
        self.end - self.next
    }

    /// Removes the first `n_events`, which must not be all.
    pub(super) const fn skip(&mut self, n_events: usize) {
        self.next += n_events;
    }

    /// Removes the events before the first one that the filter accepts; leaves `None` if it accepts none.
    pub(super) fn skip_rejected(unread: &mut Option<Self>, filter: &Filter) {
        let Some(Self { batch, next, end }) = unread else { return };
        let events = batch.get(*next..*end).unwrap_or_default();
        match events.iter().position(|event| filter.accepts(event)) {
            Some(n_skipped) => *next += n_skipped,
            None => *unread = None,
        }
    }

    /// Removes and returns the first event. Leaves `None` after the last one, whose handle inherits the reference to the batch.
    ///
    /// Measured: a handle that is returned in memory and moved from there stalls the processor, so this is inlined.
    #[inline]
    pub(super) fn pop(unread: &mut Option<Self>) -> Option<SharedEvent> {
        let Self { batch, next, end } = unread.as_mut()?;
        let index = *next;
        *next += 1;
        if *next < *end {
            return Some(SharedEvent { batch: Arc::clone(batch), index });
        }
        unread.take().map(|unread| SharedEvent { batch: unread.batch, index })
    }
}

impl From<SharedEvent> for UnreadEvents {
    fn from(event: SharedEvent) -> Self {
        Self { batch: event.batch, next: event.index, end: event.index + 1 }
    }
}
