//! Positions, as sets of squares, and the effects of moves.
//!
//! A move is a [`LastMove`], as clients read it from a board. Castling has no squares in it, and no move is hidden.

// The table of `get_bishop_moves` has 700 KB, and each crate that calls it gets a copy.
use cozy_chess::{
    BitBoard, Rank, get_bishop_moves_const, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves_const,
};
use kibitzer_core::chess::{Board, CastlingRights, CastlingSide, Color, Fen, Hands, LastMove, Piece, Role, Square};

use super::Variant;

/// A position with all state that the rules need, except the history for repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(super) variant: Variant,
    pub(super) placement: Placement,
    pub(crate) side_to_move: Color,
    pub(crate) castling: CastlingRights,
    pub(super) castling_files: CastlingFiles,
    /// The square that a pawn has just passed by a move of two squares, whether or not it can be captured there.
    pub(crate) en_passant: Option<Square>,
    pub(crate) hands: Hands,
    /// Squares of promoted pawns; they enter a hand as pawns when captured.
    promoted: BitBoard,
    /// Plies since the last capture, pawn move or drop.
    pub(crate) halfmove_clock: u32,
    /// Number of the move about to be made, from 1.
    pub(crate) move_number: u32,
}

impl Position {
    /// Returns the start position of a variant; that of Chess960 is the orthodox one.
    pub(crate) fn start(variant: Variant) -> Self {
        Self::from_fen(variant, &Fen::START)
    }

    /// Returns the start position of Chess960 with that number, which must be below 960.
    ///
    /// Source: the numbering of Reinhard Scharnagl; 518 is the start of orthodox chess.
    pub(crate) fn chess960_start(number: usize) -> Self {
        const KNIGHTS: [(usize, usize); 10] =
            [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
        let mut free: Vec<u8> = (0..8).collect();
        let mut take = |index: usize| free.remove(index.min(free.len() - 1));
        // Bishops by file, one on each color; the other pieces by index among the files that are left.
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
            if let Some(square) = Square::new(file, color.home_rank()) {
                fen.board.set(square, Some(Piece { color, role }));
            }
        }
        let start = Self::from_fen(Variant::FischerRandom, &fen);
        // `from_fen` checks rights against the files of orthodox chess.
        let castling_files = CastlingFiles { king, short_rook, long_rook };
        Self { castling: fen.castling, castling_files, ..start }
    }

    /// Returns whether a game can go on from here: each side has one king, no pawn is on the first or last rank, and the side to move
    /// cannot capture the king.
    pub(crate) fn is_valid(&self) -> bool {
        let has_one_king = |color| self.placement.of_piece(Piece { color, role: Role::King }).len() == 1;
        let ends = Rank::First.bitboard() | Rank::Eighth.bitboard();
        Color::BOTH.into_iter().all(has_one_king)
            && self.placement.of_role(Role::Pawn).is_disjoint(ends)
            && !self.placement.is_in_check(self.side_to_move.opponent())
    }

    /// Converts a FEN. Discards castling rights and an en passant square that contradict the board, and hands in a variant without drops.
    ///
    /// Nothing else is checked: without two kings, or if the side to move can capture one, the legal moves are meaningless.
    pub(crate) fn from_fen(variant: Variant, fen: &Fen) -> Self {
        let placement = Placement::from_board(&fen.board);
        Self {
            variant,
            placement,
            side_to_move: fen.side_to_move,
            castling: intact_castling_rights(&placement, CastlingFiles::ORTHODOX, fen.castling),
            castling_files: CastlingFiles::ORTHODOX,
            en_passant: possible_en_passant(fen),
            hands: fen.hands.filter(|_| variant.has_hands()).unwrap_or_default(),
            promoted: BitBoard::EMPTY,
            halfmove_clock: fen.halfmove_clock,
            move_number: fen.move_number,
        }
    }

    /// Converts to FEN.
    pub(crate) fn fen(&self) -> Fen {
        let mut fen = Fen::from_board(self.board(), self.side_to_move)
            .with_counters(self.halfmove_clock, self.move_number)
            .with_hands(self.variant.has_hands().then_some(self.hands));
        fen.castling = self.castling;
        fen.en_passant = self.en_passant;
        fen
    }

    pub(crate) fn board(&self) -> Board {
        let mut board = Board::EMPTY;
        for color in Color::BOTH {
            for square in self.placement.of_color(color).into_iter().map(from_cozy_square) {
                board.set(square, self.placement.role_at(square).map(|role| Piece { color, role }));
            }
        }
        board
    }

    /// Returns the material of a side, including its hand: pawn 1, knight and bishop 3, rook 5, queen 9.
    ///
    /// Source: FICS help file `style12`, fields 22 and 23.
    pub(crate) fn material(&self, color: Color) -> u32 {
        let on_board = Role::ALL.into_iter().map(|role| {
            let count = self.placement.of_piece(Piece { color, role }).len();
            count * u32::from(role.material_value())
        });
        let in_hand = self.hands.of(color).pieces().map(|role| u32::from(role.material_value()));
        on_board.chain(in_hand).sum()
    }

    /// Compares two positions for the rule of threefold repetition: pieces on the board and in hand, side to move, castling
    /// rights, and the pawn that can be captured en passant.
    pub(crate) fn is_repetition_of(&self, other: &Self) -> bool {
        self.placement == other.placement
            && self.side_to_move == other.side_to_move
            && self.hands == other.hands
            && self.castling == other.castling
            && self.legal_en_passant_file() == other.legal_en_passant_file()
    }

    /// Returns the captured piece of a move as it enters a hand: a pawn if it was promoted. `None` if the move captures nothing.
    pub(crate) fn captured_role_in_hand(&self, played: LastMove) -> Option<Role> {
        let (square, role) = self.capture_of(played)?;
        Some(if self.promoted.has(to_cozy_square(square)) { Role::Pawn } else { role })
    }

    /// Returns square and role of the piece that a move captures, also en passant; `None` if it captures nothing.
    pub(crate) fn capture_of(&self, played: LastMove) -> Option<(Square, Role)> {
        let LastMove::Normal { role, from, to, .. } = played else { return None };
        match self.placement.role_at(to) {
            Some(taken) => Some((to, taken)),
            None if role == Role::Pawn && from.file() != to.file() => {
                Some((Square::new(to.file(), from.rank())?, Role::Pawn))
            }
            None => None,
        }
    }

    /// Returns the position after a legal move; the result for another move is meaningless.
    #[must_use]
    pub(crate) fn after(&self, played: LastMove) -> Self {
        let mover = self.side_to_move;
        let captured = self.captured_role_in_hand(played);
        let mut next = *self;
        next.placement = self.placement_after(played);
        if let LastMove::Normal { from, to, promotion, .. } = played {
            let [from, to] = [from, to].map(|square| to_cozy_square(square).bitboard());
            let stays_promoted = promotion.is_some() || !(self.promoted & from).is_empty();
            let arrived = if stays_promoted { to } else { BitBoard::EMPTY };
            next.promoted = (self.promoted & !(from | to)) | arrived;
        }
        let mut rights = self.castling;
        if let LastMove::Castle { side, .. } = played {
            // In Chess960 the king may stay where it is.
            rights = rights.without(mover, side).without(mover, side.opposite());
        }
        next.castling = intact_castling_rights(&next.placement, self.castling_files, rights);
        next.en_passant = match played {
            LastMove::Normal { role: Role::Pawn, from, to, .. } if from.rank().abs_diff(to.rank()) == 2 => {
                Square::new(from.file(), u8::midpoint(from.rank(), to.rank()))
            }
            _ => None,
        };
        if let (Variant::Crazyhouse, Some(captured)) = (self.variant, captured) {
            next.hands.of_mut(mover).add(captured);
        }
        if let LastMove::Drop { role, .. } = played {
            next.hands.of_mut(mover).take(role);
        }
        // Drops reset the clock too, as they change the pieces on the board.
        let is_lasting =
            captured.is_some() || matches!(played, LastMove::Normal { role: Role::Pawn, .. } | LastMove::Drop { .. });
        next.halfmove_clock = if is_lasting { 0 } else { self.halfmove_clock.saturating_add(1) };
        next.move_number = self.move_number.saturating_add(u32::from(mover == Color::Black));
        next.side_to_move = mover.opponent();
        next
    }

    /// Returns the placement after a move.
    pub(super) fn placement_after(&self, played: LastMove) -> Placement {
        let color = self.side_to_move;
        let mut next = self.placement;
        match played {
            LastMove::Normal { role, from, to, promotion } => {
                if let Some((square, role)) = self.capture_of(played) {
                    next.toggle(square, Piece { color: color.opponent(), role });
                }
                next.toggle(from, Piece { color, role });
                next.toggle(to, Piece { color, role: promotion.unwrap_or(role) });
            }
            LastMove::Castle { side, .. } => {
                let squares = CastlingSquares::of(self.castling_files, color, side);
                let [king, rook] = [Role::King, Role::Rook].map(|role| Piece { color, role });
                next.toggle(squares.king_from, king);
                next.toggle(squares.rook_from, rook);
                next.toggle(squares.king_to, king);
                next.toggle(squares.rook_to, rook);
            }
            LastMove::Drop { role, to } => next.toggle(to, Piece { color, role }),
            _ => {}
        }
        next
    }
}

/// Returns the en passant square if it is empty and a pawn of the side that has just moved may have passed it.
fn possible_en_passant(fen: &Fen) -> Option<Square> {
    let (rank, pawn_rank) = match fen.side_to_move {
        Color::White => (5, 4),
        Color::Black => (2, 3),
    };
    let square = fen.en_passant.filter(|square| square.rank() == rank && fen.board.piece(*square).is_none())?;
    let pawn = Piece { color: fen.side_to_move.opponent(), role: Role::Pawn };
    (fen.board.piece(Square::new(square.file(), pawn_rank)?) == Some(pawn)).then_some(square)
}

/// Returns those of `rights` for which king and rook are on their initial squares.
///
/// Called after every move, this alone removes rights: a king or rook that moves leaves its square, and a captured rook leaves
/// it to a piece of the other side. A lost right never returns, as it is not in `rights` any more.
fn intact_castling_rights(placement: &Placement, files: CastlingFiles, rights: CastlingRights) -> CastlingRights {
    rights.iter().fold(CastlingRights::NONE, |kept, (color, side)| {
        let squares = CastlingSquares::of(files, color, side);
        let stands = |role, square| placement.of_piece(Piece { color, role }).has(to_cozy_square(square));
        let both_stand = stands(Role::King, squares.king_from) && stands(Role::Rook, squares.rook_from);
        if both_stand { kept.with(color, side) } else { kept }
    })
}

/// The pieces on the board, as sets of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Placement {
    /// One set for each [`Color`].
    colors: [BitBoard; 2],
    /// One set for each [`Role`].
    roles: [BitBoard; 6],
}

impl Placement {
    pub(super) fn from_board(board: &Board) -> Self {
        let mut placement = Self::default();
        for (square, piece) in board.pieces() {
            placement.toggle(square, piece);
        }
        placement
    }

    pub(super) fn of_color(&self, color: Color) -> BitBoard {
        self.colors.get(color as usize).copied().unwrap_or_default()
    }

    pub(super) fn of_role(&self, role: Role) -> BitBoard {
        self.roles.get(role as usize).copied().unwrap_or_default()
    }

    pub(super) fn of_piece(&self, piece: Piece) -> BitBoard {
        self.of_color(piece.color) & self.of_role(piece.role)
    }

    pub(super) fn occupied(&self) -> BitBoard {
        self.of_color(Color::White) | self.of_color(Color::Black)
    }

    pub(super) fn role_at(&self, square: Square) -> Option<Role> {
        Role::ALL.into_iter().find(|&role| self.of_role(role).has(to_cozy_square(square)))
    }

    pub(super) fn king_square(&self, color: Color) -> Option<Square> {
        self.of_piece(Piece { color, role: Role::King }).next_square().map(from_cozy_square)
    }

    /// Puts a piece on an empty square, or removes it from its square.
    pub(super) fn toggle(&mut self, square: Square, piece: Piece) {
        let bit = to_cozy_square(square).bitboard();
        let sets = [self.colors.get_mut(piece.color as usize), self.roles.get_mut(piece.role as usize)];
        for set in sets.into_iter().flatten() {
            *set ^= bit;
        }
    }

    /// Returns the squares of the pieces of `by` that attack `square`.
    pub(super) fn attackers(&self, square: Square, by: Color) -> BitBoard {
        let (at, occupied) = (to_cozy_square(square), self.occupied());
        let straight = get_rook_moves_const(at, occupied) & (self.of_role(Role::Rook) | self.of_role(Role::Queen));
        let slanted = get_bishop_moves_const(at, occupied) & (self.of_role(Role::Bishop) | self.of_role(Role::Queen));
        let pawns = get_pawn_attacks(at, to_cozy_color(by.opponent())) & self.of_role(Role::Pawn);
        let knights = get_knight_moves(at) & self.of_role(Role::Knight);
        let kings = get_king_moves(at) & self.of_role(Role::King);
        (straight | slanted | pawns | knights | kings) & self.of_color(by)
    }

    /// Returns whether a side's king is attacked; `false` without a king.
    pub(super) fn is_in_check(&self, color: Color) -> bool {
        self.king_square(color).is_some_and(|king| !self.attackers(king, color.opponent()).is_empty())
    }

    /// Returns the squares that a piece attacks, including those of its own side; none for a pawn.
    pub(super) fn attacks_of_non_pawn(&self, role: Role, from: Square) -> BitBoard {
        let (at, occupied) = (to_cozy_square(from), self.occupied());
        match role {
            Role::Pawn => BitBoard::EMPTY,
            Role::Knight => get_knight_moves(at),
            Role::Bishop => get_bishop_moves_const(at, occupied),
            Role::Rook => get_rook_moves_const(at, occupied),
            Role::Queen => get_bishop_moves_const(at, occupied) | get_rook_moves_const(at, occupied),
            Role::King => get_king_moves(at),
        }
    }
}

/// Converts to the square type of the attack tables.
pub(super) fn to_cozy_square(square: Square) -> cozy_chess::Square {
    cozy_chess::Square::index(square.index())
}

pub(super) fn from_cozy_square(square: cozy_chess::Square) -> Square {
    #[expect(clippy::expect_used, reason = "both number 64 squares, eight to a rank")]
    Square::new(square.file() as u8, square.rank() as u8).expect("a square is on the board")
}

pub(super) const fn to_cozy_color(color: Color) -> cozy_chess::Color {
    match color {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

/// Squares of king and rook before and after castling.
#[derive(Clone, Copy, Debug)]
pub(super) struct CastlingSquares {
    pub(super) king_from: Square,
    pub(super) king_to: Square,
    pub(super) rook_from: Square,
    pub(super) rook_to: Square,
}

/// Files (0 is a) on which king and rooks start, equal for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CastlingFiles {
    pub(super) king: u8,
    pub(super) short_rook: u8,
    pub(super) long_rook: u8,
}

impl CastlingFiles {
    pub(super) const ORTHODOX: Self = Self { king: 4, short_rook: 7, long_rook: 0 };
}

impl CastlingSquares {
    pub(super) fn of(files: CastlingFiles, color: Color, side: CastlingSide) -> Self {
        let files = match side {
            CastlingSide::Short => [files.king, 6, files.short_rook, 5],
            CastlingSide::Long => [files.king, 2, files.long_rook, 3],
        };
        #[expect(clippy::expect_used, reason = "all files of castling are below 8")]
        let home_square = |file| Square::new(file, color.home_rank()).expect("a file of castling is on the board");
        let [king_from, king_to, rook_from, rook_to] = files.map(home_square);
        Self { king_from, king_to, rook_from, rook_to }
    }
}
