//! ICC's units: level-2 datagrams and the headers of level-1 brackets, cut into their parts.

mod boards;
mod form;
mod games;
mod known;
mod offers;
mod people;
mod print;
mod table;
mod talk;
#[cfg(test)]
mod tests;

use std::fmt;

use self::form::{Argument, Arguments};
use super::Message;
use crate::scan::Cursor;
use crate::text::{PlayerText, encode_latin_1};

pub use form::{ArgumentForm, DatagramForm, DatagramSource, Quoting};
pub(crate) use known::Known;

/// An ICC level-2 unit: a number and its arguments, decoded.
///
/// The framing is undone: words, `{…}` and `^Y{…^Y}` all give their plain text, an empty `{}` an empty one. Blanks between
/// arguments may be missing around braces. What the arguments are called is in [`DatagramForm`].
///
/// `Debug` shows no argument of a datagram that holds a password or a key.
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
    /// Which unit it is.
    pub number: u32,
    /// Its arguments, in order. Some hold what players wrote.
    pub fields: Vec<PlayerText>,
}

impl Datagram {
    /// A datagram of these arguments, as whoever receives it will read them.
    pub fn new(number: u32, arguments: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let as_received = |text: &str| PlayerText::from_wire(&encode_latin_1(text));
        Self { number, fields: arguments.into_iter().map(|text| as_received(text.as_ref())).collect() }
    }

    /// Reads what stands between `^Y(` and `^Y)`; `None` if it does not start with a number.
    ///
    /// A brace that is never closed takes the rest of the unit.
    pub fn parse(unit: &[u8]) -> Option<Self> {
        let (number, at) = read_number(unit)?;
        let fields = Argument::all(at).map(|argument| PlayerText::from_wire(argument.bytes)).collect();
        Some(Self { number, fields })
    }

    /// Its kind, if it is a known one.
    pub fn form(&self) -> Option<&'static DatagramForm> {
        DatagramForm::of(self.number)
    }

    /// The name of its kind.
    pub fn name(&self) -> Option<&'static str> {
        self.form().map(|form| form.name)
    }

    /// The argument of this name, if its kind has one and it was sent.
    pub fn argument(&self, name: &str) -> Option<&PlayerText> {
        self.fields.get(self.form()?.position(name)?)
    }

    /// Whether it holds what must never be logged.
    pub fn is_secret(&self) -> bool {
        self.form().is_some_and(|form| form.is_secret)
    }

    /// The same without what must never be logged: every argument of a secret one becomes empty.
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

/// What a datagram says: a message, seldom more than one.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) message: Message,
    pub(crate) more: Vec<Message>,
}

impl From<Message> for Reading {
    fn from(message: Message) -> Self {
        Self { message, more: Vec::new() }
    }
}

fn read_number(unit: &[u8]) -> Option<(u32, Cursor<'_>)> {
    let mut at = Cursor::new(unit);
    at.blanks();
    Some((at.number()?, at))
}

/// Reads a unit into what it says. What no message stands for is a [`Datagram`]; `None` if it is no unit at all.
pub(crate) fn read(unit: &[u8], known: &mut Known) -> Option<Reading> {
    let (number, at) = read_number(unit)?;
    let typed = DatagramForm::of(number).and_then(|form| form.read?(&Arguments::read(form, at), known));
    typed.or_else(|| Some(Message::Datagram(Datagram::parse(unit)?.redacted()).into()))
}

/// Whether a unit holds what must never be logged.
pub(crate) fn is_secret(unit: &[u8]) -> bool {
    read_number(unit).and_then(|(number, _)| DatagramForm::of(number)).is_some_and(|form| form.is_secret)
}

/// The first line of an ICC level-1 unit.
///
/// Source: ICC's description of its level-1 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnitHeader {
    /// Which command's output follows.
    pub command: u32,
    /// Who gave it: `*` for this login.
    pub player: PlayerText,
    /// The tag the client gave the command.
    pub tag: Option<PlayerText>,
}

impl UnitHeader {
    /// Reads what stands between `^Y[` and the end of that line: a number, a name and perhaps a tag.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(header);
        let command = at.number()?;
        at.blanks();
        let player = PlayerText::from_wire(at.word()?);
        at.blanks();
        Some(Self { command, player, tag: at.word().map(PlayerText::from_wire) })
    }
}
