//! Account names, and the titles after them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Filter;
use std::str::{FromStr, Split};

use smol_str::SmolStr;

use super::{decode_to_smol_str, impl_text};
use crate::ParseError;
use crate::scan::Cursor;

/// Maximum length of an account name, in bytes; nearly twice the limit of any known server.
const MAX_NAME_BYTES: usize = 32;

/// Account name, as spelled by the server or typed by a person; `FromStr` validates typed names. Names in examined games, which
/// are free text without blanks, are not validated.
///
/// Handles are compared, ordered and hashed as servers compare names: ASCII case is ignored. `as_str()` is the exact spelling.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Handle(SmolStr);

impl Handle {
    /// Iterates over the bytes in lower case, by which handles are compared.
    fn comparable_bytes(&self) -> impl Iterator<Item = u8> {
        self.0.bytes().map(|b| b.to_ascii_lowercase())
    }

    /// Consumes and returns an account name: a letter, then letters, digits and `-`. `None`, and nothing is consumed, if there is
    /// no name or it is longer than [`MAX_NAME_BYTES`].
    ///
    /// FICS allows 3 to 17 letters, ICC 2 to 15 letters and digits, with `-` in a few old names.
    pub(crate) fn read<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
        let mut ahead = *at;
        ahead.peek().filter(u8::is_ascii_alphabetic)?;
        let name = ahead.take_while(is_name_byte);
        (name.len() <= MAX_NAME_BYTES).then(|| *at = ahead)?;
        Some(name)
    }

    /// Returns whether all of `text` is an account name that [`read`](Self::read) accepts.
    pub(crate) fn is_name(text: &[u8]) -> bool {
        let mut at = Cursor::new(text);
        Self::read(&mut at).is_some() && at.is_empty()
    }
}

const NO_LETTER: ParseError = ParseError::new("a handle starts with a letter");
const INVALID_CHARACTER: ParseError = ParseError::new("a handle consists of letters, digits and -");
const TOO_LONG: ParseError = ParseError::new("a handle has at most 32 characters");

impl FromStr for Handle {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let bytes = name.as_bytes();
        if Self::is_name(bytes) {
            Ok(Self::from_wire(bytes))
        } else if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
            Err(NO_LETTER)
        } else if bytes.iter().all(|&b| is_name_byte(b)) {
            Err(TOO_LONG)
        } else {
            Err(INVALID_CHARACTER)
        }
    }
}

impl_text!(Handle: str::eq_ignore_ascii_case);

impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        *self == *other.as_str()
    }
}

impl Eq for Handle {}

impl Ord for Handle {
    fn cmp(&self, other: &Self) -> Ordering {
        self.comparable_bytes().cmp(other.comparable_bytes())
    }
}

impl PartialOrd for Handle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Handle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.comparable_bytes().for_each(|b| state.write_u8(b));
        // Ends the name, so that of two adjacent names each counts with its length.
        state.write_u8(0xff);
    }
}

/// Returns whether an account name may contain `byte`.
const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// The title of each bit, from the lowest, in the `ti=` field of a seek or in a `<wa>` line.
///
/// Source: help file `seekinfo`; in hexadecimal: 01 unregistered, 02 computer, 04 GM, 08 IM, 10 FM, 20 WGM, 40 WIM, 80 WFM.
const SEEKINFO_TITLES: [&str; 8] = ["(U)", "(C)", "(GM)", "(IM)", "(FM)", "(WGM)", "(WIM)", "(WFM)"];

/// Title codes of a player, such as `GM`, `C` for a computer or `*` for an administrator.
///
/// Unknown codes are kept. `Display` writes the codes in round brackets, as servers do after a name: `(GM)(*)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Titles(SmolStr);

impl Titles {
    /// Iterates over the codes without brackets, in the order received: `GM`, `*`.
    pub fn iter(&self) -> TitlesIter<'_> {
        let is_code: fn(&&str) -> bool = |code| !code.is_empty();
        self.0.as_str().split(['(', ')', ' ']).filter(is_code)
    }

    /// Returns whether the player has no titles.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Consumes and returns zero or more bracketed titles. Stops before a bracket that cannot be a title, such as a rating or a
    /// channel.
    ///
    /// ICC sends several codes in one pair of brackets, separated by blanks.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Self {
        let from = *at;
        Self::skip(at);
        Self::from_bracketed(at.since(from))
    }

    /// Creates titles from received codes with their brackets, without validation.
    pub(crate) fn from_bracketed(codes: &[u8]) -> Self {
        Self(decode_to_smol_str(codes))
    }

    /// Consumes zero or more titles like [`read`](Self::read), without returning them.
    pub(crate) fn skip(at: &mut Cursor<'_>) {
        while eat_title(at) {}
    }

    /// Creates titles from codes without brackets, separated by blanks, as in ICC's datagrams. Does not validate the codes.
    #[doc(hidden)]
    pub fn from_codes(codes: &[u8]) -> Self {
        let codes = codes.split(|&b| b == b' ').filter(|code| !code.is_empty());
        let bracketed: Vec<u8> = codes.flat_map(|code| [b"(", code, b")"].concat()).collect();
        Self(decode_to_smol_str(&bracketed))
    }

    /// Returns the bits of the titles in the `ti=` field of a seek or in a `<wa>` line. Other titles have none.
    pub(crate) fn seekinfo_bits(&self) -> u8 {
        let has_title = |title: &str| self.iter().any(|code| title.trim_matches(['(', ')']) == code);
        SEEKINFO_TITLES.iter().enumerate().fold(0, |bits, (i, title)| bits | u8::from(has_title(title)) << i)
    }

    /// Creates titles from the bits in the `ti=` field of a seek or in a `<wa>` line.
    pub(crate) fn from_seekinfo_bits(bits: u8) -> Self {
        let titles = SEEKINFO_TITLES.iter().enumerate();
        let codes: String = titles.filter(|(i, _)| bits >> i & 1 == 1).map(|(_, &title)| title).collect();
        Self(decode_to_smol_str(codes.as_bytes()))
    }
}

/// Iterator over the codes of [`Titles`].
type TitlesIter<'a> = Filter<Split<'a, [char; 3]>, fn(&&'a str) -> bool>;

impl<'a> IntoIterator for &'a Titles {
    type Item = &'a str;
    type IntoIter = TitlesIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromStr for Titles {
    type Err = ParseError;

    /// Parses codes in round brackets as `Display` writes them: `(GM)(*)`; an empty text has no titles.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut at = Cursor::new(text.as_bytes());
        let titles = Self::read(&mut at);
        if at.is_empty() { Ok(titles) } else { Err(ParseError::new("titles are codes in round brackets")) }
    }
}

impl fmt::Display for Titles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Consumes one bracket with titles, if one follows, and returns whether it did. `(UNR)`, an unrated player, is not a title.
fn eat_title(at: &mut Cursor<'_>) -> bool {
    let is_code_byte = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'*' || b == b' ';
    let title = at.between(b"(", b")", |at| {
        let code = at.take_while(is_code_byte);
        let starts_as_title = code.first().is_some_and(|b| b.is_ascii_uppercase() || *b == b'*');
        (starts_as_title && code != b"UNR").then_some(())
    });
    title.is_some()
}

#[cfg(test)]
mod tests;
