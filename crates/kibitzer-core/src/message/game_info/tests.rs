use proptest::prelude::*;

use super::*;
use crate::message::fields::testing::any_rating;

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

/// What the captured line of a rated 3 0 game between members says.
fn captured() -> GameInfo {
    GameInfo {
        game: GameId(482),
        white: None,
        black: None,
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
        ("captured", "<g1> 482 p=0 t=blitz r=1 u=0,0 it=180,0 i=180,0 pt=0 rt=2009,2013 ts=1,1 m=2 n=0", captured()),
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
    for (name, sent, info) in cases.iter().filter(|(name, ..)| name.starts_with("captured")) {
        assert_eq!(info.to_string(), *sent, "{name}");
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
            white: None,
            black: None,
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
        prop_assert_eq!(GameInfo::parse(value.to_string().as_bytes()), Some(value));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "<g1> ?[0-9]{0,11}( [a-z]{0,2}=?[0-9EP, ]{0,9}){0,9}", bytes in any::<Vec<u8>>()) {
        let _ = (GameInfo::parse(line.as_bytes()), GameInfo::parse(&bytes));
    }
}
