//! Replies as servers sent them.

use std::fmt::Debug;
use std::sync::Arc;

use kibitzer_core::session::{Reply, RequestError};
use kibitzer_core::{EventKind, EventReader};

use super::Request;

/// The reply that these lines are; the marks of the stream are none of it.
pub(super) fn reply(sent: &str) -> Reply {
    let stream = format!("fics% \n{sent}\n").replace('\n', "\n\r");
    let (mut reader, mut input) = (EventReader::default(), stream.as_bytes());
    let mut events: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    events.extend(std::iter::from_fn(|| reader.finish()));
    let mut reply = Reply::default();
    reply.events = events.into_iter().filter(|event| event.kind() != EventKind::Prompt).map(Arc::new).collect();
    reply
}

/// What comes of a command to which this is the reply: refusals are the session's to find.
pub(super) fn answer<R: Request>(command: &R, sent: &str) -> Result<R::Answer, RequestError> {
    command.answer(reply(sent).judge()?)
}

/// Holds the line of a command against the one that is wanted.
pub(super) fn assert_line<R: Request + Debug>(command: &R, want: &str) {
    assert_eq!(command.command().unwrap().as_str(), want, "{command:?}");
}
