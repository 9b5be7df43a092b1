use super::*;
use crate::chess::Color;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

#[test]
fn rows_of_every_kind() {
    // Line; index, name, rating, kind, color, range, flags.
    let cases = [
        (
            "  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf",
            "loon",
            Some(1500),
            "standard",
            Some(Color::White),
            9999,
            (true, true),
        ),
        (
            "  5 1558 Alekhine            3   0 rated   blitz crazyhouse [black]     0-9999 m",
            "Alekhine",
            Some(1558),
            "blitz crazyhouse",
            Some(Color::Black),
            9999,
            (true, false),
        ),
        (
            "  6 ++++ GuestSSXE(U)        2  12 unrated blitz                  0-9999",
            "GuestSSXE",
            None,
            "blitz",
            None,
            9999,
            (false, false),
        ),
        (
            " 47      guest12             3   0 unrated wild/fr               0-1800 f",
            "guest12",
            None,
            "wild/fr",
            None,
            1800,
            (false, true),
        ),
        (
            " 48 ---- Foo(C)              3   0 rated   blitz      [white]    0- 999 mf",
            "Foo",
            None,
            "blitz",
            Some(Color::White),
            999,
            (true, true),
        ),
    ];
    for (line, name, rating, kind, color, max, flags) in cases {
        let row = parse_row(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!((row.name.as_str(), row.rating.and_then(Rating::value)), (name, rating), "{line}");
        assert_eq!(row.kind.as_ref().map(ServerText::as_str), Some(kind), "{line}");
        assert_eq!((row.color, row.rating_min, row.rating_max), (color, Some(0), Some(max)), "{line}");
        assert_eq!((row.automatic, row.formula), (Some(!flags.0), Some(flags.1)), "{line}");
        assert_eq!((row.rated, row.new), (Some(line.contains(" rated")), false), "{line}");
    }
}

// Rules: bugs 70
#[test]
fn the_last_line_is_optional() {
    let rows = "  3 1882 Alekhine            5   0 rated   blitz                  0-9999\n  \
                      4 ---- Alekhine           15  10 unrated standard   [white]     0-9999";
    let icc = parse::<SoughtList>(rows).unwrap();
    assert_eq!((icc.seeks.len(), icc.shown), (2, None));
    assert_eq!((icc.seeks[1].initial_min, icc.seeks[1].increment_s), (Some(15), Some(10)));
    let whole = format!("{rows}\n2 ads displayed.");
    let fatics = parse::<SoughtList>(&whole).unwrap();
    assert_eq!((fatics.seeks.len(), fatics.shown), (2, Some(2)));
    assert_eq!(parse_with_async_lines_inserted::<SoughtList>(&whole), Ok(fatics));
    assert_eq!(parse::<SoughtList>("0 ads displayed.").map(|list| list.seeks.len()), Ok(0));
}

#[test]
fn a_row_with_extra_text_is_stored_as_a_line() {
    let list = parse::<SoughtList>("  3 1882 Foo   5   0 rated   blitz   0-9999 mfx\n0 ads displayed.").unwrap();
    assert_eq!((list.seeks.len(), list.unread.len()), (0, 1));
}
