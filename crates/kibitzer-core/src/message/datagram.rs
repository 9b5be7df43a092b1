//! ICC's units: level-2 datagrams, and the headers of level-1 brackets.

mod boards;
mod context;
mod games;
mod kind;
mod offers;
mod people;
mod table;
mod talk;
#[cfg(test)]
mod tests;

use std::fmt;

use self::kind::{Argument, Arguments, Quoting};
use super::Message;
use crate::scan::Cursor;
use crate::text::{PlayerText, encode_latin_1};

pub(crate) use context::DatagramContext;
pub(crate) use kind::DatagramKind;

const CONTROL_Y: u8 = 0x19;
const CONTROL_Z: u8 = 0x1A;

/// An ICC level-2 unit: a number and its decoded arguments.
///
/// The arguments are the text inside any quotation: a word, `{…}` and `^Y{…^Y}` are the same, and `{}` is an empty argument.
/// Blanks between arguments may be missing around braces.
///
/// `Debug` shows no argument of a datagram that has a password or a key.
///
/// ```
/// use kibitzer_core::message::Datagram;
///
/// let tell = Datagram::parse(b"31 Foo {TD} \x19{hi {there}\x19} 1").unwrap();
/// assert_eq!((tell.number, tell.name()), (31, Some("personal_tell")));
/// assert_eq!(tell.argument("text").unwrap().as_str(), "hi {there}");
///
/// let mut wire = Vec::new();
/// tell.write(&mut wire);
/// assert_eq!(wire, b"\x19(31 Foo {TD} \x19{hi {there}\x19} 1\x19)");
/// ```
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Datagram {
    /// The number, which identifies the kind of datagram.
    pub number: u32,
    /// The arguments, in order. Some are the words of players.
    pub fields: Vec<PlayerText>,
}

impl Datagram {
    /// Creates a datagram with these arguments, decoded as a receiver would decode them.
    pub fn new(number: u32, arguments: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let as_received = |text: &str| PlayerText::from_wire(&encode_latin_1(text));
        Self { number, fields: arguments.into_iter().map(|text| as_received(text.as_ref())).collect() }
    }

    /// Parses the bytes between `^Y(` and `^Y)`; `None` if they do not start with a number.
    ///
    /// A brace that is never closed ends with the unit.
    pub fn parse(unit: &[u8]) -> Option<Self> {
        let (number, at) = read_datagram_number(unit)?;
        let fields = Argument::all(at).map(|argument| PlayerText::from_wire(argument.bytes)).collect();
        Some(Self { number, fields })
    }

    /// Returns the name in ICC's description of the format, in `snake_case`; `None` if the number is unknown.
    pub fn name(&self) -> Option<&'static str> {
        self.kind().map(|kind| kind.name)
    }

    /// Returns the names of the arguments of this kind of datagram, in order; none if the number is unknown. The last one may be
    /// repeated.
    pub fn argument_names(&self) -> impl Iterator<Item = &'static str> {
        self.kind().into_iter().flat_map(|kind| kind.arguments.iter().map(|argument| argument.name))
    }

    /// Returns the argument of this name; `None` if this kind of datagram has no such argument, or if it was not sent.
    pub fn argument(&self, name: &str) -> Option<&PlayerText> {
        self.fields.get(self.kind()?.position(name)?)
    }

    /// Returns whether an argument is a password or a key, which must never be logged.
    pub fn is_secret(&self) -> bool {
        self.kind().is_some_and(|kind| kind.is_secret)
    }

    /// Writes the whole unit, `^Y(` and `^Y)` included. Parsing it returns the same datagram.
    ///
    /// Arguments are quoted as is usual for their kind, or more strongly if their text requires it. Characters outside of
    /// Latin-1 become `&#xhhhh;`. Control-Y and control-Z, which no quotation can hold, are left out. Telnet's escape is not
    /// applied: a `ÿ` is one byte.
    pub fn write(&self, out: &mut Vec<u8>) {
        let arguments = self.kind().map(|kind| kind.arguments).unwrap_or_default();
        out.extend([CONTROL_Y, b'(']);
        out.extend(self.number.to_string().bytes());
        for (index, field) in self.fields.iter().enumerate() {
            // Lists repeat the last argument.
            let usual = arguments.get(index).or(arguments.last()).map_or(Quoting::Word, |argument| argument.quoting);
            out.push(b' ');
            write_argument(field, usual, out);
        }
        out.extend([CONTROL_Y, b')']);
    }

    fn kind(&self) -> Option<&'static DatagramKind> {
        DatagramKind::by_number(self.number)
    }

    /// Empties all arguments if one of them must never be logged; their number does not change.
    fn redacted(mut self) -> Self {
        if self.is_secret() {
            self.fields.fill_with(PlayerText::default);
        }
        self
    }
}

impl fmt::Debug for Datagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Datagram");
        shown.field("number", &self.number);
        if self.is_secret() { shown.finish_non_exhaustive() } else { shown.field("fields", &self.fields).finish() }
    }
}

fn write_argument(field: &PlayerText, usual: Quoting, out: &mut Vec<u8>) {
    let mut bytes = encode_latin_1(field.as_str()).into_owned();
    bytes.retain(|&b| b != CONTROL_Y && b != CONTROL_Z);
    let (start, end): (&[u8], &[u8]) = match weakest_quoting(&bytes).max(usual) {
        Quoting::Word => (b"", b""),
        Quoting::Braces => (b"{", b"}"),
        Quoting::Marks => (b"\x19{", b"\x19}"),
    };
    out.extend([start, &bytes, end].concat());
}

fn weakest_quoting(bytes: &[u8]) -> Quoting {
    if bytes.iter().any(|b| matches!(b, b'{' | b'}') || b.is_ascii_control()) {
        Quoting::Marks
    } else if bytes.is_empty() || bytes.contains(&b' ') {
        Quoting::Braces
    } else {
        Quoting::Word
    }
}

/// The messages that one datagram is equivalent to: nearly always one.
#[derive(Debug)]
pub(crate) struct DatagramMessages {
    pub(crate) first: Message,
    pub(crate) more: Vec<Message>,
}

impl From<Message> for DatagramMessages {
    fn from(first: Message) -> Self {
        Self { first, more: Vec::new() }
    }
}

fn read_datagram_number(unit: &[u8]) -> Option<(u32, Cursor<'_>)> {
    let mut at = Cursor::new(unit);
    Some((at.skip_whitespace().number()?, at))
}

/// Parses a unit into the messages it is equivalent to, or into a [`Datagram`] without secrets; `None` if it has no number.
pub(crate) fn parse_typed_or_generic(unit: &[u8], context: &mut DatagramContext) -> Option<DatagramMessages> {
    if let Some(update) = boards::parse_usual_move(unit, context) {
        return Some(Message::from(update).into());
    }
    let (number, at) = read_datagram_number(unit)?;
    let typed = DatagramKind::by_number(number).and_then(|kind| kind.parse?(&Arguments::read(kind, at), context));
    typed.or_else(|| Some(Message::from(Datagram::parse(unit)?.redacted()).into()))
}
