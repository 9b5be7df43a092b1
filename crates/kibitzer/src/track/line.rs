//! The moves of a game from a start position, in the order in which they were played.

use kibitzer_core::chess::{ApplyError, Board, Color, Fen, Hands, LastMove, Role, SanMove, Square};
use kibitzer_core::game::PlayedMove;
use kibitzer_core::message::listing::MoveList;
use kibitzer_core::message::{ClockReading, Style12};

/// A start position and the moves since, without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveLine {
    /// The position before the first move, with the reserves if they are known.
    pub start: Fen,
    /// White's and Black's clock in the start position; `None` for a line from a list of moves.
    pub start_clocks: Option<[ClockReading; 2]>,
    /// The moves, alternating between the sides.
    pub moves: Vec<TrackedMove>,
    /// Whether the start position is that of the game.
    pub(super) is_complete: bool,
    /// Whether captures explode, as in atomic chess.
    pub(super) captures_explode: bool,
}

/// A move of a tracked game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedMove {
    /// The side that moved.
    pub color: Color,
    /// The move, with the squares of castling if the board shows them.
    pub played: LastMove,
    /// The move in the server's short notation, which is not always standard; `None` if the server cut the line.
    pub san: Option<String>,
    /// The mover's clock after the move; `None` for moves from a list of moves.
    pub clock: Option<ClockReading>,
    /// Time spent on the move, in milliseconds; `None` if the server sent none.
    pub elapsed_ms: Option<u32>,
    /// The tracker's number of the event with which the move arrived, to order the moves of several games; 0 for moves from a list.
    pub arrival: u64,
}

impl TrackedMove {
    pub(super) fn new(color: Color, played: &PlayedMove) -> Self {
        Self {
            color,
            played: played.played(),
            san: played.pretty().map(str::to_owned),
            clock: Some(played.clock()),
            elapsed_ms: played.elapsed_ms(),
            arrival: 0,
        }
    }

    /// Returns the move in UCI notation, with castling from the e-file as the king's move (`e1g1`); `None` as for [`LastMove::to_uci`],
    /// such as for a move that the server hides.
    pub fn uci(&self) -> Option<String> {
        self.played.to_uci(self.color).map(|uci| uci.to_string())
    }

    /// Returns the move as [`uci`](Self::uci) does, with castling as in chess960: the king captures its own rook (`e1h1`).
    /// Castling whose squares are not known is that of `uci`. `None` as for `uci`.
    pub fn uci_chess960(&self) -> Option<String> {
        match self.played {
            LastMove::Castle { king_from: Some(king), rook_from: Some(rook), .. } => Some(format!("{king}{rook}")),
            _ => self.uci(),
        }
    }
}

impl MoveLine {
    /// Creates a line from a list of moves of a game of this variant; `None` if the list has a move that cannot be played.
    pub(super) fn from_list(list: &MoveList, variant: &str) -> Option<Self> {
        let start = list.start.last().map_or(Fen::START, Style12::fen);
        let (moves, captures_explode) = (Vec::with_capacity(list.moves.len()), variant == "atomic");
        let mut line = Self { start, start_clocks: None, moves, is_complete: true, captures_explode };
        let mut board = start.board;
        let mut color = start.side_to_move;
        for listed in &list.moves {
            (listed.color() == color).then_some(())?;
            let played = SanMove::parse(listed.san.as_bytes())?.to_last_move(&board, color)?;
            let san = Some(listed.san.clone());
            let step = TrackedMove { color, played, san, clock: None, elapsed_ms: listed.elapsed_ms, arrival: 0 };
            line.play(&mut board, &step).ok()?;
            line.moves.push(step);
            color = color.opponent();
        }
        Some(line)
    }

    /// Returns the line up to `position`, if that position occurs in it at its ply; `None` otherwise.
    pub(super) fn up_to(mut self, position: &Style12) -> Option<Self> {
        let n_moves = usize::try_from(position.ply().checked_sub(self.start_ply())?).ok()?;
        (n_moves <= self.moves.len()).then(|| self.moves.truncate(n_moves))?;
        (self.final_board()? == position.board()).then_some(self)
    }

    /// Returns the board after all moves; `None` if a move cannot be played or is hidden.
    pub fn final_board(&self) -> Option<Board> {
        let mut board = self.start.board;
        self.moves.iter().try_for_each(|step| self.play(&mut board, step)).ok()?;
        Some(board)
    }

    /// Plays a move of the line on a board; a capture that explodes also removes the capturing piece, and all pieces but pawns beside
    /// it.
    ///
    /// # Errors
    ///
    /// The move does not fit; the board is unchanged.
    pub fn play(&self, board: &mut Board, step: &TrackedMove) -> Result<(), ApplyError> {
        let captured = board.apply(step.played, step.color)?;
        if let (true, Some(_), LastMove::Normal { to, .. }) = (self.captures_explode, captured, step.played) {
            let is_beside =
                |square: &Square| square.file().abs_diff(to.file()) <= 1 && square.rank().abs_diff(to.rank()) <= 1;
            for square in Square::all().filter(is_beside) {
                if square == to || board.piece(square).is_some_and(|piece| piece.role != Role::Pawn) {
                    board.set(square, None);
                }
            }
        }
        Ok(())
    }

    /// Returns whether the line starts from the usual position, with nothing in reserve.
    pub fn starts_from_standard_position(&self) -> bool {
        let has_reserves = self.start.hands.is_some_and(|hands| hands != Hands::default());
        self.start.with_hands(None) == Fen::START && !has_reserves
    }

    /// Returns the number of plies before the first move.
    pub fn start_ply(&self) -> u32 {
        let full = self.start.move_number.saturating_sub(1).saturating_mul(2);
        full.saturating_add(u32::from(self.start.side_to_move == Color::Black))
    }
}
