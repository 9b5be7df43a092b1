//! Relay of a game between two absent, invented players, which the server shows as an examined game.

use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameId, Handle, Rating};

use super::{Population, Task, brain};
use crate::chess::Variant;
use crate::play::{Ending, ExaminedGame, GameHeader, MoveRecord, SeatedPlayer, Sides, Terms};

const TERMS: Terms = Terms { variant: Variant::Standard, rated: false, minutes: 15, increment_s: 10 };

/// Number of plies without a pause after them in a game that begins with the server.
const N_INSTANT_PLIES: usize = 18;

/// A relayed game is drawn after this number of plies.
const MAX_PLIES: usize = 160;

/// Minimum reading of the clocks of relayed games.
const LEAST_LEFT_MS: i64 = 5_000;

/// How long the last position of a game stays on the board, and the time until the next game.
const REVIEW_TIME: Duration = Duration::from_secs(45);
const BREAK: Duration = Duration::from_secs(5);

impl Population {
    /// Returns the number, terms and players of a new relayed game, with random ratings from 2400 to 2699, and schedules its
    /// first move.
    pub(crate) fn begin_relayed_game(&mut self, id: GameId, started: SystemTime, now: Instant) -> GameHeader {
        let mut seat = |name: &Handle| {
            let rating = Rating::Established(self.random.u16(2400..2700));
            SeatedPlayer { name: name.clone(), rating, is_registered: true, has_timeseal: false }
        };
        let seats = Sides { white: seat(&self.relayed.white), black: seat(&self.relayed.black) };
        self.schedule.set(Task::Relay, now);
        GameHeader { id, terms: TERMS, seats, started }
    }

    /// Adds a move to a relayed game or records its ending, and schedules the next step. Returns the ending that was recorded.
    pub(crate) fn play_or_end_relayed_game(&mut self, game: &mut ExaminedGame, now: Instant) -> Option<Ending> {
        game.ending = relayed_game_ending(&game.main);
        let pause = match game.ending {
            Some(_) => REVIEW_TIME,
            None => self.play_relayed_move(game),
        };
        self.schedule_relay(pause, now);
        game.ending
    }

    /// Schedules the start of the next relayed game.
    pub(crate) fn end_relayed_game(&mut self, now: Instant) {
        self.schedule_relay(BREAK, now);
    }

    fn schedule_relay(&mut self, pause: Duration, now: Instant) {
        self.schedule.set(Task::Relay, now + self.options.scale_time(pause));
    }

    /// Chooses and adds the next move. Returns the pause after it, which is zero in the first plies while the server starts.
    fn play_relayed_move(&mut self, game: &mut ExaminedGame) -> Duration {
        let position = game.main.last_position();
        let Some(played) = brain::choose_move(position, &mut self.random) else { return BREAK };
        let thought_s = self.random.u32(2..27);
        let mut clocks_ms = game.main.plies.last().map_or(Sides::both(TERMS.initial_ms()), |ply| ply.clocks_ms);
        let left_ms = clocks_ms.of_mut(position.side_to_move);
        *left_ms = (*left_ms - i64::from(thought_s) * 1000).max(LEAST_LEFT_MS) + i64::from(TERMS.increment_s) * 1000;
        game.add_relayed_move(played, thought_s * 1000, clocks_ms);
        let is_instant = self.is_starting && game.main.plies.len() < N_INSTANT_PLIES;
        if is_instant { Duration::ZERO } else { Duration::from_secs(thought_s.into()) }
    }
}

/// Returns how a relayed game ends in its last position; `None` if it goes on.
fn relayed_game_ending(record: &MoveRecord) -> Option<Ending> {
    let (position, n_plies) = (record.last_position(), record.plies.len());
    if let Some(ending) = Ending::of_position(position) {
        return Some(ending);
    }
    let (white, black) = (position.material(Color::White), position.material(Color::Black));
    if n_plies >= 30 && white.abs_diff(black) >= 9 {
        return Some(Ending::of_side(GameEndReason::Resign, if white < black { Color::White } else { Color::Black }));
    }
    (n_plies >= MAX_PLIES).then_some(Ending::of_game(GameEndReason::Agreement))
}
