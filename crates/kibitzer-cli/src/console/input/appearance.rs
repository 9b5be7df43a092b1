//! The look of the screen, as far as the user chooses it.

use clap::ValueEnum;

/// The user's choices of colors and pieces; `None` keeps the choice made from the environment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Appearance {
    pub(crate) colors: Option<ColorTheme>,
    pub(crate) pieces: Option<PieceSet>,
}

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
