//! Information whose format differs between servers.

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{Handle, listing};
use kibitzer_core::session::Reply;
use kibitzer_core::text::ServerText;

use super::{Request, reply, typed_command, with_argument};

/// Returns the command that lists the last games of a player; with `None`, of this login.
pub(super) fn history(player: Option<Handle>) -> impl Request<Answer = listing::History> + Send + Sync {
    typed_command(with_argument("history", player.as_ref()), move |reply| {
        let is_empty = |line: &[u8]| line.trim_ascii() == b"Sorry, no game information available.";
        if reply.first_answer().is_some_and(|event| is_empty(event.raw())) {
            let mut history = listing::History::default();
            history.owner = player.clone().unwrap_or_default();
            return Ok(history);
        }
        reply::parse_listing(reply)
    })
}

/// Parses the reply to `date`: the local time, and the time of the server, otherwise of Greenwich, if the reply has one.
pub(super) fn parse_dates(reply: &Reply) -> Result<(ServerText, Option<ServerText>), RequestError> {
    let local = reply::find_in_lines(reply, |line| parse_time_after_name(line, b"local time"))?;
    let server = [&b"server time"[..], b"greenwich time"];
    let server =
        server.iter().find_map(|name| reply.answers().find_map(|event| parse_time_after_name(event.raw(), name)));
    Ok((local, server))
}

/// Returns the time in a line like `Local time - Sat Nov 21, 00:37 UTC 2026`; `None` if the line does not begin with `name`, in
/// any case, and a hyphen.
fn parse_time_after_name(line: &[u8], name: &[u8]) -> Option<ServerText> {
    let (head, tail) = line.split_at_checked(name.len())?;
    let time = head.eq_ignore_ascii_case(name).then_some(tail)?.trim_ascii().strip_prefix(b"-")?;
    Some(ServerText::from_wire(time.trim_ascii()))
}

#[cfg(test)]
mod tests;
