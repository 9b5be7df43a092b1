//! Marks around replies: those of block mode, and the outermost units of ICC.

use crate::message::{CommandCode, Control, Level1Header};

/// Player name in a unit's header if this login gave the command. Source: ICC's description of level 1.
pub(super) const THIS_LOGIN: &str = "*";

/// Mark in the received stream that delimits replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyMark {
    /// The reply to the command of this number begins.
    Start { number: u64, code: Option<CommandCode> },
    /// A reply ends; the server may have left out a part of it.
    End { is_complete: bool },
    /// The server refused a line because it had no number.
    Unnumbered,
}

/// Parses the marks of replies: those of block mode, and the outermost units of ICC.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplyMarks {
    /// Number of open units.
    pub(super) depth: u32,
    /// Whether the server dropped a part of the outermost open unit.
    has_overflown: bool,
}

impl ReplyMarks {
    /// Returns the mark of a reply that a control is; `None` for others and for nested or foreign units. Tracks open
    /// units, and whether the server dropped output within one.
    pub(crate) fn track(&mut self, control: &Control) -> Option<ReplyMark> {
        match *control {
            Control::BlockStart { id: 0, code: CommandCode::UNNUMBERED } => Some(ReplyMark::Unnumbered),
            Control::BlockStart { id, code } => Some(ReplyMark::Start { number: id, code: Some(code) }),
            Control::BlockEnd { complete, .. } => Some(ReplyMark::End { is_complete: complete }),
            Control::UnitStart(ref header) => {
                self.open_unit(header).map(|number| ReplyMark::Start { number, code: None })
            }
            Control::UnitEnd => self.close_unit(),
            Control::Overflow => {
                self.has_overflown = self.depth > 0;
                None
            }
            _ => None,
        }
    }

    /// Counts a unit as open, and returns the number of the command that it replies to; `None` for other players' units, nested
    /// units, and tags that are not numbers. A unit with a tag of this login closes all units that are still open.
    fn open_unit(&mut self, header: &Level1Header) -> Option<u64> {
        let tag = header.tag.as_ref().filter(|_| header.player == *THIS_LOGIN);
        // Only an outermost unit has a tag: the ends of those that are still open were lost. Source: rule icc §3.
        self.depth = if tag.is_some() { 1 } else { self.depth.saturating_add(1) };
        self.has_overflown &= self.depth > 1;
        tag?.as_str().parse().ok()
    }

    /// Counts a unit as closed. Returns the end of a reply if no unit is open any more.
    fn close_unit(&mut self) -> Option<ReplyMark> {
        self.depth = self.depth.saturating_sub(1);
        (self.depth == 0).then_some(ReplyMark::End { is_complete: !self.has_overflown })
    }
}
