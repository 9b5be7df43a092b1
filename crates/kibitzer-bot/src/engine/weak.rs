//! The built-in weak player: a partner for demonstrations, without a program to install.

use std::time::Duration;

use cozy_chess::{Board, GameStatus, Move, Piece};

use super::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition, uci_notation,
};

/// Value of mate in centipawns, above any material.
const MATE_CP: i32 = 100_000;
/// Random part of a move's value in centipawns: less than a pawn, so that material decides.
const NOISE_CP: i32 = 50;

/// A player that looks one move ahead, counts the material, and chooses among good moves at random. It plays chess and chess960.
#[derive(Debug)]
pub struct WeakPlayer {
    info: EngineInfo,
    random: fastrand::Rng,
    is_chess960: bool,
    think_time: Duration,
}

impl WeakPlayer {
    /// Creates the player. The same seed gives the same moves; `think_time` is the pause before each move; a search with
    /// a fixed time or a deadline shortens it.
    pub fn new(seed: u64, think_time: Duration) -> Self {
        let variants = vec!["chess".to_owned(), "chess960".to_owned()];
        let info = EngineInfo { variants, ..EngineInfo::new("Kibitzer's weak player") };
        Self { info, random: fastrand::Rng::with_seed(seed), is_chess960: false, think_time }
    }

    /// Chooses the move whose value is best after a random part was added to each. Returns the value without that part, in
    /// centipawns, and the move; `None` if there is no legal move.
    fn choose_move(&mut self, board: &Board) -> Option<(i32, Move)> {
        let rated = moves_with_boards(board).into_iter().map(|(candidate, after)| {
            let value = value_after_reply(&after);
            (value + self.random.i32(0..NOISE_CP), value, candidate)
        });
        rated.max_by_key(|(noisy, ..)| *noisy).map(|(_, value, chosen)| (value, chosen))
    }
}

impl Engine for WeakPlayer {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.is_chess960 = game.variant == "chess960";
        self.info.require_variant(&game.variant)
    }

    /// See [`Engine::search`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        let board = position.chess_board().ok_or_else(|| EngineError::Position("it is not one of chess".to_owned()))?;
        tokio::time::sleep(self.think_time.min(limits.move_time.unwrap_or(limits.deadline))).await;
        let Some((value, chosen)) = self.choose_move(&board) else { return Ok(BestMove::default()) };
        let best = uci_notation(&board, chosen, self.is_chess960);
        let score = if value >= MATE_CP { Score::Mate(1) } else { Score::Centipawns(value) };
        report(SearchInfo { depth: Some(2), score: Some(score), line: vec![best.clone()], ..SearchInfo::default() });
        Ok(BestMove::new(best))
    }

    async fn quit(self) {}
}

/// Returns the legal moves, each with the board after it.
fn moves_with_boards(board: &Board) -> Vec<(Move, Board)> {
    let mut moves = Vec::new();
    board.generate_moves(|piece_moves| {
        for candidate in piece_moves {
            let mut after = board.clone();
            after.play_unchecked(candidate);
            moves.push((candidate, after));
        }
        false
    });
    moves
}

/// Returns the value of the board after a move, in centipawns for the mover: the material after the opponent's best capture, or
/// the value of a mate or draw.
fn value_after_reply(after: &Board) -> i32 {
    match after.status() {
        GameStatus::Won => MATE_CP,
        GameStatus::Drawn => 0,
        GameStatus::Ongoing => {
            let replies = moves_with_boards(after);
            replies.iter().map(|(_, board)| material_lead_cp(board)).min().unwrap_or_default()
        }
    }
}

/// Returns the material of the side to move less that of the other, in centipawns.
fn material_lead_cp(board: &Board) -> i32 {
    const VALUES: [(Piece, i32); 5] =
        [(Piece::Pawn, 100), (Piece::Knight, 300), (Piece::Bishop, 310), (Piece::Rook, 500), (Piece::Queen, 900)];
    let count = |color, piece| i32::try_from(board.colored_pieces(color, piece).len()).unwrap_or_default();
    let side = board.side_to_move();
    VALUES.iter().map(|&(piece, value)| value * (count(side, piece) - count(!side, piece))).sum()
}

#[cfg(test)]
mod tests;
