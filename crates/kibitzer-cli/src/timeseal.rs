//! The argument `--timeseal`.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kibitzer::core::wire::Timeseal;

/// A version of the timeseal protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version(Timeseal);

impl Version {
    /// Returns the version, `Off` without the argument.
    pub(crate) fn of(option: Option<Self>) -> Timeseal {
        option.map_or(Timeseal::Off, |Self(version)| version)
    }
}

impl ValueEnum for Version {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(Timeseal::V1), Self(Timeseal::V2)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Timeseal::Off => return None,
            Timeseal::V1 => "`[G]` alone on a line",
            Timeseal::V2 => "`[G]` and a zero byte, anywhere",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}
