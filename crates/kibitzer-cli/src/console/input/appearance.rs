//! The look of the screen, as far as the user chooses it: colors, pieces, times.

use clap::ValueEnum;

/// Colors for a dark or a light background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorTheme {
    Dark,
    Light,
}

/// Set of characters that stand for the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PieceSet {
    /// The letters of FEN: capitals for White.
    Ascii,
    /// Capital letters in the color of the side.
    Letters,
    /// Chess symbols, filled in the color of the side.
    Filled,
}

/// Kind of time that the list shows for each row. The help texts are shown to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeColumn {
    /// times since the start of the session
    #[default]
    Session,
    /// times of day, UTC
    Utc,
    /// times since the line before
    Previous,
    /// times since the ruler's start, otherwise since the last mark
    Mark,
}

impl TimeColumn {
    /// Returns the kind of time that the key `t` shows after this one; after the last, the first.
    pub(crate) fn next(self) -> Self {
        Self::value_variants().iter().cycle().nth(self as usize + 1).copied().unwrap_or_default()
    }
}
