//! The option `--server`.

use clap::ValueEnum;
use kibitzer::core::message::Family;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Server {
    /// What both send
    Auto,
    /// FICS and its relatives
    Fics,
    /// ICC
    Icc,
}

impl Server {
    pub(crate) const fn family(self) -> Family {
        match self {
            Self::Auto => Family::Auto,
            Self::Fics => Family::Fics,
            Self::Icc => Family::Icc,
        }
    }
}
