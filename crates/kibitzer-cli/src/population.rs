//! Arguments for the simulated players of the embedded server.

use std::ops::RangeInclusive;

use kibitzer_server::PopulationOptions;

/// Accepted values of `--speed`.
const SPEEDS: RangeInclusive<f64> = 0.01..=1000.0;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PopulationArgs {
    /// Seed of the random numbers; another seed gives other players and games
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many times faster than people simulated players think and talk: 0.01 to 1000
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
}

impl PopulationArgs {
    pub(crate) const fn seed(self) -> u64 {
        self.seed
    }

    pub(crate) fn options(self) -> PopulationOptions {
        PopulationOptions::new().speed(self.speed)
    }
}

fn parse_speed(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|speed| SPEEDS.contains(speed)).ok_or("a speed is a number from 0.01 to 1000")
}
