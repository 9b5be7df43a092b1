//! A game that is being played, its moves and its clocks.

use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::chess::{Color, LastMove, Role};
use kibitzer_core::message::{GameEndReason, GameId, GameInfo};
use kibitzer_core::text::ServerText;

use super::board::BoardLine;
use super::{BoardViewer, Ending, GameHeader, MoveRecord, Ply, Sides, Terms};
use crate::chess::{Position, Variant};

/// Plies before the clocks of a game start; those of bughouse start at once.
///
/// Source: style 12 rule K5; the bughouse sessions.
const N_FREE_PLIES: usize = 2;

/// A game with fewer plies is aborted when a player disconnects; others are lost or adjourned.
const MIN_PLIES_TO_KEEP: usize = 5;

/// Occurrences of a position that allow a draw claim.
const N_REPETITIONS_TO_DRAW: usize = 3;

/// Plies without a capture or a pawn move that allow a draw claim: 50 moves of each side.
const N_QUIET_PLIES_TO_DRAW: u32 = 100;

/// Whether the clocks of a game run as usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockState {
    Running,
    /// Both players have agreed to stop the clocks.
    Paused,
}

/// A played game: its players and terms, moves and clocks, and its ending once it is over.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) header: GameHeader,
    pub(crate) record: MoveRecord,
    pub(crate) clocks: Clocks,
    /// Game on the other board of a bughouse match.
    pub(crate) partner: Option<GameId>,
    /// Whether both players have agreed to stop the clocks.
    pub(crate) clock_state: ClockState,
    pub(crate) ending: Option<Ending>,
    /// When it ended; before the end, when it started.
    pub(crate) ended: SystemTime,
}

impl Game {
    /// Creates a game at its start position. In bughouse White's clock starts at once; otherwise none starts before both sides
    /// have moved.
    pub(crate) fn new(header: GameHeader, start: Position, now: Instant) -> Self {
        let (record, clocks) = (MoveRecord::new(start), Clocks::new(header.terms));
        let ended = header.started;
        let mut game =
            Self { header, record, clocks, partner: None, clock_state: ClockState::Running, ending: None, ended };
        game.start_clock_if_due(now);
        game
    }

    pub(crate) fn position(&self) -> &Position {
        self.record.last_position()
    }

    pub(crate) fn side_to_move(&self) -> Color {
        self.position().side_to_move
    }

    /// Plays a move of `color`, charges its time, and starts the opponent's clock. `lag` is the network delay that timeseal
    /// measured; it is not charged. Returns the captured piece as it enters a reserve, which the caller passes to the partner in
    /// bughouse, and how the move ends the game; the caller still has to call [`finish`](Self::finish).
    ///
    /// Returns `None` and changes nothing if the game is over or paused, it is the other side's turn, or the move is illegal.
    pub(crate) fn try_play(
        &mut self,
        color: Color,
        played: LastMove,
        now: Instant,
        lag: Duration,
    ) -> Option<(Option<Role>, Option<Ending>)> {
        let is_possible =
            self.ending.is_none() && self.clock_state == ClockState::Running && color == self.side_to_move();
        if !is_possible || !self.position().is_legal(played) {
            return None;
        }
        let captured = self.position().captured_role_in_hand(played);
        let elapsed = self.clocks.charge_move(now, lag);
        let elapsed_ms = u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX);
        let lag_ms = i32::try_from(lag.as_millis()).unwrap_or(i32::MAX);
        self.record.push_legal_move(played, elapsed_ms, lag_ms, self.clocks.readings(now));
        self.start_clock_if_due(now);
        Some((captured, Ending::of_position(self.position())))
    }

    /// Starts the clock of the side to move, unless the game is paused or untimed, or in its first [`N_FREE_PLIES`].
    fn start_clock_if_due(&mut self, now: Instant) {
        let n_free = if self.header.terms.variant == Variant::Bughouse { 0 } else { N_FREE_PLIES };
        if self.clock_state == ClockState::Running
            && !self.header.terms.is_untimed()
            && self.record.plies.len() >= n_free
        {
            self.clocks.start(self.side_to_move(), now);
        }
    }

    /// Returns the draw that a player may claim now, by repetition or by the fifty-move rule; `None` if there is none.
    pub(crate) fn claimable_draw(&self) -> Option<Ending> {
        if self.record.n_occurrences_of_last_position() >= N_REPETITIONS_TO_DRAW {
            Some(Ending::of_game(GameEndReason::Repetition))
        } else {
            (self.position().halfmove_clock >= N_QUIET_PLIES_TO_DRAW).then_some(Ending::of_game(GameEndReason::Fifty))
        }
    }

    /// Returns how the game ends if this side aborts it without consent; `None` once both sides have moved.
    pub(crate) fn ending_by_early_abort(&self, by: Color) -> Option<Ending> {
        (self.record.plies.len() < N_FREE_PLIES).then_some(Ending::of_side(GameEndReason::AbortMove1, by))
    }

    /// Returns how the game ends if this side disconnects.
    pub(crate) fn ending_by_leaving(&self, by: Color) -> Ending {
        let reason = if self.record.plies.len() < MIN_PLIES_TO_KEEP {
            GameEndReason::AbortDisconnect
        } else if self.header.are_both_registered() {
            GameEndReason::AdjournDisconnect
        } else {
            GameEndReason::Disconnect
        };
        Ending::of_side(reason, by)
    }

    /// Returns how the game ends because the side to move is out of time; `None` while it has time left, or if the game has no
    /// clocks.
    pub(crate) fn ending_by_flag_fall(&self, now: Instant) -> Option<Ending> {
        // Only the clock of the side to move runs.
        let loser = self.side_to_move();
        self.ending_by_flag_claim(loser.opponent(), now)
    }

    /// Returns how the game ends if this player claims that the opponent is out of time; `None` if the opponent has time left, or
    /// the game has no clocks.
    pub(crate) fn ending_by_flag_claim(&self, by: Color, now: Instant) -> Option<Ending> {
        let is_out = |color| !self.header.terms.is_untimed() && self.clocks.reading(color, now) <= 0;
        match (is_out(by.opponent()), is_out(by)) {
            (false, _) => None,
            (true, true) => Some(Ending::of_game(GameEndReason::BothTime)),
            (true, false) if self.position().has_insufficient_material(by) => {
                Some(Ending::of_side(GameEndReason::TimeMaterial, by.opponent()))
            }
            (true, false) => Some(Ending::of_side(GameEndReason::Time, by.opponent())),
        }
    }

    /// Takes plies back and resets the clocks to their readings before them. Returns `false` and changes nothing if fewer plies
    /// were played.
    pub(crate) fn try_take_back(&mut self, plies: usize, now: Instant) -> bool {
        let Some(left) = self.record.plies.len().checked_sub(plies) else { return false };
        self.record.plies.truncate(left);
        // Stopped first, as the clock of the other side may run afterwards.
        self.clocks.stop(now);
        let initial = Sides::both(self.header.terms.initial_ms());
        self.clocks.left_ms = self.record.plies.last().map_or(initial, |ply| ply.clocks_ms);
        self.start_clock_if_due(now);
        true
    }

    /// Stops the clocks, or starts the clock of the side to move again, unless the game is untimed or clocks have not begun to
    /// run in it.
    pub(crate) fn set_clock_state(&mut self, state: ClockState, now: Instant) {
        self.clock_state = state;
        self.clocks.stop(now);
        self.start_clock_if_due(now);
    }

    /// Records how and when the game ended, and stops the clocks.
    pub(crate) fn finish(&mut self, ending: Ending, now: Instant, date: SystemTime) {
        self.clocks.stop(now);
        self.ending = Some(ending);
        self.ended = date;
    }

    /// Resumes an adjourned game under a new number. Clears its ending, pause and partner game. The clock starts at once, unless
    /// the game is untimed or has not reached the ply at which clocks start.
    pub(crate) fn resume(mut self, id: GameId, now: Instant) -> Self {
        self.header.id = id;
        self.ending = None;
        self.partner = None;
        self.clock_state = ClockState::Running;
        self.start_clock_if_due(now);
        self
    }

    /// Formats the line that reports the result: `{Game 1 (Foo vs. Bar) Foo resigns} 0-1`; `None` before the end.
    pub(crate) fn result_line(&self) -> Option<String> {
        let ending = self.ending?;
        let names @ Sides { white, black } = self.header.names();
        Some(format!(
            "{{Game {} ({white} vs. {black}) {}}} {}",
            self.header.id,
            ending.format_text(names),
            ending.result()
        ))
    }

    /// Formats the board for a viewer, without its last line end.
    pub(crate) fn format_board(&self, view: BoardViewer, now: Instant) -> String {
        let line = BoardLine {
            header: &self.header,
            position: self.position(),
            last: self.record.plies.last(),
            clocks_ms: self.clocks.readings(now),
            is_ticking: self.clocks.running.is_some(),
        };
        line.format(view)
    }

    /// Formats the last move as a delta board: `<d1> 1 19 b3 b2b3 332 66924 0`. Times are always milliseconds.
    ///
    /// `None` before the first move, and in variants with drops or different castling.
    ///
    /// Source: FICS help file `deltaboard`; datagrams §2.
    pub(crate) fn delta_line(&self) -> Option<String> {
        let n_plies = self.record.plies.len();
        let ply = self.record.plies.last().filter(|_| self.header.terms.variant == Variant::Standard)?;
        let before = self.record.position_after(n_plies - 1);
        let (smith, left_ms) = (before.smith_notation(ply.played), ply.clocks_ms.of(before.side_to_move));
        let Ply { san, elapsed_ms, lag_ms, .. } = ply;
        Some(format!("<d1> {} {n_plies} {san} {smith} {elapsed_ms} {left_ms} {lag_ms}", self.header.id))
    }

    /// Returns the terms of the game, which clients request by the ivar `gameinfo`.
    ///
    /// Source: datagrams §5; transcripts.
    pub(crate) fn to_game_info(&self) -> GameInfo {
        let GameHeader { id, terms, seats: Sides { white, black }, .. } = &self.header;
        let time_s = u32::try_from(terms.initial_ms() / 1000).ok();
        let mut info = GameInfo::default();
        info.game = *id;
        info.private = Some(false);
        info.kind = Some(ServerText::from_wire(terms.kind().as_bytes()));
        info.rated = Some(terms.rated);
        info.white_registered = Some(white.is_registered);
        info.black_registered = Some(black.is_registered);
        info.white_time_s = time_s;
        info.white_increment_s = Some(terms.increment_s);
        info.black_time_s = time_s;
        info.black_increment_s = Some(terms.increment_s);
        info.partner_game = self.partner;
        info.white_rating = Some(white.rating);
        info.black_rating = Some(black.rating);
        info.white_timeseal = Some(white.has_timeseal);
        info.black_timeseal = Some(black.has_timeseal);
        info.min_move_time = Some(2);
        info.no_escape = Some(false);
        info
    }
}

/// Both clocks of a game, at most one of them running. Readings are in milliseconds, negative once the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// Readings when each clock last stopped.
    pub(crate) left_ms: Sides<i64>,
    increment_ms: i64,
    /// The running clock, and since when it runs.
    pub(crate) running: Option<(Color, Instant)>,
}

impl Clocks {
    /// Creates two full clocks that are stopped.
    pub(crate) fn new(terms: Terms) -> Self {
        let increment_ms = i64::from(terms.increment_s) * 1000;
        Self { left_ms: Sides::both(terms.initial_ms()), increment_ms, running: None }
    }

    /// Starts one clock. The time of a clock that was running before is lost: stop it first.
    pub(crate) const fn start(&mut self, color: Color, now: Instant) {
        self.running = Some((color, now));
    }

    /// Stops both clocks at their present readings.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.left_ms = self.readings(now);
        self.running = None;
    }

    /// Stops the running clock after a move: charges the time since it started, minus `lag`, and adds the increment. Returns the
    /// charged time. Without a running clock, changes nothing and returns zero.
    ///
    /// `lag` is the network delay in that time, as measured by timeseal.
    pub(crate) fn charge_move(&mut self, now: Instant, lag: Duration) -> Duration {
        let Some((color, since)) = self.running.take() else { return Duration::ZERO };
        // Lag beyond the time of the move is not credited.
        let taken = now.saturating_duration_since(since).saturating_sub(lag);
        *self.left_ms.of_mut(color) += self.increment_ms - whole_ms(taken);
        taken
    }

    /// Returns the reading of one clock in milliseconds; negative once its time is over.
    pub(crate) fn reading(&self, color: Color, now: Instant) -> i64 {
        let left = *self.left_ms.of(color);
        match self.running {
            Some((running, since)) if running == color => left - whole_ms(now.saturating_duration_since(since)),
            _ => left,
        }
    }

    /// Returns the readings of both clocks.
    pub(crate) fn readings(&self, now: Instant) -> Sides<i64> {
        Sides { white: self.reading(Color::White, now), black: self.reading(Color::Black, now) }
    }

    /// Adds time to one clock.
    pub(crate) fn add_time(&mut self, color: Color, time: Duration) {
        *self.left_ms.of_mut(color) += whole_ms(time);
    }

    /// Returns when the running clock reaches zero, which may be in the past; `None` if no clock is running.
    pub(crate) fn runs_out_at(&self) -> Option<Instant> {
        let (color, since) = self.running?;
        let left = u64::try_from(*self.left_ms.of(color)).unwrap_or(0);
        since.checked_add(Duration::from_millis(left))
    }
}

/// Returns a duration in milliseconds, rounded down.
fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
