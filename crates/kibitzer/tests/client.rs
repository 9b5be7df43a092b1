//! A client against a scripted server, in virtual time: login, requests, subscribers, the end.

use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::common::*;
use kibitzer::command::{self, MoveText, Request as _, TalkCommand};
use kibitzer::{Client, ConnectError, Dial, Observation, PasswordSource, Profile, SessionObserver, SessionView};
use kibitzer_core::event::{CommandError, DialError, LoginError, ReadingBlocker, RequestError, SessionEndReason};
use kibitzer_core::hub::{RecvError, Subscription};
use kibitzer_core::message::{GameId, Ivar, Message, Refusal};
use kibitzer_core::session::{Command, Password, RequestLimits, RequestOptions, SessionState, TimesealChoice};
use kibitzer_core::{Event, EventKind};
use tokio::runtime::Handle;
use tokio::time::{Instant, advance, timeout};

/// Tasks that live besides the test's own.
fn n_tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

async fn a_guest_connects_and_sends_a_request() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    assert_eq!(client.state(), SessionState::Ready);
    assert_eq!(client.handle().unwrap().as_str(), "GuestPUPE");
    assert!(client.capabilities().has(Ivar::Block) && client.capabilities().has(Ivar::Ms));
    let reply = peer.serving(client.request("finger Newton")).await.unwrap();
    assert_eq!(reply.text(), "Finger of Newton:\n\n");
    assert_eq!(peer.heard, ["finger Newton"]);
    client.shutdown().await;
    peer.hung_up().await;
}

async fn connect_returns_when_requests_can_be_sent() {
    let (mut listener, profile) = listen();
    let serving = tokio::spawn(async move {
        let mut peer = listener.accept().await;
        peer.log_in().await;
        peer.serve().await;
    });
    let client = Client::connect(profile).await.unwrap();
    client.request("finger").await.unwrap();
    client.shutdown().await;
    serving.await.unwrap();
}

async fn subscribers_of_start_receive_every_event() {
    let (mut listener, profile) = listen();
    let builder = Client::builder(profile);
    let events = builder.subscribe();
    let client = builder.start().await.unwrap();
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    client.shutdown().await;
    let kinds: Vec<_> = collect(events).await.iter().map(Event::kind).collect();
    let life = |kind: &EventKind| !matches!(kind, EventKind::Text | EventKind::Sent | EventKind::Prompt);
    let mut life = kinds.iter().filter(|kind| life(kind));
    assert_eq!(life.next(), Some(&EventKind::Connecting));
    assert_eq!(life.next(), Some(&EventKind::Connected));
    assert_eq!(life.next(), Some(&EventKind::LoginPrompt));
    assert_eq!(kinds.last(), Some(&EventKind::Ended));
    assert!(kinds.contains(&EventKind::SessionReady));
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_an_observer_is_propagated_by_the_first_shutdown() {
    struct Failing;
    impl SessionObserver for Failing {
        fn observe(&mut self, _: &Observation, _: SessionView<'_>) {
            panic!("an observer has panicked");
        }
    }
    let (_listener, profile) = listen();
    let client = Client::builder(profile).observer(Failing).start().await.unwrap();
    let first = client.clone();
    assert!(tokio::spawn(async move { first.shutdown().await }).await.unwrap_err().is_panic());
    client.shutdown().await;
    assert_eq!(client.ended().await, SessionEndReason::Shutdown);
}

#[tokio::test(start_paused = true)]
async fn a_refused_login_is_the_error_of_connect() {
    let (mut listener, profile) = listen();
    let profile = profile.account("Newton".parse().unwrap(), Password::new("swordfish").unwrap());
    let serving = async {
        let mut peer = listener.accept().await;
        peer.ask_name().await;
        assert_eq!(peer.line().await, "Newton");
        peer.say("\n\r\"Newton\" is a registered name.  If it is yours, type the password.\n\rpassword: ").await;
        assert_eq!(peer.line().await, "swordfish");
        peer.say("\n\r**** Invalid password! ****\n\r\n\rlogin: ").await;
        // It is not tried again.
        assert_eq!(peer.next_line().await, None);
    };
    let (outcome, ()) = tokio::join!(Client::connect(profile), serving);
    assert!(matches!(outcome, Err(ConnectError::Login(LoginError::InvalidPassword))), "{outcome:?}");
    assert_eq!(n_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_is_the_error_of_connect() {
    let refusing = Dial::with(|| async { Err::<tokio::io::DuplexStream, _>(io::ErrorKind::ConnectionRefused.into()) });
    let outcome = Client::connect(Profile::new("x").dial(refusing)).await;
    assert!(matches!(outcome, Err(ConnectError::Dial(DialError::Failed(io::ErrorKind::ConnectionRefused)))));
    let hanging = Dial::with(std::future::pending::<io::Result<tokio::io::DuplexStream>>);
    let start = Instant::now();
    let outcome = Client::connect(Profile::new("x").dial(hanging).connect_timeout(seconds(3))).await;
    assert!(matches!(outcome, Err(ConnectError::Dial(DialError::TimedOut))), "{outcome:?}");
    assert_eq!(start.elapsed(), seconds(3));
    assert_eq!(n_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_without_its_password_or_recording_does_not_start() {
    let (_listener, profile) = listen();
    let missing = PasswordSource::Variable("KIBITZER_TEST_NOT_SET".to_owned());
    let outcome = Client::connect(profile.clone().account_from("Newton".parse().unwrap(), missing)).await;
    let Err(ConnectError::Secret(error)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.to_string(), "environment variable KIBITZER_TEST_NOT_SET is not set");
    let outcome = Client::connect(profile.record_file("/no/such/folder/session.jsonl")).await;
    assert!(matches!(outcome, Err(ConnectError::Record(_))), "{outcome:?}");
}

async fn typed_commands_have_typed_answers() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    assert_eq!(peer.serving(client.observe(GameId(7))).await.unwrap().game, GameId(7));
    // Two lines of what one line does not hold, cut between words.
    let long = TalkCommand::tell("Newton", "word ".repeat(100));
    let told = peer.serving(client.talk(&long)).await.unwrap();
    assert!(told.len() > 1 && peer.heard.len() == told.len() + 1, "{:?}", peer.heard);
    let refused = peer.serving(client.make_move(&MoveText::new("e2e4").unwrap())).await;
    assert!(refused.unwrap_err().is_refused_for(Refusal::NotPlaying));
    let date = peer.serving(client.date()).await.unwrap();
    let sharing = client.clone();
    let command = command::date();
    let spawned = tokio::spawn(async move { sharing.request(command).await });
    assert_eq!(peer.serving(spawned).await.unwrap().unwrap(), date);
    for reply in [
        peer.serving(client.request("date")).await.unwrap(),
        peer.serving(client.request(&String::from("date"))).await.unwrap(),
        peer.serving(client.request(&Command::new("date").unwrap())).await.unwrap(),
    ] {
        assert_eq!(
            command::date().parse_reply(reply).as_ref(),
            Ok(&date),
            "what is typed and what is a type are asked alike"
        );
    }
    let injected = client.talk(&TalkCommand::kibitz("hi\nresign")).await;
    assert!(matches!(injected, Err(RequestError::Command(CommandError::LineBreak))), "{injected:?}");
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_connect_ends_the_session() {
    let (mut listener, profile) = listen();
    let outcome = timeout(seconds(1), Client::connect(profile)).await;
    assert!(outcome.is_err());
    listener.accept().await.hung_up().await;
    tokio::task::yield_now().await;
    assert_eq!(n_tasks(), 0);
}

async fn replies_are_matched_to_their_requests_in_any_order() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let serving = async {
        let (first, second) = (peer.expect("finger Newton").await, peer.expect("finger Einstein").await);
        peer.say(block(second, 37, "Finger of Einstein:\n\r")).await;
        peer.say("\n\rFoo(U) tells you: Finger of Foo\n\r\n\rfics% ").await;
        peer.say(block(first, 37, "Finger of Newton:\n\r")).await;
    };
    let (newton, einstein, ()) =
        tokio::join!(client.request("finger Newton"), client.request("finger Einstein"), serving);
    assert_eq!(newton.unwrap().text(), "Finger of Newton:\n");
    assert_eq!(einstein.unwrap().text(), "Finger of Einstein:\n");
    client.shutdown().await;
}

// Rules: bugs 99
async fn dropping_a_request_does_not_affect_others() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let number = tokio::select! {
        _ = client.request("finger Newton") => panic!("no reply was sent"),
        number = peer.expect("finger Newton") => number,
    };
    let serving = async {
        let next = peer.expect("finger Einstein").await;
        assert_ne!(next, number, "its number is taken until the reply has come");
        peer.say(block(number, 37, "Finger of Newton:\n\r")).await;
        peer.say(block(next, 37, "Finger of Einstein:\n\r")).await;
    };
    let (reply, ()) = tokio::join!(client.request("finger Einstein"), serving);
    assert_eq!(reply.unwrap().text(), "Finger of Einstein:\n");
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn queued_requests_are_not_sent_after_their_future_is_dropped() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener
        .guest(profile.session(|session| session.requests(RequestLimits::default().queued(1).in_flight(1))))
        .await;
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("finger").await }
    });
    let number = peer.expect("finger").await;
    let shout = tokio::spawn({
        let client = client.clone();
        async move { client.request("shout hello").await }
    });
    tokio::task::yield_now().await;
    assert_eq!(client.request("date").await, Err(RequestError::Busy));
    shout.abort();
    assert!(shout.await.unwrap_err().is_cancelled());
    peer.say(block(number, 37, "Finger of GuestPUPE:\n\r")).await;
    asking.await.unwrap().unwrap();
    peer.serving(client.request("date")).await.unwrap();
    assert_eq!(peer.heard, ["date"]);
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn requests_are_not_sent_after_their_deadline_or_for_an_unknown_game() {
    let (mut listener, profile) = listen();
    let one_at_a_time = profile.session(|session| session.requests(RequestLimits::default().in_flight(1)));
    let (client, mut peer) = listener.guest(one_at_a_time).await;
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("finger").await }
    });
    let number = peer.expect("finger").await;
    let (began, options) = (Instant::now(), RequestOptions::new());
    let expiring = options.send_within(seconds(2));
    assert_eq!(client.request_with("shout hello", expiring).await, Err(RequestError::Expired));
    assert_eq!(began.elapsed(), seconds(2));
    let e4 = MoveText::new("e4").unwrap();
    assert_eq!(client.request_with(&e4, options.only_during(GameId(12))).await.unwrap_err(), RequestError::GameOver);
    peer.say(block(number, 37, "Finger of GuestPUPE:\n\r")).await;
    asking.await.unwrap().unwrap();
    peer.serving(client.request("date")).await.unwrap();
    assert_eq!(peer.heard, ["date"]);
    client.shutdown().await;
}

async fn invalid_requests_are_errors() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    for (line, want) in [
        ("tell Foo hi\nresign", CommandError::LineBreak),
        ("say \x07", CommandError::Control),
        (&*"x".repeat(5000), CommandError::too_long(5000, Command::MAX_BYTES)),
    ] {
        assert_eq!(client.request(line).await, Err(RequestError::Command(want)));
    }
    assert!(peer.heard.is_empty());
    assert!(peer.serving(client.request("frobnicate")).await.unwrap_err().is_refused_for(Refusal::UnknownCommand));
    client.shutdown().await;
    let ended = Err(RequestError::Ended(SessionEndReason::Shutdown));
    assert_eq!(client.request("finger").await, ended);
    assert_eq!(client.ready().await, Err(SessionEndReason::Shutdown));
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_reply_times_out() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let start = Instant::now();
    let serving = async {
        peer.expect("finger").await;
        peer.serve().await;
    };
    let reply = tokio::select! { reply = client.request("finger") => reply, () = serving => panic!("hung up") };
    assert_eq!(reply, Err(RequestError::TimedOut(seconds(30))));
    assert_eq!(start.elapsed(), seconds(30));
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_arrived_in_time_does_not_time_out() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("finger").await }
    });
    let number = peer.expect("finger").await;
    // The reply is read with more than is looked at in one turn; before the next turn its time is up.
    let said = "Foo(U) shouts: hello\n\r".repeat(300) + &block(number, 37, "Finger of GuestPUPE:\n\r");
    peer.say(said).await;
    tokio::task::yield_now().await;
    advance(seconds(30)).await;
    assert_eq!(asking.await.unwrap().unwrap().text(), "Finger of GuestPUPE:\n");
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_stuck_subscriber_learns_how_many_events_it_missed() {
    const LINES: usize = 3000;
    let (mut listener, profile) = listen();
    let (client, mut peer) =
        listener.guest(profile.session(|session| session.requests(RequestLimits::default().kept_events(100)))).await;
    let mut stuck = client.subscribe();
    let readers: Vec<_> = (0..64)
        .map(|_| {
            let mut events = client.subscribe();
            tokio::spawn(async move {
                let mut n_shouts = 0;
                while n_shouts < LINES {
                    let shout =
                        wait_for(&mut events, |event| event.message().map(|m| matches!(m, Message::Talk(_)))).await;
                    n_shouts += usize::from(shout);
                }
            })
        })
        .collect();
    for _ in 0..LINES {
        peer.say("Foo(U) shouts: hello\n\r").await;
    }
    for reader in readers {
        reader.await.unwrap();
    }
    let missed = u64::try_from(LINES - 100).unwrap();
    assert_eq!(stuck.recv().await, Err(RecvError::Lagged { missed }));
    assert_eq!(client.counters().missed_events, missed);
    assert!(stuck.recv().await.is_ok());
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_lossless_subscriber_stops_only_reading() {
    const LINES: usize = 1000;
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe_lossless(4);
    let line = format!("Foo(U) shouts: {}\n\r", "x".repeat(200));
    let serving = tokio::spawn(async move {
        for _ in 0..LINES {
            peer.say(&line).await;
        }
        peer
    });
    // Time-outs go on, and the silence is not taken for the server's.
    let blocked = client.request("finger").await.unwrap_err();
    assert_eq!(blocked, RequestError::blocked(ReadingBlocker::Subscription, seconds(30)));
    assert_eq!(blocked.to_string(), "no reply within 30s: nothing was read, because a lossless subscription was full");
    advance(seconds(300)).await;
    assert!(!serving.is_finished(), "a pipe does not hold so much");
    assert_eq!(client.state(), SessionState::Ready);
    let mut n_shouts = 0;
    while n_shouts < LINES {
        n_shouts += usize::from(matches!(events.recv().await.unwrap().message(), Some(Message::Talk(_))));
    }
    let mut peer = serving.await.unwrap();
    drop(events);
    peer.serving(client.request("finger")).await.unwrap();
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_lossless_subscriber_does_not_prevent_the_end_of_a_session() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe_lossless(1);
    peer.say("Foo(U) shouts: hello\n\r".repeat(300)).await;
    tokio::task::yield_now().await;
    let n_undelivered = client.shutdown().await;
    peer.hung_up().await;
    assert_eq!(n_tasks(), 0);
    let first = std::iter::from_fn(|| events.try_recv().ok()).count();
    assert!((1..=128).contains(&first), "{first}, its capacity and one batch");
    let missed = 301 - u64::try_from(first).unwrap();
    assert_eq!((n_undelivered, client.counters().undelivered_events), (missed, missed), "shouts and the end");
    assert_eq!(
        (events.recv().await, events.missed()),
        (Err(RecvError::Closed), missed),
        "the lag was the last to be polled"
    );
}

/// Reads with pauses, and returns the number of shouts and whether the last event is the end of the session.
async fn read_slowly(mut events: Subscription) -> (usize, bool) {
    let (mut n_shouts, mut has_end) = (0, false);
    while let Ok(event) = events.recv().await {
        n_shouts += usize::from(matches!(event.message(), Some(Message::Talk(_))));
        has_end = matches!(*event, Event::Ended(_));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (n_shouts, has_end)
}

async fn drain_delivers_everything_to_a_slow_lossless_subscriber() {
    for capacity in [1, 7, 64] {
        let (mut listener, profile) = listen();
        let (client, mut peer) = listener.guest(profile).await;
        let reading = tokio::spawn(read_slowly(client.subscribe_lossless(capacity)));
        peer.say("Foo(U) shouts: hello\n\r".repeat(300)).await;
        // The reply follows the shouts, so that all of them were read.
        let asking = tokio::spawn({
            let client = client.clone();
            async move { client.request("finger").await }
        });
        peer.serving(asking).await.unwrap().unwrap();
        assert_eq!(client.drain().await, 0);
        assert_eq!(reading.await.unwrap(), (300, true), "with room for {capacity}");
        assert!(matches!(client.request("finger").await, Err(RequestError::Ended(SessionEndReason::Shutdown))));
        peer.hung_up().await;
    }
}

#[tokio::test(start_paused = true)]
async fn drain_reads_nothing_more_and_ends_at_a_shutdown() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe_lossless(1);
    peer.say("Foo(U) shouts: hello\n\r".repeat(300)).await;
    tokio::task::yield_now().await;
    assert!(timeout(seconds(300), client.drain()).await.is_err(), "nobody reads the events");
    assert!(matches!(client.request("finger").await, Err(RequestError::Ended(SessionEndReason::Shutdown))));
    peer.say("Foo(U) shouts: hello\n\r".repeat(10)).await;
    let n_undelivered = client.shutdown().await;
    let n_delivered = std::iter::from_fn(|| events.try_recv().ok()).count();
    assert!(n_delivered <= 128, "{n_delivered}");
    assert_eq!(n_undelivered + u64::try_from(n_delivered).unwrap(), 301, "300 shouts and the end");
}

#[tokio::test(start_paused = true)]
async fn quit_delivers_the_events_within_its_time_and_counts_the_others() {
    for is_slow in [true, false] {
        let (mut listener, profile) = listen();
        let (client, mut peer) = listener.guest(profile).await;
        let mut events = client.subscribe_lossless(1);
        peer.say("Foo(U) shouts: hello\n\r".repeat(200)).await;
        let (start, quitting) = (Instant::now(), async { (client.quit().await, Instant::now()) });
        let serving = async {
            peer.expect("quit").await;
            peer.say("Logging you out.\n\r").await;
            drop(peer);
        };
        let end = if is_slow {
            let ((n_undelivered, end), read, ()) = tokio::join!(quitting, read_slowly(events), serving);
            assert_eq!((read, n_undelivered), ((200, true), 0));
            end
        } else {
            // Nobody reads; the server's answer is not read, either.
            let ((n_undelivered, end), ()) = tokio::join!(quitting, serving);
            let n_delivered = std::iter::from_fn(|| events.try_recv().ok()).count();
            assert!(n_undelivered > 70, "{n_undelivered}");
            assert_eq!(n_undelivered + u64::try_from(n_delivered).unwrap(), 202, "and the sent line, and the end");
            end
        };
        assert_eq!(end - start >= seconds(5), !is_slow);
        assert_eq!(client.ended().await, SessionEndReason::Quit);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lossless_subscriber_holds_the_session_back_after_its_capacity_and_one_batch() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe_lossless(200);
    let serving = tokio::spawn(async move {
        peer.say("Foo(U) shouts: hello\n\r".repeat(3_000)).await;
        peer
    });
    let mut n_shouts = 0;
    while n_shouts < 3_000 {
        tokio::time::sleep(seconds(1)).await;
        let n_unread = std::iter::from_fn(|| events.try_recv().unwrap()).count();
        assert!(n_unread <= 200 + 127, "{n_unread}");
        n_shouts += n_unread;
    }
    drop(serving.await.unwrap());
    client.shutdown().await;
}

/// Nothing follows the slow line: an event that waited for more would never be received.
async fn a_batch_is_not_held_back_while_a_slow_line_trickles() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut both = [client.subscribe(), client.subscribe_lossless(64)];
    let lines = "Foo(U) shouts: one\n\rFoo(U) shouts: two\n\rFoo(U) shouts: thr";
    for piece in [lines, "e", "e\n\rFoo(U) shouts: fo", "ur\n\r"] {
        peer.say(piece).await;
        for _ in piece.matches('\r') {
            for events in &mut both {
                wait_for(events, |event| (event.kind() == EventKind::Shout).then_some(())).await;
            }
        }
    }
    assert!(both.iter_mut().all(|events| events.try_recv() == Ok(None)));
    client.shutdown().await;
}

async fn a_late_subscriber_receives_the_games_first() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut watch = client.watch_game(GameId(7));
    peer.say(BOARD).await;
    watch.changed().await.unwrap();
    assert_eq!(watch.latest().unwrap().position().move_number(), 1);
    let mut joined = client.subscribe_with_games().await.unwrap();
    assert_eq!(joined.games.len(), 1);
    peer.say("Foo(U) shouts: hello\n\r").await;
    wait_for(&mut joined.events, |event| matches!(event.message(), Some(Message::Talk(_))).then_some(())).await;
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn bytes_may_arrive_one_by_one() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe();
    let saying = tokio::spawn(async move {
        for byte in BOARD.bytes() {
            peer.say([byte]).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        peer
    });
    let game = wait_for(&mut events, Event::affected_game).await;
    assert_eq!(game, GameId(7));
    saying.await.unwrap();
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn quit_waits_for_the_server_and_returns_the_reason() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let events = client.subscribe();
    let serving = async {
        peer.expect("quit").await;
        peer.say("Logging you out.\n\r").await;
        drop(peer);
    };
    tokio::join!(client.quit(), serving);
    assert_eq!(client.state(), SessionState::Ended(SessionEndReason::Quit));
    assert_eq!(client.ended().await, SessionEndReason::Quit);
    assert_eq!(client.counters().session.requests_failed, 0, "the end of the connection answers the quit");
    let events = collect(events).await;
    assert!(matches!(events.last(), Some(Event::Ended(SessionEndReason::Quit))));
    client.shutdown().await;
    assert_eq!(n_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn quit_has_a_timeout() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let start = Instant::now();
    client.quit().await;
    assert_eq!(start.elapsed(), seconds(5));
    peer.hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_leaves_no_task_for_any_handle() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    assert_eq!(n_tasks(), 1);
    let other = client.clone();
    tokio::join!(client.shutdown(), other.shutdown());
    assert_eq!(n_tasks(), 0);
    client.shutdown().await;
    peer.hung_up().await;
    assert_eq!(client.subscribe().recv().await, Err(RecvError::Closed));
    assert!(client.subscribe_with_games().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_ends_the_session() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let events = client.subscribe();
    let other = client.clone();
    drop(client);
    peer.serving(other.request("finger")).await.unwrap();
    drop(other);
    peer.hung_up().await;
    let events = collect(events).await;
    assert!(matches!(events.last(), Some(Event::Ended(SessionEndReason::Shutdown))));
    tokio::task::yield_now().await;
    assert_eq!(n_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn counters_report_the_traffic() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let before = client.counters().session;
    let answering = async {
        let number = peer.expect("finger").await;
        advance(Duration::from_millis(40)).await;
        peer.say(block(number, 37, "Finger of GuestPUPE:\n\r")).await;
    };
    let (reply, ()) = tokio::join!(client.request("finger"), answering);
    reply.unwrap();
    client.shutdown().await;
    let after = client.counters().session;
    assert!(after.bytes_sent - before.bytes_sent > "finger\n".len() as u64);
    assert!(after.bytes_received > before.bytes_received && after.events > before.events);
    assert_eq!((after.lines_sent - before.lines_sent, after.reconnects), (1, 0));
    assert_eq!(after.round_trip, Some(Duration::from_millis(40)));
}

// Rules: transport S2
#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_before_its_event_is_delivered() {
    let (mut listener, profile) = listen();
    let client =
        Client::builder(profile.session(|session| session.timeseal(TimesealChoice::V2))).start().await.unwrap();
    let mut peer = listener.accept().await.sealed();
    assert!(peer.line().await.starts_with("TIMESEAL2|"));
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    // The shout fills the queue, so that the event of the ping is not delivered.
    let mut events = client.subscribe_lossless(1);
    peer.say("Foo(U) shouts: hello\n\r").await;
    tokio::time::sleep(seconds(1)).await;
    peer.say("fi[G]\0cs% ").await;
    assert_eq!(peer.line().await, "\u{2}9");
    assert_eq!(client.counters().session.pings, 1);
    assert_eq!(events.try_recv().unwrap().unwrap().kind(), EventKind::Shout);
    assert_eq!(events.try_recv(), Ok(None));
    drop(events);
    client.shutdown().await;
}

/// Calls a function when the waiting subscriber is woken, which on a runtime of several threads may receive the event at once.
struct OnWake<F>(F);

impl<F: Fn() + Send + Sync> Wake for OnWake<F> {
    fn wake(self: Arc<Self>) {
        self.0();
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_woken_by_an_event_sees_counters_and_a_state_that_are_as_new() {
    let (mut listener, profile) = listen();
    let builder = Client::builder(profile);
    let mut events = builder.subscribe();
    let client = builder.start().await.unwrap();
    let (handle, seen) = (client.clone(), Arc::<Mutex<Vec<_>>>::default());
    let write = Arc::clone(&seen);
    let waker = Waker::from(Arc::new(OnWake(move || {
        write.lock().unwrap().push((handle.counters().session.events, handle.state()));
    })));
    let mut peer = listener.accept().await;
    let serving = async {
        peer.log_in().await;
        peer.serve().await;
    };
    let (mut n_woken, mut n_messages) = (0, 0);
    let reading = std::future::poll_fn(|context| {
        // The task publishes all that it has read before it returns.
        context.waker().wake_by_ref();
        while let Poll::Ready(next) = pin!(events.recv()).poll(&mut Context::from_waker(&waker)) {
            let event = next.unwrap();
            n_messages += u64::from(event.message().is_some());
            if let Some((n_events, state)) = seen.lock().unwrap().pop() {
                n_woken += 1;
                assert!(n_events >= n_messages, "{n_events} at {event:?}");
                let is_ready = matches!(*event, Event::SessionReady(_));
                assert!(!is_ready || state == SessionState::Ready, "{state:?} at {event:?}");
            }
            if matches!(*event, Event::SessionReady(_)) {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    });
    tokio::select! { () = reading => {}, () = serving => panic!("hung up") }
    assert!(n_woken > 5);
    client.shutdown().await;
}

on_both_runtimes! {
    a_batch_is_not_held_back_while_a_slow_line_trickles,
    drain_delivers_everything_to_a_slow_lossless_subscriber,
    a_guest_connects_and_sends_a_request,
    connect_returns_when_requests_can_be_sent,
    subscribers_of_start_receive_every_event,
    typed_commands_have_typed_answers,
    replies_are_matched_to_their_requests_in_any_order,
    dropping_a_request_does_not_affect_others,
    invalid_requests_are_errors,
    a_late_subscriber_receives_the_games_first,
}
