//! ICC's level-1 units: which of them is the reply to which command.

use crate::message::UnitHeader;

/// Who gave the command whose unit it is, if it was this login. Source: ICC's description of level 1.
const ME: &str = "*";

/// The units that are open.
#[derive(Debug, Default)]
pub(crate) struct Units {
    depth: u32,
    is_overflown: bool,
}

/// A unit that stood in no other one is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Whether the server did not drop a part of it.
    pub(crate) is_complete: bool,
}

impl Units {
    /// A unit begins. Returns its tag if it is the reply to a command of this login that had a number for one.
    ///
    /// Only a unit that stands in no other one has a tag: the ends of those that are open were lost, then. Source: rule icc §3.
    pub(crate) fn start(&mut self, header: &UnitHeader) -> Option<u64> {
        let tag = header.tag.as_ref().filter(|_| header.player == *ME);
        self.depth = if tag.is_some() { 1 } else { self.depth.saturating_add(1) };
        self.is_overflown &= self.depth > 1;
        tag?.as_str().parse().ok()
    }

    /// The innermost unit ends. Returns what is to be known if none is left.
    pub(crate) fn end(&mut self) -> Option<Ended> {
        self.depth = self.depth.saturating_sub(1);
        (self.depth == 0).then_some(Ended { is_complete: !self.is_overflown })
    }

    /// The server dropped the rest of a command's output.
    pub(crate) const fn overflow(&mut self) {
        self.is_overflown = self.depth > 0;
    }
}
