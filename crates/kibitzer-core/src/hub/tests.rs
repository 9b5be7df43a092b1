mod batch;
mod filter;
mod late;

use std::future::Future;
use std::pin::pin;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::FutureExt;
use proptest::prelude::*;

use super::*;
use crate::event::{Event, Restored, RestoredGame};
use crate::message::Attribution;
use crate::message::Relation;
use crate::reader::EventReader;

/// Two boards of game 7, one ply apart, and one of game 8.
const FIRST: &[u8] = b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
    Newton Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r";
const SECOND: &[u8] = b"<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPP-PPP RNBQKBNR W -1 1 1 1 1 1 7 \
    Newton Einstein 0 2 12 39 39 119 122 2 N/g8-f6 (0:06) Nf6 0\n\r";
const OTHER: &[u8] = b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 8 \
    Bohr Curie 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r";

/// A session that publishes the events of the bytes passed to it.
struct Session {
    publisher: HubPublisher,
    events: EventReader,
}

impl Session {
    fn new(kept_events: usize) -> Self {
        let publisher = HubPublisher::new(kept_events);
        Self { publisher, events: EventReader::default() }
    }

    fn hub(&self) -> Hub {
        self.publisher.hub()
    }

    /// Publishes the events in `bytes`; panics if a publication has to wait.
    fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(event) = self.events.next(&mut bytes) {
            self.publish(event);
        }
    }

    fn publish(&mut self, event: Event) {
        self.publisher.publish(event, self.events.games()).now_or_never().expect("publishing waits");
    }

    /// Publishes a line of text for each number.
    fn say(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            self.feed(format!("{number}\n\r").as_bytes());
        }
    }

    /// Publishes an event and returns a pointer to data that only clones of the event own.
    fn publish_tracked(&mut self) -> Weak<str> {
        let line = Arc::from("date");
        let data = Arc::downgrade(&line);
        self.publish(Event::Sent { line: Some(line), attribution: Attribution::default() });
        data
    }

    fn event(&mut self, number: u32) -> Event {
        self.events.next(&mut format!("{number}\n\r").as_bytes()).unwrap()
    }
}

/// Returns the next number or error of a subscription; `None` if it would wait.
fn poll(subscription: &mut Subscription) -> Option<Result<u32, RecvError>> {
    let next = subscription.recv().now_or_never()?;
    Some(next.map(|event| str::from_utf8(event.raw()).unwrap().parse().unwrap()))
}

fn numbers(subscription: &mut Subscription) -> Vec<u32> {
    std::iter::from_fn(|| poll(subscription)?.ok()).collect()
}

#[test]
fn subscribers_dropped_before_admission_occupy_no_memory() {
    let session = Session::new(4);
    let hub = session.hub();
    for _ in 0..1000 {
        drop((hub.watch_game(GameId(7)), hub.subscribe_lossless(1)));
        assert!(hub.subscribe_with_games().now_or_never().is_none());
    }
    let state = session.publisher.shared.lock_state();
    assert!(state.new_subscribers.len() < 20, "{}", state.new_subscribers.len());
}

#[test]
fn next_continues_after_a_gap_and_ends_with_the_session() {
    let mut session = Session::new(4);
    let mut slow = session.hub().subscribe();
    session.say(0..10);
    let first = slow.next().now_or_never().unwrap().unwrap();
    assert_eq!((first.raw(), slow.missed()), (&b"6"[..], 6));
    session.say(10..20);
    assert_eq!(poll(&mut slow), Some(Err(RecvError::Lagged { missed: 9 })));
    assert_eq!(slow.missed(), 15);
    session.say(20..22);
    assert_eq!(slow.try_recv(), Err(RecvError::Lagged { missed: 2 }));
    drop(session);
    let rest = std::iter::from_fn(|| slow.next().now_or_never().unwrap()).count();
    assert_eq!((rest, slow.missed()), (4, 17));
}

#[test]
fn a_slow_subscriber_receives_the_number_of_missed_events_and_continues_with_the_oldest() {
    for (kept, said, missed) in [(4, 4, 0), (4, 5, 1), (4, 10, 6), (1, 10, 9), (0, 3, 2), (5, 1000, 995)] {
        let mut session = Session::new(kept);
        let mut slow = session.hub().subscribe();
        session.say(0..said);
        if missed > 0 {
            assert_eq!(poll(&mut slow), Some(Err(RecvError::Lagged { missed: u64::from(missed) })), "{kept} of {said}");
        }
        assert_eq!(numbers(&mut slow), (missed..said).collect::<Vec<_>>(), "{kept} of {said}");
        session.say([said]);
        assert_eq!(poll(&mut slow), Some(Ok(said)), "it is up to date again");
    }
}

#[test]
fn a_stuck_subscriber_does_not_affect_the_others() {
    let mut session = Session::new(3);
    let (mut stuck, mut fast, mut bursty) =
        (session.hub().subscribe(), session.hub().subscribe(), session.hub().subscribe());
    for number in 0..300 {
        session.say([number]);
        assert_eq!(poll(&mut fast), Some(Ok(number)));
        if number % 3 == 2 {
            assert_eq!(numbers(&mut bursty), [number - 2, number - 1, number]);
        }
    }
    assert_eq!(session.hub().missed_events(), 297);
    assert_eq!(poll(&mut stuck), Some(Err(RecvError::Lagged { missed: 297 })));
    assert_eq!(numbers(&mut stuck), [297, 298, 299]);
}

#[test]
fn an_event_is_freed_once_all_subscribers_have_read_it() {
    let mut session = Session::new(8);
    assert_eq!(session.publish_tracked().strong_count(), 0, "there is no subscriber");
    let (mut first, mut second) = (session.hub().subscribe(), session.hub().subscribe());
    let data = session.publish_tracked();
    assert!(first.try_recv().unwrap().is_some());
    assert_eq!(data.strong_count(), 1, "the second subscriber has not read it");
    assert!(second.try_recv().unwrap().is_some());
    assert_eq!(data.strong_count(), 0);
    let data = session.publish_tracked();
    drop(first);
    assert_eq!(data.strong_count(), 1, "the second subscriber has not read it");
    drop(second);
    assert_eq!(data.strong_count(), 0);
}

#[test]
fn a_late_subscriber_receives_only_later_events() {
    let mut session = Session::new(8);
    let mut early = session.hub().subscribe();
    session.say([1]);
    let (mut late, mut late_lossless) = (session.hub().subscribe(), session.hub().subscribe_lossless(8));
    session.say([2]);
    assert_eq!(numbers(&mut early), [1, 2]);
    assert_eq!(numbers(&mut late), [2]);
    assert_eq!(numbers(&mut late_lossless), [2]);
}

#[test]
fn a_full_lossless_queue_blocks_the_publisher_until_it_is_read() {
    let mut session = Session::new(8);
    let (mut lossless, mut broadcast) = (session.hub().subscribe_lossless(2), session.hub().subscribe());
    session.say([1, 2]);
    let event = session.event(3);
    let mut publishing = pin!(session.publisher.publish(event, session.events.games()));
    assert_eq!(publishing.as_mut().now_or_never(), None);
    assert_eq!(publishing.as_mut().now_or_never(), None);
    assert_eq!(numbers(&mut broadcast), [1, 2], "nobody is ahead of the lossless one");
    assert_eq!(poll(&mut lossless), Some(Ok(1)));
    assert_eq!(publishing.as_mut().now_or_never(), Some(()));
    assert_eq!(numbers(&mut lossless), [2, 3]);
    assert_eq!(numbers(&mut broadcast), [3]);
}

#[test]
fn publishing_waits_for_every_full_queue() {
    let mut session = Session::new(8);
    let mut queues = [1, 1, 2].map(|capacity| session.hub().subscribe_lossless(capacity));
    session.say([1]);
    let event = session.event(2);
    let mut publishing = pin!(session.publisher.publish(event, session.events.games()));
    for queue in queues.iter_mut().rev() {
        assert_eq!(publishing.as_mut().now_or_never(), None);
        assert_eq!(poll(queue), Some(Ok(1)));
    }
    assert_eq!(publishing.as_mut().now_or_never(), Some(()));
    assert_eq!(queues.each_mut().map(poll), [Some(Ok(2)); 3]);
}

#[test]
fn dropping_a_lossless_subscription_frees_the_publisher() {
    let mut session = Session::new(8);
    let lossless = session.hub().subscribe_lossless(0);
    session.say([1]);
    let event = session.event(2);
    {
        let mut publishing = pin!(session.publisher.publish(event, session.events.games()));
        assert_eq!(publishing.as_mut().now_or_never(), None, "a capacity of 0 is taken as 1");
        drop(lossless);
        assert_eq!(publishing.as_mut().now_or_never(), Some(()));
    }
    session.say([3, 4, 5]);
    assert_eq!(session.publisher.lossless.len(), 0);
}

#[test]
fn try_publish_returns_the_event_while_a_queue_is_full() {
    let mut session = Session::new(8);
    let (mut lossless, mut broadcast) = (session.hub().subscribe_lossless(1), session.hub().subscribe());
    let left = session.hub().subscribe_lossless(1);
    let [first, second, third] = [1, 2, 3].map(|number| session.event(number));
    let games = session.events.games();
    assert_eq!(session.publisher.try_publish(first, games, &counters(0)), Ok(()));
    drop(left);
    let full = session.publisher.try_publish(second.clone(), games, &counters(0));
    assert_eq!(full, Err(second.clone()));
    assert_eq!(numbers(&mut broadcast), [1], "nobody is ahead of the lossless one");
    assert_eq!(numbers(&mut lossless), [1]);
    assert_eq!(session.publisher.try_publish(second, games, &counters(0)), Ok(()), "who has left is not waited for");
    drop(lossless);
    assert_eq!(session.publisher.try_publish(third, games, &counters(0)), Ok(()));
    assert_eq!(numbers(&mut broadcast), [2, 3]);
}

#[test]
fn a_full_lossless_subscriber_at_the_end_receives_the_number_of_undelivered_events() {
    let mut session = Session::new(8);
    let hub = session.hub();
    let (mut full, mut other, mut broadcast) = (hub.subscribe_lossless(2), hub.subscribe_lossless(8), hub.subscribe());
    for number in 1..5 {
        let event = session.event(number);
        session.publisher.publish_where_room(event, session.events.games(), Some(&counters(0)));
        // Room that comes too late leaves no gap in the middle.
        if number == 3 {
            assert_eq!(poll(&mut full), Some(Ok(1)));
        }
    }
    drop(session);
    assert_eq!(hub.undelivered_events(), 2);
    assert_eq!(poll(&mut full), Some(Ok(2)));
    assert_eq!(poll(&mut full), Some(Err(RecvError::Lagged { missed: 2 })));
    assert_eq!((poll(&mut full), full.missed()), (Some(Err(RecvError::Closed)), 2));
    for subscription in [&mut other, &mut broadcast] {
        assert_eq!(numbers(subscription), [1, 2, 3, 4]);
        assert_eq!((poll(subscription), subscription.missed()), (Some(Err(RecvError::Closed)), 0));
    }
}

#[test]
fn a_canceled_publish_delivers_the_event_to_no_subscriber() {
    let mut session = Session::new(8);
    let (mut lossless, mut broadcast) = (session.hub().subscribe_lossless(1), session.hub().subscribe());
    session.say([1]);
    let event = session.event(2);
    assert_eq!(session.publisher.publish(event, session.events.games()).now_or_never(), None);
    assert_eq!(numbers(&mut lossless), [1]);
    session.say([3]);
    assert_eq!(numbers(&mut lossless), [3]);
    assert_eq!(numbers(&mut broadcast), [1, 3]);
}

#[test]
fn a_canceled_wait_loses_no_event() {
    let mut session = Session::new(8);
    let (mut broadcast, mut lossless) = (session.hub().subscribe(), session.hub().subscribe_lossless(8));
    for number in 0..20 {
        for subscription in [&mut broadcast, &mut lossless] {
            assert_eq!(poll(subscription), None);
            let mut waiting = Box::pin(subscription.recv());
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        session.say([number]);
        assert_eq!(poll(&mut broadcast), Some(Ok(number)));
        assert_eq!(poll(&mut lossless), Some(Ok(number)));
    }
}

#[test]
fn a_closed_session_is_read_to_its_end_and_stays_closed() {
    let mut session = Session::new(8);
    let hub = session.hub();
    let mut all = [hub.subscribe(), hub.subscribe_lossless(8)];
    session.say([1, 2]);
    let mut unmet = hub.subscribe_lossless(8);
    drop(session);
    for subscription in &mut all {
        assert_eq!(numbers(subscription), [1, 2]);
        assert_eq!(poll(subscription), Some(Err(RecvError::Closed)));
        assert_eq!(poll(subscription), Some(Err(RecvError::Closed)));
    }
    for subscription in [&mut unmet, &mut hub.subscribe(), &mut hub.subscribe_lossless(8)] {
        assert_eq!(poll(subscription), Some(Err(RecvError::Closed)));
    }
    assert_eq!(hub.watch_game(GameId(7)).changed().now_or_never(), Some(Err(RecvError::Closed)));
}

#[test]
fn a_lag_is_reported_before_the_end() {
    let mut session = Session::new(1);
    let hub = session.hub();
    let (mut slow, other) = (hub.subscribe(), hub.subscribe());
    session.say([1, 2]);
    drop((session, other));
    assert_eq!(hub.missed_events(), 2, "two missed the same");
    assert_eq!(poll(&mut slow), Some(Err(RecvError::Lagged { missed: 1 })));
    assert_eq!(poll(&mut slow), Some(Ok(2)));
    assert_eq!(poll(&mut slow), Some(Err(RecvError::Closed)));
}

#[test]
fn try_recv_returns_available_events_without_waiting() {
    let mut session = Session::new(2);
    let (mut broadcast, mut lossless) = (session.hub().subscribe(), session.hub().subscribe_lossless(8));
    assert_eq!([&mut broadcast, &mut lossless].map(Subscription::try_recv), [Ok(None), Ok(None)]);
    session.say([1, 2, 3]);
    assert_eq!(broadcast.try_recv(), Err(RecvError::Lagged { missed: 1 }));
    let mut unmet = session.hub().subscribe_lossless(8);
    drop(session);
    for (subscription, want) in [(&mut broadcast, &["2", "3"][..]), (&mut lossless, &["1", "2", "3"])] {
        for number in want {
            assert_eq!(subscription.try_recv().unwrap().unwrap().raw(), number.as_bytes());
        }
    }
    for subscription in [&mut broadcast, &mut lossless, &mut unmet] {
        assert_eq!(subscription.try_recv(), Err(RecvError::Closed));
        assert_eq!(subscription.try_recv(), Err(RecvError::Closed));
    }
}

#[tokio::test]
async fn waiting_tasks_are_woken_by_events_and_by_the_end() {
    let mut session = Session::new(8);
    let mut tasks = tokio::task::JoinSet::new();
    for subscription in [session.hub().subscribe(), session.hub().subscribe_lossless(1), session.hub().subscribe()] {
        tasks.spawn(count(subscription));
    }
    for number in 0..1000 {
        let event = session.event(number);
        session.publisher.publish(event, session.events.games()).await;
        tokio::task::yield_now().await;
    }
    drop(session);
    assert_eq!(tasks.join_all().await, [1000; 3]);
}

async fn count(mut subscription: Subscription) -> usize {
    let mut n_events = 0;
    while subscription.recv().await.is_ok() {
        n_events += 1;
    }
    n_events
}

#[test]
fn dropped_subscribers_free_their_slots_and_queues() {
    let mut session = Session::new(8);
    let mut stays = session.hub().subscribe();
    for number in 0..100 {
        let mut goes = session.hub().subscribe();
        assert_eq!(poll(&mut goes), None, "it waits");
        drop((goes, session.hub().subscribe_lossless(1), session.hub().watch_game(GameId(7))));
        session.say([number]);
        assert_eq!(poll(&mut stays), Some(Ok(number)));
    }
    for _ in 0..100 {
        drop((session.hub().subscribe_lossless(1), session.hub().watch_game(GameId(7))));
        session.publisher.admit_new_subscribers(session.events.games());
    }
    assert_eq!(session.publisher.shared.lock_state().waiters.slots.len(), 2);
    assert!(session.publisher.lossless.len() + session.publisher.watches.len() <= 2);
}

#[test]
fn a_new_connection_has_no_state_of_a_watched_game() {
    let mut session = Session::new(8);
    let mut watch = session.hub().watch_game(GameId(7));
    let mut unknown = session.hub().watch_game(GameId(8));
    session.feed(FIRST);
    assert_eq!(last_move(&mut watch).as_deref(), Some("e4"));
    session.events = EventReader::default();
    let connected = session.publisher.publish(Event::Connected, session.events.games());
    connected.now_or_never().expect("publishing waits");
    assert_eq!(watch.changed().now_or_never(), Some(Ok(())));
    assert!(watch.latest().is_none());
    assert_eq!(unknown.changed().now_or_never(), None, "nothing was known of it before");
    session.feed(SECOND);
    assert_eq!(last_move(&mut watch).as_deref(), Some("Nf6"));
}

#[test]
fn a_watch_follows_its_game_under_its_new_number() {
    let mut session = Session::new(4);
    let mut watches = [7, 8].map(|id| session.hub().watch_game(GameId(id)));
    session.feed(FIRST);
    session.feed(OTHER);
    session.publish(Event::Connected);
    session.events = EventReader::default();
    // The games have exchanged their numbers.
    for (board, was, now) in [(FIRST, " 7 ", " 8 "), (OTHER, " 8 ", " 7 ")] {
        let line = String::from_utf8(board.to_vec()).unwrap().replace(was, now);
        let Some(Event::Received { received, change: Some(mut change) }) = session.events.next(&mut line.as_bytes())
        else {
            panic!("{line}")
        };
        change.mark_by_restoration();
        session.publish(Event::Received { received, change: Some(change) });
    }
    assert!(watches.iter_mut().all(|watch| watch.latest().is_none()), "the search is not over");
    let mut restored = Restored::default();
    for (was, now, white, black) in [(7, 8, "Newton", "Einstein"), (8, 7, "Bohr", "Curie")] {
        let [white, black] = [white, black].map(|name| name.parse().unwrap());
        let mut game = RestoredGame::unchanged(GameId(was), white, black, Relation::Observing);
        game.now = Some(GameId(now));
        restored.games.push(game);
    }
    session.publish(Event::Restored(Arc::new(restored)));
    let white = |watch: &mut GameWatch| watch.latest().unwrap().position().white().to_string();
    assert_eq!(watches.each_mut().map(white), ["Newton", "Bohr"]);
    session.feed(&SECOND.split(|&b| b == b'7').collect::<Vec<_>>().join(&b'8'));
    assert_eq!(watches[0].latest().unwrap().position().ply(), 2);
}

#[test]
fn a_watch_has_the_newest_state_of_its_game() {
    let mut session = Session::new(8);
    session.feed(FIRST);
    let mut watch = session.hub().watch_game(GameId(7));
    assert!(watch.latest().is_none(), "the publisher has not heard of it");
    assert_eq!(session.publisher.wait_for_new_subscribers().now_or_never(), Some(()));
    session.publisher.admit_new_subscribers(session.events.games());
    assert_eq!(session.publisher.wait_for_new_subscribers().now_or_never(), None);
    assert_eq!(watch.changed().now_or_never(), Some(Ok(())));
    assert_eq!(last_move(&mut watch).as_deref(), Some("e4"));
    session.feed(OTHER);
    session.say([1]);
    assert_eq!(watch.changed().now_or_never(), None, "another game, and no game");
    session.feed(SECOND);
    assert_eq!(watch.changed().now_or_never(), Some(Ok(())));
    assert_eq!(last_move(&mut watch).as_deref(), Some("Nf6"));
    assert_eq!(watch.changed().now_or_never(), None, "it was seen");
    drop(session);
    assert_eq!(watch.changed().now_or_never(), Some(Err(RecvError::Closed)));
    assert_eq!(last_move(&mut watch).as_deref(), Some("Nf6"), "the last state stays");
}

/// Calls a function whenever a subscriber is woken, which on a runtime of several threads may receive the event at once.
struct OnWake<F>(F);

impl<F: Fn() + Send + Sync> Wake for OnWake<F> {
    fn wake(self: Arc<Self>) {
        self.0();
    }
}

#[test]
fn whoever_is_woken_by_an_event_sees_a_watch_and_counters_that_are_as_new() {
    for is_lossless in [false, true] {
        let mut session = Session::new(8);
        let hub = session.hub();
        let mut events = if is_lossless { hub.subscribe_lossless(8) } else { hub.subscribe() };
        let mut poll = |seen: Arc<Mutex<Vec<String>>>, watch: Arc<Mutex<GameWatch>>| {
            let hub = hub.clone();
            let waker = Waker::from(Arc::new(OnWake(move || {
                let newest = last_move(&mut watch.lock().unwrap()).unwrap_or_default();
                seen.lock().unwrap().push(format!("{newest} {}", hub.counters().events));
            })));
            while pin!(events.next()).poll(&mut Context::from_waker(&waker)).is_ready() {}
        };
        let seen = Arc::<Mutex<Vec<_>>>::default();
        let early = Arc::new(Mutex::new(hub.watch_game(GameId(7))));
        for (n, said) in [FIRST, SECOND].into_iter().enumerate() {
            poll(Arc::clone(&seen), Arc::clone(&early));
            let event = session.events.next(&mut &*said).unwrap();
            assert_eq!(session.publisher.try_publish(event, session.events.games(), &counters(n + 1)), Ok(()));
        }
        // A watch that joins between two events.
        poll(Arc::clone(&seen), Arc::new(Mutex::new(hub.watch_game(GameId(8)))));
        session.feed(OTHER);
        poll(Arc::clone(&seen), early);
        session.publish(Event::Connected);
        assert_eq!(*seen.lock().unwrap(), ["e4 1", "Nf6 2", "e4 2", " 2"], "lossless: {is_lossless}");
    }
}

fn counters(n_events: usize) -> SessionCounters {
    SessionCounters { events: n_events.try_into().unwrap(), ..SessionCounters::default() }
}

#[test]
fn a_watch_has_the_reserves() {
    let mut session = Session::new(8);
    let mut watch = session.hub().watch_game(GameId(7));
    session.feed(b"<b1> game 7 white [P] black []\n\r");
    assert!(watch.latest().is_none(), "there is no board yet");
    session.feed(FIRST);
    assert_eq!(watch.latest().unwrap().hands().unwrap().to_string(), "P");
    session.feed(b"<b1> game 7 white [P] black [N]\n\r");
    assert_eq!(watch.changed().now_or_never(), Some(Ok(())));
    assert_eq!(
        watch.latest().unwrap().fen().to_string(),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[Pn] b KQkq e3 0 1"
    );
}

#[test]
fn a_watch_skips_states_and_shows_the_last_before_the_end() {
    let mut session = Session::new(8);
    let mut watch = session.hub().watch_game(GameId(7));
    session.feed(FIRST);
    session.feed(SECOND);
    drop(session);
    assert_eq!(watch.changed().now_or_never(), Some(Ok(())));
    assert_eq!(last_move(&mut watch).as_deref(), Some("Nf6"));
    assert_eq!(watch.changed().now_or_never(), Some(Err(RecvError::Closed)));
}

#[test]
fn a_polled_watch_wakes_its_last_poller_and_reports_no_state_twice() {
    struct Flag(AtomicBool);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let mut session = Session::new(8);
    let mut watch = session.hub().watch_game(GameId(7));
    let flags = [(); 2].map(|()| Arc::new(Flag(AtomicBool::new(false))));
    let wakers = flags.clone().map(Waker::from);
    let [mut first, mut last] = wakers.each_ref().map(Context::from_waker);
    assert!(watch.poll_changed(&mut first).is_pending());
    assert!(watch.poll_changed(&mut last).is_pending());
    session.feed(FIRST);
    assert_eq!(flags.each_ref().map(|flag| flag.0.load(Ordering::Relaxed)), [false, true]);
    assert_eq!(watch.poll_changed(&mut last), Poll::Ready(Ok(())));
    assert_eq!(last_move(&mut watch).as_deref(), Some("e4"));
    assert!(watch.poll_changed(&mut last).is_pending());
    // Seen by another call while the watch waited.
    session.feed(SECOND);
    assert_eq!(last_move(&mut watch).as_deref(), Some("Nf6"));
    assert!(watch.poll_changed(&mut last).is_pending());
    session.feed(FIRST);
    drop(session);
    assert_eq!(watch.poll_changed(&mut last), Poll::Ready(Ok(())));
    assert_eq!(watch.poll_changed(&mut last), Poll::Ready(Err(RecvError::Closed)));
}

#[test]
fn one_copy_of_a_game_serves_all_its_watches() {
    let mut session = Session::new(8);
    let mut watches = [7, 7, 8].map(|id| session.hub().watch_game(GameId(id)));
    session.feed(OTHER);
    session.feed(FIRST);
    let [first, second, other] = watches.each_mut().map(|watch| watch.latest().unwrap());
    assert!(Arc::ptr_eq(&first, &second));
    assert!(!Arc::ptr_eq(&first, &other));
}

/// Returns the last move of the newest state of a watched game; `None` without a state or a last move.
fn last_move(watch: &mut GameWatch) -> Option<String> {
    let game = watch.latest()?;
    game.position().last_move().map(|played| played.text().to_owned())
}

#[derive(Clone, Debug)]
enum Step {
    Publish(u32),
    Subscribe,
    Read(prop::sample::Index),
    Leave(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..6_u32).prop_map(Step::Publish),
        Just(Step::Subscribe),
        any::<prop::sample::Index>().prop_map(Step::Read),
        any::<prop::sample::Index>().prop_map(Step::Read),
        any::<prop::sample::Index>().prop_map(Step::Leave),
    ]
}

proptest! {
    /// Compares with a model: a subscriber reads at its position, or at `kept` events before the end if that is later.
    #[test]
    fn broadcast_subscribers_behave_like_the_model(
        kept in 1..6_u32,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut session = Session::new(usize::try_from(kept).unwrap());
        let mut published = 0;
        let mut readers: Vec<(u32, Subscription)> = Vec::new();
        for step in steps {
            match step {
                Step::Publish(n) => {
                    session.say(published..published + n);
                    published += n;
                }
                Step::Subscribe => readers.push((published, session.hub().subscribe())),
                Step::Leave(index) if !readers.is_empty() => drop(readers.swap_remove(index.index(readers.len()))),
                Step::Read(index) if !readers.is_empty() => {
                    let length = readers.len();
                    let (at, subscription) = &mut readers[index.index(length)];
                    let oldest = published.saturating_sub(kept);
                    let want = if *at < oldest {
                        let missed = u64::from(oldest - *at);
                        *at = oldest;
                        Some(Err(RecvError::Lagged { missed }))
                    } else if *at < published {
                        *at += 1;
                        Some(Ok(*at - 1))
                    } else {
                        None
                    };
                    prop_assert_eq!(poll(subscription), want);
                }
                Step::Leave(_) | Step::Read(_) => {}
            }
        }
        readers.clear();
        let state = session.publisher.shared.lock_state();
        prop_assert_eq!((state.ring.unread.len(), state.ring.n_readers), (0, 0));
    }
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<HubPublisher>();
    is_send_and_sync::<Hub>();
    is_send_and_sync::<Subscription>();
    is_send_and_sync::<GameWatch>();
};
