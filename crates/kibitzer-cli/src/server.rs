//! The argument `--server`.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kibitzer::core::message::Family;

/// A family of servers, by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server(Family);

impl Server {
    pub(crate) const AUTO: Self = Self(Family::Auto);

    pub(crate) const fn family(self) -> Family {
        self.0
    }
}

impl ValueEnum for Server {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::AUTO, Self(Family::Fics), Self(Family::Icc)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Family::Auto => "The one that the login shows",
            Family::Fics => "FICS and its relatives",
            Family::Icc => "ICC",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}
