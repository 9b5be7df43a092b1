//! Events that are published together.

use std::collections::VecDeque;
use std::thread;

use tokio::runtime::Builder;

use super::*;
use crate::event::EventKind;

impl Session {
    /// Publishes a line of text for each number in one step. Returns the events whose memory may be reused.
    fn say_together(&mut self, numbers: impl IntoIterator<Item = u32>) -> Vec<Event> {
        let mut batch: Vec<_> = numbers.into_iter().map(|number| self.event(number)).collect();
        self.publisher.publish_batch(&mut batch, self.events.games(), &counters(0));
        batch
    }

    /// Publishes batches until their memory is kept.
    fn keep_batches(&mut self) {
        for n_batches in 1..10 {
            assert_eq!(self.say_together([0]).len(), usize::from(n_batches >= 8), "batch {n_batches}");
        }
    }

    /// Publishes all events of these bytes in one step.
    fn feed_together(&mut self, mut bytes: &[u8]) {
        let mut batch: Vec<_> = std::iter::from_fn(|| self.events.next(&mut bytes)).collect();
        self.publisher.publish_batch(&mut batch, self.events.games(), &counters(0));
    }
}

#[test]
fn a_batch_wakes_each_waiting_subscriber_once() {
    for is_lossless in [false, true] {
        let mut session = Session::new(64);
        let hub = session.hub();
        let mut events = if is_lossless { hub.subscribe_lossless(1) } else { hub.subscribe() };
        let n_woken = Arc::new(AtomicUsize::new(0));
        let waker = Waker::from(Arc::new(OnWake({
            let n_woken = Arc::clone(&n_woken);
            move || _ = n_woken.fetch_add(1, Ordering::Relaxed)
        })));
        assert!(pin!(events.recv()).poll(&mut Context::from_waker(&waker)).is_pending());
        session.say_together(0..20);
        assert_eq!(n_woken.load(Ordering::Relaxed), 1);
        assert_eq!(numbers(&mut events), (0..20).collect::<Vec<_>>());
    }
}

#[test]
fn events_that_were_taken_are_not_missed() {
    let mut session = Session::new(4);
    let mut slow = session.hub().subscribe();
    session.say_together(0..4);
    assert_eq!(poll(&mut slow), Some(Ok(0)));
    session.say_together(4..14);
    assert_eq!([(); 3].map(|()| poll(&mut slow)), [1, 2, 3].map(|number| Some(Ok(number))));
    assert_eq!(poll(&mut slow), Some(Err(RecvError::Lagged { missed: 6 })), "more than are kept");
    assert_eq!(numbers(&mut slow), [10, 11, 12, 13]);
    assert_eq!(session.hub().missed_events(), 6);
}

#[test]
fn a_lossless_subscriber_has_at_most_its_capacity_and_one_batch() {
    let mut session = Session::new(8);
    let mut lossless = session.hub().subscribe_lossless(3);
    session.say_together(0..2);
    assert!(session.publisher.has_room());
    session.say_together(2..12);
    for number in 0..10 {
        assert!(!session.publisher.has_room());
        assert_eq!(poll(&mut lossless), Some(Ok(number)));
    }
    assert!(session.publisher.has_room(), "two are unread");
    assert_eq!(session.publisher.wait_for_room().now_or_never(), Some(()));
    drop(session);
    assert_eq!(numbers(&mut lossless), [10, 11]);
    assert_eq!((poll(&mut lossless), lossless.missed()), (Some(Err(RecvError::Closed)), 0));
}

#[test]
fn a_filter_applies_within_a_batch() {
    for is_lossless in [false, true] {
        let mut session = Session::new(64);
        let hub = session.hub();
        let narrow = if is_lossless { hub.subscribe_lossless(1) } else { hub.subscribe() };
        let mut narrow = narrow.only(Filter::new().kinds([EventKind::Shout]));
        session.feed_together(b"1\n\rFoo shouts: a\n\r2\n\r3\n\rFoo shouts: b\n\r4\n\r");
        let shouts: Vec<_> =
            std::iter::from_fn(|| narrow.try_recv().unwrap()).map(|event| event.raw().to_vec()).collect();
        assert_eq!(shouts, [&b"Foo shouts: a"[..], b"Foo shouts: b"]);
        assert!(session.publisher.has_room(), "what was skipped was read");
        drop(session);
        assert_eq!(narrow.try_recv(), Err(RecvError::Closed));
    }
}

#[test]
fn a_batch_is_reused_once_its_last_handle_is_dropped() {
    let mut session = Session::new(64);
    session.keep_batches();
    let (mut first, mut second) = (session.hub().subscribe(), session.hub().subscribe_lossless(64));
    assert_eq!(session.say_together(0..20), []);
    let handle = first.try_recv().unwrap().unwrap();
    assert_eq!((numbers(&mut first).len(), numbers(&mut second).len()), (19, 20));
    assert_eq!(session.say_together(20..40), [], "a handle of the first batch is kept");
    assert_eq!(handle.raw(), b"0");
    drop(handle);
    assert_eq!(session.say_together(40..60).len(), 20, "the first batch");
    assert_eq!((numbers(&mut first).len(), numbers(&mut second).len()), (40, 40));
    let used = session.say_together(60..80);
    assert_eq!(used.first().map(Event::raw), Some(&b"40"[..]), "the newest batch that has no reader");
    session.publisher.release_memory();
    assert_eq!((numbers(&mut first).len(), numbers(&mut second).len()), (20, 20));
    assert_eq!(session.say_together([80]), [], "nothing is kept");
    assert_eq!((numbers(&mut first).len(), numbers(&mut second).len()), (1, 1));
    assert_eq!(session.say_together([81]), [], "nor a batch soon after a silence");
}

#[test]
fn a_batch_that_a_stuck_subscriber_has_missed_is_reused() {
    let mut session = Session::new(64);
    session.keep_batches();
    let (_stuck, mut fast) = (session.hub().subscribe(), session.hub().subscribe());
    for batch in 0..10_u32 {
        let used = session.say_together(batch * 20..batch * 20 + 20);
        assert_eq!(numbers(&mut fast).len(), 20);
        assert_eq!(used.len(), if batch < 5 { 0 } else { 20 }, "batch {batch}");
    }
}

#[test]
fn a_watch_has_the_state_after_the_batch() {
    let mut session = Session::new(64);
    let mut watches = [7, 8].map(|id| session.hub().watch_game(GameId(id)));
    session.feed_together(&[FIRST, SECOND, OTHER].concat());
    assert_eq!(watches.each_mut().map(last_move), ["Nf6", "e4"].map(|played| Some(played.to_owned())));
    let mut batch = vec![session.events.next(&mut &b"1\n\r"[..]).unwrap(), Event::Connected];
    session.events = EventReader::default();
    session.publisher.publish_batch(&mut batch, session.events.games(), &counters(0));
    assert!(watches.iter_mut().all(|watch| watch.latest().is_none()));
}

proptest! {
    /// Compares with a model: a subscriber reads the batch that it has taken, then at its position, or at `kept` events before the
    /// end if that is later.
    #[test]
    fn broadcast_subscribers_of_batches_behave_like_the_model(
        kept in 1..20_u32,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut session = Session::new(usize::try_from(kept).unwrap());
        let hub = session.hub();
        let (mut published, mut n_missed) = (0_u32, 0);
        let mut ends = Vec::new();
        // Position, end of the batch that was taken, subscription.
        let mut readers: Vec<(u32, u32, Subscription)> = Vec::new();
        for step in steps {
            let oldest = published.saturating_sub(kept);
            match step {
                Step::Publish(n) => {
                    session.say_together(published..published + n);
                    published += n;
                    ends.push(published);
                    let oldest_now = published.saturating_sub(kept);
                    let missed = |&(at, taken, _): &(u32, u32, _)| oldest_now.saturating_sub(oldest.max(at).max(taken));
                    n_missed += readers.iter().map(missed).sum::<u32>();
                }
                Step::Subscribe => readers.push((published, 0, hub.subscribe())),
                Step::Leave(index) if !readers.is_empty() => drop(readers.swap_remove(index.index(readers.len()))),
                Step::Read(index) if !readers.is_empty() => {
                    let length = readers.len();
                    let (at, taken, subscription) = &mut readers[index.index(length)];
                    let want = if *at >= *taken && *at < oldest {
                        let missed = u64::from(oldest - *at);
                        *at = oldest;
                        Some(Err(RecvError::Lagged { missed }))
                    } else if *at < published {
                        *taken = *ends.iter().find(|end| **end > *at).unwrap();
                        *at += 1;
                        Some(Ok(*at - 1))
                    } else {
                        None
                    };
                    prop_assert_eq!(poll(subscription), want);
                }
                Step::Leave(_) | Step::Read(_) => {}
            }
            prop_assert_eq!(hub.missed_events(), u64::from(n_missed));
        }
        readers.clear();
        let state = session.publisher.shared.lock_state();
        prop_assert_eq!((state.ring.unread.len(), state.ring.n_readers), (0, 0));
    }

    /// A lossless subscriber receives every event, and the publisher waits exactly while it has too many.
    #[test]
    fn lossless_subscribers_of_batches_behave_like_the_model(
        capacity in 1..20_usize,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut session = Session::new(1);
        let mut lossless = session.hub().subscribe_lossless(capacity);
        session.publisher.admit_new_subscribers(session.events.games());
        let (mut published, mut unread) = (0, VecDeque::new());
        for step in steps {
            prop_assert_eq!(session.publisher.has_room(), unread.len() < capacity);
            match step {
                Step::Publish(n) if unread.len() < capacity => {
                    session.say_together(published..published + n);
                    unread.extend(published..published + n);
                    published += n;
                }
                _ => prop_assert_eq!(poll(&mut lossless), unread.pop_front().map(Ok)),
            }
        }
    }

    /// Whoever joins during a batch receives the games after it, and the events after it.
    #[test]
    fn games_and_events_of_batches_fit_together(before in 0..8_usize, after in 0..8_usize) {
        const STORY: [&[u8]; 4] = [FIRST, SECOND, OTHER, b"1\n\r"];
        let mut session = Session::new(64);
        let mut story = STORY.iter().copied().cycle();
        let hub = session.hub();
        let mut joining = pin!(hub.subscribe_with_games());
        prop_assert!(joining.as_mut().now_or_never().is_none());
        session.feed_together(&story.by_ref().take(before + 1).collect::<Vec<_>>().concat());
        let want: Vec<Game> = session.events.games().iter().cloned().collect();
        session.feed_together(&story.take(after).collect::<Vec<_>>().concat());
        let SubscriptionWithGames { games, mut events } = joining.now_or_never().unwrap().unwrap();
        prop_assert_eq!(format!("{games:?}"), format!("{want:?}"));
        prop_assert_eq!(std::iter::from_fn(|| events.try_recv().unwrap()).count(), after);
    }
}

/// A generator of small random numbers.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % limit
    }
}

/// Reads until the end, checks that each gap has its exact number, and returns the position after the last event. Waits and polls
/// without waiting in random order, cancels waits, and replaces the subscription at the end of some batches.
async fn read_exactly(hub: Hub, mut events: Subscription, is_lossless: bool, seed: u32) -> u64 {
    let mut random = Random(seed);
    let mut next = None;
    loop {
        let received = match random.below(4) {
            0 => match events.try_recv() {
                Ok(Some(event)) => Ok(event),
                Ok(None) => {
                    thread::yield_now();
                    continue;
                }
                Err(error) => Err(error),
            },
            1 => {
                let Some(received) = events.recv().now_or_never() else {
                    thread::yield_now();
                    continue;
                };
                received
            }
            _ => events.recv().await,
        };
        match received {
            Ok(event) => {
                let number: u64 = str::from_utf8(event.raw()).unwrap().parse().unwrap();
                assert_eq!(number, *next.get_or_insert(number));
                next = Some(number + 1);
            }
            Err(RecvError::Lagged { missed }) => {
                assert!(!is_lossless);
                next = next.map(|next| next + missed);
            }
            Err(RecvError::Closed) => return next.unwrap_or_default(),
        }
        match random.below(400) {
            0 if !is_lossless => (events, next) = (hub.subscribe(), None),
            1 => drop(hub.subscribe()),
            2..20 => thread::yield_now(),
            _ => {}
        }
    }
}

/// A lost wake-up would let a thread wait for ever.
#[test]
fn threads_receive_every_batch_or_its_exact_number() {
    const N_EVENTS: u32 = 60_000;
    let mut session = Session::new(256);
    let runtime = || Builder::new_current_thread().build().unwrap();
    let threads: Vec<_> = (0..6)
        .map(|n| {
            let hub = session.hub();
            let is_lossless = n % 2 == 0;
            let events = if is_lossless { hub.subscribe_lossless(100) } else { hub.subscribe() };
            (is_lossless, thread::spawn(move || runtime().block_on(read_exactly(hub, events, is_lossless, n))))
        })
        .collect();
    let (runtime, mut random) = (runtime(), Random(7));
    let mut published = 0;
    while published < N_EVENTS {
        let until = N_EVENTS.min(published + 1 + random.below(128) / (1 + random.below(64)));
        runtime.block_on(session.publisher.wait_for_room());
        session.say_together(published..until);
        published = until;
    }
    drop(session);
    for (is_lossless, thread) in threads {
        let end = thread.join().unwrap();
        assert!(end == u64::from(N_EVENTS) || !is_lossless && end == 0, "{end}, lossless: {is_lossless}");
    }
}
