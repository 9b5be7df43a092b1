//! A game that is relayed: both players are made up and sit elsewhere.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{Confidence, Handle, Rating};

use super::brain;
use crate::chess::{Move, Position, Variant, Verdict};
use crate::play::{Ending, Seat, Sides, Terms};
use crate::random::Random;

/// Fifteen minutes each and ten seconds a move.
const TERMS: Terms = Terms { variant: Variant::Standard, rated: false, minutes: 15, increment_s: 10 };

/// A relayed game ends here at the latest.
const MAX_PLIES: usize = 160;

/// What a relay does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayAct {
    /// A game begins.
    Start { terms: Terms, seats: Box<Sides<Seat>> },
    /// A move was made.
    Move { played: Move, elapsed_ms: u64, clocks_ms: Sides<i64> },
    /// The game is over.
    End(Ending),
    /// What is left of the game is taken away.
    Clear,
}

/// Where the relay is.
#[derive(Debug)]
pub(super) enum Relay {
    Waiting,
    Playing {
        position: Position,
        clocks_ms: Sides<i64>,
        n_plies: usize,
        n_hurried_plies: usize,
    },
    /// The last position stays to be looked at for a while.
    Over,
}

impl Relay {
    /// What it does now, and how long it rests afterwards.
    pub(super) fn act(
        &mut self,
        names: Sides<Handle>,
        n_hurried_plies: usize,
        random: &mut Random,
    ) -> (RelayAct, Duration) {
        match self {
            Self::Waiting => {
                let seat = |name| Seat {
                    name,
                    rating: Rating::Rated(
                        2400 + u16::try_from(random.below(300)).unwrap_or(0),
                        Confidence::Established,
                    ),
                    is_registered: true,
                    has_timeseal: false,
                };
                let mut seat = seat;
                let seats = Sides { white: seat(names.white), black: seat(names.black) };
                *self = Self::Playing {
                    position: Position::start(TERMS.variant),
                    clocks_ms: Sides::both(TERMS.initial_ms()),
                    n_plies: 0,
                    n_hurried_plies,
                };
                (RelayAct::Start { terms: TERMS, seats: Box::new(seats) }, Duration::ZERO)
            }
            Self::Playing { position, clocks_ms, n_plies, n_hurried_plies } => {
                if let Some(ending) = ending(position, *n_plies) {
                    *self = Self::Over;
                    return (RelayAct::End(ending), Duration::from_secs(45));
                }
                let Some(played) = brain::choose(position, random) else { return (RelayAct::Clear, Duration::ZERO) };
                let mover = position.side_to_move();
                let thought = Duration::from_millis(2_000 + 1_000 * u64::try_from(random.below(25)).unwrap_or(0));
                let left_ms = clocks_ms.of_mut(mover);
                let thought_ms = i64::try_from(thought.as_millis()).unwrap_or(0);
                *left_ms = (*left_ms - thought_ms).max(5_000) + i64::from(TERMS.increment_s) * 1000;
                *position = position.after(played);
                *n_plies += 1;
                let act = RelayAct::Move {
                    played,
                    elapsed_ms: thought.as_millis().try_into().unwrap_or(0),
                    clocks_ms: *clocks_ms,
                };
                let rest = if n_plies < n_hurried_plies { Duration::ZERO } else { thought };
                (act, rest)
            }
            Self::Over => {
                *self = Self::Waiting;
                (RelayAct::Clear, Duration::from_secs(5))
            }
        }
    }
}

fn ending(position: &Position, n_plies: usize) -> Option<Ending> {
    match position.verdict() {
        Some(Verdict::Checkmate) => return Some(Ending::Checkmated(position.side_to_move())),
        Some(Verdict::Stalemate) => return Some(Ending::Stalemate),
        Some(Verdict::NoMaterial) => return Some(Ending::NoMaterial),
        None => {}
    }
    let (white, black) = (position.material(Color::White), position.material(Color::Black));
    if n_plies >= 30 && white.abs_diff(black) >= 9 {
        return Some(Ending::Resigned(if white < black { Color::White } else { Color::Black }));
    }
    (n_plies >= MAX_PLIES).then_some(Ending::DrawAgreed)
}
