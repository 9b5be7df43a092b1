//! Information whose format differs between servers, and settings.

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{Handle, listing};
use kibitzer_core::session::Reply;
use kibitzer_core::text::{PlayerText, ServerText};
use serde::Serialize;

use super::reply;

/// Parses the last games of a player; with `None`, of this login. One server does not name the owner of an empty history.
pub(super) fn parse_history(reply: &Reply, player: Option<&Handle>) -> Result<listing::History, RequestError> {
    let is_empty = |line: &[u8]| line.trim_ascii() == b"Sorry, no game information available.";
    if reply.first_answer().is_some_and(|event| is_empty(event.raw())) {
        let mut history = listing::History::default();
        history.owner = player.cloned().unwrap_or_default();
        return Ok(history);
    }
    reply::parse_listing(reply)
}

/// The times that a server reports. They are text, because each server has its own format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerClocks {
    /// The time in the time zone of this login.
    pub local: ServerText,
    /// The time of the server, otherwise Greenwich time; `None` if the server reports neither.
    pub server: Option<ServerText>,
}

/// Parses the reply to `date`: the local time, and the time of the server, otherwise of Greenwich, if the reply has one.
pub(super) fn parse_clocks(reply: &Reply) -> Result<ServerClocks, RequestError> {
    let local = reply::find_in_lines(reply, |line| parse_time_after_name(line, b"local time"))?;
    let server = [&b"server time"[..], b"greenwich time"];
    let server =
        server.iter().find_map(|name| reply.answers().find_map(|event| parse_time_after_name(event.raw(), name)));
    Ok(ServerClocks { local, server })
}

/// Returns the time in a line like `Local time - Sat Nov 21, 00:37 UTC 2026`; `None` if the line does not begin with `name`, in
/// any case, and a hyphen.
fn parse_time_after_name(line: &[u8], name: &[u8]) -> Option<ServerText> {
    let (head, tail) = line.split_at_checked(name.len())?;
    let time = head.eq_ignore_ascii_case(name).then_some(tail)?.trim_ascii().strip_prefix(b"-")?;
    Some(ServerText::from_wire(time.trim_ascii()))
}

/// Beginnings of refusals that the session does not detect, because other commands succeed with them.
const REFUSALS: [&[u8]; 3] = [b"You cannot ", b"Usage:", b"Command:"];

/// Parses the reply to `set`: a sentence that confirms the change, different for each variable. Fails if the reply is a refusal.
pub(super) fn parse_variable_confirmation(reply: &Reply) -> Result<PlayerText, RequestError> {
    let is_refusal = |line: &[u8]| REFUSALS.iter().any(|refusal| line.starts_with(refusal));
    match reply.first_answer() {
        Some(event) if is_refusal(event.raw()) => Err(reply::unexpected_reply(reply)),
        _ => Ok(reply::first_answer_line(reply)),
    }
}

/// Parses the reply to `set style N`, which has to be `Style N set.` Some servers have no command `style`.
pub(super) fn parse_style_confirmation(reply: &Reply, style: u8) -> Result<(), RequestError> {
    let done = format!("Style {style} set.");
    reply::find_in_lines(reply, |line| (line.trim_ascii() == done.as_bytes()).then_some(()))
}

/// Parses the confirmation of a changed ivar: a line that ends with `end`, ` set.` or ` unset.`. Fails without one; uhlin-fics
/// repeats the command and does nothing.
pub(super) fn parse_ivar_confirmation(reply: &Reply, end: &[u8]) -> Result<(), RequestError> {
    reply::find_in_lines(reply, |line| line.trim_ascii().ends_with(end).then_some(()))
}

#[cfg(test)]
mod tests;
