//! Moves: the reports of the engine, and the replies of the server.

use std::time::Duration;

use cozy_chess::GameStatus;
use kibitzer::RequestError;
use kibitzer::command::{MoveMade, MoveText};
use kibitzer::core::chess::{Role, Square};
use kibitzer::core::text::error_chain;
use tokio::time::Instant;

use super::engine_task::{EngineOrder, EngineReport};
use super::player::BotPlayer;
use super::requests::RequestOutcome;
use crate::engine::{BestMove, EngineError, Score};
use crate::policy::{GameSituation, Policy, ResignOrDraw};
use crate::tracker::{GameKey, GamePositionKey, TrackedGame};
use crate::verdict::{BotAction, BotEvent};

/// Shortest time between two events with lines of analysis; the latest line is kept meanwhile.
const ANALYSIS_PAUSE: Duration = Duration::from_millis(100);

impl<P: Policy + Clone> BotPlayer<P> {
    /// Handles a report of the engine's task: its start, analysis, best move or failure.
    pub(super) fn on_engine_report(&mut self, engine_report: EngineReport) {
        match engine_report {
            EngineReport::Starting(notice) => self.report(BotAction::StartingEngine, None, None, notice),
            EngineReport::Started(engine) => {
                self.report(BotAction::StartedEngine, None, None, engine.name.clone());
                self.engine = Some(engine);
                self.has_had_engine = true;
                self.find_move_in_waiting_game();
                self.answer_postponed_challenges();
            }
            EngineReport::Analysis(key, info) => {
                self.analysis = Some((key, info));
                self.emit_due_analysis(Instant::now());
            }
            EngineReport::Best(position, best, score) => self.on_best_move(position, best, score),
            EngineReport::NotPlayed(key, error) => self.give_up_game(key, error.to_string()),
            EngineReport::Failed(error) => self.on_engine_failure(&error),
        }
    }

    /// Emits the latest line of analysis if [`ANALYSIS_PAUSE`] has passed since the last one.
    pub(super) fn emit_due_analysis(&mut self, now: Instant) {
        if self.analysis_at > now {
            return;
        }
        let Some((key, info)) = self.analysis.take() else { return };
        self.analysis_at = now + ANALYSIS_PAUSE;
        if let Some(game) = self.games.tracker().get(key) {
            (self.on_event)(&BotEvent::analysis(self.client.handle(), game.number(), info));
        }
    }

    /// Sends the best move with a draw offer if there is one, or resigns. Drops a move of an earlier position; restarts an engine
    /// whose move is illegal.
    fn on_best_move(&mut self, position: GamePositionKey, best: BestMove, score: Option<Score>) {
        let key = position.game();
        if !self.games.tracker().is_current(position) {
            return self.report(BotAction::Dropped, Some(key), None, "the position has changed meanwhile");
        }
        let Some(decisions) = self.decisions.get_mut(&key).filter(|decisions| !decisions.has_given_up) else {
            return self.report(BotAction::Dropped, Some(key), None, "the bot has given up the game");
        };
        if best.resigns {
            return self.resign(key, "the engine resigns");
        }
        let Some(uci) = best.best else { return self.on_search_without_move(key, best.offers_draw) };
        if !self.games.tracker().get(key).is_some_and(|game| may_be_legal(game, &uci)) {
            return self.engine_task.try_send_order(EngineOrder::Restart(EngineError::NotAMove(uci)));
        }
        if let Some(score) = score {
            decisions.add_score(score);
        }
        decisions.expected = best.ponder;
        let resign_or_draw = self.decide_resign_or_draw(key, best.offers_draw);
        if let Some((ResignOrDraw::Resign, reason)) = &resign_or_draw {
            return self.resign(key, reason);
        }
        let reason = score.map_or("found by the engine".to_owned(), |score| format!("score {score}"));
        self.send_move(position, &uci, reason);
        if let Some((ResignOrDraw::OfferDraw, reason)) = resign_or_draw {
            self.offer_draw_unless_recent(key, reason);
        }
    }

    /// Handles a search without a move. Claims a draw if the engine claims one. If the position has legal moves, the engine made a
    /// mistake and is restarted; otherwise the game is over, and the server is about to report it.
    fn on_search_without_move(&mut self, key: GameKey, claims_draw: bool) {
        if claims_draw {
            self.claim_draw(key);
        }
        let board = self.games.tracker().get(key).and_then(|game| game.search_position().chess_board());
        if board.is_some_and(|board| board.status() != GameStatus::Ongoing) {
            return self.report(BotAction::Dropped, Some(key), None, "there is no legal move");
        }
        self.engine_task.try_send_order(EngineOrder::Restart(EngineError::NoMove));
    }

    /// Asks the policy whether to resign or to offer a draw; `None` for neither. Without a decision of the policy, the engine may offer a
    /// draw if the settings permit draws.
    fn decide_resign_or_draw(&mut self, key: GameKey, engine_offers_draw: bool) -> Option<(ResignOrDraw, String)> {
        let game = self.games.tracker().get(key)?;
        let decisions = self.decisions.get(&key)?;
        let config = &*self.config;
        let situation = GameSituation { config, game, scores: &decisions.scores, takebacks: decisions.takebacks };
        let verdict = self.policy.decide_resign_or_draw(&situation);
        if engine_offers_draw && config.offers.draw.is_some() && verdict.is_none() {
            return Some((ResignOrDraw::OfferDraw, "the engine offers it".to_owned()));
        }
        verdict.map(|verdict| (verdict.decision, verdict.reason))
    }

    /// Sends a move and reports it; restarts the engine if the text is not a move.
    pub(super) fn send_move(&mut self, position: GamePositionKey, uci: &str, reason: impl Into<String>) {
        let key = position.game();
        let Some(Ok(text)) = self.games.tracker().get(key).map(|game| MoveText::new(&server_notation(game, uci)))
        else {
            return self.engine_task.try_send_order(EngineOrder::Restart(EngineError::NotAMove(uci.to_owned())));
        };
        let client = self.client.clone();
        self.requests.spawn(async move { RequestOutcome::Move(position, client.make_move(&text).await) });
        self.report(BotAction::Moved, Some(key), None, format!("{uci}, {}", reason.into()));
    }

    /// Handles the result of a sent move. A refused move restarts the engine; after a timeout, a move is searched again.
    pub(super) fn on_move_reply(&mut self, position: GamePositionKey, result: Result<MoveMade, RequestError>) {
        let Err(error) = result else { return };
        let key = position.game();
        self.report(BotAction::ServerRefused, Some(key), None, error.to_string());
        if !self.games.tracker().is_current(position) {
            return;
        }
        if error.refusal_reason().is_some() || matches!(error, RequestError::Unexpected { .. }) {
            // The position is the server's, so the move is not legal in it. Some refusals have unknown words.
            return self.engine_task.try_send_order(EngineOrder::Restart(EngineError::NotAMove(
                "a move that the server refuses".to_owned(),
            )));
        }
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.deciding = None;
        }
        // After a lost connection, the resumed game starts the next search.
        if matches!(error, RequestError::TimedOut(_) | RequestError::Blocked { .. } | RequestError::Busy) {
            self.find_move_or_ponder(key);
        }
    }

    /// Counts a failure of the engine for every game that waits for it, and gives up those with too many.
    fn on_engine_failure(&mut self, error: &EngineError) {
        self.engine = None;
        self.report(BotAction::EngineFailed, None, None, error_chain(error));
        let limit = self.config.engine.restarts_per_game;
        let waiting: Vec<_> =
            self.games.tracker().iter().filter(|game| game.is_my_turn()).map(TrackedGame::key).collect();
        for key in waiting {
            let Some(decisions) = self.decisions.get_mut(&key) else { continue };
            decisions.deciding = None;
            decisions.failures += 1;
            if decisions.failures > limit {
                self.give_up_game(key, format!("the engine failed {} times", limit + 1));
            }
        }
    }
}

/// Returns whether a move is legal in chess or chess960. In other variants every move may be: the server decides.
fn may_be_legal(game: &TrackedGame, uci: &str) -> bool {
    !matches!(game.variant().as_str(), "chess" | "chess960") || game.search_position().may_allow_move(uci)
}

/// Returns a move as servers expect it: castling, which UCI may write as the king's capture of its own rook, as `O-O` or `O-O-O`.
fn server_notation(game: &TrackedGame, uci: &str) -> String {
    let board = game.position().board();
    let square = |at: std::ops::Range<usize>| Square::parse(uci.as_bytes().get(at)?);
    let piece = |at: Option<_>| at.and_then(|square| board.piece(square));
    let (from, to) = (square(0..2), square(2..4));
    let is_castling = piece(from)
        .zip(piece(to))
        .is_some_and(|(king, rook)| king.role == Role::King && rook.role == Role::Rook && king.color == rook.color);
    match (from, to) {
        (Some(from), Some(to)) if is_castling => if to.file() > from.file() { "O-O" } else { "O-O-O" }.to_owned(),
        _ => uci.to_owned(),
    }
}
