use std::future::poll_fn;

use bytes::Bytes;

use super::*;
use kibitzer_core::session::{Credentials, SessionOptions};

fn send(sender: &mut TapSender, bytes: &[u8]) {
    let session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now().into_std());
    sender.observe(&Observation::Received(Bytes::copy_from_slice(bytes)), SessionView(&session));
}

fn received(tap: &mut Tap) -> Vec<Bytes> {
    let received = |item: TapItem| if let Observation::Received(bytes) = item.observation { Some(bytes) } else { None };
    std::iter::from_fn(|| tap.try_recv().ok()?).filter_map(received).collect()
}

#[tokio::test]
async fn a_full_channel_loses_no_item() {
    let (mut sender, mut tap) = tap_channel();
    let want: Vec<_> = (0..CAPACITY + 3).map(|n| Bytes::from(n.to_string())).collect();
    for bytes in &want {
        send(&mut sender, bytes);
    }
    assert!(sender.is_full());
    let mut got = received(&mut tap);
    assert_eq!(got.len(), CAPACITY);
    poll_fn(|context| sender.poll_close(context)).await;
    assert!(!sender.is_full());
    drop(sender);
    got.extend(received(&mut tap));
    assert_eq!(got, want);
    assert_eq!(tap.try_recv().err(), Some(RecvError::Closed));
}

#[tokio::test]
async fn a_channel_that_is_not_read_loses_the_last_items_and_reports_their_number() {
    let (mut sender, mut tap) = tap_channel();
    for _ in 0..CAPACITY + MAX_UNSENT + 3 {
        send(&mut sender, b"x");
    }
    assert_eq!(sender.unsent.len(), MAX_UNSENT + 1);
    let reading = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some(item) = tap.next().await {
            all.push(item.observation);
        }
        all
    });
    poll_fn(|context| sender.poll_close(context)).await;
    drop(sender);
    let all = reading.await.unwrap();
    assert_eq!(all.len(), CAPACITY + MAX_UNSENT + 1);
    assert!(matches!(all.last(), Some(Observation::Missed(3))), "{:?}", all.last());
}

#[tokio::test]
async fn a_dropped_tap_does_not_block_the_session() {
    let (mut sender, tap) = tap_channel();
    for _ in 0..=CAPACITY {
        send(&mut sender, b"x");
    }
    drop(tap);
    poll_fn(|context| sender.poll_close(context)).await;
    send(&mut sender, b"x");
    assert!(!sender.is_full() && sender.is_done());
}
