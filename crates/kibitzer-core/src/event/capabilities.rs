//! Features that the server has granted to a connection.

use crate::message::{Family, Ivar};
use crate::wire::Timeseal;

/// Features of a connection that the server has confirmed. Empty until the session is set up.
///
/// An ivar counts as on only if the server reports it so, in its answer to `iset` or in the list of ivars: some servers
/// answer `iset` with any name and do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "crate::serial::CapabilitiesForm", into = "crate::serial::CapabilitiesForm")
)]
pub struct Capabilities {
    /// One bit for each ivar that is on: its discriminant is the number of its bit.
    on: u64,
    timeseal: Timeseal,
    family: Family,
    has_units: bool,
}

impl Capabilities {
    /// Creates the capabilities of a connection without units.
    pub fn new(family: Family, timeseal: Timeseal, ivars: impl IntoIterator<Item = Ivar>) -> Self {
        let on = ivars.into_iter().fold(0, |on, ivar| on | bit(ivar));
        Self { on, timeseal, family, has_units: false }
    }

    /// Adds replies in ICC's level-1 units.
    #[must_use]
    pub const fn with_units(self) -> Self {
        Self { has_units: true, ..self }
    }

    /// Returns whether this ivar is on.
    pub fn has(self, ivar: Ivar) -> bool {
        self.on & bit(ivar) != 0
    }

    /// Returns the ivars that are on, in the order of [`Ivar::ALL`].
    pub fn ivars(self) -> impl Iterator<Item = Ivar> {
        Ivar::ALL.iter().copied().filter(move |&ivar| self.has(ivar))
    }

    /// Returns the family of the server; [`Family::Auto`] until it is known.
    pub const fn family(self) -> Family {
        self.family
    }

    /// Returns whether replies are enclosed in ICC's level-1 units.
    pub const fn units(self) -> bool {
        self.has_units
    }

    /// Returns the version of timeseal that the connection speaks.
    pub const fn timeseal(self) -> Timeseal {
        self.timeseal
    }

    /// Sets or clears an ivar.
    pub(crate) fn set(&mut self, ivar: Ivar, on: bool) {
        if on {
            self.on |= bit(ivar);
        } else {
            self.on &= !bit(ivar);
        }
    }
}

const fn bit(ivar: Ivar) -> u64 {
    1 << ivar as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ivar_has_a_bit_of_its_own() {
        for &ivar in Ivar::ALL {
            let mut capabilities = Capabilities::default();
            capabilities.set(ivar, true);
            assert_eq!(capabilities.ivars().collect::<Vec<_>>(), [ivar]);
            capabilities.set(ivar, false);
            assert_eq!(capabilities, Capabilities::default());
        }
    }
}
