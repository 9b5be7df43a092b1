//! Text on the wire: UTF-8, Latin-1 and `&#xHHHH;` entities, and separate types for text of players and of the server.

mod name;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

pub use name::{Handle, Titles};

/// Bytes of a line. Up to 96 bytes are stored inline, longer lines on the heap.
pub(crate) type LineBytes = SmallVec<[u8; 96]>;

/// Bytes of a received line, without line end, prompts, bells, telnet commands and escape sequences. The pieces of a wrapped line
/// are joined.
///
/// Clones share the bytes; an empty line allocates nothing.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Line(Option<Arc<LineBytes>>);

impl Line {
    /// Returns the bytes of the line.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_deref().map(SmallVec::as_slice).unwrap_or_default()
    }

    /// Returns the line as text, decoded by [`decode_received`].
    pub fn to_text(&self) -> Cow<'_, str> {
        decode_received(self.as_bytes())
    }

    /// Replaces the bytes of the line. Reuses the allocation if no clone shares it and `bytes` is not empty.
    pub(crate) fn set(&mut self, bytes: &[u8]) {
        match self.0.as_mut().and_then(Arc::get_mut) {
            Some(line) if !bytes.is_empty() => {
                line.clear();
                line.extend_from_slice(bytes);
            }
            _ => *self = Self::from(bytes),
        }
    }
}

impl From<&[u8]> for Line {
    fn from(bytes: &[u8]) -> Self {
        Self((!bytes.is_empty()).then(|| Arc::new(SmallVec::from_slice(bytes))))
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

/// Text that may contain words written by a player: a tell, a note, a name in an examined game, the sentence that ends a game.
///
/// A field is a `PlayerText` if any part of it may come from a player, and a [`ServerText`] otherwise. Account names do not count
/// as text of a player, because they consist only of letters, digits and `-`.
///
/// The text is decoded by [`decode_received`] and otherwise unchanged. It may contain control characters and terminal escapes:
/// print it with [`str::escape_debug`] or as JSON. This crate never parses it as protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct PlayerText(SmolStr);

/// Text that contains no words of a player: the type of a game, a SAN, the terms of an offer. Decoded by [`decode_received`].
///
/// Text that may contain words of a player is a [`PlayerText`]. Up to 23 bytes are stored inline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct ServerText(SmolStr);

impl ServerText {
    /// Encodes the text as servers send it: see [`encode_as_received`].
    pub(crate) fn to_wire(&self) -> Cow<'_, [u8]> {
        encode_as_received(self.as_str())
    }

    /// Decodes received bytes like [`from_wire`](Self::from_wire), and converts ASCII letters to upper case.
    pub(crate) fn from_wire_uppercase(letters: &[u8]) -> Self {
        if letters.iter().any(u8::is_ascii_lowercase) {
            return Self::from_wire(&letters.to_ascii_uppercase());
        }
        Self::from_wire(letters)
    }
}

impl_text!(PlayerText, ServerText: str::eq);

/// Implements conversion from received bytes and to `str`, `Display`, `AsRef<str>` and comparison with `str`, by the function after
/// the colon, for public types that wrap a [`SmolStr`].
macro_rules! impl_text {
    ($text:ident, $other:ident: $eq:path) => {
        impl_text!($text: $eq);
        impl_text!($other: $eq);
    };
    ($text:ident: $eq:path) => {
        impl $text {
            /// Decodes received bytes, without validation; see
            /// [`decode_received`](crate::text::decode_received).
            #[doc(hidden)]
            pub fn from_wire(bytes: &[u8]) -> Self {
                Self($crate::text::decode_to_smol_str(bytes))
            }

            /// Returns the decoded text.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl std::fmt::Display for $text {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl AsRef<str> for $text {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $text {
            fn eq(&self, other: &str) -> bool {
                $eq(self.as_str(), other)
            }
        }

        impl PartialEq<&str> for $text {
            fn eq(&self, other: &&str) -> bool {
                self == *other
            }
        }
    };
}

use impl_text;

/// Decodes received bytes like [`decode_received`]. Up to 23 bytes are stored inline; clones of longer text share one allocation.
fn decode_to_smol_str(bytes: &[u8]) -> SmolStr {
    // Nearly every word needs no decoding; without an early exit, the compiler can process the bytes in parallel.
    let strange = bytes.iter().fold(0, |strange, &byte| strange | (byte & 0x80) | u8::from(byte == b'&'));
    match std::str::from_utf8(bytes) {
        Ok(text) if strange == 0 => text.into(),
        _ => decode_received(bytes).into(),
    }
}

/// Decodes received bytes as [`decode_characters`] does, and replaces `&#xHHHH;` entities by their characters.
///
/// An entity has one to six hexadecimal digits in either case. It is left unchanged if it has no semicolon, does not denote a
/// Unicode scalar value, or denotes a control character: players could otherwise send terminal escapes or line ends through it.
///
/// Source: rules `transport C1` to `C3` in `docs/protocol.md`.
pub fn decode_received(bytes: &[u8]) -> Cow<'_, str> {
    let text = decode_characters(bytes);
    if memchr::memchr(b'&', bytes).is_none() {
        return text;
    }
    Cow::Owned(decode_entities(&text, |_| true))
}

/// Decodes bytes to characters: each valid sequence of UTF-8 to its character, every other byte from ISO 8859-1.
///
/// Text in ISO 8859-1 has such sequences only where an accented capital letter precedes a sign, as in `Ã©`.
pub fn decode_characters(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(char::from));
    }
    Cow::Owned(text)
}

/// Replaces the first byte of each character that UTF-8 encodes in several bytes by an entity, so that [`decode_received`] decodes
/// every byte from ISO 8859-1.
pub(crate) fn hide_utf8(bytes: &[u8]) -> Vec<u8> {
    let mut hidden = Vec::with_capacity(bytes.len() * 2);
    for chunk in bytes.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                0xC2.. => hidden.extend(format!("&#x{byte:x};").into_bytes()),
                byte => hidden.push(byte),
            }
        }
        hidden.extend(chunk.invalid());
    }
    hidden
}

/// Replaces the entities of characters outside ASCII by these characters, for a server that reads UTF-8.
pub(crate) fn decode_entities_outside_ascii(text: &str) -> String {
    decode_entities(text, |character| !character.is_ascii())
}

/// Replaces each valid entity of a selected character by this character, and leaves all others unchanged; see [`decode_received`].
fn decode_entities(text: &str, is_selected: fn(char) -> bool) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, entity)) = split_at_entity(rest) {
        decoded.push_str(before);
        if let Some((character, tail)) = parse_entity_body(entity).filter(|(character, _)| is_selected(*character)) {
            decoded.push(character);
            rest = tail;
        } else {
            decoded.push_str("&#");
            rest = entity;
        }
    }
    decoded.push_str(rest);
    decoded
}

/// Splits text at the first `&#`, which is in neither part; `None` if there is none. Ten times as fast as [`str::split_once`] for
/// long lines.
fn split_at_entity(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memmem::find(text.as_bytes(), b"&#")?;
    Some((text.get(..at)?, text.get(at + 2..)?))
}

/// Parses the text after an entity's `&#`. Returns the character, and the text after the semicolon; `None` if the entity is
/// invalid or denotes a control character.
fn parse_entity_body(entity: &str) -> Option<(char, &str)> {
    // The longest entity is `x` with six digits, so the search for the end is bounded.
    let end = entity.bytes().take(8).position(|b| b == b';')?;
    let (body, tail) = entity.split_at_checked(end)?;
    let digits = body.strip_prefix('x').filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let character =
        char::from_u32(u32::from_str_radix(digits, 16).ok()?).filter(|character| !character.is_control())?;
    Some((character, tail.strip_prefix(';')?))
}

/// Encodes text for sending: every character outside `0x20..=0x7E`, control characters included, becomes one `&#xhhhh;` entity.
///
/// An entity that the text contains already is not escaped. Callers that must not send control characters have to reject them
/// first.
///
/// Source: rule `transport C2` in `docs/protocol.md`.
pub fn encode_ascii(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (0x20..=0x7E).contains(&b)) {
        return Cow::Borrowed(text);
    }
    let encode = |character| match character {
        ' '..='~' => String::from(character),
        other => format!("&#x{:x};", u32::from(other)),
    };
    Cow::Owned(text.chars().map(encode).collect())
}

/// Encodes text so that [`decode_received`] returns it: each character outside ASCII as an entity, but control characters, which have
/// none, in ISO 8859-1.
pub(crate) fn encode_as_received(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let encode = |character: char| match u8::try_from(character) {
        Ok(byte) if character.is_ascii() || character.is_control() => vec![byte],
        _ => format!("&#x{:x};", u32::from(character)).into_bytes(),
    };
    Cow::Owned(text.chars().flat_map(encode).collect())
}

/// Formats an error and its causes on one line, provided that the error's own text is one line: `login failed: wrong password`.
/// The `Display` of an error does not contain its causes.
///
/// A cause is omitted if the text before it already ends with the cause's text. A cause with several lines, such as a TOML error
/// with an excerpt, is reduced to its first and last line.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = first_and_last_line(&cause.to_string());
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Joins the first and the last nonblank line of a text with a colon, both trimmed. Returns a single nonblank line alone, and an
/// empty string if there is none.
fn first_and_last_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next_back()) {
        (Some(first), Some(last)) => format!("{first}: {last}"),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests;
