//! Short text the server itself wrote.

use std::fmt;

use smol_str::SmolStr;

use crate::text::to_smol_str;

/// A word or a few that the server composed: a game's type, a SAN, the terms of an offer. Decoded (see [`decode`]).
///
/// Up to 23 bytes are stored in place. What players wrote is a [`PlayerText`] instead.
///
/// [`decode`]: crate::text::decode
/// [`PlayerText`]: crate::text::PlayerText
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ServerText(SmolStr);

impl ServerText {
    /// Takes over received bytes.
    pub fn from_wire(bytes: &[u8]) -> Self {
        Self(to_smol_str(bytes))
    }

    /// Takes over letters, in upper case.
    pub(crate) fn from_letters(letters: &[u8]) -> Self {
        match str::from_utf8(letters) {
            Ok(text) if !letters.iter().any(u8::is_ascii_lowercase) => Self(SmolStr::new(text)),
            _ => Self(letters.iter().map(|b| char::from(b.to_ascii_uppercase())).collect()),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_upper_case() {
        for sent in [&b"PNB"[..], b"pNb"] {
            assert_eq!(ServerText::from_letters(sent).as_str(), "PNB");
        }
    }
}
