//! `<g1>`: the terms of a game, sent when it starts or is first observed.

use super::{GameId, Handle, Rating, fields};
use crate::scan::Cursor;
use crate::text::ServerText;

/// A game information line: `<g1> 482 p=0 t=blitz r=1 u=0,0 it=180,0 i=180,0 pt=0 rt=2009,2013 ts=1,1 m=2 n=0`.
///
/// Fields that the line does not have are `None`. It is sent before the game's first board; the clocks are in the
/// board.
///
/// The help file's sample suggests that `it` has the initial times of both sides and `i` the increments. Today's
/// servers send one player's time and increment in each.
///
/// Source: FICS help file `gameinfo`; captured sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameInfo {
    /// The number of the game.
    pub game: GameId,
    /// `p`: whether the game is private, so that others cannot observe it.
    pub private: Option<bool>,
    /// `t`: type of the game as received: `blitz`, `wild/5` …
    pub kind: Option<ServerText>,
    /// `r`: whether the game is rated.
    pub rated: Option<bool>,
    /// `u`: whether White has an account. The line has the opposite flag, 1 for a guest.
    pub white_registered: Option<bool>,
    /// `u`: whether Black has an account, see [`white_registered`](Self::white_registered).
    pub black_registered: Option<bool>,
    /// `it`: White's time at the start, in seconds.
    pub white_time_s: Option<u32>,
    /// `it`: White's increment, in seconds.
    pub white_increment_s: Option<u32>,
    /// `i`: Black's time at the start, in seconds.
    pub black_time_s: Option<u32>,
    /// `i`: Black's increment, in seconds.
    pub black_increment_s: Option<u32>,
    /// `pt`: the game on the other board of a bughouse match; `None` if there is none, which the line reports as 0.
    pub partner_game: Option<GameId>,
    /// `rt`: White's rating; guests have 0.
    pub white_rating: Option<Rating>,
    /// `rt`: Black's rating; guests have 0.
    pub black_rating: Option<Rating>,
    /// `ts`: whether White uses timeseal.
    pub white_timeseal: Option<bool>,
    /// `ts`: whether Black uses timeseal.
    pub black_timeseal: Option<bool>,
    /// `m`: the minimum time charged for a move, in the server's unit.
    pub min_move_time: Option<u32>,
    /// `n`: whether the game is a noescape game.
    pub no_escape: Option<bool>,
    /// Other fields of ICC's game-start list; `None` on FICS.
    pub(crate) start: Option<Box<IccGameStart>>,
}

impl GameInfo {
    /// Parses a line with its tag: the number of the game, then `key=value` words in any order, separated by blanks.
    ///
    /// Unknown keys and empty values are ignored. `None` if the number is missing, or if the value of a known key is invalid.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<g1>")?;
        let mut info = Self { game: GameId(fields::read_field_number(&mut at)?), ..Self::default() };
        while let Some((key, value)) = fields::next_pair(&mut at) {
            info.set_field_unless_invalid(key, value)?;
        }
        Some(info)
    }

    /// Returns whether the rules of the variant, or the effects of its moves, differ from those of chess. Only ICC reports it;
    /// `false` otherwise.
    pub fn has_irregular_rules(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.has_irregular_legality || start.has_irregular_semantics)
    }

    /// Stores the value of a known key, and ignores unknown keys; `None` if the value is invalid.
    fn set_field_unless_invalid(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        match key {
            b"p" => self.private = Some(fields::parse_whole(value, read_bit)?),
            b"t" => self.kind = Some(ServerText::from_wire(value)),
            b"r" => self.rated = Some(fields::parse_whole(value, read_bit)?),
            b"u" => {
                // The server sends 1 for a guest.
                let read_registered = |at: &mut Cursor<'_>| read_bit(at).map(|guest| !guest);
                (self.white_registered, self.black_registered) = fields::parse_pair(value, b",", read_registered)?;
            }
            b"it" => (self.white_time_s, self.white_increment_s) = fields::parse_pair(value, b",", Cursor::number)?,
            b"i" => (self.black_time_s, self.black_increment_s) = fields::parse_pair(value, b",", Cursor::number)?,
            b"pt" => {
                let game = fields::parse_whole(value, Cursor::number)?;
                self.partner_game = (game != 0).then_some(GameId(game));
            }
            b"rt" => (self.white_rating, self.black_rating) = fields::parse_pair(value, b",", Rating::read)?,
            b"ts" => (self.white_timeseal, self.black_timeseal) = fields::parse_pair(value, b",", read_bit)?,
            b"m" => self.min_move_time = Some(fields::parse_whole(value, Cursor::number)?),
            b"n" => self.no_escape = Some(fields::parse_whole(value, read_bit)?),
            _ => {}
        }
        Some(())
    }
}

/// Reads `0` as `false` and `1` as `true`; `None` for anything else.
fn read_bit(at: &mut Cursor<'_>) -> Option<bool> {
    at.number::<u8>().and_then(|bit| (bit <= 1).then_some(bit == 1))
}

/// The fields of ICC's game-start datagrams that the state of a game depends on, besides the terms in the [`GameInfo`] that
/// contains this. [`Received::datagram`](super::Received::datagram) returns the others.
///
/// Source: the game-start list of ICC's level-2 format (datagrams 12, 15, 18, 40, 100). Flags that older
/// servers do not send are false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IccGameStart {
    /// Reason why the datagram was sent.
    pub(crate) kind: IccGameStartReason,
    /// The player of the white pieces. In an examined game names are free text.
    pub(crate) white: Handle,
    /// The player of the black pieces.
    pub(crate) black: Handle,
    /// Number of the variant; 0 is standard chess.
    pub(crate) wild: u16,
    /// Whether the game is played rather than examined.
    pub(crate) is_played: bool,
    /// Whether the rules of the variant differ from those of chess.
    pub(crate) has_irregular_legality: bool,
    /// Whether moves have effects beyond their squares, so that only boards show the position.
    pub(crate) has_irregular_semantics: bool,
}

/// Reason why ICC sent a game-start datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IccGameStartReason {
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
    use proptest::prelude::*;

    use super::*;
    use crate::message::fields::testing::{any_rating, print_rating};

    fn print(info: &GameInfo) -> String {
        fn pair<T: ToString>(white: Option<T>, black: Option<T>) -> Option<String> {
            white.zip(black).map(|(white, black)| format!("{},{}", white.to_string(), black.to_string()))
        }
        let bit = |value: Option<bool>| value.map(u8::from);
        let guest = |registered: Option<bool>| registered.map(|yes| u8::from(!yes));
        let pairs = [
            ("p", bit(info.private).map(|n| n.to_string())),
            ("t", info.kind.as_ref().map(ToString::to_string)),
            ("r", bit(info.rated).map(|n| n.to_string())),
            ("u", pair(guest(info.white_registered), guest(info.black_registered))),
            ("it", pair(info.white_time_s, info.white_increment_s)),
            ("i", pair(info.black_time_s, info.black_increment_s)),
            ("pt", Some(info.partner_game.map_or("0".to_owned(), |game| game.to_string()))),
            ("rt", pair(info.white_rating.map(print_rating), info.black_rating.map(print_rating))),
            ("ts", pair(bit(info.white_timeseal), bit(info.black_timeseal))),
            ("m", info.min_move_time.map(|n| n.to_string())),
            ("n", bit(info.no_escape).map(|n| n.to_string())),
        ];
        let mut line = format!("<g1> {}", info.game);
        for (key, value) in pairs {
            line.extend(value.map(|value| format!(" {key}={value}")));
        }
        line
    }

    const fn rated(value: u16) -> Rating {
        Rating::Established(value)
    }

    /// What the captured line of a rated 3 0 game between members says.
    fn captured() -> GameInfo {
        GameInfo {
            game: GameId(482),
            private: Some(false),
            kind: Some(ServerText::from_wire(b"blitz")),
            rated: Some(true),
            white_registered: Some(true),
            black_registered: Some(true),
            white_time_s: Some(180),
            white_increment_s: Some(0),
            black_time_s: Some(180),
            black_increment_s: Some(0),
            partner_game: None,
            white_rating: Some(rated(2009)),
            black_rating: Some(rated(2013)),
            white_timeseal: Some(true),
            black_timeseal: Some(true),
            min_move_time: Some(2),
            no_escape: Some(false),
            start: None,
        }
    }

    // Rules: datagrams G2, bugs 67, bugs 68
    #[test]
    fn lines_of_every_age() {
        let help = GameInfo {
            game: GameId(1),
            white_registered: Some(false),
            black_registered: Some(false),
            white_time_s: Some(5),
            white_increment_s: Some(5),
            black_time_s: Some(8),
            black_increment_s: Some(8),
            white_rating: Some(Rating::Estimated(1586)),
            black_rating: Some(rated(2100)),
            black_timeseal: Some(false),
            min_move_time: None,
            no_escape: None,
            ..captured()
        };
        let swapped = GameInfo { white_rating: help.black_rating, black_rating: help.white_rating, ..help.clone() };
        let guest = GameInfo {
            game: GameId(1),
            rated: Some(false),
            black_registered: Some(false),
            white_time_s: Some(120),
            white_increment_s: Some(2),
            black_time_s: Some(120),
            black_increment_s: Some(2),
            white_rating: Some(rated(1940)),
            black_rating: Some(rated(0)),
            white_timeseal: Some(false),
            black_timeseal: Some(false),
            ..captured()
        };
        let bughouse = GameInfo {
            kind: Some(ServerText::from_wire(b"bughouse")),
            partner_game: Some(GameId(53)),
            white_rating: Some(Rating::Provisional(1500)),
            game: GameId(52),
            ..GameInfo::default()
        };
        let bughouse = GameInfo { black_rating: Some(rated(958)), ..bughouse };
        let cases: &[(&str, &str, GameInfo)] = &[
            (
                "captured",
                "<g1> 482 p=0 t=blitz r=1 u=0,0 it=180,0 i=180,0 pt=0 rt=2009,2013 ts=1,1 m=2 n=0",
                captured(),
            ),
            (
                "help, two blanks behind a rating",
                "<g1> 1 p=0 t=blitz r=1 u=1,1 it=5,5 i=8,8 pt=0 rt=1586E,2100  ts=1,0",
                help,
            ),
            (
                "blank mark in front of the comma",
                "<g1> 1 p=0 t=blitz r=1 u=1,1 it=5,5 i=8,8 pt=0 rt=2100 ,1586E ts=1,0",
                swapped,
            ),
            ("captured, guest", "<g1> 1 p=0 t=blitz r=0 u=0,1 it=120,2 i=120,2 pt=0 rt=1940,0 ts=0,0 m=2 n=0", guest),
            ("other order, unknown keys", "<g1>52  zz=1 rt=1500P,958 pt=53  t=bughouse word", bughouse),
            ("nothing known", "<g1> 7", GameInfo { game: GameId(7), ..GameInfo::default() }),
        ];
        for (name, sent, want) in cases {
            assert_eq!(GameInfo::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
        }
    }

    #[test]
    fn a_line_with_a_missing_or_wrong_value_is_refused() {
        let cases = [
            "<g2> 1 p=0",
            "<g1>",
            "<g1> p=0",
            "<g1> 1 p=2",
            "<g1> 1 u=0",
            "<g1> 1 it=180,0,0",
            "<g1> 1 i=a,b",
            "<g1> 1 pt=-",
            "<g1> 1 rt=1500X,1500",
            "<g1> 1 ts=,",
        ];
        for sent in cases {
            assert_eq!(GameInfo::parse(sent.as_bytes()), None, "{sent}");
        }
    }

    prop_compose! {
        fn any_info()(
            game in 0..i32::MAX,
            kind in proptest::option::of("[a-z/0-9]{1,30}"),
            (private, rated, no_escape, min_move_time) in any::<(Option<bool>, Option<bool>, Option<bool>, Option<u32>)>(),
            registered in any::<Option<(bool, bool)>>(),
            (white, black) in any::<(Option<(u32, u32)>, Option<(u32, u32)>)>(),
            partner in proptest::option::of(1..i32::MAX),
            ratings in proptest::option::of((any_rating(), any_rating())),
            timeseal in any::<Option<(bool, bool)>>(),
        ) -> GameInfo {
            GameInfo {
                game: GameId(game),
                kind: kind.map(|kind| ServerText::from_wire(kind.as_bytes())),
                white_registered: registered.map(|r| r.0),
                black_registered: registered.map(|r| r.1),
                white_time_s: white.map(|w| w.0),
                white_increment_s: white.map(|w| w.1),
                black_time_s: black.map(|b| b.0),
                black_increment_s: black.map(|b| b.1),
                partner_game: partner.map(GameId),
                white_rating: ratings.map(|r| r.0),
                black_rating: ratings.map(|r| r.1),
                white_timeseal: timeseal.map(|t| t.0),
                black_timeseal: timeseal.map(|t| t.1),
                private, rated, no_escape, min_move_time,
                start: None,
            }
        }
    }

    proptest! {
        #[test]
        fn a_printed_line_parses_to_the_same_value(value in any_info()) {
            prop_assert_eq!(GameInfo::parse(print(&value).as_bytes()), Some(value));
        }

        #[test]
        fn any_bytes_are_accepted_or_refused_without_panic(line in "<g1> ?[0-9]{0,11}( [a-z]{0,2}=?[0-9EP, ]{0,9}){0,9}", bytes in any::<Vec<u8>>()) {
            let _ = (GameInfo::parse(line.as_bytes()), GameInfo::parse(&bytes));
        }
    }

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
