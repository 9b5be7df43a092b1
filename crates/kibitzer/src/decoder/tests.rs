use proptest::prelude::*;

use super::*;

const SESSION: &[u8] = b"\xff\xfb\x01login: \n\r\x07Foo tells you: a line that goes on and on and is wrapped by\n\r\\   the server\n\r\
        fics% \n\r<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton \
        Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0\n\r<d1> 7 9 e5 e7e5 1 2\n\r<b1> game 7 white [PN] black []\n\rfics% half a li";

/// Reads all bytes at once.
fn read(mut bytes: &[u8]) -> Vec<Event> {
    let mut reader = EventReader::default();
    let mut all: Vec<_> = std::iter::from_fn(|| reader.next(&mut bytes)).collect();
    all.extend(std::iter::from_fn(|| reader.finish()));
    all
}

/// Decodes bytes in pieces, as `FramedRead` does.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let (mut decoder, mut buffer, mut all) = (EventDecoder::default(), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        all.extend(std::iter::from_fn(|| decoder.decode(&mut buffer).unwrap()));
        assert!(buffer.is_empty(), "all bytes are consumed");
    }
    all.extend(std::iter::from_fn(|| decoder.decode_eof(&mut buffer).unwrap()));
    all
}

#[test]
fn pieces_of_any_size_decode_to_the_same_events() {
    let want = read(SESSION);
    assert!(want.len() > 8, "{want:?}");
    assert!(want.iter().any(|event| matches!(event, Event::Desync(_))), "two events of one line");
    for size in [1, 2, 3, 7, 64, SESSION.len()] {
        assert_eq!(decode(SESSION.chunks(size)), want, "{size}");
    }
}

#[test]
fn an_unfinished_line_at_the_end_is_an_event() {
    assert_eq!(decode([SESSION]).last().unwrap().raw(), b"half a li");
    assert_eq!(decode([]), []);
}

#[test]
fn decode_eof_consumes_remaining_bytes() {
    let mut buffer = BytesMut::from(SESSION);
    let mut decoder = EventDecoder::default();
    let all: Vec<_> = std::iter::from_fn(|| decoder.decode_eof(&mut buffer).unwrap()).collect();
    assert_eq!(all, read(SESSION));
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_decode_to_the_same_events(
        noise in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r')], 0..300),
        at in any::<prop::sample::Index>(),
        size in 1_usize..50,
    ) {
        let mut bytes = SESSION.to_vec();
        let at = at.index(bytes.len());
        bytes.splice(at..at, noise);
        prop_assert_eq!(decode(bytes.chunks(size)), read(&bytes));
    }
}
