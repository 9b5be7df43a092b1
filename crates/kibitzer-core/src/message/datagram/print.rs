//! Datagrams as bytes, for servers.

use super::{Datagram, DatagramForm, Quoting};
use crate::text::{PlayerText, encode_latin_1};

const CONTROL_Y: u8 = 0x19;
const CONTROL_Z: u8 = 0x1A;

impl Datagram {
    /// Writes the whole unit, `^Y(` and `^Y)` included. Reading it back gives the same datagram.
    ///
    /// Arguments are quoted as their form says, or better where they need it. Characters outside of Latin-1 become
    /// `&#xhhhh;`. Control-Y and control-Z, which no quotation can hold, are left out. Telnet's escape is not applied: a `ÿ`
    /// is one byte.
    pub fn write(&self, out: &mut Vec<u8>) {
        let arguments = self.form().map_or(&[][..], |form: &DatagramForm| form.arguments);
        out.extend([CONTROL_Y, b'(']);
        out.extend(self.number.to_string().bytes());
        for (index, field) in self.fields.iter().enumerate() {
            // The last one is repeated in lists.
            let usual = arguments.get(index).or(arguments.last()).map_or(Quoting::Word, |argument| argument.quoting);
            out.push(b' ');
            write_argument(field, usual, out);
        }
        out.extend([CONTROL_Y, b')']);
    }
}

fn write_argument(field: &PlayerText, usual: Quoting, out: &mut Vec<u8>) {
    let mut bytes = encode_latin_1(field.as_str()).into_owned();
    bytes.retain(|&b| b != CONTROL_Y && b != CONTROL_Z);
    let (start, end): (&[u8], &[u8]) = match least_quoting(&bytes).max(usual) {
        Quoting::Word => (b"", b""),
        Quoting::Braces => (b"{", b"}"),
        Quoting::Marks => (b"\x19{", b"\x19}"),
    };
    out.extend([start, &bytes, end].concat());
}

/// The least quoting that these bytes can have.
fn least_quoting(bytes: &[u8]) -> Quoting {
    if bytes.iter().any(|b| matches!(b, b'{' | b'}') || b.is_ascii_control()) {
        Quoting::Marks
    } else if bytes.is_empty() || bytes.contains(&b' ') {
        Quoting::Braces
    } else {
        Quoting::Word
    }
}
