//! Which rules a game goes by.

use std::fmt;

/// The rules a game goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// Orthodox chess.
    #[default]
    Standard,
    /// Captured pieces go to the hand of the side that took them, which may drop them.
    Crazyhouse,
    /// Captured pieces go to the partner's hand on the other board.
    Bughouse,
    /// Chess960: the pieces on the first rank start on random files.
    FischerRandom,
}

impl Variant {
    /// The name servers use in `match` and in seeks: `chess`, `crazyhouse`, `bughouse`, `wild/fr`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "chess",
            Self::Crazyhouse => "crazyhouse",
            Self::Bughouse => "bughouse",
            Self::FischerRandom => "wild/fr",
        }
    }

    /// Whether pieces are dropped from a hand.
    pub(crate) const fn has_hands(self) -> bool {
        matches!(self, Self::Crazyhouse | Self::Bughouse)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
