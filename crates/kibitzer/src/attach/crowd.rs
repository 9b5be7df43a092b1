//! Those who look at a session, and what each of them has not read.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use super::Missed;

/// Watchers at once.
pub(super) const MOST_WATCHERS: usize = 16;
/// Unread bytes of one watcher; from there on, it misses what comes, until it has read all of them.
pub(super) const UNREAD_BYTES: usize = 1 << 20;
/// Unread bytes with which a watcher gets no more answers: one that asks has to read.
const UNREAD_ANSWERED_BYTES: usize = 8 << 20;

/// Everybody who looks at a session.
///
/// The session's task puts in, the host takes out. Neither waits for the other: the lock is held for a few instructions,
/// never over an `.await`.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    state: Mutex<State>,
    /// How many there are, for those who only want to know that nobody is there.
    n_seats: AtomicUsize,
    /// Tells the host that something can be taken out, or that all is over.
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    seats: Vec<Seat>,
    next_id: SeatId,
    is_over: bool,
}

/// Who it is.
pub(super) type SeatId = u64;

/// One watcher.
#[derive(Debug)]
struct Seat {
    id: SeatId,
    unread: VecDeque<Bytes>,
    n_unread_bytes: usize,
    standing: Standing,
}

/// Whether what happens is written down for a watcher.
#[derive(Clone, Copy, Debug)]
enum Standing {
    /// It has to be told first how the session stands.
    Waits(Missed),
    /// It is.
    Follows,
    /// Not any more, as too much is unread.
    Lags(Missed),
}

/// What there is for a watcher.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Portion {
    /// The next lines.
    Lines(Bytes),
    /// Nothing for now. `Stale`: the session has to be asked how it stands.
    Nothing(Freshness),
    /// Nothing, ever.
    Over,
}

/// Whether a watcher has to be told how the session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Fresh,
    Stale,
}

/// Too much is unread for an answer.
#[derive(Debug)]
pub(super) struct Overfull;

impl Crowd {
    fn state(&self) -> MutexGuard<'_, State> {
        // No holder panics half-way, so poison means nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody is there.
    pub(super) fn is_empty(&self) -> bool {
        self.n_seats.load(Ordering::Relaxed) == 0
    }

    /// Makes room for somebody, who gets these lines first; `None` if there is no room, or all is over.
    pub(super) fn sit(&self, first: Bytes) -> Option<SeatId> {
        let mut state = self.state();
        if state.is_over || state.seats.len() >= MOST_WATCHERS {
            return None;
        }
        let id = state.next_id;
        state.next_id += 1;
        let standing = Standing::Waits(Missed::default());
        state.seats.push(Seat { id, n_unread_bytes: first.len(), unread: VecDeque::from([first]), standing });
        self.n_seats.store(state.seats.len(), Ordering::Relaxed);
        Some(id)
    }

    /// Somebody has left.
    pub(super) fn leave(&self, id: SeatId) {
        let mut state = self.state();
        state.seats.retain(|seat| seat.id != id);
        self.n_seats.store(state.seats.len(), Ordering::Relaxed);
    }

    /// Hands a line to everybody who follows. Who has too much unread already misses it.
    pub(super) fn hand(&self, line: &Bytes, weight: Missed) {
        let mut state = self.state();
        state.seats.iter_mut().for_each(|seat| seat.hand(line, weight));
        drop(state);
        self.news.notify_waiters();
    }

    /// Tells those who wait for it how the session stands; from there on they follow.
    pub(super) fn admit(&self, mut snapshot: impl FnMut(Missed) -> Bytes) {
        let mut state = self.state();
        for seat in &mut state.seats {
            if let Standing::Waits(missed) = seat.standing {
                seat.put(snapshot(missed));
                seat.standing = Standing::Follows;
            }
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// Whether somebody waits to be told.
    pub(super) fn has_waiting(&self) -> bool {
        !self.is_empty() && self.state().seats.iter().any(|seat| matches!(seat.standing, Standing::Waits(_)))
    }

    /// Hands a line to one watcher.
    pub(super) fn answer(&self, id: SeatId, line: Bytes) -> Result<(), Overfull> {
        let mut state = self.state();
        let Some(seat) = state.seats.iter_mut().find(|seat| seat.id == id) else { return Ok(()) };
        if seat.n_unread_bytes > UNREAD_ANSWERED_BYTES {
            return Err(Overfull);
        }
        seat.put(line);
        drop(state);
        self.news.notify_waiters();
        Ok(())
    }

    /// Hands everybody a last line; nothing comes behind it.
    pub(super) fn close(&self, last: &Bytes) {
        let mut state = self.state();
        state.is_over = true;
        state.seats.iter_mut().for_each(|seat| seat.put(last.clone()));
        drop(state);
        self.news.notify_waiters();
    }

    /// Takes out what comes next for a watcher. One that lagged and has read all there was waits to be told anew.
    fn take(&self, id: SeatId) -> Portion {
        let mut state = self.state();
        let is_over = state.is_over;
        let Some(seat) = state.seats.iter_mut().find(|seat| seat.id == id) else { return Portion::Over };
        if let Some(line) = seat.unread.pop_front() {
            seat.n_unread_bytes = seat.n_unread_bytes.saturating_sub(line.len());
            return Portion::Lines(line);
        }
        // A busy minute leaves no memory behind.
        seat.unread = VecDeque::new();
        match seat.standing {
            _ if is_over => Portion::Over,
            Standing::Lags(missed) => {
                seat.standing = Standing::Waits(missed);
                Portion::Nothing(Freshness::Stale)
            }
            Standing::Waits(_) => Portion::Nothing(Freshness::Stale),
            Standing::Follows => Portion::Nothing(Freshness::Fresh),
        }
    }

    /// Waits for what comes next for a watcher; `None` once there is nothing more. `ask` has the session tell how it stands.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not returned is still there.
    pub(super) async fn next(&self, id: SeatId, ask: impl Fn()) -> Option<Bytes> {
        loop {
            let mut news = pin!(self.news.notified());
            // What is put in from here on is not missed.
            news.as_mut().enable();
            match self.take(id) {
                Portion::Lines(lines) => return Some(lines),
                Portion::Nothing(Freshness::Stale) => ask(),
                Portion::Nothing(Freshness::Fresh) => {}
                Portion::Over => return None,
            }
            news.await;
        }
    }

    /// Waits until all is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(super) async fn closed(&self) {
        loop {
            let mut news = pin!(self.news.notified());
            news.as_mut().enable();
            if self.state().is_over {
                return;
            }
            news.await;
        }
    }
}

impl Seat {
    fn hand(&mut self, line: &Bytes, weight: Missed) {
        match &mut self.standing {
            Standing::Follows if self.n_unread_bytes + line.len() <= UNREAD_BYTES => self.put(line.clone()),
            Standing::Follows => self.standing = Standing::Lags(weight),
            // A newcomer misses nothing: what happened before it is told how things stand is in that.
            Standing::Waits(missed) if missed.is_nothing() => {}
            Standing::Waits(missed) | Standing::Lags(missed) => missed.add(weight),
        }
    }

    fn put(&mut self, line: Bytes) {
        self.n_unread_bytes += line.len();
        self.unread.push_back(line);
    }
}

/// Leaves when it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    pub(super) crowd: Arc<Crowd>,
    pub(super) id: SeatId,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.crowd.leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Missed = Missed::sent();

    fn line(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn a_newcomer_is_told_first_and_misses_nothing() {
        let crowd = Crowd::default();
        assert!(crowd.is_empty());
        let id = crowd.sit(line("hello")).unwrap();
        crowd.hand(&line("early"), LINE);
        assert_eq!(crowd.take(id), Portion::Lines(line("hello")));
        assert_eq!(crowd.take(id), Portion::Nothing(Freshness::Stale));
        assert!(crowd.has_waiting());
        crowd.admit(|missed| {
            assert_eq!(missed, Missed::default());
            line("now")
        });
        crowd.hand(&line("late"), LINE);
        assert_eq!([crowd.take(id), crowd.take(id)], [Portion::Lines(line("now")), Portion::Lines(line("late"))]);
        assert_eq!(crowd.take(id), Portion::Nothing(Freshness::Fresh));
    }

    #[test]
    fn who_reads_nothing_keeps_a_bounded_part_and_is_told_what_is_missing() {
        let crowd = Crowd::default();
        let [slow, quick] = [(); 2].map(|()| crowd.sit(line("hello")).unwrap());
        crowd.admit(|_| line("now"));
        let big = Bytes::from(vec![b'x'; 100_000]);
        for _ in 0..50 {
            crowd.hand(&big, Missed::received(7));
            while let Portion::Lines(_) = crowd.take(quick) {}
        }
        assert!(crowd.state().seats[0].n_unread_bytes <= UNREAD_BYTES);
        let n_kept = std::iter::from_fn(|| matches!(crowd.take(slow), Portion::Lines(_)).then_some(())).count() - 2;
        assert_eq!(n_kept, 10);
        crowd.hand(&big, Missed::note());
        crowd.admit(|missed| {
            assert_eq!(missed, Missed { received_bytes: 40 * 7, sent_lines: 0, notes: 1 });
            line("now")
        });
        crowd.hand(&line("next"), LINE);
        assert_eq!([crowd.take(slow), crowd.take(slow)], [Portion::Lines(line("now")), Portion::Lines(line("next"))]);
    }

    #[test]
    fn there_is_room_for_so_many_and_none_at_the_end() {
        let crowd = Crowd::default();
        let ids: Vec<_> = (0..MOST_WATCHERS).map(|_| crowd.sit(line("hello")).unwrap()).collect();
        assert_eq!(crowd.sit(line("hello")), None);
        crowd.leave(ids[3]);
        let last = crowd.sit(line("hello")).unwrap();
        assert_eq!(crowd.take(ids[3]), Portion::Over);
        crowd.close(&line("bye"));
        assert_eq!([crowd.take(last), crowd.take(last)], [Portion::Lines(line("hello")), Portion::Lines(line("bye"))]);
        assert_eq!(crowd.take(last), Portion::Over);
        assert_eq!(crowd.sit(line("hello")), None);
    }

    #[test]
    fn who_asks_and_never_reads_gets_no_more_answers() {
        let crowd = Crowd::default();
        let id = crowd.sit(line("hello")).unwrap();
        let answers = (0..).take_while(|_| crowd.answer(id, Bytes::from(vec![b'x'; 1 << 20])).is_ok());
        assert_eq!(answers.count(), 8);
    }
}
