//! Subscriptions that are narrowed to some events.

use super::*;
use crate::event::EventKind;

/// Lines that differ in their kind or in the game that they concern.
const SESSION: &[&[u8]] = &[
    FIRST,
    b"<b1> game 7 white [P] black []\n\r",
    OTHER,
    b"Foo(C)(1882)[7] kibitzes: in seven\n\r",
    b"Bar(1882)[8] whispers: in eight\n\r",
    b"FOO tells you: hi\n\r",
    b"Foo(50): hi\n\r",
    b"1\n\r",
    SECOND,
];

fn accepted_kinds(filter: &Filter) -> Vec<EventKind> {
    let mut session = Session::new(64);
    let mut narrow = [session.hub().subscribe(), session.hub().subscribe_lossless(64)]
        .map(|subscription| subscription.only(filter.clone()));
    for line in SESSION {
        session.feed(line);
    }
    let [broadcast, lossless] = narrow.each_mut().map(kinds);
    assert_eq!(broadcast, lossless);
    broadcast
}

fn kinds(subscription: &mut Subscription) -> Vec<EventKind> {
    std::iter::from_fn(|| Some(subscription.recv().now_or_never()?.unwrap().kind())).collect()
}

#[test]
fn each_condition_narrows_a_filter() {
    use EventKind::{ChannelTell, Holding, Kibitz, Position, Tell, Text, Whisper};

    let (all, foo) = (Filter::new(), || "foo".parse().unwrap());
    let cases: &[(&str, Filter, &[EventKind])] = &[
        ("nothing", all.clone(), &[Position, Holding, Position, Kibitz, Whisper, Tell, ChannelTell, Text, Position]),
        ("kinds", all.clone().kinds([Position, Text]), &[Position, Position, Text, Position]),
        ("no kind at all", all.clone().kinds([]), &[]),
        ("a game", all.clone().game(GameId(7)), &[Position, Holding, Kibitz, Position]),
        ("a game nobody plays", all.clone().game(GameId(9)), &[]),
        ("a speaker, in any case", all.clone().spoken_by(foo()), &[Kibitz, Tell, ChannelTell]),
        ("a speaker in a game", all.clone().spoken_by(foo()).game(GameId(8)), &[]),
        ("a speaker, some kinds", all.clone().spoken_by(foo()).kinds([Kibitz, Whisper]), &[Kibitz]),
        ("a game, some kinds", all.game(GameId(8)).kinds([Kibitz, Whisper]), &[Whisper]),
    ];
    for (name, filter, want) in cases {
        assert_eq!(accepted_kinds(filter), *want, "{name}");
    }
}

#[test]
fn a_game_filter_matches_changes_and_mentions() {
    let mut session = Session::new(8);
    let mut narrow = session.hub().subscribe().only(Filter::new().game(GameId(7)));
    session.feed(b"<d1> 7 10 O-O e8g8c 922 168890 207\n\r");
    assert_eq!(kinds(&mut narrow), [EventKind::Desync, EventKind::Text]);
    session.feed(FIRST);
    session.feed(b"<d1> 7 2 e5 e7e5 922 121078 207\n\r");
    assert_eq!(kinds(&mut narrow), [EventKind::Position, EventKind::Position]);
}

#[test]
fn missed_events_are_counted_before_the_filter() {
    let mut session = Session::new(4);
    let mut narrow = session.hub().subscribe().only(Filter::new().kinds([EventKind::Shout]));
    session.say(0..6);
    session.feed(b"Foo shouts: hello\n\r");
    assert_eq!(narrow.try_recv(), Err(RecvError::Lagged { missed: 3 }), "six lines and a shout, four kept");
    assert_eq!(narrow.try_recv().unwrap().unwrap().kind(), EventKind::Shout);
    assert_eq!(narrow.try_recv(), Ok(None));
    drop(session);
    assert_eq!(narrow.try_recv(), Err(RecvError::Closed));
}

#[test]
fn a_later_filter_replaces_the_earlier_one() {
    let mut session = Session::new(8);
    let mut narrow = session.hub().subscribe().only(Filter::new().kinds([]));
    session.say([1]);
    assert_eq!(poll(&mut narrow), None);
    narrow = narrow.only(Filter::new());
    session.say([2]);
    assert_eq!(numbers(&mut narrow), [2]);
}

#[test]
fn an_unread_filtered_subscription_does_not_affect_the_others() {
    let mut session = Session::new(3);
    let mut stuck = session.hub().subscribe().only(Filter::new().kinds([EventKind::Text]));
    let mut fast = session.hub().subscribe();
    for number in 0..300 {
        session.say([number]);
        assert_eq!(poll(&mut fast), Some(Ok(number)));
        assert!(session.publisher.shared.lock_state().ring.unread.len() <= 3);
    }
    assert_eq!(poll(&mut stuck), Some(Err(RecvError::Lagged { missed: 297 })));
    assert_eq!(numbers(&mut stuck), [297, 298, 299]);
}

#[tokio::test]
async fn filtered_events_do_not_end_a_wait() {
    let mut session = Session::new(8);
    let shouts = Filter::new().kinds([EventKind::Shout]);
    let mut tasks = tokio::task::JoinSet::new();
    for subscription in [session.hub().subscribe(), session.hub().subscribe_lossless(1)] {
        tasks.spawn(count(subscription.only(shouts.clone())));
    }
    for line in [&b"1\n\r"[..], b"Foo shouts: hello\n\r", b"2\n\r"].repeat(100) {
        let event = session.events.next(&mut &line[..]).unwrap();
        session.publisher.publish(event, session.events.games()).await;
        tokio::task::yield_now().await;
    }
    drop(session);
    assert_eq!(tasks.join_all().await, [100; 2]);
}
