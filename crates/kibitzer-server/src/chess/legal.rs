//! Legal moves, and positions that end a game.

use cozy_chess::{BitBoard, Rank, get_between_rays, get_pawn_attacks, get_pawn_quiets};
use kibitzer_core::chess::{CastlingSide, Color, LastMove, Piece, Role, Square};
use kibitzer_core::message::GameEndReason;

use super::Variant;
use super::position::{CastlingSquares, Position, from_cozy_square, to_cozy_color, to_cozy_square};

/// Roles that a pawn may promote to; the order is part of what a seed determines.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

impl Position {
    /// Returns all legal moves, in an order that depends on the position alone.
    pub(crate) fn legal_moves(&self) -> Vec<LastMove> {
        let is_check = self.is_check();
        let mut moves = self.pseudo_legal_moves();
        moves.retain(|&played| self.leaves_king_safe(played, is_check));
        moves
    }

    pub(crate) fn is_legal(&self, played: LastMove) -> bool {
        self.pseudo_legal_moves().contains(&played) && self.leaves_king_safe(played, self.is_check())
    }

    /// Returns whether the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        self.placement.is_in_check(self.side_to_move)
    }

    /// Returns the role of the least valuable piece of `by` that attacks a square, pinned or not; `None` if none does.
    pub(crate) fn least_valuable_attacker(&self, square: Square, by: Color) -> Option<Role> {
        let attackers = self.placement.attackers(square, by);
        Role::ALL.into_iter().find(|&role| !(attackers & self.placement.of_role(role)).is_empty())
    }

    /// Returns the square of a side's king; `None` in a position without it.
    pub(crate) fn king(&self, color: Color) -> Option<Square> {
        self.placement.king_square(color)
    }

    /// Returns why the game ends in this position: mate of the side to move, stalemate, or because neither side has the pieces to
    /// mate. `None` if the game continues. Repetition and the 50-move rule need the game's
    /// history and are not checked.
    ///
    /// In bughouse, neither a check that a dropped piece would block nor a side without a move ends the game, as the partner
    /// may still pass a piece.
    pub(crate) fn termination(&self) -> Option<GameEndReason> {
        if self.has_insufficient_material(Color::White) && self.has_insufficient_material(Color::Black) {
            return Some(GameEndReason::Material);
        }
        // Any piece may be passed; a queen blocks as many checks as any other.
        let mut next = *self;
        if self.variant == Variant::Bughouse {
            next.hands.of_mut(self.side_to_move).add(Role::Queen);
        }
        let is_check = next.is_check();
        if next.pseudo_legal_moves().into_iter().any(|played| next.leaves_king_safe(played, is_check)) {
            return None;
        }
        Some(if self.is_check() { GameEndReason::Mate } else { GameEndReason::Stalemate })
    }

    /// Returns whether a side can never mate: a bare king, or a king with one knight or bishop. `false` in variants with drops.
    pub(crate) fn has_insufficient_material(&self, color: Color) -> bool {
        let count = |role| self.placement.of_piece(Piece { color, role }).len();
        !self.variant.has_hands()
            && [Role::Pawn, Role::Rook, Role::Queen].into_iter().all(|role| count(role) == 0)
            && count(Role::Knight) + count(Role::Bishop) <= 1
    }

    /// Returns the file of a pawn that can legally be captured en passant now.
    pub(super) fn legal_en_passant_file(&self) -> Option<u8> {
        let square = self.en_passant?;
        let captures = |legal| matches!(legal, LastMove::Normal { role: Role::Pawn, from, to, .. } if to == square && from.file() != to.file());
        self.legal_moves().into_iter().any(captures).then_some(square.file())
    }

    /// Returns whether a pseudo-legal move leaves the own king out of check. A drop exposes no king, so that it only has to end
    /// a check.
    fn leaves_king_safe(&self, played: LastMove, was_in_check: bool) -> bool {
        let is_harmless = !was_in_check && matches!(played, LastMove::Drop { .. });
        is_harmless || !self.placement_after(played).is_in_check(self.side_to_move)
    }

    /// Returns all moves by the movement of the pieces, including those that leave the own king in check.
    fn pseudo_legal_moves(&self) -> Vec<LastMove> {
        let mut moves = Vec::with_capacity(64);
        let own = self.placement.of_color(self.side_to_move);
        let last_rank = self.side_to_move.opponent().home_rank();
        let pawn_color = to_cozy_color(self.side_to_move);
        let en_passant = self.en_passant.map_or(BitBoard::EMPTY, |square| to_cozy_square(square).bitboard());
        let takes = self.placement.of_color(self.side_to_move.opponent()) | en_passant;
        for from in own.into_iter().map(from_cozy_square) {
            let Some(role) = self.placement.role_at(from) else { continue };
            let targets = if role == Role::Pawn {
                let at = to_cozy_square(from);
                get_pawn_quiets(at, pawn_color, self.placement.occupied()) | (get_pawn_attacks(at, pawn_color) & takes)
            } else {
                self.placement.attacks_of_non_pawn(role, from) & !own
            };
            for to in targets.into_iter().map(from_cozy_square) {
                if role == Role::Pawn && to.rank() == last_rank {
                    let promoted = |promotion| LastMove::Normal { role, from, to, promotion: Some(promotion) };
                    moves.extend(PROMOTIONS.map(promoted));
                } else {
                    moves.push(LastMove::Normal { role, from, to, promotion: None });
                }
            }
        }
        let sides = CastlingSide::BOTH.into_iter().filter(|&side| self.is_castling_pseudo_legal(side));
        moves.extend(sides.map(|side| LastMove::Castle { side, king_from: None, rook_from: None }));
        let (hand, empty) = (self.hands.of(self.side_to_move), !self.placement.occupied());
        let edges = Rank::First.bitboard() | Rank::Eighth.bitboard();
        for role in Role::ALL.into_iter().filter(|&role| hand.count(role) > 0) {
            let squares = if role == Role::Pawn { empty & !edges } else { empty };
            moves.extend(squares.into_iter().map(|to| LastMove::Drop { role, to: from_cozy_square(to) }));
        }
        moves
    }

    /// Returns whether the side to move has the right to castle, the squares between are free, and the king neither is in check
    /// nor passes an attacked square. The target square is checked like that of any other move.
    fn is_castling_pseudo_legal(&self, side: CastlingSide) -> bool {
        let color = self.side_to_move;
        if !self.castling.has(color, side) {
            return false;
        }
        let squares = CastlingSquares::of(self.castling_files, color, side);
        let [king_from, king_to, rook_from, rook_to] =
            [squares.king_from, squares.king_to, squares.rook_from, squares.rook_to].map(to_cozy_square);
        let passed = get_between_rays(king_from, king_to);
        let needed = passed | get_between_rays(rook_from, rook_to) | king_to.bitboard() | rook_to.bitboard();
        let others = self.placement.occupied() & !(king_from.bitboard() | rook_from.bitboard());
        let is_safe = |square| self.placement.attackers(from_cozy_square(square), color.opponent()).is_empty();
        (needed & others).is_empty() && (passed | king_from.bitboard()).into_iter().all(is_safe)
    }

    /// Returns the origins of other pieces of the same role that can legally move to the same square; none for a pawn.
    pub(super) fn other_origins(&self, role: Role, from: Square, to: Square) -> impl Iterator<Item = Square> {
        let same = self.placement.of_piece(Piece { color: self.side_to_move, role });
        let others = self.placement.attacks_of_non_pawn(role, to) & same & !to_cozy_square(from).bitboard();
        let position = *self;
        others.into_iter().map(from_cozy_square).filter(move |&from| {
            let rival = LastMove::Normal { role, from, to, promotion: None };
            !position.placement_after(rival).is_in_check(position.side_to_move)
        })
    }
}
