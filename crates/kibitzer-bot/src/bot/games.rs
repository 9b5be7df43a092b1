//! Reactions to the changes of games in progress: searches, claims, and records.

use std::time::Duration;

use kibitzer::core::chess::Color;
use kibitzer::core::message::{GameResult, Rating};
use tokio::time::Instant;

use super::engine_task::EngineOrder;
use super::game_decisions::GameDecisions;
use super::player::BotPlayer;
use super::requests::RequestOutcome;
use crate::clock::GameClocks;
use crate::engine::{GameSetup, SearchLimits, SearchPosition};
use crate::policy::Policy;
use crate::tracker::{GameKey, GamePositionKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};
use crate::verdict::BotAction;

/// How long after the end of the opponent's time it is claimed, and the time between two claims.
pub(super) const FLAG_DELAY: Duration = Duration::from_secs(2);

/// Number of half moves without capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;

impl<P: Policy + Clone> BotPlayer<P> {
    /// Reacts to a change of a tracked game: searches, stops the search or ends the game, then writes the record.
    pub(super) fn on_game_change(&mut self, change: TrackedChange) {
        use TrackedChangeKind::{
            Adjourned, Ended, Interrupted, Left, Moved, Refreshed, Replaced, Resumed, Started, TakenBack,
        };
        match change.kind {
            Started | Resumed => self.start_or_resume_game(change),
            Moved | TakenBack { .. } | Replaced | Refreshed => self.find_move_or_ponder(change.game),
            Adjourned | Ended | Left => self.on_game_over_or_adjourned(change),
            Interrupted => self.on_game_interrupted(change.game),
        }
        // Last, so that the engine already searches while the disk is busy.
        self.update_pgn_files(change);
    }

    /// Prepares for a game that starts, or goes on after an interruption: requests missing moves, sets up the engine and looks
    /// for a move. Greets the opponent of a new game.
    fn start_or_resume_game(&mut self, change: TrackedChange) {
        let Some(game) = self.games.tracker().get(change.game) else { return };
        let Some(color) = game.my_color() else { return };
        let opponent = game.player(color.opponent());
        let rating = game.rating(color.opponent()).and_then(Rating::value);
        let mut setup = GameSetup::new(game.variant(), color);
        setup.opponent = opponent.to_string();
        setup.opponent_rating = rating.filter(|&rating| rating > 0);
        setup.opponent_is_computer = self.matchmaking.is_known_computer(&opponent);
        let (initial, increment) = game.time_control_s();
        let word = if change.kind == TrackedChangeKind::Resumed { "resumed" } else { "started" };
        let reason = format!("{word}: {} with {initial} s and {increment} s per move, as {color}", setup.variant);
        if game.has_missing_moves() {
            let (client, number) = (self.client.clone(), game.number());
            // The tracker adds the listed moves when it receives them among the events.
            let request = async move { RequestOutcome::Other(Some(change.game), client.moves(number).await.err()) };
            self.requests.spawn(request);
        }
        // The server has forgotten a request to abort.
        self.decisions.entry(change.game).or_default().has_given_up = false;
        self.matchmaking.on_game_started(&opponent, change.kind == TrackedChangeKind::Started, Instant::now());
        self.report(BotAction::Started, Some(change.game), Some(opponent.clone()), reason);
        self.engine_task.try_send_order(EngineOrder::NewGame(change.game, setup));
        if change.kind == TrackedChangeKind::Started {
            self.greet(&opponent);
        }
        self.find_move_or_ponder(change.game);
    }

    /// Looks for a move if it is this account's turn, and claims a draw first if one is due; otherwise waits for the opponent's
    /// move. Does nothing if the position is being searched already, the engine searches for another game, or the bot has given
    /// the game up.
    pub(super) fn find_move_or_ponder(&mut self, key: GameKey) {
        let (Some(game), Some(decisions)) = (self.games.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        if decisions.has_given_up {
            return;
        }
        let position = game.position_key();
        decisions.note_first_arrival(position);
        let occurrences = decisions.record_position_and_count(game.position().ply(), &game.position().fen());
        if !game.is_my_turn() {
            return self.on_opponent_turn(key);
        }
        decisions.set_flag_claim(None);
        decisions.waiting = None;
        if decisions.deciding == Some(position) {
            return;
        }
        decisions.deciding = None;
        // One engine searches for one game at a time; the next one is due when the move is sent.
        if self.is_move_pending() {
            return;
        }
        let is_draw = occurrences >= 3 || game.position().halfmove_clock() >= FIFTY_MOVES;
        if let Some(decisions) = self.decisions.get_mut(&key) {
            decisions.deciding = Some(position);
        }
        if is_draw {
            self.claim_draw(key);
        }
        self.play_book_or_search(position);
    }

    /// Plays a move of the book, otherwise orders a search.
    fn play_book_or_search(&mut self, position: GamePositionKey) {
        let key = position.game();
        if let Some(uci) = self.book_move(key) {
            return self.send_move(position, &uci, "from the book");
        }
        let Some(game) = self.games.tracker().get(key) else { return };
        let limits = self.search_limits(game);
        let reason = format!("move {}: at most {:.1?}", game.position().move_number(), limits.deadline);
        let order = EngineOrder::Search(position, game.search_position(), limits);
        self.report(BotAction::Thinking, Some(key), None, reason);
        self.engine_task.try_send_order(order);
    }

    /// Returns the limits of a search for this account, from the clocks of the last board and the time since then.
    fn search_limits(&self, game: &TrackedGame) -> SearchLimits {
        let engine = &self.config.engine;
        let (Some(color), (1.., _) | (_, 1..)) = (game.my_color(), game.time_control_s()) else {
            return engine.untimed_limits();
        };
        let (_, increment_s) = game.time_control_s();
        let running = game.game().running_clock();
        let (white, black) = (game.clock(Color::White), game.clock(Color::Black));
        let clock = GameClocks::new(white, black, Duration::from_secs(increment_s.into()), running);
        let elapsed = self.decisions.get(&game.key()).map_or(Duration::ZERO, GameDecisions::time_in_position);
        engine.timed_limits(&clock, color, elapsed, self.lag.estimate())
    }

    /// Returns a move of the book; `None` if the book has none. A book that cannot be read is reported, and not used again.
    fn book_move(&mut self, key: GameKey) -> Option<String> {
        let game = self.games.tracker().get(key)?;
        let chosen = self.book.as_mut()?.choose(&game.search_position(), &game.variant());
        if chosen.is_err() {
            self.book = None;
        }
        self.ok_or_report(None, chosen)?
    }

    /// Starts to ponder on the expected move, or stops the engine without one, unless a search is running or the position is
    /// known. Schedules the claim of the opponent's time for shortly after it runs out, and records the lag of the bot's last
    /// move.
    fn on_opponent_turn(&mut self, key: GameKey) {
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
        let is_timed = game.time_control_s() != (0, 0) && game.state() == TrackedState::Playing;
        decisions.set_flag_claim(is_timed.then(|| Instant::now() + remaining + FLAG_DELAY));
        // Another board of the same position, such as one with the reserves, does not end the analysis.
        let is_known = decisions.waiting.replace(position) == Some(position);
        let expected = decisions.expected.take();
        if is_known || self.is_move_pending() {
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
        self.engine_task.try_send_order(order);
        self.find_move_in_waiting_game();
    }

    /// Returns whether in any game a move is being searched, or was sent and is not on the board yet.
    fn is_move_pending(&self) -> bool {
        self.decisions.values().any(|decisions| decisions.deciding.is_some())
    }

    /// Looks for a move in the first game, if any, in which it is the bot's turn and no move is being searched.
    pub(super) fn find_move_in_waiting_game(&mut self) {
        let is_due = |game: &&TrackedGame| {
            game.is_my_turn()
                && self
                    .decisions
                    .get(&game.key())
                    .is_some_and(|decisions| decisions.deciding.is_none() && !decisions.has_given_up)
        };
        let due = self.games.tracker().iter().find(is_due).map(TrackedGame::key);
        if let Some(key) = due {
            self.find_move_or_ponder(key);
        }
    }

    /// Cancels the decisions in a game whose connection was lost, and stops the engine.
    fn on_game_interrupted(&mut self, key: GameKey) {
        if let Some(decisions) = self.decisions.get_mut(&key) {
            (decisions.deciding, decisions.waiting) = (None, None);
            decisions.set_flag_claim(None);
        }
        self.engine_task.try_send_order(EngineOrder::Stop);
    }

    /// Drops the decisions about a game that is over or adjourned, reports its end, and plans seeks and challenges. After an end,
    /// sends the closing words and may propose a rematch.
    fn on_game_over_or_adjourned(&mut self, change: TrackedChange) {
        self.decisions.remove(&change.game);
        if !self.is_move_pending() {
            self.engine_task.try_send_order(EngineOrder::Stop);
        }
        let Some(game) = self.games.tracker().get(change.game) else { return };
        let variant = game.variant();
        let opponent = game.my_color().map(|color| game.player(color.opponent()));
        let words = game
            .ending()
            .map_or("the end was not received".to_owned(), |ending| format!("{} ({})", ending.text, ending.result));
        let is_aborted = change.kind == TrackedChangeKind::Ended
            && game.ending().is_some_and(|ending| ending.result == GameResult::Unfinished);
        let is_at_start = game.position().move_number() == 1;
        self.report(BotAction::Ended, Some(change.game), opponent.clone(), words);
        if let Some(opponent) = opponent.as_ref().filter(|_| is_aborted && is_at_start) {
            self.matchmaking.forget_last_game(opponent);
        }
        self.plan_seeks_and_challenge(Instant::now());
        if let Some(opponent) = opponent.filter(|_| change.kind == TrackedChangeKind::Ended) {
            self.say_goodbye(&opponent);
            self.propose_rematch_if_allowed(&opponent, &variant);
        }
        self.find_move_in_waiting_game();
    }
}
