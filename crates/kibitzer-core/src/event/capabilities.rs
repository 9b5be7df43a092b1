//! Features that the server has granted to a connection.

use crate::message::{Family, Ivar};
use crate::wire::Timeseal;

/// Features of a connection that the server has confirmed. The set is not complete before the session is set up.
///
/// An ivar counts as on only if the server reports it so, in its answer to `iset` or in the list of ivars: some servers
/// answer `iset` with any name and do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Capabilities {
    /// Family of the server; [`Family::Auto`] until it is known.
    pub family: Family,
    /// Version of timeseal that the connection speaks.
    pub timeseal: Timeseal,
    /// Whether replies are enclosed in ICC's level-1 units.
    pub units: bool,
    /// Set of the ivars that are on: bit `1 << (ivar as u8)` for each.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::ivars"))]
    pub(crate) ivars: u64,
}

impl Capabilities {
    /// Creates the capabilities of a connection without units.
    pub fn new(family: Family, timeseal: Timeseal, ivars: impl IntoIterator<Item = Ivar>) -> Self {
        Self { family, timeseal, units: false, ivars: ivars.into_iter().fold(0, |on, ivar| on | bit(ivar)) }
    }

    /// Returns whether this ivar is on.
    pub fn has(self, ivar: Ivar) -> bool {
        self.ivars & bit(ivar) != 0
    }

    /// Returns the ivars that are on, in the order of [`Ivar::ALL`].
    pub fn ivars(self) -> impl Iterator<Item = Ivar> {
        Ivar::ALL.iter().copied().filter(move |&ivar| self.has(ivar))
    }

    /// Sets or clears an ivar.
    pub(crate) fn set(&mut self, ivar: Ivar, on: bool) {
        self.ivars = if on { self.ivars | bit(ivar) } else { self.ivars & !bit(ivar) };
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
