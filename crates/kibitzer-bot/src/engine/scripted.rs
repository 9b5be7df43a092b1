//! An engine for tests, whose answers the test chooses.

use std::fmt;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::{BestMove, Engine, EngineError, EngineInfo, GameSetup, SearchInfo, SearchLimits, SearchPosition};

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
mod tests {
    use kibitzer::core::chess::Color;
    use tokio::time::Instant;

    use super::*;

    async fn search(engine: &mut ScriptedEngine) -> Result<BestMove, EngineError> {
        let start = SearchPosition::new(None, Vec::new(), Color::White);
        engine.search(&start, &SearchLimits::deadline(Duration::from_secs(9)), &mut |_| {}).await
    }

    #[tokio::test(start_paused = true)]
    async fn moves_come_in_turn_after_the_delay() {
        let mut engine = ScriptedEngine::with_moves(["e2e4", "d2d4"]).delay(Duration::from_secs(2));
        let begun = Instant::now();
        assert_eq!(search(&mut engine).await.unwrap(), BestMove::new("e2e4"));
        assert_eq!(search(&mut engine).await.unwrap(), BestMove::new("d2d4"));
        assert_eq!(search(&mut engine).await.unwrap(), BestMove::default());
        assert_eq!(begun.elapsed(), Duration::from_secs(6));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_and_hangs_come_on_demand() {
        let silent = EngineError::Silent { program: "x".to_owned(), step: "handshake" };
        let mut answers = vec![EngineError::NoMove, silent];
        let mut engine = ScriptedEngine::new(move |_, _| Err(answers.pop().unwrap()));
        assert!(matches!(search(&mut engine).await, Err(EngineError::Silent { .. })));
        let begun = Instant::now();
        assert!(matches!(search(&mut engine).await, Err(EngineError::NoMove)));
        assert_eq!(begun.elapsed(), Duration::from_secs(10));
    }
}
