//! A game that is being played.

use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::chess::{Color, Role};
use kibitzer_core::message::{GameId, Handle, Rating};
use thiserror::Error;

use super::board_line::delta_line;
use super::{BoardLine, Clocks, Ending, Ply, Record, Sides, Terms, View, holding_line};
use crate::chess::{Move, Position, Variant, Verdict};

/// Plies after which the clocks of a game run; those of bughouse run at once.
///
/// Source: style 12 rule K5; the bughouse sessions.
const N_FREE_PLIES: usize = 2;

/// Plies below which a player who leaves has played too little to lose or to adjourn.
const MIN_PLIES_TO_KEEP: usize = 5;

/// How often a position must have been on the board for a claim.
const N_REPETITIONS_TO_DRAW: usize = 3;

/// Plies without a capture or a pawn move that allow a claim: 50 moves of each side.
const N_QUIET_PLIES_TO_DRAW: u32 = 100;

/// A player and what the game's lines tell of him.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) name: Handle,
    pub(crate) rating: Rating,
    pub(crate) is_registered: bool,
    pub(crate) has_timeseal: bool,
}

/// A game from its first move to its end.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    id: GameId,
    terms: Terms,
    seats: Sides<Seat>,
    record: Record,
    clocks: Clocks,
    /// The other board of a bughouse match.
    partner: Option<GameId>,
    started: SystemTime,
    /// Whether both players have agreed to stop the clocks.
    is_paused: bool,
    ending: Option<Ending>,
}

/// Why a move was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub(crate) enum PlayError {
    #[error("it is not your move")]
    NotYourMove,
    #[error("the game is over")]
    Over,
    #[error("the clock is paused")]
    Paused,
    #[error("illegal move")]
    Illegal,
}

/// Why a flag did not fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub(crate) enum FlagError {
    /// The opponent has time left.
    #[error("opponent is not out of time")]
    NotOut,
    /// The game has no clocks.
    #[error("the clock is not ticking")]
    Untimed,
}

/// Moves cannot be taken back that were not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("there are only {0} half moves in the game")]
pub(crate) struct TakebackError(pub(crate) usize);

/// What came of a move besides the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// What was taken, as it comes into a hand; in bughouse the partner has to be given it.
    pub(crate) captured: Option<Role>,
    /// How the game ends by it. [`Game::finish`] has still to be called.
    pub(crate) ending: Option<Ending>,
}

impl Game {
    /// A game at its start, from that position.
    pub(crate) fn new(
        id: GameId,
        terms: Terms,
        seats: Sides<Seat>,
        started: SystemTime,
        now: Instant,
        start: Position,
    ) -> Self {
        let record = Record::new(start);
        let clocks = Clocks::new(terms);
        let mut game =
            Self { id, terms, seats, record, clocks, partner: None, started, is_paused: false, ending: None };
        game.start_clock(now);
        game
    }

    /// The number of the game.
    pub(crate) const fn id(&self) -> GameId {
        self.id
    }

    pub(crate) const fn terms(&self) -> Terms {
        self.terms
    }

    pub(crate) const fn seat(&self, color: Color) -> &Seat {
        self.seats.of(color)
    }

    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    pub(crate) fn position(&self) -> &Position {
        self.record.position()
    }

    pub(crate) fn side_to_move(&self) -> Color {
        self.position().side_to_move()
    }

    pub(crate) const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    pub(crate) const fn started(&self) -> SystemTime {
        self.started
    }

    /// How it ended, if it did.
    pub(crate) const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The other board of a bughouse match.
    pub(crate) const fn partner(&self) -> Option<GameId> {
        self.partner
    }

    pub(crate) const fn set_partner(&mut self, partner: GameId) {
        self.partner = Some(partner);
    }

    /// Which side somebody plays.
    pub(crate) fn color_of(&self, name: &str) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.seat(color).name.is_same_player(name))
    }

    pub(crate) fn names(&self) -> Sides<&str> {
        Sides { white: self.seats.white.name.as_str(), black: self.seats.black.name.as_str() }
    }

    /// Plays a move. `lag` is what timeseal knows of the way it had; it is not charged.
    ///
    /// # Errors
    ///
    /// [`PlayError`]; nothing has changed then.
    pub(crate) fn play(&mut self, color: Color, played: Move, now: Instant, lag: Duration) -> Result<Moved, PlayError> {
        if self.ending.is_some() {
            return Err(PlayError::Over);
        }
        if self.is_paused {
            return Err(PlayError::Paused);
        }
        if color != self.side_to_move() {
            return Err(PlayError::NotYourMove);
        }
        if !self.position().is_legal(played) {
            return Err(PlayError::Illegal);
        }
        let captured = self.position().capture(played).map(|taken| taken.for_hand);
        let elapsed = self.clocks.press(now, lag);
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let lag_ms = u32::try_from(lag.as_millis()).unwrap_or(u32::MAX);
        self.record.push(played, elapsed_ms, lag_ms, self.clocks.readings(now));
        self.start_clock(now);
        Ok(Moved { captured, ending: self.ending_by_rule() })
    }

    /// Lets the clock of the side to move run, if it is time.
    fn start_clock(&mut self, now: Instant) {
        let n_free = if self.terms.variant == Variant::Bughouse { 0 } else { N_FREE_PLIES };
        if !self.is_paused && !self.terms.is_untimed() && self.record.len() >= n_free {
            self.clocks.start(self.side_to_move(), now);
        }
    }

    fn ending_by_rule(&self) -> Option<Ending> {
        self.position().verdict().map(|verdict| match verdict {
            Verdict::Checkmate => Ending::Checkmated(self.side_to_move()),
            Verdict::Stalemate => Ending::Stalemate,
            Verdict::NoMaterial => Ending::NoMaterial,
        })
    }

    /// A piece from the partner's board.
    pub(crate) fn add_to_hand(&mut self, color: Color, role: Role) {
        self.record.add_to_hand(color, role);
    }

    /// The draw a player may claim now.
    pub(crate) fn draw_by_claim(&self) -> Option<Ending> {
        if self.record.n_repetitions() >= N_REPETITIONS_TO_DRAW {
            Some(Ending::Repetition)
        } else {
            (self.position().halfmove_clock() >= N_QUIET_PLIES_TO_DRAW).then_some(Ending::FiftyMoves)
        }
    }

    /// How the game ends if this side aborts it without asking; `None` once both sides have moved.
    pub(crate) fn abort_without_asking(&self, by: Color) -> Option<Ending> {
        (self.record.len() < N_FREE_PLIES).then_some(Ending::AbortedEarly(by))
    }

    /// How the game ends if this side's player is gone.
    pub(crate) fn ending_by_leaving(&self, by: Color) -> Ending {
        if self.record.len() < MIN_PLIES_TO_KEEP {
            Ending::AbortedByLeaving(by)
        } else if Color::BOTH.into_iter().all(|color| self.seat(color).is_registered) {
            Ending::AdjournedByLeaving(by)
        } else {
            Ending::Left(by)
        }
    }

    /// When the running clock will have run out: the time to call [`flag_fallen`](Self::flag_fallen).
    pub(crate) fn flag_at(&self) -> Option<Instant> {
        self.clocks.runs_out_at()
    }

    /// How the game ends by the clock, if the side to move is out of time: the server's autoflag.
    pub(crate) fn flag_fallen(&self, now: Instant) -> Option<Ending> {
        let loser = self.side_to_move();
        self.claim_flag(loser.opponent(), now).ok()
    }

    /// How the game ends if this player calls the opponent's flag.
    ///
    /// # Errors
    ///
    /// [`FlagError`] if the opponent has time left.
    pub(crate) fn claim_flag(&self, by: Color, now: Instant) -> Result<Ending, FlagError> {
        if self.terms.is_untimed() {
            return Err(FlagError::Untimed);
        }
        let is_out = |color| self.clocks.reading(color, now) <= 0;
        match (is_out(by.opponent()), is_out(by)) {
            (false, _) => Err(FlagError::NotOut),
            (true, true) => Ok(Ending::BothFlagged),
            (true, false) if self.position().lacks_material(by) => Ok(Ending::FlaggedNoMaterial(by.opponent())),
            (true, false) => Ok(Ending::Flagged(by.opponent())),
        }
    }

    /// Takes moves back, and the clocks to where they stood.
    ///
    /// # Errors
    ///
    /// [`TakebackError`] if there are not so many moves.
    pub(crate) fn take_back(&mut self, plies: usize, now: Instant) -> Result<(), TakebackError> {
        let left = self.record.len().checked_sub(plies).ok_or(TakebackError(self.record.len()))?;
        self.record.truncate(left);
        self.clocks.stop(now);
        let initial = Sides::both(self.terms.initial_ms());
        self.clocks.set(self.record.last().map_or(initial, |ply| ply.clocks_ms), now);
        self.start_clock(now);
        Ok(())
    }

    pub(crate) const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Stops the clocks until [`unpause`](Self::unpause).
    pub(crate) fn pause(&mut self, now: Instant) {
        self.is_paused = true;
        self.clocks.stop(now);
    }

    pub(crate) fn unpause(&mut self, now: Instant) {
        self.is_paused = false;
        self.start_clock(now);
    }

    /// Exchanges the colors of the players.
    pub(crate) fn switch_sides(&mut self) {
        std::mem::swap(&mut self.seats.white, &mut self.seats.black);
    }

    /// Adds time to a player's clock.
    pub(crate) fn add_time(&mut self, color: Color, time: Duration) {
        self.clocks.add(color, time);
    }

    /// Ends the game: the clocks stand.
    pub(crate) fn finish(&mut self, ending: Ending, now: Instant) {
        self.clocks.stop(now);
        self.ending = Some(ending);
    }

    /// Goes on with an adjourned game, under a new number.
    pub(crate) fn resume(mut self, id: GameId, now: Instant) -> Self {
        self.id = id;
        self.ending = None;
        self.partner = None;
        self.is_paused = false;
        self.start_clock(now);
        self
    }

    /// The line that ends the game: `{Game 1 (Foo vs. Bar) Foo resigns} 0-1`; `None` while it lasts.
    pub(crate) fn end_line(&self) -> Option<String> {
        let ending = self.ending?;
        let Sides { white, black } = self.names();
        Some(format!("{{Game {} ({white} vs. {black}) {}}} {}", self.id, ending.text(self.names()), ending.result()))
    }

    /// The board, for one who looks at it.
    pub(crate) fn board(&self, view: View, now: Instant) -> String {
        let line = BoardLine {
            game: self.id,
            names: self.names(),
            terms: self.terms,
            position: self.position(),
            last: self.record.last(),
            clocks_ms: self.clocks.readings(now),
            is_ticking: self.clocks.is_running(),
            is_examined: false,
        };
        line.print(view)
    }

    /// The last move as a delta board; `None` before the first move, and in variants with drops or another castling.
    ///
    /// Source: datagrams §2.
    pub(crate) fn delta(&self) -> Option<String> {
        let n_plies = self.record.len();
        let ply: &Ply = self.record.last().filter(|_| self.terms.variant == Variant::Standard)?;
        Some(delta_line(self.id, self.record.position_after(n_plies - 1), ply, n_plies))
    }

    /// What both sides hold; `None` in variants without hands. `passed` is a piece that has just been added.
    pub(crate) fn holding(&self, passed: Option<(Color, Role)>) -> Option<String> {
        self.terms.variant.has_hands().then(|| holding_line(self.id, &self.position().hands(), passed))
    }

    /// The terms as the ivar `gameinfo` gives them.
    ///
    /// Source: datagrams §5; transcripts.
    pub(crate) fn info(&self) -> String {
        let Terms { increment_s, rated, .. } = self.terms;
        let (white, black) = (&self.seats.white, &self.seats.black);
        let time = format!("{},{increment_s}", self.terms.initial_ms() / 1000);
        format!(
            "<g1> {} p=0 t={} r={} u={},{} it={time} i={time} pt={} rt={},{} ts={},{} m=2 n=0",
            self.id,
            self.terms.kind().as_str(),
            u8::from(rated),
            u8::from(!white.is_registered),
            u8::from(!black.is_registered),
            self.partner.unwrap_or(GameId(0)),
            info_rating(white.rating),
            info_rating(black.rating),
            u8::from(white.has_timeseal),
            u8::from(black.has_timeseal),
        )
    }
}

/// The number with its mark; 0 for who has none.
fn info_rating(rating: Rating) -> String {
    rating.value().map_or_else(|| "0".to_owned(), |_| rating.to_string())
}
