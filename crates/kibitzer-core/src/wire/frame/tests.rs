use super::*;

#[test]
fn the_table_is_sorted_and_complete() {
    assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
    let known = (0..1000).filter(|&code| CommandCode(code).name().is_some()).count();
    // 0 and 1, 10 to 187 without 129, 190, and nine errors.
    assert_eq!(known, 2 + 177 + 1 + 9);
}

// Rules: datagrams BM8
#[test]
fn codes_have_the_names_of_the_list_or_stay_numbers() {
    let cases = [
        (0, Some("null")),
        (1, Some("game_move")),
        (10, Some("abort")),
        (11, Some("accept")),
        (73, Some("match")),
        (80, Some("observe")),
        (128, Some("style")),
        (129, None),
        (130, Some("switch")),
        (155, Some("seek")),
        (187, Some("gstat")),
        (190, Some("ping")),
        (300, None),
        (512, Some("unknown command")),
        (520, Some("line too long")),
        (u32::MAX, None),
    ];
    for (code, want) in cases {
        assert_eq!(CommandCode(code).name(), want, "{code}");
        assert_eq!(CommandCode(code).to_string(), code.to_string());
    }
}

// Rules: datagrams BM5
#[test]
fn codes_from_512_on_are_errors() {
    let cases = [(0, false), (73, false), (300, false), (511, false), (512, true), (520, true), (u32::MAX, true)];
    for (code, want) in cases {
        assert_eq!(CommandCode(code).is_error(), want, "{code}");
    }
}
