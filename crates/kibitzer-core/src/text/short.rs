//! Text optimized for single words: up to 22 ASCII bytes are stored in place, longer text in a shared allocation.

use std::borrow::Cow;
use std::sync::Arc;
use std::{cmp, fmt, hash};

use super::decode;

/// Maximum number of bytes stored in place.
const INLINE_BYTES: usize = 22;

/// Decoded text of 24 bytes in size. Clones of longer text share it.
#[derive(Clone)]
pub(crate) struct ShortText(Repr);

/// Storage of a [`ShortText`].
#[derive(Clone)]
enum Repr {
    /// ASCII text, padded with zeros, so that equal texts have equal bytes.
    Inline { length: u8, bytes: [u8; INLINE_BYTES] },
    /// Text that is longer or not ASCII.
    Shared(Arc<str>),
}

impl ShortText {
    /// Decodes received bytes: see [`decode`].
    pub(crate) fn from_wire(received: &[u8]) -> Self {
        if let Some(text) = Self::inline(received) {
            return text;
        }
        match decode(received) {
            Cow::Borrowed(text) => Self(Repr::Shared(text.into())),
            Cow::Owned(text) => Self(Repr::Shared(text.into())),
        }
    }

    /// Stores text that is already decoded; entities in it remain.
    #[cfg(feature = "serde")]
    pub(crate) fn from_text(text: &str) -> Self {
        let is_plain = text.len() <= INLINE_BYTES && text.is_ascii() && !text.contains('&');
        if is_plain { Self::from_wire(text.as_bytes()) } else { Self(Repr::Shared(text.into())) }
    }

    /// Stores received bytes in place; `None` if they are too long, not ASCII, or may contain an entity.
    fn inline(received: &[u8]) -> Option<Self> {
        let mut bytes = [0; INLINE_BYTES];
        bytes.get_mut(..received.len())?.copy_from_slice(received);
        // Without an early exit, the compiler can process the bytes in parallel.
        let strange = bytes.iter().fold(0, |strange, &byte| strange | (byte & 0x80) | u8::from(byte == b'&'));
        (strange == 0).then_some(Self(Repr::Inline { length: u8::try_from(received.len()).ok()?, bytes }))
    }

    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Inline { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Repr::Shared(text) => text,
        }
    }

    /// Returns the text as UTF-8 bytes; faster than [`as_str`](Self::as_str), which validates text stored in place.
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Repr::Shared(text) => text.as_bytes(),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self.0, Repr::Inline { length: 0, .. })
    }
}

impl Default for ShortText {
    fn default() -> Self {
        Self(Repr::Inline { length: 0, bytes: [0; INLINE_BYTES] })
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Inline { length, bytes }, Repr::Inline { length: other_length, bytes: other_bytes }) => {
                length == other_length && bytes == other_bytes
            }
            _ => self.as_str() == other.as_str(),
        }
    }
}

impl Eq for ShortText {}

impl PartialOrd for ShortText {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortText {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl hash::Hash for ShortText {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Implements `Display`, `AsRef<str>` and comparison with `str` for public types that wrap a [`ShortText`].
macro_rules! impl_text {
    ($($text:ty),+) => {$(
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
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $text {
            fn eq(&self, other: &&str) -> bool {
                self == *other
            }
        }
    )+};
}

pub(crate) use impl_text;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_length_is_stored() {
        for sent in ["", "e4", "Abcdefghijklmnopqrstuv", "Abcdefghijklmnopqrstuvw", "&#x3b1;"] {
            assert_eq!(ShortText::from_wire(sent.as_bytes()).as_str(), decode(sent.as_bytes()), "{sent}");
        }
        assert_eq!(ShortText::from_wire(b"caf\xe9").as_str(), "café");
        assert!(ShortText::from_wire(b"").is_empty() && ShortText::default().is_empty());
        assert_eq!(size_of::<ShortText>(), 24);
    }
}
