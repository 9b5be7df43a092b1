//! Errors with their causes, in one line.

use std::error::Error;

/// Returns an error and its causes in one line: `login failed: wrong password`. A cause that the text before it ends with is
/// left out. Of a cause of several lines, as parsers of TOML draw them, the first and the last are shown.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = one_line(&cause.to_string());
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// The first line and the last of a text that may draw a picture between them, as TOML's errors do.
fn one_line(text: &str) -> String {
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
            one_line("error at line 4\n  |\n4 | x = 1\n  | ^\nunknown field `x`\n"),
            "error at line 4: unknown field `x`"
        );
        assert_eq!(one_line("plain"), "plain");
        assert_eq!(one_line(""), "");
    }
}
