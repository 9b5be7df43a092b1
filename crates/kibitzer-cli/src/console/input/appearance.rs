//! The look of the screen, as far as the user chooses it.

/// Choices of the user; `None` for the default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Appearance {
    pub(crate) colors: Option<ColorTheme>,
    pub(crate) pieces: Option<PieceSet>,
}

/// Colors for a dark or a light ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorTheme {
    Dark,
    Light,
}

/// Characters of the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceSet {
    /// The letters of FEN: capitals for White.
    Ascii,
    /// Capital letters in the color of the side.
    Letters,
    /// Chess symbols, filled in the color of the side.
    Filled,
}

impl ColorTheme {
    /// Parses the argument of `/theme`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            _ => None,
        }
    }
}

impl PieceSet {
    /// Parses the argument of `/pieces`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "ascii" => Some(Self::Ascii),
            "letters" => Some(Self::Letters),
            "filled" => Some(Self::Filled),
            _ => None,
        }
    }
}
