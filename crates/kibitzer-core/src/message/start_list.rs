//! The fields of ICC's game-start datagrams that FICS does not send.

use super::{Handle, Titles};
use crate::scan::Cursor;
use crate::text::{PlayerText, ServerText};

/// The fields of ICC's game-start datagrams other than the terms, which are in the [`GameInfo`](super::GameInfo) that contains this.
///
/// Source: the game-start list of ICC's level-2 format (datagrams 12, 15, 18, 40, 100). Fields that older servers do
/// not send are false, `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "they are so many on the wire")]
pub struct IccGameStart {
    /// Reason why the datagram was sent.
    pub kind: IccGameStartReason,
    /// The player of the white pieces. In an examined game names are free text.
    pub white: Handle,
    /// The player of the black pieces.
    pub black: Handle,
    /// White's titles.
    pub white_titles: Titles,
    /// Black's titles.
    pub black_titles: Titles,
    /// Number of the variant; 0 is standard chess.
    pub wild: u16,
    /// Whether the game is played rather than examined.
    pub is_played: bool,
    /// The subject of an examined game.
    pub example: PlayerText,
    /// Number of the game in the server's log.
    pub id: Option<u64>,
    /// Whether the rules of the variant differ from those of chess.
    pub has_irregular_legality: bool,
    /// Whether moves have effects beyond their squares, so that only boards show the position.
    pub has_irregular_semantics: bool,
    /// Whether captured pieces can be dropped.
    pub has_drops: bool,
    /// Whether pawns can promote to kings.
    pub promotes_to_king: bool,
    /// A time control in PGN's notation that minutes and increment cannot express; it replaces them.
    pub time_control: Option<ServerText>,
}

/// Reason why ICC sent a game-start datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IccGameStartReason {
    /// Another player's game on the server started.
    Foreign,
    /// A game started that this login plays or examines.
    Mine,
    /// This login started to observe the game.
    Observed,
    /// A position without a game is shown.
    Isolated,
    /// The names or terms of a game changed.
    Changed,
}

/// The clock setting of one side: initial time and increment, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeControl {
    pub(super) initial_s: u32,
    pub(super) increment_s: u32,
}

impl TimeControl {
    /// Parses the first period of a time control in PGN's notation, `40/7200:20/3600`, `40/5400+30:900+30`, `300`; later periods
    /// and numbers of moves are ignored.
    ///
    /// `None` for an unknown (`?`) or missing (`-`) time control, and for any other form.
    pub(super) fn parse_first_pgn_period(text: &[u8]) -> Option<Self> {
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
            let found = TimeControl::parse_first_pgn_period(text.as_bytes());
            assert_eq!(found.map(|clock| (clock.initial_s, clock.increment_s)), want, "{text}");
        }
    }
}
