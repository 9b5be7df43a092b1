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
mod tests;
