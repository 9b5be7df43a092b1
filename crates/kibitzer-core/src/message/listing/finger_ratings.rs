//! The table of ratings in the reply to `finger`.

use strum::EnumString;

use super::parts::read_text;
use crate::message::Rating;
use crate::scan::Cursor;
use crate::text::decode_received;

/// One row of ratings in a [`Finger`](super::Finger). A value is `None` if the server has no such column or leaves it blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FingerRating {
    /// The kind of game as printed: `Blitz`, `blitz crazyhouse`.
    pub category: String,
    /// The rating.
    pub rating: Option<Rating>,
    /// The rating deviation in tenths: `54.4` is 544.
    pub rd_tenths: Option<u32>,
    /// The volatility in millionths (FatICS).
    pub volatility_millionths: Option<u32>,
    /// Games won.
    pub wins: Option<u32>,
    /// Games lost.
    pub losses: Option<u32>,
    /// Games drawn.
    pub draws: Option<u32>,
    /// Games played.
    pub total: Option<u32>,
    /// The best rating ever; `None` if the player has none yet.
    pub best: Option<Rating>,
    /// The day of the best rating as printed: `15-Mar-2003`.
    pub best_on: Option<String>,
}

/// A column of the table of ratings. `FromStr` parses its heading, such as `win` or `RD`; case matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum RatingColumn {
    Rating,
    #[strum(serialize = "RD")]
    Rd,
    #[strum(serialize = "Volat.")]
    Volatility,
    Win,
    Loss,
    Draw,
    Total,
    Best,
}

/// Parses the head of the table, `         rating     RD     win   loss   draw  total   best`; `None` for any other line, and if a
/// column is unknown.
pub(super) fn parse_table_head(line: &[u8]) -> Option<Vec<RatingColumn>> {
    let mut at = Cursor::new(line);
    at.skip_whitespace();
    // FatICS names the first column too.
    if at.eat(b"speed & variant") {
        at.skip_whitespace();
    }
    at.rest().starts_with(b"rating ").then_some(())?;
    let words = at.rest().split(|&b| b == b' ').filter(|word| !word.is_empty());
    words.map(|word| str::from_utf8(word).ok()?.parse().ok()).collect()
}

impl FingerRating {
    /// Parses a row of a table with these columns; `None` if the line does not fit them, or if there are none.
    pub(super) fn parse_row(line: &[u8], columns: &[RatingColumn]) -> Option<Self> {
        (!columns.is_empty()).then_some(())?;
        let mut at = Cursor::new(line);
        let mut row = Self { category: read_category(&mut at)?, ..Self::default() };
        for &column in columns {
            at.skip_whitespace();
            row.read_cell(&mut at, column)?;
        }
        at.expect_blank_rest()?;
        Some(row)
    }

    /// Reads the cell of a column, and stores its value in the row; `None` if the cell does not fit. The cells of
    /// [`RatingColumn::Best`] may be blank.
    fn read_cell(&mut self, at: &mut Cursor<'_>, column: RatingColumn) -> Option<()> {
        match column {
            RatingColumn::Rating => self.rating = Some(Rating::read(at)?),
            RatingColumn::Rd => self.rd_tenths = Some(read_fixed_point(at, 1)?),
            RatingColumn::Volatility => self.volatility_millionths = Some(read_fixed_point(at, 6)?),
            RatingColumn::Win => self.wins = Some(at.number()?),
            RatingColumn::Loss => self.losses = Some(at.number()?),
            RatingColumn::Draw => self.draws = Some(at.number()?),
            RatingColumn::Total => self.total = Some(at.number()?),
            // The column is blank until there is a best rating.
            RatingColumn::Best => {
                self.best = Rating::read(at);
                let day = at.skip_whitespace().between(b"(", b")", |at| Some(at.take_while(|b| b != b')')));
                // FatICS prints the day without brackets.
                let day = day.or_else(|| at.attempt(|at| at.word_here().filter(|day| day.contains(&b'-'))));
                self.best_on = day.map(|day| decode_received(day).into_owned());
            }
        }
        Some(())
    }
}

/// Reads the category: the words before the first cell, each starting with a letter. `None` for a line with another start, such as
/// a numbered chat line.
fn read_category(at: &mut Cursor<'_>) -> Option<String> {
    at.peek().filter(u8::is_ascii_alphabetic)?;
    let from = *at;
    while at.peek()?.is_ascii_alphabetic() {
        at.take_while(|b| b.is_ascii_alphanumeric() || b == b'/' || b == b'-');
        at.expect(b" ")?.skip_whitespace();
    }
    Some(read_text(&mut Cursor::new(at.since(from))))
}

/// Reads a decimal number, and returns it multiplied by ten to the power of `decimals`: with 1, `54.4` is 544, and `54` is 540.
/// Further digits are ignored.
fn read_fixed_point(at: &mut Cursor<'_>, decimals: usize) -> Option<u32> {
    let whole: u32 = at.number()?;
    let digits = if at.eat(b".") { at.take_while(|b| b.is_ascii_digit()) } else { b"" };
    let padded = digits.iter().chain(std::iter::repeat(&b'0')).take(decimals);
    padded.copied().try_fold(whole, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_the_best_rating_has_no_brackets_on_fatics() {
        let columns = parse_table_head(b"speed & variant         rating  RD    Volat.    total  best").unwrap();
        let line = b"blitz                    1558   290  0.001959       1 1600 2026-11-21";
        let row = FingerRating::parse_row(line, &columns).unwrap();
        assert_eq!((row.best, row.best_on.as_deref()), (Some(Rating::Established(1600)), Some("2026-11-21")));
    }

    #[test]
    fn a_row_of_fics() {
        let columns = parse_table_head(b"          rating     RD      win    loss    draw   total   best").unwrap();
        let row = FingerRating::parse_row(
            b"Blitz      1321     54.4     220     402      27     649   1417 (15-Mar-2003)",
            &columns,
        );
        let row = row.unwrap();
        assert_eq!((row.wins, row.losses, row.draws, row.total), (Some(220), Some(402), Some(27), Some(649)));
        assert_eq!((row.best, row.best_on.as_deref()), (Some(Rating::Established(1417)), Some("15-Mar-2003")));
    }
}
