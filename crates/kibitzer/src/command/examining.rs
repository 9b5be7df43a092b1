//! Examining games.

use std::sync::Arc;

use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{ExamineAction, Message, Relation, Style12};
use kibitzer_core::session::Reply;

use super::reply;

/// The result of a step in an examined game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExamineStep {
    /// The board after the step; `None` if the position is the same, or if the server sends the board later.
    pub board: Option<Arc<Style12>>,
    /// Whether the first or last position of the game stopped the step.
    pub is_at_edge: bool,
}

/// Returns the last board of the game that this login examines. Fails if the reply has none.
pub(super) fn parse_examined_board(reply: &Reply) -> Result<Arc<Style12>, RequestError> {
    last_examined_board(reply).ok_or_else(|| reply::unexpected_reply(reply))
}

/// Returns the last board of the game that this login examines.
fn last_examined_board(reply: &Reply) -> Option<Arc<Style12>> {
    reply::last_own_board(reply).filter(|board| board.relation() == Relation::Examining).cloned()
}

/// Parses the reply to a step in the examined game. Fails if it has no board of that game and no report of the step.
pub(super) fn parse_examine_step(reply: &Reply) -> Result<ExamineStep, RequestError> {
    let board = last_examined_board(reply);
    let is_at_edge = |message: &Message| match message {
        Message::Examine(examine) => match examine.action {
            ExamineAction::AtBeginning | ExamineAction::AtEnd => Some(true),
            ExamineAction::Forward(_) | ExamineAction::Backward(_) | ExamineAction::Revert(_) => Some(false),
            _ => None,
        },
        _ => None,
    };
    // The line of uhlin-fics for the end of a game without moves.
    let has_no_moves = |event: &Event| event.raw().trim_ascii() == b"You cannot go forward; no moves are stored.";
    let reports = reply.messages().filter_map(is_at_edge);
    let reports: Vec<bool> = reports.chain(reply.answers().any(has_no_moves).then_some(true)).collect();
    if board.is_none() && reports.is_empty() {
        return Err(reply::unexpected_reply(reply));
    }
    Ok(ExamineStep { board, is_at_edge: reports.contains(&true) })
}

/// Parses the reply to `unexamine`. Fails if no line reports that this login stopped examining.
pub(super) fn parse_examination_end(reply: &Reply) -> Result<(), RequestError> {
    reply::find_in_messages(reply, |message| match message {
        Message::Examine(examine) if examine.by.is_none() && examine.action == ExamineAction::Stop => Some(()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
