//! Notations of a move that depend on the position.

use kibitzer_core::chess::{CastlingSide, Role, Square};

use super::legal::Termination;
use super::moves::{CastlingSquares, Move, castling_san};
use super::position::Position;

impl Position {
    /// Formats a legal move in standard algebraic notation, with `+` or `#`: style 12's field 29.
    pub(crate) fn san(&self, played: Move) -> String {
        let mut san = match played {
            Move::Castle(side) => castling_san(side).to_owned(),
            Move::Drop { role, to } => format!("{}@{to}", role.letter()),
            Move::Normal { role, from, to, promotion } => self.board_move_to_san(role, from, to, promotion),
        };
        let after = self.after(played);
        if after.is_check() {
            san.push(if after.termination() == Some(Termination::Checkmate) { '#' } else { '+' });
        }
        san
    }

    /// Formats a move of a piece on the board, without castling, drops and the mark of a check.
    fn board_move_to_san(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> String {
        // En passant included: the target square may be empty.
        let takes = self.captured_square_and_role(Move::Normal { role, from, to, promotion }).is_some();
        let mut san = String::with_capacity(8);
        if role == Role::Pawn {
            san.extend(takes.then(|| file_letter(from)));
        } else {
            san.push(role.letter());
            self.push_disambiguation(&mut san, role, from, to);
        }
        san.extend(takes.then_some('x'));
        san.push_str(&to.to_string());
        san.extend(promotion.into_iter().flat_map(|role| ['=', role.letter()]));
        san
    }

    /// Appends as much of the origin as distinguishes the move from those of other pieces: nothing, the file, the rank, or both.
    fn push_disambiguation(&self, san: &mut String, role: Role, from: Square, to: Square) {
        let rivals: Vec<_> = self.other_origins(role, from, to).collect();
        if rivals.is_empty() {
            return;
        }
        let file_tells = rivals.iter().all(|rival| rival.file() != from.file());
        let rank_tells = rivals.iter().all(|rival| rival.rank() != from.rank());
        let (file, rank) = (file_letter(from), char::from(b'1' + from.rank()));
        san.extend((file_tells || !rank_tells).then_some(file));
        san.extend((!file_tells).then_some(rank));
    }

    /// Formats a legal move in the notation of delta boards: `e2e4`, `c1h6n`, `e5d6E`, `a7b8nQ`, `e1g1c`, `e8c8C`, `Q@f7`.
    ///
    /// Source: FICS help file `deltaboard`.
    pub(crate) fn smith_notation(&self, played: Move) -> String {
        match played {
            Move::Castle(side) => {
                let squares = CastlingSquares::of(self.castling_files, self.side_to_move, side);
                let mark = if side == CastlingSide::Short { 'c' } else { 'C' };
                format!("{}{}{mark}", squares.king_from, squares.king_to)
            }
            Move::Drop { role, to } => format!("{}@{to}", role.letter()),
            Move::Normal { from, to, promotion, .. } => {
                let mut word = format!("{from}{to}");
                word.extend(
                    self.captured_square_and_role(played)
                        .map(|(square, role)| if square == to { role.letter().to_ascii_lowercase() } else { 'E' }),
                );
                word.extend(promotion.map(Role::letter));
                word
            }
        }
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}
