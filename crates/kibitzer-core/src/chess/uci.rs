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
mod tests {
    use super::super::CastlingSide::{Long, Short};
    use super::super::Role;
    use super::super::board::tests::square;
    use super::super::last_move::tests::{castle, normal};
    use super::*;

    fn uci(last_move: LastMove, mover: Color) -> Option<String> {
        last_move.to_uci(mover).map(|uci| uci.to_string())
    }

    #[test]
    fn walks_promotions_and_drops() {
        let cases = [
            (normal(Role::Pawn, "e2", "e4", None), "e2e4"),
            (normal(Role::King, "e1", "g1", None), "e1g1"),
            (normal(Role::Pawn, "e7", "e8", Some(Role::Queen)), "e7e8q"),
            (normal(Role::Pawn, "a2", "b1", Some(Role::Knight)), "a2b1n"),
            (normal(Role::Pawn, "a2", "b1", Some(Role::King)), "a2b1k"),
            (LastMove::Drop { role: Role::Knight, to: square("f3") }, "N@f3"),
            (LastMove::Drop { role: Role::Pawn, to: square("h7") }, "P@h7"),
        ];
        for (last_move, want) in cases {
            assert_eq!(uci(last_move, Color::White).as_deref(), Some(want));
        }
        assert_eq!(uci(LastMove::Hidden, Color::White), None);
    }

    // Rules: style12 V2, bugs 31
    #[test]
    fn castling_is_the_kings_way_or_the_chess960_form() {
        let cases = [
            (castle(Short, "", ""), Color::White, Some("e1g1")),
            (castle(Long, "", ""), Color::White, Some("e1c1")),
            (castle(Short, "", ""), Color::Black, Some("e8g8")),
            (castle(Long, "", ""), Color::Black, Some("e8c8")),
            (castle(Short, "e1", "h1"), Color::White, Some("e1g1")),
            (castle(Long, "e8", "b8"), Color::Black, Some("e8c8")),
            (castle(Short, "d1", "h1"), Color::White, Some("d1h1")),
            (castle(Long, "b8", "a8"), Color::Black, Some("b8a8")),
            (castle(Short, "f1", ""), Color::White, None),
        ];
        for (last_move, mover, want) in cases {
            assert_eq!(uci(last_move, mover).as_deref(), want, "{last_move:?}");
        }
    }
}
