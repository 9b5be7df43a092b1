//! The table of ratings in the reply to `finger`.

use super::parts::read_text;
use crate::message::Rating;
use crate::scan::Cursor;
use crate::text::decode_latin_1;

/// One row of ratings in a [`Finger`](super::Finger). Which columns there are depends on the server.
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

/// A column of the table of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Rating,
    Rd,
    Volatility,
    Win,
    Loss,
    Draw,
    Total,
    Best,
}

/// Parses the head of the table, `         rating     RD     win   loss   draw  total   best`. `None` if it is another line, or
/// if a column is unknown.
pub(super) fn read_columns(line: &[u8]) -> Option<Vec<Column>> {
    let mut at = Cursor::new(line);
    at.skip_whitespace();
    // FatICS names the first column too.
    if at.eat(b"speed & variant") {
        at.skip_whitespace();
    }
    at.rest().starts_with(b"rating ").then_some(())?;
    let words = at.rest().split(|&b| b == b' ').filter(|word| !word.is_empty());
    words.map(Column::from_head).collect()
}

impl Column {
    fn from_head(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"rating" => Self::Rating,
            b"RD" => Self::Rd,
            b"Volat." => Self::Volatility,
            b"win" => Self::Win,
            b"loss" => Self::Loss,
            b"draw" => Self::Draw,
            b"total" => Self::Total,
            b"best" => Self::Best,
            _ => return None,
        })
    }
}

impl FingerRating {
    /// Parses a row with the columns of [`read_columns`]; `None` if the line does not fit them, or if there are no columns.
    pub(super) fn read(line: &[u8], columns: &[Column]) -> Option<Self> {
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

    fn read_cell(&mut self, at: &mut Cursor<'_>, column: Column) -> Option<()> {
        match column {
            Column::Rating => self.rating = Some(Rating::read(at)?),
            Column::Rd => self.rd_tenths = Some(read_fixed(at, 1)?),
            Column::Volatility => self.volatility_millionths = Some(read_fixed(at, 6)?),
            Column::Win => self.wins = Some(at.number()?),
            Column::Loss => self.losses = Some(at.number()?),
            Column::Draw => self.draws = Some(at.number()?),
            Column::Total => self.total = Some(at.number()?),
            // The column is blank until there is a best rating.
            Column::Best => (self.best, self.best_on) = read_best(at),
        }
        Some(())
    }
}

/// Reads the words before the rating. They start with a letter, which numbered chat lines do not.
fn read_category(at: &mut Cursor<'_>) -> Option<String> {
    at.peek().filter(u8::is_ascii_alphabetic)?;
    let from = *at;
    while at.peek()?.is_ascii_alphabetic() {
        at.take_while(|b| b.is_ascii_alphanumeric() || b == b'/' || b == b'-');
        at.expect(b" ")?.skip_whitespace();
    }
    Some(read_text(&mut Cursor::new(at.since(from))))
}

/// Reads a decimal number as an integer with `decimals` implied decimals: `54.4` is 544 for one. Further digits are dropped.
fn read_fixed(at: &mut Cursor<'_>, decimals: usize) -> Option<u32> {
    let whole: u32 = at.number()?;
    let digits = if at.eat(b".") { at.take_while(|b| b.is_ascii_digit()) } else { b"" };
    let padded = digits.iter().chain(std::iter::repeat(&b'0')).take(decimals);
    padded.copied().try_fold(whole, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

/// Reads the best rating and its day, `1417 (15-Mar-2003)`; each is `None` if missing.
fn read_best(at: &mut Cursor<'_>) -> (Option<Rating>, Option<String>) {
    let best = Rating::read(at);
    let day = at.skip_whitespace().rest().strip_prefix(b"(").and_then(|rest| rest.trim_ascii_end().strip_suffix(b")"));
    if day.is_some() {
        at.take_rest();
    }
    (best, day.map(|day| decode_latin_1(day).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Confidence;

    #[test]
    fn a_row_of_fics() {
        let columns = read_columns(b"          rating     RD      win    loss    draw   total   best").unwrap();
        let row = FingerRating::read(
            b"Blitz      1321     54.4     220     402      27     649   1417 (15-Mar-2003)",
            &columns,
        );
        let row = row.unwrap();
        assert_eq!((row.wins, row.losses, row.draws, row.total), (Some(220), Some(402), Some(27), Some(649)));
        assert_eq!(
            (row.best, row.best_on.as_deref()),
            (Some(Rating::Rated(1417, Confidence::Established)), Some("15-Mar-2003"))
        );
    }
}
