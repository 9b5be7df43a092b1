//! Variables, the style of boards, ivars.

use kibitzer_core::event::RequestError;
use kibitzer_core::session::Reply;
use kibitzer_core::text::PlayerText;

use super::{Request, reply, typed_command};

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

/// Returns the command that sets the board style: `set style N`, as some servers have no command `style`. The reply has to be
/// `Style N set.`
pub(super) fn style(style: u8) -> impl Request<Answer = ()> + Send + Sync {
    typed_command(format!("set style {style}"), move |reply| {
        let done = format!("Style {style} set.");
        reply::find_in_lines(reply, |line| (line.trim_ascii() == done.as_bytes()).then_some(()))
    })
}

/// Parses the confirmation of a changed ivar: a line that ends with `end`, ` set.` or ` unset.`. Fails without one; uhlin-fics
/// repeats the command and does nothing.
pub(super) fn parse_ivar_confirmation(reply: &Reply, end: &[u8]) -> Result<(), RequestError> {
    reply::find_in_lines(reply, |line| line.trim_ascii().ends_with(end).then_some(()))
}

#[cfg(test)]
mod tests;
