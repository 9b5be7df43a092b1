//! Formatting of an error with its causes on one line.

use std::error::Error;

/// Formats an error and its causes on one line, provided that the error's own text is one line: `login failed: wrong password`.
///
/// A cause is omitted if the text before it already ends with the cause's text. A cause with several lines, such as a TOML error
/// with an excerpt, is reduced to its first and last line.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = first_and_last_line(&cause.to_string());
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Joins the first and the last nonblank line of a text with a colon, both trimmed. Returns a single nonblank line alone, and an
/// empty string if there is none.
fn first_and_last_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next_back()) {
        (Some(first), Some(last)) => format!("{first}: {last}"),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use thiserror::Error;

    use super::*;

    #[derive(Debug, Error)]
    #[error("login failed")]
    struct Outer(#[source] Middle);

    #[derive(Debug, Error)]
    #[error("connection lost: {0}")]
    struct Middle(#[source] Inner);

    #[derive(Debug, Error)]
    #[error("server is silent")]
    struct Inner;

    #[test]
    fn causes_follow_what_they_cause_once() {
        assert_eq!(error_chain(&Outer(Middle(Inner))), "login failed: connection lost: server is silent");
        assert_eq!(error_chain(&Inner), "server is silent");
    }

    #[test]
    fn a_drawing_is_left_out() {
        assert_eq!(
            first_and_last_line("error at line 4\n  |\n4 | x = 1\n  | ^\nunknown field `x`\n"),
            "error at line 4: unknown field `x`"
        );
        assert_eq!(first_and_last_line("plain"), "plain");
        assert_eq!(first_and_last_line(""), "");
    }
}
