//! The event reader of the core as a `tokio-util` decoder.

use std::io;

use bytes::{Buf as _, BytesMut};
use tokio_util::codec::Decoder;

use kibitzer_core::{Event, EventReader};

/// Decodes the bytes of a server to events, for `tokio_util::codec::FramedRead`.
///
/// It consumes all bytes, and keeps an unfinished line within the limits of its framer. It never fails: unintelligible bytes are
/// events, too, because `FramedRead` ends its stream after an error.
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
/// assert_eq!(lines, [&b""[..], b"Foo shouts: hel"], "the prompt, and an unfinished line");
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EventDecoder {
    /// The reader, which contains the games after the last event. It can be configured for the stream, for example once the
    /// family of the server is known.
    pub events: EventReader,
}

impl Decoder for EventDecoder {
    type Item = Event;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Event>, io::Error> {
        let mut rest = &src[..];
        let event = self.events.next(&mut rest);
        let n_consumed = src.len() - rest.len();
        src.advance(n_consumed);
        Ok(event)
    }

    // The default fails on leftover bytes, but a lost connection ends in the middle of a line.
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Event>, io::Error> {
        Ok(self.decode(src)?.or_else(|| self.events.finish()))
    }
}

#[cfg(test)]
mod tests;
