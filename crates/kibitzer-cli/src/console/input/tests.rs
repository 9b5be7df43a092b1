use super::*;

/// The line with a `|` where the cursor is.
fn drawn(editor: &LineEditor) -> String {
    let (before, after) = editor.split_at_cursor();
    format!("{before}|{after}")
}

fn editor(text: &str) -> LineEditor {
    let (before, after) = text.split_once('|').unwrap();
    let mut editor = LineEditor::default();
    editor.set_text(&format!("{before}{after}"));
    (0..after.chars().count()).for_each(|_| editor.move_cursor(Motion::CharLeft));
    editor
}

#[test]
fn the_cursor_goes_by_characters_and_words() {
    let cases = [
        ("tell foo| bar", Motion::Start, "|tell foo bar"),
        ("tell foo| bar", Motion::End, "tell foo bar|"),
        ("caf\u{e9}|", Motion::CharLeft, "caf|\u{e9}"),
        ("|\u{4e16}x", Motion::CharRight, "\u{4e16}|x"),
        ("|", Motion::CharLeft, "|"),
        ("|", Motion::CharRight, "|"),
        ("tell foo-bar |", Motion::WordLeft, "tell foo-|bar "),
        ("te|ll", Motion::WordLeft, "|tell"),
        ("tell| \"foo\" x", Motion::WordRight, "tell \"foo|\" x"),
        ("x | ", Motion::WordRight, "x  |"),
    ];
    for (text, motion, want) in cases {
        let mut editor = editor(text);
        editor.move_cursor(motion);
        assert_eq!(drawn(&editor), want, "{text} {motion:?}");
    }
}

#[test]
fn cut_text_can_be_yanked() {
    let cases = [
        ("tell foo| bar", Motion::Start, "| bar", " bartell foo|"),
        ("tell| foo", Motion::End, "tell|", "tell foo|"),
        ("tell foo|", Motion::WordLeft, "tell |", "tell foo|"),
        ("|tell foo", Motion::WordRight, "| foo", " footell|"),
        ("\u{e9}|", Motion::CharLeft, "|", "|"),
        ("|\u{e9}x", Motion::CharRight, "|x", "x|"),
    ];
    for (text, motion, want, back) in cases {
        let mut editor = editor(text);
        editor.cut(motion);
        assert_eq!(drawn(&editor), want, "{text} {motion:?}");
        editor.move_cursor(Motion::End);
        editor.yank();
        assert_eq!(drawn(&editor), back, "{text} {motion:?}");
    }
}

#[test]
fn input_stays_one_line_of_bounded_length() {
    let mut editor = LineEditor::default();
    editor.insert("tell foo hi\r\nresign\n\u{1b}[A\u{7}");
    assert_eq!(editor.text(), "tell foo hiresign[A");
    editor.take_text();
    editor.insert(&"\u{4e16}".repeat(10_000));
    assert!(editor.text().len() <= MAX_BYTES);
    assert_eq!(editor.take_text().len() % 3, 0);
    assert_eq!(drawn(&editor), "|");
}

#[test]
fn pasted_lines_stay_lines_and_a_paste_that_does_not_fit_changes_nothing() {
    let mut editor = editor("tell foo |!");
    assert!(editor.try_paste("hi\tthere\r\nwho\rgames\u{1b}\n\n"));
    assert_eq!(drawn(&editor), "tell foo hi there\nwho\ngames|!");
    assert!(!editor.try_paste(&"x".repeat(MAX_BYTES)));
    assert_eq!(editor.take_text(), "tell foo hi there\nwho\ngames!");
}

#[test]
fn a_completion_replaces_the_typed_word() {
    let mut editor = editor("tell ne| x");
    editor.replace_before_cursor(5, "Newton");
    assert_eq!(drawn(&editor), "tell Newton| x");
    editor.replace_before_cursor(99, "no");
    assert_eq!(drawn(&editor), "tell Newton| x");
}
