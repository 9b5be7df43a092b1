//! Positions in Forsyth-Edwards notation.

use std::fmt;
use std::str::FromStr;

use super::{Board, CastlingRights, CastlingSide, Color, Hands, Piece, Square};
use crate::ParseError;

/// A position in Forsyth-Edwards notation: all six fields, and the reserves of crazyhouse and bughouse.
///
/// `Display` writes all six fields, castling rights as `KQkq`, and reserves as `[QNpp]` after the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Fen {
    /// The pieces on the board.
    pub board: Board,
    /// Side to move.
    pub side_to_move: Color,
    /// The castling rights. If two rooks are on one side of a king, the right belongs to the outer one.
    pub castling: CastlingRights,
    /// The square that a pawn skipped in a double push with the last move, whether or not a pawn can capture it en passant.
    pub en_passant: Option<Square>,
    /// Half moves since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// Number of the full move to which the next ply belongs: 1 at the start, increased after each move of Black.
    pub move_number: u32,
    /// The reserves of both sides; `None` in variants without drops, or if the reserves are not known.
    pub hands: Option<Hands>,
}

const PLACEMENT: ParseError = ParseError::new("the pieces are not eight rows of eight squares");
const HANDS: ParseError = ParseError::new("the reserve is not valid");
const SIDE: ParseError = ParseError::new("the side to move is not w or b");
const CASTLING: ParseError = ParseError::new("the castling rights are not valid");
const EN_PASSANT: ParseError = ParseError::new("the en passant square is not valid");
const HALFMOVE_CLOCK: ParseError = ParseError::new("the half-move clock is not a number");
const MOVE_NUMBER: ParseError = ParseError::new("the move number is not a number");
const TRAILING: ParseError = ParseError::new("something follows the move number");

impl Fen {
    /// The start position of chess.
    pub const START: Self = Self { castling: CastlingRights::ALL, ..Self::from_board(Board::START, Color::White) };

    /// Creates a position at move 1 without castling rights, en passant square or reserves.
    pub const fn from_board(board: Board, side_to_move: Color) -> Self {
        Self {
            board,
            side_to_move,
            castling: CastlingRights::NONE,
            en_passant: None,
            halfmove_clock: 0,
            move_number: 1,
            hands: None,
        }
    }

    /// Creates a position at move 1 from the fields of a board line.
    ///
    /// Removes impossible castling rights ([`CastlingRights::plausible_on`]), and converts the file of a double push (0 is the
    /// a-file) to the skipped square, if a pawn is in front of it.
    #[must_use]
    #[doc(hidden)]
    pub fn from_wire(
        board: Board,
        side_to_move: Color,
        castling: CastlingRights,
        double_push_file: Option<u8>,
    ) -> Self {
        Self {
            castling: castling.plausible_on(&board),
            en_passant: double_push_file.and_then(|file| board.en_passant_square(side_to_move, file)),
            ..Self::from_board(board, side_to_move)
        }
    }

    /// Replaces the [`halfmove_clock`](Self::halfmove_clock) and the [`move_number`](Self::move_number).
    #[must_use]
    pub const fn with_counters(self, halfmove_clock: u32, move_number: u32) -> Self {
        Self { halfmove_clock, move_number, ..self }
    }

    /// Replaces the reserves; `None` if they are not known or the variant has none.
    #[must_use]
    pub const fn with_hands(self, hands: Option<Hands>) -> Self {
        Self { hands, ..self }
    }
}

impl Default for Fen {
    /// [`Fen::START`].
    fn default() -> Self {
        Self::START
    }
}

impl FromStr for Fen {
    type Err = ParseError;

    /// Parses one to six fields, separated by blanks. Missing fields at the end default to `w - - 0 1`; move number 0 becomes 1.
    ///
    /// Reserves may follow the pieces as `[QNpp]` or as a ninth row, `/QNpp`. A `~`, which marks the piece before it as promoted,
    /// is ignored. Castling rights are `KQkq`, or the letters of the rooks' files as in X-FEN and Shredder-FEN; a file is stored
    /// as the side of the king on which it is.
    ///
    /// # Errors
    ///
    /// [`ParseError`] that names the first invalid field, in this order: reserves, pieces, side to move, castling rights, en
    /// passant square, half-move clock, move number; or text after the last field.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut fields = text.split_ascii_whitespace();
        let (rows, hands) = split_hands(fields.next().unwrap_or_default());
        let hands = hands.map(|letters| Hands::parse_fen(letters.as_bytes()).ok_or(HANDS)).transpose()?;
        let board = parse_rows(rows).ok_or(PLACEMENT)?;
        let side_to_move = fields.next().map_or(Ok(Color::White), parse_side)?;
        let castling = fields.next().map_or(Ok(CastlingRights::NONE), |field| parse_castling(field, &board))?;
        let en_passant = fields.next().map_or(Ok(None), parse_en_passant)?;
        let halfmove_clock = fields.next().map_or(Ok(0), |field| field.parse().or(Err(HALFMOVE_CLOCK)))?;
        let move_number: u32 = fields.next().map_or(Ok(1), |field| field.parse().or(Err(MOVE_NUMBER)))?;
        match fields.next() {
            Some(_) => Err(TRAILING),
            None => Ok(Self {
                board,
                side_to_move,
                castling,
                en_passant,
                halfmove_clock,
                move_number: move_number.max(1),
                hands,
            }),
        }
    }
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.board, f)?;
        if let Some(hands) = &self.hands {
            write!(f, "[{hands}]")?;
        }
        f.write_str(if self.side_to_move == Color::White { " w " } else { " b " })?;
        fmt::Display::fmt(&self.castling, f)?;
        match self.en_passant {
            Some(square) => write!(f, " {square} ")?,
            None => f.write_str(" - ")?,
        }
        write!(f, "{} {}", self.halfmove_clock, self.move_number)
    }
}

/// Splits the first field into the rows, and the letters of the reserves, `[QNp]` or a ninth row, without their delimiters;
/// `None` if it has no reserves. `[-]` has no letters.
fn split_hands(field: &str) -> (&str, Option<&str>) {
    if let Some((rows, hands)) = field.strip_suffix(']').and_then(|field| field.split_once('[')) {
        return (rows, Some(if hands == "-" { "" } else { hands }));
    }
    match field.match_indices('/').nth(7).and_then(|(at, _)| field.split_at_checked(at)) {
        Some((rows, ninth)) => (rows, ninth.strip_prefix('/')),
        None => (field, None),
    }
}

/// Parses the eight rows of a board, the eighth rank first; `None` if one is invalid or there are more or fewer.
fn parse_rows(rows: &str) -> Option<Board> {
    let mut board = Board::EMPTY;
    let mut rows = rows.split('/');
    for rank in (0..8).rev() {
        fill_rank(rows.next()?, rank, &mut board)?;
    }
    rows.next().is_none().then_some(board)
}

/// Parses one row, and places its pieces on a rank of `board`; `None` if it does not have eight squares or contains an unknown
/// letter.
fn fill_rank(row: &str, rank: u8, board: &mut Board) -> Option<()> {
    let mut file = 0_u8;
    for letter in row.bytes() {
        match letter {
            b'1'..=b'8' => file = file.checked_add(letter - b'0')?,
            // Crazyhouse positions mark promoted pieces, which return to the reserve as pawns. The board does not store
            // this.
            b'~' if file > 0 => {}
            _ => {
                board.set(Square::new(file, rank)?, Some(Piece::from_letter(letter)?));
                file += 1;
            }
        }
    }
    (file == 8).then_some(())
}

/// Parses the side to move, `w` or `b` in either case.
fn parse_side(field: &str) -> Result<Color, ParseError> {
    match *field.as_bytes() {
        [letter] => Color::from_letter(letter).ok_or(SIDE),
        _ => Err(SIDE),
    }
}

/// Parses the castling rights: `KQkq`, the files of rooks (`HAha`), or `-`. The board shows on which side of its king a file is.
fn parse_castling(field: &str, board: &Board) -> Result<CastlingRights, ParseError> {
    if field == "-" {
        return Ok(CastlingRights::NONE);
    }
    field.bytes().try_fold(CastlingRights::NONE, |rights, letter| {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let side = match letter.to_ascii_lowercase() {
            b'k' => Some(CastlingSide::Short),
            b'q' => Some(CastlingSide::Long),
            file @ b'a'..=b'h' => {
                board.king_on_home_rank(color).and_then(|king| CastlingSide::of_rook(king, file - b'a'))
            }
            _ => None,
        };
        Ok(rights.with(color, side.ok_or(CASTLING)?))
    })
}

/// Parses the en passant square, on the third or sixth rank; `-` means none.
fn parse_en_passant(field: &str) -> Result<Option<Square>, ParseError> {
    if field == "-" {
        return Ok(None);
    }
    let square = Square::parse(field.as_bytes()).filter(|square| matches!(square.rank(), 2 | 5));
    square.map(Some).ok_or(EN_PASSANT)
}

#[cfg(test)]
mod tests;
