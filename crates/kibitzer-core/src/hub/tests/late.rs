//! Subscribers that receive a snapshot of the games first.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::*;

type SnapshotResult = Result<SubscriptionWithGames, RecvError>;
type SnapshotFuture = Pin<Box<dyn Future<Output = SnapshotResult>>>;

/// Returns two subscribers that wait for a snapshot: by broadcast, and without loss.
fn request_snapshots(hub: &Hub) -> [SnapshotFuture; 2] {
    let [broadcast, lossless] = [hub.clone(), hub.clone()];
    let mut both: [SnapshotFuture; 2] = [
        Box::pin(async move { broadcast.subscribe_with_games().await }),
        Box::pin(async move { lossless.subscribe_lossless_with_games(64).await }),
    ];
    for late in &mut both {
        assert!(poll_once(late).is_none(), "the publisher has not heard of it");
    }
    both
}

fn poll_once(late: &mut SnapshotFuture) -> Option<SnapshotResult> {
    match late.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// Returns the last move of each game in the snapshot, and the subscription to the events after it.
fn games_and_subscription(late: &mut SnapshotFuture) -> (Vec<String>, Subscription) {
    let SubscriptionWithGames { games, events } =
        poll_once(late).expect("the publisher has met it").expect("the session goes on");
    (games.iter().map(|game| game.position().last_move().unwrap().text().to_owned()).collect(), events)
}

#[test]
fn a_snapshot_is_followed_by_the_later_events() {
    let mut session = Session::new(8);
    session.feed(FIRST);
    session.feed(OTHER);
    let mut both = request_snapshots(&session.hub());
    assert_eq!(session.publisher.wait_for_new_subscribers().now_or_never(), Some(()));
    session.publisher.admit_new_subscribers(session.events.games());
    session.say([1, 2]);
    for late in &mut both {
        let (games, mut events) = games_and_subscription(late);
        assert_eq!(games, ["e4", "e4"]);
        assert_eq!(numbers(&mut events), [1, 2]);
    }
}

#[test]
fn events_in_the_snapshot_are_not_delivered_again() {
    let mut session = Session::new(8);
    let mut early = session.hub().subscribe_lossless(8);
    session.feed(FIRST);
    let mut both = request_snapshots(&session.hub());
    session.feed(SECOND);
    session.say([1]);
    for late in &mut both {
        let (games, mut events) = games_and_subscription(late);
        assert_eq!(games, ["Nf6"]);
        assert_eq!(numbers(&mut events), [1]);
    }
    let n_early = std::iter::from_fn(|| early.try_recv().unwrap()).count();
    assert_eq!(n_early, 3, "those who were there have every event");
}

#[test]
fn no_subscriber_is_admitted_between_a_desync_and_its_event() {
    // A board that the reported move does not lead to.
    let wrong = str::from_utf8(SECOND).unwrap().replace("PPPP-PPP", "PPPP--PP");
    let mut session = Session::new(8);
    session.feed(FIRST);
    let mut both = request_snapshots(&session.hub());
    let mut input = wrong.as_bytes();
    let desync = session.events.next(&mut input).unwrap();
    assert!(matches!(desync, Event::Desync(_)));
    session.publisher.try_publish(desync, session.events.games(), &counters(0)).unwrap();
    assert!(both.each_mut().map(poll_once).iter().all(Option::is_none), "the games are further on than the events");
    session.feed(input);
    session.say([1]);
    for late in &mut both {
        let (games, mut events) = games_and_subscription(late);
        assert_eq!(games, ["Nf6"]);
        assert_eq!(numbers(&mut events), [1]);
    }
}

#[test]
fn a_canceled_snapshot_request_is_not_subscribed() {
    let mut session = Session::new(8);
    session.feed(FIRST);
    drop(request_snapshots(&session.hub()));
    session.publisher.admit_new_subscribers(session.events.games());
    assert_eq!(session.publisher.lossless.len(), 0);
    let unread = request_snapshots(&session.hub());
    session.say([1]);
    drop(unread);
    session.say([2]);
    assert_eq!(session.publisher.lossless.len(), 0);
    let state = session.publisher.shared.lock_state();
    assert_eq!((state.ring.unread.len(), state.ring.n_readers), (0, 0));
}

#[test]
fn waiting_snapshot_requests_fail_at_the_end_of_the_session() {
    let session = Session::new(8);
    let hub = session.hub();
    let mut both = request_snapshots(&hub);
    drop(session);
    for late in &mut both {
        assert_eq!(poll_once(late).unwrap().err(), Some(RecvError::Closed));
    }
    assert_eq!(hub.subscribe_with_games().now_or_never().unwrap().err(), Some(RecvError::Closed));
}

proptest! {
    /// Whenever a subscriber joins, it receives the games, and exactly the events after them.
    #[test]
    fn games_and_events_fit_together(before in 0..8_usize, admitted in any::<bool>(), after in 0..8_usize) {
        const STORY: [&[u8]; 4] = [FIRST, SECOND, OTHER, b"1\n\r"];
        let mut session = Session::new(64);
        let mut story = STORY.iter().cycle();
        story.by_ref().take(before).for_each(|line| session.feed(line));
        let mut both = request_snapshots(&session.hub());
        if admitted {
            session.publisher.admit_new_subscribers(session.events.games());
        }
        let mut want: Option<Vec<Game>> = admitted.then(|| session.events.games().iter().cloned().collect());
        let mut left = Vec::new();
        for line in story.take(after) {
            session.feed(line);
            if want.is_none() {
                want = Some(session.events.games().iter().cloned().collect());
            } else {
                left.push(line.trim_ascii_end().to_vec());
            }
        }
        for late in &mut both {
            let Some(want) = &want else {
                prop_assert!(poll_once(late).is_none());
                continue;
            };
            let SubscriptionWithGames { games, mut events } = poll_once(late).unwrap().unwrap();
            prop_assert_eq!(format!("{games:?}"), format!("{want:?}"));
            let lines: Vec<_> = std::iter::from_fn(|| events.try_recv().unwrap()).map(|event| event.raw().to_vec()).collect();
            prop_assert_eq!(&lines, &left);
        }
    }
}
