//! The usual style 12 line, read in wide steps.
//!
//! Nearly every board looks alike: single blanks, short words, numbers of up to 8 digits. Such a line is read here without a look at
//! each of its bytes: its blanks and its end are found in one pass as bits, a number is its last 4 or 8 bytes masked and multiplied,
//! and of a name only the place is noted. What does not look so is left to the word-by-word reader, which decides alone what is an
//! error; a property test and a fuzz target compare the two.
#![expect(
    clippy::inline_always,
    reason = "measured: left to itself the compiler keeps half of these apart, at twice the time"
)]

use super::text::{MAX_USUAL_BYTES, SQUARES_END, SQUARES_START};
use super::{BoardNumbers, ClockUnit, LastMoveNumbers, Relation, counted_plies};
use crate::chess::{CastlingRights, Color, LastMove};
use crate::message::player::GameId;
use crate::scan::{Cursor, masks};

/// What was read: the numbers, where the words stand, and where the line ends.
pub(super) struct Usual {
    pub(super) numbers: BoardNumbers,
    /// Starts and ends of the names and of both forms of the move.
    pub(super) places: [[u8; 2]; 4],
    pub(super) length: u8,
}

/// Reads the line that a stream starts with, up to its line end; `None` if it is not the usual.
#[inline(always)]
pub(super) fn read(stream: &[u8; MAX_USUAL_BYTES]) -> Option<Usual> {
    has_legal_squares(stream.first_chunk()?).then_some(())?;
    let rest: &[u8; 131] = stream.last_chunk()?;
    let (side_to_move, double_push_file, flags_start) = match *rest {
        [side, b' ', b'-', b'1', b' ', ..] => (read_side(side)?, None, 5),
        [side, b' ', file @ b'0'..=b'7', b' ', ..] => (read_side(side)?, Some(file - b'0'), 4),
        _ => return None,
    };
    let castling = read_castling(*rest.get(flags_start..)?.first_chunk()?)?;
    let (ends, length) = word_ends(rest.first_chunk()?)?;

    let mut at = Words::new(stream, ends, flags_start + 8);
    let [halfmove_clock, game] = at.small_pair()?;
    let white = at.place();
    let black = at.place();

    let mut at = at.next_words()?;
    let relation = at.number()?;
    let [initial_min, increment_s] = at.small_pair()?;
    let [white_material, black_material] = at.small_pair()?;
    let (white_clock, black_clock) = (at.number()?, at.number()?);
    let move_number = at.number()?;
    let verbose = at.place();

    let mut at = at.next_words()?;
    let (elapsed_ms, has_fraction) = at.elapsed()?;
    let san = at.place();
    let flip = at.number()? != 0;
    let (clock_running, lag_ms) =
        if at.is_over() { (None, None) } else { (Some(at.number()? != 0), Some(i32::try_from(at.number()?).ok()?)) };
    (at.is_over() && at.position() == length + 1).then_some(())?;

    let unit = ClockUnit::of_fraction(has_fraction);
    let word = |[start, end]: [u8; 2]| stream.get(usize::from(start)..usize::from(end)).unwrap_or_default();
    let last_move = match word(verbose) {
        b"none" => None,
        verbose => {
            let played = Some(LastMove::parse_verbose(verbose, word(san), !side_to_move)?);
            Some(LastMoveNumbers { played, elapsed_ms: Some(elapsed_ms) })
        }
    };
    let numbers = BoardNumbers {
        white_clock: unit.reading(white_clock)?,
        black_clock: unit.reading(black_clock)?,
        game: GameId(i32::try_from(game).ok()?),
        relation: Relation::from_code(i32::try_from(relation).ok()?),
        halfmove_clock: counted_plies(halfmove_clock, last_move.is_some()),
        initial_min: u32::try_from(initial_min).ok()?,
        increment_s: u32::try_from(increment_s).ok()?,
        white_material: i32::try_from(white_material).ok()?,
        black_material: i32::try_from(black_material).ok()?,
        move_number: u32::try_from(move_number).ok()?.max(1),
        lag_ms,
        last_move,
        side_to_move,
        double_push_file,
        castling,
        flip: Some(flip),
        clock_running,
        is_cut: false,
    };
    Some(Usual { numbers, places: [white, black, verbose, san], length: low_byte(SQUARES_END + length) })
}

#[inline(always)]
const fn read_side(letter: u8) -> Option<Color> {
    match letter {
        b'W' => Some(Color::White),
        b'B' => Some(Color::Black),
        _ => None,
    }
}

/// The bits of the squares in a line's first 80 bytes: eight rows of eight, a blank after each.
const SQUARES: u128 = {
    let mut bits = 0;
    let mut row = 0;
    while row < 8 {
        bits |= 0xff << (SQUARES_START + 9 * row);
        row += 1;
    }
    bits
};

/// Whether a line starts with the tag and eight rows of squares, a blank after each of them.
#[inline(always)]
fn has_legal_squares(head: &[u8; 80]) -> bool {
    let (sixteens, _) = head.as_chunks::<16>();
    let masks = sixteens.iter().enumerate().map(|(i, sixteen)| u128::from(masks::not_squares(sixteen)) << (16 * i));
    let strange = masks.fold(0, |all, mask| all | mask);
    let (rows, _) = head.get(SQUARES_START..).unwrap_or_default().as_chunks::<9>();
    let not_blank = rows.iter().fold(0, |all, [.., blank]| all | blank ^ b' ');
    head.starts_with(b"<12> ") && strange & SQUARES == 0 && not_blank == 0
}

/// Four times `0 ` or `1 `.
#[inline(always)]
fn read_castling(text: [u8; 8]) -> Option<CastlingRights> {
    let flags = u64::from_le_bytes(text) ^ u64::from_le_bytes(*b"0 0 0 0 ");
    let [white_short, _, white_long, _, black_short, _, black_long, _] = flags.to_le_bytes();
    (flags & !0x0001_0001_0001_0001 == 0)
        .then(|| CastlingRights::from_flags([white_short, white_long, black_short, black_long]))
}

/// The bits of the bytes after words, and how long the line is. `None` where blanks follow each other, or no line end follows.
#[inline(always)]
fn word_ends(rest: &[u8; 128]) -> Option<(u128, usize)> {
    let (first, second) = (rest.first_chunk()?, rest.last_chunk()?);
    let controls = u128::from(masks::controls(first)) | u128::from(masks::controls(second)) << 64;
    let blanks = u128::from(masks::blanks(first)) | u128::from(masks::blanks(second)) << 64;
    let end = controls & controls.wrapping_neg();
    let ends = blanks & end.wrapping_sub(1) | end;
    let is_usual = end != 0 && ends & (ends >> 1) == 0;
    is_usual.then(|| (ends, usize::try_from(controls.trailing_zeros()).unwrap_or_default()))
}

const TOP_BITS: u64 = 0x8080_8080_8080_8080;
const ZEROS: u64 = 0x3030_3030_3030_3030;
/// Adding this to a byte of value 10 or more sets its top bit.
const OVER_NINE: u64 = 0x7676_7676_7676_7676;
/// Masks that keep the last bytes of a little-endian number, by how many. A word of no bytes keeps all of them, and then the
/// blank before it is no digit.
const LAST_OF_8: [u64; 9] = [
    !0,
    0xff << 56,
    0xffff << 48,
    0xff_ffff << 40,
    0xffff_ffff << 32,
    0xff_ffff_ffff << 24,
    0xffff_ffff_ffff << 16,
    0xff_ffff_ffff_ffff << 8,
    !0,
];
const LAST_OF_4: [u32; 5] = [!0, 0xff << 24, 0xffff << 16, 0xff_ffff << 8, !0];

/// The words of up to 64 bytes of a line.
#[derive(Clone, Copy)]
struct Words<'a> {
    stream: &'a [u8; MAX_USUAL_BYTES],
    /// The ends of all words from `SQUARES_END` on.
    all_ends: u128,
    /// Where these words start, from `SQUARES_END` on.
    base: usize,
    /// The ends of the words left, from `base` on.
    ends: u64,
    /// Where the next word starts, from `base` on.
    next: usize,
}

impl<'a> Words<'a> {
    #[inline(always)]
    fn new(stream: &'a [u8; MAX_USUAL_BYTES], all_ends: u128, base: usize) -> Self {
        let ends = (all_ends >> base).to_le_bytes().first_chunk().map_or(0, |low| u64::from_le_bytes(*low));
        Self { stream, all_ends, base, ends, next: 0 }
    }

    /// The words that follow. `None` if the last one had no end, so that it was none.
    #[inline(always)]
    fn next_words(self) -> Option<Self> {
        let base = self.position();
        (self.next <= 64 && base < 128).then(|| Self::new(self.stream, self.all_ends, base))
    }

    /// Where the next word starts, from `SQUARES_END` on.
    #[inline(always)]
    const fn position(&self) -> usize {
        self.base + self.next
    }

    #[inline(always)]
    const fn is_over(&self) -> bool {
        self.ends == 0
    }

    /// Where the next word starts and ends in the line. Without a word left, the end is 64 bytes after `base`.
    #[inline(always)]
    fn step(&mut self) -> (usize, usize) {
        let start = SQUARES_END + self.position();
        let end = usize::try_from(self.ends.trailing_zeros()).unwrap_or(64);
        self.ends &= self.ends.wrapping_sub(1);
        self.next = end + 1;
        (start, SQUARES_END + self.base + end)
    }

    #[inline(always)]
    fn place(&mut self) -> [u8; 2] {
        let (start, end) = self.step();
        [low_byte(start), low_byte(end)]
    }

    /// The `N` bytes before `end`.
    #[inline(always)]
    fn back<const N: usize>(&self, end: usize) -> Option<&'a [u8; N]> {
        self.stream.get(..end)?.last_chunk()
    }

    /// A number of up to eight digits.
    #[inline(always)]
    fn number(&mut self) -> Option<i64> {
        let (start, end) = self.step();
        let Some(keep) = LAST_OF_8.get(end.wrapping_sub(start)) else { return self.any_number(start, end) };
        let digits = (u64::from_le_bytes(*self.back(end)?) ^ ZEROS) & keep;
        if (digits.wrapping_add(OVER_NINE) | digits) & TOP_BITS != 0 {
            return self.any_number(start, end);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
        Some(i64::from(low_half(fours.wrapping_mul(10_000).wrapping_add(fours >> 32))))
    }

    /// Two numbers of up to four digits.
    #[inline(always)]
    fn small_pair(&mut self) -> Option<[i64; 2]> {
        let (first, second) = (self.step(), self.step());
        let keep = |(start, end): (usize, usize)| LAST_OF_4.get(end.wrapping_sub(start));
        let (Some(keep_first), Some(keep_second)) = (keep(first), keep(second)) else {
            return self.any_pair(first, second);
        };
        let first_digits = (u32::from_le_bytes(*self.back(first.1)?) ^ low_half(ZEROS)) & keep_first;
        let second_digits = (u32::from_le_bytes(*self.back(second.1)?) ^ low_half(ZEROS)) & keep_second;
        let digits = u64::from(first_digits) | u64::from(second_digits) << 32;
        if (digits.wrapping_add(OVER_NINE) | digits) & TOP_BITS != 0 {
            return self.any_pair(first, second);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let [a, b, _, _, c, d, _, _] = pairs.wrapping_mul(100).wrapping_add(pairs >> 16).to_le_bytes();
        Some([i64::from(u16::from_le_bytes([a, b])), i64::from(u16::from_le_bytes([c, d]))])
    }

    #[cold]
    #[inline(never)]
    fn any_pair(self, first: (usize, usize), second: (usize, usize)) -> Option<[i64; 2]> {
        Some([self.any_number(first.0, first.1)?, self.any_number(second.0, second.1)?])
    }

    /// A number with a sign, or of more digits.
    #[cold]
    #[inline(never)]
    fn any_number(self, start: usize, end: usize) -> Option<i64> {
        let word = self.stream.get(start..end)?;
        let mut at = Cursor::new(word);
        at.signed().filter(|_| at.is_empty() && word.len() <= 18)
    }

    /// `(m:ss)` or `(m:ss.mmm)`, with up to two digits of minutes: milliseconds, and whether there is a fraction.
    #[inline(always)]
    fn elapsed(&mut self) -> Option<(u32, bool)> {
        let (start, end) = self.step();
        let (minutes, [tens, ones], fraction) = match (end.wrapping_sub(start), self.back::<11>(end)?) {
            (10, &[_, b'(', minutes, b':', tens, ones, b'.', ref fraction @ .., b')']) => {
                (digit(minutes)?, [tens, ones], Some(fraction))
            }
            (6, &[_, _, _, _, _, b'(', minutes, b':', tens, ones, b')']) => (digit(minutes)?, [tens, ones], None),
            (11, &[b'(', ten, minutes, b':', tens, ones, b'.', ref fraction @ .., b')']) => {
                (digit(ten)? * 10 + digit(minutes)?, [tens, ones], Some(fraction))
            }
            (7, &[_, _, _, _, b'(', ten, minutes, b':', tens, ones, b')']) => {
                (digit(ten)? * 10 + digit(minutes)?, [tens, ones], None)
            }
            _ => return None,
        };
        let seconds = minutes * 60 + digit(tens)? * 10 + digit(ones)?;
        let ms = match fraction {
            Some(&[tenths, hundredths, last]) => digit(tenths)? * 100 + digit(hundredths)? * 10 + digit(last)?,
            None => 0,
        };
        Some((seconds * 1000 + ms, fraction.is_some()))
    }
}

#[inline(always)]
fn digit(byte: u8) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u32::from(digit))
}

/// The lower half of a number.
#[inline(always)]
const fn low_half(wide: u64) -> u32 {
    let [a, b, c, d, ..] = wide.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A place in a usual line as a byte.
#[inline(always)]
const fn low_byte(place: usize) -> u8 {
    let [byte, ..] = place.to_le_bytes();
    byte
}
