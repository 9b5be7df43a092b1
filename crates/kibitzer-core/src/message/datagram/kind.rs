//! Kinds of datagrams, and access to their arguments by name.

use smallvec::SmallVec;

use super::DatagramMessages;
use super::context::DatagramContext;
use crate::message::{GameId, Handle, Titles};
use crate::scan::{Cursor, masks, parse_decimal};
use crate::text::{PlayerText, ServerText};

/// The number, name, arguments and parser of one kind of datagram. [`ALL`](Self::ALL) is the only list of them; it is used to
/// parse and to write datagrams.
#[derive(Debug)]
pub(crate) struct DatagramKind {
    /// The number after `^Y(`, and in the list of datagrams that a client switches on.
    pub(crate) number: u16,
    /// The name in ICC's description of the format.
    pub(crate) name: &'static str,
    /// The arguments, in order. Servers append to the list over the years, and may omit arguments that are switched
    /// off.
    pub(super) arguments: &'static [DatagramArgument],
    /// Whether an argument is a password or a key, which must never be logged.
    pub(super) is_secret: bool,
    /// Parses the arguments; `None` if the datagram is always emitted as a [`Datagram`](super::Datagram).
    pub(super) parse: Option<ParseArguments>,
}

/// The name of an argument in a kind of datagram, and how the server quotes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DatagramArgument {
    pub(super) name: &'static str,
    /// How the server usually quotes the argument.
    pub(super) quoting: Quoting,
}

/// How an argument is quoted. The variants are ordered: a later one allows more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quoting {
    /// No quoting: neither a blank nor a brace, and not empty.
    Word,
    /// `{…}`: any text without a brace.
    Braces,
    /// `^Y{…^Y}`: any text.
    Marks,
}

/// Parses the arguments of a datagram into messages. After `None` the datagram is emitted as a
/// [`Datagram`](super::Datagram).
pub(super) type ParseArguments = fn(&Arguments<'_>, &mut DatagramContext) -> Option<DatagramMessages>;

impl DatagramKind {
    /// Returns the index of the argument of this name; `None` if this kind has none.
    #[inline]
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.arguments.iter().position(|argument| argument.name == name)
    }
}

/// One argument as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argument<'a> {
    /// The bytes between its quotation marks.
    pub(super) bytes: &'a [u8],
    /// Whether it was quoted: `{…}` or `^Y{…^Y}`.
    pub(super) is_quoted: bool,
}

const QUOTE_START: &[u8] = b"\x19{";
const QUOTE_END: &[u8] = b"\x19}";

impl<'a> Argument<'a> {
    /// Returns an iterator over the arguments after the number of a datagram.
    ///
    /// Blanks between them may be missing around braces. A brace that is never closed ends with the datagram.
    pub(super) fn all(mut at: Cursor<'a>) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || (!at.skip_whitespace().is_empty()).then(|| Self::read(&mut at)))
    }

    fn read(at: &mut Cursor<'a>) -> Self {
        for (start, end) in [(QUOTE_START, QUOTE_END), (b"{", b"}")] {
            if at.eat(start) {
                return Self { bytes: at.take_until_and_skip(end).unwrap_or_else(|| at.take_rest()), is_quoted: true };
            }
        }
        let word = at.take_while(|b| !matches!(b, b' ' | b'{' | 0x19 | b'\n' | b'\r'));
        // A control byte that starts no quotation is a word of its own, so that every step consumes something.
        Self { bytes: if word.is_empty() { at.take_one() } else { word }, is_quoted: false }
    }
}

/// The arguments of a received datagram, by the names of its kind.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    kind: &'static DatagramKind,
    received: SmallVec<[Argument<'a>; 24]>,
}

impl<'a> Arguments<'a> {
    /// Splits the text after the number into arguments. Works for any text.
    pub(super) fn read(kind: &'static DatagramKind, at: Cursor<'a>) -> Self {
        Self { kind, received: split_arguments(at.rest()) }
    }

    pub(super) fn len(&self) -> usize {
        self.received.len()
    }

    /// Returns the argument of this name; `None` if it was not sent.
    #[inline]
    pub(super) fn argument(&self, name: &str) -> Option<Argument<'a>> {
        self.received.get(self.kind.position(name)?).copied()
    }

    /// Returns the argument of this name and all after it; nothing if it was not sent.
    pub(super) fn with_start_offset(&self, name: &str) -> impl Iterator<Item = Argument<'a>> + '_ {
        let first = self.kind.position(name).unwrap_or(usize::MAX);
        self.received.iter().skip(first).copied()
    }

    /// Returns the bytes of the argument called `name`, without quotation marks; `None` if it was not sent.
    #[inline]
    pub(super) fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.argument(name).map(|argument| argument.bytes)
    }

    /// Parses the argument called `name` as a decimal number; `None` if it is missing, not a number, or out of range for the
    /// type.
    #[inline]
    pub(super) fn number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        T::try_from(parse_signed(self.bytes(name)?)?).ok()
    }

    /// Parses the argument called `name` as 0 or 1; `None` if it is missing or anything else.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.bytes(name)? {
            b"0" => Some(false),
            b"1" => Some(true),
            _ => None,
        }
    }

    /// Parses the argument `game`; `None` if it is missing or invalid.
    #[inline]
    pub(super) fn game(&self) -> Option<GameId> {
        self.number("game").map(GameId)
    }

    /// Returns the player's name in the argument called `name`; `None` if it is missing or empty.
    pub(super) fn handle(&self, name: &str) -> Option<Handle> {
        self.bytes(name).filter(|name| !name.is_empty()).map(Handle::from_wire)
    }

    /// Parses the argument called `name` as titles; no titles if it is missing.
    pub(super) fn titles(&self, name: &str) -> Titles {
        Titles::from_codes(self.bytes(name).unwrap_or_default())
    }

    /// Returns the argument called `name` as a player's text; an empty one if it is missing.
    pub(super) fn text(&self, name: &str) -> PlayerText {
        PlayerText::from_wire(self.bytes(name).unwrap_or_default())
    }

    /// Returns the argument called `name` as the server's text; `None` if it is missing or empty.
    pub(super) fn word(&self, name: &str) -> Option<ServerText> {
        self.bytes(name).filter(|word| !word.is_empty()).map(ServerText::from_wire)
    }
}

/// Splits the arguments as [`Argument::all`] does, with a faster path for units of up to 63 bytes without quotes and control
/// bytes.
fn split_arguments(unit: &[u8]) -> SmallVec<[Argument<'_>; 24]> {
    match UnquotedWords::read(unit) {
        Some(words) => words.map(|bytes| Argument { bytes, is_quoted: false }).collect(),
        None => Argument::all(Cursor::new(unit)).collect(),
    }
}

/// The words of a unit without quotes.
#[derive(Debug)]
pub(super) struct UnquotedWords<'a> {
    unit: &'a [u8],
    /// A bit for each byte that is neither a blank nor part of a word that was returned.
    letters: u64,
}

impl<'a> UnquotedWords<'a> {
    /// Finds the words; `None` for a unit of more than 63 bytes, or with control bytes or quotes.
    #[inline]
    pub(super) fn read(unit: &'a [u8]) -> Option<Self> {
        let mut bytes = [b' '; 64];
        let (_, padded) = bytes.split_last_mut()?;
        padded.get_mut(..unit.len())?.copy_from_slice(unit);
        let is_plain = masks::mask_of_controls_and_iac(&bytes) | masks::mask_of_byte(&bytes, b'{') == 0;
        is_plain.then(|| Self { unit, letters: !masks::mask_of_byte(&bytes, b' ') })
    }
}

impl<'a> Iterator for UnquotedWords<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.letters.trailing_zeros();
        let end = start + self.letters.checked_shr(start)?.trailing_ones();
        self.letters &= u64::MAX.checked_shl(end).unwrap_or(0);
        self.unit.get(start as usize..end as usize)
    }
}

/// Parses a whole word as a decimal number with an optional minus sign; `None` if it is anything else.
pub(super) fn parse_signed(word: &[u8]) -> Option<i64> {
    let (sign, digits) = word.strip_prefix(b"-").map_or((1, word), |digits| (-1, digits));
    Some(sign * i64::try_from(parse_decimal(digits)?).ok()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_read_at_once_are_those_read_one_by_one(unit in "[a-z0-9+= \\-]{0,70}|[ -~\x19\r\n\u{ff}]{0,70}") {
            let unit: Vec<u8> = unit.chars().map(|letter| letter as u8).collect();
            let one_by_one: Vec<_> = Argument::all(Cursor::new(&unit)).collect();
            prop_assert_eq!(&split_arguments(&unit)[..], &one_by_one[..]);
            let is_plain = unit.len() < 64 && unit.iter().all(|&b| b != b'{' && b >= b' ' && b != 255);
            prop_assert_eq!(UnquotedWords::read(&unit).is_some(), is_plain);
        }
    }
}
