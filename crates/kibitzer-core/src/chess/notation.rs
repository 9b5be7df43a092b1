//! Moves in algebraic notation, in Smith notation, and as chess engines write them. ICC reports moves in algebraic notation only, unless
//! the client requests another one.

use std::fmt;
use std::iter::successors;

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::chess::last_move::{castling_target_files, parse_castling_word, parse_drop, promotion_in_san};
use crate::chess::{Board, CastlingSide, Color, LastMove, Piece, Role, Square};

/// A move in standard algebraic notation (SAN): the role and the destination of a piece, and as much of its origin as is needed
/// to identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SanMove {
    /// `Nf3`, `Nbd2`, `R1e2`, `exd5`, `e8=Q`.
    Normal {
        /// The role of the piece that moves.
        role: Role,
        /// The file of departure, if the notation has it; 0 is the a-file.
        from_file: Option<u8>,
        /// The rank of departure, if the notation has it; 0 is the first rank.
        from_rank: Option<u8>,
        /// Where it goes.
        to: Square,
        /// Whether the notation has the `x` of a capture.
        is_capture: bool,
        /// The role that a pawn is promoted to.
        promotion: Option<Role>,
    },
    /// `O-O`, `O-O-O`.
    Castle(CastlingSide),
    /// `N@e4`, `@e4` for a pawn.
    Drop {
        /// The role of the piece.
        role: Role,
        /// Where it goes.
        to: Square,
    },
    /// `?`: the server hides the move (kriegspiel on ICC).
    Hidden,
}

impl SanMove {
    /// Parses one move; `None` if it is not in algebraic notation. Ignores `+` and `#` at the end; the `=` before a promotion may
    /// be missing. Castling may also be written with `o` or `0`, and without hyphens. `?` with any text after it is a hidden
    /// move.
    ///
    /// Source: the PGN standard; ICC's description of its formats.
    pub fn parse(word: &[u8]) -> Option<Self> {
        let word = trim_check_signs(word);
        let drop = |role, square| parse_drop(role, square).map(|(role, to)| Self::Drop { role, to });
        match *word {
            [b'?', ..] => Some(Self::Hidden),
            [b'@', file, rank] => drop(b'P', [file, rank]),
            [role, b'@', file, rank] => drop(role, [file, rank]),
            _ => parse_castling_word(word).map(Self::Castle).or_else(|| Self::parse_board_move(word)),
        }
    }

    /// Parses a move other than a drop, a castling or a hidden move.
    fn parse_board_move(word: &[u8]) -> Option<Self> {
        let (role, rest) = match word.split_first()? {
            (&letter, rest) if letter.is_ascii_uppercase() => (Role::from_letter(letter)?, rest),
            _ => (Role::Pawn, word),
        };
        let (squares, promotion) = split_promotion(role, rest)?;
        let (from, &[file, rank]) = squares.split_last_chunk()?;
        let (from, is_capture) = from.strip_suffix(b"x").map_or((from, false), |from| (from, true));
        let (from_file, from_rank) = match *from {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        let to = Square::from_letters(file, rank)?;
        Some(Self::Normal { role, from_file, from_rank, to, is_capture, promotion })
    }

    /// Returns whether the notation contains the `x` of a capture.
    pub(crate) const fn is_capture(self) -> bool {
        matches!(self, Self::Normal { is_capture: true, .. })
    }

    /// Converts to a move with both squares, by finding the piece that can make it on `before`, the board before the move.
    ///
    /// If several pieces can reach the square, those that would leave their own king attacked are excluded. `None` if no piece
    /// can make the move, or more than one remains; for castling, if no king and rook for it are found; for a drop, if the square
    /// is not empty. Checks no other rule.
    pub fn to_last_move(self, before: &Board, mover: Color) -> Option<LastMove> {
        match self {
            Self::Normal { .. } => self.resolve_origin(before, mover),
            Self::Castle(side) => {
                let castle = LastMove::Castle { side, king_from: None, rook_from: None }
                    .with_castling_squares(before, None, mover);
                let can = matches!(castle, LastMove::Castle { king_from: Some(_), rook_from: Some(_), .. });
                can.then_some(castle)
            }
            Self::Drop { role, to } => before.piece(to).is_none().then_some(LastMove::Drop { role, to }),
            Self::Hidden => Some(LastMove::Hidden),
        }
    }

    /// Returns the move of the only piece that can make it; if several can, of the only one that leaves its king safe. `None` if
    /// there is no such piece, or more than one.
    fn resolve_origin(self, before: &Board, mover: Color) -> Option<LastMove> {
        let Self::Normal { role, from_file, from_rank, to, promotion, .. } = self else { return None };
        // A pawn's capture always has its file.
        let from_file = from_file.or_else(|| (role == Role::Pawn).then_some(to.file()));
        let piece = Piece { color: mover, role };
        let fits_origin = |from: Square| {
            from_file.is_none_or(|file| file == from.file()) && from_rank.is_none_or(|rank| rank == from.rank())
        };
        let able = before.pieces().filter(|&(from, found)| found == piece && fits_origin(from));
        let able: SmallVec<[LastMove; 4]> = able
            .filter(|&(from, _)| before.can_move_between(piece, from, to))
            .map(|(from, _)| LastMove::Normal { role, from, to, promotion })
            .collect();
        if let [only] = able[..] {
            return Some(only);
        }
        let mut safe = able.into_iter().filter(|&played| before.leaves_king_safe(played, mover));
        safe.next().filter(|_| safe.next().is_none())
    }
}

/// Splits the text after the piece letter into the squares and the role of a promotion, which only a pawn's move can have. `role`
/// is that of the moved piece. `None` if the text is empty, or the role of the promotion is invalid.
fn split_promotion(role: Role, rest: &[u8]) -> Option<(&[u8], Option<Role>)> {
    let letters = match rest.split_last()? {
        (last, squares) if role == Role::Pawn && last.is_ascii_uppercase() => squares,
        _ => return Some((rest, None)),
    };
    Some((letters.strip_suffix(b"=").unwrap_or(letters), Some(promotion_in_san(rest)?)))
}

impl Board {
    /// Returns whether this piece could move from one square to the other on this board, if it were on the first one. Ignores the
    /// side to move, checks and castling.
    fn can_move_between(&self, piece: Piece, from: Square, to: Square) -> bool {
        let is_free = self.piece(to).is_none_or(|target| target.color != piece.color);
        let (files, ranks) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
        let is_straight = files == 0 || ranks == 0;
        let is_diagonal = files == ranks;
        is_free
            && match piece.role {
                Role::Pawn => self.pawn_can_move(piece.color, from, to),
                Role::Knight => files.min(ranks) == 1 && files.max(ranks) == 2,
                Role::King => files.max(ranks) == 1,
                Role::Bishop => is_diagonal && self.is_path_empty(from, to),
                Role::Rook => is_straight && self.is_path_empty(from, to),
                Role::Queen => (is_straight || is_diagonal) && self.is_path_empty(from, to),
            }
    }

    /// Returns whether a pawn can move from one square to the other: from any rank one or two squares forward if they are empty,
    /// or one square diagonally forward, whether or not it captures there.
    fn pawn_can_move(&self, color: Color, from: Square, to: Square) -> bool {
        let ahead = |n| match color {
            Color::White => from.rank().checked_add(n),
            Color::Black => from.rank().checked_sub(n),
        };
        if from.file() != to.file() {
            // A diagonal move to an empty square captures en passant.
            return from.file().abs_diff(to.file()) == 1 && ahead(1) == Some(to.rank());
        }
        let is_push = ahead(1) == Some(to.rank()) || ahead(2) == Some(to.rank()) && self.is_path_empty(from, to);
        is_push && self.piece(to).is_none()
    }

    /// Returns whether all squares strictly between two squares are empty. The two have to be on one rank, file or diagonal.
    fn is_path_empty(&self, from: Square, to: Square) -> bool {
        let step = |from: u8, to: u8| i8::from(to > from) - i8::from(to < from);
        let (file_step, rank_step) = (step(from.file(), to.file()), step(from.rank(), to.rank()));
        let next = |at: &Square| at.offset((file_step, rank_step));
        successors(next(&from), next).take_while(|&at| at != to).all(|at| self.piece(at).is_none())
    }

    /// Returns whether the mover's king is not attacked after this move. `true` if the mover has no king, `false` if the move
    /// does not fit this board.
    fn leaves_king_safe(mut self, played: LastMove, mover: Color) -> bool {
        self.apply(played, mover).is_ok() && !self.is_in_check(mover)
    }

    /// Returns whether a piece of the other side attacks the king of this side; `false` without a king.
    pub fn is_in_check(&self, color: Color) -> bool {
        let Some(king) = self.find_king(color) else { return false };
        let attacks = |from: Square| {
            let enemy = self.piece(from).filter(|piece| piece.color != color);
            enemy.is_some_and(|piece| self.can_move_between(piece, from, king))
        };
        // From the king outwards, because most of the pieces are far from it.
        let nearest =
            |step| successors(king.offset(step), move |at| at.offset(step)).find(|at| self.piece(*at).is_some());
        KING_STEPS.into_iter().filter_map(nearest).any(attacks)
            || KNIGHT_STEPS.into_iter().filter_map(|step| king.offset(step)).any(attacks)
    }
}

/// Steps of a king, in files and ranks: the directions in which all pieces but knights move.
const KING_STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Steps of a knight, in files and ranks.
const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A move in Smith notation (FICS calls it long algebraic): two squares, and the captured piece, so that the move can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SmithMove {
    /// `e2e4`, `c1h6n`, `e5d6E`, `a7b8nQ`: a piece moved from one square to another. Only the board shows the role of the piece.
    Normal {
        /// Where it came from.
        from: Square,
        /// Where it went.
        to: Square,
        /// Role of the captured piece.
        capture: Option<Role>,
        /// The role that a pawn was promoted to.
        promotion: Option<Role>,
    },
    /// `e1g1c` short, `e8c8C` long: castling.
    Castle {
        /// Short or long.
        side: CastlingSide,
        /// Where the king came from.
        from: Square,
        /// Where the king went.
        to: Square,
    },
    /// `Q@f7`: a drop from the reserve.
    Drop {
        /// The role of the piece.
        role: Role,
        /// Where it went.
        to: Square,
    },
    /// `?`: the server hides the move (kriegspiel on ICC).
    Hidden,
}

impl SmithMove {
    /// Parses one move; `None` if it is not in Smith notation. Ignores `+` and `#` at the end.
    ///
    /// Forms: two squares; then one of `pnbrqk` in lower case for a captured piece of either color, `E` for an en passant
    /// capture, or `c` for short and `C` for long castling; then one of `NBRQK` in upper case for a promotion. Or a drop, `Q@f7`;
    /// or `?` with any text after it.
    ///
    /// Source: FICS help file `deltaboard`, ICC's description of its formats.
    pub(crate) fn parse(word: &[u8]) -> Option<Self> {
        match *trim_check_signs(word) {
            [b'?', ..] => Some(Self::Hidden),
            [role, b'@', file, rank] => parse_drop(role, [file, rank]).map(|(role, to)| Self::Drop { role, to }),
            [from_file, from_rank, to_file, to_rank, ref suffix @ ..] => {
                let from = Square::from_letters(from_file, from_rank)?;
                let to = Square::from_letters(to_file, to_rank)?;
                Self::parse_suffix(from, to, suffix)
            }
            _ => None,
        }
    }

    /// Returns the role of the captured piece; `None` without a capture, and for a hidden move, where it is unknown.
    pub(crate) const fn captured(self) -> Option<Role> {
        match self {
            Self::Normal { capture, .. } => capture,
            _ => None,
        }
    }

    /// Parses the letters after the two squares: capture and promotion, or castling; `None` if they are anything else.
    fn parse_suffix(from: Square, to: Square, suffix: &[u8]) -> Option<Self> {
        let (capture, rest) = match suffix {
            [b'E', rest @ ..] => (Some(Role::Pawn), rest),
            [letter @ (b'p' | b'n' | b'b' | b'r' | b'q' | b'k'), rest @ ..] => (Role::from_letter(*letter), rest),
            _ => (None, suffix),
        };
        let promotion = match *rest {
            [] => None,
            [b'c'] if capture.is_none() => return Some(Self::Castle { side: CastlingSide::Short, from, to }),
            [b'C'] if capture.is_none() => return Some(Self::Castle { side: CastlingSide::Long, from, to }),
            [letter] if letter.is_ascii_uppercase() => Some(Role::from_promotion_letter(letter)?),
            _ => return None,
        };
        Some(Self::Normal { from, to, capture, promotion })
    }

    /// Converts to a reported move, with the role of the moved piece from `before`, the board before the move. `None` if the
    /// square of departure is empty on it.
    pub(crate) fn to_last_move(self, before: &Board) -> Option<LastMove> {
        match self {
            Self::Normal { from, to, promotion, .. } => {
                let role = before.piece(from)?.role;
                Some(LastMove::Normal { role, from, to, promotion })
            }
            Self::Castle { side, from, to } => {
                let mover = before.piece(from)?.color;
                let castle = LastMove::Castle { side, king_from: Some(from), rook_from: None };
                Some(castle.with_castling_squares(before, Some(to), mover))
            }
            Self::Drop { role, to } => Some(LastMove::Drop { role, to }),
            Self::Hidden => Some(LastMove::Hidden),
        }
    }
}

impl LastMove {
    /// Parses a move in Smith notation, as delta boards and ICC's datagrams write it: `e2e4`, `a7b8nQ`, `e1g1c`. Finds the role of the
    /// moved piece on `before`, the board before the move. `None` if the word is in another notation, or if the square of departure
    /// is empty.
    ///
    /// Source: FICS help file `deltaboard`, ICC's description of its formats.
    #[doc(hidden)]
    pub fn parse_smith(word: &[u8], before: &Board) -> Option<Self> {
        SmithMove::parse(word)?.to_last_move(before)
    }
}

/// Returns the word without all `+` and `#` at its end.
pub(super) fn trim_check_signs(mut word: &[u8]) -> &[u8] {
    while let [head @ .., b'+' | b'#'] = word {
        word = head;
    }
    word
}

impl LastMove {
    /// Returns the move in UCI notation, for display: `e2e4`, `e7e8q`, `N@f3` for a drop.
    ///
    /// Castling from the e-file, or from an unknown square, is written as the king's move: `e1g1`, `e8c8`. From another file it
    /// is written as the king capturing its own rook, as with the option `UCI_Chess960`: `d1h1`.
    ///
    /// `None` for a hidden move, and for castling from another file if the rook's square is unknown.
    pub fn to_uci(self, mover: Color) -> Option<impl fmt::Display> {
        self.uci_text(mover)
    }

    /// Returns the move in UCI notation; see [`to_uci`](Self::to_uci).
    pub(crate) fn uci_text(self, mover: Color) -> Option<SmolStr> {
        let (origin, to, promotion) = match self {
            Self::Normal { from, to, promotion, .. } => (from.letters(), to, promotion),
            Self::Drop { role, to } => ([role.letter_byte(), b'@'], to, None),
            Self::Castle { side, king_from, rook_from } => {
                let from = king_from.unwrap_or(Square::at(E_FILE, mover.home_rank()));
                let (king_file, _) = castling_target_files(side, side);
                let to = if from.file() == E_FILE { Square::at(king_file, from.rank()) } else { rook_from? };
                (from.letters(), to, None)
            }
            Self::Hidden => return None,
        };
        let letters = origin.into_iter().chain(to.letters()).map(char::from);
        let promotion = promotion.map(|role| role.letter().to_ascii_lowercase());
        Some(letters.chain(promotion).collect())
    }
}

const E_FILE: u8 = 4;

#[cfg(test)]
mod tests;
