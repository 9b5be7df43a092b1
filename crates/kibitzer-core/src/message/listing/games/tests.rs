mod sought;

use super::super::ListingError;
use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
use super::*;

fn row(line: &str) -> GameRow {
    GameRow::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"))
}

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

// Rules: bugs 69
#[test]
fn rows_of_played_games() {
    // The line, White, Black, clocks in seconds, pieces, move number.
    let cases = [
        (
            "  29 1622 Vman        1609 PopKid     [ sr 10  10]   1:14 -  5:10 (21-22) B: 18",
            "Vman",
            "PopKid",
            (74, 310),
            (21, 22),
            18,
        ),
        (
            "  4 ---- Gruenfeld   ---- HorowitzTh [ bu  2   2]  0:00 -  0:00 (39-39) B:  1",
            "Gruenfeld",
            "HorowitzTh",
            (0, 0),
            (39, 39),
            1,
        ),
        (
            "  7 1203 Foo         1540 Bar        [ bu  5   0]   0:31 -  1:02 ( 3-19) W: 44",
            "Foo",
            "Bar",
            (31, 62),
            (3, 19),
            44,
        ),
        (
            "  9 1203 Foo         1540 Bar        [ ?u  0   0]  0:00 -  0:00 (39- 9) W:104",
            "Foo",
            "Bar",
            (0, 0),
            (39, 9),
            104,
        ),
        (
            " 1 ++++ Abcdefghijk ++++ Zyxwvutsrq [ su100  60] 1:40:00 -1:40:00 (39-39) W:  1",
            "Abcdefghijk",
            "Zyxwvutsrq",
            (6000, 6000),
            (39, 39),
            1,
        ),
        (
            " 2 1882 Carla       1910 Dmitri     [ br  5   3]   5:41 -  5:43 (35-21) W: 16",
            "Carla",
            "Dmitri",
            (341, 343),
            (35, 21),
            16,
        ),
    ];
    for (line, white, black, clocks, material, number) in cases {
        let row = row(line);
        assert_eq!((row.white.name.as_str(), row.black.name.as_str()), (white, black), "{line}");
        let seconds = |clock: Option<ClockReading>| clock.unwrap().as_ms() / 1000;
        assert_eq!((seconds(row.white_clock), seconds(row.black_clock)), clocks, "{line}");
        assert_eq!((row.white_material.unwrap(), row.black_material.unwrap()), material, "{line}");
        assert_eq!((row.move_number, row.state), (number, GameRowState::Played), "{line}");
    }
}

// Rules: bugs 69
#[test]
fn a_private_game_and_negative_clocks() {
    let row = row(" 12 1500 Foo         ++++ Bar        [psr  5   3]  -0:07 - -1:02 (1-0) W:116");
    assert_eq!((row.terms.mark, row.terms.kind, row.terms.rated), (Some('p'), Some('s'), true));
    assert_eq!(
        (row.white_clock, row.black_clock),
        (Some(ClockReading::from_ms(-7000)), Some(ClockReading::from_ms(-62_000)))
    );
    assert_eq!((row.white.rating, row.black.rating), (Some(rated(1500)), Some(Rating::Guest)));
    assert_eq!((row.to_move, row.move_number), (Color::White, 116));
}

// Rules: bugs 69
#[test]
fn rows_of_examined_games() {
    let cases = [
        ("  25 (Exam.    0 Friar          0 Friar     ) [ uu  0   0] W:  1", GameRowState::Examined, "Friar"),
        (" 1 (Exam.    0 Alice          0 Alice     ) [ uu  0   0] W:  1", GameRowState::Examined, "Alice"),
        (" 7 (Setup    0 Abcdefghij     0 Abcdefghij) [ uu  0   0] W:  1", GameRowState::Setup, "Abcdefghij"),
    ];
    for (line, state, name) in cases {
        let row = row(line);
        assert_eq!((row.state, row.white.name.as_str(), row.black.name.as_str()), (state, name, name));
        assert_eq!((row.white.rating, row.white_clock, row.white_material), (Some(rated(0)), None, None));
    }
}

#[test]
fn a_name_that_may_be_cut_is_no_handle() {
    let cases = [("Alice", true), ("Abcdefghi", true), ("Abcdefghij", false), ("PopeLinusTh", false), ("Abc_1", false)];
    for (name, is_full) in cases {
        let row = row(&format!(" 29 1622 {name:<11} 1609 PopKid     [ sr 10  10]   1:14 -  5:10 (21-22) B: 18"));
        assert_eq!(row.white.name.full().map(Handle::as_str), is_full.then_some(name), "{name}");
    }
    let icc = row(" 791 1506 PlotinusRedux             guest3090             bu  2  12       W: 21");
    assert_eq!(icc.white.name.full().map(Handle::as_str), Some("PlotinusRedux"));
}

// Rules: bugs 69
#[test]
fn rows_of_icc() {
    let row1 = row(" 791 1506 PlotinusRedux             guest3090             bu  2  12       W: 21");
    assert_eq!((row1.game, row1.white.rating, row1.black.rating), (GameId(791), Some(rated(1506)), None));
    assert_eq!((row1.black.name.as_str(), row1.terms.kind, row1.move_number), ("guest3090", Some('b'), 21));
    let row2 = row(" 17      guest1               2200 bu                    sr 15  10       B:  3");
    assert_eq!((row2.white.rating, row2.black.name.as_str(), row2.black.rating), (None, "bu", Some(rated(2200))));
    // A title, and a wild game by its number.
    let row3 = row("1267      guest25              1400 Robot(C)             20u  5  12       W:  1");
    assert_eq!((row3.black.name.as_str(), row3.black.titles.to_string()), ("Robot", "(C)".to_owned()));
    assert_eq!((row3.terms.kind, row3.terms.rated, row3.terms.increment_s), (Some('w'), false, 12));
    assert_eq!(row(" 8 Foo Bar 5r  5   0 B:  2").terms.kind, Some('w'));
}

// Rules: bugs 69
#[test]
fn rows_of_icc_for_examined_games() {
    // The line, White, Black's rating, example, move number.
    let cases = [
        (
            "  47 2357 *IM_Foo              2683 *GM_Bar              Ex: scratch      W: 35",
            "*IM_Foo",
            Some(2683),
            "scratch",
            35,
        ),
        (
            " 101      Relay                     Relay                Ex: scratch      W:  1",
            "Relay",
            None,
            "scratch",
            1,
        ),
        (
            " 117 2760 *GM_Foo              2823 *GM_Bar              Ex: City16: %0 B: 29",
            "*GM_Foo",
            Some(2823),
            "City16: %0",
            29,
        ),
        (" 118 2760 Foo                  2823 Bar                  Ex:  W: 29", "Foo", Some(2823), "", 29),
    ];
    for (line, white, black_rating, example, number) in cases {
        let row = row(line);
        assert_eq!((row.state, row.white.name.as_str()), (GameRowState::Examined, white), "{line}");
        assert_eq!((row.black.rating, row.example.as_str()), (black_rating.map(rated), example), "{line}");
        assert_eq!((row.terms, row.move_number), (ListedTerms::EXAMINED, number), "{line}");
    }
    assert!(GameRow::parse(b" 31 Foo Bar Ex: scratch").is_none());
}

#[test]
fn a_listing_of_fatics_has_empty_lines() {
    let reply = "  1 2100 Alekhine    1500 Bogoljubov [ bu  3   0]  0:00 -  0:00 (39-39) B:  1\n\n  \
                       3 ---- Euwe        ---- Flohr      [ zu  3   0]  0:00 -  0:00 (24-24) B:  1\n\n  \
                       4 games displayed (of   4 in progress).";
    let listing = parse::<GameList>(reply).unwrap();
    assert_eq!((listing.games.len(), listing.unread.len()), (2, 0));
    assert_eq!((listing.shown, listing.total), (Some(4), Some(4)));
    assert_eq!(parse_with_async_lines_inserted::<GameList>(reply), Ok(listing));
}

#[test]
fn no_games_and_no_end() {
    assert_eq!(parse::<GameList>("There are no games in progress."), Ok(GameList::default()));
    let none = parse::<GameList>("No matching games were found (of 3 in progress).").unwrap();
    assert_eq!((none.games.len(), none.shown, none.total), (0, None, Some(3)));
    assert!(parse::<GameList>("  0 games displayed.").is_ok());
    let cut = " 1 ---- Alice       ---- Boris      [ su 15   5]  14:59 - 15:00 (39-39) W:  1";
    assert_eq!(parse::<GameList>(cut), Err(ListingError::Incomplete));
    let odd = parse::<GameList>(&format!("{cut} x\n  1 game displayed.")).unwrap();
    assert_eq!((odd.games.len(), odd.unread.len()), (0, 1));
}
