//! The games of an account: when to look for a move, to ponder, and to claim the opponent's time.

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{
    GameKey, GamePositionKey, GameTracker, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState,
};
use kibitzer::{Event, GameId, Handle};
use kibitzer_core::chess::Color;
use kibitzer_core::message::Rating;
use tokio::time::Instant;

use super::decisions::{Commentary, FoundMove, GameDecisions, GivenUp};
use super::files::GameFiles;
use super::output::Output;
use crate::book::Book;
use crate::bot::engine_task::{EngineOrder, EngineTask};
use crate::clock::{GameClocks, LagEstimate};
use crate::engine::{BestMove, GameSetup, SearchInfo, SearchLimits, SearchPosition};
use crate::policy::GameSituation;
use crate::statistics::FinishedGame;
use crate::verdict::BotAction;

/// How long after the end of the opponent's time it is claimed, and the time between two claims.
const FLAG_DELAY: Duration = Duration::from_secs(2);

/// Number of claims of the opponent's time per move.
const MAX_FLAGS: u32 = 5;

/// Number of half moves without capture or pawn move after which a draw can be claimed.
const FIFTY_MOVES: u32 = 100;

/// The games, the decisions in those that are not over, and the engine that plays them.
pub(super) struct OwnGames {
    pub(super) collector: PgnCollector,
    pub(super) decisions: BTreeMap<GameKey, GameDecisions>,
    pub(super) engine: EngineTask,
    /// The latest line of analysis.
    pub(super) analysis: Option<(GameKey, SearchInfo)>,
    /// Whether that line has been emitted.
    pub(super) is_analysis_emitted: bool,
    /// When the next line of analysis may be emitted.
    pub(super) analysis_at: Instant,
    /// The books that can be read.
    books: Vec<Book>,
    lag: LagEstimate,
    pub(super) commentary: Commentary,
    pub(super) files: GameFiles,
    pub(super) out: Output,
}

impl OwnGames {
    pub(super) fn new(host: &str, engine: EngineTask, out: Output) -> Self {
        Self {
            collector: PgnCollector::new(PgnOrigin::new(host)),
            decisions: BTreeMap::new(),
            engine,
            analysis: None,
            is_analysis_emitted: true,
            analysis_at: Instant::now(),
            books: out
                .config
                .books
                .iter()
                .filter_map(|book| out.ok_or_report(None, Book::open(book.clone())))
                .collect(),
            lag: LagEstimate::default(),
            commentary: Commentary::default(),
            files: GameFiles::open(host, &out),
            out,
        }
    }

    pub(super) const fn tracker(&self) -> &GameTracker {
        self.collector.tracker()
    }

    /// Returns the game in progress; `None` without one, and while the connection is lost.
    pub(super) fn playing(&self) -> Option<&TrackedGame> {
        self.tracker().iter().find(|game| game.state() == TrackedState::Playing)
    }

    pub(super) fn has_interrupted(&self) -> bool {
        self.tracker().iter().any(|game| game.state() == TrackedState::Interrupted)
    }

    /// Returns the server's number of a game.
    pub(super) fn number(&self, key: GameKey) -> Option<GameId> {
        self.tracker().get(key).map(TrackedGame::number)
    }

    /// Prepares for a game that starts, or goes on after an interruption: requests missing moves, and sets up the engine. Returns the
    /// opponent.
    pub(super) fn set_up(
        &mut self,
        change: TrackedChange,
        is_computer: impl FnOnce(&Handle) -> bool,
    ) -> Option<Handle> {
        let game = self.collector.tracker().get(change.game)?;
        let (color, number) = (game.my_color()?, game.number());
        let opponent = game.player(color.opponent());
        let rating = game.rating(color.opponent()).and_then(Rating::value);
        let mut setup = GameSetup::new(game.variant(), color);
        setup.opponent = opponent.to_string();
        setup.opponent_rating = rating.filter(|&rating| rating > 0);
        setup.opponent_is_computer = is_computer(&opponent);
        let (initial, increment) = game.time_control_s();
        let word = if change.kind == TrackedChangeKind::Resumed { "resumed" } else { "started" };
        let reason = format!("{word}: {} with {initial} s and {increment} s per move, as {color}", setup.variant);
        if game.has_missing_moves() {
            // The tracker adds the listed moves when it receives them among the events.
            self.out.request(
                move |client| async move { client.moves(number).await.err() },
                move |bot, error| bot.out.report_error_if_any(Some(number), None, error),
            );
        }
        if change.kind == TrackedChangeKind::Started {
            self.commentary = Commentary::default();
        }
        // The server has forgotten a request to abort.
        let decisions = self.decisions.entry(change.game).or_default();
        decisions.given_up = GivenUp::Nothing;
        decisions.is_interrupted = false;
        self.out.report_about(BotAction::Started, Some(number), Some(&opponent), reason);
        self.engine.try_send_order(EngineOrder::NewGame(change.game, setup));
        Some(opponent)
    }

    /// Returns the game in progress that a message of `from` is about: the game of this number, otherwise that against `from`,
    /// otherwise any.
    pub(super) fn talked_about(&self, number: Option<GameId>, from: &Handle) -> Option<GameSituation<'_>> {
        let fit = |game: &&TrackedGame| (Some(game.number()) == number, game.opponent().as_ref() == Some(from));
        let playing = self.tracker().iter().filter(|game| game.state() == TrackedState::Playing);
        let game = playing.max_by_key(fit)?;
        let GameDecisions { scores, takebacks, .. } = self.decisions.get(&game.key())?;
        Some(GameSituation { config: &self.out.config, game, scores, takebacks: *takebacks })
    }

    /// Looks for a move if it is this account's turn, and claims a draw first if one is due; otherwise waits for the opponent's
    /// move. Does nothing if the position is being searched already, the engine searches for another game, or the bot has given
    /// the game up.
    pub(super) fn find_move_or_ponder(&mut self, key: GameKey) {
        let is_engine_busy = self.is_move_pending_except(key);
        let (Some(game), Some(decisions)) = (self.collector.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        let position = game.position_key();
        if decisions.has_given_up(position) {
            return;
        }
        decisions.note_first_arrival(position);
        let occurrences = decisions.count_position(game.position().ply(), &game.position().fen());
        if !game.is_my_turn() {
            return self.on_opponent_turn(key);
        }
        decisions.set_flag_claim(None);
        decisions.waiting = None;
        if decisions.deciding == Some(position) {
            return;
        }
        // One engine searches for one game at a time; the next one is due when the move is sent.
        decisions.deciding = (!is_engine_busy).then_some(position);
        if is_engine_busy {
            return;
        }
        if occurrences >= 3 || game.position().halfmove_clock() >= FIFTY_MOVES {
            self.claim_draw(key);
        }
        self.play_book_or_search(position);
    }

    /// Plays a move of a book, now or when it has taken its minimum time; otherwise orders a search.
    fn play_book_or_search(&mut self, position: GamePositionKey) {
        if let Some(uci) = self.choose_from_books(position.game()) {
            let found = FoundMove { position, best: BestMove::new(uci), info: None, is_from_book: true };
            if let Some(found) = self.hold_if_early(found) {
                self.send_book_move(&found);
            }
            return;
        }
        let Some(game) = self.collector.tracker().get(position.game()) else { return };
        let limits = self.search_limits(game);
        let reason = format!(
            "move {}: the engine is stopped after {:.1?} at the latest",
            game.position().move_number(),
            limits.deadline
        );
        self.out.report_in_game(BotAction::Thinking, game.number(), reason);
        self.engine.try_send_order(EngineOrder::Search(Box::new(game.clone()), limits));
    }

    /// Returns the move of the first book that has one for the current position of a game.
    fn choose_from_books(&mut self, key: GameKey) -> Option<String> {
        let game = self.collector.tracker().get(key)?;
        if self.decisions.get(&key)?.has_left_book {
            return None;
        }
        let variant = game.variant();
        // The moves of other variants may lead to another position by the rules of chess.
        let position = match variant.as_str() {
            "chess" | "chess960" => SearchPosition::of_game(game),
            _ => {
                SearchPosition::new(Some(game.position().fen().to_string()), Vec::new(), game.position().side_to_move())
            }
        };
        let (mut chosen, out) = (None, &self.out);
        // A book that cannot be read is not used again.
        self.books.retain_mut(|book| match chosen.is_none().then(|| book.choose(&position, &variant)) {
            None => true,
            Some(read) => out.ok_or_report(None, read).map(|found| chosen = found).is_some(),
        });
        chosen
    }

    /// Returns a move that has taken the minimum time of the settings. Keeps another one until it has.
    pub(super) fn hold_if_early(&mut self, found: FoundMove) -> Option<FoundMove> {
        let key = found.position.game();
        let game = self.tracker().get(key).filter(|_| self.tracker().is_current(found.position));
        let (engine, lag) = (&self.out.config.engine, self.lag.estimate());
        let wait = |game| engine.waiting_time(clocks_and_color(game), self.time_in_position(game), lag);
        let Some(wait) = game.map(wait).filter(|wait| !wait.is_zero()) else { return Some(found) };
        self.decisions.entry(key).or_default().held = Some((Instant::now() + wait, found));
        None
    }

    /// Returns the limits of a search for this account, from the clocks of the last board and the time since then.
    fn search_limits(&self, game: &TrackedGame) -> SearchLimits {
        let engine = &self.out.config.engine;
        match clocks_and_color(game) {
            Some((clock, color)) => {
                engine.timed_limits(&clock, color, self.time_in_position(game), self.lag.estimate())
            }
            None => engine.untimed_limits(),
        }
    }

    fn time_in_position(&self, game: &TrackedGame) -> Duration {
        self.decisions.get(&game.key()).map_or(Duration::ZERO, GameDecisions::time_in_position)
    }

    /// Starts to ponder on the expected move, or stops the engine without one, unless a search is running or the position is
    /// known. Schedules the claim of the opponent's time for shortly after it runs out, and records the lag of the bot's last
    /// move.
    fn on_opponent_turn(&mut self, key: GameKey) {
        let is_engine_busy = self.is_move_pending_except(key);
        let (Some(game), Some(decisions)) = (self.collector.tracker().get(key), self.decisions.get_mut(&key)) else {
            return;
        };
        decisions.deciding = None;
        let Some(color) = game.my_color() else { return };
        // The board after an own move has the lag of that move.
        if let Some(lag) = game.position().lag_ms().and_then(|lag| u64::try_from(lag).ok()) {
            self.lag.record(Duration::from_millis(lag));
        }
        let remaining = game.position().clock(color.opponent()).remaining().unwrap_or_default();
        let is_timed = game.time_control_s() != (0, 0) && game.state() == TrackedState::Playing;
        decisions.set_flag_claim(is_timed.then(|| Instant::now() + remaining + FLAG_DELAY));
        // Another board of the same position, such as one with the reserves, does not end the analysis.
        let position = game.position_key();
        let is_known = decisions.waiting.replace(position) == Some(position);
        let expected = decisions.expected.take();
        if is_known || is_engine_busy {
            return;
        }
        let order = match expected.filter(|_| self.out.config.engine.ponder && self.engine.ponders()) {
            Some(expected) => {
                let SearchPosition { fen, mut moves, .. } = SearchPosition::of_game(game);
                moves.push(expected);
                EngineOrder::Ponder(key, SearchPosition::new(fen, moves, color), self.search_limits(game))
            }
            None => EngineOrder::Stop,
        };
        self.engine.try_send_order(order);
        self.find_move_in_waiting_game();
    }

    /// Returns whether in any other game a move is being searched, or was sent and is not on the board yet.
    fn is_move_pending_except(&self, key: GameKey) -> bool {
        self.decisions.iter().any(|(game, decisions)| *game != key && decisions.deciding.is_some())
    }

    /// Looks for a move in the first game, if any, in which it is the bot's turn and no move is being searched.
    pub(super) fn find_move_in_waiting_game(&mut self) {
        let is_due = |game: &&TrackedGame| {
            let is_open = |decisions: &GameDecisions| {
                decisions.deciding.is_none() && !decisions.has_given_up(game.position_key())
            };
            game.is_my_turn() && self.decisions.get(&game.key()).is_some_and(is_open)
        };
        let due = self.tracker().iter().find(is_due).map(TrackedGame::key);
        if let Some(key) = due {
            self.find_move_or_ponder(key);
        }
    }

    /// Cancels the decisions in a game whose connection was lost, and stops the engine.
    pub(super) fn interrupt(&mut self, key: GameKey) {
        self.decisions.entry(key).and_modify(GameDecisions::interrupt);
        self.engine.try_send_order(EngineOrder::Stop);
    }

    /// Drops the decisions about a game that is over or adjourned, reports its end, and counts it.
    pub(super) fn close(&mut self, key: GameKey) {
        let decisions = self.decisions.remove(&key).unwrap_or_default();
        if !self.is_move_pending_except(key) {
            self.engine.try_send_order(EngineOrder::Stop);
        }
        let Some(game) = self.tracker().get(key) else { return };
        let words = game.ending().map(|ending| format!("{} ({})", ending.text, ending.result));
        let words = words.unwrap_or_else(|| "the end was not received".to_owned());
        self.out.report_about(BotAction::Ended, Some(game.number()), game.opponent().as_ref(), words);
        let trouble = decisions.trouble(self.out.config.engine.restarts_per_game);
        let finished = FinishedGame::new(game, trouble).filter(|_| game.state() != TrackedState::Adjourned);
        if let Some(finished) = finished {
            self.out.statistics.send_modify(|statistics| statistics.record(&finished));
            let total = self.out.statistics.borrow().total.to_string();
            self.out.report_in_game(BotAction::Counted, game.number(), total);
        }
    }

    /// Returns when the next claim of the opponent's time, the next move that waits, the next line of analysis or the games that were cut
    /// off are due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let analysis_at = (!self.is_analysis_emitted).then_some(self.analysis_at);
        let held = self.decisions.values().filter_map(|decisions| decisions.held.as_ref()).map(|(at, _)| *at);
        self.decisions
            .values()
            .filter_map(GameDecisions::flag_claim_at)
            .chain(held)
            .chain(analysis_at)
            .chain(self.files.write_at)
            .min()
    }

    /// Sends `flag` in each game whose planned claim is due at `now`, up to [`MAX_FLAGS`] times in one turn of the opponent.
    pub(super) fn send_due_flag_claims(&mut self, now: Instant) {
        for (key, decisions) in &mut self.decisions {
            if decisions.take_due_flag_claim(now, FLAG_DELAY, MAX_FLAGS)
                && let Some(game) = self.collector.tracker().get(*key)
            {
                self.out.report_in_game(BotAction::Flagged, game.number(), "the opponent's time is up");
                self.out.send(Some(game.number()), kibitzer::command::flag());
            }
        }
    }

    /// Applies an event, and returns the changes of games.
    pub(super) fn apply(&mut self, event: &Event) -> Vec<TrackedChange> {
        self.collector.apply(event, Some(kibitzer::transcript::Utc::now()))
    }
}

/// Returns the clocks of a game and the color of this account; `None` in an untimed game.
fn clocks_and_color(game: &TrackedGame) -> Option<(GameClocks, Color)> {
    let ((1.., increment_s) | (_, increment_s @ 1..)) = game.time_control_s() else { return None };
    let [white, black] = Color::BOTH.map(|color| game.position().clock(color));
    let increment = Duration::from_secs(increment_s.into());
    Some((GameClocks::new(white, black, increment, game.game().running_clock()), game.my_color()?))
}
