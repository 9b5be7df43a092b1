//! Options of the simulated players.

use std::time::Duration;

/// Something that simulated players do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pastime {
    /// Four of them play bughouse, on two boards.
    Bughouse,
    /// Two of them play crazyhouse.
    Crazyhouse,
    /// One of them relays games between absent players.
    Relay,
    /// They post seeks that no simulated player answers.
    Seeks,
    /// They shout, kibitz, talk in channels, and answer tells.
    Talk,
}

/// The simulated players of a [`Server`](crate::Server): how many games they play, how fast, and what else they do.
///
/// ```
/// use kibitzer_server::{Pastime, PopulationOptions, ServerOptions};
///
/// let crowd = PopulationOptions::new().games(3).speed(10.0).without(Pastime::Talk);
/// let options = ServerOptions::new().detached().seed(7).population(crowd);
/// ```
#[derive(Clone, Debug)]
pub struct PopulationOptions {
    pub(super) games: usize,
    pub(super) opponents: usize,
    speed: f64,
    missing: Vec<Pastime>,
}

/// The range of [`PopulationOptions::speed`].
const SPEEDS: (f64, f64) = (0.01, 1000.0);

/// The most of [`PopulationOptions::games`] and of [`PopulationOptions::opponents`].
const MAX_GAMES: usize = 200;

impl Default for PopulationOptions {
    fn default() -> Self {
        Self { games: 6, opponents: 2, speed: 1.0, missing: Vec::new() }
    }
}

impl PopulationOptions {
    /// Six games of chess at human pace, two opponents, and all pastimes.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many games of chess simulated players play with each other at a time. Default: 6; at most 200.
    #[must_use]
    pub fn games(mut self, games: usize) -> Self {
        self.games = games.min(MAX_GAMES);
        self
    }

    /// How many opponents wait for a match and accept any. Default: 2; at most 200. The first is called `Whetstone`.
    #[must_use]
    pub fn opponents(mut self, opponents: usize) -> Self {
        self.opponents = opponents.min(MAX_GAMES);
        self
    }

    /// How many times faster than people they think and talk. Clocks are not concerned. Default: 1; from 0.01 to 1000.
    #[must_use]
    pub fn speed(mut self, speed: f64) -> Self {
        let (slowest, fastest) = SPEEDS;
        self.speed = if speed.is_nan() { 1.0 } else { speed.clamp(slowest, fastest) };
        self
    }

    /// Leaves a pastime out. Default: they have all.
    #[must_use]
    pub fn without(mut self, pastime: Pastime) -> Self {
        self.missing.push(pastime);
        self
    }

    pub(super) fn has(&self, pastime: Pastime) -> bool {
        !self.missing.contains(&pastime)
    }

    /// The time something takes them that takes people `time`.
    pub(super) fn pace(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }
}
