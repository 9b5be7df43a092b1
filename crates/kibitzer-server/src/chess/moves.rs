//! Moves, and the squares of castling.

use kibitzer_core::chess::{CastlingSide, Color, Role, Square};

/// A move of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    Normal {
        /// The piece before the move; a pawn also when it promotes.
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    },
    Castle(CastlingSide),
    /// Places a piece from the hand.
    Drop {
        role: Role,
        to: Square,
    },
}

impl Move {
    /// Returns the target square; for castling, the king's.
    pub(crate) fn target_square(self, mover: Color) -> Square {
        match self {
            Self::Normal { to, .. } | Self::Drop { to, .. } => to,
            Self::Castle(side) => CastlingSquares::of(CastlingFiles::ORTHODOX, mover, side).king_to,
        }
    }

    /// Formats the verbose notation of style 12's field 27: `P/e2-e4`, `P/e7-e8=Q`, `o-o`, `P/@@-g2`.
    ///
    /// Source: FICS help file `style12`; transcripts of FatICS.
    pub(crate) fn to_verbose_notation(self) -> String {
        match self {
            Self::Normal { role, from, to, promotion } => {
                let mut word = format!("{}/{from}-{to}", role.letter());
                word.extend(promotion.into_iter().flat_map(|role| ['=', role.letter()]));
                word
            }
            Self::Castle(side) => castling_san(side).to_ascii_lowercase(),
            Self::Drop { role, to } => format!("{}/@@-{to}", role.letter()),
        }
    }
}

/// Returns `O-O` or `O-O-O`.
pub(super) const fn castling_san(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::Short => "O-O",
        CastlingSide::Long => "O-O-O",
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
        let [king_from, king_to, rook_from, rook_to] = files.map(|file| home_square(color, file));
        Self { king_from, king_to, rook_from, rook_to }
    }
}

fn home_square(color: Color, file: u8) -> Square {
    #[expect(clippy::expect_used, reason = "all files of castling are below 8")]
    Square::new(file, color.home_rank()).expect("a file of castling is on the board")
}
