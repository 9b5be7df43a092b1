//! Answers to the requests of programs.

use kibitzer::core::text::{decode_received, error_chain};
use kibitzer::{Reply, RequestError};
use serde::Serialize;
use serde_json::json;

use super::request::{ProgramCommand, ProgramId};
use crate::filter::Expression;
use crate::live::PrintItem;

/// Members of the event `reply`.
#[derive(Serialize)]
struct ReplyMembers<'a, C> {
    id: &'a ProgramId,
    /// Kind of the content: `text`, `refused`, or the kind of event that reports the same listing.
    kind: &'a str,
    content: C,
}

/// Members of the event `subscribed`.
#[derive(Serialize)]
struct SubscribedMembers<'a> {
    id: Option<&'a ProgramId>,
    filter: Option<String>,
}

/// Returns the answer to a request: the event `reply`, also if the server refused the command, otherwise `failed`. `line` is the
/// number of the request's line in the input, counted from 1.
pub(super) fn answer_item(request: &ProgramCommand, line: u64, result: &Result<Reply, RequestError>) -> PrintItem {
    let id = &request.id;
    let reply = match result {
        Ok(reply) => reply,
        Err(RequestError::Refused { reason, text }) => {
            return reply_item(id, "refused", json!({ "reason": reason.as_ref(), "text": text.as_str() }));
        }
        Err(error) => return failed_item(Some(id), line, error.as_ref(), &error_chain(error)),
    };
    if let Some(listing) = reply.listing(&request.command) {
        return reply_item(id, listing.kind().as_str(), &listing);
    }
    let lines: Vec<_> = reply.answers().map(|event| decode_received(event.raw())).collect();
    reply_item(id, "text", json!({ "lines": lines }))
}

/// Returns the event `reply` with this content.
fn reply_item(id: &ProgramId, kind: &str, content: impl Serialize) -> PrintItem {
    PrintItem::object("reply", &ReplyMembers { id, kind, content })
}

/// Returns the event `failed` for a request that has no reply. `id` is its identifier if it has a valid one; `line` is the number
/// of its line in the input, counted from 1; `reason` is a fixed word, `text` a message.
pub(super) fn failed_item(id: Option<&ProgramId>, line: u64, reason: &str, text: &str) -> PrintItem {
    PrintItem::object("failed", &json!({ "id": id, "line": line, "reason": reason, "text": text }))
}

/// Returns the event `subscribed`, which confirms a filter; without one, it confirms that all events are printed.
pub(super) fn subscribed_item(id: Option<&ProgramId>, filter: Option<&Expression>) -> PrintItem {
    PrintItem::object("subscribed", &SubscribedMembers { id, filter: filter.map(Expression::to_string) })
}
