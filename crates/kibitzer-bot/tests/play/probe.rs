//! An engine that records what it receives, and reports a score.

use std::sync::{Arc, Mutex};

use kibitzer_bot::StartEngine;
use kibitzer_bot::engine::{
    BestMove, Engine, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition,
};

use super::table::shuffle;

/// The calls that reached an engine, in text.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

/// Moves a knight out and back, and expects that the opponent does the same.
pub(crate) struct Probe {
    info: EngineInfo,
    log: Log,
    score_cp: i32,
}

/// Starts engines that record what they receive; each search has this score.
pub(crate) fn probe(log: &Log, score_cp: i32) -> impl StartEngine {
    let log = Arc::clone(log);
    move || {
        let mut info = EngineInfo::new("Probe");
        info.ponders = true;
        info.variants.extend(["chess960", "crazyhouse"].map(str::to_owned));
        let probe = Probe { info, log: Arc::clone(&log), score_cp };
        async { Ok::<_, EngineError>(probe) }
    }
}

impl Probe {
    fn note(&self, call: &str, value: &dyn std::fmt::Debug) {
        self.log.lock().unwrap().push(format!("{call} {value:?}"));
    }
}

impl Engine for Probe {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        self.note("game", game);
        Ok(())
    }

    async fn search(
        &mut self,
        position: &SearchPosition,
        _limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        self.note("search", position);
        let mut info = SearchInfo::default();
        info.score = Some(Score::Centipawns(self.score_cp));
        report(info);
        // In chess960 the knights may be elsewhere.
        let mut best = if position.fen.is_some() { BestMove::new("a7a6") } else { shuffle(position) };
        best.ponder = Some(if position.moves.len() % 4 == 1 { "f3g1" } else { "g1f3" }.to_owned());
        Ok(best)
    }

    async fn ponder(
        &mut self,
        position: &SearchPosition,
        _limits: &SearchLimits,
        _report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<(), EngineError> {
        self.note("ponder", position);
        std::future::pending().await
    }

    async fn stop(&mut self) -> Result<(), EngineError> {
        self.note("stop", &());
        Ok(())
    }

    async fn quit(self) {}
}
