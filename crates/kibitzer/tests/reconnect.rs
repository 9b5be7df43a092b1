//! A client whose connection is lost, in virtual time.

use std::sync::Arc;
use std::time::Duration;

use crate::common::*;
use kibitzer::{Client, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, LostCause, RequestError, RestoreOutcome, SessionEndReason};
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::{GameId, Refusal};
use kibitzer_core::session::{Reconnect, SessionState};
use tokio::time::Instant;

/// The next loss, as long as the server does what it does.
async fn lost(events: &mut Subscription) -> LostCause {
    wait_for(events, |event| match event {
        Event::Lost(loss) if loss.retry_in.is_some() => Some(loss.cause.clone()),
        _ => None,
    })
    .await
}

/// Lets the client in again.
async fn come_back(listener: &mut Listener, client: &Client) -> Peer {
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    peer
}

async fn a_closed_connection_is_reopened() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe();
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("finger").await }
    });
    peer.expect("finger").await;
    peer.say("half a li").await;
    drop(peer);
    assert_eq!(asking.await.unwrap(), Err(RequestError::Lost));
    assert_eq!(wait_for(&mut events, |event| (event.raw() == b"half a li").then_some(())).await, ());
    assert_eq!(lost(&mut events).await, LostCause::Connection(CloseCause::Closed));
    assert_eq!(client.request("finger").await, Err(RequestError::NotConnected));
    let mut peer = come_back(&mut listener, &client).await;
    peer.serving(client.request("finger")).await.unwrap();
    assert_eq!(client.counters().session.reconnects, 1);
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_disconnected_within_half_a_minute() {
    let (mut listener, profile) = listen();
    let (client, peer) = listener.guest(profile).await;
    let mut events = client.subscribe();
    let start = Instant::now();
    assert_eq!(lost(&mut events).await, LostCause::Connection(CloseCause::Silent));
    assert!(start.elapsed() <= seconds(30), "{:?}", start.elapsed());
    drop(peer);
    let mut peer = come_back(&mut listener, &client).await;
    peer.serving(client.request("finger")).await.unwrap();
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_is_disconnected() {
    let (mut listener, profile) = listen_with(256);
    let profile = profile.write_timeout(seconds(7));
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe();
    // It goes on talking, so it is not silent.
    let talking = tokio::spawn(async move {
        while peer.try_say("Foo(U) shouts: hello\n\r").await {
            tokio::time::sleep(seconds(1)).await;
        }
    });
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request(&format!("shout {}", "x".repeat(900))).await }
    });
    let start = Instant::now();
    assert_eq!(lost(&mut events).await, LostCause::Connection(CloseCause::WriteTimedOut));
    assert_eq!(start.elapsed(), seconds(7));
    assert_eq!(asking.await.unwrap(), Err(RequestError::Lost));
    talking.await.unwrap();
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_unlimited_write_timeout_waits() {
    let (mut listener, profile) = listen_with(256);
    let (client, mut peer) = listener.guest(profile.write_timeout(Duration::MAX)).await;
    let shout = format!("shout {}", "x".repeat(900));
    let asking = client.request(&shout);
    let serving = async {
        tokio::time::sleep(seconds(1)).await;
        peer.serve().await;
    };
    // The reply is a refusal; a task that has panicked gives none.
    let reply = tokio::select! { reply = asking => reply, () = serving => panic!("hung up") };
    assert!(reply.unwrap_err().is_refused_for(Refusal::UnknownCommand));
    client.shutdown().await;
}

async fn observed_games_are_restored_and_reported() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let mut events = client.subscribe();
    peer.serving(client.request("observe 7")).await.unwrap();
    assert_eq!(wait_for(&mut events, Event::affected_game).await, GameId(7));
    drop(peer);
    lost(&mut events).await;
    let mut peer = listener.accept().await;
    peer.log_in().await;
    let restored = async {
        wait_for(&mut events, |event| match event {
            Event::Restored(restored) => Some(Arc::clone(restored)),
            _ => None,
        })
        .await
    };
    let restored = peer.serving(restored).await;
    let [game] = &restored.games[..] else { panic!("{restored:?}") };
    assert_eq!((game.was, game.now, &game.outcome), (GameId(7), Some(GameId(7)), &RestoreOutcome::Unchanged));
    assert!(restored.offline_for < seconds(2));
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_attempts_ends_the_session() {
    let (mut listener, profile) = listen();
    let profile = profile.session(|session| session.reconnect(Reconnect::default().attempts(Some(2))));
    let builder = Client::builder(profile);
    let events = builder.subscribe();
    let client = builder.start().await.unwrap();
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    drop((peer, listener));
    let reason = client.ended().await;
    assert!(matches!(reason, SessionEndReason::Lost { attempts: 2, .. }), "{reason:?}");
    let n_attempts = collect(events).await.iter().filter(|event| matches!(event, Event::Connecting(_))).count();
    assert_eq!(n_attempts, 3);
    client.shutdown().await;
}

async fn a_kick_ends_the_session() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let events = client.subscribe();
    peer.say("\n\r**** GuestPUPE has arrived - you can't both be logged in. ****\n\r\n\r").await;
    drop(peer);
    let reason = client.ended().await;
    assert!(matches!(reason, SessionEndReason::Kicked(_)), "{reason:?}");
    let last = collect(events).await;
    assert!(matches!(last.last(), Some(Event::Ended(SessionEndReason::Kicked(_)))));
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn bytes_before_a_failed_write_are_read() {
    let (mut listener, profile) = listen_with(64 << 10);
    let (client, mut peer) = listener.guest(profile).await;
    // More than is read at once, and then a command that nobody takes any more.
    peer.say("Foo(U) shouts: hello\n\r".repeat(1000)).await;
    peer.say("\n\r**** GuestPUPE has arrived - you can't both be logged in. ****\n\r\n\r").await;
    drop(peer);
    assert!(client.request("finger").await.is_err());
    let reason = tokio::time::timeout(seconds(60), client.ended()).await.unwrap();
    assert!(matches!(reason, SessionEndReason::Kicked(_)), "{reason:?}");
    client.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_does_not_wait_for_an_attempt() {
    for wait in [Duration::ZERO, seconds(10)] {
        let (mut listener, profile) = listen();
        let (client, peer) = listener.guest(profile).await;
        drop((peer, listener));
        tokio::time::sleep(wait).await;
        let start = Instant::now();
        client.shutdown().await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert_eq!(client.state(), SessionState::Ended(SessionEndReason::Shutdown));
    }
    let profile =
        Profile::new("x").dial(kibitzer::Dial::with(std::future::pending::<std::io::Result<tokio::io::DuplexStream>>));
    let client = Client::builder(profile).start().await.unwrap();
    client.shutdown().await;
    assert_eq!(client.state(), SessionState::Ended(SessionEndReason::Shutdown));
}

on_both_runtimes! {
    a_closed_connection_is_reopened,
    observed_games_are_restored_and_reported,
    a_kick_ends_the_session,
}
