//! The option `--timeseal`.

use clap::ValueEnum;
use kibitzer::core::wire::Timeseal;

/// A version that is spoken; without the option none is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Version {
    /// `[G]` alone on a line
    #[value(name = "1")]
    V1,
    /// `[G]` and a zero byte, anywhere
    #[value(name = "2")]
    V2,
}

impl Version {
    /// What the option stands for.
    pub(crate) const fn of(option: Option<Self>) -> Timeseal {
        match option {
            None => Timeseal::Off,
            Some(Self::V1) => Timeseal::V1,
            Some(Self::V2) => Timeseal::V2,
        }
    }
}
