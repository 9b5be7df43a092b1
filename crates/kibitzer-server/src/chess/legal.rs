//! Which moves the rules allow, and how a game ends by them.

use std::ops::ControlFlow;

use cozy_chess::{BitBoard, Rank, get_between_rays, get_pawn_attacks, get_pawn_quiets};
use kibitzer_core::chess::{CastlingSide, Color, Piece, Role, Square};

use super::moves::{CastlingSquares, Move};
use super::placement::{from_table, table_color, to_table};
use super::position::Position;
use super::variant::Variant;

/// What a pawn may become, the usual choice first.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

/// How a position ends a game by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side has the pieces to give mate.
    NoMaterial,
}

impl Position {
    /// Every legal move, in an order that depends on the position alone.
    pub(crate) fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        let _ = self.try_each_legal(|legal| {
            moves.push(legal);
            ControlFlow::Continue(())
        });
        moves
    }

    /// Whether the rules allow this move.
    pub(crate) fn is_legal(&self, asked: Move) -> bool {
        self.try_each_legal(|legal| if legal == asked { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            .is_break()
    }

    /// Whether the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        self.placement.is_in_check(self.side_to_move)
    }

    /// The piece of `by` worth least that attacks a square, whether or not it is pinned.
    pub(crate) fn cheapest_attacker(&self, square: Square, by: Color) -> Option<Role> {
        let attackers = self.placement.attackers(square, by);
        Role::ALL.into_iter().find(|&role| !(attackers & self.placement.of_role(role)).is_empty())
    }

    /// Where this side's king stands.
    pub(crate) fn king(&self, color: Color) -> Option<Square> {
        self.placement.king(color)
    }

    /// Whether this position ends the game. Repetition and the 50-move rule are the game's to know.
    ///
    /// In bughouse a check that some piece put between would stop is no mate, and a side without a move is not stalemated:
    /// the partner may still pass a piece.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        if self.lacks_material(Color::White) && self.lacks_material(Color::Black) {
            return Some(Verdict::NoMaterial);
        }
        if self.has_legal_move() || (self.variant == Variant::Bughouse && self.could_be_saved_by_a_piece()) {
            return None;
        }
        Some(if self.is_check() { Verdict::Checkmate } else { Verdict::Stalemate })
    }

    /// Whether this side cannot mate whatever happens: a bare king, or a king with one knight or bishop. Never so in
    /// variants with drops.
    pub(crate) fn lacks_material(&self, color: Color) -> bool {
        let count = |role| self.placement.of(Piece { color, role }).len();
        !self.variant.has_hands()
            && [Role::Pawn, Role::Rook, Role::Queen].into_iter().all(|role| count(role) == 0)
            && count(Role::Knight) + count(Role::Bishop) <= 1
    }

    /// The file of a pawn that can be taken en passant now.
    pub(super) fn capturable_en_passant(&self) -> Option<u8> {
        let square = self.en_passant?;
        let is_taken = |legal| matches!(legal, Move::Normal { role: Role::Pawn, from, to, .. } if to == square && from.file() != to.file());
        self.try_each_legal(|legal| if is_taken(legal) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            .is_break()
            .then_some(square.file())
    }

    pub(super) fn has_legal_move(&self) -> bool {
        self.try_each_legal(|_| ControlFlow::Break(())).is_break()
    }

    /// Whether a piece that the side to move does not hold yet could be dropped to some use.
    fn could_be_saved_by_a_piece(&self) -> bool {
        let mut with_queen = *self;
        with_queen.add_to_hand(self.side_to_move, Role::Queen);
        with_queen.has_legal_move()
    }

    /// Calls `f` with each legal move until it breaks.
    pub(super) fn try_each_legal(&self, mut f: impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut if_safe = |tried: Move| {
            if self.placement_after(tried).is_in_check(self.side_to_move) {
                ControlFlow::Continue(())
            } else {
                f(tried)
            }
        };
        self.try_each_walk(&mut if_safe)?;
        self.try_each_castling(&mut if_safe)?;
        // A drop exposes no king; it only has to stop a check.
        if self.is_check() { self.try_each_drop(&mut if_safe) } else { self.try_each_drop(&mut f) }
    }

    /// Moves of pieces on the board as they go, whatever happens to the king.
    fn try_each_walk(&self, f: &mut impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        let own = self.placement.of_color(self.side_to_move);
        for from in own.into_iter().map(from_table) {
            let Some(role) = self.placement.role(from) else { continue };
            let targets =
                if role == Role::Pawn { self.pawn_targets(from) } else { self.placement.reach(role, from) & !own };
            for to in targets.into_iter().map(from_table) {
                if role == Role::Pawn && to.rank() == Self::last_rank(self.side_to_move) {
                    PROMOTIONS
                        .into_iter()
                        .try_for_each(|become_| f(Move::Normal { role, from, to, promotion: Some(become_) }))?;
                } else {
                    f(Move::Normal { role, from, to, promotion: None })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pawn_targets(&self, from: Square) -> BitBoard {
        let (at, color) = (to_table(from), table_color(self.side_to_move));
        let en_passant = self.en_passant.map_or(BitBoard::EMPTY, |square| to_table(square).bitboard());
        let takes = self.placement.of_color(self.side_to_move.opponent()) | en_passant;
        get_pawn_quiets(at, color, self.placement.occupied()) | (get_pawn_attacks(at, color) & takes)
    }

    fn try_each_castling(&self, f: &mut impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        CastlingSide::BOTH.into_iter().filter(|&side| self.may_castle(side)).try_for_each(|side| f(Move::Castle(side)))
    }

    /// Whether the right is there, king and rook have free ways, and the king neither stands in check nor passes through one.
    fn may_castle(&self, side: CastlingSide) -> bool {
        let color = self.side_to_move;
        if !self.castling.has(color, side) {
            return false;
        }
        let squares = CastlingSquares::of(self.castling_files, color, side);
        let [king_from, king_to, rook_from, rook_to] =
            [squares.king_from, squares.king_to, squares.rook_from, squares.rook_to].map(to_table);
        let passed = get_between_rays(king_from, king_to);
        let needed = passed | get_between_rays(rook_from, rook_to) | king_to.bitboard() | rook_to.bitboard();
        let others = self.placement.occupied() & !(king_from.bitboard() | rook_from.bitboard());
        let is_safe = |square| self.placement.attackers(from_table(square), color.opponent()).is_empty();
        (needed & others).is_empty() && (passed | king_from.bitboard()).into_iter().all(is_safe)
    }

    fn try_each_drop(&self, f: &mut impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        let (hand, empty) = (self.hand(), !self.placement.occupied());
        let edges = Rank::First.bitboard() | Rank::Eighth.bitboard();
        for role in Role::ALL.into_iter().filter(|&role| hand.count(role) > 0) {
            let squares = if role == Role::Pawn { empty & !edges } else { empty };
            squares.into_iter().try_for_each(|to| f(Move::Drop { role, to: from_table(to) }))?;
        }
        ControlFlow::Continue(())
    }

    /// The legal moves of other pieces of the same role to the same square: what a spelling has to rule out.
    pub(super) fn rivals(&self, role: Role, from: Square, to: Square) -> impl Iterator<Item = Square> {
        let same = self.placement.of(Piece { color: self.side_to_move, role });
        let others = self.placement.reach(role, to) & same & !to_table(from).bitboard();
        let position = *self;
        others.into_iter().map(from_table).filter(move |&from| {
            let rival = Move::Normal { role, from, to, promotion: None };
            !position.placement_after(rival).is_in_check(position.side_to_move)
        })
    }
}
