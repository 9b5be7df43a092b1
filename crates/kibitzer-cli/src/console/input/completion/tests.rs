use super::*;
use crate::console::tests::model;

/// Returns the position of the word and its candidates.
fn words(completion: Option<CompletionCandidates>) -> Option<(usize, Vec<String>)> {
    completion.map(|completion| (completion.from, completion.words))
}

fn seen() -> SeenNames {
    model(
        b"Newton tells you: hi\n\rNeumann(50): hi\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- \
            PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 107 Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\rfics% ",
    )
    .names
}

#[test]
fn words_are_completed_by_where_they_stand() {
    let seen = seen();
    let in_line = |line| words(CompletionCandidates::for_server_line(line, &seen, &[]));
    let in_expression = |line| {
        let games = ["107".to_owned()].into_iter();
        words(CompletionCandidates::for_expression(line, &seen, games, ["talk"].into_iter()))
    };
    let found = |from, words: &[&str]| Some((from, words.iter().map(ToString::to_string).collect()));
    assert_eq!(in_line("obs"), found(0, &["observe"]));
    assert_eq!(in_line("tell ne"), found(5, &["Neumann", "Newton"]));
    assert_eq!(in_line("tell 5"), found(5, &["50"]));
    assert_eq!(in_expression("/filter t"), found(8, &["talk", "text:"]));
    assert_eq!(in_expression("/filter game:1"), found(13, &["107"]));
    assert_eq!(in_expression("/filter kind:te"), found(13, &["tell", "telnet", "text"]));
    assert_eq!(in_expression("/filter kind:tell,sho"), found(18, &["shout"]));
    assert_eq!(in_expression("/filter -from:e"), found(14, &["Euwe"]));
    assert_eq!(in_expression("/filter kind:tell ga"), found(18, &["game:"]));
    for line in ["tell ", "tell zz", "caf\u{e9} \u{4e16}", "tell \u{e9}"] {
        assert_eq!(in_line(line), None, "{line}");
    }
    assert_eq!(in_expression("/filter nokey:x"), None);
}

#[test]
fn the_common_prefix_of_candidates_is_inserted() {
    let words =
        |words: &[&str]| CompletionCandidates { from: 0, words: words.iter().map(ToString::to_string).collect() };
    assert_eq!(words(&["Neumann", "Newton"]).common_prefix(), "Ne");
    assert_eq!(words(&["observe"]).common_prefix(), "observe ");
    assert_eq!(words(&["kind:"]).common_prefix(), "kind:");
}
