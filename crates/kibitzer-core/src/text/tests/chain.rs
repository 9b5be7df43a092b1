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
