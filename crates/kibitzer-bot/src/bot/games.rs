//! Games in progress: what each of their changes demands.

use std::time::Duration;

use kibitzer::core::chess::Color;
use kibitzer::core::message::Rating;
use kibitzer::core::message::listing::MoveList;
use kibitzer::{GameId, RequestError};
use tokio::time::Instant;

use super::engine_task::EngineOrder;
use super::game_decisions::GameDecisions;
use super::player::BotPlayer;
use super::requests::RequestOutcome;
use crate::clock::Clock;
use crate::engine::{GameSetup, SearchLimits, SearchPosition};
use crate::policy::Policy;
use crate::tracker::{GameKey, GamePositionKey, GameStep, StepKind, TrackedGame, TrackedState};
use crate::verdict::BotAction;

/// How long after the end of the opponent's time it is claimed, and the time between two claims.
pub(super) const FLAG_DELAY: Duration = Duration::from_secs(2);

/// Number of half moves without capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;

impl<P: Policy + Clone> BotPlayer<P> {
    /// Reacts to a change of a tracked game: searches, stops the search or ends the game, then writes the record.
    pub(super) fn on_step(&mut self, step: GameStep) {
        match step.kind {
            StepKind::Started | StepKind::Resumed => self.begin_game(step),
            StepKind::Moved | StepKind::TakenBack { .. } | StepKind::Replaced | StepKind::Refreshed => {
                self.decide_move(step.game);
            }
            StepKind::Adjourned | StepKind::Ended | StepKind::Left => self.end_game(step),
            _ => self.interrupt_search(step.game),
        }
        // Last, so that the engine already searches while the disk is busy.
        self.record(step);
    }

    /// Prepares for a game that starts, or goes on after an interruption: requests missing moves, sets up the engine and looks
    /// for a move. Greets the opponent of a new game.
    fn begin_game(&mut self, step: GameStep) {
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
        self.decisions.entry(step.game).or_default().has_given_up = false;
        self.idle.game_started(&opponent, step.kind == StepKind::Started, Instant::now());
        self.report(BotAction::Started, Some(step.game), Some(opponent.clone()), reason);
        self.order(EngineOrder::NewGame(step.game, setup));
        if step.kind == StepKind::Started {
            self.greet(&opponent);
        }
        self.decide_move(step.game);
    }

    /// Requests the list of moves of a game whose first moves are unknown.
    fn request_moves(&mut self, key: GameKey, number: GameId) {
        let client = self.client.clone();
        self.requests.send(async move { RequestOutcome::Moves(key, Box::new(client.moves(number).await)) });
    }

    /// Adds the received moves to a game, or reports the error of their request.
    pub(super) fn on_moves(&mut self, key: GameKey, result: Result<MoveList, RequestError>) {
        match (result, self.games.tracker_mut().get_mut(key)) {
            (Ok(list), Some(game)) => drop(game.add_moves(&list)),
            (Err(error), _) => self.report(BotAction::ServerRefused, Some(key), None, error.to_string()),
            (Ok(_), None) => {}
        }
    }

    /// Looks for a move if it is this account's turn, and claims a draw first if one is due; otherwise waits for the opponent's
    /// move. Does nothing if the position is being searched already, the engine searches for another game, or the bot has given
    /// the game up.
    pub(super) fn decide_move(&mut self, key: GameKey) {
        let (Some(game), Some(decisions)) = (self.games.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        if decisions.has_given_up {
            return;
        }
        let position = game.position_key();
        decisions.note_first_arrival(position);
        let occurrences = decisions.add_and_count_repetitions(game.position().ply(), &game.position().fen());
        if !game.is_my_turn() {
            return self.ponder_and_plan_flag(key);
        }
        decisions.cancel_flag_claim();
        decisions.waiting = None;
        if decisions.deciding == Some(position) {
            return;
        }
        decisions.deciding = None;
        // One engine searches for one game at a time; the next one is due when the move is sent.
        if self.is_searching() {
            return;
        }
        let is_draw = occurrences >= 3 || game.position().halfmove_clock() >= FIFTY_MOVES;
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.deciding = Some(position);
        }
        if is_draw {
            self.claim_draw(key);
        }
        self.find_move(position);
    }

    /// Plays a move of the book, otherwise orders a search.
    fn find_move(&mut self, position: GamePositionKey) {
        let key = position.game();
        if let Some(uci) = self.book_move(key) {
            return self.send_move(position, &uci, "from the book");
        }
        let Some(game) = self.games.tracker().get(key) else { return };
        let limits = self.search_limits(game);
        let reason = format!("move {}: at most {:.1?}", game.position().move_number(), limits.deadline);
        let order = EngineOrder::Search(position, game.search_position(), limits);
        self.report(BotAction::Thinking, Some(key), None, reason);
        self.order(order);
    }

    /// Returns the limits of a search in the current position of a game, or of one that the opponent is expected to reach.
    fn search_limits(&self, game: &TrackedGame) -> SearchLimits {
        let budget = self.config.engine.time_budget();
        let (Some(color), (1.., _) | (_, 1..)) = (game.my_color(), game.time_control()) else {
            return budget.untimed_limits();
        };
        let (_, increment_s) = game.time_control();
        let running = game.game().running_clock();
        let (white, black) = (game.clock(Color::White), game.clock(Color::Black));
        let clock = Clock::new(white, black, Duration::from_secs(increment_s.into()), running);
        let elapsed = self.decisions.get(&game.key()).map_or(Duration::ZERO, GameDecisions::elapsed);
        budget.limits(&clock, color, elapsed, self.lag.estimate())
    }

    /// Returns a move of the book; `None` if the book has none. A book that cannot be read is reported, and not used again.
    fn book_move(&mut self, key: GameKey) -> Option<String> {
        let game = self.games.tracker().get(key)?;
        let chosen = self.book.as_mut()?.choose(&game.search_position(), &game.variant());
        if chosen.is_err() {
            self.book = None;
        }
        self.or_report(chosen)?
    }

    /// Starts to ponder on the expected move, or stops the engine without one, unless a search is running or the position is
    /// known. Schedules the claim of the opponent's time for shortly after it runs out, and records the lag of the bot's last
    /// move.
    fn ponder_and_plan_flag(&mut self, key: GameKey) {
        let (Some(game), Some(decisions)) = (self.games.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        let position = game.position_key();
        decisions.deciding = None;
        let Some(color) = game.my_color() else { return };
        // The board after an own move has the lag of that move.
        if let Some(lag) = game.position().lag_ms().and_then(|lag| u64::try_from(lag).ok()) {
            self.lag.record(Duration::from_millis(lag));
        }
        let remaining = game.clock(color.opponent()).remaining().unwrap_or_default();
        let is_timed = game.time_control() != (0, 0) && game.state() == TrackedState::Playing;
        decisions.plan_flag_claim(is_timed.then(|| Instant::now() + remaining + FLAG_DELAY));
        // Another board of the same position, such as one with the reserves, does not end the analysis.
        let is_known = decisions.waiting.replace(position) == Some(position);
        let expected = decisions.expected.take();
        if is_known || self.is_searching() {
            return;
        }
        let Some(game) = self.games.tracker().get(key) else { return };
        let order =
            match expected.filter(|_| self.config.engine.ponder && self.engine.as_ref().is_some_and(|it| it.ponders)) {
                Some(expected) => {
                    let SearchPosition { fen, mut moves, .. } = game.search_position();
                    moves.push(expected);
                    EngineOrder::Ponder(key, SearchPosition::new(fen, moves, color), self.search_limits(game))
                }
                None => EngineOrder::Stop,
            };
        self.order(order);
        self.decide_others();
    }

    /// Returns whether the engine searches for a move in any game.
    fn is_searching(&self) -> bool {
        self.decisions.values().any(|decisions| decisions.deciding.is_some())
    }

    /// Looks for a move in one of the games that wait for the engine.
    pub(super) fn decide_others(&mut self) {
        let is_due = |game: &&TrackedGame| {
            game.is_my_turn()
                && self
                    .decisions
                    .get(&game.key())
                    .is_some_and(|decisions| decisions.deciding.is_none() && !decisions.has_given_up)
        };
        let due = self.games.tracker().iter().find(is_due).map(TrackedGame::key);
        if let Some(key) = due {
            self.decide_move(key);
        }
    }

    /// Stops the search of a game whose connection is lost.
    fn interrupt_search(&mut self, key: GameKey) {
        if let Some(decisions) = self.decisions.get_mut(&key) {
            (decisions.deciding, decisions.waiting) = (None, None);
            decisions.cancel_flag_claim();
        }
        self.order(EngineOrder::Stop);
    }

    /// Drops the decisions about a game that is over or adjourned, reports its end, and plans seeks and challenges. After an end,
    /// sends the closing words and may propose a rematch.
    fn end_game(&mut self, step: GameStep) {
        self.decisions.remove(&step.game);
        if !self.is_searching() {
            self.order(EngineOrder::Stop);
        }
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
