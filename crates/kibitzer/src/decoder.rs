//! Core's reader as a `tokio-util` decoder.

use std::io;

use bytes::{Buf as _, BytesMut};
use tokio_util::codec::Decoder;

use crate::core::{Event, EventReader};

/// Turns the bytes of a server into events, for `tokio_util::codec::FramedRead`.
///
/// It takes every byte it is shown; what belongs to an unfinished line it keeps itself, within the limits of its framer.
/// It never fails: bytes that make no sense are events too, and `FramedRead` ends its stream on the first error.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use futures_util::StreamExt as _;
/// use kibitzer::EventDecoder;
/// use tokio_util::codec::FramedRead;
///
/// let mut events = FramedRead::new(&b"fics% \n\rFoo shouts: hel"[..], EventDecoder::default());
/// let mut lines = Vec::new();
/// while let Some(event) = events.next().await {
///     lines.push(event.unwrap().raw().to_vec());
/// }
/// assert_eq!(lines, [&b""[..], b"Foo shouts: hel"], "the prompt, and what the server did not finish");
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventDecoder {
    events: EventReader,
}

impl EventDecoder {
    /// Events from a reader that was set up for the stream.
    pub const fn new(events: EventReader) -> Self {
        Self { events }
    }

    /// The reader, which has the games as they stand after the last event.
    pub const fn events(&self) -> &EventReader {
        &self.events
    }

    /// The reader, to tell it what was learned about the stream.
    pub const fn events_mut(&mut self) -> &mut EventReader {
        &mut self.events
    }
}

impl Decoder for EventDecoder {
    type Item = Event;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Event>, io::Error> {
        let mut rest = &src[..];
        let event = self.events.next(&mut rest);
        let n_taken = src.len() - rest.len();
        src.advance(n_taken);
        Ok(event)
    }

    // The default fails on leftover bytes, yet a dropped connection ends in a half line.
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Event>, io::Error> {
        Ok(self.decode(src)?.or_else(|| self.events.finish()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SESSION: &[u8] = b"\xff\xfb\x01login: \n\r\x07Foo tells you: a line that goes on and on and is wrapped by\n\r\\   the server\n\r\
        fics% \n\r<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton \
        Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0\n\r<d1> 7 9 e5 e7e5 1 2\n\r<b1> game 7 white [PN] black []\n\rfics% half a li";

    /// What the reader makes of all the bytes at once.
    fn read(mut bytes: &[u8]) -> Vec<Event> {
        let mut reader = EventReader::default();
        let mut all: Vec<_> = std::iter::from_fn(|| reader.next(&mut bytes)).collect();
        all.extend(std::iter::from_fn(|| reader.finish()));
        all
    }

    /// What the decoder makes of the bytes in pieces, called as `FramedRead` calls it.
    fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
        let (mut decoder, mut buffer, mut all) = (EventDecoder::default(), BytesMut::new(), Vec::new());
        for piece in pieces {
            buffer.extend_from_slice(piece);
            all.extend(std::iter::from_fn(|| decoder.decode(&mut buffer).unwrap()));
            assert!(buffer.is_empty(), "it takes all");
        }
        all.extend(std::iter::from_fn(|| decoder.decode_eof(&mut buffer).unwrap()));
        all
    }

    #[test]
    fn pieces_of_any_size_give_the_events_of_the_whole() {
        let want = read(SESSION);
        assert!(want.len() > 8, "{want:?}");
        assert!(want.iter().any(|event| matches!(event, Event::Desync(_))), "two events of one line");
        for size in [1, 2, 3, 7, 64, SESSION.len()] {
            assert_eq!(decode(SESSION.chunks(size)), want, "{size}");
        }
    }

    #[test]
    fn half_a_line_at_the_end_is_an_event() {
        assert_eq!(decode([SESSION]).last().unwrap().raw(), b"half a li");
        assert_eq!(decode([]), []);
    }

    #[test]
    fn the_end_may_come_with_bytes() {
        let mut buffer = BytesMut::from(SESSION);
        let mut decoder = EventDecoder::default();
        let all: Vec<_> = std::iter::from_fn(|| decoder.decode_eof(&mut buffer).unwrap()).collect();
        assert_eq!(all, read(SESSION));
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_give_the_events_of_the_whole(
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
}
