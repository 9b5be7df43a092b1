//! The reply to `who`.

use std::ops::ControlFlow;

use super::parts::{parse_items, parse_row_count};
use super::{ListedPlayer, Listing};
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
    /// The players in the order received, each line from left to right. The rating is the blitz rating or that of the requested
    /// kind; the activity is from the sign before the name.
    pub players: Vec<(ListedPlayer, WhoStatus)>,
    /// Number of players shown, from the last line; `None` without it.
    pub shown: Option<u32>,
    /// Number of all players, from the last line; `None` if it does not have it.
    pub total: Option<u32>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

named_enum! {
    /// A player's activity.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum WhoStatus("Returns the name in JSON.") {
        /// A blank: none of the other states.
        Free = "free",
        /// `^`: plays a game.
        Playing = "playing",
        /// `~`: gives a simultaneous exhibition.
        Simul = "simul",
        /// `:`: accepts no challenges.
        NotOpen = "not_open",
        /// `#`: examines a game.
        Examining = "examining",
        /// `.`: idle for five minutes or more, or marked as busy.
        Idle = "idle",
        /// `&`: takes part in a tournament.
        Tournament = "tournament",
    }
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

/// Reads a rating, the sign of a status, and a name with titles: `1995^Alice`.
fn read_entry(at: &mut Cursor<'_>) -> Option<(ListedPlayer, WhoStatus)> {
    let rating = Rating::read(at)?;
    let padding = at.rest();
    let status = WhoStatus::read_sign(at.skip_whitespace());
    // Without a sign, a blank separates the name from the rating.
    (status != WhoStatus::Free || padding.starts_with(b" ")).then_some(())?;
    Some((ListedPlayer { rating: Some(rating), ..ListedPlayer::read(at)? }, status))
}

impl WhoStatus {
    /// The sign before the name for each status except [`Free`](Self::Free).
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
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
    use super::WhoStatus::{Examining, Free, Idle, NotOpen, Playing, Simul, Tournament};
    use super::*;

    fn entries(list: &WhoList) -> Vec<(&str, WhoStatus, Option<u16>)> {
        list.players
            .iter()
            .map(|(player, status)| (player.name.as_str(), *status, player.rating.unwrap().value()))
            .collect()
    }

    #[test]
    fn columns_of_uhlin_fics() {
        let reply = "1995^Alice   1445^Boris   ++++ Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
        let list = parse::<WhoList>(reply).unwrap();
        let want = [("Alice", Playing, Some(1995)), ("Boris", Playing, Some(1445)), ("Reader", Free, None)];
        assert_eq!(entries(&list), want);
        assert_eq!((list.shown, list.total), (Some(3), Some(3)));
        assert_eq!(parse_with_async_lines_inserted::<WhoList>(reply), Ok(list));
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
        assert_eq!(list.players[1].0.titles.iter().collect::<Vec<_>>(), ["U"]);
        assert!(list.unread.is_empty());
    }

    #[test]
    fn every_state_and_titles() {
        let reply =
            "1530 Foo(TM)(*)  ----:Bar  ++++.guest 1710~Simi(GM) 958#Exa(C) 1500E&Tou\n 1 Players Displayed (of 6).";
        let list = parse::<WhoList>(reply).unwrap();
        let states: Vec<_> = list.players.iter().map(|(_, status)| *status).collect();
        assert_eq!(states, [Free, NotOpen, Idle, Simul, Examining, Tournament]);
        assert_eq!(list.players[0].0.titles.iter().collect::<Vec<_>>(), ["TM", "*"]);
        assert_eq!(list.players[5].0.rating, Some(Rating::Estimated(1500)));
    }

    #[test]
    fn other_tables_are_stored_as_lines() {
        let none = parse::<WhoList>("No logged in players match the flags in your who request.").unwrap();
        assert!(none.players.is_empty() && none.unread.is_empty());
        let names = "     Alice        Boris        Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
        let list = parse::<WhoList>(names).unwrap();
        assert_eq!((list.players.len(), list.unread.len()), (0, 1));
        for line in ["1530Foo", "1530 Foo x", "1530 ?Foo", "1530 Foo[1]", "1530", "hello there"] {
            assert_eq!(WhoList::default().add_line(line.as_bytes()), None, "{line}");
        }
    }
}
