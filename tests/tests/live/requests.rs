//! Requests and their replies.

use std::time::Duration;

use kibitzer::{Client, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{CommandError, RequestError, SessionEndReason};
use kibitzer_core::message::Refusal;
use kibitzer_core::session::{RequestLimits, Timings};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily};
use kibitzer_tests::live::{TestServer, options};
use kibitzer_tests::on_both_runtimes;
use tokio::task::JoinSet;

/// How a server shows where a reply begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Blocks,
    /// It does not.
    Nothing,
    Units,
}

const ALL: [Framing; 3] = [Framing::Blocks, Framing::Nothing, Framing::Units];

async fn test_server_with(framing: Framing) -> TestServer {
    let options = options(&["Newton"]);
    TestServer::start(match framing {
        Framing::Blocks => options,
        Framing::Nothing => options.without(Feature::BlockMode),
        Framing::Units => options.family(ImitatedFamily::Icc),
    })
    .await
}

async fn many_requests_of_many_handles_get_each_its_own_reply() {
    for framing in ALL {
        let test_server = test_server_with(framing).await;
        let client = test_server.player("Newton").await;
        let mut tasks = JoinSet::new();
        for channel in 0..60_u32 {
            let client = client.clone();
            tasks.spawn(async move {
                let reply = client.request(&format!("inchannel {}", channel + 1)).await.unwrap();
                (channel + 1, reply.text())
            });
        }
        while let Some(asked) = tasks.join_next().await {
            let (channel, text) = asked.unwrap();
            assert_eq!(text, format!("There are 0 players in channel {channel}.\n"), "{framing:?}");
        }
        client.shutdown().await;
    }
}

/// The time that 500 requests of so many tasks take on a server without block mode that reads one line at a time, with talk
/// of others and of our own in between.
async fn time_of_requests(n_tasks: u32) -> Duration {
    const N_REQUESTS: u32 = 500;
    let options = options(&["Newton", "Leibniz"]).without(Feature::BlockMode).without(Feature::Pipelining);
    let test_server = TestServer::start(options).await;
    let (client, other) = (test_server.player("Newton").await, test_server.player("Leibniz").await);
    let round_trip = Fault::Delay(Duration::from_millis(20));
    test_server
        .server()
        .control()
        .inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, round_trip)
        .await
        .unwrap();
    let talk = tokio::spawn(async move {
        for n in 0_u32.. {
            other.request(&format!("tell Newton {n}")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(u64::from(n % 70))).await;
        }
    });
    let start = tokio::time::Instant::now();
    let mut tasks = JoinSet::new();
    for task in 0..n_tasks {
        let client = client.clone();
        tasks.spawn(async move {
            for n in (task..N_REQUESTS).step_by(n_tasks.try_into().unwrap()) {
                if n % 5 == 0 {
                    let reply = client.request(&format!("tell Newton {n}")).await.unwrap();
                    assert!(reply.lines().any(|line| line == b"(told Newton)"), "{}", reply.text());
                } else {
                    let channel = n % 200;
                    let reply = client.request(&format!("inchannel {channel}")).await.unwrap();
                    let answer = format!("There are 0 players in channel {channel}.");
                    assert_eq!(reply.first_answer().map(Event::raw), Some(answer.as_bytes()));
                }
            }
        });
    }
    tasks.join_all().await;
    let time = start.elapsed();
    talk.abort();
    client.shutdown().await;
    time
}

#[tokio::test(start_paused = true)]
async fn requests_of_many_tasks_are_as_fast_as_those_of_one_where_lines_are_read_one_at_a_time() {
    let of_one = time_of_requests(1).await;
    let of_many = time_of_requests(8).await;
    assert!(of_one > Duration::from_secs(20), "two round trips each: {of_one:?}");
    assert!(of_many < of_one * 3 / 2, "{of_many:?} against {of_one:?}");
}

#[tokio::test(start_paused = true)]
async fn a_reply_nobody_waits_for_is_taken_for_no_others() {
    for framing in ALL {
        let test_server = test_server_with(framing).await;
        let client = test_server.player("Newton").await;
        let control = test_server.server().control();
        let delay = Fault::Delay(Duration::from_secs(2));
        control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, delay).await.unwrap();
        client.request("date").await.unwrap();
        for channel in 1..40 {
            let line = format!("inchannel {channel}");
            let patience = Duration::from_millis(700 * (channel % 5));
            if let Ok(reply) = tokio::time::timeout(patience, client.request(&line)).await {
                assert_eq!(reply.unwrap().text(), format!("There are 0 players in channel {channel}.\n"));
            }
            if channel % 7 == 0 {
                let reply = client.request("finger Newton").await.unwrap().text();
                assert!(reply.starts_with("Finger of Newton:"), "{reply}");
            }
        }
        client.shutdown().await;
    }
}

async fn refusals_have_types() {
    for framing in ALL {
        let test_server = test_server_with(framing).await;
        let guest = test_server.guest("Leibniz").await;
        let cases = [
            ("xyzzy", Refusal::UnknownCommand),
            ("un", Refusal::AmbiguousCommand),
            ("resign", Refusal::NotPlaying),
            ("cshout hi", Refusal::NotRegistered),
        ];
        for (line, want) in cases {
            assert!(guest.request(line).await.unwrap_err().is_refused_for(want), "{line} {framing:?}");
        }
        let long = format!("tell Newton {}", "x".repeat(2000));
        let refused = guest.request(&long).await.unwrap_err();
        let is_unsent = matches!(refused, RequestError::Command(CommandError::TooLong { .. }));
        assert!(is_unsent || refused.is_refused_for(Refusal::CommandTooLong), "{refused:?}");
        if framing == Framing::Blocks {
            let refused = guest.request("match").await.unwrap_err();
            assert_eq!(refused.refusal_reason(), Some(Refusal::BadParameters));
        }
        // None of these has spoilt what comes next.
        assert!(guest.request("date").await.unwrap().text().contains("Server time"));
        guest.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_times_out_and_the_next_one_does_not_get_its_reply() {
    for framing in ALL {
        let test_server = test_server_with(framing).await;
        let timings = Timings::default().request(Duration::from_secs(5));
        let client =
            Client::connect(test_server.account("Newton").session(|session| session.timings(timings))).await.unwrap();
        let control = test_server.server().control();
        let delay = Fault::Delay(Duration::from_secs(8));
        control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, delay).await.unwrap();
        let late = client.request("inchannel 7").await;
        assert_eq!(late, Err(RequestError::TimedOut(Duration::from_secs(5))), "{framing:?}");
        let delay = Fault::Delay(Duration::ZERO);
        control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, delay).await.unwrap();
        for channel in [8, 9] {
            let reply = client.request(&format!("inchannel {channel}")).await.unwrap();
            assert_eq!(reply.text(), format!("There are 0 players in channel {channel}.\n"), "{framing:?}");
        }
        client.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_refused_at_once() {
    let test_server = test_server_with(Framing::Blocks).await;
    let limits = RequestLimits::default().queued(3).in_flight(2);
    let client =
        Client::connect(test_server.account("Newton").session(|session| session.requests(limits))).await.unwrap();
    let control = test_server.server().control();
    control
        .inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, Fault::Delay(Duration::from_secs(2)))
        .await
        .unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..20 {
        let client = client.clone();
        tasks.spawn(async move { client.request("date").await });
    }
    let results: Vec<_> = tasks.join_all().await;
    let n_busy = results.iter().filter(|result| **result == Err(RequestError::Busy)).count();
    let n_answered = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!((n_answered, n_busy), (5, 15), "two under way, three waiting");
    assert!(client.request("date").await.is_ok());
    client.shutdown().await;
}

async fn without_a_session_a_request_fails_at_once() {
    let unconnected = kibitzer::Dial::with(std::future::pending::<std::io::Result<tokio::io::DuplexStream>>);
    let client = Client::builder(Profile::new("nowhere").dial(unconnected)).start().await.unwrap();
    assert_eq!(client.request("date").await, Err(RequestError::NotConnected));
    client.shutdown().await;
    let test_server = test_server_with(Framing::Blocks).await;
    let client = test_server.player("Newton").await;
    client.shutdown().await;
    assert!(matches!(client.request("date").await, Err(RequestError::Ended(_))));
    let nobody = Profile::new("nowhere").dial(kibitzer::Dial::with(|| async {
        Err::<tokio::io::DuplexStream, _>(std::io::ErrorKind::ConnectionRefused.into())
    }));
    assert!(Client::connect(nobody).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_request_under_way_ends_with_the_session() {
    let test_server = test_server_with(Framing::Blocks).await;
    let client = test_server.player("Newton").await;
    let control = test_server.server().control();
    control
        .inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, Fault::Delay(Duration::from_secs(2)))
        .await
        .unwrap();
    let asking = client.clone();
    let asked = tokio::spawn(async move { asking.request("date").await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.shutdown().await;
    assert_eq!(asked.await.unwrap(), Err(RequestError::Ended(SessionEndReason::Shutdown)));
}

async fn a_reply_that_is_too_long_is_an_error_and_the_next_one_is_whole() {
    for framing in ALL {
        let test_server = test_server_with(framing).await;
        let limits = RequestLimits::default().reply_bytes(300);
        let client =
            Client::connect(test_server.account("Newton").session(|session| session.requests(limits))).await.unwrap();
        let refused = client.request("variables").await;
        assert!(matches!(refused, Err(RequestError::TooLong { limit_bytes: 300, .. })), "{framing:?}: {refused:?}");
        assert!(client.request("date").await.unwrap().text().contains("Server time"));
        client.shutdown().await;
    }
}

on_both_runtimes! {
    many_requests_of_many_handles_get_each_its_own_reply,
    refusals_have_types,
    without_a_session_a_request_fails_at_once,
    a_reply_that_is_too_long_is_an_error_and_the_next_one_is_whole,
}
