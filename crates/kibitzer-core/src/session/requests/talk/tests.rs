use super::*;
use proptest::prelude::*;

#[test]
fn pieces_end_at_blanks_where_there_are_some() {
    let cases: &[(&str, &str, usize, &[&str])] = &[
        ("nothing", "   ", 5, &[]),
        ("fits", "hello", 5, &["hello"]),
        ("two words fit", "a b", 3, &["a b"]),
        ("second word does not", "ab cd", 4, &["ab", "cd"]),
        ("a run of blanks", " a  b   c ", 8, &["a  b   c"]),
        ("a run of blanks that does not fit", "ab   cd", 6, &["ab", "cd"]),
        ("long word", "abcdefg hi", 3, &["abc", "def", "g", "hi"]),
        ("long word behind a short one", "x abcdef", 4, &["x", "abcd", "ef"]),
        ("entities are whole", "ééé", 12, &["éé", "é"]),
        ("written entities too", "a&#xe9;&#xe9;", 8, &["a&#xe9;", "&#xe9;"]),
        ("half an entity is text", "&#xzz;abc", 4, &["&#xz", "z;ab", "c"]),
        ("longer than a piece", "é", 3, &["é"]),
    ];
    for &(name, text, max, want) in cases {
        assert_eq!(split_text(text, max), want, "{name}");
    }
}

proptest! {
    #[test]
    fn nothing_but_blanks_between_pieces_is_lost(text in "[a-z&#;x0-9é♞ ]{0,80}", max in 9_usize..40) {
        let pieces = split_text(&text, max);
        let mut rest = text.as_str();
        for piece in &pieces {
            prop_assert!(text::encode_ascii(piece).len() <= max, "{}", piece);
            rest = rest.trim_start_matches(' ').strip_prefix(piece.as_str()).unwrap();
        }
        prop_assert_eq!(rest.trim_start_matches(' '), "");
    }
}
