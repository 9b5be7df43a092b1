use super::*;

#[test]
fn hostile_text_stays_inside_its_tag_or_comment() {
    let cases = [
        ("a \"b\" \\", "a \\\"b\\\" \\\\"),
        ("a\"]\n[Result \"1-0", "a\\\"] [Result \\\"1-0"),
        ("", "?"),
        ("\u{1}\t \r", "?"),
        ("J\u{e9}r\u{f4}me", "J\u{e9}r\u{f4}me"),
    ];
    for (text, want) in cases {
        assert_eq!(escape_tag_value(text), want);
    }
    assert_eq!(
        sanitize_comment("nice} 1-0 {[%clk 9:00:00]\n\n[Event \"x\"]"),
        "nice) 1-0 ([ %clk 9:00:00] [Event \"x\"]"
    );
    assert_eq!(sanitize_comment(&"x".repeat(5000)).len(), MAX_CHARS);
}

#[test]
fn clocks_have_hours_and_milliseconds() {
    let cases = [
        (180_000, "0:03:00.000"),
        (3_723_004, "1:02:03.004"),
        (-5, "0:00:00.000"),
        (i64::MAX, "2562047788015:12:55.807"),
    ];
    for (ms, want) in cases {
        assert_eq!(format_clock(ms), want);
    }
}
