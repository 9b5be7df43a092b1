//! ICC's level-2 units: datagrams, and the messages they are equivalent to.
//!
//! Each `parse_x` in the modules below parses the datagram that [`DatagramKind::ALL`] lists under a similar name, and returns `None`
//! if an argument is missing or invalid; the datagram is then emitted as a [`Datagram`]. Those with an `&mut` [`EarlierDatagrams`]
//! also update it. `x_argument` returns one parsed argument.

mod arguments;
mod boards;
mod game_update;
mod games;
mod offers;
mod players;
mod table;

use std::fmt;

use smallvec::{SmallVec, smallvec};

use crate::message::Message;
use crate::message::icc::arguments::{Argument, Quoting, argument_index};
use crate::scan::Cursor;
use crate::text::{PlayerText, encode_as_received};

pub use game_update::{BoardMark, GameUpdate};
pub(crate) use game_update::{DatagramMove, GameUpdateKind, IccGameStart, IccGameStartReason, MyGameRole};
pub(crate) use offers::EarlierDatagrams;
pub(crate) use table::DatagramKind;

const CONTROL_Y: u8 = 0x19;
const CONTROL_Z: u8 = 0x1A;

/// An ICC level-2 unit: a number and its decoded arguments.
///
/// Each argument is stored without its quotation: `foo`, `{foo}` and `^Y{foo^Y}` are the same argument, and `{}` is an empty one.
///
/// `Debug` shows no argument of a datagram that contains a password or a key.
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
    /// The arguments, in order. Some are texts of players.
    pub fields: Vec<PlayerText>,
}

impl Datagram {
    /// Creates a datagram with these arguments, each encoded in Latin-1 and decoded again as by a receiver: characters outside of
    /// Latin-1 may change.
    pub fn new(number: u32, arguments: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let as_received = |text: &str| PlayerText::from_wire(&encode_as_received(text));
        Self { number, fields: arguments.into_iter().map(|text| as_received(text.as_ref())).collect() }
    }

    /// Parses the bytes between `^Y(` and `^Y)`; `None` if they do not start with a number.
    ///
    /// An argument whose closing brace is missing extends to the end of the unit.
    #[doc(hidden)]
    pub fn parse(unit: &[u8]) -> Option<Self> {
        let (number, at) = split_number(unit)?;
        let fields = Argument::split_all(at.rest()).map(|argument| PlayerText::from_wire(argument.bytes)).collect();
        Some(Self { number, fields })
    }

    /// Returns the name of this kind of datagram in ICC's description of the format, in `snake_case`; `None` if the number is unknown.
    pub fn name(&self) -> Option<&'static str> {
        self.kind().map(|kind| kind.name)
    }

    /// Returns the argument of this name; `None` if this kind of datagram has no such argument, if it was not sent, or if the
    /// number is unknown. Of a list, returns the first item.
    pub fn argument(&self, name: &str) -> Option<&PlayerText> {
        self.fields.get(argument_index(self.kind()?.arguments, name)?)
    }

    /// Returns whether this kind of datagram contains a password or a key, which must never be logged.
    pub(crate) fn is_secret(&self) -> bool {
        self.kind().is_some_and(|kind| kind.is_secret)
    }

    /// Appends the datagram to `out` in the form sent by a server, including `^Y(` and `^Y)`.
    ///
    /// Each argument has the usual quotation of its kind, or a stronger one if its text requires it. Characters outside of Latin-1
    /// become `&#xhhhh;`. Control-Y and control-Z, which no quotation can hold, are omitted. Telnet's escape is not applied: a `ÿ`
    /// is one byte.
    pub fn write(&self, out: &mut Vec<u8>) {
        let arguments = self.kind().map(|kind| kind.arguments).unwrap_or_default();
        out.extend([CONTROL_Y, b'(']);
        out.extend(self.number.to_string().bytes());
        for (index, field) in self.fields.iter().enumerate() {
            // Lists repeat the last argument.
            let usual = arguments.get(index).or(arguments.last()).map_or(Quoting::Word, |argument| argument.quoting);
            out.push(b' ');
            append_quoted_argument(field, usual, out);
        }
        out.extend([CONTROL_Y, b')']);
    }

    /// Returns the table row of the number; `None` if the number is unknown.
    fn kind(&self) -> Option<&'static DatagramKind> {
        DatagramKind::by_number(self.number)
    }
}

impl fmt::Debug for Datagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Datagram");
        shown.field("number", &self.number);
        if self.is_secret() { shown.finish_non_exhaustive() } else { shown.field("fields", &self.fields).finish() }
    }
}

/// Appends an argument in Latin-1, without control-Y and control-Z; its quotation is at least `usual`.
fn append_quoted_argument(field: &PlayerText, usual: Quoting, out: &mut Vec<u8>) {
    let mut bytes = encode_as_received(field.as_str()).into_owned();
    bytes.retain(|&b| b != CONTROL_Y && b != CONTROL_Z);
    let (start, end): (&[u8], &[u8]) = match weakest_quoting(&bytes).max(usual) {
        Quoting::Word => (b"", b""),
        Quoting::Braces => (b"{", b"}"),
        Quoting::Marks => (b"\x19{", b"\x19}"),
    };
    out.extend([start, &bytes, end].concat());
}

/// Returns the weakest quotation that can hold these bytes.
fn weakest_quoting(bytes: &[u8]) -> Quoting {
    if bytes.iter().any(|b| matches!(b, b'{' | b'}') || b.is_ascii_control()) {
        Quoting::Marks
    } else if bytes.is_empty() || bytes.contains(&b' ') {
        Quoting::Braces
    } else {
        Quoting::Word
    }
}

/// The messages that one datagram is equivalent to, in order: one or more.
pub(crate) type DatagramMessages = SmallVec<[Message; 2]>;

/// Parses the number at the start of a unit, and returns it with a cursor at the arguments; `None` without a number.
fn split_number(unit: &[u8]) -> Option<(u32, Cursor<'_>)> {
    let mut at = Cursor::new(unit);
    Some((at.skip_whitespace().number()?, at))
}

/// Parses a unit into the messages it is equivalent to, and updates `known`; without such a message, into a [`Datagram`], all of
/// whose arguments are emptied if it is [secret](Datagram::is_secret). `None` if the unit does not start with a number.
pub(crate) fn parse_typed_or_generic(unit: &[u8], known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
    if let Some(update) = boards::parse_usual_move(unit, known) {
        return Some(smallvec![update.into()]);
    }
    let (number, at) = split_number(unit)?;
    let typed = DatagramKind::by_number(number).and_then(|kind| kind.parse(at.rest(), known));
    typed.or_else(|| {
        let mut datagram = Datagram::parse(unit)?;
        if datagram.is_secret() {
            datagram.fields.fill_with(PlayerText::default);
        }
        Some(smallvec![datagram.into()])
    })
}

#[cfg(test)]
mod tests;
