//! The state that the bot keeps for each of its games, in addition to the game itself.

use std::collections::HashSet;
use std::time::Duration;

use kibitzer::Handle;
use kibitzer::track::GamePositionKey;
use kibitzer_core::chess::Fen;
use tokio::time::Instant;

use crate::engine::{BestMove, Score, SearchInfo};
use crate::statistics::Trouble;

/// The largest number of scores kept of a game.
const MAX_SCORES: usize = 64;

/// The largest number of positions that are searched for a repetition.
const MAX_POSITIONS: usize = 512;

/// How far the bot has given up a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GivenUp {
    #[default]
    Nothing,
    /// It makes no move in this position, which the server has reached against the rules.
    Position(GamePositionKey),
    Game,
}

/// State of the scores and greetings that are sent during a game.
#[derive(Debug, Default)]
pub(super) struct Commentary {
    /// When the next score may be sent.
    pub(super) scores_at: Option<Instant>,
    /// To whom no score is sent any more, as the server refused one: `kibitz`, `whisper`, or the name of an owner.
    pub(super) refused: HashSet<String>,
    /// When the spectators may be requested again.
    pub(super) spectators_at: Option<Instant>,
    /// The spectators who were greeted; few, as requests and greetings are limited.
    pub(super) greeted: HashSet<Handle>,
}

/// A move that was found for a position.
#[derive(Debug)]
pub(super) struct FoundMove {
    pub(super) position: GamePositionKey,
    pub(super) best: BestMove,
    /// The last line of analysis with a score.
    pub(super) info: Option<SearchInfo>,
    pub(super) is_from_book: bool,
}

/// Decisions and observations of the bot in one of its games.
#[derive(Debug, Default)]
pub(super) struct GameDecisions {
    /// The position in which a move is being searched, or has been sent; `None` in the opponent's turn.
    pub(super) deciding: Option<GamePositionKey>,
    /// The move that waits until it has taken its minimum time, and when that is.
    pub(super) held: Option<(Instant, FoundMove)>,
    /// The position in which a move of a book was sent last.
    pub(super) book_move_in: Option<GamePositionKey>,
    /// Whether the server has refused a move of a book, after which the books are not used any more.
    pub(super) has_left_book: bool,
    /// The position in which the bot last began to wait for the opponent.
    pub(super) waiting: Option<GamePositionKey>,
    /// The current position, and when it was received.
    received: Option<(GamePositionKey, Instant)>,
    /// Scores of the last moves, the latest last.
    pub(super) scores: Vec<Score>,
    /// Number of takebacks granted.
    pub(super) takebacks: u32,
    /// Number of failures of the engine in this game.
    pub(super) failures: u32,
    /// Whether the connection was lost, and the game has not been resumed.
    pub(super) is_interrupted: bool,
    /// How far the bot has given up the game. It tries to end a game or position that it has given up.
    pub(super) given_up: GivenUp,
    /// Ply at which the bot last offered a draw.
    pub(super) offered_draw_at: Option<u32>,
    /// The reply that the engine expects to its last move.
    pub(super) expected: Option<String>,
    /// When to claim the opponent's time, and how often it was claimed in this turn.
    flag_claim: Option<(Instant, u32)>,
    /// The positions of the game by ply, without their counters.
    positions: Vec<(u32, Fen)>,
}

impl GameDecisions {
    /// Returns whether the bot has given up the game, or at least this position of it.
    pub(super) fn has_given_up(&self, position: GamePositionKey) -> bool {
        match self.given_up {
            GivenUp::Nothing => false,
            GivenUp::Position(given_up) => given_up == position,
            GivenUp::Game => true,
        }
    }

    /// Cancels what was decided in the current position, as the connection is lost.
    pub(super) fn interrupt(&mut self) {
        self.is_interrupted = true;
        self.deciding = None;
        self.held = None;
        self.waiting = None;
        self.set_flag_claim(None);
    }

    /// Returns what disturbed a game that is over. The engine may fail as often as `restarts` until the game is given up.
    pub(super) const fn trouble(&self, restarts: u32) -> Trouble {
        match self.failures {
            _ if self.is_interrupted => Trouble::Disconnected,
            0 => Trouble::None,
            failures if failures > restarts => Trouble::EngineGaveUp,
            _ => Trouble::EngineRestarted,
        }
    }

    /// Records the current time if this position differs from the last recorded one.
    pub(super) fn note_first_arrival(&mut self, position: GamePositionKey) {
        if self.received.is_none_or(|(known, _)| known != position) {
            self.received = Some((position, Instant::now()));
        }
    }

    /// Returns the time since the current position was first received; zero if none was.
    pub(super) fn time_in_position(&self) -> Duration {
        self.received.map_or(Duration::ZERO, |(_, at)| at.elapsed())
    }

    /// Adds a score; the oldest of more than 64 is dropped.
    pub(super) fn add_score(&mut self, score: Score) {
        if self.scores.len() == MAX_SCORES {
            self.scores.remove(0);
        }
        self.scores.push(score);
    }

    /// Records the position after `ply` plies, in place of those of this and later plies, which a takeback removed. Returns how often
    /// the position has occurred, this time included, among the last 512 recorded ones.
    pub(super) fn count_position(&mut self, ply: u32, fen: &Fen) -> usize {
        let position = fen.with_counters(0, 1);
        self.positions.retain(|(known, _)| *known < ply);
        if self.positions.len() == MAX_POSITIONS {
            self.positions.remove(0);
        }
        self.positions.push((ply, position));
        self.positions.iter().filter(|(_, other)| *other == position).count()
    }

    /// Plans the first claim of the opponent's time in a turn, or cancels the claims with `None`.
    pub(super) fn set_flag_claim(&mut self, at: Option<Instant>) {
        self.flag_claim = at.map(|at| (at, 0));
    }

    /// Returns when the next claim of the opponent's time is due; `None` if none is planned.
    pub(super) fn flag_claim_at(&self) -> Option<Instant> {
        self.flag_claim.map(|(at, _)| at)
    }

    /// Returns `true` if the planned claim of the opponent's time is due at `now`. Then also plans the next one after `delay`, or none
    /// if `max_claims` were made.
    pub(super) fn take_due_flag_claim(&mut self, now: Instant, delay: Duration, max_claims: u32) -> bool {
        let Some((at, n_claims)) = self.flag_claim.filter(|(at, _)| *at <= now) else { return false };
        self.flag_claim = (n_claims + 1 < max_claims).then(|| (at.max(now) + delay, n_claims + 1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_is_counted_again_after_a_takeback_only_once() {
        let mut decisions = GameDecisions::default();
        let start: Fen = Fen::START;
        assert_eq!([0, 2, 4].map(|ply| decisions.count_position(ply, &start)), [1, 2, 3]);
        assert_eq!(decisions.count_position(2, &start), 2, "plies 2 and 4 were taken back");
    }

    #[test]
    fn time_is_claimed_a_limited_number_of_times() {
        let (mut decisions, now) = (GameDecisions::default(), Instant::now());
        decisions.set_flag_claim(Some(now));
        let delay = Duration::from_secs(1);
        assert!(decisions.take_due_flag_claim(now, delay, 2) && !decisions.take_due_flag_claim(now, delay, 2));
        assert!(decisions.take_due_flag_claim(now + delay, delay, 2));
        assert_eq!(decisions.flag_claim_at(), None);
    }
}
