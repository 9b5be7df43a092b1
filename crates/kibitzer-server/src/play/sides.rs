//! A pair of values, one for each side.

use kibitzer_core::chess::Color;

/// One value for White and one for Black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides<T> {
    pub(crate) white: T,
    pub(crate) black: T,
}

impl<T> Sides<T> {
    pub(crate) const fn of(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    pub(crate) const fn of_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    pub(crate) fn both(value: T) -> Self
    where
        T: Clone,
    {
        Self { white: value.clone(), black: value }
    }
}
