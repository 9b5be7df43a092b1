//! Moves, and the spellings of a move that need no board.

#[cfg(test)]
use kibitzer_core::chess::LastMove;
use kibitzer_core::chess::{CastlingSide, Color, Role, Square};

/// A move: what goes where. Whose it is, the position tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// A piece goes from one square to another.
    Normal {
        /// What goes; a pawn also when it promotes.
        role: Role,
        /// Where it stands.
        from: Square,
        /// Where it goes.
        to: Square,
        /// What a pawn becomes on its last rank.
        promotion: Option<Role>,
    },
    /// King and rook castle.
    Castle(CastlingSide),
    /// A piece comes from the hand.
    Drop {
        /// What is dropped.
        role: Role,
        /// Where.
        to: Square,
    },
}

impl Move {
    /// Where the mover's piece stands afterwards; of castling, the king.
    pub(crate) fn to(self, mover: Color) -> Square {
        match self {
            Self::Normal { to, .. } | Self::Drop { to, .. } => to,
            Self::Castle(side) => CastlingSquares::of(CastlingFiles::default(), mover, side).king_to,
        }
    }

    /// The verbose spelling of style 12's field 27: `P/e2-e4`, `P/e7-e8=Q`, `o-o`, `P/@@-g2`.
    ///
    /// Source: FICS help file `style12`; transcripts of FatICS.
    pub(crate) fn to_verbose(self) -> String {
        match self {
            Self::Normal { role, from, to, promotion } => {
                let mut word = format!("{}/{from}-{to}", role.letter());
                word.extend(promotion.into_iter().flat_map(|role| ['=', role.letter()]));
                word
            }
            Self::Castle(side) => castling_word(side).to_ascii_lowercase(),
            Self::Drop { role, to } => format!("{}/@@-{to}", role.letter()),
        }
    }

    /// The move as [`LastMove`] has it, castling without its squares: what a client reads in [`to_verbose`](Self::to_verbose).
    #[cfg(test)]
    pub(crate) const fn to_last_move(self) -> LastMove {
        match self {
            Self::Normal { role, from, to, promotion } => LastMove::Normal { role, from, to, promotion },
            Self::Castle(side) => LastMove::Castle { side, king_from: None, rook_from: None },
            Self::Drop { role, to } => LastMove::Drop { role, to },
        }
    }

    /// Whether a pawn goes two squares.
    pub(crate) const fn is_double_push(self) -> bool {
        matches!(self, Self::Normal { role: Role::Pawn, from, to, .. } if from.rank().abs_diff(to.rank()) == 2)
    }
}

/// `O-O` or `O-O-O`.
pub(super) const fn castling_word(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::Short => "O-O",
        CastlingSide::Long => "O-O-O",
    }
}

/// Where king and rook stand before and after castling.
#[derive(Clone, Copy, Debug)]
pub(super) struct CastlingSquares {
    pub(super) king_from: Square,
    pub(super) king_to: Square,
    pub(super) rook_from: Square,
    pub(super) rook_to: Square,
}

/// The files, from 0, on which king and rooks start; both sides have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CastlingFiles {
    pub(super) king: u8,
    pub(super) short_rook: u8,
    pub(super) long_rook: u8,
}

impl Default for CastlingFiles {
    fn default() -> Self {
        Self { king: 4, short_rook: 7, long_rook: 0 }
    }
}

impl CastlingSquares {
    pub(super) fn of(files: CastlingFiles, color: Color, side: CastlingSide) -> Self {
        let files = match side {
            CastlingSide::Short => [files.king, 6, files.short_rook, 5],
            CastlingSide::Long => [files.king, 2, files.long_rook, 3],
        };
        let [king_from, king_to, rook_from, rook_to] = files.map(|file| home_square(color, file));
        Self { king_from, king_to, rook_from, rook_to }
    }
}

/// The rank on which this side's pieces start, from 0.
pub(super) const fn home_rank(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => 7,
    }
}

fn home_square(color: Color, file: u8) -> Square {
    #[expect(clippy::expect_used, reason = "all files of castling are below 8")]
    Square::new(file, home_rank(color)).expect("a file of castling is on the board")
}
