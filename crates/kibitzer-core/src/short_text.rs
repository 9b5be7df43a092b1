//! Text that is mostly a word: up to 22 bytes in place, more of it shared.

use std::borrow::Cow;
use std::sync::Arc;
use std::{cmp, fmt, hash};

use crate::text::decode;

/// Bytes kept in place.
const INLINE_BYTES: usize = 22;

/// Decoded text.
///
/// It is here, and no library's, because a board line holds four of them: building one from sixteen bytes that are known to be
/// there takes a shift and a mask, where a checked conversion and a copy of unknown length took a third of the whole line's
/// time (see `docs/performance.md`).
#[derive(Clone)]
pub(crate) struct ShortText(Repr);

#[derive(Clone)]
enum Repr {
    /// ASCII, with zeros behind it.
    Inline {
        length: u8,
        bytes: [u8; INLINE_BYTES],
    },
    Shared(Arc<str>),
}

const TOP_BITS: u128 = 0x8080_8080_8080_8080_8080_8080_8080_8080;
const LOW_BITS: u128 = 0x0101_0101_0101_0101_0101_0101_0101_0101;
const AMPERSANDS: u128 = 0x2626_2626_2626_2626_2626_2626_2626_2626;

impl ShortText {
    /// Decodes received bytes: see [`decode`].
    pub(crate) fn from_wire(received: &[u8]) -> Self {
        let length = received.len();
        let is_plain = || received.is_ascii() && !received.contains(&b'&');
        if length <= INLINE_BYTES && is_plain() {
            let mut bytes = [0; INLINE_BYTES];
            for (to, from) in bytes.iter_mut().zip(received) {
                *to = *from;
            }
            return Self(Repr::Inline { length: u8::try_from(length).unwrap_or_default(), bytes });
        }
        match decode(received) {
            Cow::Borrowed(text) => Self(Repr::Shared(text.into())),
            Cow::Owned(text) => Self(Repr::Shared(text.into())),
        }
    }

    /// The last `length` of sixteen received bytes, decoded. `None` if they are not 1 to 16 or need decoding.
    #[inline]
    pub(crate) fn from_tail(window: [u8; 16], length: usize) -> Option<Self> {
        let length = u8::try_from(length).ok().filter(|length| (1..=16).contains(length))?;
        let letters = u128::from_le_bytes(window) >> (128 - 8 * u32::from(length));
        let differs = letters ^ AMPERSANDS;
        let is_ampersand = differs.wrapping_sub(LOW_BITS) & !differs;
        if (letters | is_ampersand) & TOP_BITS != 0 {
            return None;
        }
        let mut bytes = [0; INLINE_BYTES];
        *bytes.first_chunk_mut()? = letters.to_le_bytes();
        Some(Self(Repr::Inline { length, bytes }))
    }

    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Inline { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Repr::Shared(text) => text,
        }
    }

    /// The text's bytes; unlike [`as_str`](Self::as_str) without a look at each.
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

/// Gives a public type around a [`ShortText`] what a text is expected to do: to be printed, lent and compared.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_of_any_length_is_kept() {
        for sent in ["", "e4", "Abcdefghijklmnopqrstuv", "Abcdefghijklmnopqrstuvw", "&#x3b1;"] {
            assert_eq!(ShortText::from_wire(sent.as_bytes()).as_str(), decode(sent.as_bytes()), "{sent}");
        }
        assert_eq!(ShortText::from_wire(b"caf\xe9").as_str(), "café");
        assert!(ShortText::from_wire(b"").is_empty() && ShortText::default().is_empty());
        assert_eq!(size_of::<ShortText>(), 24);
    }

    proptest! {
        #[test]
        fn the_quick_way_gives_the_same_text_or_none(window in any::<[u8; 16]>(), length in 0_usize..20) {
            let tail = window.len().checked_sub(length).and_then(|from| window.get(from..));
            if let Some(quick) = ShortText::from_tail(window, length) {
                prop_assert_eq!(quick, ShortText::from_wire(tail.unwrap()));
            } else if let Some(tail) = tail.filter(|tail| !tail.is_empty()) {
                prop_assert!(!tail.is_ascii() || tail.contains(&b'&'));
            }
        }
    }
}
