//! One game of a session.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use kibitzer_core::chess::{Color, Hands};
use kibitzer_core::game::{ChangeKind, Continuation, Game};
use kibitzer_core::message::listing::MoveList;
use kibitzer_core::message::{
    GameEnded, GameId, GameInfo, GameKind, Handle, OwnGameStarting, Rating, Relation, Style12,
};
use kibitzer_core::text::ServerText;

use super::line::{MoveLine, TrackedMove};
use super::{GameKey, TrackedChange, TrackedChangeKind, TrackedState};

/// Identifies a position of a game, to test later whether a decision that was made in it still applies:
/// [`GameTracker::is_current`](super::GameTracker::is_current).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GamePositionKey {
    pub(super) game: GameKey,
    ply: u32,
    /// Hash of squares, side to move, castling rights and en passant square.
    hash: u64,
}

impl GamePositionKey {
    /// Returns the game that the position belongs to.
    pub const fn game(&self) -> GameKey {
        self.game
    }
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
    /// Terms in the announcement of the game.
    terms: Option<OwnGameStarting>,
    /// The tracker's number of the event with which each move of the line arrived.
    arrivals: Vec<u64>,
    /// Whether the server's board is unknown, because a board that it derives from was missed.
    pub(super) is_position_unknown: bool,
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
            terms: None,
            arrivals: Vec::new(),
            is_position_unknown: false,
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

    /// Returns whether the session stopped observing the game before any move was known, as when it finds another game under a
    /// number. Such a game belongs in no collection of games.
    pub fn was_only_probed(&self) -> bool {
        self.state == TrackedState::Left && self.n_moves() == 0
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

    /// Returns the name of a player.
    pub fn player(&self, color: Color) -> Handle {
        self.position().player(color)
    }

    /// Returns the rating of a player; `None` if no message reported it.
    pub fn rating(&self, color: Color) -> Option<Rating> {
        let info = self.game.info();
        let known = match color {
            Color::White => info.and_then(|info| info.white_rating),
            Color::Black => info.and_then(|info| info.black_rating),
        };
        let is_first = |terms: &OwnGameStarting| self.player(color) == terms.first;
        let announced =
            |terms: &OwnGameStarting| if is_first(terms) { terms.first_rating } else { terms.second_rating };
        known.or_else(|| self.terms.as_ref().map(announced))
    }

    /// Returns the color that this login plays; `None` if it observes the game.
    pub fn my_color(&self) -> Option<Color> {
        self.position().my_color()
    }

    /// Returns the opponent of this login; `None` if it observes the game.
    pub fn opponent(&self) -> Option<Handle> {
        self.my_color().map(|color| self.player(color.opponent()))
    }

    /// Returns whether the server is waiting for a move from this login.
    ///
    /// `false` while the connection is lost, once the game is over, and while the position is unknown after a desync.
    pub fn is_my_turn(&self) -> bool {
        self.state == TrackedState::Playing
            && !self.is_position_unknown
            && self.position().relation() == Relation::MyTurn
    }

    /// Returns the speed in lower case: `blitz`; `None` if the server did not report it, as for most variants.
    pub fn speed(&self) -> Option<&'static str> {
        self.game_kind().speed
    }

    /// Returns the variant by its UCI name where there is one: `chess`, `chess960`, `crazyhouse`, `wild/5`.
    ///
    /// Where the server did not report it, the captures and the partner's game show it. Without such evidence it is `unknown` if the
    /// game has reserves, otherwise the server's word for the kind, and `chess` without one.
    pub fn variant(&self) -> String {
        let kind = self.game_kind();
        let announced = kind.variant.as_ref().map(ServerText::as_str);
        let reported = announced.filter(|variant| *variant != "wild");
        reported.or_else(|| self.game.variant()).map_or_else(
            || match self.game.hands() {
                Some(_) => "unknown".to_owned(),
                None => announced.or(self.game.kind()).unwrap_or("chess").to_ascii_lowercase(),
            },
            str::to_owned,
        )
    }

    fn game_kind(&self) -> GameKind {
        let reported = self.game.info().map(GameInfo::game_kind).filter(|kind| *kind != GameKind::default());
        let announced =
            self.game.kind().map(GameKind::parse).or_else(|| self.terms.as_ref().map(OwnGameStarting::game_kind));
        reported.or(announced).unwrap_or_default()
    }

    /// Returns whether the game is rated; `None` if the server did not report it.
    pub fn is_rated(&self) -> Option<bool> {
        self.game.is_rated().or_else(|| self.terms.as_ref().map(|terms| terms.rated))
    }

    /// Returns the initial time and the increment, in seconds. Both are 0 in an untimed game.
    pub fn time_control_s(&self) -> (u32, u32) {
        let minutes = self.position().initial_min();
        let exact = self.game.info().and_then(|info| info.white_time_s).filter(|seconds| seconds / 60 == minutes);
        (exact.unwrap_or(minutes.saturating_mul(60)), self.position().increment_s())
    }

    /// Returns result and reason in the server's words; `None` until the server reports them.
    pub fn ending(&self) -> Option<&GameEnded> {
        self.game.ending()
    }

    /// Returns the known moves that led to the current position, and the position before them.
    pub fn line(&self) -> MoveLine {
        let captures_explode = self.variant() == "atomic";
        let base = self.game.base();
        let later = self.game.moves().iter().scan(base.side_to_move(), |color, played| {
            Some(TrackedMove::new(std::mem::replace(color, color.opponent()), played))
        });
        let mut line = self.earlier.clone().unwrap_or_else(|| MoveLine {
            start: base.fen().with_hands(self.base_hands),
            start_clocks: Some(Color::BOTH.map(|color| base.clock(color))),
            moves: Vec::new(),
            is_complete: base.last_move().is_none(),
            captures_explode,
        });
        line.moves.extend(later);
        for (step, arrival) in line.moves.iter_mut().zip(&self.arrivals) {
            step.arrival = *arrival;
        }
        line
    }

    /// Returns the number of moves of [`line`](Self::line).
    pub fn n_moves(&self) -> usize {
        self.earlier.as_ref().map_or(0, |earlier| earlier.moves.len()) + self.game.moves().len()
    }

    /// Returns whether moves before those of [`line`](Self::line) are unknown. The tracker adds them from the server's reply
    /// to `moves`.
    pub fn has_missing_moves(&self) -> bool {
        self.earlier.as_ref().map_or(self.game.base().last_move().is_some(), |earlier| !earlier.is_complete)
    }

    /// Adds the moves that are missing at the start of the line. Ignores a list that does not lead to the known moves, or that has a
    /// move that cannot be played.
    pub(super) fn add_missing_moves(&mut self, list: &MoveList) {
        let line = MoveLine::from_list(list, &self.variant()).and_then(|line| line.up_to(self.game.base()));
        if let Some(line) = line.filter(|_| self.has_missing_moves()) {
            let n_known = self.n_moves();
            self.earlier = Some(line);
            let n_added = self.n_moves().saturating_sub(n_known);
            self.arrivals.splice(..0, std::iter::repeat_n(0, n_added));
        }
    }

    /// Returns whether the server accepted a move that left the mover's own king attacked, against the rules of the
    /// [variant](Self::variant).
    pub fn has_irregular_move(&self) -> bool {
        let line = self.line();
        let mut board = line.start.board;
        let is_irregular = |step: &TrackedMove| line.play(&mut board, step).is_ok() && board.is_in_check(step.color);
        GameKind::parse(&self.variant()).forbids_check() && line.moves.iter().any(is_irregular)
    }

    /// Identifies the current position, for [`GameTracker::is_current`](super::GameTracker::is_current).
    pub fn position_key(&self) -> GamePositionKey {
        let mut hasher = DefaultHasher::new();
        self.position().fen().with_counters(0, 1).hash(&mut hasher);
        GamePositionKey { game: self.key, ply: self.position().ply(), hash: hasher.finish() }
    }

    /// Replaces the state of the game by a new one, which arrived with the event of this number. Moves before the new base position stay
    /// known if they lead to it.
    fn replace_state(&mut self, game: &Game, arrival: u64) {
        if self.game.base() != game.base() {
            self.earlier = self.line().up_to(game.base());
            self.base_hands = None;
        }
        if game.moves().is_empty() {
            self.base_hands = game.hands();
        }
        self.game = game.clone();
        self.arrivals.resize(self.n_moves(), arrival);
    }
}

impl TrackedGame {
    /// Replaces the state by the one after a change of the session's game, and returns the change of this game. With a board, the
    /// position is known again.
    pub(super) fn apply_change(&mut self, game: &Game, kind: ChangeKind, arrival: u64) -> TrackedChange {
        use TrackedChangeKind::{Adjourned, Ended, Left, Moved, Refreshed, Replaced, TakenBack};
        self.replace_state(game, arrival);
        let is_adjournment = game.ending().is_some_and(GameEnded::is_adjourned);
        let kind = match kind {
            ChangeKind::Ended if is_adjournment => Adjourned,
            ChangeKind::Ended => Ended,
            ChangeKind::Left if self.state == TrackedState::Playing => Left,
            ChangeKind::Moved => Moved,
            ChangeKind::TookBack { plies, .. } => TakenBack { plies },
            ChangeKind::Jumped | ChangeKind::Replaced => Replaced,
            _ => Refreshed,
        };
        self.is_position_unknown &= !matches!(kind, Moved | TakenBack { .. } | Replaced);
        self.enter_state_after(kind)
    }

    /// Marks this game as resumed under the number and with the position of `game`.
    pub(super) fn resume(&mut self, game: &Game, arrival: u64) -> TrackedChange {
        self.replace_state(game, arrival);
        self.is_position_unknown = false;
        self.enter_state_after(TrackedChangeKind::Resumed)
    }

    /// Sets the state that a change leads to, and returns the change. A change of the position keeps the state.
    pub(super) const fn enter_state_after(&mut self, kind: TrackedChangeKind) -> TrackedChange {
        self.state = match kind {
            TrackedChangeKind::Started | TrackedChangeKind::Resumed => TrackedState::Playing,
            TrackedChangeKind::Adjourned => TrackedState::Adjourned,
            TrackedChangeKind::Ended => TrackedState::Over,
            TrackedChangeKind::Interrupted => TrackedState::Interrupted,
            TrackedChangeKind::Left => TrackedState::Left,
            _ => self.state,
        };
        TrackedChange { game: self.key, kind }
    }

    /// Stores the terms of an announcement if it names the players of this game; otherwise removes those that were stored.
    pub(super) fn set_terms_if_players_match(&mut self, terms: &OwnGameStarting) {
        let is_of_this_game =
            self.has_players(&terms.first, &terms.second) || self.has_players(&terms.second, &terms.first);
        self.terms = is_of_this_game.then(|| terms.clone());
    }

    /// Returns whether `game`, which has just appeared, continues this interrupted or adjourned game. `announced` is `Some(true)` if the
    /// server announced `game` as resumed, `Some(false)` as new, `None` if it announced nothing. ICC announces resumed games as new.
    pub(super) fn is_continued_by(&self, game: &Game, announced: Option<bool>) -> bool {
        let (known, new) = (self.position(), game.position());
        let can_resume = matches!(self.state, TrackedState::Interrupted | TrackedState::Adjourned);
        let has_same_terms = known.initial_min() == new.initial_min() && known.increment_s() == new.increment_s();
        let is_new = announced == Some(false) && new.last_move().is_none();
        let was_played_on = new.ply() >= known.ply() && new.last_move().is_some();
        let is_same_position = new.ply() == known.ply() && new.board() == known.board();
        // The players of an observed game may have begun another one.
        let may_go_on = match known.relation() {
            Relation::Observing => self.game().continuation_in(game, None, Duration::ZERO) == Continuation::Same,
            _ => is_same_position || was_played_on,
        };
        can_resume
            && self.has_players(&new.white(), &new.black())
            && has_same_terms
            && !is_new
            && (announced == Some(true) || may_go_on)
    }

    /// Returns whether `game` is a newer state of this game: it has the same number and players, and this game was not interrupted or
    /// left.
    pub(super) fn is_updated_by(&self, game: &Game) -> bool {
        let is_current = match self.state {
            TrackedState::Playing => true,
            // The last board may follow the end.
            TrackedState::Over | TrackedState::Adjourned => game.ending().is_some(),
            TrackedState::Interrupted | TrackedState::Left => false,
        };
        is_current && self.number() == game.id() && self.has_players(&game.position().white(), &game.position().black())
    }

    /// Returns whether the game has these players, regardless of case.
    pub(super) fn has_players(&self, white: &Handle, black: &Handle) -> bool {
        self.player(Color::White) == *white && self.player(Color::Black) == *black
    }
}
