//! Timeseal: encodes the lines of a client together with timestamps, and decodes them for a server.
//!
//! Only the client's lines are encoded. The server's output is plain; the [`Framer`](super::Framer) detects the pings in it. Both
//! versions use the same encoding, but different hellos and pings.

use super::Timeseal;
use crate::scan::{Cursor, parse_decimal};

/// Size of the blocks within which bytes are swapped.
const BLOCK_BYTES: usize = 12;

/// Key of the encoding, repeated to the length of a line.
const KEY: &[u8] = b"Timestamp (FICS) v1.0 - programmed by Henrik Gram.";

/// Bit that is set in every byte before it is combined with the key, and in the offset at the end of the line.
const TOP_BIT: u8 = 0x80;

/// Number subtracted from every byte, so that none becomes a line end.
const SHIFT: u8 = 32;

/// Delimiter between the text and the time.
const TEXT_END: u8 = 0x18;

/// Delimiter after the time.
const TIME_END: u8 = 0x19;

/// Padding of the last block.
const FILLER: u8 = b'1';

/// Text of the line that answers a ping.
const PING_ANSWER: &[u8] = b"\x029";

/// Prefix of the hello of each version.
const HELLO_WORDS: [(Timeseal, &str); 2] = [(Timeseal::V1, "TIMESTAMP|"), (Timeseal::V2, "TIMESEAL2|")];

/// Text after the version in a hello: user name and host name, which servers ignore.
const HELLO_TAIL: &str = "nobody|kibitzer|";

/// Returns the first line of a client on a connection, sealed and with the LF, which is sent before anything is received. The
/// server does not reply to it. `None` for [`Timeseal::Off`].
///
/// `time_ms` is as in [`seal_line`].
pub fn seal_hello(timeseal: Timeseal, time_ms: u64) -> Option<Vec<u8>> {
    let (_, word) = HELLO_WORDS.into_iter().find(|(version, _)| *version == timeseal)?;
    Some(seal_text(format!("{word}{HELLO_TAIL}").as_bytes(), time_ms, 0))
}

/// Seals a line of a client after its [hello](seal_hello): encodes it with a timestamp. `text` has no line end, and the result
/// includes the LF.
///
/// `None` if `text` has a byte outside `0x20..=0x7E`: line ends and delimiters would change the decoded line, and bytes from 0x80
/// would lose a bit. [`text::encode_ascii`](crate::text::encode_ascii) produces only permitted bytes.
///
/// `time_ms` is the time of a monotonic clock, in milliseconds since any fixed moment, because the server uses only differences.
/// It is sent modulo ten million.
///
/// Source: transport rules S1 to S4; the encoding is that of the servers' own clients.
///
/// ```
/// use kibitzer_core::wire::{Timeseal, seal_hello, seal_line, unseal};
///
/// let hello = seal_hello(Timeseal::V2, 0).unwrap();
/// assert!(unseal(&hello).unwrap().text.starts_with(b"TIMESEAL2|"));
/// let sealed = seal_line(b"tell Newton hello", 1_500).unwrap();
/// let unsealed = unseal(&sealed).unwrap();
/// assert_eq!((unsealed.text.as_slice(), unsealed.time_ms), (&b"tell Newton hello"[..], 1_500));
/// ```
pub fn seal_line(text: &[u8], time_ms: u64) -> Option<Vec<u8>> {
    let is_printable = text.iter().all(|byte| (0x20..=0x7E).contains(byte));
    is_printable.then(|| seal_text(text, time_ms, 0))
}

/// Returns the line that answers a ping, sealed and with the LF. It has to be sent at once: the server computes the lag from
/// `time_ms`, which is as in [`seal_line`].
pub fn seal_ping_answer(time_ms: u64) -> Vec<u8> {
    seal_text(PING_ANSWER, time_ms, 0)
}

/// Text and time of a decoded line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsealed {
    /// Text without line end: untrusted bytes of the client, each below 0x80.
    pub text: Vec<u8>,
    /// Time of the client's clock in milliseconds; most clients send it modulo ten million.
    pub time_ms: u64,
}

impl Unsealed {
    /// Number of milliseconds after which times restart from 0, as in the servers' own clients.
    pub const TIME_MODULUS_MS: u64 = 10_000_000;

    /// Returns whether the line is the answer to a ping rather than a command.
    pub fn is_ping_answer(&self) -> bool {
        self.text == PING_ANSWER
    }

    /// Returns the version of timeseal if the line is a hello; `None` for any other line and for an unknown version.
    pub fn hello_version(&self) -> Option<Timeseal> {
        let hello = HELLO_WORDS.into_iter().find(|(_, word)| self.text.starts_with(word.as_bytes()));
        hello.map(|(version, _)| version)
    }
}

/// Decodes a line of a client, with or without its LF.
///
/// `None` if its length without the LF is not one more than a multiple of twelve, its last byte is below 0x80, or the decoded
/// line has no valid time. That holds for nearly every line that was not encoded.
pub fn unseal(line: &[u8]) -> Option<Unsealed> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (&offset, scrambled) = line.split_last()?;
    (scrambled.len() % BLOCK_BYTES == 0 && offset >= TOP_BIT).then_some(())?;
    let mut bytes = scrambled.to_vec();
    for (byte, key) in bytes.iter_mut().zip(key_from(offset & !TOP_BIT)) {
        *byte = (byte.wrapping_add(SHIFT) ^ key) & !TOP_BIT;
    }
    swap_within_blocks(&mut bytes);
    let mut at = Cursor::new(&bytes);
    let text_bytes = at.take_until_and_skip(&[TEXT_END])?.len();
    let time_ms = parse_decimal(at.take_until_and_skip(&[TIME_END])?)?;
    bytes.truncate(text_bytes);
    Some(Unsealed { text: bytes, time_ms })
}

/// Encodes a text with a time, and appends the LF. `offset` is the index in [`KEY`] at which the encoding starts. The text may be
/// a password: its only copy is encoded in place.
fn seal_text(text: &[u8], time_ms: u64, offset: u8) -> Vec<u8> {
    let stamp = (time_ms % Unsealed::TIME_MODULUS_MS).to_string();
    let length = (text.len() + stamp.len() + 2).next_multiple_of(BLOCK_BYTES);
    let mut bytes = Vec::with_capacity(length + 2);
    bytes.extend_from_slice(text);
    bytes.push(TEXT_END);
    bytes.extend_from_slice(stamp.as_bytes());
    bytes.push(TIME_END);
    bytes.resize(length, FILLER);
    swap_within_blocks(&mut bytes);
    for (byte, key) in bytes.iter_mut().zip(key_from(offset)) {
        *byte = ((*byte | TOP_BIT) ^ key).wrapping_sub(SHIFT);
    }
    bytes.extend([TOP_BIT | offset, b'\n']);
    bytes
}

/// Iterates endlessly over the bytes of [`KEY`], starting at `offset`.
fn key_from(offset: u8) -> impl Iterator<Item = u8> {
    KEY.iter().copied().cycle().skip(usize::from(offset) % KEY.len())
}

/// Swaps some bytes within each block. A second call restores the order.
fn swap_within_blocks(bytes: &mut [u8]) {
    let (blocks, _) = bytes.as_chunks_mut::<BLOCK_BYTES>();
    for block in blocks {
        for (first, second) in [(0, 11), (2, 9), (4, 7)] {
            block.swap(first, second);
        }
    }
}

#[cfg(test)]
mod tests;
