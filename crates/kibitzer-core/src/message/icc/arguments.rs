//! Arguments of datagrams: their declarations, and access to received ones by name.

use smallvec::SmallVec;

use crate::chess::Color;
use crate::message::{GameId, Handle, Titles};
use crate::scan::{Cursor, masks, parse_decimal};
use crate::text::{PlayerText, ServerText};

/// The declaration of an argument in a kind of datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArgumentSpec {
    pub(super) name: &'static str,
    /// How the server usually quotes the argument.
    pub(super) quoting: Quoting,
}

/// The quotation of an argument. The variants are ordered: a later one can hold more texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quoting {
    /// No quotation. The text is not empty, and contains no blank, brace or control byte.
    Word,
    /// `{…}`: any text without braces and control bytes.
    Braces,
    /// `^Y{…^Y}`: any text without control-Y.
    Marks,
}

/// Returns the index of the argument of this name; `None` if there is none.
#[inline]
pub(super) fn argument_index(arguments: &[ArgumentSpec], name: &str) -> Option<usize> {
    arguments.iter().position(|argument| argument.name == name)
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
    /// Iterates over the arguments in the text after the number of a datagram.
    ///
    /// Blanks between them may be missing around braces. An argument whose closing brace is missing extends to the end.
    pub(super) fn split_all(text: &'a [u8]) -> impl Iterator<Item = Self> {
        let mut at = Cursor::new(text);
        std::iter::from_fn(move || (!at.skip_whitespace().is_empty()).then(|| Self::read(&mut at)))
    }

    /// Reads the next argument: quoted text, a word, or a single control byte that starts no quotation.
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

/// The arguments of a received datagram, accessed by the names that its kind declares.
#[derive(Debug)]
pub(super) struct NamedArguments<'a> {
    declared: &'static [ArgumentSpec],
    received: SmallVec<[Argument<'a>; 24]>,
}

impl<'a> NamedArguments<'a> {
    /// Splits the text after the number of a datagram with these arguments; accepts any text.
    pub(super) fn split(declared: &'static [ArgumentSpec], text: &'a [u8]) -> Self {
        let received = match UnquotedWords::try_split(text) {
            Some(words) => words.map(|bytes| Argument { bytes, is_quoted: false }).collect(),
            None => Argument::split_all(text).collect(),
        };
        Self { declared, received }
    }

    /// Returns the number of received arguments.
    pub(super) fn len(&self) -> usize {
        self.received.len()
    }

    /// Returns the argument called `name`; `None` if it was not sent.
    #[inline]
    pub(super) fn argument(&self, name: &str) -> Option<Argument<'a>> {
        self.received.get(argument_index(self.declared, name)?).copied()
    }

    /// Iterates over the argument called `name` and all after it; empty if it was not sent.
    pub(super) fn argument_and_following(&self, name: &str) -> impl Iterator<Item = Argument<'a>> + '_ {
        let first = argument_index(self.declared, name).unwrap_or(usize::MAX);
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

    /// Parses the argument called `name` as a color: White is `1` or `W`, Black `0` or `B`. `None` if it is missing or anything else.
    pub(super) fn color(&self, name: &str) -> Option<Color> {
        match self.bytes(name)? {
            b"1" => Some(Color::White),
            b"0" => Some(Color::Black),
            [letter] => Color::from_letter(*letter),
            _ => None,
        }
    }

    /// Parses the argument called `game` as the number of a game; `None` if it is missing or invalid.
    #[inline]
    pub(super) fn game(&self) -> Option<GameId> {
        self.number("game").map(GameId)
    }

    /// Returns the argument called `name` as a player's name; `None` if it is missing or empty.
    pub(super) fn handle(&self, name: &str) -> Option<Handle> {
        self.bytes(name).filter(|name| !name.is_empty()).map(Handle::from_wire)
    }

    /// Parses the argument called `name` as titles; empty if it is missing.
    pub(super) fn titles(&self, name: &str) -> Titles {
        Titles::from_codes(self.bytes(name).unwrap_or_default())
    }

    /// Returns the argument called `name` as a player's text; empty if it is missing.
    pub(super) fn player_text(&self, name: &str) -> PlayerText {
        PlayerText::from_wire(self.bytes(name).unwrap_or_default())
    }

    /// Returns the argument called `name` as a text of the server; `None` if it is missing or empty.
    pub(super) fn server_text(&self, name: &str) -> Option<ServerText> {
        self.bytes(name).filter(|word| !word.is_empty()).map(ServerText::from_wire)
    }
}

/// Iterator over the words of a short unit without quotations. Faster than [`Argument::split_all`].
#[derive(Debug)]
pub(super) struct UnquotedWords<'a> {
    unit: &'a [u8],
    /// A bit for each byte of the words that are left.
    letters: u64,
}

impl<'a> UnquotedWords<'a> {
    /// Finds the words; `None` for a unit with more than 63 bytes, or with an opening brace, a control byte or the byte
    /// 255.
    #[inline]
    pub(super) fn try_split(unit: &'a [u8]) -> Option<Self> {
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
mod tests;
