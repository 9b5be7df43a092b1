//! Engines without a program: a weak player for demonstrations, and one whose answers a test gives.

use std::fmt;
use std::time::Duration;

use cozy_chess::{Board, GameStatus, Move, Piece};
use kibitzer::internal::rules::chess_moves;
use tokio::time::{sleep, timeout};

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
    variant: String,
    think_time: Duration,
}

impl WeakPlayer {
    /// Creates the player. The same seed gives the same moves; `think_time` is the pause before each move; a search with
    /// a fixed time or a deadline shortens it.
    pub fn new(seed: u64, think_time: Duration) -> Self {
        let variants = vec!["chess".to_owned(), "chess960".to_owned()];
        let info = EngineInfo { variants, ..EngineInfo::new("Kibitzer's weak player") };
        Self { info, random: fastrand::Rng::with_seed(seed), variant: String::new(), think_time }
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
        self.variant.clone_from(&game.variant);
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
        sleep(self.think_time.min(limits.move_time.unwrap_or(limits.deadline))).await;
        let Some((value, chosen)) = self.choose_move(&board) else { return Ok(BestMove::default()) };
        let best = uci_notation(&board, chosen, &self.variant);
        let score = if value >= MATE_CP { Score::Mate(1) } else { Score::Centipawns(value) };
        report(SearchInfo { depth: Some(2), score: Some(score), line: vec![best.clone()], ..SearchInfo::default() });
        Ok(BestMove::new(best))
    }

    async fn quit(self) {}
}

/// Returns the legal moves, each with the board after it.
fn moves_with_boards(board: &Board) -> Vec<(Move, Board)> {
    let with_board = |candidate| {
        let mut after = board.clone();
        after.play_unchecked(candidate);
        (candidate, after)
    };
    chess_moves(board).into_iter().map(with_board).collect()
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

type Answers = Box<dyn FnMut(&SearchPosition, &SearchLimits) -> Result<BestMove, EngineError> + Send>;

/// An engine for tests: a closure answers each search, after a delay. Needs no process.
pub struct ScriptedEngine {
    info: EngineInfo,
    answer: Answers,
    delay: Duration,
}

impl ScriptedEngine {
    /// Creates an engine that answers each search with the result of the closure. If that is [`EngineError::NoMove`], the answer
    /// follows a second after the deadline, as from an engine that hangs. The engine plays chess, chess960 and crazyhouse.
    pub fn new(
        answer: impl FnMut(&SearchPosition, &SearchLimits) -> Result<BestMove, EngineError> + Send + 'static,
    ) -> Self {
        let variants = ["chess", "chess960", "crazyhouse"].map(str::to_owned).to_vec();
        let info = EngineInfo { variants, ponders: true, ..EngineInfo::new("ScriptedEngine") };
        Self { info, answer: Box::new(answer), delay: Duration::ZERO }
    }

    /// Creates an engine that answers the searches with these moves in turn, and then with [`BestMove::best`] `None`.
    pub fn with_moves(moves: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut moves: Vec<String> = moves.into_iter().map(Into::into).collect();
        moves.reverse();
        Self::new(move |_, _| Ok(BestMove { best: moves.pop(), ..BestMove::default() }))
    }

    /// Sets how long each search lasts; zero by default. A delay longer than the deadline ends at the deadline, without an error.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Replaces the description that the engine gives of itself.
    #[must_use]
    pub fn with_info(mut self, info: EngineInfo) -> Self {
        self.info = info;
        self
    }
}

impl fmt::Debug for ScriptedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedEngine").field("info", &self.info).field("delay", &self.delay).finish_non_exhaustive()
    }
}

impl Engine for ScriptedEngine {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.info.require_variant(&game.variant)
    }

    /// See [`Engine::search`]. Reports one line of analysis, with the move.
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
        let result = (self.answer)(position, limits);
        if matches!(result, Err(EngineError::NoMove)) {
            sleep(limits.deadline + Duration::from_secs(1)).await;
            return result;
        }
        // Even a sleep of no time lasts a millisecond.
        if !self.delay.is_zero() {
            drop(timeout(limits.deadline, sleep(self.delay)).await);
        }
        let line = result.iter().filter_map(|result| result.best.clone()).collect();
        report(SearchInfo { depth: Some(1), line, ..SearchInfo::default() });
        result
    }

    async fn quit(self) {}
}

#[cfg(test)]
mod tests;
