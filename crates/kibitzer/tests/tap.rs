//! All of a session, in the order in which it happened.

mod common;

use common::{BOARD, listen, wait_for};
use kibitzer::core::Event;
use kibitzer::core::message::{GameId, Message};
use kibitzer::core::session::TransmitKind;
use kibitzer::{Client, Tap, Tapped};

/// All pieces until the session is over.
async fn all(mut tap: Tap) -> Vec<Tapped> {
    let mut pieces = Vec::new();
    while let Some(piece) = tap.next().await {
        pieces.push(piece.what);
    }
    pieces
}

#[tokio::test(start_paused = true)]
async fn bytes_come_before_what_was_made_of_them_and_each_connection_has_its_own_positions() {
    let (mut listener, profile) = listen();
    let (client, tap) = Client::start_tapped(profile).await.unwrap();
    let taking = tokio::spawn(all(tap));
    for _ in 0..2 {
        let mut peer = listener.accept().await;
        peer.log_in().await;
        peer.serving(client.ready()).await.unwrap();
        let observed = peer.serving(client.request("observe 7")).await.unwrap();
        assert!(observed.text().contains("now observing"), "{}", observed.text());
        let mut events = client.subscribe();
        drop(peer);
        wait_for(&mut events, |event| matches!(event, Event::Lost { .. }).then_some(())).await;
    }
    client.shutdown().await;
    let pieces = taking.await.unwrap();

    let (mut n_connections, mut stream, mut unexplained, mut n_boards) = (0, Vec::new(), Vec::new(), 0);
    for piece in pieces {
        match piece {
            Tapped::Received(bytes) => stream.extend(bytes),
            Tapped::Sent { bytes, kind } => {
                if !matches!(kind, TransmitKind::Hello | TransmitKind::PingAnswer) {
                    unexplained.push(bytes);
                }
            }
            Tapped::Event { event, game, .. } => match &event {
                Event::Connected => {
                    n_connections += 1;
                    stream.clear();
                }
                Event::Received { received, .. } => {
                    let end = usize::try_from(received.end).unwrap();
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
                Event::Sent { line: Some(line), .. } => {
                    assert_eq!(unexplained.remove(0), format!("{line}\n").into_bytes());
                }
                _ => {}
            },
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((n_connections, unexplained.len()), (2, 0));
    // The second connection observes the game again by itself as well.
    assert!(n_boards >= 2, "{n_boards} of {BOARD}");
}
