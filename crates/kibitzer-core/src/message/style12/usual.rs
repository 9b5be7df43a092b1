//! The usual style 12 line, read in wide steps.
//!
//! Nearly every board looks alike: single blanks, names of up to 16 letters, numbers of up to 8 digits. Such a line is read
//! here, several bytes at a time: its blanks are found 64 bytes at once, a number is its last 4 or 8 bytes masked and
//! multiplied, a name its last 16 bytes shifted. What does not look so is left to the word-by-word reader, which decides
//! alone what is an error; a property test holds the two against each other.
#![expect(
    clippy::inline_always,
    reason = "measured: left to itself the compiler keeps half of these apart, at twice the time"
)]

use super::{ClockUnit, ReportedMove, Style12, counted_plies};
use crate::chess::{Board, CastlingRights, Color, LastMove};
use crate::message::player::{GameId, Handle};
use crate::message::style12::Relation;
use crate::scan::Cursor;
use crate::short_text::ShortText;
use crate::text::ServerText;

/// Reads what stands behind `<12> `; `None` if it is not the usual.
#[inline(always)]
pub(super) fn read(line: &[u8]) -> Option<Style12> {
    let (rows, rest) = line.split_first_chunk::<72>()?;
    let board = read_board(rows)?;
    let (side_to_move, rest) = match rest.split_first_chunk()? {
        (b"W ", rest) => (Color::White, rest),
        (b"B ", rest) => (Color::Black, rest),
        _ => return None,
    };
    let (double_push_file, rest) = match *rest {
        [b'-', b'1', b' ', ref rest @ ..] => (None, rest),
        [file @ b'0'..=b'7', b' ', ref rest @ ..] => (Some(file - b'0'), rest),
        _ => return None,
    };
    let (flags, rest) = rest.split_first_chunk::<8>()?;
    let castling = read_castling(*flags)?;

    let mut at = Words::from_start(line, line.len() - rest.len())?;
    let [halfmove_clock, game] = at.small_pair()?;
    let (white, black) = (Handle(at.text()?), Handle(at.text()?));
    let relation = at.small()?;
    let [initial_min, increment_s] = at.small_pair()?;
    let [white_material, black_material] = at.small_pair()?;
    let mut at = at.to_end()?;
    let (white_clock, black_clock) = (at.number()?, at.number()?);
    let move_number = at.small()?;
    let verbose = at.text()?;
    let (elapsed_ms, has_fraction) = at.elapsed()?;
    let san = at.text()?;
    let flip = at.small()?;
    let (clock_running, lag_ms) = if at.is_over() { (None, None) } else { (Some(at.small()? != 0), Some(at.small()?)) };
    at.is_over().then_some(())?;

    let unit = ClockUnit::told_by_fraction(has_fraction);
    let last_move = match verbose.as_bytes() {
        b"none" => None,
        _ => Some(read_move(verbose, san, elapsed_ms, !side_to_move)?),
    };
    Some(Style12 {
        board,
        side_to_move,
        double_push_file,
        castling,
        halfmove_clock: counted_plies(halfmove_clock.into(), last_move.as_ref()),
        game: GameId(game),
        white,
        black,
        relation: Relation::from_code(relation),
        initial_min: u32::try_from(initial_min).ok()?,
        increment_s: u32::try_from(increment_s).ok()?,
        white_material,
        black_material,
        white_clock: unit.reading(white_clock.into())?,
        black_clock: unit.reading(black_clock.into())?,
        move_number: u32::try_from(move_number).ok()?.max(1),
        last_move,
        flip: Some(flip != 0),
        clock_running,
        lag_ms,
    })
}

#[inline(always)]
fn read_move(verbose: ShortText, san: ShortText, elapsed_ms: u32, mover: Color) -> Option<ReportedMove> {
    let played = Some(LastMove::parse_verbose(verbose.as_bytes(), san.as_bytes(), mover)?);
    let (verbose, san) = (ServerText(verbose), ServerText(san));
    Some(ReportedMove { verbose, san, played, elapsed_ms: Some(elapsed_ms) })
}

/// Eight rows of eight squares, a blank behind each.
#[inline(always)]
fn read_board(text: &[u8; 72]) -> Option<Board> {
    let mut rows = [[0; 8]; 8];
    let mut not_blank = 0;
    for (row, chunk) in rows.iter_mut().zip(text.as_chunks::<9>().0) {
        let [squares @ .., blank] = chunk;
        *row = *squares;
        not_blank |= blank ^ b' ';
    }
    if not_blank != 0 {
        return None;
    }
    Board::from_rows(&rows)
}

/// Four times `0 ` or `1 `.
#[inline(always)]
fn read_castling(text: [u8; 8]) -> Option<CastlingRights> {
    let flags = u64::from_le_bytes(text) ^ u64::from_le_bytes(*b"0 0 0 0 ");
    let [white_short, _, white_long, _, black_short, _, black_long, _] = flags.to_le_bytes();
    (flags & !0x0001_0001_0001_0001 == 0)
        .then(|| CastlingRights::from_flags([white_short, white_long, black_short, black_long]))
}

/// Bytes in front of a window, so that a word can be read backwards from its end.
const BEFORE: usize = 16;
const WINDOW: usize = 64;
const TOP_BITS: u64 = 0x8080_8080_8080_8080;
const ZEROS: u64 = 0x3030_3030_3030_3030;
/// Adding this to a byte of value 10 or more sets its top bit.
const OVER_NINE: u64 = 0x7676_7676_7676_7676;
/// Masks that keep the last bytes of a little-endian number, by how many. A word of no bytes keeps all of them, and then the
/// blank in front of it is no digit.
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

/// The words of 64 bytes of a line.
#[derive(Clone, Copy)]
struct Words<'a> {
    line: &'a [u8],
    bytes: &'a [u8; BEFORE + WINDOW],
    /// Where the window starts in the line.
    base: usize,
    /// Where the next word starts in the window.
    next: usize,
    /// The blanks of the window from the next word on, a bit each.
    blanks: u64,
}

impl<'a> Words<'a> {
    /// The window that starts with the word at `start`; near the end of the line, the last one.
    #[inline(always)]
    fn from_start(line: &'a [u8], start: usize) -> Option<Self> {
        let from = start.checked_sub(BEFORE)?;
        match line.get(from..)?.first_chunk() {
            Some(bytes) => Self::new(line, bytes, start, 0),
            None => Self::last(line, start),
        }
    }

    /// The window that the line ends with.
    #[inline(always)]
    fn last(line: &'a [u8], start: usize) -> Option<Self> {
        let base = line.len().checked_sub(WINDOW)?;
        Self::new(line, line.last_chunk()?, base, start.checked_sub(base)?)
    }

    #[inline(always)]
    fn new(line: &'a [u8], bytes: &'a [u8; BEFORE + WINDOW], base: usize, next: usize) -> Option<Self> {
        let behind_start = 1_u64.checked_shl(u32::try_from(next).ok()?)?.wrapping_neg();
        let blanks = blanks(bytes.last_chunk()?) & behind_start;
        let has_runs = blanks & (blanks >> 1) != 0;
        (!has_runs).then_some(Self { line, bytes, base, next, blanks })
    }

    /// Goes on from the next word in the window that the line ends with.
    #[inline(always)]
    fn to_end(self) -> Option<Self> {
        // A word that runs out of the window ends nowhere, and the next would start behind the window.
        if self.next > WINDOW {
            return None;
        }
        Self::last(self.line, self.base + self.next)
    }

    /// Whether the last window has no word left.
    #[inline(always)]
    const fn is_over(&self) -> bool {
        self.next > WINDOW
    }

    /// The end of the next word and its length.
    #[inline(always)]
    fn step(&mut self) -> (usize, usize) {
        // Without a blank this is the end of the window.
        let end = usize::try_from(self.blanks.trailing_zeros()).unwrap_or(WINDOW);
        let length = end.wrapping_sub(self.next);
        self.blanks &= self.blanks.wrapping_sub(1);
        self.next = end + 1;
        (end, length)
    }

    /// The `N` bytes in front of `end`.
    #[inline(always)]
    fn back<const N: usize>(&self, end: usize) -> Option<&'a [u8; N]> {
        self.bytes.get(..BEFORE + end)?.last_chunk()
    }

    #[inline(always)]
    fn text(&mut self) -> Option<ShortText> {
        let (end, length) = self.step();
        ShortText::from_tail(*self.back(end)?, length)
    }

    /// A number of up to four digits.
    #[inline(always)]
    fn small(&mut self) -> Option<i32> {
        let (end, length) = self.step();
        let Some(keep) = LAST_OF_4.get(length) else { return self.any_number(end, length) };
        let digits = (u32::from_le_bytes(*self.back(end)?) ^ low_half(ZEROS)) & keep;
        if (digits.wrapping_add(low_half(OVER_NINE)) | digits) & low_half(TOP_BITS) != 0 {
            return self.any_number(end, length);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff;
        i32::try_from(pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0xffff).ok()
    }

    /// Two numbers of up to four digits.
    #[inline(always)]
    fn small_pair(&mut self) -> Option<[i32; 2]> {
        let (first, second) = (self.step(), self.step());
        let (Some(keep_first), Some(keep_second)) = (LAST_OF_4.get(first.1), LAST_OF_4.get(second.1)) else {
            return self.any_pair(first, second);
        };
        let first_digits = (u32::from_le_bytes(*self.back(first.0)?) ^ low_half(ZEROS)) & keep_first;
        let second_digits = (u32::from_le_bytes(*self.back(second.0)?) ^ low_half(ZEROS)) & keep_second;
        let digits = u64::from(first_digits) | u64::from(second_digits) << 32;
        if (digits.wrapping_add(OVER_NINE) | digits) & TOP_BITS != 0 {
            return self.any_pair(first, second);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let [a, b, _, _, c, d, _, _] = pairs.wrapping_mul(100).wrapping_add(pairs >> 16).to_le_bytes();
        Some([i32::from(u16::from_le_bytes([a, b])), i32::from(u16::from_le_bytes([c, d]))])
    }

    /// A number of up to eight digits.
    #[inline(always)]
    fn number(&mut self) -> Option<i32> {
        let (end, length) = self.step();
        let Some(keep) = LAST_OF_8.get(length) else { return self.any_number(end, length) };
        let digits = (u64::from_le_bytes(*self.back(end)?) ^ ZEROS) & keep;
        if (digits.wrapping_add(OVER_NINE) | digits) & TOP_BITS != 0 {
            return self.any_number(end, length);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
        i32::try_from(low_half(fours.wrapping_mul(10_000).wrapping_add(fours >> 32))).ok()
    }

    #[cold]
    #[inline(never)]
    fn any_pair(self, first: (usize, usize), second: (usize, usize)) -> Option<[i32; 2]> {
        Some([self.any_number(first.0, first.1)?, self.any_number(second.0, second.1)?])
    }

    /// A number with a sign, or of more digits.
    #[cold]
    #[inline(never)]
    fn any_number(self, end: usize, length: usize) -> Option<i32> {
        let word = self.bytes.get(BEFORE + end.checked_sub(length)?..BEFORE + end)?;
        let mut at = Cursor::new(word);
        let number = at.signed().filter(|_| at.is_empty() && word.len() <= 18)?;
        i32::try_from(number).ok()
    }

    /// `(m:ss)` or `(m:ss.mmm)`: milliseconds, and whether there is a fraction.
    #[inline(always)]
    fn elapsed(&mut self) -> Option<(u32, bool)> {
        let (end, length) = self.step();
        let (minutes, [tens, ones], fraction) = match (length, self.back::<10>(end)?) {
            (10, &[b'(', minutes, b':', tens, ones, b'.', ref fraction @ .., b')']) => {
                (minutes, [tens, ones], Some(fraction))
            }
            (6, &[_, _, _, _, b'(', minutes, b':', tens, ones, b')']) => (minutes, [tens, ones], None),
            _ => return None,
        };
        let seconds = digit(minutes)? * 60 + digit(tens)? * 10 + digit(ones)?;
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

/// Where the blanks are, a bit each. Written so that the compiler compares many bytes at once.
#[inline(always)]
fn blanks(window: &[u8; WINDOW]) -> u64 {
    let mut bits = [0_u8; WINDOW];
    for (at, (bit, byte)) in bits.iter_mut().zip(window).enumerate() {
        *bit = if *byte == b' ' { 1 << (at % 8) } else { 0 };
    }
    let mut mask = [0_u8; 8];
    for (to, from) in mask.iter_mut().zip(bits.as_chunks::<8>().0) {
        *to = from.iter().fold(0, |sum: u8, bit| sum.wrapping_add(*bit));
    }
    u64::from_le_bytes(mask)
}
