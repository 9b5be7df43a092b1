use super::*;

#[test]
fn the_day_of_the_best_rating_has_no_brackets_on_fatics() {
    let columns = parse_table_head(b"speed & variant         rating  RD    Volat.    total  best").unwrap();
    let line = b"blitz                    1558   290  0.001959       1 1600 2026-11-21";
    let row = FingerRating::parse_row(line, &columns).unwrap();
    assert_eq!((row.best, row.best_on.as_deref()), (Some(Rating::Established(1600)), Some("2026-11-21")));
}

#[test]
fn a_row_of_fics() {
    let columns = parse_table_head(b"          rating     RD      win    loss    draw   total   best").unwrap();
    let row = FingerRating::parse_row(
        b"Blitz      1321     54.4     220     402      27     649   1417 (15-Mar-2003)",
        &columns,
    );
    let row = row.unwrap();
    assert_eq!((row.wins, row.losses, row.draws, row.total), (Some(220), Some(402), Some(27), Some(649)));
    assert_eq!((row.best, row.best_on.as_deref()), (Some(Rating::Established(1417)), Some("15-Mar-2003")));
}
