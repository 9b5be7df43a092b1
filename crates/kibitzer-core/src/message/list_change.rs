//! Changes of this login's lists: of friends, channels, censored players.

use super::Message;
use super::template::Captures;
use crate::by_name::named_enum;
use crate::text::ServerText;

/// The outcome of `addlist` or `sublist`: `[53] added to your channel list.`, `Foo is not on your notify list.`
///
/// FICS has the entry in square brackets; FatICS only that of some lists.
///
/// Source: FICS help files `addlist` and `sublist`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListChange {
    /// The name of the list: `notify`, `channel`.
    pub list: ServerText,
    /// The entry: a name, or the number of a channel.
    pub entry: ServerText,
    /// The change, or why there is none.
    pub change: ListChangeKind,
}

named_enum! {
    /// The change that a [`ListChange`] reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "an entry is added or removed, or the list already was as requested")]
    pub enum ListChangeKind("Returns the name in JSON.", "no change of a list has this name") {
        /// The entry was added.
        Added = "added",
        /// The entry was removed.
        Removed = "removed",
        /// The entry was in the list already.
        AlreadyListed = "already_listed",
        /// The entry to be removed was not in the list.
        NotListed = "not_listed",
    }
}

impl ListChangeKind {
    /// Creates the message from the parts of its sentence: the entry is a name or a number, the word is the list.
    pub(super) fn to_message(self, found: Captures<'_>) -> Option<Message> {
        let entry = found.name.map(|name| name.to_string()).or(found.number.map(|number| number.to_string()))?;
        let entry = ServerText::from_wire(entry.as_bytes());
        Some(ListChange { list: ServerText::from_wire(found.word), entry, change: self }.into())
    }
}
