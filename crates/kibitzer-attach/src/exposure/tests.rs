use super::*;

#[test]
fn the_tail_starts_at_the_end_of_the_last_frame() {
    let mut tail = StreamTail::default();
    tail.push_bounded(b"one\n\rtwo\n\rthr");
    tail.frame_end = 5;
    assert_eq!(tail.take_unsent_until(5), b"one\n\r");
    assert_eq!(tail.sent_incomplete_frame(), b"");
    tail.drop_sent_frames();
    assert_eq!(tail.bytes, b"two\n\rthr");
    tail.frame_end = 10;
    assert_eq!(tail.take_unsent_until(13), b"two\n\rthr");
    assert_eq!(tail.sent_incomplete_frame(), b"thr");
    assert_eq!(tail.take_unsent_until(2), b"");
    tail.drop_sent_frames();
    tail.push_bounded(b"e");
    tail.push_bounded(b"e\n\r");
    // The position may exceed the bytes: some are withheld.
    assert_eq!(tail.take_unsent_until(99), b"ee\n\r");
    assert_eq!(tail.sent_incomplete_frame(), b"three\n\r");
    tail.frame_end = 17;
    assert_eq!(tail.sent_incomplete_frame(), b"");
    tail.drop_sent_frames();
    assert_eq!(tail.bytes.capacity(), 0);
}

#[test]
fn only_the_beginning_of_a_frame_without_end_is_kept() {
    const PIECE: usize = 16 << 10;
    let mut tail = StreamTail::default();
    for _ in 0..100 {
        tail.push_bounded(&[b'x'; PIECE]);
        assert_eq!(tail.take_unsent_until(u64::MAX).len(), PIECE);
        tail.drop_sent_frames();
    }
    assert!(tail.bytes.len() <= INCOMPLETE_FRAME_BYTES + PIECE);
    tail.push_bounded(b"\n\rnext");
    tail.frame_end = 100 * 16_384 + 2;
    assert_eq!(tail.take_unsent_until(u64::MAX), b"\n\rnext");
    assert_eq!(tail.sent_incomplete_frame(), b"next");
}
