//! Numbers of games, and ratings of players.

use std::fmt;

use crate::scan::Cursor;

/// A server-wide game number, as printed: from 1 on.
///
/// Signed, because servers print `0` and `-1` for stored positions (`sposition`, ICC's isolated boards).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct GameId(pub i32);

impl GameId {
    /// Reads a decimal number with an optional minus sign; `None` if it exceeds `i32`.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        i32::try_from(at.signed()?).ok().map(Self)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A rating as servers print it; `Display` writes `1500P`, `++++` or `----`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "no server prints anything else; help file `ratings`")]
pub enum Rating {
    /// `++++`: a guest, who cannot have a rating.
    Guest,
    /// `----` or `UNR`: a player without a rated game.
    Unrated,
    /// A number without a mark.
    Established(u16),
    /// A number marked `E`.
    Estimated(u16),
    /// A number marked `P`.
    Provisional(u16),
}

impl Rating {
    /// Returns the number; `None` for a guest and an unrated player.
    pub const fn value(self) -> Option<u16> {
        match self {
            Self::Established(value) | Self::Estimated(value) | Self::Provisional(value) => Some(value),
            Self::Guest | Self::Unrated => None,
        }
    }

    /// Returns the mark after the number: `E`, `P` or nothing.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Estimated(_) => "E",
            Self::Provisional(_) => "P",
            Self::Guest | Self::Unrated | Self::Established(_) => "",
        }
    }

    /// Returns the rating as tagged lines report it: 0 for a guest and an unrated player.
    pub(crate) const fn or_zero(self) -> Self {
        match self {
            Self::Guest | Self::Unrated => Self::Established(0),
            rated => rated,
        }
    }

    /// Reads `1500`, ` 958`, `1500P`, `----`, `++++` or `UNR`, after optional blanks. Consumes nothing if it is not a rating, or
    /// if the number exceeds `u16`.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        at.attempt(|at| {
            if at.skip_whitespace().eat(b"++++") {
                return Some(Self::Guest);
            }
            if at.eat(b"----") || at.eat(b"UNR") {
                return Some(Self::Unrated);
            }
            let value = at.number()?;
            Some(if at.eat(b"E") {
                Self::Estimated(value)
            } else if at.eat(b"P") {
                Self::Provisional(value)
            } else {
                Self::Established(value)
            })
        })
    }

    /// Reads a rating in round brackets, `(1500P)` or `( 958 )`. Consumes nothing if there is none.
    pub(crate) fn read_bracketed(at: &mut Cursor<'_>) -> Option<Self> {
        at.between(b"(", b")", |at| {
            let rating = Self::read(at)?;
            at.skip_whitespace();
            Some(rating)
        })
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value}{}", self.mark()),
            None => f.write_str(if *self == Self::Guest { "++++" } else { "----" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_with_padding_marks_and_placeholders() {
        let cases: &[(&str, Option<Rating>)] = &[
            ("( 958)", Some(Rating::Established(958))),
            ("(1500P)", Some(Rating::Provisional(1500))),
            ("(2158E)", Some(Rating::Estimated(2158))),
            ("(----)", Some(Rating::Unrated)),
            ("(UNR)", Some(Rating::Unrated)),
            ("(++++)", Some(Rating::Guest)),
            ("(GM)", None),
            ("()", None),
            ("(99999)", None),
        ];
        for &(sent, want) in cases {
            assert_eq!(Rating::read_bracketed(&mut Cursor::new(sent.as_bytes())), want, "{sent}");
        }
    }

    #[test]
    fn printed_ratings_are_read_again() {
        let rated = [Rating::Established(958), Rating::Estimated(958), Rating::Provisional(958)];
        for (rating, want) in rated.into_iter().zip(["958", "958E", "958P"]).chain([
            (Rating::Established(0), "0"),
            (Rating::Guest, "++++"),
            (Rating::Unrated, "----"),
        ]) {
            assert_eq!(rating.to_string(), want);
            assert_eq!(Rating::read(&mut Cursor::new(want.as_bytes())), Some(rating), "{want}");
        }
    }
}
