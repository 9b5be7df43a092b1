//! Errors with their causes, in one line.

use std::error::Error;

/// An error and all that lies behind it. What only repeats its cause is left out.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
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
    use kibitzer::core::event::{CloseCause, EndReason, LoginError, LostCause};

    use super::*;

    #[test]
    fn causes_stand_behind_what_they_cause() {
        assert_eq!(chain(&EndReason::Login(LoginError::InvalidPassword)), "login failed: wrong password");
        let lost = EndReason::Lost { cause: LostCause::Connection(CloseCause::Silent), attempts: 2 };
        assert_eq!(chain(&lost), "connection lost, 2 attempts to reconnect: server is silent");
        assert_eq!(chain(&EndReason::Quit), "quit");
    }

    #[test]
    fn a_picture_is_left_out() {
        assert_eq!(
            one_line("error at line 4\n  |\n4 | x = 1\n  | ^\nunknown field `x`\n"),
            "error at line 4: unknown field `x`"
        );
        assert_eq!(one_line("plain"), "plain");
        assert_eq!(one_line(""), "");
    }
}
