//! What becomes of a search: the move and the reply to it, a resignation or a draw, or a game that is given up.

use std::time::Duration;

use cozy_chess::GameStatus;
use kibitzer::command::{self, MoveText, OfferOutcome};
use kibitzer::track::{GameKey, GamePositionKey, TrackedGame, TrackedState};
use kibitzer::{GameId, RequestError};
use kibitzer_core::chess::{Role, Square};
use kibitzer_core::message::OfferKind;
use kibitzer_core::text::error_chain;
use tokio::time::Instant;

use super::decisions::{FoundMove, GivenUp};
use super::games::OwnGames;
use crate::bot::engine_task::{EngineOrder, EngineReport};
use crate::engine::{EngineError, SearchInfo, SearchPosition};
use crate::policy::{GameSituation, Policy, ResignOrDraw};
use crate::verdict::{BotAction, Verdict};

/// Shortest time between two events with lines of analysis; the latest line is kept meanwhile.
const ANALYSIS_PAUSE: Duration = Duration::from_millis(100);

/// Number of plies within which a game ends without a result if one side asks for it.
const ABORTABLE_PLIES: u32 = 1;

/// Minimum number of plies between two offers of a draw.
const DRAW_OFFER_PLIES: u32 = 20;

impl OwnGames {
    /// Handles a report of the engine's task: its start, analysis, best move or failure.
    pub(super) fn on_engine_report(&mut self, engine_report: EngineReport, policy: &mut dyn Policy) {
        match engine_report {
            EngineReport::Starting(notice) => self.out.report(BotAction::StartingEngine, notice),
            EngineReport::Started(engine) => {
                self.out.report(BotAction::StartedEngine, engine.name.clone());
                self.engine.info = Some(engine);
                self.engine.has_started = true;
                self.find_move_in_waiting_game();
            }
            EngineReport::Analysis(key, info) => {
                self.analysis = Some((key, info));
                self.is_analysis_emitted = false;
                self.emit_due_analysis(Instant::now());
            }
            EngineReport::Best(position, best, info) => {
                if let Some(found) = self.hold_if_early(FoundMove { position, best, info, is_from_book: false }) {
                    self.on_found_move(found, policy);
                }
            }
            EngineReport::NotPlayed(key, error) => self.give_up(key, error.to_string()),
            EngineReport::Failed(error) => self.on_engine_failure(&error),
        }
    }

    /// Emits the latest line of analysis if [`ANALYSIS_PAUSE`] has passed since the last one.
    pub(super) fn emit_due_analysis(&mut self, now: Instant) {
        if self.is_analysis_emitted || self.analysis_at > now {
            return;
        }
        self.is_analysis_emitted = true;
        self.analysis_at = now + ANALYSIS_PAUSE;
        if let Some((key, info)) = &self.analysis
            && let Some(game) = self.number(*key)
        {
            self.out.emit_analysis(game, info.clone());
        }
    }

    /// Sends each move that was held back until now.
    pub(super) fn send_due_moves(&mut self, now: Instant, policy: &mut dyn Policy) {
        let held = self.decisions.values_mut().map(|decisions| &mut decisions.held);
        let due: Vec<_> = held.filter_map(|held| held.take_if(|(at, _)| *at <= now)).collect();
        for (_, found) in due {
            self.on_found_move(found, policy);
        }
    }

    /// Sends a move of a book, after which the books are closed if the server refuses it.
    pub(super) fn send_book_move(&mut self, found: &FoundMove) {
        self.decisions.entry(found.position.game()).or_default().book_move_in = Some(found.position);
        self.send_move(found.position, found.best.best.as_deref().unwrap_or_default(), "from the book", None);
    }

    /// Sends the best move with a draw offer if there is one, or resigns. Drops a move of an earlier position; restarts an engine
    /// whose move is illegal.
    fn on_found_move(&mut self, found: FoundMove, policy: &mut dyn Policy) {
        let position = found.position;
        let key = position.game();
        if !self.tracker().is_current(position) {
            let reason = "the position has changed meanwhile";
            return self.out.report_about(BotAction::Dropped, self.number(key), None, reason);
        }
        let (Some(game), Some(decisions)) = (self.collector.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        if decisions.has_given_up(position) {
            return self.out.report_in_game(BotAction::Dropped, game.number(), "the bot has given up the game");
        }
        if found.is_from_book {
            return self.send_book_move(&found);
        }
        let FoundMove { best, info, .. } = found;
        if best.resigns {
            return self.resign(key, "the engine resigns");
        }
        let Some(uci) = best.best else {
            if best.offers_draw {
                self.claim_draw(key);
            }
            return self.on_search_without_move(key);
        };
        if !may_be_legal(game, &uci) {
            return self.engine.try_send_order(EngineOrder::Restart(EngineError::NotAMove(uci)));
        }
        let score = info.as_ref().and_then(|info| info.score);
        if let Some(score) = score {
            decisions.add_score(score);
        }
        decisions.expected = best.ponder;
        let (scores, takebacks) = (&decisions.scores, decisions.takebacks);
        let situation = GameSituation { config: &self.out.config, game, scores, takebacks };
        let engine_offers_draw = best.offers_draw && self.out.config.offers.draw.is_some();
        let offered = || engine_offers_draw.then(|| Verdict::new(ResignOrDraw::OfferDraw, "the engine offers it"));
        let verdict = policy.decide_resign_or_draw(&situation).or_else(offered);
        if let Some(Verdict { decision: ResignOrDraw::Resign, reason }) = &verdict {
            return self.resign(key, reason);
        }
        let reason = score.map_or("found by the engine".to_owned(), |score| format!("score {score}"));
        self.send_move(position, &uci, &reason, info.as_ref());
        if let Some(Verdict { decision: ResignOrDraw::OfferDraw, reason }) = verdict {
            self.offer_draw_unless_recent(key, reason);
        }
    }

    /// Handles a search without a move. If the position has legal moves, the engine made a
    /// mistake and is restarted; otherwise the game is over, and the server is about to report it.
    fn on_search_without_move(&mut self, key: GameKey) {
        let board = self.tracker().get(key).and_then(|game| SearchPosition::of_game(game).chess_board());
        if board.is_some_and(|board| board.status() != GameStatus::Ongoing) {
            return self.out.report_about(BotAction::Dropped, self.number(key), None, "there is no legal move");
        }
        self.engine.try_send_order(EngineOrder::Restart(EngineError::NoMove));
    }

    /// Sends a move, reports it, and comments on it with the analysis that led to it; restarts the engine if the text is not a move.
    fn send_move(&mut self, position: GamePositionKey, uci: &str, reason: &str, info: Option<&SearchInfo>) {
        let Some(game) = self.collector.tracker().get(position.game()) else { return };
        let Ok(text) = MoveText::new(&server_notation(game, uci)) else {
            return self.engine.try_send_order(EngineOrder::Restart(EngineError::NotAMove(uci.to_owned())));
        };
        let refused = uci.to_owned();
        self.out.request(
            |client| async move { client.make_move(&text).await },
            move |bot, result| {
                if let Err(error) = result {
                    bot.games.on_refused_move(position, refused, &error);
                }
            },
        );
        self.out.report_in_game(BotAction::Moved, game.number(), format!("{uci}, {reason}"));
        self.comment_on_move(position.game(), info);
    }

    /// Handles a move that was not made. If the server refuses it, restarts the engine; after a timeout, searches again.
    fn on_refused_move(&mut self, position: GamePositionKey, uci: String, error: &RequestError) {
        let key = position.game();
        self.out.report_about(BotAction::ServerRefused, self.number(key), None, error.to_string());
        if !self.tracker().is_current(position) {
            return;
        }
        let is_refused = error.refusal_reason().is_some() || matches!(error, RequestError::Unexpected { .. });
        if is_refused
            && let Some(decisions) = self.decisions.get_mut(&key)
            && decisions.book_move_in.take_if(|moved_in| *moved_in == position).is_some()
        {
            decisions.has_left_book = true;
            decisions.deciding = None;
            return self.find_move_or_ponder(key);
        }
        if is_refused {
            // The position is the server's, so the move is not legal in it. Some refusals have unknown words.
            let mistake = EngineError::RefusedMove(uci);
            return self.engine.try_send_order(EngineOrder::Restart(mistake));
        }
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.deciding = None;
        }
        // After a lost connection, the resumed game starts the next search.
        if matches!(error, RequestError::TimedOut(_) | RequestError::Blocked { .. } | RequestError::Busy) {
            self.find_move_or_ponder(key);
        }
    }

    /// Counts a failure of the engine for every game that waits for it, and gives up those with too many. A game whose move is held
    /// back does not wait.
    fn on_engine_failure(&mut self, error: &EngineError) {
        self.engine.info = None;
        self.out.report(BotAction::EngineFailed, error_chain(error));
        let limit = self.out.config.engine.restarts_per_game;
        let mut given_up = Vec::new();
        for (key, decisions) in &mut self.decisions {
            let is_my_turn = self.collector.tracker().get(*key).is_some_and(TrackedGame::is_my_turn);
            if is_my_turn && decisions.held.is_none() {
                decisions.deciding = None;
                decisions.failures += 1;
                given_up.extend((decisions.failures > limit).then_some(*key));
            }
        }
        for key in given_up {
            self.give_up(key, format!("the engine failed {} times", limit + 1));
        }
    }

    /// Gives up a game that the engine cannot play: asks to abort it in the first [`ABORTABLE_PLIES`] plies, and resigns later or if the
    /// server does not abort it. After an irregular move, asks to abort at any time and does not resign, because the server is at
    /// fault; the engine tries again in the next position. Does nothing if game or position are given up already.
    fn give_up(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(decisions)) = (self.collector.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        let (position, number) = (game.position_key(), game.number());
        if decisions.has_given_up(position) {
            return;
        }
        decisions.deciding = None;
        if game.has_irregular_move() {
            decisions.given_up = GivenUp::Position(position);
            decisions.failures = 0;
            self.out.report_in_game(BotAction::Aborted, number, format!("{reason} after an irregular move"));
            return self.out.send(Some(number), command::abort());
        }
        if game.position().ply() > ABORTABLE_PLIES {
            return self.resign(key, &reason);
        }
        decisions.given_up = GivenUp::Game;
        self.out.report_in_game(BotAction::Aborted, number, reason);
        self.out.request(
            |client| async move { client.abort().await },
            move |bot, result| {
                let is_playing = bot.games.tracker().get(key).is_some_and(|it| it.state() == TrackedState::Playing);
                if is_playing && !matches!(result, Ok(OfferOutcome::Ended(_))) {
                    bot.games.resign(key, "the server does not abort the game");
                }
            },
        );
    }

    /// Resigns a game, and marks it as given up.
    pub(super) fn resign(&mut self, key: GameKey, reason: &str) {
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.given_up = GivenUp::Game;
            decisions.deciding = None;
        }
        let number = self.number(key);
        self.out.report_about(BotAction::Resigned, number, None, reason);
        self.out.send(number, command::resign());
    }

    /// Offers a draw, unless one was offered within the last [`DRAW_OFFER_PLIES`] plies.
    fn offer_draw_unless_recent(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(decisions)) = (self.collector.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        let ply = game.position().ply();
        if decisions.offered_draw_at.is_some_and(|offered| ply < offered.saturating_add(DRAW_OFFER_PLIES)) {
            return;
        }
        decisions.offered_draw_at = Some(ply);
        self.out.report_in_game(BotAction::OfferedDraw, game.number(), reason);
        self.out.send(Some(game.number()), command::draw());
    }

    /// Claims a draw by repetition or the fifty-move rule, with the command `draw`.
    pub(super) fn claim_draw(&self, key: GameKey) {
        let number = self.number(key);
        self.out.report_about(BotAction::ClaimedDraw, number, None, "repetition, or fifty moves without progress");
        self.out.send(number, command::draw());
    }

    /// Decides about an offer of the opponent by the policy, and reports the decision; accepts every end of a game that the bot has
    /// given up. `None` without a game in progress.
    pub(super) fn judge_offer(&mut self, offer: OfferKind, policy: &mut dyn Policy) -> Option<(GameId, bool)> {
        let key = self.playing()?.key();
        let (game, decisions) = (self.collector.tracker().get(key)?, self.decisions.get_mut(&key)?);
        let is_an_end = matches!(offer, OfferKind::Draw | OfferKind::Abort | OfferKind::Adjourn);
        let verdict = if decisions.given_up != GivenUp::Nothing && is_an_end {
            Verdict::accept("the bot cannot play on")
        } else {
            let (scores, takebacks) = (&decisions.scores, decisions.takebacks);
            policy.judge_offer(offer, &GameSituation { config: &self.out.config, game, scores, takebacks })
        };
        if verdict.decision && offer == OfferKind::Takeback {
            decisions.takebacks += 1;
        }
        let action = if verdict.decision { BotAction::Granted } else { BotAction::Refused };
        self.out.report_in_game(action, game.number(), format!("{offer}: {}", verdict.reason));
        Some((game.number(), verdict.decision))
    }
}

/// Returns whether a move is legal in chess or chess960. In other variants every move may be: the server decides.
fn may_be_legal(game: &TrackedGame, uci: &str) -> bool {
    !matches!(game.variant().as_str(), "chess" | "chess960") || SearchPosition::of_game(game).may_allow_move(uci)
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
