//! The replies to `who` and `inchannel`: players who are logged in.

use std::ops::ControlFlow;

use crate::message::listing::collect::{parse_items, parse_row_count};
use crate::message::listing::{ListedPlayer, Listing};
use crate::message::presence::WhoStatus;
use crate::message::template::match_table;
use crate::message::{RATINGS, Rating, UserArrived};
use crate::scan::Cursor;
use crate::text::{Line, decode_received};

/// The players who are logged in.
///
/// A line has several entries: `1995^Alice   1445^Boris   ++++ Reader`, with blanks around the state on FatICS: `   0
/// ^Euwe                  0   GuestKFWP(U)`. The list ends with ` 3 players displayed (of 3). (*) indicates system
/// administrator.`
///
/// A row of `who I` is one player: `gbtami 001411E1663P`, as in a `<wa>` line.
///
/// Lists without ratings, and the framed table that uhlin-fics prints for some arguments, are stored in
/// [`unread`](Self::unread).
///
/// Source: FICS help file `who`; transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhoList {
    /// The players in the order received, each line from left to right.
    pub players: Vec<WhoRow>,
    /// Number of players shown, from the last line; `None` without it.
    pub shown: Option<u32>,
    /// Number of all players, from the last line; `None` if it does not have it.
    pub total: Option<u32>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One player of [`WhoList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhoRow {
    /// The player, with the blitz rating or that of the requested kind.
    pub player: ListedPlayer,
    /// The activity, from the sign before the name.
    pub status: WhoStatus,
    /// In a row of `who I`, the ratings in the order of the command's letters: for `who IbslwBzSLx`, that of
    /// [`UserArrived::ratings`]. `None` for each that the row does not have.
    pub ratings: [Option<Rating>; RATINGS],
}

impl Listing for WhoList {
    const HAS_LAST_LINE: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((shown, total)) = parse_row_count(line, b"player") {
            (self.shown, self.total) = (Some(shown), total);
            return Some(ControlFlow::Break(()));
        }
        if line.starts_with(b"No logged in players match the flags") {
            return Some(ControlFlow::Break(()));
        }
        self.players.extend(parse_items(Cursor::new(line), read_entry)?);
        Some(ControlFlow::Continue(()))
    }
}

/// Reads a rating, the sign of a status, and a name with titles: `1995^Alice`. An entry of `who I` starts with the name.
pub(super) fn read_entry(at: &mut Cursor<'_>) -> Option<WhoRow> {
    if let Some(UserArrived { name, status, titles, ratings }) = at.attempt(UserArrived::read) {
        let rating = ratings.iter().flatten().next().copied();
        return Some(WhoRow { player: ListedPlayer { name, titles, rating }, status, ratings });
    }
    let rating = Rating::read(at)?;
    let padding = at.rest();
    let status = WhoStatus::read_sign(at.skip_whitespace());
    // Without a sign, a blank separates the name from the rating.
    (status != WhoStatus::Free || padding.starts_with(b" ")).then_some(())?;
    let player = ListedPlayer { rating: Some(rating), ..ListedPlayer::read(at)? };
    Some(WhoRow { player, status, ratings: [None; RATINGS] })
}

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
