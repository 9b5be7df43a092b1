//! The result of a game.

use std::fmt;

use crate::chess::Color;

/// The result of a game, from White's side of the named game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "PGN knows these four")]
pub enum GameResult {
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: adjourned, aborted, or unknown.
    Unfinished,
}

impl GameResult {
    /// The result as servers and PGN files print it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        }
    }

    /// The side that won.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::WhiteWins => Some(Color::White),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unfinished => None,
        }
    }

    pub(super) fn from_wire(printed: &[u8]) -> Option<Self> {
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unfinished]
            .into_iter()
            .find(|result| result.as_str().as_bytes() == printed)
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
