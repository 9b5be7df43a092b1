//! The reply to `who`.

use std::ops::ControlFlow;

use super::{ListedPlayer, Listing, RowCount};
use crate::by_name::named_enum;
use crate::message::Rating;
use crate::scan::Cursor;
use crate::text::Line;

/// The players who are logged in.
///
/// A line has several entries: `1995^Alice   1445^Boris   ++++ Reader`, with blanks around the state on FatICS: `   0
/// ^Euwe                  0   GuestKFWP(U)`. The list ends with ` 3 players displayed (of 3). (*) indicates system
/// administrator.`
///
/// Lists without ratings, and the framed table that uhlin-fics prints for some arguments, are stored in
/// [`unread`](Self::unread).
///
/// Source: FICS help file `who`; transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhoList {
    /// The entries in the order received, each line from left to right.
    pub players: Vec<WhoEntry>,
    /// The numbers of the last line.
    pub count: Option<RowCount>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

/// One entry of [`WhoList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhoEntry {
    /// The player, with the blitz rating or that of the requested kind.
    pub player: ListedPlayer,
    /// The player's activity, from the sign before the name.
    pub status: WhoStatus,
}

named_enum! {
    /// A player's activity.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum WhoStatus("Returns the name in JSON.") {
        /// A blank: none of the other states.
        Free = "free",
        /// `^`
        Playing = "playing",
        /// `~`
        Simul = "simul",
        /// `:`, accepts no challenges.
        NotOpen = "not_open",
        /// `#`
        Examining = "examining",
        /// `.`, idle for five minutes or more, or marked as busy.
        Idle = "idle",
        /// `&`
        Tournament = "tournament",
    }
}

impl Listing for WhoList {
    const HAS_LAST_LINE: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        self.count = RowCount::parse(line, b"player");
        if self.count.is_some() {
            return Some(ControlFlow::Break(()));
        }
        let players = parse_row(line)?;
        self.players.extend(players);
        Some(ControlFlow::Continue(()))
    }

    fn unread_mut(&mut self) -> &mut Vec<Line> {
        &mut self.unread
    }
}

/// Parses a line of one or more entries; `None` if any of it does not fit.
fn parse_row(line: &[u8]) -> Option<Vec<WhoEntry>> {
    let mut at = Cursor::new(line);
    let mut players = Vec::new();
    while at.expect_blank_rest().is_none() {
        players.push(WhoEntry::read(&mut at)?);
        matches!(at.peek(), None | Some(b' ')).then_some(())?;
    }
    Some(players)
}

impl WhoEntry {
    /// Reads a rating, the sign of a status, and a name with titles: `1995^Alice`.
    fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let rating = Rating::read(at)?;
        let padding = at.rest();
        let status = WhoStatus::read_sign(at.skip_whitespace());
        // Without a sign, a blank separates the name from the rating.
        (status != WhoStatus::Free || padding.starts_with(b" ")).then_some(())?;
        let player = ListedPlayer { rating: Some(rating), ..ListedPlayer::read(at)? };
        Some(Self { player, status })
    }
}

impl WhoStatus {
    pub(in crate::message) const SIGNS: [(u8, Self); 6] = [
        (b'^', Self::Playing),
        (b'~', Self::Simul),
        (b':', Self::NotOpen),
        (b'#', Self::Examining),
        (b'.', Self::Idle),
        (b'&', Self::Tournament),
    ];

    /// Reads the sign of a status; [`Free`](Self::Free), without consuming anything, if there is none.
    pub(in crate::message) fn read_sign(at: &mut Cursor<'_>) -> Self {
        Self::SIGNS.iter().find(|(sign, _)| at.eat(&[*sign])).map_or(Self::Free, |&(_, status)| status)
    }
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{parse, parse_interleaved};
    use super::WhoStatus::{Examining, Free, Idle, NotOpen, Playing, Simul, Tournament};
    use super::*;
    use crate::message::Confidence;

    fn entries(list: &WhoList) -> Vec<(&str, WhoStatus, Option<u16>)> {
        list.players.iter().map(|e| (e.player.name.as_str(), e.status, e.player.rating.unwrap().value())).collect()
    }

    #[test]
    fn columns_of_uhlin_fics() {
        let reply = "1995^Alice   1445^Boris   ++++ Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
        let list = parse::<WhoList>(reply).unwrap();
        let want = [("Alice", Playing, Some(1995)), ("Boris", Playing, Some(1445)), ("Reader", Free, None)];
        assert_eq!(entries(&list), want);
        assert_eq!(list.count.map(|count| (count.shown, count.total)), Some((3, Some(3))));
        assert_eq!(parse_interleaved::<WhoList>(reply), Ok(list));
    }

    #[test]
    fn columns_of_fatics() {
        let reply = "   0  ^Euwe                  0   GuestKFWP(U)       1787  ^Capablanca\n   \
                        0  ^Flohr              1500  ^Bogoljubov         2100  ^Alekhine\n\n9 players displayed.\n";
        let list = parse::<WhoList>(reply).unwrap();
        let want = [
            ("Euwe", Playing, Some(0)),
            ("GuestKFWP", Free, Some(0)),
            ("Capablanca", Playing, Some(1787)),
            ("Flohr", Playing, Some(0)),
            ("Bogoljubov", Playing, Some(1500)),
            ("Alekhine", Playing, Some(2100)),
        ];
        assert_eq!(entries(&list), want);
        assert_eq!(list.players[1].player.titles.iter().collect::<Vec<_>>(), ["U"]);
        assert!(list.unread.is_empty());
    }

    #[test]
    fn every_state_and_titles() {
        let reply =
            "1530 Foo(TM)(*)  ----:Bar  ++++.guest 1710~Simi(GM) 958#Exa(C) 1500E&Tou\n 1 Players Displayed (of 6).";
        let list = parse::<WhoList>(reply).unwrap();
        let states: Vec<_> = list.players.iter().map(|e| e.status).collect();
        assert_eq!(states, [Free, NotOpen, Idle, Simul, Examining, Tournament]);
        assert_eq!(list.players[0].player.titles.iter().collect::<Vec<_>>(), ["TM", "*"]);
        assert_eq!(list.players[5].player.rating, Some(Rating::Rated(1500, Confidence::Estimated)));
    }

    #[test]
    fn other_tables_are_stored_as_lines() {
        let names = "     Alice        Boris        Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
        let list = parse::<WhoList>(names).unwrap();
        assert_eq!((list.players.len(), list.unread.len()), (0, 1));
        for line in ["1530Foo", "1530 Foo x", "1530 ?Foo", "1530 Foo[1]", "1530", "hello there"] {
            assert_eq!(parse_row(line.as_bytes()), None, "{line}");
        }
    }
}
