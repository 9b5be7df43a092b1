//! The fields of a board, by their numbers in the line.

use std::fmt;

use crate::chess::{Board, CastlingRights, CastlingSide, Color, Fen, Hands, LastMove};
use crate::message::fields::{ClockReading, GameId};
use crate::message::style12::text::Word;
use crate::message::style12::{ReportedMove, Style12};
use crate::text::{Handle, ServerText};

/// The numeric fields of a board: everything but the squares, the names and the last move. The methods of
/// [`Style12`](super::Style12) with the same names describe them.
///
/// The default is the start position of chess in game 0, with clocks at 0 and the relation [`Isolated`](Relation::Isolated).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardNumbers {
    /// White's clock.
    pub white_clock: ClockReading,
    /// Black's clock.
    pub black_clock: ClockReading,
    /// The server-wide number of the game.
    pub game: GameId,
    /// The role of this login in the game.
    pub relation: Relation,
    /// Number of plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// Initial time of each side, in minutes.
    pub initial_min: u32,
    /// Seconds added to a player's clock after each move.
    pub increment_s: u32,
    /// White's material, including the reserve.
    pub white_material: i32,
    /// Black's material, including the reserve.
    pub black_material: i32,
    /// The number of the next move, from 1 on.
    pub move_number: u32,
    /// Network lag of the last move, in milliseconds.
    pub lag_ms: Option<i32>,
    pub(crate) last_move: Option<LastMoveNumbers>,
    /// The side to move.
    pub side_to_move: Color,
    /// The file (0 is a, 7 is h) of a pawn that has just advanced two squares.
    pub double_push_file: Option<u8>,
    /// The castling rights as the server reports them.
    pub castling: CastlingRights,
    /// Whether the board is to be shown with Black at the bottom.
    pub flip: Option<bool>,
    /// Whether a clock is running.
    pub clock_running: Option<bool>,
    pub(crate) is_cut: bool,
    /// The reserves, which the line does not contain.
    pub(crate) reserves: Option<Hands>,
}

/// The last move without its words: the parsed move, and the time it took in milliseconds; each `None` if unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastMoveNumbers {
    pub(crate) played: Option<LastMove>,
    pub(crate) elapsed_ms: Option<u32>,
}

impl BoardNumbers {
    /// The default. A constant, because every new board begins as a copy of it.
    pub(super) const START: Self = Self {
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
        reserves: None,
    };

    /// Returns the clock of one side for modification.
    pub(crate) const fn clock_mut(&mut self, color: Color) -> &mut ClockReading {
        match color {
            Color::White => &mut self.white_clock,
            Color::Black => &mut self.black_clock,
        }
    }

    /// Sets the side to move, and exchanges the relations [`MyTurn`](Relation::MyTurn) and
    /// [`OpponentsTurn`](Relation::OpponentsTurn). Must be called only if the side changes.
    pub(crate) fn switch_turn_to(&mut self, side: Color) {
        self.side_to_move = side;
        self.relation = match self.relation {
            Relation::MyTurn => Relation::OpponentsTurn,
            Relation::OpponentsTurn => Relation::MyTurn,
            other => other,
        };
    }

    /// Returns the number of plies before this position, computed from move number and side to move.
    pub(crate) const fn ply(&self) -> u32 {
        let whole = self.move_number.saturating_sub(1).saturating_mul(2);
        match self.side_to_move {
            Color::White => whole,
            Color::Black => whole.saturating_add(1),
        }
    }
}

impl Default for BoardNumbers {
    fn default() -> Self {
        Self::START
    }
}

/// The role of this login in a game: field 19 of a style 12 line.
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
    Other(i8),
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
            Self::Other(code) => code as i32,
        }
    }

    /// Returns the relation for the server's number; [`Other`](Self::Other) if it is not one of −4 to 2.
    pub(crate) const fn from_code(code: i8) -> Self {
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

    /// Returns whether this login plays the game; `false` if it examines the game.
    pub const fn is_mine(self) -> bool {
        matches!(self, Self::OpponentsTurn | Self::MyTurn)
    }

    /// Returns whether this login observes the game, whether others play or examine it.
    pub(crate) const fn is_observer(self) -> bool {
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

impl Style12 {
    /// Returns the squares (fields 1 to 8).
    pub fn board(&self) -> Board {
        Board::from_spaced_rows(self.text.squares())
    }

    /// Returns the side to move (field 9).
    pub const fn side_to_move(&self) -> Color {
        self.numbers.side_to_move
    }

    /// Returns the file (0 is a, 7 is h) of a pawn that has just advanced two squares (field 10); `None` if there is none.
    ///
    /// FICS and ICC report it after every such move, FatICS only if an enemy pawn can capture.
    pub const fn double_push_file(&self) -> Option<u8> {
        self.numbers.double_push_file
    }

    /// Returns the castling rights as the server reports them (fields 11 to 14), whether or not king and rook are in place.
    pub const fn castling(&self) -> CastlingRights {
        self.numbers.castling
    }

    /// Returns the number of plies since the last capture or pawn move (field 15); 0 in a line without a last move. At 100 a
    /// player may claim a draw.
    pub const fn halfmove_clock(&self) -> u32 {
        self.numbers.halfmove_clock
    }

    /// Returns the server-wide number of the game (field 16).
    pub const fn game(&self) -> GameId {
        self.numbers.game
    }

    /// Returns White's name (field 17). In examined games, names are free text and may be equal.
    pub fn white(&self) -> Handle {
        self.player(Color::White)
    }

    /// Returns Black's name (field 18). In examined games it is free text, see [`white`](Self::white).
    pub fn black(&self) -> Handle {
        self.player(Color::Black)
    }

    /// Returns the decoded name of one side. In examined games it is free text, see [`white`](Self::white).
    pub fn player(&self, color: Color) -> Handle {
        Handle::from_wire(self.player_bytes(color))
    }

    /// Returns the name of one side as received, without decoding or copying it.
    #[doc(hidden)]
    pub fn player_bytes(&self, color: Color) -> &[u8] {
        match color {
            Color::White => self.text.word(Word::White),
            Color::Black => self.text.word(Word::Black),
        }
    }

    /// Returns the role of this login in the game (field 19).
    pub const fn relation(&self) -> Relation {
        self.numbers.relation
    }

    /// Returns the color that this login plays, derived from [`relation`](Self::relation) and the side to move; `None` if it does not
    /// play this game.
    pub fn my_color(&self) -> Option<Color> {
        match self.relation() {
            Relation::MyTurn => Some(self.side_to_move()),
            Relation::OpponentsTurn => Some(!self.side_to_move()),
            _ => None,
        }
    }

    /// Returns the initial time of each side, in minutes (field 20).
    pub const fn initial_min(&self) -> u32 {
        self.numbers.initial_min
    }

    /// Returns the number of seconds added to a player's clock after each move (field 21).
    pub const fn increment_s(&self) -> u32 {
        self.numbers.increment_s
    }

    /// Returns White's material (field 22), including the reserve: 1 for a pawn, 3 for a knight or bishop, 5 for a rook, 9 for a
    /// queen.
    pub const fn white_material(&self) -> i32 {
        self.numbers.white_material
    }

    /// Returns Black's material (field 23), counted as [`white_material`](Self::white_material).
    pub const fn black_material(&self) -> i32 {
        self.numbers.black_material
    }

    /// Returns White's clock (field 24).
    pub const fn white_clock(&self) -> ClockReading {
        self.numbers.white_clock
    }

    /// Returns Black's clock (field 25).
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

    /// Returns the number of the next move, from 1 on (field 26); 1 for a received 0.
    pub const fn move_number(&self) -> u32 {
        self.numbers.move_number
    }

    /// Returns the number of plies before this position, computed from move number and side to move: 0 at the start, 1 after
    /// White's first move.
    pub const fn ply(&self) -> u32 {
        self.numbers.ply()
    }

    /// Returns the move that led to this position (fields 27 to 29); `None` at the start of a game.
    pub fn last_move(&self) -> Option<ReportedMove> {
        let LastMoveNumbers { played, elapsed_ms } = self.numbers.last_move?;
        let [verbose, san] = [Word::Verbose, Word::San].map(|word| self.text.word(word));
        let san = (!san.is_empty()).then(|| ServerText::from_wire(san));
        Some(ReportedMove { verbose: ServerText::from_wire(verbose), san, played, elapsed_ms })
    }

    /// Returns field 27, the verbose form of the last move, as received.
    pub(crate) fn verbose_bytes(&self) -> &[u8] {
        self.text.word(Word::Verbose)
    }

    /// Returns field 29, the pretty form of the last move, as received: usually `none` without a last move. Empty if the server
    /// cut the line before it, or for a derived board without a last move or its pretty form.
    pub(crate) fn san_bytes(&self) -> &[u8] {
        self.text.word(Word::San)
    }

    /// Returns the time that the last move took, in milliseconds (field 28); `None` without a last move, or if the field is not a
    /// time.
    pub(crate) fn elapsed_ms(&self) -> Option<u32> {
        self.numbers.last_move.and_then(|last| last.elapsed_ms)
    }

    /// Returns the last move, parsed from field 27; `None` for a board without a last move, or if the form of the move is unknown.
    pub fn played(&self) -> Option<LastMove> {
        self.numbers.last_move.and_then(|last| last.played)
    }

    /// Returns whether the board is to be shown with Black at the bottom (field 30); `None` if the line ends before this field.
    pub const fn flip(&self) -> Option<bool> {
        self.numbers.flip
    }

    /// Returns whether a clock is running (field 31); `None` if the line does not have this field. Only FICS and FatICS send it.
    pub const fn clock_running(&self) -> Option<bool> {
        self.numbers.clock_running
    }

    /// Returns the network lag of the last move, in milliseconds (field 32); negative values occur on FatICS. `None` if the line
    /// does not have this field. Only FICS and FatICS send it.
    pub const fn lag_ms(&self) -> Option<i32> {
        self.numbers.lag_ms
    }

    /// Returns whether the server cut the line within fields 28 to 30, as the FICS 1.6 family does with long names and clocks.
    /// The fields that were cut off are not known. Also true for a position that was computed from a move whose pretty form
    /// (field 29) is not known.
    pub const fn is_cut(&self) -> bool {
        self.numbers.is_cut
    }

    /// Returns the reserves in this position, whether the server reported them before or after the board; `None` if they are not
    /// known. Only boards in events have them.
    pub const fn reserves(&self) -> Option<Hands> {
        self.numbers.reserves
    }

    /// Returns the position in Forsyth-Edwards notation.
    ///
    /// It has an en passant square after every double push whose pawn is in place, and those castling rights whose king and rook
    /// are in place. It has no reserves, as a board does not contain them.
    pub fn fen(&self) -> Fen {
        Fen::from_wire(self.board(), self.side_to_move(), self.castling(), self.double_push_file())
            .with_counters(self.halfmove_clock(), self.move_number())
    }
}

/// The unit of the clocks in a line, which the elapsed time shows by its fraction.
#[derive(Clone, Copy)]
enum ClockUnit {
    Seconds,
    Milliseconds,
}

impl fmt::Display for Style12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if f.alternate() { ClockUnit::Seconds } else { ClockUnit::Milliseconds };
        let squares = String::from_utf8_lossy(self.squares_text());
        let side = if self.side_to_move() == Color::White { 'W' } else { 'B' };
        write!(f, "<12> {squares}{side} {}", self.double_push_file().map_or(-1, i32::from))?;
        for color in Color::BOTH {
            for side in CastlingSide::BOTH {
                write!(f, " {}", u8::from(self.castling().has(color, side)))?;
            }
        }
        write!(f, " {} {} {} {} ", self.halfmove_clock(), self.game(), self.white(), self.black())?;
        write!(f, "{} {} {} ", self.relation().code(), self.initial_min(), self.increment_s())?;
        write!(f, "{} {} ", self.white_material(), self.black_material())?;
        let [white_clock, black_clock] = [self.white_clock(), self.black_clock()].map(|clock| match unit {
            ClockUnit::Seconds => clock.as_ms().div_euclid(1000),
            ClockUnit::Milliseconds => clock.as_ms(),
        });
        write!(f, "{white_clock} {black_clock} {} ", self.move_number())?;
        let last_move = self.last_move();
        let (verbose, elapsed_ms) =
            last_move.as_ref().map_or(("none", Some(0)), |last| (last.verbose.as_str(), last.elapsed_ms));
        write!(f, "{verbose} ")?;
        write_elapsed(f, elapsed_ms, unit)?;
        if self.is_cut() {
            return Ok(());
        }
        write!(f, " {}", last_move.as_ref().map_or("none", ReportedMove::text))?;
        // Lines end early, never in the middle.
        let optional = [self.flip().map(i32::from), self.clock_running().map(i32::from), self.lag_ms()];
        optional.into_iter().map_while(|field| field).try_for_each(|field| write!(f, " {field}"))
    }
}

/// Writes field 28: `(0:04)`, `(0:04.237)`, `(1:02:03)`. The placeholder of an unknown time has a point where the unit demands it.
fn write_elapsed(f: &mut fmt::Formatter<'_>, elapsed_ms: Option<u32>, unit: ClockUnit) -> fmt::Result {
    match elapsed_ms.map(|ms| (ms / 3_600_000, ms / 60_000, ms / 1000 % 60)) {
        None => f.write_str("(?")?,
        Some((0, minutes, seconds)) => write!(f, "({minutes}:{seconds:02}")?,
        Some((hours, minutes, seconds)) => write!(f, "({hours}:{:02}:{seconds:02}", minutes % 60)?,
    }
    match (unit, elapsed_ms) {
        (ClockUnit::Seconds, _) => f.write_str(")"),
        (ClockUnit::Milliseconds, None) => f.write_str(".)"),
        (ClockUnit::Milliseconds, Some(ms)) => write!(f, ".{:03})", ms % 1000),
    }
}
