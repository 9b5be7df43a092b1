//! Placement of the pieces as sets of squares.

use cozy_chess::{BitBoard, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves};
use kibitzer_core::chess::{Board, Color, Piece, Role, Square};

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

    pub(super) fn to_board(self) -> Board {
        let mut board = Board::EMPTY;
        for square in self.occupied().into_iter().map(from_cozy_square) {
            board.set(square, self.piece_at(square));
        }
        board
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

    pub(super) fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = if self.of_color(Color::White).has(to_cozy_square(square)) { Color::White } else { Color::Black };
        self.role_at(square).map(|role| Piece { color, role })
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
        let straight = get_rook_moves(at, occupied) & (self.of_role(Role::Rook) | self.of_role(Role::Queen));
        let slanted = get_bishop_moves(at, occupied) & (self.of_role(Role::Bishop) | self.of_role(Role::Queen));
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
            Role::Bishop => get_bishop_moves(at, occupied),
            Role::Rook => get_rook_moves(at, occupied),
            Role::Queen => get_bishop_moves(at, occupied) | get_rook_moves(at, occupied),
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
