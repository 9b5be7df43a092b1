use super::*;

#[test]
fn the_words_of_a_proposal_may_have_any_order() {
    let want = MatchParameters {
        minutes: Some(5),
        increment_s: Some(0),
        is_rated: Some(false),
        color: Some(Color::White),
        ..MatchParameters::default()
    };
    assert_eq!(MatchParameters::parse("5 0 u white"), Some(want));
    assert_eq!(MatchParameters::parse("white Unrated 5 0"), Some(want));
    let seek = MatchParameters::parse("3 0 crazyhouse black m f 1000-2000").unwrap();
    assert_eq!((seek.variant, seek.is_manual, seek.is_checked), (Variant::Crazyhouse, true, true));
    assert_eq!(seek.rating_range, Some((1000, 2000)));
    assert!(MatchParameters::parse("untimed").unwrap().is_untimed);
    for bad in ["1 2 3", "banana", "5000", "-1", "5 0 u white x"] {
        assert_eq!(MatchParameters::parse(bad), None, "{bad}");
    }
}
