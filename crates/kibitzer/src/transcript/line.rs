//! Lines of a transcript, as they are written.

use std::fmt::{self, Write as _};
use std::time::Duration;

use bytes::BufMut;

use super::Direction;

/// What stands for a line that is none of its reader's business.
pub(crate) const REDACTED: &[u8] = b"[redacted]\n";

/// A time as a transcript has it: seconds, with microseconds.
pub(crate) struct Seconds(pub(crate) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0.as_secs(), self.0.subsec_micros())
    }
}

/// Writes the line of a piece; `more` are further keys, with a comma in front.
pub(crate) fn put(out: &mut impl BufMut, time: Duration, direction: Direction, bytes: &[u8], more: &str) {
    let mut line = format!(r#"{{"t": {}, "dir": "{}", "hex": ""#, Seconds(time), direction.as_str());
    line.push_str(&encode_hex(bytes));
    // A string takes all text.
    let _ = write!(line, "\"{more}}}");
    line.push('\n');
    out.put_slice(line.as_bytes());
}

/// Encodes bytes as in a transcript: two lower-case hexadecimal digits each.
pub fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|&byte| [hex_digit(byte >> 4), hex_digit(byte & 15)]).collect()
}

/// The digit of a number below 16.
fn hex_digit(nibble: u8) -> char {
    char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 })
}
