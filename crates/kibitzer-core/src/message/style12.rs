//! `<12>`: one board per line.

mod fast_line;
mod fields;
mod text;

use std::fmt;

use thiserror::Error;

use self::fields::Fields;
use self::text::{BoardText, MAX_INLINE_BYTES, Word};
use super::clock::{ClockReading, read_duration_ms};
use super::rating::GameId;
use crate::chess::{Board, CastlingRights, Color, Fen, LastMove, Role};
use crate::scan::Cursor;
use crate::text::Handle;
use crate::text::{ServerText, decode, encode_latin_1};

/// A board as the server prints it after each ply.
///
/// It is a view of its line: numbers are parsed once, squares and words on demand. Style 10 boards and delta boards
/// are converted to this form.
///
/// Source: FICS and ICC help files `style12`. The field numbers below are those of FICS, where the tag is field 0.
#[derive(Clone)]
pub struct Style12 {
    numbers: BoardNumbers,
    text: BoardText,
}

/// The numeric fields of a board: everything but the squares, the names and the words of the last move. See the methods of
/// [`Style12`] for each field's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardNumbers {
    pub(crate) white_clock: ClockReading,
    pub(crate) black_clock: ClockReading,
    pub(crate) game: GameId,
    pub(crate) relation: Relation,
    pub(crate) halfmove_clock: u32,
    pub(crate) initial_min: u32,
    pub(crate) increment_s: u32,
    pub(crate) white_material: i32,
    pub(crate) black_material: i32,
    pub(crate) move_number: u32,
    pub(crate) lag_ms: Option<i32>,
    pub(crate) last_move: Option<LastMoveNumbers>,
    pub(crate) side_to_move: Color,
    pub(crate) double_push_file: Option<u8>,
    pub(crate) castling: CastlingRights,
    pub(crate) flip: Option<bool>,
    pub(crate) clock_running: Option<bool>,
    pub(crate) is_cut: bool,
}

/// The last move without its words: the parsed move, and the time it took in milliseconds; each `None` if unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastMoveNumbers {
    pub(crate) played: Option<LastMove>,
    pub(crate) elapsed_ms: Option<u32>,
}

/// The last move of a position that was computed rather than received in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerivedMove<'a> {
    pub(crate) played: LastMove,
    /// The pretty form as a server encodes it; empty if it is not known.
    pub(crate) san: &'a [u8],
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

/// Field 19: the role of this login in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Relation {
    /// −4: the start board inside a move list (FICS, `iset startpos 1`).
    ListedStart,
    /// −3: a board printed on request.
    Isolated,
    /// −2: this login observes an examined game.
    ObservingExamined,
    /// −1: this login plays, and it is the opponent's turn.
    OpponentsTurn,
    /// 0: this login observes a game being played.
    Observing,
    /// 1: this login plays, and it is its turn.
    MyTurn,
    /// 2: this login examines the game.
    Examining,
    /// A number that no server documents, as received.
    Other(i32),
}

impl Relation {
    /// Returns the number that the server sends for the relation.
    pub const fn code(self) -> i32 {
        match self {
            Self::ListedStart => -4,
            Self::Isolated => -3,
            Self::ObservingExamined => -2,
            Self::OpponentsTurn => -1,
            Self::Observing => 0,
            Self::MyTurn => 1,
            Self::Examining => 2,
            Self::Other(code) => code,
        }
    }

    /// Returns the relation for the server's number; [`Other`](Self::Other) if it is not one of −4 to 2.
    pub const fn from_code(code: i32) -> Self {
        match code {
            -4 => Self::ListedStart,
            -3 => Self::Isolated,
            -2 => Self::ObservingExamined,
            -1 => Self::OpponentsTurn,
            0 => Self::Observing,
            1 => Self::MyTurn,
            2 => Self::Examining,
            code => Self::Other(code),
        }
    }

    /// Returns whether this login is one of the players.
    pub const fn is_mine(self) -> bool {
        matches!(self, Self::OpponentsTurn | Self::MyTurn)
    }

    /// Returns whether this login observes the game, played or examined by others.
    pub const fn is_observer(self) -> bool {
        matches!(self, Self::Observing | Self::ObservingExamined)
    }

    /// Returns whether the board was printed on request or inside a list, so that it must not change a followed game.
    pub const fn is_isolated(self) -> bool {
        matches!(self, Self::ListedStart | Self::Isolated)
    }

    /// Returns whether the game is examined rather than played, by this login or by others.
    pub const fn is_examined(self) -> bool {
        matches!(self, Self::ObservingExamined | Self::Examining)
    }
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
    /// Clocks are in milliseconds if the elapsed time (field 28) has a fraction, else in seconds. A double-push file
    /// out of range is treated as none, a negative half-move clock as 0, and any half-move clock without a last move
    /// as 0. Words after the last known one are ignored, as servers append to the line; so are missing or invalid ones
    /// from field 30 on.
    ///
    /// # Errors
    ///
    /// [`Style12Error`] with the number of the first field that is missing or invalid.
    pub fn parse(line: &[u8]) -> Result<Self, Style12Error> {
        let mut board = Self::default();
        board.read_line(line)?;
        Ok(board)
    }

    /// Parses a line into this board, as [`parse`](Self::parse) does. After an error, the content of the board is unspecified.
    pub(super) fn read_line(&mut self, line: &[u8]) -> Result<(), Style12Error> {
        if self.read_fast_line(line).is_none() {
            *self = Self::parse_words(line)?;
        }
        Ok(())
    }

    /// Parses a line of the usual form. Returns `None` for any other line, which [`parse_words`](Self::parse_words) then has to
    /// parse; the content of this board is unspecified after that.
    fn read_fast_line(&mut self, line: &[u8]) -> Option<()> {
        let mut stream = [0; MAX_INLINE_BYTES];
        stream.get_mut(..line.len())?.copy_from_slice(line);
        *stream.get_mut(line.len())? = b'\n';
        (fast_line::read(&stream, self)? == line.len()).then_some(())
    }

    /// Parses the line at the start of a stream, up to the first control byte, and returns its length in bytes. Returns `None` if
    /// the line does not have the usual form; the content of this board is then unspecified.
    #[inline]
    pub(super) fn read_fast(&mut self, stream: &[u8]) -> Option<usize> {
        fast_line::read(stream.first_chunk()?, self)
    }

    /// Parses a line of any form word by word. This parser alone decides which error a line has.
    #[cold]
    fn parse_words(line: &[u8]) -> Result<Self, Style12Error> {
        let mut at = Fields { rest: line.strip_prefix(b"<12>").ok_or(Style12Error::Invalid(0))?, next: 1 };
        let board = at.board()?;
        Self::with_board(&board, at)
    }

    /// Parses a line that the server cut within fields 28 to 30. It needs 28 words or more; the last word counts only if it is an
    /// elapsed time with both brackets.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse); field 27 may be missing too.
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
        let Self { mut numbers, text } = Self::parse_words(&[words, missing].concat())?;
        let board = Board::from_spaced_rows(text.squares());
        numbers.is_cut = true;
        if let Some(last) = &mut numbers.last_move {
            last.played = last.played.map(|played| with_promotion_on(&board, played));
        }
        let [white, black, verbose] = [Word::White, Word::Black, Word::Verbose].map(|word| text.word(word));
        Ok(Self { numbers, text: BoardText::new(&board, [white, black, verbose, b""]) })
    }

    /// Parses the fields from 9 on, and combines them with the squares.
    fn with_board(board: &Board, mut at: Fields<'_>) -> Result<Self, Style12Error> {
        let side_to_move = at.side()?;
        let double_push_file = u8::try_from(at.number()?).ok().filter(|file| *file < 8);
        let castling = CastlingRights::from_flags([at.flag()?, at.flag()?, at.flag()?, at.flag()?]);
        let halfmove_clock = at.number()?;
        let game = GameId(at.small()?);
        let (white, black) = (at.word()?, at.word()?);
        let relation = Relation::from_code(at.small()?);
        let (initial_min, increment_s) = (at.small()?, at.small()?);
        let (white_material, black_material) = (at.small()?, at.small()?);
        let (white_clock, black_clock) = (at.number()?, at.number()?);
        // A 0 counts as 1, where the move numbers of FEN start.
        let move_number = at.small::<u32>()?.max(1);
        let (verbose, elapsed, san) = (at.word()?, at.word()?, at.word()?);
        let is_move = !verbose.eq_ignore_ascii_case(b"none");
        let unit = ClockUnit::of(elapsed);
        let numbers = BoardNumbers {
            white_clock: unit.reading(white_clock).ok_or(Style12Error::Invalid(24))?,
            black_clock: unit.reading(black_clock).ok_or(Style12Error::Invalid(25))?,
            game,
            relation,
            halfmove_clock: counted_plies(halfmove_clock, is_move),
            initial_min,
            increment_s,
            white_material,
            black_material,
            move_number,
            last_move: is_move.then(|| LastMoveNumbers {
                played: LastMove::parse_verbose(verbose, san, !side_to_move),
                elapsed_ms: read_elapsed(elapsed),
            }),
            side_to_move,
            double_push_file,
            castling,
            flip: at.optional().map(|flip| flip != 0),
            clock_running: at.optional().map(|running| running != 0),
            lag_ms: at.optional().and_then(|lag| i32::try_from(lag).ok()),
            is_cut: false,
        };
        Ok(Self { numbers, text: BoardText::new(board, [white, black, verbose, san]) })
    }

    /// Creates a board from the squares of a style 10 block and its words, which are fields 9 and up of a style 12 line.
    pub(crate) fn from_style10(board: &Board, words: &[u8]) -> Result<Self, Style12Error> {
        Self::with_board(board, Fields { rest: words, next: 9 })
    }

    /// Creates a board without a line and without a last move.
    pub(crate) fn new(numbers: BoardNumbers, board: &Board, white: &Handle, black: &Handle) -> Self {
        let [white, black] = [white, black].map(|name| encode_latin_1(name.as_str()));
        Self { numbers, text: BoardText::new(board, [&white, &black, b"", b""]) }
    }

    /// Sets squares and last move, and drops the line. Returns the other numbers for modification: they are still those of the
    /// position before.
    pub(crate) fn set_position(&mut self, board: &Board, last_move: Option<DerivedMove<'_>>) -> &mut BoardNumbers {
        let verbose = last_move.map(|last| last.played.verbose()).unwrap_or_default();
        let san = last_move.map_or(&b""[..], |last| last.san);
        self.text.set(board, [&verbose, san]);
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

    /// Returns the same squares and last move with other numbers and names, without a line.
    pub(crate) fn renamed(&self, numbers: BoardNumbers, white: &Handle, black: &Handle) -> Self {
        let [white, black] = [white, black].map(|name| encode_latin_1(name.as_str()));
        let [verbose, san] = [Word::Verbose, Word::San].map(|word| self.text.word(word));
        Self { numbers, text: BoardText::new(&self.board(), [&white, &black, verbose, san]) }
    }

    pub(crate) const fn numbers(&self) -> &BoardNumbers {
        &self.numbers
    }

    /// Returns the numbers for modification, and drops the line, because the board may no longer match it.
    pub(crate) fn numbers_mut(&mut self) -> &mut BoardNumbers {
        self.text.forget_line();
        &mut self.numbers
    }

    pub(crate) const fn has_last_move(&self) -> bool {
        self.numbers.last_move.is_some()
    }

    /// Returns the line or lines that the board was parsed from; `None` if it was derived or changed.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        self.text.line()
    }

    /// Stores the line of a board that was parsed word by word. The squares and words are copied to separate allocations.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        self.text.set_line(line);
    }

    /// Returns whether both boards have the same pieces on the same squares.
    pub(crate) fn has_same_squares(&self, other: &Self) -> bool {
        self.text.squares() == other.text.squares()
    }

    /// Returns whether both boards have the same White and the same Black, by their decoded names.
    pub(crate) fn has_same_players(&self, other: &Self) -> bool {
        [Word::White, Word::Black].into_iter().all(|name| self.has_same_word(other, name))
    }

    /// Returns whether a word is equal in both boards after decoding.
    fn has_same_word(&self, other: &Self, word: Word) -> bool {
        let (word, other) = (self.text.word(word), other.text.word(word));
        word == other || decode(word) == decode(other)
    }

    /// Fields 1 to 8: the squares.
    pub fn board(&self) -> Board {
        Board::from_spaced_rows(self.text.squares())
    }

    /// Field 9: the side to move.
    pub const fn side_to_move(&self) -> Color {
        self.numbers.side_to_move
    }

    /// Field 10: the file (0 is a, 7 is h) of a pawn that has just advanced two squares; `None` if there is none.
    ///
    /// FICS and ICC report it after every such move, FatICS only if an enemy pawn can capture.
    pub const fn double_push_file(&self) -> Option<u8> {
        self.numbers.double_push_file
    }

    /// Fields 11 to 14: the castling rights as the server reports them, whether or not king and rook are in place.
    pub const fn castling(&self) -> CastlingRights {
        self.numbers.castling
    }

    /// Field 15: plies since the last capture or pawn move; at 100 a player may claim a draw.
    pub const fn halfmove_clock(&self) -> u32 {
        self.numbers.halfmove_clock
    }

    /// Field 16: server-wide number of the game.
    pub const fn game(&self) -> GameId {
        self.numbers.game
    }

    /// Field 17: White's name. In examined games names are free text and may be equal.
    pub fn white(&self) -> Handle {
        self.player(Color::White)
    }

    /// Field 18: Black's name.
    pub fn black(&self) -> Handle {
        self.player(Color::Black)
    }

    /// Returns the decoded name of one side.
    pub fn player(&self, color: Color) -> Handle {
        Handle::from_wire(self.player_bytes(color))
    }

    /// Returns the name of one side as received, without decoding or copying it.
    pub fn player_bytes(&self, color: Color) -> &[u8] {
        match color {
            Color::White => self.text.word(Word::White),
            Color::Black => self.text.word(Word::Black),
        }
    }

    /// Field 19: the role of this login in the game.
    pub const fn relation(&self) -> Relation {
        self.numbers.relation
    }

    /// Returns the color that this login plays; `None` if it does not play this game. Derived from [`relation`](Self::relation)
    /// and the side to move, because names and [`flip`](Self::flip) do not show it.
    pub fn my_color(&self) -> Option<Color> {
        match self.relation() {
            Relation::MyTurn => Some(self.side_to_move()),
            Relation::OpponentsTurn => Some(!self.side_to_move()),
            _ => None,
        }
    }

    /// Field 20: initial time of each side, in minutes.
    pub const fn initial_min(&self) -> u32 {
        self.numbers.initial_min
    }

    /// Field 21: seconds added after each move.
    pub const fn increment_s(&self) -> u32 {
        self.numbers.increment_s
    }

    /// Field 22: White's material (pawn 1, knight and bishop 3, rook 5, queen 9), holdings included.
    pub const fn white_material(&self) -> i32 {
        self.numbers.white_material
    }

    /// Field 23: Black's material, counted as [`white_material`](Self::white_material).
    pub const fn black_material(&self) -> i32 {
        self.numbers.black_material
    }

    /// Field 24: White's clock.
    pub const fn white_clock(&self) -> ClockReading {
        self.numbers.white_clock
    }

    /// Field 25: Black's clock.
    pub const fn black_clock(&self) -> ClockReading {
        self.numbers.black_clock
    }

    /// Returns the clock of one side.
    pub const fn clock(&self, color: Color) -> ClockReading {
        match color {
            Color::White => self.white_clock(),
            Color::Black => self.black_clock(),
        }
    }

    /// Field 26: number of the move about to be made, from 1; a received 0 is stored as 1.
    pub const fn move_number(&self) -> u32 {
        self.numbers.move_number
    }

    /// Returns the number of plies before this position, computed from move number and side to move: 0 at the start, 1 after
    /// White's first move.
    pub const fn ply(&self) -> u32 {
        self.numbers.ply()
    }

    /// Fields 27 to 29: the move that led here; `None` at the start of a game.
    pub fn last_move(&self) -> Option<ReportedMove> {
        let LastMoveNumbers { played, elapsed_ms } = self.numbers.last_move?;
        let [verbose, san] = [Word::Verbose, Word::San].map(|word| self.text.word(word));
        let san = (!san.is_empty()).then(|| ServerText::from_wire(san));
        Some(ReportedMove { verbose: ServerText::from_wire(verbose), san, played, elapsed_ms })
    }

    /// Returns the pretty form of the last move as received; empty without a last move, or if the server cut the line.
    pub(crate) fn san_bytes(&self) -> &[u8] {
        self.text.word(Word::San)
    }

    /// Field 28: the time that the last move took, in milliseconds; `None` without a last move, or if the field is not a time.
    pub(crate) fn elapsed_ms(&self) -> Option<u32> {
        self.numbers.last_move.and_then(|last| last.elapsed_ms)
    }

    /// Field 27 as [`LastMove::parse_verbose`] reads it; `None` at the start of a game, and for a form that is not known.
    pub fn played(&self) -> Option<LastMove> {
        self.numbers.last_move.and_then(|last| last.played)
    }

    /// Field 30: whether the board is to be shown with Black at the bottom; `None` if the line ends before it.
    pub const fn flip(&self) -> Option<bool> {
        self.numbers.flip
    }

    /// Field 31: whether a clock is running; `None` if the line does not have it. Only FICS and FatICS send it.
    pub const fn clock_running(&self) -> Option<bool> {
        self.numbers.clock_running
    }

    /// Field 32: network lag of the last move, in milliseconds; negative values occur on FatICS. `None` if the line does not have
    /// it. Only FICS and FatICS send it.
    pub const fn lag_ms(&self) -> Option<i32> {
        self.numbers.lag_ms
    }

    /// Whether the server cut the line within fields 28 to 30, as the FICS 1.6 family does with long names and clocks.
    /// The fields that were cut off are not known.
    pub const fn is_cut(&self) -> bool {
        self.numbers.is_cut
    }

    /// Returns the position in Forsyth-Edwards notation.
    ///
    /// The en passant square follows a double push if its pawn is in place; castling rights are included if king and
    /// rook are in place.
    pub fn fen(&self) -> Fen {
        Fen::from_wire(self.board(), self.side_to_move(), self.castling(), self.double_push_file())
            .with_counters(self.halfmove_clock(), self.move_number())
    }
}

impl ReportedMove {
    /// Returns the pretty form, or the verbose one if the server cut the line.
    pub fn text(&self) -> &str {
        self.san.as_ref().unwrap_or(&self.verbose).as_str()
    }
}

impl BoardNumbers {
    pub(crate) const fn clock_mut(&mut self, color: Color) -> &mut ClockReading {
        match color {
            Color::White => &mut self.white_clock,
            Color::Black => &mut self.black_clock,
        }
    }

    /// Sets the side to move, and exchanges the relations [`MyTurn`](Relation::MyTurn) and
    /// [`OpponentsTurn`](Relation::OpponentsTurn). Must be called only if the side changes.
    pub(crate) fn turn_to(&mut self, side: Color) {
        self.side_to_move = side;
        self.relation = match self.relation {
            Relation::MyTurn => Relation::OpponentsTurn,
            Relation::OpponentsTurn => Relation::MyTurn,
            other => other,
        };
    }

    pub(crate) const fn ply(&self) -> u32 {
        let whole = self.move_number.saturating_sub(1).saturating_mul(2);
        match self.side_to_move {
            Color::White => whole,
            Color::Black => whole.saturating_add(1),
        }
    }
}

impl Style12 {
    // A constant, as every owned board begins as a copy of it.
    const START: Self = Self {
        numbers: BoardNumbers {
            white_clock: ClockReading::from_ms(0),
            black_clock: ClockReading::from_ms(0),
            game: GameId(0),
            relation: Relation::Isolated,
            halfmove_clock: 0,
            initial_min: 0,
            increment_s: 0,
            white_material: 39,
            black_material: 39,
            move_number: 1,
            last_move: None,
            side_to_move: Color::White,
            double_push_file: None,
            castling: CastlingRights::ALL,
            flip: None,
            clock_running: None,
            lag_ms: None,
            is_cut: false,
        },
        text: BoardText::START,
    };
}

impl Default for Style12 {
    /// Returns the start position with empty names, game 0, clocks at 0, and the relation [`Isolated`](Relation::Isolated).
    fn default() -> Self {
        Self::START
    }
}

/// Boards are equal if their fields and words are; lines may differ in the blanks between them.
impl PartialEq for Style12 {
    fn eq(&self, other: &Self) -> bool {
        let has_same_move = || [Word::Verbose, Word::San].into_iter().all(|word| self.has_same_word(other, word));
        self.numbers == other.numbers
            && self.has_same_squares(other)
            && self.has_same_players(other)
            && (self.numbers.last_move.is_none() || has_same_move())
    }
}

impl Eq for Style12 {}

impl fmt::Debug for Style12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Style12")
            .field("board", &self.board())
            .field("side_to_move", &self.side_to_move())
            .field("double_push_file", &self.double_push_file())
            .field("castling", &self.castling())
            .field("halfmove_clock", &self.halfmove_clock())
            .field("game", &self.game())
            .field("white", &self.white())
            .field("black", &self.black())
            .field("relation", &self.relation())
            .field("initial_min", &self.initial_min())
            .field("increment_s", &self.increment_s())
            .field("white_material", &self.white_material())
            .field("black_material", &self.black_material())
            .field("white_clock", &self.white_clock())
            .field("black_clock", &self.black_clock())
            .field("move_number", &self.move_number())
            .field("last_move", &self.last_move())
            .field("flip", &self.flip())
            .field("clock_running", &self.clock_running())
            .field("lag_ms", &self.lag_ms())
            .field("is_cut", &self.is_cut())
            .finish()
    }
}

/// Adds the promotion that the verbose form lacks: the piece on the target square after the move. Moves that have one, and moves
/// of other pieces, are unchanged.
fn with_promotion_on(after: &Board, mut played: LastMove) -> LastMove {
    if let LastMove::Normal { role: Role::Pawn, to, promotion: promotion @ None, .. } = &mut played {
        *promotion = after.piece(*to).map(|piece| piece.role).filter(|role| *role != Role::Pawn);
    }
    played
}

/// Parses field 28 into milliseconds; the brackets may be missing. `None` if the word is not a time.
fn read_elapsed(word: &[u8]) -> Option<u32> {
    let word = word.strip_prefix(b"(").unwrap_or(word);
    let word = word.strip_suffix(b")").unwrap_or(word);
    let mut at = Cursor::new(word);
    read_duration_ms(&mut at).filter(|_| at.is_empty())
}

/// Corrects field 15: some servers send negative numbers after a takeback, FICS has sent 1 for a start position.
fn counted_plies(halfmove_clock: i64, has_last_move: bool) -> u32 {
    if has_last_move { u32::try_from(halfmove_clock.max(0)).unwrap_or(u32::MAX) } else { 0 }
}

/// The unit of both clocks in a line, which depends on its elapsed time (rule K1 of style 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockUnit {
    Seconds,
    Milliseconds,
}

impl ClockUnit {
    /// Returns the unit: milliseconds if the elapsed time has a fraction.
    pub(crate) fn of(elapsed: &[u8]) -> Self {
        Self::of_fraction(elapsed.contains(&b'.'))
    }

    #[inline]
    const fn of_fraction(has_fraction: bool) -> Self {
        if has_fraction { Self::Milliseconds } else { Self::Seconds }
    }

    /// Converts a clock field to a reading; `None` if seconds overflow 64-bit milliseconds.
    #[inline]
    pub(crate) fn reading(self, number: i64) -> Option<ClockReading> {
        let ms = match self {
            Self::Seconds => number.checked_mul(1000)?,
            Self::Milliseconds => number,
        };
        Some(ClockReading::from_ms(ms))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chess::CastlingSide;

    const GOOD: &str = "<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 \
        Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0";
    /// A board of a real log: clocks in milliseconds, both later fields.
    const MODERN: &str = "<12> rnb-kbnr pppp-ppp -------- ----p--- ------Pq -----P-- PPPPP--P RNBQKBNR W -1 1 1 1 1 1 \
        107 gbtami ggbtami 1 5 0 39 39 297338 295763 3 Q/d8-h4 (0:04.237) Qh4# 0 1 304";

    fn parse(line: &str) -> Style12 {
        Style12::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    #[test]
    fn the_help_files_sample_in_every_field() {
        let board = parse(GOOD);
        assert_eq!(board.fen().to_string(), "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2");
        assert_eq!((board.game(), board.white().as_str(), board.black().as_str()), (GameId(7), "Newton", "Einstein"));
        assert_eq!((board.relation(), board.my_color()), (Relation::MyTurn, Some(Color::Black)));
        assert_eq!(
            (board.initial_min(), board.increment_s(), board.white_material(), board.black_material()),
            (2, 12, 39, 39)
        );
        assert_eq!(
            (board.white_clock().as_ms(), board.black_clock().as_ms(), board.move_number()),
            (119_000, 122_000, 2)
        );
        let last = board.last_move().unwrap();
        assert_eq!((last.verbose.as_str(), last.text(), last.elapsed_ms), ("K/e1-e2", "Ke2", Some(6000)));
        assert!(matches!(last.played, Some(LastMove::Normal { role: Role::King, .. })));
        assert_eq!((board.flip(), board.clock_running(), board.lag_ms(), board.ply()), (Some(false), None, None, 3));
    }

    // Rules: style12 K1, style12 K2, bugs 20, bugs 21, bugs 22, ten 9
    #[test]
    fn a_fraction_in_the_elapsed_time_makes_the_clocks_milliseconds() {
        let cases = [
            (MODERN.to_owned(), (297_338, 295_763), Some(4237)),
            (MODERN.replace("297338", "900").replace("295763", "-917"), (900, -917), Some(4237)),
            (GOOD.replace(" 119 122 ", " 10800 -3 "), (10_800_000, -3000), Some(6000)),
            (GOOD.replace("(0:06)", "(1:02:03.004)"), (119, 122), Some(3_723_004)),
            (GOOD.replace("(0:06)", "(75:03)"), (119_000, 122_000), Some(4_503_000)),
        ];
        for (line, clocks, elapsed) in cases {
            let board = parse(&line);
            assert_eq!((board.white_clock().as_ms(), board.black_clock().as_ms()), clocks, "{line}");
            assert_eq!(board.last_move().and_then(|last| last.elapsed_ms), elapsed, "{line}");
        }
        let start = parse(&GOOD.replace("K/e1-e2 (0:06) Ke2", "none (0:00.000) none"));
        assert_eq!((start.last_move(), start.white_clock().as_ms()), (None, 119));
    }

    // Rules: style12 K3
    #[test]
    fn an_invalid_elapsed_time_is_unknown() {
        for (sent, want) in [("0:06", Some(6000)), ("(0:06", Some(6000)), ("(x)", None), ("(0:06)x", None), ("-", None)]
        {
            let board = parse(&GOOD.replace("(0:06)", sent));
            assert_eq!(board.last_move().and_then(|last| last.elapsed_ms), want, "{sent}");
        }
    }

    // Rules: style12 B4, style12 B5, ten 4, ten 5, bugs 35, bugs 40
    #[test]
    fn trailing_fields_may_be_missing_or_more() {
        let words = GOOD.trim_end_matches(" 0");
        let cases = [
            (words.to_owned(), (None, None, None)),
            (format!("{words} 1"), (Some(true), None, None)),
            (format!("{words} 0 1"), (Some(false), Some(true), None)),
            (format!("{words} 0 1 304"), (Some(false), Some(true), Some(304))),
            (format!("{words} 0 0 -412"), (Some(false), Some(false), Some(-412))),
            (format!("{words} 0 1 304 what ever"), (Some(false), Some(true), Some(304))),
            (words.replace(' ', "   "), (None, None, None)),
            (words.replace("<12> ", "<12>"), (None, None, None)),
        ];
        for (line, want) in cases {
            let board = parse(&line);
            assert_eq!((board.flip(), board.clock_running(), board.lag_ms()), want, "{line}");
        }
    }

    // Rules: style12 B5, style12 B6, bugs 41, ten 5
    #[test]
    fn the_first_field_that_does_not_fit_is_named() {
        let cases = [
            ("rnbqkb-r", "rnbqkb-x", Style12Error::Invalid(8)),
            ("pppppppp", "ppppppppp-", Style12Error::Invalid(2)),
            (" B -1", " b -1", Style12Error::Invalid(9)),
            (" -1 0 0", " x 0 0", Style12Error::Invalid(10)),
            (" 0 0 1 1 ", " 0 0 1 y ", Style12Error::Invalid(14)),
            (" 7 ", " 7z ", Style12Error::Invalid(16)),
            (" 7 ", " 99999999999 ", Style12Error::Invalid(16)),
            (" 1 2 12 ", " x 2 12 ", Style12Error::Invalid(19)),
            (" 119 ", " 999999999999999999 ", Style12Error::Invalid(24)),
            (" 122 2 ", " 122 -2 ", Style12Error::Invalid(26)),
            (" Ke2 0", "", Style12Error::Missing(29)),
            (" K/e1-e2 (0:06) Ke2 0", "", Style12Error::Missing(27)),
            (
                " RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0",
                "",
                Style12Error::Missing(8),
            ),
        ];
        for (part, other, want) in cases {
            let line = GOOD.replacen(part, other, 1);
            assert_eq!(Style12::parse(line.as_bytes()), Err(want), "{line}");
        }
        assert_eq!(Style12::parse(b"<b1> x"), Err(Style12Error::Invalid(0)));
        assert_eq!(Style12::parse(b"<12>"), Err(Style12Error::Missing(1)));
    }

    // Rules: bugs 24, bugs 34
    #[test]
    fn the_half_move_clock_is_never_negative_nor_set_at_a_start() {
        assert_eq!(parse(&GOOD.replace(" 0 7 ", " -41 7 ")).halfmove_clock(), 0);
        assert_eq!(parse(&GOOD.replace(" 0 7 ", " 99 7 ")).halfmove_clock(), 99);
        let start = GOOD.replace(" 0 7 ", " 1 7 ").replace("K/e1-e2 (0:06) Ke2", "NONE (0:00) none");
        assert_eq!(parse(&start).halfmove_clock(), 0);
    }

    #[test]
    fn moves_are_counted_from_1() {
        assert_eq!(parse(&GOOD.replace(" 122 2 ", " 122 0 ")).move_number(), 1);
        assert_eq!(parse(&MODERN.replace(" 295763 3 ", " 295763 0 ")).move_number(), 1);
    }

    // Rules: bugs 25
    #[test]
    fn initial_time_is_minutes_and_increment_seconds() {
        let board = parse(&MODERN.replace(" 1 5 0 39", " 1 5 12 39"));
        assert_eq!((board.initial_min(), board.increment_s()), (5, 12));
    }

    // Rules: style12 FEN, bugs 33
    #[test]
    fn a_double_push_becomes_a_square_if_its_pawn_is_there() {
        let d5 = "<12> rnbqkbnr ppp-pppp -------- ---pP--- -------- -------- PPPP-PPP RNBQKBNR W 3 1 1 1 1 0 7 A B 0 2 12 39 39 119 122 3 P/d7-d5 (0:06) d5 0";
        assert_eq!(parse(d5).fen().to_string(), "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3");
        assert_eq!(parse(&d5.replace(" W 3 ", " W 4 ")).fen().en_passant, None, "no pawn of Black's on e5");
        for (sent, want) in [("7", Some(7)), ("8", None), ("-2", None), ("99", None)] {
            assert_eq!(parse(&d5.replace(" W 3 ", &format!(" W {sent} "))).double_push_file(), want, "{sent}");
        }
    }

    #[test]
    fn castling_rights_are_those_of_the_server_even_if_a_fen_drops_them() {
        let board = parse(&GOOD.replace(" 0 0 1 1 ", " 1 1 1 1 "));
        assert!(board.castling().has(Color::White, CastlingSide::Short));
        assert_eq!(board.fen().castling.to_string(), "kq");
    }

    // Rules: style12 R1
    #[test]
    fn relations_have_the_servers_numbers() {
        for code in -6..6 {
            assert_eq!(Relation::from_code(code).code(), code);
        }
        assert_eq!(parse(&GOOD.replace(" 1 2 12 ", " 17 2 12 ")).relation(), Relation::Other(17));
    }

    // Rules: style12 R2, bugs 29
    #[test]
    fn names_are_any_words() {
        let board = parse(&GOOD.replace("Newton Einstein", "*1.e4_-Foo *1.e4_-Foo"));
        assert_eq!((board.white().as_str(), board.black().as_str()), ("*1.e4_-Foo", "*1.e4_-Foo"));
        let long = "x".repeat(300);
        assert_eq!(parse(&GOOD.replace("Newton", &long)).white().as_str(), long);
    }

    // Rules: style12 V5, bugs 30, bugs 31, bugs 32, bugs 39
    #[test]
    fn moves_of_every_form_are_read() {
        let cases = [
            ("P/g7-g8 (0:00) g8=R+", true),
            ("o-o (0:00) O-O", true),
            ("P/@@-c3 (0:00) P@c3", true),
            ("x/y (0:00) zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", false),
        ];
        for (sent, known) in cases {
            let last = parse(&GOOD.replace("K/e1-e2 (0:06) Ke2", sent)).last_move().unwrap();
            assert_eq!(last.played.is_some(), known, "{sent}");
        }
    }

    const USUAL: [&str; 6] = [
        MODERN,
        GOOD,
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0",
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 9 A B -1 120 0 39 39 7200000 7199000 1 P/e2-e4 (12:01.000) e4 1 0 -2",
        "<12> r---k--r -------- -------- -------- -------- -------- -------- R----RK- B -1 0 0 1 1 12 398 Abcdefghijklmnopq Zyxwvutsrqponmlkj 2 0 12 39 39 -5 120 31 o-o (10:06) O-O+ 0 1 1000",
        "<12> r---k--r -------- -----N-- -------- -------- -------- -------- R----RK- B -1 0 0 1 1 0 398 caf\u{e9} B&#x41; -2 0 0 0 0 0 0 31 N/@@-f6 (0:06) N@f6+ 0 1 7",
    ];

    #[test]
    fn fast_lines_keep_their_bytes() {
        for line in USUAL {
            let line = encode_latin_1(line);
            let mut board = Style12::default();
            board.read_fast_line(&line).unwrap_or_else(|| panic!("{}", line.escape_ascii()));
            assert_eq!(Style12::parse_words(&line).as_ref(), Ok(&board), "{}", line.escape_ascii());
            assert_eq!(board.line(), Some(&line[..]));
        }
    }

    /// A board of uhlin-fics, whose last field is 30.
    const CUT: &str = "<12> rnbqkbnr ppp-pppp -------- ---P---- -------- -------- PPPP-PPP RNBQKBNR B -1 1 1 1 1 0 1 \
        Abcdefghijklmnopq Zyxwvutsrqponmlkj -1 100 60 39 38 6119 6060 2 P/e4-d5 (0:00) exd5 0";

    // Rules: style12 cut
    #[test]
    fn a_cut_line_has_its_complete_fields() {
        let cut = |end: usize| Style12::parse_cut(&CUT.as_bytes()[..end]);
        let whole = parse(CUT);
        let verbose = CUT.find(" (0:00)").unwrap();
        for end in verbose + 1..CUT.len() - 1 {
            let board = cut(end).unwrap();
            let elapsed_ms = (end >= verbose + " (0:00)".len()).then_some(0);
            let last_move = ReportedMove { san: None, elapsed_ms, ..whole.last_move().unwrap() };
            assert_eq!((board.is_cut(), board.flip()), (true, None));
            assert_eq!(board.last_move(), Some(last_move.clone()), "cut after {end} bytes");
            let derived = DerivedMove { played: last_move.played.unwrap(), san: b"", elapsed_ms };
            let mut want = whole.clone();
            want.set_position(&whole.board(), Some(derived));
            want.numbers_mut().flip = None;
            assert_eq!(board, want, "cut after {end} bytes");
        }
        assert_eq!(cut(CUT.len()), Ok(parse(CUT)), "a whole line");
        for end in 0..=verbose {
            assert!(cut(end).is_err(), "cut after {end} bytes");
        }
        let start = Style12::parse_cut(CUT.replace("P/e4-d5 (0:00) exd5 0", "none (0:00) no").as_bytes()).unwrap();
        assert_eq!((start.last_move(), start.is_cut()), (None, true));
    }

    #[test]
    fn a_promotion_in_a_cut_line_is_read_from_the_board() {
        let line = "<12> ------R- -------- -------- -------- -------- -------- -------- K-k----- B -1 0 0 0 0 0 1 \
            Abcdefghijklmnopq Zyxwvutsrqponmlkj -1 100 60 5 0 6119 6060 50 P/g7-g8 (0:00) g8";
        let played = Style12::parse_cut(line.as_bytes()).unwrap().played();
        assert!(matches!(played, Some(LastMove::Normal { promotion: Some(Role::Rook), .. })), "{played:?}");
    }

    proptest! {
        #[test]
        fn lines_read_at_once_are_read_as_word_by_word(
            line in 0..USUAL.len(),
            words in prop::collection::vec((9_usize..34, "-?[0-9]{0,9}|[ -~]{0,9}|\\([0-9]{0,3}:[0-9.]{0,7}\\)|[PNK]/[a-i][0-9]-[a-h][1-8](=Q)?"), 0..3),
            bytes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
        ) {
            let mut line: Vec<_> = USUAL[line].split(' ').collect();
            for (at, word) in &words {
                if let Some(place) = line.get_mut(*at) {
                    *place = word;
                }
            }
            let mut line = encode_latin_1(&line.join(" ")).into_owned();
            for (at, byte) in bytes {
                *at.get_mut(&mut line) = byte;
            }
            let mut board = Style12::default();
            if board.read_fast_line(&line).is_some() {
                prop_assert_eq!(Style12::parse_words(&line), Ok(board));
            }
        }

        #[test]
        fn no_line_panics(line in prop::collection::vec(any::<u8>(), 0..250)) {
            let _ = Style12::parse(&line);
            let _ = Style12::parse(&[b"<12> ", &line[..]].concat());
            let _ = Style12::parse_cut(&line);
            let _ = Style12::parse_cut(&[CUT.as_bytes(), &line[..]].concat());
        }

        #[test]
        fn a_good_line_with_any_word_changed_is_read_or_refused(at in 0_usize..33, word in "[ -~]{0,12}") {
            let mut words: Vec<_> = MODERN.split(' ').collect();
            words[at] = &word;
            let _ = Style12::parse(words.join(" ").as_bytes());
        }
    }
}
