//! Replies as servers sent them.

use std::fmt::Debug;

use kibitzer_core::event::RequestError;
use kibitzer_core::session::Reply;
use kibitzer_core::{EventKind, EventReader};

use super::Request;

/// The reply that these lines are; the marks of the stream are none of it.
pub(super) fn reply(sent: &str) -> Reply {
    reply_after("", sent)
}

/// The same in a session in which these other lines came before.
fn reply_after(before: &str, sent: &str) -> Reply {
    let lines = |text: &str| format!("fics% \n{text}\n").replace('\n', "\n\r");
    let (before, stream) = (lines(before), lines(sent));
    let (mut reader, mut input) = (EventReader::default(), stream.as_bytes());
    let mut earlier = before.as_bytes();
    while reader.next(&mut earlier).is_some() {}
    let mut events: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    events.extend(std::iter::from_fn(|| reader.finish()));
    let mut reply = Reply::default();
    reply.events = events.into_iter().filter(|event| event.kind() != EventKind::Prompt).collect();
    reply
}

/// What comes of a command to which this is the reply: refusals are the session's to find.
pub(super) fn answer<R: Request>(command: &R, sent: &str) -> Result<R::Answer, RequestError> {
    command.answer(reply(sent).judge()?)
}

/// What comes of it in a session in which these other lines came before.
pub(super) fn answer_after<R: Request>(before: &str, command: &R, sent: &str) -> Result<R::Answer, RequestError> {
    command.answer(reply_after(before, sent).judge()?)
}

/// Holds the line of a command against the one that is wanted.
pub(super) fn assert_line<R: Request + Debug>(command: &R, want: &str) {
    assert_eq!(command.command().unwrap().as_str(), want, "{command:?}");
}
