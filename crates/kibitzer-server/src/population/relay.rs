//! A game that is relayed: both players are made up and sit elsewhere.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{Confidence, Handle, Rating};

use super::brain;
use crate::chess::{Move, Position, Termination, Variant};
use crate::play::{Ending, Seat, Sides, Terms};
use crate::random::Random;

/// Fifteen minutes each and ten seconds a move.
const TERMS: Terms = Terms { variant: Variant::Standard, rated: false, minutes: 15, increment_s: 10 };

/// A relayed game ends here at the latest.
const MAX_PLIES: usize = 160;

/// Clocks of relayed games do not go below this.
const LEAST_LEFT_MS: i64 = 5_000;

/// The next step of a relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayAct {
    /// A game begins.
    Start { terms: Terms, seats: Box<Sides<Seat>> },
    /// A move was made.
    Move { played: Move, elapsed_ms: u64, clocks_ms: Sides<i64> },
    /// The game is over.
    End(Ending),
    /// The finished game is removed.
    Clear,
}

/// How long the last position of a game stays, and how long there is none.
const LOOK_BACK: Duration = Duration::from_secs(45);
const BREAK: Duration = Duration::from_secs(5);

/// Where the relay is.
#[derive(Debug)]
pub(super) enum Relay {
    Waiting,
    Playing(Box<Relayed>),
    /// The last position stays to be looked at for a while.
    Over,
}

/// A relayed game.
#[derive(Debug)]
pub(super) struct Relayed {
    position: Position,
    clocks_ms: Sides<i64>,
    n_plies: usize,
    /// Plies that are played before the server starts.
    n_hurried_plies: usize,
}

impl Relay {
    /// What it does now, and how long it rests afterwards. A new game is one of these two players.
    pub(super) fn act(
        &mut self,
        names: &Sides<Handle>,
        n_hurried_plies: usize,
        random: &mut Random,
    ) -> (RelayAct, Duration) {
        match self {
            Self::Waiting => {
                *self = Self::Playing(Box::new(Relayed::new(n_hurried_plies)));
                (RelayAct::Start { terms: TERMS, seats: Box::new(seats(names, random)) }, Duration::ZERO)
            }
            Self::Playing(game) => match game.play(random) {
                Ok(step) => step,
                Err(ending) => {
                    *self = Self::Over;
                    (RelayAct::End(ending), LOOK_BACK)
                }
            },
            Self::Over => {
                *self = Self::Waiting;
                (RelayAct::Clear, BREAK)
            }
        }
    }
}

impl Relayed {
    fn new(n_hurried_plies: usize) -> Self {
        let position = Position::start(TERMS.variant);
        Self { position, clocks_ms: Sides::both(TERMS.initial_ms()), n_plies: 0, n_hurried_plies }
    }

    /// The next move, and how long its player thought; or how the game ends.
    fn play(&mut self, random: &mut Random) -> Result<(RelayAct, Duration), Ending> {
        if let Some(ending) = ending(&self.position, self.n_plies) {
            return Err(ending);
        }
        let played = brain::choose(&self.position, random).ok_or(Ending::DrawAgreed)?;
        let thought_s = 2 + u32::try_from(random.below(25)).unwrap_or(0);
        let left_ms = self.clocks_ms.of_mut(self.position.side_to_move);
        *left_ms = (*left_ms - i64::from(thought_s) * 1000).max(LEAST_LEFT_MS) + i64::from(TERMS.increment_s) * 1000;
        self.position = self.position.after(played);
        self.n_plies += 1;
        let act = RelayAct::Move { played, elapsed_ms: u64::from(thought_s) * 1000, clocks_ms: self.clocks_ms };
        let is_hurried = self.n_plies < self.n_hurried_plies;
        Ok((act, if is_hurried { Duration::ZERO } else { Duration::from_secs(thought_s.into()) }))
    }
}

/// Two strong players.
fn seats(names: &Sides<Handle>, random: &mut Random) -> Sides<Seat> {
    let mut seat = |name: &Handle| {
        let rating = 2400 + u16::try_from(random.below(300)).unwrap_or(0);
        let rating = Rating::Rated(rating, Confidence::Established);
        Seat { name: name.clone(), rating, is_registered: true, has_timeseal: false }
    };
    Sides { white: seat(&names.white), black: seat(&names.black) }
}

fn ending(position: &Position, n_plies: usize) -> Option<Ending> {
    match position.termination() {
        Some(Termination::Checkmate) => return Some(Ending::Checkmated(position.side_to_move)),
        Some(Termination::Stalemate) => return Some(Ending::Stalemate),
        Some(Termination::InsufficientMaterial) => return Some(Ending::NoMaterial),
        None => {}
    }
    let (white, black) = (position.material(Color::White), position.material(Color::Black));
    if n_plies >= 30 && white.abs_diff(black) >= 9 {
        return Some(Ending::Resigned(if white < black { Color::White } else { Color::Black }));
    }
    (n_plies >= MAX_PLIES).then_some(Ending::DrawAgreed)
}
