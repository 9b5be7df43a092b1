//! Taps: everything that happens in a session, in order.

use crate::common::{BOARD, listen, wait_for};
use kibitzer::{Client, Observation, Tap, TapItem};
use kibitzer_core::Event;
use kibitzer_core::message::{GameId, Message};

/// Returns all items until the session is over.
async fn all(mut tap: Tap) -> Vec<TapItem> {
    let mut items = Vec::new();
    while let Some(item) = tap.next().await {
        items.push(item);
    }
    items
}

#[tokio::test(start_paused = true)]
async fn bytes_precede_their_events_and_each_connection_has_its_own_positions() {
    let (mut listener, profile) = listen();
    let mut builder = Client::builder(profile);
    let tap = builder.tap();
    let client = builder.start().await.unwrap();
    let taking = tokio::spawn(all(tap));
    for _ in 0..2 {
        let mut peer = listener.accept().await;
        peer.log_in().await;
        peer.serving(client.ready()).await.unwrap();
        let observed = peer.serving(client.request("observe 7")).await.unwrap();
        assert!(observed.text().contains("now observing"), "{}", observed.text());
        let mut events = client.subscribe();
        drop(peer);
        wait_for(&mut events, |event| matches!(event, Event::Lost(_)).then_some(())).await;
    }
    client.shutdown().await;
    let items = taking.await.unwrap();

    let (mut n_connections, mut n_closed, mut n_boards, mut n_observed) = (0, 0, 0, 0);
    let (mut stream, mut unexplained, mut observing) = (Vec::new(), Vec::new(), Vec::new());
    for TapItem { observation, game, .. } in items {
        match observation {
            Observation::Received(bytes) => stream.extend(bytes),
            Observation::Sent { bytes, kind, .. } => {
                if kind.is_line() {
                    unexplained.push(bytes);
                }
            }
            Observation::Event { event, .. } => match &event {
                Event::Sent { line: Some(line), attribution, .. } => {
                    assert_eq!(unexplained.remove(0), format!("{line}\n").into_bytes());
                    observing.extend(attribution.request().filter(|_| line.contains("observe 7")));
                }
                Event::Connected => {
                    n_connections += 1;
                    stream.clear();
                }
                Event::Received { received, .. } => {
                    let end = usize::try_from(received.end()).unwrap();
                    assert!(end <= stream.len(), "{received:?}");
                    if let Some(game) = game {
                        assert_eq!(game.id(), GameId(7));
                        n_boards += 1;
                    }
                    if let Message::Style12(_) = received.message {
                        let start = usize::try_from(received.offset).unwrap();
                        assert!(stream[start..end].starts_with(b"<12> "), "{received:?}");
                    }
                }
                _ => {}
            },
            Observation::Reply { request, is_ok, .. } if observing.contains(&request) => {
                assert!(is_ok && n_boards > 0, "the board of the reply comes first");
                n_observed += 1;
            }
            Observation::Reply { .. } => {}
            Observation::Closed => n_closed += 1,
            other => panic!("{other:?}"),
        }
    }
    // The session itself restores the observed game on the second connection, before the request there.
    assert_eq!((n_connections, n_closed, unexplained.len()), (2, 2, 0));
    assert!(n_observed >= 2, "{n_observed}");
    // The second connection observes the game again by itself as well.
    assert!(n_boards >= 2, "{n_boards} of {BOARD}");
}
