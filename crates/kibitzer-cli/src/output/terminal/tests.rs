use unicode_width::UnicodeWidthChar as _;

use super::*;

#[test]
fn control_characters_are_spelled_out() {
    let cases = [
        ("plain \"'\\ \t text", "plain \"'\\ \t text"),
        ("caf\u{e9} \u{265a} \u{4e16}", "caf\u{e9} \u{265a} \u{4e16}"),
        ("\u{1b}[2J\u{7}\r\n", r"\u{1b}[2J\u{7}\r\n"),
        ("\u{9b}31m\u{7f}", r"\u{9b}31m\u{7f}"),
        ("\u{202e}live", r"\u{202e}live"),
        ("e\u{301}\u{1160}", r"e\u{301}\u{1160}"),
        ("\u{5d0}\u{627}", r"\u{5d0}\u{627}"),
        ("\u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fb}", "\\u{1f1e9}\\u{1f1ea} \u{1f44d}\\u{1f3fb}"),
    ];
    for (text, want) in cases {
        assert_eq!(TerminalSafe(text).to_string(), want);
    }
}

#[test]
fn every_character_that_gets_through_has_a_width_of_its_own() {
    for character in '\0'..=char::MAX {
        let text = character.to_string();
        let shown = TerminalSafe(&text).in_cells();
        assert!(!shown.is_empty() && shown.chars().all(|shown| matches!(shown.width(), Some(1 | 2))), "{shown:?}");
    }
}

#[test]
fn a_line_of_cells_has_no_tabs() {
    assert_eq!(TerminalSafe("a\tb").in_cells(), r"a\tb");
    assert_eq!(TerminalSafe("a b").in_cells(), "a b");
}
