//! The reply to `inchannel`.

use std::ops::ControlFlow;

use super::parts::parse_items;
use super::{ListedPlayer, Listing};
use crate::message::template::match_table;
use crate::scan::Cursor;
use crate::text::{Line, decode_received};

/// The members of channels.
///
/// Rows look like `Channel 1 "help": A B C` on FICS, `Channel 1: A B` on uhlin-fics, `53: A B(U)` on FatICS. For a
/// single channel a line with the number of players ends the list: `3 players are in channel 1.`, `2 people are in
/// channel 1.`, `There are 0 players in channel 1.` Members who do not hear channels now are in braces. For a channel without
/// players uhlin-fics prints `Channel 1 is empty.` FatICS's list of all channels has no end.
///
/// Source: transcripts of FatICS and uhlin-fics; the sentence for an empty channel was received from uhlin-fics 1.4.7.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChannelList {
    /// The channels as received; includes an empty channel if the server only reports that it is empty.
    pub channels: Vec<ChannelMembers>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One row of [`ChannelList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChannelMembers {
    /// The number of the channel.
    pub channel: u32,
    /// The name of the channel; `None` if the server shows none.
    pub name: Option<String>,
    /// The players in the channel.
    pub members: Vec<ListedPlayer>,
}

impl Listing for ChannelList {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some(channel) = ChannelMembers::parse(line) {
            self.channels.push(channel);
            return Some(ControlFlow::Continue(()));
        }
        let channel = match_table(line, COUNTS).and_then(|((), captures)| captures.number)?;
        if self.channels.iter().all(|row| row.channel != channel) {
            self.channels.push(ChannelMembers { channel, name: None, members: Vec::new() });
        }
        Some(ControlFlow::Break(()))
    }
}

impl ChannelMembers {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let _lead = at.eat(b"Channel ");
        let channel = at.number()?;
        let name = at.expect(b" \"").and_then(|at| at.take_until_and_skip(b"\""));
        at.expect(b":")?;
        let name = name.map(|name| decode_received(name).into_owned());
        Some(Self { channel, name, members: parse_items(at, read_member)? })
    }
}

/// Reads a member. Braces enclose one who does not hear channels now: `{Foo(TM)}`.
fn read_member(at: &mut Cursor<'_>) -> Option<ListedPlayer> {
    at.between(b"{", b"}", ListedPlayer::read).or_else(|| ListedPlayer::read(at))
}

/// The lines that report the number of players in one channel, whose number comes last.
const COUNTS: &[(&str, ())] = &[
    ("There are # players in channel #.", ()),
    ("There is # player in channel #.", ()),
    ("There are # people in channel #.", ()),
    ("There is # person in channel #.", ()),
    ("# players are in channel #.", ()),
    ("# player is in channel #.", ()),
    ("# people are in channel #.", ()),
    ("# person is in channel #.", ()),
    ("Channel # is empty.", ()),
];

#[cfg(test)]
mod tests;
