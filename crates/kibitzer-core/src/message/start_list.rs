//! What ICC's list at the start of a game has besides its terms.

use super::{Handle, Titles};
use crate::scan::Cursor;
use crate::text::{PlayerText, ServerText};

/// What ICC tells of a game that starts besides its terms, which are the fields of [`GameInfo`](super::GameInfo).
///
/// Source: the game-start list of ICC's level-2 format (datagrams 12, 15, 18, 40, 100). What older servers do not send is
/// false, none or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "they are so many on the wire")]
pub struct StartList {
    /// What the game is to this login.
    pub kind: StartKind,
    /// The player of the white pieces. In an examined game names are free text.
    pub white: Handle,
    /// The player of the black pieces.
    pub black: Handle,
    /// White's titles.
    pub white_titles: Titles,
    /// Black's titles.
    pub black_titles: Titles,
    /// Number of the variant; 0 is chess.
    pub wild: u16,
    /// Whether it is played rather than examined.
    pub is_played: bool,
    /// What an examined game is an example of.
    pub example: PlayerText,
    /// Number of the game in the server's log.
    pub id: Option<u64>,
    /// The rules of the variant are not those of chess.
    pub has_irregular_legality: bool,
    /// Moves do more than they say: the board changes only with a board.
    pub has_irregular_semantics: bool,
    /// Captured pieces can be dropped.
    pub has_drops: bool,
    /// Pawns can become kings.
    pub promotes_to_king: bool,
    /// A time control that minutes and increment cannot express, as PGN writes it; it takes their place.
    pub time_control: Option<ServerText>,
}

/// What the game of a [`StartList`] is to this login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StartKind {
    /// One of all games of the server.
    Foreign,
    /// This login plays or examines it.
    Mine,
    /// This login observes it from now on.
    Observed,
    /// It is no game, but a board to be shown.
    Isolated,
    /// It goes on with other names or terms.
    Changed,
}

/// Time at the start and increment, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) initial_s: u32,
    pub(super) increment_s: u32,
}

impl Clock {
    /// Reads the first period of a time control as PGN writes it: `40/7200:20/3600`, `40/5400+30:900+30`, `300`.
    ///
    /// `None` if it is not known (`?`), or there is none (`-`).
    pub(super) fn of_time_control(text: &[u8]) -> Option<Self> {
        let period = text.split(|&b| b == b':').next()?;
        let times = period.splitn(2, |&b| b == b'/').last()?;
        let mut at = Cursor::new(times);
        let initial_s = at.number()?;
        let increment_s = if at.eat(b"+") { at.number()? } else { 0 };
        at.is_empty().then_some(Self { initial_s, increment_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rules: icc S2
    #[test]
    fn time_controls_as_pgn_writes_them() {
        let cases: &[(&str, Option<(u32, u32)>)] = &[
            ("40/7200:20/3600", Some((7200, 0))),
            ("40/5400+30:900+30", Some((5400, 30))),
            ("300", Some((300, 0))),
            ("300+5", Some((300, 5))),
            ("?", None),
            ("-", None),
            ("", None),
            ("40/x", None),
            ("300 5", None),
        ];
        for &(text, want) in cases {
            let found = Clock::of_time_control(text.as_bytes());
            assert_eq!(found.map(|clock| (clock.initial_s, clock.increment_s)), want, "{text}");
        }
    }
}
