//! Account names, and the titles after them.

use std::fmt;
use std::str::FromStr;

use smol_str::SmolStr;

use super::{decode_to_smol_str, impl_text};
use crate::ParseError;
use crate::scan::Cursor;

/// Maximum length of an account name in bytes; nearly twice the limit of any known server.
const MAX_NAME_BYTES: usize = 32;

/// Account name in the spelling of the server, or parsed from user input (`FromStr`, which fails with [`ParseError`]).
///
/// `==` is case-sensitive, unlike the servers: compare players with [`is_same_player`](Self::is_same_player).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Handle(SmolStr);

impl Handle {
    /// Decodes a received name without validation; names in examined games are free text without blanks.
    pub fn from_wire(name: &[u8]) -> Self {
        Self(decode_to_smol_str(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether `name` is the name of this account; ASCII case is ignored, as by servers.
    pub fn is_same_player(&self, name: &str) -> bool {
        self.as_str().eq_ignore_ascii_case(name)
    }

    /// Parses an account name: a letter, then letters, digits and `-`. Returns `None`, and consumes nothing, if there is none or it
    /// is longer than [`MAX_NAME_BYTES`].
    ///
    /// FICS allows 3 to 17 letters, ICC 2 to 15 letters and digits, with `-` in a few old names.
    pub(crate) fn read<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
        let mut ahead = *at;
        ahead.peek().filter(u8::is_ascii_alphabetic)?;
        let name = ahead.take_while(is_name_byte);
        (name.len() <= MAX_NAME_BYTES).then(|| *at = ahead)?;
        Some(name)
    }

    /// Returns whether [`read`](Self::read) accepts the whole `text`.
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

impl_text!(Handle);

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Title codes after a name; `Display` writes them in brackets: `(GM)(*)`. Unknown codes are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Titles(SmolStr);

impl Titles {
    /// Returns the codes without brackets, in the order received: `GM`, `*`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.as_str().split(['(', ')', ' ']).filter(|code| !code.is_empty())
    }

    /// Returns whether there are no titles.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses zero or more bracketed codes; stops before a bracket that cannot be a title, such as a rating or a channel.
    ///
    /// ICC separates several codes by blanks inside one pair of brackets.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Self {
        let from = *at;
        Self::skip(at);
        Self::from_wire(at.since(from))
    }

    /// Stores received codes with their brackets, without validation.
    pub(crate) fn from_wire(codes: &[u8]) -> Self {
        if codes.is_empty() { Self::default() } else { Self(decode_to_smol_str(codes)) }
    }

    /// Consumes titles as [`read`](Self::read) does, without returning them.
    pub(crate) fn skip(at: &mut Cursor<'_>) {
        while eat_title(at).is_some() {}
    }

    /// Parses codes without brackets, separated by blanks, as in ICC's datagrams.
    pub fn from_codes(codes: &[u8]) -> Self {
        let codes = codes.split(|&b| b == b' ').filter(|code| !code.is_empty());
        let bracketed: Vec<u8> = codes.flat_map(|code| [b"(", code, b")"].concat()).collect();
        Self(decode_to_smol_str(&bracketed))
    }

    /// Returns the titles of the bits in a `ti=` or `<wa>` field.
    ///
    /// Source: help file `seekinfo`; 01 unregistered, 02 computer, 04 GM, 08 IM, 10 FM, 20 WGM, 40 WIM, 80 WFM.
    pub(crate) fn from_bits(bits: u8) -> Self {
        const CODES: [&str; 8] = ["(U)", "(C)", "(GM)", "(IM)", "(FM)", "(WGM)", "(WIM)", "(WFM)"];
        let codes: String =
            CODES.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, &code)| code).collect();
        Self(decode_to_smol_str(codes.as_bytes()))
    }
}

impl fmt::Display for Titles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Consumes one title in brackets; `None`, and consumes nothing, if the next bytes are not a title.
fn eat_title(at: &mut Cursor<'_>) -> Option<()> {
    let mut ahead = *at;
    ahead.expect(b"(")?;
    let code = ahead.take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'*' || b == b' ');
    ahead.expect(b")")?;
    let starts_as_title = code.first().is_some_and(|b| b.is_ascii_uppercase() || *b == b'*');
    (starts_as_title && code != b"UNR").then(|| *at = ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_titles_are_read_again() {
        for sent in ["", "(GM)", "(GM)(*)", "(GM TD)(C)"] {
            assert_eq!(Titles::read(&mut Cursor::new(sent.as_bytes())).to_string(), sent);
        }
        assert_eq!(Titles::from_bits(0x06).to_string(), "(C)(GM)");
    }

    #[test]
    fn titles_end_where_a_rating_or_a_channel_begins() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("(GM)(*)(50): x", &["GM", "*"], "(50): x"),
            ("(C)( 958)[2]", &["C"], "( 958)[2]"),
            ("(GM TD) x", &["GM", "TD"], " x"),
            ("(UNR)", &[], "(UNR)"),
            ("(1900)", &[], "(1900)"),
            (" shouts", &[], " shouts"),
            ("(TD", &[], "(TD"),
        ];
        for &(sent, want, rest) in cases {
            let mut at = Cursor::new(sent.as_bytes());
            assert_eq!(Titles::read(&mut at).iter().collect::<Vec<_>>(), want, "{sent}");
            assert_eq!(at.rest(), rest.as_bytes(), "{sent}");
        }
    }

    #[test]
    fn title_bits_name_their_titles() {
        assert_eq!(Titles::from_bits(0x06).iter().collect::<Vec<_>>(), ["C", "GM"]);
        assert!(Titles::from_bits(0).is_empty());
    }

    #[test]
    fn a_handle_starts_with_a_letter() {
        assert_eq!(Handle::read(&mut Cursor::new(b"Foo[26]")), Some(&b"Foo"[..]));
        assert_eq!(Handle::read(&mut Cursor::new(b"guest3090 x")), Some(&b"guest3090"[..]));
        assert_eq!(Handle::read(&mut Cursor::new(b"(told Foo)")), None);
        assert!(Handle::is_name(b"Foo"));
        assert!(!Handle::is_name(b"Foo bar") && !Handle::is_name(b""));
    }

    #[test]
    fn a_handle_matches_a_typed_name_regardless_of_case() {
        let handle = Handle::from_wire(b"Foo");
        assert!(handle.is_same_player("foo") && !handle.is_same_player("foo "));
        assert!(handle == "Foo" && handle != "foo" && handle == *"Foo");
        assert_eq!(handle.as_ref(), "Foo");
    }

    #[test]
    fn a_typed_name_is_a_handle_if_an_account_can_have_it() {
        for name in ["Foo", "guest3090", "Foo-Bar", "x", &"x".repeat(32)] {
            assert_eq!(name.parse(), Ok(Handle::from_wire(name.as_bytes())));
        }
        let cases = [
            ("", NO_LETTER),
            ("9x", NO_LETTER),
            (" Foo", NO_LETTER),
            ("Foo ", INVALID_CHARACTER),
            ("Foo Bar", INVALID_CHARACTER),
            ("Fo\u{f6}", INVALID_CHARACTER),
            ("Foo\n", INVALID_CHARACTER),
            (&"x".repeat(33), TOO_LONG),
        ];
        for (name, want) in cases {
            assert_eq!(name.parse::<Handle>(), Err(want), "{name:?}");
        }
    }
}
