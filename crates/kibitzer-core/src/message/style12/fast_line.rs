//! Fast parser of the usual style 12 line.
//!
//! Nearly every board line has the same form: single blanks, short words, numbers of up to 8 digits. This parser does not examine
//! each byte of such a line: one pass finds its blanks and its end as bit masks, numbers are computed from 4 or 8 bytes at once,
//! and of the words only the positions are stored. It refuses any other line without an error; the word-by-word parser then parses
//! it. A property test and a fuzz target compare the two.
#![expect(
    clippy::inline_always,
    reason = "measured: otherwise the compiler inlines only half of these, which takes twice the time"
)]

use super::text::{BoardText, MAX_INLINE_BYTES, SQUARES_END};
use super::{LastMoveNumbers, Relation, Style12, corrected_halfmove_clock};
use crate::chess::{CastlingRights, Color, LastMove};
use crate::message::fields::{ClockReading, GameId};
use crate::scan::{Cursor, masks};

/// Parses the line at the start of a stream, up to its first control byte, into `board`, and returns the line's length in bytes.
/// `None` if the line does not have the usual form; the content of `board` is then unspecified.
#[inline(always)]
pub(super) fn read_into(stream: &[u8; MAX_INLINE_BYTES], board: &mut Style12) -> Option<usize> {
    has_legal_squares(stream.first_chunk()?).then_some(())?;
    let rest: &[u8; 131] = stream.last_chunk()?;
    let (side_to_move, double_push_file, flags_start) = match *rest {
        [side, b' ', b'-', b'1', b' ', ..] => (side_from_letter(side)?, None, 5),
        [side, b' ', file @ b'0'..=b'7', b' ', ..] => (side_from_letter(side)?, Some(file - b'0'), 4),
        _ => return None,
    };
    let numbers = &mut board.numbers;
    numbers.side_to_move = side_to_move;
    numbers.double_push_file = double_push_file;
    numbers.is_cut = false;
    numbers.reserves = None;
    numbers.castling = castling_from_flags(*rest.get(flags_start..)?.first_chunk()?)?;
    let (ends, length) = word_ends_and_line_length(rest.first_chunk()?)?;

    let mut at = BlockWords::new(stream, ends, SQUARES_END + flags_start + 8);
    let halfmove_clock = at.next_short_number()?;
    numbers.game = GameId(i32::try_from(at.next_number()?).ok()?);
    let white = at.next_word_range();
    let black = at.next_word_range();

    at.continue_in_next_block(ends)?;
    numbers.relation = Relation::from_code(at.next_digit_with_sign()?);
    numbers.initial_min = at.next_short_number()?;
    numbers.increment_s = at.next_short_number()?;
    numbers.white_material = at.next_short_number()?.cast_signed();
    numbers.black_material = at.next_short_number()?.cast_signed();
    let (white_clock, black_clock) = (at.next_number()?, at.next_number()?);
    numbers.move_number = at.next_short_number()?.max(1);
    let verbose = at.next_word_range();

    at.continue_in_next_block(ends)?;
    let (elapsed_ms, has_fraction) = at.next_elapsed()?;
    numbers.white_clock = ClockReading::from_board_field(white_clock, has_fraction)?;
    numbers.black_clock = ClockReading::from_board_field(black_clock, has_fraction)?;
    let san = at.next_word_range();
    numbers.flip = Some(at.next_flag()?);
    (numbers.clock_running, numbers.lag_ms) =
        if at.is_over() { (None, None) } else { (Some(at.next_flag()?), Some(i32::try_from(at.next_number()?).ok()?)) };
    (at.is_over() && at.start == length + 1 && at.invalid_bits & TOP_BITS == 0 && at.length_bits < 4).then_some(())?;

    let word = |[start, end]: [u8; 2]| stream.get(usize::from(start)..usize::from(end)).unwrap_or_default();
    let played = match word(verbose) {
        b"none" => None,
        verbose => {
            let usual = verbose.try_into().ok().and_then(|verbose| LastMove::parse_plain(verbose, !side_to_move));
            Some(usual.or_else(|| LastMove::parse_verbose(verbose, word(san), !side_to_move))?)
        }
    };
    numbers.last_move = played.map(|_| LastMoveNumbers { played, elapsed_ms: Some(elapsed_ms) });
    numbers.halfmove_clock = corrected_halfmove_clock(halfmove_clock.into(), numbers.last_move.is_some());
    board.text = BoardText::from_usual_line(stream, low_byte(length), [white, black, verbose, san]);
    Some(length)
}

/// Returns the color for `W` or `B`.
#[inline(always)]
const fn side_from_letter(letter: u8) -> Option<Color> {
    match letter {
        b'W' => Some(Color::White),
        b'B' => Some(Color::Black),
        _ => None,
    }
}

/// The first 64 bytes of a line: the tag and the rows, with a blank after each. Zero bytes stand for the squares.
const FORM: [[u8; 16]; 4] = [
    *b"<12> \0\0\0\0\0\0\0\0 \0\0",
    *b"\0\0\0\0\0\0 \0\0\0\0\0\0\0\0 ",
    *b"\0\0\0\0\0\0\0\0 \0\0\0\0\0\0\0",
    *b"\0 \0\0\0\0\0\0\0\0 \0\0\0\0\0",
];
/// The last sixteen bytes of the tag and rows, which overlap with [`FORM`].
const FORM_END: [[u8; 16]; 1] = [*b"\0\0\0\0\0\0 \0\0\0\0\0\0\0\0 "];

/// Returns whether a line starts with the tag and eight rows of legal squares, each followed by a blank.
#[inline(always)]
fn has_legal_squares(head: &[u8; SQUARES_END]) -> bool {
    let (Some(sixteens), Some(last)) = (head.as_chunks().0.first_chunk(), head.last_chunk()) else { return false };
    masks::matches_board_template(sixteens, &FORM) & masks::matches_board_template(&[*last], &FORM_END)
}

/// Parses four flags, each `0 ` or `1 `, as castling rights; `None` for any other text.
#[inline(always)]
fn castling_from_flags(text: [u8; 8]) -> Option<CastlingRights> {
    let flags = u64::from_le_bytes(text) ^ u64::from_le_bytes(*b"0 0 0 0 ");
    let [white_short, _, white_long, _, black_short, _, black_long, _] = flags.to_le_bytes();
    (flags & !0x0001_0001_0001_0001 == 0)
        .then(|| CastlingRights::from_flags([white_short, white_long, black_short, black_long]))
}

/// Returns a mask with a bit for each byte after a word, counted from `SQUARES_END`, and the length of the line in bytes. `None`
/// if a blank follows another one or ends the line, or if the line does not end within these 128 bytes.
#[inline(always)]
fn word_ends_and_line_length(rest: &[u8; 128]) -> Option<(u128, usize)> {
    let (first, second) = (rest.first_chunk()?, rest.last_chunk()?);
    let controls =
        u128::from(masks::mask_of_controls_and_iac(first)) | u128::from(masks::mask_of_controls_and_iac(second)) << 64;
    let blanks = u128::from(masks::mask_of_byte(first, b' ')) | u128::from(masks::mask_of_byte(second, b' ')) << 64;
    let end = controls & controls.wrapping_neg();
    let ends = blanks & end.wrapping_sub(1) | end;
    let is_usual = end != 0 && ends & (ends >> 1) == 0;
    is_usual.then(|| (ends, SQUARES_END + to_index(controls.trailing_zeros())))
}

const TOP_BITS: u32 = 0x8080_8080;
const ZEROS: u32 = 0x3030_3030;
/// Adding this to a byte of value 10 or more sets its top bit.
const OVER_NINE: u32 = 0x7676_7676;

/// A cursor over the words in 64 bytes of a line. Each `next_x` consumes one word. Some record an invalid word in `invalid_bits` or
/// `length_bits` instead of returning `None`, so that the caller checks them once at the end.
#[derive(Clone, Copy)]
struct BlockWords<'a> {
    stream: &'a [u8; MAX_INLINE_BYTES],
    /// Position of the first byte of these words in the line.
    base: usize,
    /// A bit for the end of each word that is left, counted from `base`.
    ends: u64,
    /// Position of the next word in the line.
    start: usize,
    /// A byte's top bit is set if a short number or an elapsed time had an invalid byte.
    invalid_bits: u32,
    /// At least 4 if a short number had no byte, or more than four.
    length_bits: usize,
}

impl<'a> BlockWords<'a> {
    /// Creates a cursor over the words in the 64 bytes from `base` on. `all_ends` are those of [`word_ends_and_line_length`].
    #[inline(always)]
    fn new(stream: &'a [u8; MAX_INLINE_BYTES], all_ends: u128, base: usize) -> Self {
        Self {
            stream,
            base,
            ends: low_64(all_ends >> (base - SQUARES_END)),
            start: base,
            invalid_bits: 0,
            length_bits: 0,
        }
    }

    /// Moves on to the 64 bytes that start with the next word. `None`, for a line that is not in the usual form, if the last word did
    /// not end within the current 64 bytes, or if the next one starts 128 bytes or more after the squares.
    #[inline(always)]
    fn continue_in_next_block(&mut self, all_ends: u128) -> Option<()> {
        (self.start <= self.base + 64 && self.start < SQUARES_END + 128).then_some(())?;
        *self = Self {
            invalid_bits: self.invalid_bits,
            length_bits: self.length_bits,
            ..Self::new(self.stream, all_ends, self.start)
        };
        Some(())
    }

    /// Returns whether no word is left in these 64 bytes.
    #[inline(always)]
    const fn is_over(&self) -> bool {
        self.ends == 0
    }

    /// Consumes the next word; returns the position of its end in the line, and its length. Without a word left in these 64
    /// bytes, the end is 64 bytes after `base`.
    #[inline(always)]
    fn next_end_and_length(&mut self) -> (usize, usize) {
        let end = self.base + to_index(self.ends.trailing_zeros());
        let length = end.wrapping_sub(self.start);
        self.ends &= self.ends.wrapping_sub(1);
        self.start = end + 1;
        (end, length)
    }

    /// Consumes the next word, and returns its start and end in the line.
    #[inline(always)]
    fn next_word_range(&mut self) -> [u8; 2] {
        let start = self.start;
        let (end, _) = self.next_end_and_length();
        [low_byte(start), low_byte(end)]
    }

    /// Consumes the next word; returns the `N` bytes before its end, and its length. If the word is shorter, the first of these bytes
    /// are from the text before it.
    #[inline(always)]
    fn next_word_tail<const N: usize>(&mut self) -> Option<(&'a [u8; N], usize)> {
        let (end, length) = self.next_end_and_length();
        Some((self.stream.get(..end)?.last_chunk()?, length))
    }

    /// Consumes the next word, and parses it as a number of one to four digits. For any other word, the number is unspecified and
    /// `invalid_bits` or `length_bits` records the error. `None` if the word ends outside of the stored bytes.
    #[inline(always)]
    fn next_short_number(&mut self) -> Option<u32> {
        let (tail, length) = self.next_word_tail()?;
        let keep = u32::MAX.wrapping_shl(low_32(length).wrapping_mul(8).wrapping_neg());
        let digits = (u32::from_le_bytes(*tail) ^ ZEROS) & keep;
        self.invalid_bits |= digits.wrapping_add(OVER_NINE) | digits;
        self.length_bits |= length.wrapping_sub(1);
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff;
        Some(pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0xffff)
    }

    /// Consumes the next word, and parses it as a number of up to 18 bytes with an optional minus sign; numbers of up to 8 digits are
    /// parsed without a loop.
    #[inline(always)]
    fn next_number(&mut self) -> Option<i64> {
        const WIDE: u64 = 0x0000_0001_0000_0001;
        let (tail, length) = self.next_word_tail()?;
        let keep = u64::MAX.wrapping_shl(low_32(length).wrapping_mul(8).wrapping_neg());
        let digits = (u64::from_le_bytes(*tail) ^ (WIDE * u64::from(ZEROS))) & keep;
        let has_other_bytes =
            (digits.wrapping_add(WIDE * u64::from(OVER_NINE)) | digits) & (WIDE * u64::from(TOP_BITS)) != 0;
        if has_other_bytes || length > 8 {
            return self.parse_consumed_number(length);
        }
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
        Some((fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff).cast_signed())
    }

    /// Parses the word of `length` bytes that was consumed last as a number of up to 18 bytes with an optional minus sign.
    #[cold]
    #[inline(never)]
    fn parse_consumed_number(self, length: usize) -> Option<i64> {
        let end = self.start.checked_sub(1)?;
        let word = self.stream.get(end.checked_sub(length)?..end)?;
        let mut at = Cursor::new(word);
        at.signed().filter(|_| at.is_empty() && word.len() <= 18)
    }

    /// Consumes the next word, and parses it as one digit with an optional minus sign.
    #[inline(always)]
    fn next_digit_with_sign(&mut self) -> Option<i8> {
        let (&[sign, last], length) = self.next_word_tail()?;
        let value = i8::try_from(digit_value(last)?).ok()?;
        match (length, sign) {
            (1, _) => Some(value),
            (2, b'-') => Some(-value),
            _ => None,
        }
    }

    /// Consumes the next word, and parses it as one digit; returns whether it is not 0.
    #[inline(always)]
    fn next_flag(&mut self) -> Option<bool> {
        let (&[last], length) = self.next_word_tail()?;
        (length == 1).then_some(digit_value(last)? != 0)
    }

    /// Consumes the next word, and parses `(m:ss)` or `(m:ss.mmm)` with one or two digits of minutes; returns milliseconds, and
    /// whether there is a fraction. `invalid_bits` may record an error.
    #[inline(always)]
    fn next_elapsed(&mut self) -> Option<(u32, bool)> {
        const NOTHING: [u8; 4] = *b".000";
        let (tail, length) = self.next_word_tail::<11>()?;
        let has_fraction = length >= 10;
        let (before, clock, fraction) = match *tail {
            [first, second, minutes, colon, tens, ones, point, tenths, hundredths, last, b')'] if has_fraction => {
                ([first, second], [minutes, colon, tens, ones], [point, tenths, hundredths, last])
            }
            [.., first, second, minutes, colon, tens, ones, b')'] => {
                ([first, second], [minutes, colon, tens, ones], NOTHING)
            }
            _ => return None,
        };
        let ten_minutes = match (length, before) {
            (6 | 10, [_, b'(']) => 0,
            (7 | 11, [b'(', ten]) => digit_value(ten)?,
            _ => return None,
        };
        let [minutes, _, tens, ones] = self.digits_as_in(clock, *b"0:00");
        let [_, tenths, hundredths, last] = self.digits_as_in(fraction, NOTHING);
        let seconds = (ten_minutes * 10 + minutes) * 60 + tens * 10 + ones;
        Some((seconds * 1000 + tenths * 100 + hundredths * 10 + last, has_fraction))
    }

    /// Parses four bytes by a form: returns the value of the digit where the form has `b'0'`, and 0 where the byte equals that of the
    /// form. Any other byte sets bits in `invalid_bits`, and its value is unspecified.
    #[inline(always)]
    fn digits_as_in(&mut self, bytes: [u8; 4], form: [u8; 4]) -> [u32; 4] {
        let digits = u32::from_le_bytes(bytes) ^ u32::from_le_bytes(form);
        // Where a form has no zero, anything but 0 is too much.
        let most = form.map(|byte| if byte == b'0' { 0x76 } else { 0x7f });
        self.invalid_bits |= digits.wrapping_add(u32::from_le_bytes(most)) | digits;
        digits.to_le_bytes().map(u32::from)
    }
}

/// Returns the value of a decimal digit; `None` for any other byte.
#[inline(always)]
fn digit_value(byte: u8) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u32::from(digit))
}

/// Converts a bit position to an index.
#[inline(always)]
fn to_index(bit_position: u32) -> usize {
    usize::try_from(bit_position).unwrap_or_default()
}

/// Returns the lower 64 bits of a number.
#[inline(always)]
fn low_64(wide: u128) -> u64 {
    wide.to_le_bytes().first_chunk().map_or(0, |low| u64::from_le_bytes(*low))
}

/// Returns the lower 32 bits of a number.
#[inline(always)]
fn low_32(wide: usize) -> u32 {
    wide.to_le_bytes().first_chunk().map_or(0, |low| u32::from_le_bytes(*low))
}

/// Returns the lower 8 bits of a position, which are all of it in a line of the usual form.
#[inline(always)]
const fn low_byte(position: usize) -> u8 {
    let [byte, ..] = position.to_le_bytes();
    byte
}
