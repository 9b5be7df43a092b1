//! What a datagram is made of, and how its arguments are found by name.

use smallvec::SmallVec;

use super::Reading;
use super::known::Known;
use crate::message::{GameId, Handle, Titles};
use crate::scan::{Cursor, decimal};
use crate::text::{PlayerText, ServerText};

/// A kind of datagram: its number, its name, and its arguments. [`ALL`](Self::ALL) is the one list of them, from which
/// datagrams are read and printed.
#[derive(Debug)]
#[non_exhaustive]
pub struct DatagramForm {
    /// What stands behind `^Y(`, and in the list of datagrams a client switches on.
    pub number: u16,
    /// The name its description gives it.
    pub name: &'static str,
    /// Its arguments, in order. Servers append to the list over the years and may leave out what is switched off.
    pub arguments: &'static [ArgumentForm],
    /// Where the list of arguments comes from.
    pub source: DatagramSource,
    /// Whether it holds what must never be logged: a password, a key.
    pub is_secret: bool,
    pub(super) read: Option<Read>,
}

/// An argument of a kind of datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentForm {
    /// Its name.
    pub name: &'static str,
    /// How the server quotes it.
    pub quoting: Quoting,
}

/// How an argument is quoted; one that can hold more is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the format has these three")]
pub enum Quoting {
    /// Not at all: it has no blank, no brace, and is not empty.
    Word,
    /// `{…}`: it has no brace.
    Braces,
    /// `^Y{…^Y}`: it may have anything.
    Marks,
}

/// Where the list of a datagram's arguments comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DatagramSource {
    /// The operator's description of the format.
    Description,
    /// The source of clients, and captured units.
    Clients,
    /// None: the description names the datagram and nothing more.
    Undescribed,
}

/// Reads a datagram's arguments into messages; `None` leaves it a plain [`Datagram`](super::Datagram).
pub(super) type Read = fn(&Arguments<'_>, &mut Known) -> Option<Reading>;

impl DatagramForm {
    /// Where an argument of this name stands.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.arguments.iter().position(|argument| argument.name == name)
    }
}

/// One argument as received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument<'a> {
    /// What stands between its marks.
    pub(super) bytes: &'a [u8],
    /// Whether it had marks: `{…}` or `^Y{…^Y}`.
    pub(super) is_quoted: bool,
}

const QUOTE_START: &[u8] = b"\x19{";
const QUOTE_END: &[u8] = b"\x19}";

impl<'a> Argument<'a> {
    /// The arguments behind the number of a unit.
    ///
    /// Blanks between them may be missing around braces. A brace that is never closed takes the rest of the unit.
    pub(super) fn all(mut at: Cursor<'a>) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            at.blanks();
            (!at.is_empty()).then(|| Self::read(&mut at))
        })
    }

    fn read(at: &mut Cursor<'a>) -> Self {
        for (start, end) in [(QUOTE_START, QUOTE_END), (b"{", b"}")] {
            if at.eat(start) {
                return Self { bytes: at.until(end).unwrap_or_else(|| at.take_rest()), is_quoted: true };
            }
        }
        let word = at.take_while(|b| !matches!(b, b' ' | b'{' | 0x19 | b'\n' | b'\r'));
        // A control byte that starts no quotation is a word of its own, so that the walk goes on.
        Self { bytes: if word.is_empty() { at.take_one() } else { word }, is_quoted: false }
    }
}

/// The arguments of a received datagram, by the names its form gives them.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    form: &'static DatagramForm,
    received: SmallVec<[Argument<'a>; 24]>,
}

impl<'a> Arguments<'a> {
    /// Reads what stands behind the number.
    pub(super) fn read(form: &'static DatagramForm, at: Cursor<'a>) -> Self {
        Self { form, received: Argument::all(at).collect() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.received.len()
    }

    /// The argument of this name as received.
    pub(super) fn argument(&self, name: &str) -> Option<Argument<'a>> {
        self.received.get(self.form.position(name)?).copied()
    }

    /// The argument of this name and all behind it.
    pub(super) fn from(&self, name: &str) -> impl Iterator<Item = Argument<'a>> + '_ {
        let first = self.form.position(name).unwrap_or(usize::MAX);
        self.received.iter().skip(first).copied()
    }

    pub(super) fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.argument(name).map(|argument| argument.bytes)
    }

    pub(super) fn number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        T::try_from(signed(self.bytes(name)?)?).ok()
    }

    /// 0 or 1.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.bytes(name)? {
            b"0" => Some(false),
            b"1" => Some(true),
            _ => None,
        }
    }

    pub(super) fn game(&self) -> Option<GameId> {
        self.number("game").map(GameId)
    }

    /// A name; never an empty one.
    pub(super) fn handle(&self, name: &str) -> Option<Handle> {
        self.bytes(name).filter(|name| !name.is_empty()).map(Handle::from_wire)
    }

    /// Titles, or none.
    pub(super) fn titles(&self, name: &str) -> Titles {
        Titles::from_codes(self.bytes(name).unwrap_or_default())
    }

    /// A player's text, or an empty one.
    pub(super) fn text(&self, name: &str) -> PlayerText {
        PlayerText::from_wire(self.bytes(name).unwrap_or_default())
    }

    /// The server's own word, unless it is missing or empty.
    pub(super) fn word(&self, name: &str) -> Option<ServerText> {
        self.bytes(name).filter(|word| !word.is_empty()).map(ServerText::from_wire)
    }
}

/// The whole of a number that may have a minus sign.
pub(super) fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some(digits) => decimal(digits).and_then(|value| i64::try_from(value).ok()).map(|value| -value),
        None => decimal(word).and_then(|value| i64::try_from(value).ok()),
    }
}
