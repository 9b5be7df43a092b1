//! `<12>`: one board per line.

mod fast_line;
mod fields;
mod numbers;
mod text;

use std::fmt;

use thiserror::Error;

use self::fields::NumberedWords;
pub(crate) use self::numbers::LastMoveNumbers;
pub use self::numbers::{BoardNumbers, Relation};
use self::text::{BoardText, MAX_INLINE_BYTES, Word};
use super::fields::{ClockReading, GameId, parse_whole, read_duration_ms};
use crate::chess::{Board, CastlingRights, Color, Hands, LastMove, Role};
use crate::text::{Handle, ServerText, decode_received, encode_as_received};

/// A board as the server prints it after each ply.
///
/// It is a view of its line: numbers are parsed once, squares and words on demand. Style 10 boards and delta boards
/// are converted to this form.
///
/// `Display` writes the line that a server would send, from which [`parse`](Self::parse) returns an equal board: `{}` with clocks
/// in milliseconds; `{:#}` in whole seconds, rounded down, as servers do without the ivar `ms`. Fields from 30 on are omitted
/// from the first unknown one on. The line of a board that [is cut](Self::is_cut) ends with field 28.
///
/// Source: FICS and ICC help files `style12`. The field numbers below are those of FICS, where the tag is field 0.
#[derive(Clone)]
pub struct Style12 {
    numbers: BoardNumbers,
    text: BoardText,
}

/// The last move of a position that was computed rather than received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerivedMove<'a> {
    /// The move; the squares of castling are not stored in the board.
    pub(crate) played: LastMove,
    /// The pretty form (`Nbd7+`) in Latin-1; empty if it is not known.
    pub(crate) san: &'a [u8],
    /// Time the move took, in milliseconds; `None` if it is not known.
    pub(crate) elapsed_ms: Option<u32>,
}

/// A move as a board line reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportedMove {
    /// The verbose form as received: `P/e2-e4`, `o-o`, `P/@@-e4`.
    pub verbose: ServerText,
    /// The pretty form as received: `e4`, `Nbd7+`. Not always standard notation. `None` if the server cut the line.
    pub san: Option<ServerText>,
    /// The parsed verbose form; `None` if the form is unknown.
    pub played: Option<LastMove>,
    /// Time the move took, in milliseconds; `None` if the field is not a valid time, or if the server cut the line.
    pub elapsed_ms: Option<u32>,
}

/// Why a style 12 line was refused. Fields are numbered from 0, the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Style12Error {
    /// The line ends before this field.
    #[error("style 12 line has no field {0}")]
    Missing(u8),
    /// The field holds something the help file does not list.
    #[error("style 12 field {0} is not valid")]
    Invalid(u8),
}

impl Style12 {
    /// Parses a line that starts with its tag: 30 words or more, separated by blanks; the blank after the tag may be
    /// missing.
    ///
    /// Clocks are in milliseconds if the elapsed time (field 28) has a fraction, else in seconds. A double-push file out of range
    /// is treated as none, a negative half-move clock as 0, any half-move clock without a last move as 0, and move number 0 as 1.
    /// If field 30 or a later one is missing or invalid, the accessors of it and of those after it return `None`. Words after the
    /// last known one are ignored, as servers append to the line.
    ///
    /// # Errors
    ///
    /// [`Style12Error`] with the number of a field that is missing or invalid, usually the first one. An invalid square in any
    /// rank is reported as field 8, and a clock out of range only if no other field is missing or invalid.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Result<Self, Style12Error> {
        let mut board = Self::default();
        board.overwrite_from_line(line)?;
        Ok(board)
    }

    /// Parses a line as [`parse`](Self::parse) does, and replaces this board by the result. After an error, the content of the
    /// board is unspecified.
    pub(super) fn overwrite_from_line(&mut self, line: &[u8]) -> Result<(), Style12Error> {
        if !self.overwrite_from_usual_line(line) {
            *self = Self::parse_word_by_word(line)?;
        }
        Ok(())
    }

    /// Replaces this board by that of a line in the usual form, and returns whether the line has that form. If not, the content
    /// of the board is unspecified, and [`parse_word_by_word`](Self::parse_word_by_word) has to parse the line.
    fn overwrite_from_usual_line(&mut self, line: &[u8]) -> bool {
        let mut stream = [0; MAX_INLINE_BYTES];
        let Some((start, [end, ..])) = stream.split_at_mut_checked(line.len()) else { return false };
        start.copy_from_slice(line);
        *end = b'\n';
        fast_line::read_into(&stream, self) == Some(line.len())
    }

    /// Replaces this board by that of the line at the start of `stream`, which ends at the first control byte. Returns the length
    /// of the line in bytes; `None` if `stream` is shorter than [`MAX_INLINE_BYTES`], or if the line does not have the usual
    /// form, in which case the content of the board is unspecified.
    #[inline]
    pub(super) fn overwrite_from_stream_start(&mut self, stream: &[u8]) -> Option<usize> {
        fast_line::read_into(stream.first_chunk()?, self)
    }

    /// Parses a line of any form. Only this parser reports errors;
    /// [`overwrite_from_usual_line`](Self::overwrite_from_usual_line) leaves every line of another form to it.
    #[cold]
    fn parse_word_by_word(line: &[u8]) -> Result<Self, Style12Error> {
        let mut at = NumberedWords { rest: line.strip_prefix(b"<12>").ok_or(Style12Error::Invalid(0))?, next: 1 };
        let board = at.next_board()?;
        Self::parse_after_squares(&board, at)
    }

    /// Parses a line that the server may have cut within fields 28 to 30. The last word of a cut line is ignored, because it may
    /// be incomplete, unless it is an elapsed time with both brackets. Fields that are missing are unknown; a promotion that
    /// field 27 does not show is taken from the squares.
    ///
    /// # Errors
    ///
    /// [`Style12Error`] if a field up to 27 is missing or invalid. Its number may be too high, because placeholders replace the
    /// missing fields.
    pub(super) fn parse_cut(line: &[u8]) -> Result<Self, Style12Error> {
        // A line that has field 30 was not cut, even if a continuation mark follows it.
        if let Ok(whole) = Self::parse(line)
            && whole.flip().is_some()
        {
            return Ok(whole);
        }
        let end = if line.ends_with(b")") { Some(line.len()) } else { memchr::memrchr(b' ', line) };
        let words = end.and_then(|end| line.get(..end)).unwrap_or_default();
        // The placeholders for the missing words are neither a time nor a move.
        let missing: &[u8] = if words.ends_with(b")") { b" ?" } else { b" ? ?" };
        let Self { mut numbers, text } = Self::parse_word_by_word(&[words, missing].concat())?;
        let board = Board::from_spaced_rows(text.squares());
        numbers.is_cut = true;
        if let Some(last) = &mut numbers.last_move {
            last.played = last.played.map(|played| with_missing_promotion(&board, played));
        }
        let [white, black, verbose] = [Word::White, Word::Black, Word::Verbose].map(|word| text.word(word));
        Ok(Self { numbers, text: BoardText::new(&board, [white, black, verbose, b""]) })
    }

    /// Parses the fields from 9 on, at which `at` has to be, to a board with these squares.
    fn parse_after_squares(board: &Board, mut at: NumberedWords<'_>) -> Result<Self, Style12Error> {
        let side_to_move = at.next_side()?;
        let double_push_file = u8::try_from(at.next_number()?).ok().filter(|file| *file < 8);
        let castling = CastlingRights::from_flags([at.next_flag()?, at.next_flag()?, at.next_flag()?, at.next_flag()?]);
        let halfmove_clock = at.next_number()?;
        let game = GameId(at.next_fitting_number()?);
        let (white, black) = (at.next_word()?, at.next_word()?);
        let relation = Relation::from_code(at.next_fitting_number()?);
        let (initial_min, increment_s) = (at.next_fitting_number()?, at.next_fitting_number()?);
        let (white_material, black_material) = (at.next_fitting_number()?, at.next_fitting_number()?);
        let (white_clock, black_clock) = (at.next_number()?, at.next_number()?);
        // A 0 counts as 1, where the move numbers of FEN start.
        let move_number = at.next_fitting_number::<u32>()?.max(1);
        let (verbose, elapsed, san) = (at.next_word()?, at.next_word()?, at.next_word()?);
        let is_move = !verbose.eq_ignore_ascii_case(b"none");
        let has_fraction = elapsed.contains(&b'.');
        let numbers = BoardNumbers {
            white_clock: ClockReading::from_board_field(white_clock, has_fraction).ok_or(Style12Error::Invalid(24))?,
            black_clock: ClockReading::from_board_field(black_clock, has_fraction).ok_or(Style12Error::Invalid(25))?,
            game,
            relation,
            halfmove_clock: corrected_halfmove_clock(halfmove_clock, is_move),
            initial_min,
            increment_s,
            white_material,
            black_material,
            move_number,
            last_move: is_move.then(|| LastMoveNumbers {
                played: LastMove::parse_verbose(verbose, san, !side_to_move),
                elapsed_ms: parse_elapsed_ms(elapsed),
            }),
            side_to_move,
            double_push_file,
            castling,
            flip: at.next_number().ok().map(|flip| flip != 0),
            clock_running: at.next_number().ok().map(|running| running != 0),
            lag_ms: at.next_number().ok().and_then(|lag| i32::try_from(lag).ok()),
            is_cut: false,
            reserves: None,
        };
        Ok(Self { numbers, text: BoardText::new(board, [white, black, verbose, san]) })
    }

    /// Creates a board from the squares of a style 10 block and its words, which are the same as style 12 fields from 9 on.
    pub(crate) fn from_style10(board: &Board, words: &[u8]) -> Result<Self, Style12Error> {
        Self::parse_after_squares(board, NumberedWords { rest: words, next: 9 })
    }

    /// Creates a board without a last move.
    pub fn new(numbers: BoardNumbers, board: &Board, white: &Handle, black: &Handle) -> Self {
        let [white, black] = [white, black].map(|name| encode_as_received(name.as_str()));
        let numbers = BoardNumbers { last_move: None, ..numbers };
        Self { numbers, text: BoardText::new(board, [&white, &black, b"", b""]) }
    }

    /// Returns the board with this last move, which led to its position and took this time. `san` is the pretty form.
    #[must_use]
    pub fn with_last_move(mut self, played: LastMove, san: &str, elapsed_ms: u32) -> Self {
        let last_move = DerivedMove { played, san: &encode_as_received(san), elapsed_ms: Some(elapsed_ms) };
        self.replace_position(&self.board(), Some(last_move));
        self
    }

    /// Replaces squares and last move, and drops the line. Marks the board as cut if it has a last move without `san`. Returns
    /// the numeric fields for modification: apart from these two, they are still those of the previous position.
    pub(crate) fn replace_position(&mut self, board: &Board, last_move: Option<DerivedMove<'_>>) -> &mut BoardNumbers {
        let verbose = last_move.map(|last| last.played.to_verbose()).unwrap_or_default();
        let san = last_move.map_or(&b""[..], |last| last.san);
        self.text.set_squares_and_move(board, [&verbose, san]);
        self.numbers.last_move = last_move.map(|DerivedMove { played, elapsed_ms, .. }| {
            let played = match played {
                LastMove::Castle { side, .. } => LastMove::Castle { side, king_from: None, rook_from: None },
                other => other,
            };
            LastMoveNumbers { played: Some(played), elapsed_ms }
        });
        self.numbers.is_cut = last_move.is_some() && san.is_empty();
        &mut self.numbers
    }

    /// Returns a board with the same squares and words of the last move, but other numbers and names. It has no line.
    pub(crate) fn with_numbers_and_names(&self, numbers: BoardNumbers, white: &Handle, black: &Handle) -> Self {
        let [white, black] = [white, black].map(|name| encode_as_received(name.as_str()));
        let [verbose, san] = [Word::Verbose, Word::San].map(|word| self.text.word(word));
        Self { numbers, text: BoardText::new(&self.board(), [&white, &black, verbose, san]) }
    }

    /// Returns the numeric fields.
    pub(crate) const fn numbers(&self) -> &BoardNumbers {
        &self.numbers
    }

    /// Returns the numeric fields for modification, and drops the line, which may no longer match them.
    pub(crate) fn numbers_mut_dropping_line(&mut self) -> &mut BoardNumbers {
        self.text.forget_line();
        &mut self.numbers
    }

    /// Stores the reserves of the position. The line stays.
    pub(crate) const fn set_reserves(&mut self, reserves: Option<Hands>) {
        self.numbers.reserves = reserves;
    }

    /// Returns whether the position has a last move; `false` at the start of a game.
    pub(crate) const fn has_last_move(&self) -> bool {
        self.numbers.last_move.is_some()
    }

    /// Returns the line or lines that the board was parsed from; `None` if it was derived or changed, or if the line is not a
    /// usual one and [`set_line`](Self::set_line) has not stored it yet.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        self.text.line()
    }

    /// Stores the line that this board was parsed from. Squares and words are copied to separate allocations.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        self.text.set_line(line);
    }

    /// Returns the squares as in a line: eight letters for each rank, the eighth rank first, each followed by a blank.
    pub(crate) fn squares_text(&self) -> &[u8; 72] {
        self.text.squares()
    }

    /// Returns whether both boards have the same pieces on the same squares.
    pub(crate) fn has_same_squares(&self, other: &Self) -> bool {
        self.text.squares() == other.text.squares()
    }

    /// Returns whether the decoded names of White and of Black are equal in both boards; letter case matters.
    pub(crate) fn has_same_players(&self, other: &Self) -> bool {
        let names = self.text.white_length_and_names();
        (names.is_some() && names == other.text.white_length_and_names())
            || [Word::White, Word::Black].into_iter().all(|name| self.has_same_word(other, name))
    }

    /// Returns whether both boards have the same players. Ignores case, because a server may spell a name in two ways.
    pub(crate) fn has_same_player_names(&self, other: &Self) -> bool {
        Color::BOTH.into_iter().all(|color| self.player(color) == other.player(color))
    }

    /// Returns whether the decoded word is equal in both boards.
    fn has_same_word(&self, other: &Self, word: Word) -> bool {
        let (word, other) = (self.text.word(word), other.text.word(word));
        word == other || decode_received(word) == decode_received(other)
    }
}

impl ReportedMove {
    /// Returns the pretty form; the verbose form if the server cut the line before the pretty one.
    pub fn text(&self) -> &str {
        self.san.as_ref().unwrap_or(&self.verbose).as_str()
    }
}

impl Style12 {
    /// The default board. A constant, because every new board begins as a copy of it.
    const START: Self = Self { numbers: BoardNumbers::START, text: BoardText::START };
}

impl Default for Style12 {
    /// Returns the start position with empty names, game 0, clocks at 0, and the relation [`Isolated`](Relation::Isolated).
    fn default() -> Self {
        Self::START
    }
}

/// Boards are equal if their fields and words are; lines may differ in the blanks between them, and reserves are not compared.
impl PartialEq for Style12 {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |board: &Self| BoardNumbers { reserves: None, ..board.numbers };
        let has_same_move = || [Word::Verbose, Word::San].into_iter().all(|word| self.has_same_word(other, word));
        numbers(self) == numbers(other)
            && self.has_same_squares(other)
            && self.has_same_players(other)
            && (self.numbers.last_move.is_none() || has_same_move())
    }
}

impl Eq for Style12 {}

#[expect(clippy::missing_fields_in_debug, reason = "the other fields repeat the text")]
impl fmt::Debug for Style12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Style12")
            .field("board", &self.board())
            .field("white", &self.white())
            .field("black", &self.black())
            .field("last_move", &self.last_move())
            .field("numbers", &self.numbers)
            .finish()
    }
}

/// Adds the promotion to a pawn move without one, if a piece other than a pawn is on its target square after the move. Other
/// moves do not change.
fn with_missing_promotion(after: &Board, mut played: LastMove) -> LastMove {
    if let LastMove::Normal { role: Role::Pawn, to, promotion: promotion @ None, .. } = &mut played {
        *promotion = after.piece(*to).map(|piece| piece.role).filter(|role| *role != Role::Pawn);
    }
    played
}

/// Parses field 28, `(0:06.123)`, as milliseconds; each bracket may be missing. `None` if the word is not a time.
fn parse_elapsed_ms(word: &[u8]) -> Option<u32> {
    let word = word.strip_prefix(b"(").unwrap_or(word);
    let word = word.strip_suffix(b")").unwrap_or(word);
    parse_whole(word, read_duration_ms)
}

/// Corrects field 15: negative numbers, which some servers send after a takeback, become 0, and so does any number without a last
/// move (FICS has sent 1 for a start position).
fn corrected_halfmove_clock(halfmove_clock: i64, has_last_move: bool) -> u32 {
    if has_last_move { u32::try_from(halfmove_clock.max(0)).unwrap_or(u32::MAX) } else { 0 }
}

#[cfg(test)]
mod tests;
