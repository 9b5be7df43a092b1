//! The reply to `inchannel`.

use std::ops::ControlFlow;

use super::parts::parse_items;
use super::{ListedPlayer, Listing};
use crate::message::template::match_table;
use crate::scan::Cursor;
use crate::text::{Line, decode_latin_1};

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
        let name = name.map(|name| decode_latin_1(name).into_owned());
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
mod tests {
    use super::super::ListingError;
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
    use super::*;

    fn members(list: &ChannelList) -> Vec<(u32, Vec<&str>)> {
        list.channels.iter().map(|c| (c.channel, c.members.iter().map(|m| m.name.as_str()).collect())).collect()
    }

    #[test]
    fn one_channel_of_every_server() {
        let cases: [(&str, u32, &[&str]); 6] = [
            ("Channel 1 \"help\": {A} {B(TM)} C\n3 players are in channel 1.", 1, &["A", "B", "C"]),
            ("Channel 1 \"help\": A B C\n3 players are in channel 1.", 1, &["A", "B", "C"]),
            ("Channel 1: Alice Boris\n2 people are in channel 1.", 1, &["Alice", "Boris"]),
            (
                "53: Bogoljubov GuestMLBX(U) Alekhine\nThere are 3 players in channel 53.",
                53,
                &["Bogoljubov", "GuestMLBX", "Alekhine"],
            ),
            ("There are 0 players in channel 1.", 1, &[]),
            ("Channel 1 is empty.", 1, &[]),
        ];
        for (reply, channel, names) in cases {
            let list = parse::<ChannelList>(reply).unwrap();
            assert_eq!(members(&list), [(channel, names.to_vec())], "{reply}");
            assert_eq!(parse_with_async_lines_inserted::<ChannelList>(reply), Ok(list));
        }
        let fics = parse::<ChannelList>("Channel 1 \"help\": A").unwrap();
        assert_eq!(fics.channels[0].name.as_deref(), Some("help"));
    }

    #[test]
    fn all_channels_of_fatics() {
        let list = parse::<ChannelList>("4: GuestDJVO(U)\n53: Bogoljubov GuestDJVO(U) Alekhine").unwrap();
        assert_eq!(members(&list), [(4, vec!["GuestDJVO"]), (53, vec!["Bogoljubov", "GuestDJVO", "Alekhine"])]);
    }

    #[test]
    fn other_lines_are_not_channels() {
        for line in [
            "53: hi!",
            "53: {A",
            "53: {A B}",
            "Channel 1 is empty, alas.",
            "Channel x: A",
            "3 players are in channel 1",
            "3 dogs are in channel 1.",
            "-1: A",
        ] {
            assert_eq!(parse::<ChannelList>(line), Err(ListingError::NotThisReply), "{line}");
        }
    }
}
