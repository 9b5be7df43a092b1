//! Options of the simulated players.

use std::time::Duration;

/// An activity of simulated players besides games of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activity {
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
/// use kibitzer_server::{Activity, PopulationOptions, ServerOptions};
///
/// let population = PopulationOptions::new().games(3).speed(10.0).without(Activity::Talk);
/// let options = ServerOptions::new().in_process().seed(7).population(population);
/// ```
#[derive(Clone, Debug)]
pub struct PopulationOptions {
    pub(super) games: usize,
    pub(super) opponents: usize,
    speed: f64,
    missing: Vec<Activity>,
}

/// The range of [`PopulationOptions::speed`].
const SPEEDS: (f64, f64) = (0.01, 1000.0);

/// Upper limit of [`PopulationOptions::games`] and of [`PopulationOptions::opponents`].
const MAX_GAMES: usize = 200;

impl Default for PopulationOptions {
    fn default() -> Self {
        Self { games: 6, opponents: 2, speed: 1.0, missing: Vec::new() }
    }
}

impl PopulationOptions {
    /// Returns the default options: six games of chess at human pace, two opponents, and all activities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many games of chess simulated players play at a time. Default: 6; at most 200.
    #[must_use]
    pub fn games(mut self, games: usize) -> Self {
        self.games = games.min(MAX_GAMES);
        self
    }

    /// Sets how many simulated players wait for a match and accept any. Default: 2; at most 200. The first is called `Whetstone`.
    #[must_use]
    pub fn opponents(mut self, opponents: usize) -> Self {
        self.opponents = opponents.min(MAX_GAMES);
        self
    }

    /// Sets how many times faster than people they think and talk. Clocks run at normal speed. Default: 1; limited to 0.01 to
    /// 1000.
    #[must_use]
    pub fn speed(mut self, speed: f64) -> Self {
        let (slowest, fastest) = SPEEDS;
        self.speed = if speed.is_nan() { 1.0 } else { speed.clamp(slowest, fastest) };
        self
    }

    /// Disables an activity. Default: all are enabled.
    #[must_use]
    pub fn without(mut self, activity: Activity) -> Self {
        self.missing.push(activity);
        self
    }

    /// Returns whether an activity is enabled.
    pub(super) fn has_activity(&self, activity: Activity) -> bool {
        !self.missing.contains(&activity)
    }

    /// Converts the time that people need to the time that simulated players need.
    pub(super) fn scale_time(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }
}
