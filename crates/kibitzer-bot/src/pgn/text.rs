//! Text of servers and players in the forms that PGN readers accept.

/// Maximum number of characters of a tag's value or a comment; the rest is dropped.
const MAX_CHARS: usize = 400;

/// Formats milliseconds as `H:MM:SS.mmm`; a negative time, of a player who is out of time, is 0.
pub(super) fn format_clock(ms: i64) -> String {
    let ms = ms.max(0);
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{hours}:{minutes:02}:{seconds:02}.{:03}", ms % 1000)
}

/// Returns the value of a tag with quotation marks and backslashes escaped; `?` if it is empty.
pub(super) fn escape_tag_value(text: &str) -> String {
    let text = one_line_truncated(text);
    if text.is_empty() { "?".to_owned() } else { text.replace('\\', "\\\\").replace('"', "\\\"") }
}

/// Returns text that cannot end a comment, begin one inside it, or look like a command such as `[%clk 0:01:00]`.
pub(super) fn sanitize_comment(text: &str) -> String {
    one_line_truncated(text).replace('{', "(").replace('}', ")").replace("[%", "[ %")
}

/// Returns the start of the text on one line: control characters become blanks, runs of blanks one blank.
fn one_line_truncated(text: &str) -> String {
    let is_blank = |c: char| c.is_control() || c.is_whitespace();
    let words: Vec<_> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
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
}
