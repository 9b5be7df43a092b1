//! Replies for tests, as servers sent them.

use kibitzer_core::event::RequestError;
use kibitzer_core::session::Reply;
use kibitzer_core::{EventKind, EventReader};

use super::Request;

/// The report of a login as Alice, whose games are the own ones.
const LOGIN: &str = "**** Starting FICS session as Alice ****\n\r";

/// Parses lines as a reply to Alice, without prompts.
pub(super) fn reply(sent: &str) -> Reply {
    reply_after("", sent)
}

/// Parses lines as a reply in a session that received other lines before.
fn reply_after(before: &str, sent: &str) -> Reply {
    let lines = |text: &str| format!("fics% \n{text}\n").replace('\n', "\n\r");
    let (before, stream) = (LOGIN.to_owned() + &lines(before), lines(sent));
    let (mut reader, mut input) = (EventReader::default(), stream.as_bytes());
    let mut earlier = before.as_bytes();
    while reader.next(&mut earlier).is_some() {}
    let mut events: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    events.extend(std::iter::from_fn(|| reader.finish()));
    let mut reply = Reply::default();
    reply.events = events.into_iter().filter(|event| event.kind() != EventKind::Prompt).collect();
    reply
}

/// Returns the answer in a reply to a command; the session detects refusals first.
pub(super) fn answer<R: Request>(command: &R, sent: &str) -> Result<R::Answer, RequestError> {
    command.parse_reply(reply(sent).into_result()?)
}

/// Returns what [`answer`] does, in a session that received the lines `before` earlier.
pub(super) fn answer_after<R: Request>(before: &str, command: &R, sent: &str) -> Result<R::Answer, RequestError> {
    command.parse_reply(reply_after(before, sent).into_result()?)
}

/// Asserts that a command has this line.
pub(super) fn assert_line<R: Request>(command: &R, want: &str) {
    assert_eq!(command.command().unwrap().as_str(), want);
}
