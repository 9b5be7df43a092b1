use kibitzer_core::EventReader;
use kibitzer_core::MessageReader;
use kibitzer_core::message::Family;
use kibitzer_core::wire::Framer;

use super::*;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The answers to what the server says after these lines, 5 ms later.
fn answers(sent: &[&str], said: &str) -> Vec<(u64, ReplyMatch)> {
    let family = if said.starts_with('\x19') { Family::Icc } else { Family::Fics };
    let mut reader = EventReader::new(MessageReader::new(Framer::new(), family));
    let mut replies = ReplyTimes::default();
    while reader.next(&mut &b"fics% \n\r"[..]).is_none() {}
    for (row, line) in (1..).zip(sent) {
        replies.record_sent(row, ms(row), reader.note_sent_line(line.as_bytes(), Attribution::default()));
    }
    let mut input = said.as_bytes();
    let events = std::iter::from_fn(|| reader.next(&mut input));
    (10..).zip(events).filter_map(|(row, event)| replies.record_event(row, ms(row), &event)).collect()
}

#[test]
fn a_numbered_reply_is_the_lines_of_that_number() {
    let said = "\x152\x1637\x16x\n\r\x17\n\rfics% \x151\x1637\x16y\n\r\x17\n\rfics% ";
    let got = answers(&["1 finger a\n", "2 finger b\n"], said);
    let rows: Vec<_> = got.iter().map(|(row, reply)| (*row, reply.row, reply.is_guessed)).collect();
    assert_eq!(rows, [(2, 10, false), (1, 14, false)]);
    assert_eq!(got[0].1.after, ms(8));
}

#[test]
fn without_numbers_the_reply_is_the_output_after_the_line() {
    let got = answers(&["date\n"], "Local time\n\rServer time\n\rfics% \n\rFoo shouts: x\n\rfics% ");
    assert_eq!(got, [(1, ReplyMatch { after: ms(9), row: 10, is_guessed: true })]);
    assert_eq!(got[0].1.to_string(), "reply #10 after ~9.0ms");
}

#[test]
fn on_icc_the_reply_is_the_unit_with_the_tag() {
    let got = answers(&["`1`finger\n", "`2`date\n"], "\x19[28 Bar\nhi\n\r\x19]\x19[37 * 2\ny\n\r\x19]");
    let rows: Vec<_> = got.iter().map(|(row, reply)| (*row, reply.row, reply.is_guessed)).collect();
    assert_eq!(rows, [(2, 13, false)]);
}

#[test]
fn lines_without_a_reply_are_dropped_at_the_limit() {
    let (mut replies, mut reader) = (ReplyTimes::default(), EventReader::default());
    let mut dropped = Vec::new();
    for row in 0..1000 {
        dropped.extend(replies.record_sent(row, ms(0), reader.note_sent_line(b"1 x", Attribution::default())));
    }
    assert_eq!((dropped, replies.waiting.len()), ((0..744).collect(), MAX_PENDING_LINES));
}

#[test]
fn times_are_short() {
    let cases = [(7, "7\u{b5}s"), (1_234, "1.2ms"), (12_345, "12ms"), (1_234_567, "1.2s"), (123_456_789, "2:03")];
    assert_eq!(ShortDuration(Duration::from_nanos(70)).to_string(), "70ns");
    for (us, want) in cases {
        assert_eq!(ShortDuration(Duration::from_micros(us)).to_string(), want);
    }
}
