use super::*;

#[test]
fn ratings_with_padding_marks_and_placeholders() {
    let cases: &[(&str, Option<Rating>)] = &[
        ("( 958)", Some(Rating::Established(958))),
        ("(1500P)", Some(Rating::Provisional(1500))),
        ("(2158E)", Some(Rating::Estimated(2158))),
        ("(----)", Some(Rating::Unrated)),
        ("(UNR)", Some(Rating::Unrated)),
        ("(++++)", Some(Rating::Guest)),
        ("(GM)", None),
        ("()", None),
        ("(99999)", None),
    ];
    for &(sent, want) in cases {
        assert_eq!(Rating::read_bracketed(&mut Cursor::new(sent.as_bytes())), want, "{sent}");
    }
}

#[test]
fn printed_ratings_are_read_again() {
    let rated = [Rating::Established(958), Rating::Estimated(958), Rating::Provisional(958)];
    for (rating, want) in rated.into_iter().zip(["958", "958E", "958P"]).chain([
        (Rating::Established(0), "0"),
        (Rating::Guest, "++++"),
        (Rating::Unrated, "----"),
    ]) {
        assert_eq!(rating.to_string(), want);
        assert_eq!(Rating::read(&mut Cursor::new(want.as_bytes())), Some(rating), "{want}");
    }
}
