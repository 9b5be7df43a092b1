use super::*;
use crate::console::tests::model;
use crate::filter::Expression;

fn completed(line: &str) -> Option<(usize, Vec<String>)> {
    let model = model(
        b"Newton tells you: hi\n\rNeumann(50): hi\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- \
            PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 107 Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\rfics% ",
    );
    let mut filters = NamedFilters::default();
    filters.try_set("talk", Expression::parse("kind:tell").unwrap());
    CompletionCandidates::for_line(line, &model, &filters).map(|completion| (completion.from, completion.words))
}

#[test]
fn words_are_completed_by_where_they_stand() {
    let cases: &[(&str, usize, &[&str])] = &[
        ("/fi", 0, &["/filter", "/find"]),
        ("obs", 0, &["observe"]),
        ("tell ne", 5, &["Neumann", "Newton"]),
        ("tell 5", 5, &["50"]),
        ("/times p", 7, &["previous"]),
        ("/export re", 8, &["recording"]),
        ("/game 1", 6, &["107"]),
        ("/pieces f", 8, &["filled"]),
        ("/bell o", 6, &["off", "on"]),
        ("/filter t", 8, &["talk", "text:"]),
        ("/filter kind:te", 13, &["tell", "telnet", "text"]),
        ("/filter kind:tell,sho", 18, &["shout"]),
        ("/filter -from:e", 14, &["Euwe"]),
        ("/filter kind:tell ga", 18, &["game:"]),
    ];
    for &(line, from, words) in cases {
        assert_eq!(completed(line), Some((from, words.iter().map(ToString::to_string).collect())), "{line}");
    }
    for line in ["/x", "tell ", "tell zz", "/filter nokey:x", "caf\u{e9} \u{4e16}", "/mark \u{e9}"] {
        assert_eq!(completed(line), None, "{line}");
    }
}

#[test]
fn the_common_prefix_of_candidates_is_inserted() {
    let words =
        |words: &[&str]| CompletionCandidates { from: 0, words: words.iter().map(ToString::to_string).collect() };
    assert_eq!(words(&["Neumann", "Newton"]).common_prefix(), "Ne");
    assert_eq!(words(&["observe"]).common_prefix(), "observe ");
    assert_eq!(words(&["kind:"]).common_prefix(), "kind:");
}
