//! A line that dies, a server that thinks we sleep, a login that takes our place.

use std::num::NonZeroU32;
use std::time::Duration;

use kibitzer::{Client, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, LostCause, RequestError, SessionEndReason};
use kibitzer_core::message::KickedBy;
use kibitzer_core::session::{Reconnect, SessionState, Timings};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature};
use kibitzer_tests::live::{TestServer, drain, n_tasks, options, wait_for};
use tokio::time::{Instant, sleep};

fn newton() -> ConnectionTarget {
    ConnectionTarget::Player("Newton".to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_dead_line_is_noticed_within_half_a_minute_and_made_again() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let options = options(&["Newton"]);
        let test_server =
            TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
        let client = test_server.player("Newton").await;
        let mut events = client.subscribe();
        sleep(Duration::from_mins(10)).await;
        assert!(!drain(&mut events).0.iter().any(|event| matches!(event, Event::Lost(_))), "a quiet line is none");
        test_server.server().control().inject(newton(), FaultPoint::Now, Fault::Stall).await.unwrap();
        let start = Instant::now();
        let cause = wait_for(&mut events, |event| match event {
            Event::Lost(loss) => Some((loss.cause.clone(), loss.retry_in)),
            _ => None,
        });
        let (cause, retry_in) = cause.await;
        assert_eq!(cause, LostCause::Connection(CloseCause::Silent));
        assert!(start.elapsed() <= Duration::from_secs(30), "{:?}", start.elapsed());
        assert!(retry_in.unwrap() <= Duration::from_secs(1), "{retry_in:?}");
        assert_eq!(client.request("date").await, Err(RequestError::NotConnected));
        client.ready().await.unwrap();
        assert!(client.request("date").await.is_ok());
        assert_eq!(client.counters().session.reconnects, 1);
        client.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_does_not_log_out_who_is_kept_alive() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let options = options(&["Newton", "Euler"]);
        let test_server =
            TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
        let kept = test_server.player("Newton").await;
        let timings = Timings::default().keep_alive(Duration::from_hours(100));
        let idle =
            test_server.account("Euler").session(|session| session.timings(timings).reconnect(Reconnect::never()));
        let idle = Client::connect(idle).await.unwrap();
        sleep(Duration::from_hours(12)).await;
        assert_eq!((kept.state(), kept.counters().session.reconnects), (SessionState::Ready, 0), "{without:?}");
        // The server does log out whom nobody keeps alive: probes alone do not.
        assert!(
            matches!(idle.state(), SessionState::Ended(SessionEndReason::Lost { .. })),
            "{without:?}: {:?}",
            idle.state()
        );
        kept.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_login_ends_the_first_for_good() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let builder = Client::builder(test_server.account("Newton"));
    let mut events = builder.subscribe_lossless(1 << 12);
    let first = builder.start().await.unwrap();
    first.ready().await.unwrap();
    let second = test_server.player("Newton").await;
    assert_eq!(first.ended().await, SessionEndReason::Kicked(KickedBy::SecondLogin));
    sleep(Duration::from_hours(1)).await;
    assert_eq!(
        (second.state(), test_server.dial_target().n_dialed()),
        (SessionState::Ready, 2),
        "nobody throws the other out in turn"
    );
    let (told, _) = drain(&mut events);
    assert!(matches!(told.last(), Some(Event::Ended(SessionEndReason::Kicked(_)))));
    assert!(!told.iter().any(|event| matches!(event, Event::Lost(_))));
}

#[tokio::test(start_paused = true)]
async fn attempts_come_at_growing_intervals_up_to_a_cap_and_end_when_told_so() {
    let mut test_server = TestServer::start(options(&["Newton"])).await;
    let reconnect = Reconnect::default().cap(Duration::from_secs(20)).attempts(Some(12));
    let client =
        Client::connect(test_server.account("Newton").session(|session| session.reconnect(reconnect))).await.unwrap();
    let mut events = client.subscribe();
    test_server.shutdown().await;
    let reason = client.ended().await;
    assert!(matches!(reason, SessionEndReason::Lost { cause: LostCause::Dial(_), attempts: 12, .. }), "{reason:?}");
    let (told, _) = drain(&mut events);
    let delays: Vec<_> = told
        .iter()
        .filter_map(|event| match event {
            Event::Lost(loss) => Some(loss.retry_in?.as_secs_f64()),
            _ => None,
        })
        .collect();
    assert_eq!(delays.len(), 12, "{delays:?}");
    for (n, delay) in (0_i32..).zip(&delays) {
        let full = 2_f64.powi(n).min(20.0);
        assert!((full / 2.0..=full).contains(delay), "{n}: {delays:?}");
    }
    assert_eq!(test_server.dial_target().n_dialed(), 13);
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_finds_its_ghost_and_takes_its_place() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let client = test_server.player("Newton").await;
    test_server.dial_target().refuse(NonZeroU32::new(2).unwrap());
    test_server.server().control().inject(newton(), FaultPoint::Now, Fault::Stall).await.unwrap();
    sleep(Duration::from_mins(2)).await;
    assert_eq!(client.state(), SessionState::Ready);
    assert_eq!(test_server.server().control().connections().await.unwrap().len(), 1, "the ghost was thrown out");
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_any_more_after_a_shutdown() {
    let mut test_server = TestServer::start(options(&["Newton"])).await;
    let client = test_server.player("Newton").await;
    let clone = client.clone();
    let waiting = tokio::spawn(async move { clone.request("date").await });
    client.shutdown().await;
    let waiting = waiting.await.unwrap();
    assert_eq!(waiting, Err(RequestError::Ended(SessionEndReason::Shutdown)));
    assert_eq!(client.state(), SessionState::Ended(SessionEndReason::Shutdown));
    assert!(matches!(client.request("date").await, Err(RequestError::Ended(SessionEndReason::Shutdown))));
    // Dropping the last handle does the same.
    let dropped = test_server.player("Newton").await;
    drop(dropped);
    test_server.shutdown().await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(n_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn counters_tell_what_went_by() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let profile: Profile = test_server.account("Newton");
    let client = Client::connect(profile).await.unwrap();
    let before = client.counters().session;
    client.request("date").await.unwrap();
    let after = client.counters().session;
    assert_eq!(after.lines_sent, before.lines_sent + 1);
    assert!(after.bytes_received > before.bytes_received && after.bytes_sent > before.bytes_sent);
    assert!(after.events > before.events);
    assert_eq!(after.reconnects, 0);
    let delay = Duration::from_millis(300);
    test_server.server().control().inject(newton(), FaultPoint::Now, Fault::Delay(delay)).await.unwrap();
    client.request("date").await.unwrap();
    assert_eq!(client.counters().session.round_trip, Some(delay));
    client.shutdown().await;
}
