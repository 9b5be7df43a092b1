//! Relay of a game between two absent, invented players.
//!
//! | state | step | next state |
//! |---|---|---|
//! | `Waiting` | `Start` | `Playing` |
//! | `Playing` | `Move` | `Playing` |
//! | `Playing` | `End` | `Over` |
//! | `Over` | `Clear` | `Waiting` |

use std::time::Duration;

use fastrand::Rng;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{Confidence, Handle, Rating};

use super::brain;
use crate::chess::{Move, Position, Variant};
use crate::play::{Ending, SeatedPlayer, Sides, Terms};

const TERMS: Terms = Terms { variant: Variant::Standard, rated: false, minutes: 15, increment_s: 10 };

/// A relayed game is drawn after this number of plies.
const MAX_PLIES: u32 = 160;

/// Minimum reading of the clocks of relayed games.
const LEAST_LEFT_MS: i64 = 5_000;

/// A step of a relay, executed by the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayStep {
    Start {
        terms: Terms,
        seats: Box<Sides<SeatedPlayer>>,
    },
    Move {
        played: Move,
        elapsed_ms: u64,
        clocks_ms: Sides<i64>,
    },
    End(Ending),
    /// Removes the finished game.
    Clear,
}

/// How long the last position of a game stays on the board, and the time until the next game.
const REVIEW_TIME: Duration = Duration::from_secs(45);
const BREAK: Duration = Duration::from_secs(5);

/// State of the relay.
#[derive(Debug)]
pub(super) enum Relay {
    Waiting,
    Playing(Box<SimulatedRelayGame>),
    Over,
}

/// A relayed game, whose moves are chosen by the population itself.
#[derive(Debug)]
pub(super) struct SimulatedRelayGame {
    position: Position,
    clocks_ms: Sides<i64>,
    n_plies: u32,
    /// Number of plies at the start that have no pause after them.
    n_instant_plies: u32,
}

impl Relay {
    /// Advances the relay; returns the step that the server executes, and the pause after it. A new game is between the players
    /// with these names.
    pub(super) fn advance(
        &mut self,
        names: &Sides<Handle>,
        n_instant_plies: u32,
        random: &mut Rng,
    ) -> (RelayStep, Duration) {
        match self {
            Self::Waiting => {
                *self = Self::Playing(Box::new(SimulatedRelayGame::new(n_instant_plies)));
                (
                    RelayStep::Start { terms: TERMS, seats: Box::new(random_strong_players(names, random)) },
                    Duration::ZERO,
                )
            }
            Self::Playing(game) => match game.choose_and_play_move(random) {
                Ok(step) => step,
                Err(ending) => {
                    *self = Self::Over;
                    (RelayStep::End(ending), REVIEW_TIME)
                }
            },
            Self::Over => {
                *self = Self::Waiting;
                (RelayStep::Clear, BREAK)
            }
        }
    }
}

impl SimulatedRelayGame {
    fn new(n_instant_plies: u32) -> Self {
        let position = Position::start(TERMS.variant);
        Self { position, clocks_ms: Sides::both(TERMS.initial_ms()), n_plies: 0, n_instant_plies }
    }

    /// Chooses and plays the next move. Returns its step with the pause after it, or the ending if the game is over.
    fn choose_and_play_move(&mut self, random: &mut Rng) -> Result<(RelayStep, Duration), Ending> {
        if let Some(ending) = ending_of_relay_game(&self.position, self.n_plies) {
            return Err(ending);
        }
        let played = brain::choose_move(&self.position, random).ok_or(Ending::DRAW_AGREED)?;
        let thought_s = random.u32(2..27);
        let left_ms = self.clocks_ms.of_mut(self.position.side_to_move);
        *left_ms = (*left_ms - i64::from(thought_s) * 1000).max(LEAST_LEFT_MS) + i64::from(TERMS.increment_s) * 1000;
        self.position = self.position.after(played);
        self.n_plies += 1;
        let step = RelayStep::Move { played, elapsed_ms: u64::from(thought_s) * 1000, clocks_ms: self.clocks_ms };
        let is_instant = self.n_plies < self.n_instant_plies;
        Ok((step, if is_instant { Duration::ZERO } else { Duration::from_secs(thought_s.into()) }))
    }
}

/// Returns players with these names and random ratings from 2400 to 2699.
fn random_strong_players(names: &Sides<Handle>, random: &mut Rng) -> Sides<SeatedPlayer> {
    let mut seat = |name: &Handle| {
        let rating = Rating::Rated(random.u16(2400..2700), Confidence::Established);
        SeatedPlayer { name: name.clone(), rating, is_registered: true, has_timeseal: false }
    };
    Sides { white: seat(&names.white), black: seat(&names.black) }
}

/// Returns how a relayed game ends in this position; `None` if it goes on.
fn ending_of_relay_game(position: &Position, n_plies: u32) -> Option<Ending> {
    if let Some(end) = position.termination() {
        return Some(Ending::from_termination(end, position.side_to_move));
    }
    let (white, black) = (position.material(Color::White), position.material(Color::Black));
    if n_plies >= 30 && white.abs_diff(black) >= 9 {
        return Some(Ending::RESIGNED.with_named_side(if white < black { Color::White } else { Color::Black }));
    }
    (n_plies >= MAX_PLIES).then_some(Ending::DRAW_AGREED)
}
