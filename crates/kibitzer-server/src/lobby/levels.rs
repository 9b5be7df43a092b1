//! Level settings of an ICC client.

use std::collections::BTreeSet;

/// Highest datagram number that a client can switch on.
const MAX_NUMBER: usize = 255;

/// Level settings of an ICC client.
#[derive(Clone, Debug, Default)]
pub(crate) struct IccLevelSettings {
    /// Bits of the level-1 setting.
    pub(crate) level_1: u8,
    datagrams: BTreeSet<u32>,
    pub(crate) is_wrap_off: bool,
    pub(crate) is_prompt_off: bool,
}

impl IccLevelSettings {
    /// Bit of level 1: output is in units.
    pub(crate) const UNITS: u8 = 1;
    /// Bit of level 1: replies are enclosed in `^Y<` and `^Y>`.
    pub(crate) const MARKS: u8 = 2;
    /// Bit of level 1: units have the tag of their command.
    pub(crate) const TAGS: u8 = 4;
    /// Bit of level 1: units have `%` in place of the name of another player.
    pub(crate) const SHORT_NAMES: u8 = 8;

    /// Applies a level setting that ICC clients send before the name: `level1=5`, or `level2settings=10001`, which replaces the
    /// whole set of datagrams. Returns `false` for any other line. An invalid value of `level1` changes nothing; digits after
    /// number [`MAX_NUMBER`] are ignored.
    ///
    ///
    /// Source: icc §1.
    pub(crate) fn apply_if_level_line(&mut self, line: &str) -> bool {
        if let Some(bits) = line.strip_prefix("level2settings=") {
            let on = bits.bytes().take(MAX_NUMBER + 1).enumerate().filter(|(_, bit)| *bit == b'1');
            self.datagrams = on.filter_map(|(number, _)| u32::try_from(number).ok()).collect();
            return true;
        }
        let level_1 = line.strip_prefix("level1=").map(str::parse);
        if let Some(Ok(level_1)) = level_1 {
            self.level_1 = level_1;
        }
        level_1.is_some()
    }

    /// Switches a datagram on or off; numbers above [`MAX_NUMBER`] are ignored.
    pub(crate) fn set_datagram(&mut self, number: u32, on: bool) {
        if !on {
            self.datagrams.remove(&number);
        } else if usize::try_from(number).is_ok_and(|number| number <= MAX_NUMBER) {
            self.datagrams.insert(number);
        }
    }

    /// Returns whether the client has switched this datagram on.
    pub(crate) fn is_datagram_on(&self, number: u32) -> bool {
        self.datagrams.contains(&number)
    }

    /// Returns whether a bit of the level-1 setting is set: [`UNITS`](Self::UNITS) and others.
    pub(crate) const fn has_level_1_bit(&self, bit: u8) -> bool {
        self.level_1 & bit != 0
    }

    /// Returns whether the client receives prompts: they are switched on, and level 1 does not include [`UNITS`](Self::UNITS).
    pub(crate) const fn receives_prompts(&self) -> bool {
        !self.is_prompt_off && !self.has_level_1_bit(Self::UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_name_set_levels() {
        let mut levels = IccLevelSettings::default();
        assert!(levels.apply_if_level_line("level1=5") && levels.apply_if_level_line("level2settings=1001"));
        assert!(
            levels.has_level_1_bit(IccLevelSettings::UNITS)
                && levels.has_level_1_bit(IccLevelSettings::TAGS)
                && !levels.receives_prompts()
        );
        assert!(
            !levels.has_level_1_bit(IccLevelSettings::MARKS) && !levels.has_level_1_bit(IccLevelSettings::SHORT_NAMES)
        );
        assert_eq!([0, 1, 2, 3, 4].map(|number| levels.is_datagram_on(number)), [true, false, false, true, false]);
        assert!(
            !levels.apply_if_level_line("guest")
                && levels.apply_if_level_line("level1=x")
                && levels.has_level_1_bit(IccLevelSettings::UNITS)
        );
        levels.set_datagram(256, true);
        levels.set_datagram(0, false);
        assert!(!levels.is_datagram_on(256) && !levels.is_datagram_on(0));
    }
}
