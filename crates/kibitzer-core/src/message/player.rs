//! Who is spoken of: handles, titles, ratings, game numbers.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::scan::Cursor;
use crate::short_text::{ShortText, impl_text};

/// A server-wide game number, as printed: from 1 on.
///
/// Signed, because servers print `0` and `-1` for stored positions (`sposition`, ICC's isolated boards).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct GameId(pub i32);

impl GameId {
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        i32::try_from(at.signed()?).ok().map(Self)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Longest name that is taken for an account's, in bytes: nearly twice what any server allows.
const MAX_NAME_BYTES: usize = 32;

/// An account name, as the server spelled it, or as somebody typed it (`FromStr`, which takes what [`HandleError`] does not
/// refuse).
///
/// `==` tells upper case from lower case; servers do not: see [`is_same_player`](Self::is_same_player).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(super) ShortText);

impl Handle {
    /// Takes a name from the wire as it stands; names in examined games are free text without blanks.
    pub fn from_wire(name: &[u8]) -> Self {
        Self(ShortText::from_wire(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether this account goes by that name, as a server or a person spelled it: servers ignore case.
    pub fn is_same_player(&self, name: &str) -> bool {
        self.as_str().eq_ignore_ascii_case(name)
    }

    /// Reads a name as accounts have it: a letter, then letters, digits, `-`. At most [`MAX_NAME_BYTES`].
    ///
    /// FICS allows 3 to 17 letters, ICC 2 to 15 letters and digits, with `-` in a few old names.
    pub(crate) fn read<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
        let mut ahead = *at;
        ahead.peek().filter(u8::is_ascii_alphabetic)?;
        let name = ahead.take_while(is_name_byte);
        (name.len() <= MAX_NAME_BYTES).then(|| *at = ahead)?;
        Some(name)
    }

    /// Whether `text` is a name as [`read`](Self::read) takes it, and nothing else.
    pub(crate) fn is_name(text: &[u8]) -> bool {
        let mut at = Cursor::new(text);
        Self::read(&mut at).is_some() && at.is_empty()
    }
}

/// Why a text is not the name of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum HandleError {
    /// It is empty or starts with something else than a letter.
    #[error("a handle starts with a letter")]
    Start,
    /// Something in it is neither letter nor digit nor `-`.
    #[error("a handle consists of letters, digits and -")]
    Character,
    /// It is longer than any server's names.
    #[error("a handle has at most {MAX_NAME_BYTES} characters")]
    TooLong,
}

impl FromStr for Handle {
    type Err = HandleError;

    fn from_str(name: &str) -> Result<Self, HandleError> {
        let bytes = name.as_bytes();
        if Self::is_name(bytes) {
            Ok(Self::from_wire(bytes))
        } else if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
            Err(HandleError::Start)
        } else if bytes.iter().all(|&b| is_name_byte(b)) {
            Err(HandleError::TooLong)
        } else {
            Err(HandleError::Character)
        }
    }
}

impl_text!(Handle);

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// The bracketed codes behind a name: `(GM)(*)`, which is what `Display` writes. Codes nobody knows are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Titles(ShortText);

impl Titles {
    /// Each code without its brackets, in the order sent: `GM`, `*`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.as_str().split(['(', ')', ' ']).filter(|code| !code.is_empty())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads zero or more bracketed codes; a bracket that cannot be a title (a rating, a channel) is left alone.
    ///
    /// ICC separates codes by a blank inside one pair of brackets.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Self {
        if at.peek() != Some(b'(') {
            return Self::default();
        }
        let from = *at;
        Self::skip(at);
        Self(ShortText::from_wire(at.since(from)))
    }

    /// [`read`](Self::read) for those who need none of them.
    pub(crate) fn skip(at: &mut Cursor<'_>) {
        while eat_title(at).is_some() {}
    }

    /// The titles in a list of codes with blanks between them, as ICC's datagrams have it.
    pub fn from_codes(codes: &[u8]) -> Self {
        let codes = codes.split(|&b| b == b' ').filter(|code| !code.is_empty());
        let bracketed: Vec<u8> = codes.flat_map(|code| [b"(", code, b")"].concat()).collect();
        Self(ShortText::from_wire(&bracketed))
    }

    /// The titles that a two-digit hexadecimal `ti=` or `<wa>` field stands for.
    ///
    /// Source: help file `seekinfo`; 01 unregistered, 02 computer, 04 GM, 08 IM, 10 FM, 20 WGM, 40 WIM, 80 WFM.
    pub(crate) fn from_bits(bits: u8) -> Self {
        const CODES: [&str; 8] = ["(U)", "(C)", "(GM)", "(IM)", "(FM)", "(WGM)", "(WIM)", "(WFM)"];
        let codes: String =
            CODES.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, &code)| code).collect();
        Self(ShortText::from_wire(codes.as_bytes()))
    }
}

impl fmt::Display for Titles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

fn eat_title(at: &mut Cursor<'_>) -> Option<()> {
    let mut ahead = *at;
    ahead.expect(b"(")?;
    let code = ahead.take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'*' || b == b' ');
    ahead.expect(b")")?;
    let starts_as_title = code.first().is_some_and(|b| b.is_ascii_uppercase() || *b == b'*');
    (starts_as_title && code != b"UNR").then(|| *at = ahead)
}

/// How sure the server is of a rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "help file `ratings` knows these")]
pub enum Confidence {
    /// No mark.
    #[default]
    Established,
    /// `E`.
    Estimated,
    /// `P`.
    Provisional,
}

impl Confidence {
    /// The mark behind the number: nothing, `E` or `P`.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Established => "",
            Self::Estimated => "E",
            Self::Provisional => "P",
        }
    }

    pub(crate) fn read(at: &mut Cursor<'_>) -> Self {
        if at.eat(b"E") {
            Self::Estimated
        } else if at.eat(b"P") {
            Self::Provisional
        } else {
            Self::Established
        }
    }
}

/// A rating as servers print it; `Display` writes `1500P`, `++++` or `----`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "no server prints anything else")]
pub enum Rating {
    /// `++++`: a guest, who cannot have one.
    Guest,
    /// `----` or `UNR`: no rated game yet.
    Unrated,
    /// A number with its mark.
    Rated(u16, Confidence),
}

impl Rating {
    /// The number, if there is one.
    pub const fn value(self) -> Option<u16> {
        match self {
            Self::Rated(value, _) => Some(value),
            Self::Guest | Self::Unrated => None,
        }
    }

    /// Reads `1500`, ` 958`, `1500P`, `----`, `++++`, `UNR`; leading blanks are padding.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let mut ahead = *at;
        ahead.blanks();
        let rating = if ahead.eat(b"++++") {
            Self::Guest
        } else if ahead.eat(b"----") || ahead.eat(b"UNR") {
            Self::Unrated
        } else {
            let value = ahead.number()?;
            Self::Rated(value, Confidence::read(&mut ahead))
        };
        *at = ahead;
        Some(rating)
    }

    /// [`read`](Self::read) between round brackets.
    pub(crate) fn read_bracketed(at: &mut Cursor<'_>) -> Option<Self> {
        let mut ahead = *at;
        ahead.expect(b"(")?;
        let rating = Self::read(&mut ahead)?;
        ahead.blanks();
        ahead.expect(b")")?;
        *at = ahead;
        Some(rating)
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guest => f.write_str("++++"),
            Self::Unrated => f.write_str("----"),
            Self::Rated(value, confidence) => write!(f, "{value}{}", confidence.mark()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_with_padding_marks_and_placeholders() {
        let cases: &[(&str, Option<Rating>)] = &[
            ("( 958)", Some(Rating::Rated(958, Confidence::Established))),
            ("(1500P)", Some(Rating::Rated(1500, Confidence::Provisional))),
            ("(2158E)", Some(Rating::Rated(2158, Confidence::Estimated))),
            ("(----)", Some(Rating::Unrated)),
            ("(UNR)", Some(Rating::Unrated)),
            ("(++++)", Some(Rating::Guest)),
            ("(GM)", None),
            ("()", None),
            ("(99999)", None),
        ];
        for &(sent, want) in cases {
            assert_eq!(Rating::read_bracketed(&mut Cursor::new(sent.as_bytes())), want, "{sent}");
        }
    }

    #[test]
    fn printed_ratings_are_read_again() {
        let marks = [Confidence::Established, Confidence::Estimated, Confidence::Provisional];
        let rated = marks.map(|mark| Rating::Rated(958, mark));
        for (rating, want) in rated.into_iter().zip(["958", "958E", "958P"]).chain([
            (Rating::Rated(0, Confidence::Established), "0"),
            (Rating::Guest, "++++"),
            (Rating::Unrated, "----"),
        ]) {
            assert_eq!(rating.to_string(), want);
            assert_eq!(Rating::read(&mut Cursor::new(want.as_bytes())), Some(rating), "{want}");
        }
    }

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
    fn a_handle_is_compared_with_what_a_person_typed() {
        let handle = Handle::from_wire(b"Foo");
        assert!(handle.is_same_player("foo") && !handle.is_same_player("foo "));
        assert!(handle == "Foo" && handle != "foo" && handle == *"Foo");
        assert_eq!(handle.as_ref(), "Foo");
    }

    #[test]
    fn what_is_typed_is_a_handle_if_an_account_could_have_it() {
        for name in ["Foo", "guest3090", "Foo-Bar", "x", &"x".repeat(32)] {
            assert_eq!(name.parse(), Ok(Handle::from_wire(name.as_bytes())));
        }
        let cases = [
            ("", HandleError::Start),
            ("9x", HandleError::Start),
            (" Foo", HandleError::Start),
            ("Foo ", HandleError::Character),
            ("Foo Bar", HandleError::Character),
            ("Fo\u{f6}", HandleError::Character),
            ("Foo\n", HandleError::Character),
            (&"x".repeat(33), HandleError::TooLong),
        ];
        for (name, want) in cases {
            assert_eq!(name.parse::<Handle>(), Err(want), "{name:?}");
        }
    }
}
