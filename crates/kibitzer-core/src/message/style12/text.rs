//! The text of a board, from which squares and words are parsed on demand.

use crate::chess::Board;

/// Longest usual line with its line end, in bytes; one of FICS with two 17-letter names has 195.
pub(super) const MAX_INLINE_BYTES: usize = 208;

/// Position of the squares in a line, after the tag and a blank.
pub(super) const SQUARES_START: usize = 5;
/// End of the squares: the position after the blank that follows the last row.
pub(super) const SQUARES_END: usize = SQUARES_START + 72;

/// The squares and words of a board, as received.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly every board is the large one")]
pub(super) enum BoardText {
    /// A line, or bytes with squares at the same position as in a line, followed by the words.
    Inline {
        /// Start and end of each word in `bytes`, in the order of [`Word`].
        word_ranges: [[u8; 2]; N_WORDS],
        /// Length of the line in bytes; 0 if the bytes are not a line.
        length: u8,
        bytes: [u8; MAX_INLINE_BYTES],
    },
    /// Squares and words that do not fit inline, or those of a line in another form.
    SeparateParts(Box<SeparateParts>),
}

/// The squares, the words and the line of a board, in allocations of their own.
#[derive(Clone)]
pub(super) struct SeparateParts {
    squares: [u8; 72],
    words: [Box<[u8]>; N_WORDS],
    /// The line; empty if there is none.
    line: Box<[u8]>,
}

/// The words that are not numbers, in the order of the line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    White,
    Black,
    Verbose,
    San,
}

const N_WORDS: usize = 4;

impl BoardText {
    /// The start position of chess, without words.
    pub(super) const START: Self = {
        let mut bytes = [0; MAX_INLINE_BYTES];
        if let Some(start) = bytes.first_chunk_mut() {
            *start = *b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR ";
        }
        Self::Inline { word_ranges: [[0; 2]; N_WORDS], length: 0, bytes }
    };

    /// Creates a text from a line of the usual form and the positions of its words. `length` is that of the line, at the start of
    /// `bytes`.
    #[expect(clippy::inline_always, reason = "measured: the bytes are copied once only if inlined")]
    #[inline(always)]
    pub(super) const fn from_usual_line(
        bytes: &[u8; MAX_INLINE_BYTES],
        length: u8,
        word_ranges: [[u8; 2]; N_WORDS],
    ) -> Self {
        Self::Inline { word_ranges, length, bytes: *bytes }
    }

    /// Creates a text without a line, inline if the words fit.
    pub(super) fn new(board: &Board, words: [&[u8]; N_WORDS]) -> Self {
        let squares = board.to_spaced_rows();
        Self::try_new_inline(&squares, words).unwrap_or_else(|| {
            Self::SeparateParts(Box::new(SeparateParts { squares, words: words.map(Box::from), line: Box::default() }))
        })
    }

    /// Replaces the squares and the words of the last move (verbose and pretty form), and drops the line. The names do not change.
    pub(super) fn set_squares_and_move(&mut self, board: &Board, last_move: [&[u8]; 2]) {
        if self.try_set_inline(board, last_move).is_none() {
            let [verbose, san] = last_move;
            *self = Self::new(board, [self.word(Word::White), self.word(Word::Black), verbose, san]);
        }
    }

    /// Replaces the squares and the words of the last move in place. `None` if the text is not inline or has a line, or if the
    /// words do not fit; in the last case, the words of the last move are unspecified afterwards.
    fn try_set_inline(&mut self, board: &Board, last_move: [&[u8]; 2]) -> Option<()> {
        let Self::Inline { word_ranges, length: 0, bytes } = self else { return None };
        let [_, [_, names_end], last_ranges @ ..] = word_ranges;
        let mut end = usize::from(*names_end);
        for (range, word) in last_ranges.iter_mut().zip(last_move) {
            *range = append_word(bytes, &mut end, word)?;
        }
        bytes.get_mut(SQUARES_START..SQUARES_END)?.copy_from_slice(&board.to_spaced_rows());
        Some(())
    }

    /// Creates a text with all parts inline; `None` if the words do not fit.
    fn try_new_inline(squares: &[u8; 72], words: [&[u8]; N_WORDS]) -> Option<Self> {
        let mut bytes = [0; MAX_INLINE_BYTES];
        bytes.get_mut(SQUARES_START..SQUARES_END)?.copy_from_slice(squares);
        let mut word_ranges = [[0; 2]; N_WORDS];
        let mut end = SQUARES_END;
        for (range, word) in word_ranges.iter_mut().zip(words) {
            *range = append_word(&mut bytes, &mut end, word)?;
        }
        Some(Self::Inline { word_ranges, length: 0, bytes })
    }

    /// Returns the line; `None` if the text was not parsed from a line or has changed since.
    pub(super) fn line(&self) -> Option<&[u8]> {
        match self {
            Self::Inline { length: 0, .. } => None,
            Self::Inline { length, bytes, .. } => bytes.get(..usize::from(*length)),
            Self::SeparateParts(apart) => (!apart.line.is_empty()).then_some(&*apart.line),
        }
    }

    /// Stores a line, and moves squares and words to separate allocations.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        let words = [Word::White, Word::Black, Word::Verbose, Word::San].map(|word| Box::from(self.word(word)));
        *self = Self::SeparateParts(Box::new(SeparateParts { squares: *self.squares(), words, line: line.into() }));
    }

    /// Drops the line; squares and words do not change.
    pub(super) fn forget_line(&mut self) {
        match self {
            Self::Inline { length, .. } => *length = 0,
            Self::SeparateParts(apart) => apart.line = Box::default(),
        }
    }

    /// Returns the squares: eight letters for each rank, the eighth rank first, each followed by a blank.
    pub(super) fn squares(&self) -> &[u8; 72] {
        match self {
            Self::Inline { bytes, .. } => bytes.get(SQUARES_START..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 72]),
            Self::SeparateParts(apart) => &apart.squares,
        }
    }

    /// Returns the length of White's name, and the bytes from its start to the end of Black's name, for a quick comparison; `None` if
    /// the words are not inline.
    pub(super) fn white_length_and_names(&self) -> Option<(u8, &[u8])> {
        let Self::Inline { word_ranges: [[start, white_end], [_, end], ..], bytes, .. } = self else { return None };
        Some((white_end.wrapping_sub(*start), bytes.get(usize::from(*start)..usize::from(*end))?))
    }

    /// Returns a word as received; empty if the board has none.
    pub(super) fn word(&self, word: Word) -> &[u8] {
        let index = word as usize;
        match self {
            Self::Inline { word_ranges, bytes, .. } => {
                let [start, end] = word_ranges.get(index).copied().unwrap_or_default();
                bytes.get(usize::from(start)..usize::from(end)).unwrap_or_default()
            }
            Self::SeparateParts(apart) => apart.words.get(index).map(AsRef::as_ref).unwrap_or_default(),
        }
    }
}

/// Writes a word at `end`, advances `end` past it, and returns the start and end of the word. `None` if it does not fit; `end` is
/// unspecified then.
fn append_word(bytes: &mut [u8; MAX_INLINE_BYTES], end: &mut usize, word: &[u8]) -> Option<[u8; 2]> {
    let start = *end;
    *end += word.len();
    bytes.get_mut(start..*end)?.copy_from_slice(word);
    Some([u8::try_from(start).ok()?, u8::try_from(*end).ok()?])
}
