//! One game of a session.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kibitzer::Game;
use kibitzer::core::chess::{Color, Fen, Hands};
use kibitzer::core::game::{ChangeKind, Ending};
use kibitzer::core::message::listing::MoveList;
use kibitzer::core::message::{ClockReading, GameId, GameInfo, GameKind, Handle, Rating, Relation, Style12};

use super::line::{CastlingNotation, MoveLine, TrackedMove, shredder_fen};
use crate::engine::SearchPosition;

/// Identifies a game of a tracker. Unlike the server's number it stays the same when the game is resumed, and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub(super) u64);

/// Identifies a position of a game, to test later whether a decision that was made in it still applies:
/// [`GameTracker::is_current`](super::GameTracker::is_current).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionKey {
    pub(super) game: GameKey,
    ply: u32,
    /// Hash of squares, side to move, castling rights and en passant square.
    hash: u64,
}

impl PositionKey {
    /// Returns the game that the position belongs to.
    pub const fn game(&self) -> GameKey {
        self.game
    }
}

/// State of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackedState {
    /// In progress; boards arrive.
    Playing,
    /// The connection was lost while the game was in progress. It may be resumed.
    Interrupted,
    /// The server adjourned the game. It may be resumed.
    Adjourned,
    /// The game ended, or the server reported that it is over.
    Over,
    /// The session stopped observing the game, or another game has its number: its end is unknown.
    Left,
}

/// A change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameStep {
    /// The game.
    pub game: GameKey,
    /// The change.
    pub kind: StepKind,
}

/// Kind of a change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// A game has its first board.
    Started,
    /// A game continues after an adjournment or a lost connection, perhaps with another number and other clocks. If
    /// [`has_missing_moves`](TrackedGame::has_missing_moves), the server's command `moves` lists its moves.
    Resumed,
    /// One more move was played.
    Moved,
    /// Moves were taken back.
    TakenBack {
        /// Number of plies.
        plies: u16,
    },
    /// Another position replaced the known one; moves in between are not known.
    Replaced,
    /// Position and moves are unchanged: clocks, terms or reserves were sent.
    Refreshed,
    /// The game was adjourned by the server, or found among the adjourned games after a lost connection.
    Adjourned,
    /// The game is over. [`TrackedGame::ending`] is `None` if it ended while the connection was lost.
    Ended,
    /// The connection was lost.
    Interrupted,
    /// No more boards arrive: the session stopped observing the game, or another game has its number.
    Left,
}

/// A game of a session: the state of [`Game`], extended over resumptions and lost connections.
#[derive(Clone, Debug)]
pub struct TrackedGame {
    key: GameKey,
    game: Game,
    state: TrackedState,
    /// Moves before the base of `game`.
    earlier: Option<MoveLine>,
    /// Reserves at the base of `game`; `None` if they are not known.
    base_hands: Option<Hands>,
    /// Ratings of White and Black from other messages than the terms of the game.
    ratings: [Option<Rating>; 2],
    /// Whether the server's board is unknown, because a board that it derives from was missed.
    is_out_of_step: bool,
}

impl TrackedGame {
    pub(super) fn new(key: GameKey, game: &Game) -> Self {
        let base_hands = game.hands().filter(|_| game.moves().is_empty());
        Self {
            key,
            game: game.clone(),
            state: TrackedState::Playing,
            earlier: None,
            base_hands,
            ratings: [None; 2],
            is_out_of_step: false,
        }
    }

    /// Returns the key, which stays the same over resumptions.
    pub const fn key(&self) -> GameKey {
        self.key
    }

    /// Returns the server's number of the game: the latest one, if the game was resumed.
    pub fn number(&self) -> GameId {
        self.game.id()
    }

    /// Returns the state.
    pub const fn state(&self) -> TrackedState {
        self.state
    }

    /// Returns the last known state of the game as the session kept it. Its moves begin at the last gap or resumption; see
    /// [`line`](Self::line) for all.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the last known position.
    pub fn position(&self) -> &Style12 {
        self.game.position()
    }

    /// Returns the last known position with the reserves.
    pub fn fen(&self) -> Fen {
        self.game.fen()
    }

    /// Returns the name of a player.
    pub fn player(&self, color: Color) -> Handle {
        self.position().player(color)
    }

    /// Returns the rating of a player; `None` if no message reported it.
    pub fn rating(&self, color: Color) -> Option<Rating> {
        let info = self.game.info();
        let [white, black] = self.ratings;
        match color {
            Color::White => info.and_then(|info| info.white_rating).or(white),
            Color::Black => info.and_then(|info| info.black_rating).or(black),
        }
    }

    /// Returns the color that this login plays; `None` if it observes the game.
    pub fn my_color(&self) -> Option<Color> {
        self.position().my_color()
    }

    /// Returns whether the server waits for a move of this login.
    ///
    /// `false` while the connection is lost, after the end, and while the position is unknown after a desync.
    pub fn is_my_turn(&self) -> bool {
        self.state == TrackedState::Playing && !self.is_out_of_step && self.position().relation() == Relation::MyTurn
    }

    /// Returns the speed in lower case: `blitz`; `None` if the server did not report it, as for most variants.
    pub fn speed(&self) -> Option<&'static str> {
        self.game_kind().speed
    }

    /// Returns the variant by its UCI name where there is one: `chess`, `chess960`, `crazyhouse`, `wild/5`.
    ///
    /// A game of unknown kind is `bughouse` with a partner's game, `crazyhouse` with reserves, otherwise `chess`.
    pub fn variant(&self) -> String {
        let guess = match (self.game.partner_game(), self.game.hands()) {
            (Some(_), _) => "bughouse",
            (None, Some(_)) => "crazyhouse",
            (None, None) => "chess",
        };
        self.game_kind().variant.map_or_else(|| guess.to_owned(), |variant| variant.as_str().to_owned())
    }

    fn game_kind(&self) -> GameKind {
        let info = self.game.info().filter(|info| info.kind.is_some() || info.start.is_some());
        info.map_or_else(|| GameKind::parse(self.game.kind().unwrap_or_default()), GameInfo::game_kind)
    }

    /// Returns whether the game is rated; `None` if the server did not report it.
    pub const fn is_rated(&self) -> Option<bool> {
        self.game.is_rated()
    }

    /// Returns the initial time and the increment, in seconds. Both are 0 in an untimed game.
    pub fn time_control(&self) -> (u32, u32) {
        let minutes = self.position().initial_min();
        let exact = self.game.info().and_then(|info| info.white_time_s).filter(|seconds| seconds / 60 == minutes);
        (exact.unwrap_or(minutes.saturating_mul(60)), self.position().increment_s())
    }

    /// Returns the clock of a player, as of the last board.
    pub fn clock(&self, color: Color) -> ClockReading {
        self.position().clock(color)
    }

    /// Returns result and reason in the server's words; `None` until the server reports them.
    pub const fn ending(&self) -> Option<&Ending> {
        self.game.ending()
    }

    /// Returns the known moves that led to the current position, and the position before them.
    pub fn line(&self) -> MoveLine {
        let explodes = self.variant() == "atomic";
        let base = self.game.base();
        let later = self.game.moves().iter().scan(base.side_to_move(), |color, played| {
            Some(TrackedMove::new(std::mem::replace(color, color.opponent()), played))
        });
        match &self.earlier {
            Some(earlier) => {
                let moves = earlier.moves.iter().cloned().chain(later).collect();
                MoveLine { start: earlier.start, moves, explodes }
            }
            None => MoveLine { start: base.fen().with_hands(self.base_hands), moves: later.collect(), explodes },
        }
    }

    /// Returns whether moves before those of [`line`](Self::line) are unknown. The reply to `moves` has them:
    /// [`add_moves`](Self::add_moves).
    pub fn has_missing_moves(&self) -> bool {
        self.earlier.is_none() && (self.game.base().last_move().is_some())
    }

    /// Adds the moves that are missing at the start of the line. Returns `false`, and changes nothing, if the list does not lead to
    /// the known moves.
    pub fn add_moves(&mut self, list: &MoveList) -> bool {
        let line = MoveLine::from_list(list, self.variant() == "atomic").and_then(|line| line.up_to(self.game.base()));
        let is_complete = line.is_some();
        self.earlier = line.or(self.earlier.take());
        let listed = [&list.white, &list.black].map(|player| player.as_ref().and_then(|player| player.rating));
        self.add_ratings(listed);
        is_complete
    }

    /// Returns the position for an engine.
    ///
    /// A position with pieces in reserve, other than from crazyhouse's usual start, is passed without the moves that led to it.
    /// In chess960 castling is the king's capture of its rook, and castling rights of a start position are the files of the rooks.
    pub fn search_position(&self) -> SearchPosition {
        let side_to_move = self.position().side_to_move();
        let variant = self.variant();
        let is_chess960 = variant == "chess960";
        let castling = if is_chess960 { CastlingNotation::KingTakesRook } else { CastlingNotation::KingMove };
        let line = self.line();
        let is_usual_start = line.start.with_hands(None) == Fen::START;
        let has_full_history = variant != "bughouse" && (self.game.hands().is_none() || is_usual_start);
        let moves: Option<Vec<_>> = line.moves.iter().map(|step| step.uci(castling)).collect();
        let text = |fen: &Fen| if is_chess960 { shredder_fen(fen) } else { fen.to_string() };
        match moves.filter(|_| has_full_history) {
            Some(moves) => SearchPosition { fen: (!is_usual_start).then(|| text(&line.start)), moves, side_to_move },
            None => SearchPosition { fen: Some(text(&self.fen())), moves: Vec::new(), side_to_move },
        }
    }

    /// Identifies the current position, for [`GameTracker::is_current`](super::GameTracker::is_current).
    pub fn position_key(&self) -> PositionKey {
        let mut hasher = DefaultHasher::new();
        self.position().fen().with_counters(0, 1).hash(&mut hasher);
        PositionKey { game: self.key, ply: self.position().ply(), hash: hasher.finish() }
    }

    /// Takes over a new state of the game. Moves before a new base stay known if they lead to it.
    fn update(&mut self, game: &Game) {
        if self.game.base() != game.base() {
            self.earlier = self.line().up_to(game.base());
            self.base_hands = None;
        }
        if game.moves().is_empty() {
            self.base_hands = game.hands();
        }
        self.game = game.clone();
    }

    /// Applies a change of this game.
    pub(super) fn change(&mut self, game: &Game, kind: ChangeKind) -> GameStep {
        self.update(game);
        let is_adjournment = game.ending().is_some_and(|ending| ending.reason.is_adjournment());
        let (state, kind) = match kind {
            ChangeKind::Ended if is_adjournment => (TrackedState::Adjourned, StepKind::Adjourned),
            ChangeKind::Ended => (TrackedState::Over, StepKind::Ended),
            ChangeKind::Left if self.state == TrackedState::Playing => (TrackedState::Left, StepKind::Left),
            ChangeKind::Moved => (self.state, StepKind::Moved),
            ChangeKind::TookBack { plies } => (self.state, StepKind::TakenBack { plies }),
            ChangeKind::Jumped | ChangeKind::Replaced => (self.state, StepKind::Replaced),
            _ => (self.state, StepKind::Refreshed),
        };
        let is_board = !matches!(kind, StepKind::Refreshed | StepKind::Ended | StepKind::Adjourned | StepKind::Left);
        self.is_out_of_step &= !is_board;
        self.step(state, kind)
    }

    /// Continues this game as `game`.
    pub(super) fn resume(&mut self, game: &Game) -> GameStep {
        self.update(game);
        self.is_out_of_step = false;
        self.step(TrackedState::Playing, StepKind::Resumed)
    }

    pub(super) const fn step(&mut self, state: TrackedState, kind: StepKind) -> GameStep {
        self.state = state;
        GameStep { game: self.key, kind }
    }

    pub(super) const fn set_out_of_step(&mut self, is_out_of_step: bool) {
        self.is_out_of_step = is_out_of_step;
    }

    /// Records ratings of White and Black; keeps the known ones.
    pub(super) fn add_ratings(&mut self, [white, black]: [Option<Rating>; 2]) {
        let [known_white, known_black] = self.ratings;
        self.ratings = [known_white.or(white), known_black.or(black)];
    }

    /// Returns whether this game may continue as `game`, which has just appeared; `is_resumed`: whether the server announced it as a
    /// resumed one.
    pub(super) fn may_continue_as(&self, game: &Game, is_resumed: bool) -> bool {
        let (known, new) = (self.position(), game.position());
        let can_resume = matches!(self.state, TrackedState::Interrupted | TrackedState::Adjourned);
        let has_same_terms = known.initial_min() == new.initial_min() && known.increment_s() == new.increment_s();
        let was_played_on = new.ply() >= known.ply() && new.last_move().is_some();
        let is_same_position = new.ply() == known.ply() && new.board() == known.board();
        can_resume
            && self.is_between(&new.white(), &new.black())
            && has_same_terms
            && (is_resumed || is_same_position || was_played_on)
    }
    /// Returns whether a game of the session is this one: it has the number, and this one was not replaced or interrupted.
    pub(super) fn is_same_game(&self, game: &Game) -> bool {
        let is_current = match self.state {
            TrackedState::Playing => true,
            // The last board may follow the end.
            TrackedState::Over | TrackedState::Adjourned => game.ending().is_some(),
            TrackedState::Interrupted | TrackedState::Left => false,
        };
        is_current && self.number() == game.id() && self.is_between(&game.position().white(), &game.position().black())
    }

    /// Returns whether the game has these players, by the server's rule that case does not matter.
    pub(super) fn is_between(&self, white: &Handle, black: &Handle) -> bool {
        self.player(Color::White).is_same_player(white.as_str())
            && self.player(Color::Black).is_same_player(black.as_str())
    }
}
