//! Moves as chess engines write them.

use std::fmt::{self, Write as _};

use super::last_move::castling_target_files;
use super::{Color, LastMove, Square};

impl LastMove {
    /// Returns the move in UCI notation, for display: `e2e4`, `e7e8q`, `N@f3` for a drop.
    ///
    /// Castling from the e-file, or from an unknown square, is written as the king's move: `e1g1`, `e8c8`. From another file it
    /// is written as the king capturing its own rook, as with the option `UCI_Chess960`: `d1h1`.
    ///
    /// `None` for a hidden move, and for castling from another file if the rook's square is unknown.
    pub fn to_uci(self, mover: Color) -> Option<impl fmt::Display> {
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
        Some(fmt::from_fn(move |f| {
            origin.into_iter().try_for_each(|letter| f.write_char(char::from(letter)))?;
            write!(f, "{to}")?;
            promotion.into_iter().try_for_each(|role| f.write_char(role.letter().to_ascii_lowercase()))
        }))
    }
}

const E_FILE: u8 = 4;

#[cfg(test)]
mod tests;
