use super::*;

#[tokio::test]
async fn pushed_bytes_are_taken_together_until_the_last_push() {
    let outbox = Outbox::new(10);
    assert!(outbox.try_push(b"one ", false));
    assert!(outbox.try_push(b"two", false));
    assert!(!outbox.try_push(b"three", false));
    assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: b"one two".to_vec(), is_last: false });
    assert!(outbox.try_push(b"end", true));
    assert!(outbox.try_push(b"more", false));
    assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: b"end".to_vec(), is_last: true });
}

#[tokio::test]
async fn taking_waits_for_a_push_but_not_after_dropping() {
    let outbox = Outbox::new(10);
    let (taken, ()) = tokio::join!(outbox.wait_and_take(), async { assert!(outbox.try_push(b"late", false)) });
    assert_eq!(taken.bytes, b"late");
    assert!(outbox.try_push(b"unread", false));
    outbox.discard();
    outbox.wait_until_discarded().await;
    assert_eq!(outbox.wait_and_take().await, OutboxContents { bytes: Vec::new(), is_last: true });
}
