//! A position, and what a move makes of it.

use kibitzer_core::chess::{Board, CastlingRights, Color, Fen, Hand, Hands, Piece, Role, Square};

use cozy_chess::BitBoard;

use super::moves::{CastlingFiles, CastlingSquares, Move, home_rank};
use super::placement::{Placement, to_table};
use super::variant::Variant;

/// A position with all that the rules need to go on from it, the history for repetitions excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(super) variant: Variant,
    pub(super) placement: Placement,
    pub(super) side_to_move: Color,
    pub(super) castling: CastlingRights,
    pub(super) castling_files: CastlingFiles,
    /// The square behind a pawn that has just gone two squares.
    pub(super) en_passant: Option<Square>,
    pub(super) hands: Hands,
    /// Squares of pieces that were pawns once; they fall back to pawns when taken.
    promoted: BitBoard,
    halfmove_clock: u32,
    move_number: u32,
}

impl Position {
    /// The position in which a game of this variant begins.
    pub(crate) fn start(variant: Variant) -> Self {
        Self::from_fen(variant, &Fen::START)
    }

    /// The start of Chess960 with that number, below 960.
    ///
    /// Source: the numbering of Reinhard Scharnagl; 518 is the start of orthodox chess.
    pub(crate) fn fischer_random(number: usize) -> Self {
        const KNIGHTS: [(usize, usize); 10] =
            [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
        let mut free: Vec<u8> = (0..8).collect();
        let mut take = |index: usize| free.remove(index.min(free.len() - 1));
        // A bishop on each color, by its file; the others by their place among the files that are left.
        let light = take(number % 4 * 2 + 1);
        let dark_file = number / 4 % 4 * 2;
        let dark = take(dark_file - usize::from(dark_file > usize::from(light)));
        let queen = take(number / 16 % 6);
        let (first, second) = KNIGHTS.get(number / 96).copied().unwrap_or_default();
        let knights = [take(second), take(first)];
        let (long_rook, king, short_rook) = (take(0), take(0), take(0));
        let roles = [(light, Role::Bishop), (dark, Role::Bishop), (queen, Role::Queen), (king, Role::King)]
            .into_iter()
            .chain([long_rook, short_rook].map(|file| (file, Role::Rook)))
            .chain(knights.map(|file| (file, Role::Knight)));
        let mut fen = Fen::START;
        for ((file, role), color) in roles.flat_map(|piece| Color::BOTH.map(|color| (piece, color))) {
            if let Some(square) = Square::new(file, home_rank(color)) {
                fen.board.set(square, Some(Piece { color, role }));
            }
        }
        let start = Self::from_fen(Variant::FischerRandom, &fen);
        // Rights are read as those of orthodox chess.
        let castling_files = CastlingFiles { king, short_rook, long_rook };
        Self { castling: fen.castling, castling_files, ..start }
    }

    /// A position as FEN has it. Rights to castle that cannot be true are dropped, and so are hands in a variant without.
    ///
    /// Nothing else is checked: without two kings, or with the side to move able to take one, moves make no sense.
    pub(crate) fn from_fen(variant: Variant, fen: &Fen) -> Self {
        let placement = Placement::from_board(&fen.board);
        Self {
            variant,
            placement,
            side_to_move: fen.side_to_move,
            castling: true_rights(&placement, CastlingFiles::default(), fen.castling),
            castling_files: CastlingFiles::default(),
            en_passant: fen.en_passant,
            hands: fen.hands.filter(|_| variant.has_hands()).unwrap_or_default(),
            promoted: BitBoard::EMPTY,
            halfmove_clock: fen.halfmove_clock,
            move_number: fen.move_number,
        }
    }

    /// The same position in FEN.
    pub(crate) fn fen(&self) -> Fen {
        let mut fen = Fen::from_board(self.board(), self.side_to_move)
            .with_counters(self.halfmove_clock, self.move_number)
            .with_hands(self.variant.has_hands().then_some(self.hands));
        fen.castling = self.castling;
        fen.en_passant = self.en_passant;
        fen
    }

    /// What stands where.
    pub(crate) fn board(&self) -> Board {
        self.placement.to_board()
    }

    /// Whose turn it is.
    pub(crate) const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Who may still castle.
    pub(crate) const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The file of a pawn that has just gone two squares, from 0 for a, whether or not it can be taken.
    pub(crate) fn double_push_file(&self) -> Option<u8> {
        self.en_passant.map(Square::file)
    }

    /// What both sides may drop.
    pub(crate) const fn hands(&self) -> Hands {
        self.hands
    }

    /// Plies since the last capture, pawn move or drop.
    pub(crate) const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// The number of the move about to be made, from 1.
    pub(crate) const fn move_number(&self) -> u32 {
        self.move_number
    }

    /// The worth of this side's pieces, those in hand included: pawn 1, knight and bishop 3, rook 5, queen 9.
    ///
    /// Source: FICS help file `style12`, fields 22 and 23.
    pub(crate) fn material(&self, color: Color) -> u32 {
        let on_board = Role::ALL.into_iter().map(|role| {
            let count = self.placement.of(Piece { color, role }).len();
            count * u32::from(role.material_value())
        });
        let in_hand = self.hands.of(color).roles().map(|role| u32::from(role.material_value()));
        on_board.chain(in_hand).sum()
    }

    /// Adds a piece to a hand, as a bughouse partner's capture does.
    pub(crate) fn add_to_hand(&mut self, color: Color, role: Role) {
        self.hands.of_mut(color).add(role);
    }

    /// Whether the other position is this one for the rule of threefold repetition: the same pieces on the board and in
    /// hand, the same side to move, the same rights, the same pawn to take en passant.
    pub(crate) fn is_repeated_by(&self, other: &Self) -> bool {
        self.placement == other.placement
            && self.side_to_move == other.side_to_move
            && self.hands == other.hands
            && self.castling == other.castling
            && self.capturable_en_passant() == other.capturable_en_passant()
    }

    /// What a move takes, and what it is to a hand: a promoted piece counts as a pawn.
    ///
    /// `None` if it takes nothing.
    pub(crate) fn capture(&self, played: Move) -> Option<Captured> {
        let (square, role) = self.captured(played)?;
        let falls_back = self.promoted.has(to_table(square));
        Some(Captured {
            role,
            for_hand: if falls_back { Role::Pawn } else { role },
            en_passant: played_to(played) != Some(square),
        })
    }

    fn captured(&self, played: Move) -> Option<(Square, Role)> {
        let Move::Normal { role, from, to, .. } = played else { return None };
        match self.placement.role(to) {
            Some(taken) => Some((to, taken)),
            None if role == Role::Pawn && from.file() != to.file() => {
                Some((Square::new(to.file(), from.rank())?, Role::Pawn))
            }
            None => None,
        }
    }

    /// The position after a legal move.
    ///
    /// The move must be one of [`legal_moves`](Self::legal_moves); another gives some position that makes no sense.
    #[must_use]
    pub(crate) fn after(&self, played: Move) -> Self {
        let mover = self.side_to_move;
        let captured = self.capture(played);
        let mut next = *self;
        next.placement = self.placement_after(played);
        next.promoted = self.promoted_after(played);
        let mut rights = self.castling;
        if let Move::Castle(side) = played {
            // In Chess960 the king may stay where it is.
            rights = rights.without(mover, side).without(mover, side.opposite());
        }
        next.castling = true_rights(&next.placement, self.castling_files, rights);
        next.en_passant = square_passed(played);
        if let (Variant::Crazyhouse, Some(captured)) = (self.variant, captured) {
            next.hands.of_mut(mover).add(captured.for_hand);
        }
        if let Move::Drop { role, .. } = played {
            next.hands.of_mut(mover).take(role);
        }
        let is_lasting =
            captured.is_some() || matches!(played, Move::Normal { role: Role::Pawn, .. } | Move::Drop { .. });
        next.halfmove_clock = if is_lasting { 0 } else { self.halfmove_clock.saturating_add(1) };
        next.move_number = self.move_number.saturating_add(u32::from(mover == Color::Black));
        next.side_to_move = mover.opponent();
        next
    }

    pub(super) fn placement_after(&self, played: Move) -> Placement {
        let color = self.side_to_move;
        let mut next = self.placement;
        match played {
            Move::Normal { role, from, to, promotion } => {
                if let Some((square, role)) = self.captured(played) {
                    next.remove(square, Piece { color: color.opponent(), role });
                }
                next.remove(from, Piece { color, role });
                next.put(to, Piece { color, role: promotion.unwrap_or(role) });
            }
            Move::Castle(side) => {
                let squares = CastlingSquares::of(self.castling_files, color, side);
                let [king, rook] = [Role::King, Role::Rook].map(|role| Piece { color, role });
                next.remove(squares.king_from, king);
                next.remove(squares.rook_from, rook);
                next.put(squares.king_to, king);
                next.put(squares.rook_to, rook);
            }
            Move::Drop { role, to } => next.put(to, Piece { color, role }),
        }
        next
    }

    fn promoted_after(&self, played: Move) -> BitBoard {
        let Move::Normal { from, to, promotion, .. } = played else { return self.promoted };
        let (from, to) = (to_table(from), to_table(to));
        let stays_promoted = promotion.is_some() || self.promoted.has(from);
        let rest = self.promoted & !(from.bitboard() | to.bitboard());
        if stays_promoted { rest | to.bitboard() } else { rest }
    }
}

/// What a move takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Captured {
    /// What stood there.
    pub(crate) role: Role,
    /// What comes into a hand: a pawn if the piece was promoted.
    pub(crate) for_hand: Role,
    /// Whether a pawn is taken beside the square where the move ends.
    pub(crate) en_passant: bool,
}

/// The square that a pawn going two squares passes.
fn square_passed(played: Move) -> Option<Square> {
    match played {
        Move::Normal { from, to, .. } if played.is_double_push() => {
            Square::new(from.file(), u8::midpoint(from.rank(), to.rank()))
        }
        _ => None,
    }
}

const fn played_to(played: Move) -> Option<Square> {
    match played {
        Move::Normal { to, .. } => Some(to),
        _ => None,
    }
}

/// The rights for which king and rook stand on their first squares.
///
/// Asked after every move, this is all there is to losing rights: a king or rook that moves leaves its square, a rook that is
/// taken leaves its corner to the other side. A right once lost does not come back.
fn true_rights(placement: &Placement, files: CastlingFiles, rights: CastlingRights) -> CastlingRights {
    rights.iter().fold(CastlingRights::NONE, |kept, (color, side)| {
        let squares = CastlingSquares::of(files, color, side);
        let stands = |role, square| placement.of(Piece { color, role }).has(to_table(square));
        let both_stand = stands(Role::King, squares.king_from) && stands(Role::Rook, squares.rook_from);
        if both_stand { kept.with(color, side) } else { kept }
    })
}

impl Position {
    /// The rank on which a side's pawns promote, from 0.
    pub(super) const fn last_rank(color: Color) -> u8 {
        home_rank(color.opponent())
    }

    /// The hand of the side to move.
    pub(super) const fn hand(&self) -> &Hand {
        self.hands.of(self.side_to_move)
    }
}
