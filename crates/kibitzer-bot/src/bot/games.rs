//! Playing: from a position to a move, and the ends of games.

use std::time::Duration;

use cozy_chess::GameStatus;
use kibitzer::command::{MoveMade, MoveText, OfferOutcome};
use kibitzer::core::chess::{Color, Role, Square};
use kibitzer::core::message::Rating;
use kibitzer::core::message::listing::MoveList;
use kibitzer::{GameId, RequestError};
use tokio::time::Instant;

use super::player::Player;
use super::requests::Outcome;
use super::table::Table;
use super::thinker::{Order, Thought};
use crate::clock::Clock;
use crate::engine::{BestMove, EngineError, GameSetup, SearchLimits, SearchPosition};
use crate::policy::{GameSituation, Gesture, Policy, centipawns};
use crate::tracker::{GameKey, GameStep, PositionKey, StepKind, TrackedGame, TrackedState};
use crate::verdict::{BotAction, BotEvent};

/// How long after the end of the opponent's time it is claimed, and the time between two claims.
const FLAG_DELAY: Duration = Duration::from_secs(2);

/// Number of claims of the opponent's time per move.
const MAX_FLAGS: u32 = 5;

/// Number of half moves without capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;

/// Number of plies within which a game ends without a result if one side asks for it.
const ABORTABLE_PLIES: u32 = 1;

/// Minimum number of plies between two offers of a draw.
const DRAW_OFFER_PLIES: u32 = 20;

impl<P: Policy + Clone> Player<P> {
    pub(super) fn on_step(&mut self, step: GameStep) {
        match step.kind {
            StepKind::Started | StepKind::Resumed => self.begin(step),
            StepKind::Moved | StepKind::TakenBack { .. } | StepKind::Replaced | StepKind::Refreshed => {
                self.decide(step.game);
            }
            StepKind::Adjourned | StepKind::Ended | StepKind::Left => self.end(step),
            _ => self.interrupt(step.game),
        }
        // Last, so that the engine already searches while the disk is busy.
        self.record(step);
    }

    /// Prepares for a game that starts, or goes on after an interruption.
    fn begin(&mut self, step: GameStep) {
        let Some(game) = self.games.tracker().get(step.game) else { return };
        let Some(color) = game.my_color() else { return };
        let opponent = game.player(color.opponent());
        let rating = game.rating(color.opponent()).and_then(Rating::value);
        let mut setup = GameSetup::new(game.variant(), color);
        setup.opponent = opponent.to_string();
        setup.opponent_rating = rating.filter(|&rating| rating > 0);
        setup.opponent_is_computer = self.idle.is_computer(&opponent);
        let (initial, increment) = game.time_control();
        let word = if step.kind == StepKind::Resumed { "resumed" } else { "started" };
        let reason = format!("{word}: {} with {initial} s and {increment} s per move, as {color}", setup.variant);
        if game.has_missing_moves() {
            self.request_moves(step.game, game.number());
        }
        // The server has forgotten a request to abort.
        self.tables.entry(step.game).or_default().has_given_up = false;
        self.idle.game_started(&opponent, step.kind == StepKind::Started, Instant::now());
        self.report(BotAction::Started, Some(step.game), Some(opponent.clone()), reason);
        self.order(Order::NewGame(step.game, setup));
        if step.kind == StepKind::Started {
            self.greet(&opponent);
        }
        self.decide(step.game);
    }

    fn request_moves(&mut self, key: GameKey, number: GameId) {
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Moves(key, Box::new(client.moves(number).await)) });
    }

    pub(super) fn on_moves(&mut self, key: GameKey, result: Result<MoveList, RequestError>) {
        match (result, self.games.tracker_mut().get_mut(key)) {
            (Ok(list), Some(game)) => drop(game.add_moves(&list)),
            (Err(error), _) => self.report(BotAction::ServerRefused, Some(key), None, error.to_string()),
            (Ok(_), None) => {}
        }
    }

    /// Looks for a move if it is this account's turn, otherwise waits for the opponent's. Does nothing if it already does.
    pub(super) fn decide(&mut self, key: GameKey) {
        let (Some(game), Some(table)) = (self.games.tracker().get(key), self.tables.get_mut(&key)) else { return };
        if table.has_given_up {
            return;
        }
        let position = game.position_key();
        table.receive(position);
        let occurrences = table.count(game.position().ply(), &game.position().fen());
        if !game.is_my_turn() {
            return self.wait(key);
        }
        table.stop_flag();
        if table.deciding == Some(position) {
            return;
        }
        // One engine searches for one game at a time; the next one is due when the move is sent.
        if self.tables.iter().any(|(other, table)| *other != key && table.deciding.is_some()) {
            return;
        }
        let is_draw = occurrences >= 3 || game.position().halfmove_clock() >= FIFTY_MOVES;
        if let Some(table) = self.tables.get_mut(&key) {
            table.deciding = Some(position);
        }
        if is_draw {
            self.claim_draw(key);
        }
        self.find_move(position);
    }

    /// Plays a move of the book, otherwise orders a search.
    fn find_move(&mut self, position: PositionKey) {
        let key = position.game();
        if let Some(uci) = self.book_move(key) {
            return self.send_move(position, &uci, "from the book");
        }
        let Some(game) = self.games.tracker().get(key) else { return };
        let limits = self.limits(game);
        let reason = format!("move {}: at most {:.1?}", game.position().move_number(), limits.deadline);
        let order = Order::Search(position, game.search_position(), limits);
        self.report(BotAction::Thinking, Some(key), None, reason);
        self.order(order);
    }

    /// Returns the limits of a search in the current position of a game, or of one that the opponent is expected to reach.
    fn limits(&self, game: &TrackedGame) -> SearchLimits {
        let budget = self.config.engine.time_budget();
        let (Some(color), (1.., _) | (_, 1..)) = (game.my_color(), game.time_control()) else {
            return budget.untimed_limits();
        };
        let (_, increment_s) = game.time_control();
        let running = game.game().running_clock();
        let (white, black) = (game.clock(Color::White), game.clock(Color::Black));
        let clock = Clock::new(white, black, Duration::from_secs(increment_s.into()), running);
        let elapsed = self.tables.get(&game.key()).map_or(Duration::ZERO, Table::elapsed);
        budget.limits(&clock, color, elapsed, self.lag.estimate())
    }

    /// Returns a move of the book.
    fn book_move(&mut self, key: GameKey) -> Option<String> {
        let game = self.games.tracker().get(key)?;
        let chosen = self.book.as_mut()?.choose(&game.search_position(), &game.variant());
        if chosen.is_err() {
            self.book = None;
        }
        self.or_report(chosen)?
    }

    /// Lets the engine think in the opponent's time, and plans to claim it when it is up.
    fn wait(&mut self, key: GameKey) {
        let is_searching_elsewhere = self.tables.iter().any(|(other, table)| *other != key && table.deciding.is_some());
        let (Some(game), Some(table)) = (self.games.tracker().get(key), self.tables.get_mut(&key)) else { return };
        let position = game.position_key();
        table.deciding = None;
        let Some(color) = game.my_color() else { return };
        // The board after an own move has the lag of that move.
        if let Some(lag) = game.position().lag_ms().and_then(|lag| u64::try_from(lag).ok()) {
            self.lag.record(Duration::from_millis(lag));
        }
        let remaining = game.clock(color.opponent()).remaining().unwrap_or_default();
        let is_timed = game.time_control() != (0, 0) && game.state() == TrackedState::Playing;
        table.plan_flag(is_timed.then(|| Instant::now() + remaining + FLAG_DELAY));
        // Another board of the same position, such as one with the reserves, does not end the analysis.
        let is_known = table.waiting.replace(position) == Some(position);
        let expected = table.expected.take();
        if is_searching_elsewhere || is_known {
            return;
        }
        let order =
            match expected.filter(|_| self.config.engine.ponder && self.engine.as_ref().is_some_and(|it| it.ponders)) {
                Some(expected) => {
                    let SearchPosition { fen, mut moves, .. } = game.search_position();
                    moves.push(expected);
                    Order::Ponder(key, SearchPosition::new(fen, moves, color), self.limits(game))
                }
                None => Order::Stop,
            };
        self.order(order);
        self.decide_others();
    }

    /// Looks for moves in games that waited for the engine.
    fn decide_others(&mut self) {
        let is_due = |game: &&TrackedGame| {
            game.is_my_turn() && self.tables.get(&game.key()).is_some_and(|table| table.deciding.is_none())
        };
        let due = self.games.tracker().iter().find(is_due).map(TrackedGame::key);
        if let Some(key) = due {
            self.decide(key);
        }
    }

    pub(super) fn on_thought(&mut self, thought: Thought) {
        match thought {
            Thought::Started(engine) => {
                self.report(BotAction::StartedEngine, None, None, engine.name.clone());
                self.engine = Some(engine);
                self.decide_others();
            }
            Thought::Analysis(key, info) => {
                let Some(number) = self.games.tracker().get(key).map(TrackedGame::number) else { return };
                if let (Some(table), Some(score)) = (self.tables.get_mut(&key), info.score) {
                    table.score = Some(score);
                }
                self.emit(&BotEvent::analysis(self.client.handle(), number, info));
            }
            Thought::Best(position, best) => self.on_best(position, best),
            Thought::NotPlayed(key, error) => self.give_up(key, error.to_string()),
            Thought::Failed(error) => self.on_engine_failure(&error),
        }
    }

    fn on_best(&mut self, position: PositionKey, best: BestMove) {
        let key = position.game();
        if !self.games.tracker().is_current(position) {
            return self.report(BotAction::Dropped, Some(key), None, "the position has changed meanwhile");
        }
        if self.tables.get(&key).is_none_or(|table| table.has_given_up) {
            return self.report(BotAction::Dropped, Some(key), None, "the bot has given up the game");
        }
        if best.resigns {
            return self.resign(key, "the engine resigns");
        }
        let Some(uci) = best.best else { return self.on_no_move(key, best.offers_draw) };
        if !self.games.tracker().get(key).is_some_and(|game| may_be_legal(game, &uci)) {
            return self.order(Order::Restart(EngineError::NotAMove(uci)));
        }
        let gesture = self.gesture(key, best.offers_draw);
        if let Some((Gesture::Resign, reason)) = &gesture {
            return self.resign(key, reason);
        }
        if let Some(table) = self.tables.get_mut(&key) {
            table.expected = best.ponder;
        }
        let score = self.tables.get(&key).and_then(|table| table.scores.last());
        let reason = score.map_or("found by the engine".to_owned(), |score| {
            format!("score {:+.2}", f64::from(centipawns(*score)) / 100.0)
        });
        self.send_move(position, &uci, reason);
        if let Some((Gesture::OfferDraw, reason)) = gesture {
            self.offer_draw(key, reason);
        }
    }

    /// Restarts an engine that finds no move, unless there is none: the server's report of the end is still to come. Claims the draw
    /// first that the engine claims in place of a move.
    fn on_no_move(&mut self, key: GameKey, claims_draw: bool) {
        if claims_draw {
            self.claim_draw(key);
        }
        let board = self.games.tracker().get(key).and_then(|game| game.search_position().board());
        if board.is_some_and(|board| board.status() != GameStatus::Ongoing) {
            return self.report(BotAction::Dropped, Some(key), None, "there is no legal move");
        }
        self.order(Order::Restart(EngineError::NoMove));
    }

    /// Adds the score of the search, and asks the policy whether to resign or to offer a draw.
    fn gesture(&mut self, key: GameKey, engine_offers_draw: bool) -> Option<(Gesture, String)> {
        let game = self.games.tracker().get(key)?;
        let table = self.tables.get_mut(&key)?;
        if let Some(score) = table.score.take() {
            table.add_score(score);
        }
        let rules = &self.config.rules;
        let situation = GameSituation { rules, game, scores: &table.scores, takebacks: table.takebacks };
        let verdict = self.policy.gesture(&situation);
        if engine_offers_draw && rules.offers.draw.is_some() && verdict.is_none() {
            return Some((Gesture::OfferDraw, "the engine offers it".to_owned()));
        }
        verdict.map(|verdict| (verdict.decision, verdict.reason))
    }

    fn send_move(&mut self, position: PositionKey, uci: &str, reason: impl Into<String>) {
        let key = position.game();
        let Some(Ok(text)) = self.games.tracker().get(key).map(|game| MoveText::new(&server_move(game, uci))) else {
            return self.order(Order::Restart(EngineError::NotAMove(uci.to_owned())));
        };
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Move(position, client.make_move(&text).await) });
        self.report(BotAction::Moved, Some(key), None, format!("{uci}, {}", reason.into()));
    }

    pub(super) fn on_move_reply(&mut self, position: PositionKey, result: Result<MoveMade, RequestError>) {
        let Err(error) = result else { return };
        let key = position.game();
        self.report(BotAction::ServerRefused, Some(key), None, error.to_string());
        if !self.games.tracker().is_current(position) {
            return;
        }
        if error.refusal().is_some() {
            // The position is the server's, so the move is not legal in it.
            return self.order(Order::Restart(EngineError::NotAMove("a move that the server refuses".to_owned())));
        }
        if let Some(table) = self.tables.get_mut(&key) {
            table.deciding = None;
        }
        // After a lost connection, the resumed game starts the next search.
        if matches!(error, RequestError::TimedOut(_) | RequestError::Busy) {
            self.decide(key);
        }
    }

    /// Counts a failure of the engine for every game that waits for it, and gives up those with too many.
    fn on_engine_failure(&mut self, error: &EngineError) {
        self.engine = None;
        self.report(BotAction::EngineFailed, None, None, error.to_string());
        let limit = self.config.engine.restarts_per_game;
        let waiting: Vec<_> =
            self.games.tracker().iter().filter(|game| game.is_my_turn()).map(TrackedGame::key).collect();
        for key in waiting {
            let Some(table) = self.tables.get_mut(&key) else { continue };
            table.deciding = None;
            table.failures += 1;
            if table.failures > limit {
                self.give_up(key, format!("the engine failed {} times", limit + 1));
            }
        }
    }

    /// Ends a game that cannot be played: asks to abort it, and resigns if the server does not.
    pub(super) fn give_up(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(table)) = (self.games.tracker().get(key), self.tables.get_mut(&key)) else { return };
        if std::mem::replace(&mut table.has_given_up, true) {
            return;
        }
        table.deciding = None;
        if game.position().ply() > ABORTABLE_PLIES {
            return self.resign(key, &reason);
        }
        self.report(BotAction::Aborted, Some(key), None, reason);
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Abort(key, client.abort().await) });
    }

    pub(super) fn on_abort_reply(&mut self, key: GameKey, result: &Result<OfferOutcome, RequestError>) {
        if !matches!(result, Ok(OfferOutcome::Ended(_)))
            && self.games.tracker().get(key).is_some_and(|game| game.state() == TrackedState::Playing)
        {
            self.resign(key, "the server does not abort the game");
        }
    }

    pub(super) fn resign(&mut self, key: GameKey, reason: &str) {
        if let Some(table) = self.tables.get_mut(&key) {
            table.has_given_up = true;
            table.deciding = None;
        }
        self.report(BotAction::Resigned, Some(key), None, reason);
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Other(Some(key), client.resign().await.err()) });
    }

    fn offer_draw(&mut self, key: GameKey, reason: String) {
        let (Some(game), Some(table)) = (self.games.tracker().get(key), self.tables.get_mut(&key)) else { return };
        let ply = game.position().ply();
        if table.offered_draw_at.is_some_and(|offered| ply < offered.saturating_add(DRAW_OFFER_PLIES)) {
            return;
        }
        table.offered_draw_at = Some(ply);
        self.report(BotAction::OfferedDraw, Some(key), None, reason);
        self.request_draw(key);
    }

    fn claim_draw(&mut self, key: GameKey) {
        self.report(BotAction::ClaimedDraw, Some(key), None, "repetition, or fifty moves without progress");
        self.request_draw(key);
    }

    fn request_draw(&mut self, key: GameKey) {
        let client = self.client.clone();
        self.requests.send(async move { Outcome::Other(Some(key), client.draw().await.err()) });
    }

    /// Claims games whose opponents have used up their time.
    pub(super) fn claim_time(&mut self, now: Instant) {
        let due = self
            .tables
            .iter_mut()
            .filter_map(|(key, table)| table.take_flag(now, FLAG_DELAY, MAX_FLAGS).then_some(*key));
        for key in due.collect::<Vec<_>>() {
            self.report(BotAction::Flagged, Some(key), None, "the opponent's time is up");
            let client = self.client.clone();
            self.requests.send(async move { Outcome::Flag(key, client.flag().await.err()) });
        }
    }

    /// Stops the search of a game whose connection is lost.
    fn interrupt(&mut self, key: GameKey) {
        if let Some(table) = self.tables.get_mut(&key) {
            (table.deciding, table.waiting) = (None, None);
            table.stop_flag();
        }
        self.order(Order::Stop);
    }

    /// Puts a game away that is over or adjourned.
    fn end(&mut self, step: GameStep) {
        self.tables.remove(&step.game);
        self.order(Order::Stop);
        let Some(game) = self.games.tracker().get(step.game) else { return };
        let variant = game.variant();
        let opponent = game.my_color().map(|color| game.player(color.opponent()));
        let words = game
            .ending()
            .map_or("the end was not received".to_owned(), |ending| format!("{} ({})", ending.text, ending.result));
        self.report(BotAction::Ended, Some(step.game), opponent.clone(), words);
        self.become_idle(Instant::now());
        if let Some(opponent) = opponent.filter(|_| step.kind == StepKind::Ended) {
            self.say_goodbye(&opponent);
            self.propose_rematch(&opponent, &variant);
        }
        self.decide_others();
    }
}

/// Returns whether a move is legal in chess or chess960. In other variants every move may be: the server decides.
fn may_be_legal(game: &TrackedGame, uci: &str) -> bool {
    !matches!(game.variant().as_str(), "chess" | "chess960") || game.search_position().allows(uci)
}

/// Returns a move as servers expect it: castling, which UCI may write as the king's capture of its own rook, as `O-O` or `O-O-O`.
fn server_move(game: &TrackedGame, uci: &str) -> String {
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
