//! Answers to the requests of programs.

use kibitzer::core::text::{decode_latin_1, error_chain};
use kibitzer::{Command, Reply, RequestError};
use serde::Serialize;
use serde_json::json;

use super::request::ProgramId;
use crate::filter::Expression;
use crate::live::PrintItem;
use crate::output::json_object;

/// The answer to a request: the reply of the server, or the error that prevented a reply.
#[derive(Debug)]
pub(super) struct ProgramAnswer {
    pub(super) id: ProgramId,
    /// Number of the line that contained the request.
    pub(super) line: u64,
    pub(super) command: Command,
    pub(super) result: Result<Reply, RequestError>,
}

/// The keys of the event `reply`.
#[derive(Serialize)]
struct ReplyMembers<'a, C> {
    id: &'a ProgramId,
    /// Kind of the content: `text`, `refused`, or the kind of the event that reports the listing.
    kind: &'a str,
    content: C,
}

/// The keys of the event `failed`.
#[derive(Serialize)]
struct FailedMembers<'a> {
    id: Option<&'a ProgramId>,
    line: u64,
    reason: &'a str,
    text: &'a str,
}

/// The keys of the event `subscribed`.
#[derive(Serialize)]
struct SubscribedMembers<'a> {
    id: Option<&'a ProgramId>,
    filter: Option<String>,
}

impl ProgramAnswer {
    /// Returns the event to print: `reply`, also for a refusal by the server, or `failed`.
    pub(super) fn to_item(&self) -> PrintItem {
        let reply = match &self.result {
            Ok(reply) => reply,
            Err(RequestError::Refused { reason, text }) => {
                return self.reply_item("refused", json!({ "reason": reason.as_ref(), "text": text.as_str() }));
            }
            Err(error) => return failed_item(Some(&self.id), self.line, error.as_ref(), &error_chain(error)),
        };
        if let Some(listing) = reply.listing(&self.command) {
            return self.reply_item(listing.kind().as_str(), &listing);
        }
        let lines: Vec<_> = reply.answers().map(|event| decode_latin_1(event.raw())).collect();
        self.reply_item("text", json!({ "lines": lines }))
    }

    /// Returns the event `reply` with this content.
    fn reply_item(&self, kind: &str, content: impl Serialize) -> PrintItem {
        object_item("reply", &ReplyMembers { id: &self.id, kind, content })
    }
}

/// Returns the event for a request that has no reply. `line` is the number of its line, `id` its identifier if it has one.
pub(super) fn failed_item(id: Option<&ProgramId>, line: u64, reason: &str, text: &str) -> PrintItem {
    object_item("failed", &FailedMembers { id, line, reason, text })
}

/// Returns the event that confirms a filter; without one, that all events are printed.
pub(super) fn subscribed_item(id: Option<&ProgramId>, filter: Option<&Expression>) -> PrintItem {
    object_item("subscribed", &SubscribedMembers { id, filter: filter.map(Expression::to_string) })
}

/// Returns the printer's item for an event of the command itself.
fn object_item(event: &'static str, members: &impl Serialize) -> PrintItem {
    PrintItem::Object { event, object: json_object(members) }
}
