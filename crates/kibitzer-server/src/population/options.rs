//! Options of the simulated players.

use std::time::Duration;

/// The simulated players of a [`Server`](crate::Server): how many games of chess they play, and how fast.
///
/// ```
/// use kibitzer_server::{PopulationOptions, ServerOptions};
///
/// let population = PopulationOptions::new().games(3).speed(10.0);
/// let options = ServerOptions::new().in_process().seed(7).population(population);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PopulationOptions {
    pub(super) games: usize,
    speed: f64,
}

/// Upper limit of [`PopulationOptions::games`].
const MAX_GAMES: usize = 200;

impl Default for PopulationOptions {
    fn default() -> Self {
        Self { games: 6, speed: 1.0 }
    }
}

impl PopulationOptions {
    /// Returns the default options: six games of chess at human pace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many games of chess simulated players play at a time, besides those of crazyhouse and bughouse. Default: 6; a
    /// larger number than 200 becomes 200.
    pub fn games(mut self, games: usize) -> Self {
        self.games = games.min(MAX_GAMES);
        self
    }

    /// Sets how many times faster than people they think and talk. Clocks run at normal speed. Default: 1, also for NaN; limited
    /// to 0.01 to 1000.
    pub fn speed(mut self, speed: f64) -> Self {
        self.speed = if speed.is_nan() { 1.0 } else { speed.clamp(0.01, 1000.0) };
        self
    }

    /// Converts the time that people need to the time that simulated players need.
    pub(super) fn scale_time(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }
}
