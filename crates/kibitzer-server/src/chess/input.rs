//! Moves as people and clients type them.

use kibitzer_core::chess::{CastlingSide, Role, Square};
use thiserror::Error;

use super::moves::{CastlingSquares, Move};
use super::position::Position;
use super::variant::Variant;

/// Why a text was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub(crate) enum MoveError {
    /// It does not look like a move; it may be a command.
    #[error("not a move")]
    NotAMove,
    /// More than one piece can do what it says.
    #[error("ambiguous move")]
    Ambiguous,
    /// No piece can do what it says.
    #[error("illegal move")]
    Illegal,
}

/// How letters of a typed move are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum MoveCase {
    /// Small letters name pieces too. `bc3` is the pawn's move if it has one, else the bishop's.
    #[default]
    Insensitive,
    /// The ivar `movecase`: a piece is a capital letter, `bc3` is the pawn's move or none.
    Sensitive,
}

/// The longest text that can be a move: `Qa1xb2=Q+!!`, with room for what people add.
const MAX_MOVE_BYTES: usize = 16;

impl Position {
    /// Finds the legal move that a typed text means.
    ///
    /// Taken are squares, `e2e4`, `e2-e4`, the king's way for castling; standard notation with or without `x`, `+`, `#`,
    /// `=`, `!`, `?`: `Nf3`, `Nb1d2`, `exd5`, `ed5`, `exd`, `e8=Q`, `e8Q`, `e8(Q)`, `e7e8=q`; castling as `o-o`, `O-O-O`,
    /// `0-0`, `oo`; and drops, `P@f5`, `p@@f5`, `N/@@-f3`. A pawn that reaches its last rank without a word about it
    /// becomes `promote`.
    ///
    /// Source: FICS help files `moves`, `promote`, `iv_movecase`.
    ///
    /// # Errors
    ///
    /// [`MoveError::NotAMove`] if the text does not look like a move, whatever the position; else why it cannot be played.
    pub(crate) fn read_move(&self, typed: &str, case: MoveCase, promote: Role) -> Result<Move, MoveError> {
        let readings = read(typed.as_bytes(), case).ok_or(MoveError::NotAMove)?;
        let first = self.find(readings.first, promote);
        match (first, readings.second) {
            (Err(MoveError::Illegal), Some(second)) => self.find(second, promote),
            _ => first,
        }
    }

    fn find(&self, asked: Asked, promote: Role) -> Result<Move, MoveError> {
        let mut fitting = self.legal_moves().into_iter().filter(|&legal| self.fits(asked, legal, promote));
        match (fitting.next(), fitting.next()) {
            (None, _) => Err(MoveError::Illegal),
            (Some(found), None) => Ok(found),
            (Some(_), Some(_)) => Err(MoveError::Ambiguous),
        }
    }

    fn fits(&self, asked: Asked, legal: Move, promote: Role) -> bool {
        match (asked, legal) {
            (Asked::Exactly(asked), legal) => asked == legal,
            (Asked::Walk(walk), Move::Normal { role, from, to, promotion }) => {
                let becomes = walk.promotion.unwrap_or(promote);
                walk.role.is_none_or(|asked| asked == role)
                    && walk.from_file.is_none_or(|file| file == from.file())
                    && walk.from_rank.is_none_or(|rank| rank == from.rank())
                    && walk.to_file == to.file()
                    && walk.to_rank.is_none_or(|rank| rank == to.rank())
                    && promotion.map_or(walk.promotion.is_none(), |promotion| promotion == becomes)
            }
            (Asked::Walk(walk), Move::Castle(side)) => {
                let squares = CastlingSquares::of(self.castling_files, self.side_to_move, side);
                // In Chess960 the same squares may be those of a plain move of the king.
                self.variant != Variant::FischerRandom
                    && walk.role.is_none_or(|role| role == Role::King)
                    && walk.from() == Some(squares.king_from)
                    && walk.to() == Some(squares.king_to)
            }
            (Asked::Walk(_), Move::Drop { .. }) => false,
        }
    }
}

/// What a text asks for.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Exactly(Move),
    Walk(Walk),
}

/// A piece's way, as far as the text tells it.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    role: Option<Role>,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to_file: u8,
    to_rank: Option<u8>,
    promotion: Option<Role>,
}

impl Walk {
    fn from(self) -> Option<Square> {
        Square::new(self.from_file?, self.from_rank?)
    }

    fn to(self) -> Option<Square> {
        Square::new(self.to_file, self.to_rank?)
    }
}

/// What a text can mean: a small `b` is a file or a bishop.
#[derive(Clone, Copy, Debug)]
struct Readings {
    first: Asked,
    second: Option<Asked>,
}

fn read(typed: &[u8], case: MoveCase) -> Option<Readings> {
    if typed.len() > MAX_MOVE_BYTES {
        return None;
    }
    let text = trim_marks(typed);
    let one = |asked| Some(Readings { first: asked, second: None });
    if let Some(side) = read_castling(text) {
        return one(Asked::Exactly(Move::Castle(side)));
    }
    if let Some(drop) = read_drop(text) {
        return one(Asked::Exactly(drop));
    }
    let as_pawn = read_walk(text, None);
    let as_piece = text.split_first().and_then(|(&letter, rest)| read_walk(rest, Some(read_piece(letter, case)?)));
    match (as_pawn, as_piece) {
        (Some(first), second) => Some(Readings { first: Asked::Walk(first), second: second.map(Asked::Walk) }),
        (None, second) => one(Asked::Walk(second?)),
    }
}

fn trim_marks(mut text: &[u8]) -> &[u8] {
    while let [head @ .., b'+' | b'#' | b'!' | b'?'] = text {
        text = head;
    }
    text
}

fn read_castling(text: &[u8]) -> Option<CastlingSide> {
    let is_o = |&letter: &u8| matches!(letter, b'o' | b'O' | b'0');
    match text {
        [a, b'-', b] | [a, b] if is_o(a) && is_o(b) => Some(CastlingSide::Short),
        [a, b'-', b, b'-', c] | [a, b, c] if is_o(a) && is_o(b) && is_o(c) => Some(CastlingSide::Long),
        _ => None,
    }
}

fn read_drop(text: &[u8]) -> Option<Move> {
    let (&letter, rest) = text.split_first()?;
    let role = Role::from_letter(letter).filter(|&role| role != Role::King)?;
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let rest = rest.strip_prefix(b"@@-").or_else(|| rest.strip_prefix(b"@@")).or_else(|| rest.strip_prefix(b"@"))?;
    Square::parse(rest).map(|to| Move::Drop { role, to })
}

fn read_piece(letter: u8, case: MoveCase) -> Option<Role> {
    let is_piece = case == MoveCase::Insensitive || letter.is_ascii_uppercase();
    Role::from_letter(letter).filter(|_| is_piece)
}

/// Reads the squares behind the letter of a piece, or all of a pawn's move.
///
/// Without a letter and with one square only it is a pawn that moves; with two squares whatever stands there.
fn read_walk(text: &[u8], role: Option<Role>) -> Option<Walk> {
    let (text, promotion) = split_promotion(text);
    let text = text.strip_prefix(b"/").filter(|_| role.is_some()).unwrap_or(text);
    let mut squares = [0; 4];
    let mut n_squares = 0;
    for &byte in text.iter().filter(|byte| !matches!(byte, b'x' | b'-' | b':')) {
        *squares.get_mut(n_squares)? = byte;
        n_squares += 1;
    }
    let or_pawn = Some(role.unwrap_or(Role::Pawn));
    let walk = match (n_squares, squares) {
        (4, [file, rank, to_file, to_rank]) => {
            let (from_file, from_rank) = (Some(read_file(file)?), Some(read_rank(rank)?));
            Walk {
                role,
                from_file,
                from_rank,
                to_file: read_file(to_file)?,
                to_rank: Some(read_rank(to_rank)?),
                promotion,
            }
        }
        (3, [from, to_file, to_rank, _]) => {
            let (from_file, from_rank) = (read_file(from), read_rank(from));
            from_file.or(from_rank)?;
            let (to_file, to_rank) = (read_file(to_file)?, Some(read_rank(to_rank)?));
            Walk { role: or_pawn, from_file, from_rank, to_file, to_rank, promotion }
        }
        (2, [to_file, to_rank, ..]) if read_rank(to_rank).is_some() => {
            let (to_file, to_rank) = (read_file(to_file)?, read_rank(to_rank));
            Walk { role: or_pawn, to_file, to_rank, promotion, ..Walk::default() }
        }
        (2, [from, to_file, ..]) if role.is_none() && text.contains(&b'x') => {
            let (from_file, to_file) = (Some(read_file(from)?), read_file(to_file)?);
            Walk { role: or_pawn, from_file, to_file, promotion, ..Walk::default() }
        }
        _ => return None,
    };
    Some(walk)
}

/// Takes `=Q`, `(Q)` or `Q` off the end of a move. A letter without `=` counts only behind a rank.
fn split_promotion(text: &[u8]) -> (&[u8], Option<Role>) {
    let (head, letter) = match text {
        [head @ .., b'=', letter] | [head @ .., b'(', letter, b')'] => (head, letter),
        [head @ .., letter] if head.last().is_some_and(u8::is_ascii_digit) && letter.is_ascii_alphabetic() => {
            (head, letter)
        }
        _ => return (text, None),
    };
    match Role::from_letter(*letter) {
        Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => (head, Some(role)),
        _ => (text, None),
    }
}

fn read_file(letter: u8) -> Option<u8> {
    letter.checked_sub(b'a').filter(|&file| file < 8)
}

fn read_rank(digit: u8) -> Option<u8> {
    digit.checked_sub(b'1').filter(|&rank| rank < 8)
}
