//! Moves in Smith notation, as delta boards and ICC's datagrams write them.

use super::last_move::parse_drop;
use super::{Board, CastlingSide, LastMove, Role, Square};

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

#[cfg(test)]
mod tests;
