//! What the server turned out to do for us.

use super::login::Entrance;
use super::requests::{Done, Mode};
use crate::message::{Family, Ivar};
use crate::wire::Timeseal;

/// What this connection can do, found out by the server's answers. Empty until the session is set up.
///
/// An ivar counts as on only if the server said so, in its answer to `iset` or in the list of ivars: some servers
/// answer `iset` to any name and do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// Bit per ivar, in the order of [`Ivar::ALL`].
    on: u64,
    timeseal: Timeseal,
    family: Family,
    has_units: bool,
}

impl Capabilities {
    /// What another program tells of a connection, without units.
    pub fn of(family: Family, timeseal: Timeseal, ivars: impl IntoIterator<Item = Ivar>) -> Self {
        let on = ivars.into_iter().fold(0, |on, ivar| on | bit(ivar));
        Self { on, timeseal, family, has_units: false }
    }

    /// The same, with replies in ICC's level-1 units.
    #[must_use]
    pub const fn with_units(self) -> Self {
        Self { has_units: true, ..self }
    }

    /// Whether this ivar is on.
    pub fn has(self, ivar: Ivar) -> bool {
        self.on & bit(ivar) != 0
    }

    /// The ivars that are on.
    pub fn ivars(self) -> impl Iterator<Item = Ivar> {
        Ivar::ALL.iter().copied().filter(move |&ivar| self.has(ivar))
    }

    /// Whether replies are framed and numbered.
    pub fn block(self) -> bool {
        self.has(Ivar::Block)
    }

    /// Whether clocks come in milliseconds.
    pub fn ms(self) -> bool {
        self.has(Ivar::Ms)
    }

    /// Whether long lines come whole.
    pub fn nowrap(self) -> bool {
        self.has(Ivar::NoWrap)
    }

    /// Whether seek ads come as data.
    pub fn seekinfo(self) -> bool {
        self.has(Ivar::SeekInfo)
    }

    /// Whether offers come as data.
    pub fn pendinfo(self) -> bool {
        self.has(Ivar::PendInfo)
    }

    /// Whether the terms of games come as data.
    pub fn gameinfo(self) -> bool {
        self.has(Ivar::GameInfo)
    }

    /// Whether moves come without their boards where that is enough.
    pub fn compressmove(self) -> bool {
        self.has(Ivar::CompressMove)
    }

    /// Which family the server is of: ICC, or FICS and its relatives. [`Family::Auto`] until it is known.
    pub const fn family(self) -> Family {
        self.family
    }

    /// Whether replies stand in ICC's level-1 units.
    pub const fn units(self) -> bool {
        self.has_units
    }

    /// The version of timeseal that the connection speaks.
    pub const fn timeseal(self) -> Timeseal {
        self.timeseal
    }

    pub(super) fn set(&mut self, ivar: Ivar, on: bool) {
        if on {
            self.on |= bit(ivar);
        } else {
            self.on &= !bit(ivar);
        }
    }

    /// Learns from the answer to `iset`: `ms set.` is consent, `ms unset.` the opposite, and anything else is neither.
    ///
    /// uhlin/fics answers `com_iset: ms 1` to any name and does nothing. What shows that block mode is on is how it
    /// answers.
    pub(super) fn learn(&mut self, done: &Done) {
        let (Some(command), Ok(reply)) = (&done.command, &done.result) else { return };
        let ivar = command.words().nth(1).and_then(|name| name.to_ascii_lowercase().parse::<Ivar>().ok());
        let Some(ivar) = ivar.filter(|ivar| command.verb() == "iset" && *ivar != Ivar::Block) else { return };
        for (answer, on) in [(" set.", true), (" unset.", false)] {
            let answer = format!("{}{answer}", ivar.name());
            if reply.lines().any(|line| line == answer.as_bytes()) {
                self.set(ivar, on);
            }
        }
    }

    /// What is known behind the login.
    pub(super) fn new(entrance: &Entrance) -> Self {
        let family = if entrance.is_icc { Family::Icc } else { Family::Fics };
        Self { on: 0, timeseal: entrance.timeseal, family, has_units: entrance.mode == Mode::Tagged }
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
