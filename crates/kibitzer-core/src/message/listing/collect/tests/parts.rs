use super::*;

const fn terms(mark: Option<char>, kind: char, rated: bool, initial_min: u32, increment_s: u32) -> ListedTerms {
    ListedTerms { mark, kind: Some(kind), rated, initial_min, increment_s }
}

#[test]
fn terms_in_every_width() {
    let cases = [
        ("[ br  3   0]", Some(terms(None, 'b', true, 3, 0))),
        ("[psr 10  12]", Some(terms(Some('p'), 's', true, 10, 12))),
        ("[ su100  60]", Some(terms(None, 's', false, 100, 60))),
        ("[bzr  3   0]", Some(terms(Some('b'), 'z', true, 3, 0))),
        ("[b9u  5   5]", Some(terms(Some('b'), '9', false, 5, 5))),
        ("[ ?u  0   0]", Some(terms(None, '?', false, 0, 0))),
        ("[  u 10   5]", Some(ListedTerms { kind: None, ..terms(None, ' ', false, 10, 5) })),
        ("[ sx  3   0]", None),
        ("[   10   5]", None),
        ("[ br  3]", None),
        ("[", None),
    ];
    for (sent, want) in cases {
        assert_eq!(ListedTerms::read(&mut Cursor::new(sent.as_bytes())), want, "{sent}");
    }
}

#[test]
fn last_lines_of_every_server() {
    let cases = [
        ("  1 game displayed.", "game", Some((1, None))),
        ("  4 games displayed (of   4 in progress).", "game", Some((4, Some(4)))),
        ("456 games displayed (282 played, 174 examined).", "game", Some((456, None))),
        (" 3 players displayed (of 3). (*) indicates system administrator.", "player", Some((3, Some(3)))),
        ("  123 Players Displayed (of 123).", "player", Some((123, Some(123)))),
        ("0 ads displayed.", "ad", Some((0, None))),
        ("0 ads displayed.", "game", None),
        ("ads displayed.", "ad", None),
    ];
    for (sent, things, want) in cases {
        assert_eq!(parse_row_count(sent.as_bytes(), things.as_bytes()), want, "{sent}");
    }
}
