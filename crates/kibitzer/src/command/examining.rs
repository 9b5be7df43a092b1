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
mod tests {
    use kibitzer_core::message::Refusal;

    use crate::command;
    use crate::command::testing::{answer, assert_line};

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alice Alice 2 0 0 39 39 0 0 1 none (0:00) none 0 0 0";

    #[test]
    fn commands_write_their_lines() {
        assert_line(&command::examine_scratch(), "examine");
        assert_line(&command::examine("Alice".parse().unwrap(), 55), "examine Alice 55");
        assert_line(&command::forward(3), "forward 3");
        assert_line(&command::backward(99), "backward 99");
        assert_line(&command::revert(), "revert");
        assert_line(&command::unexamine(), "unexamine");
    }

    #[test]
    fn examine_returns_the_board() {
        for reply in [format!("Starting a game in examine (scratch) mode.\n\n{BOARD}"), BOARD.to_owned()] {
            assert_eq!(answer(&command::examine_scratch(), &reply).unwrap().game().0, 1, "{reply}");
        }
        let cases = ["There is no history game 99 for Alekhine.", "There is no player matching that name.", ""];
        for text in cases {
            assert_eq!(
                answer(&command::examine_scratch(), text).unwrap_err().text(),
                Some(text).filter(|text| !text.is_empty())
            );
        }
    }

    #[test]
    fn steps_return_a_board_or_report_an_edge() {
        let cases = [
            (format!("Carla goes forward 3 moves.\n\n{BOARD}"), true, false),
            ("Game 1: Alekhine goes forward 1 move.".to_owned(), false, false),
            (format!("Alice goes forward 200 moves.\nEnd of game.\n\n{BOARD}"), true, true),
            ("You're at the end of the game.".to_owned(), false, true),
            ("You cannot go forward; no moves are stored.".to_owned(), false, true),
        ];
        for (reply, has_board, is_at_edge) in cases {
            let stepped = answer(&command::forward(3), &reply).unwrap();
            assert_eq!((stepped.board.is_some(), stepped.is_at_edge), (has_board, is_at_edge), "{reply}");
        }
        let back = answer(&command::backward(99), &format!("Beginning of game.\n\n{BOARD}")).unwrap();
        assert!(back.is_at_edge && back.board.is_some());
        assert!(answer(&command::revert(), &format!("Alice reverts to mainline.\n\n{BOARD}")).unwrap().board.is_some());
    }

    #[test]
    fn refused_steps_are_errors() {
        for text in ["You are not examining a game.", "You are not examining any games."] {
            let error = answer(&command::forward(1), text).unwrap_err();
            assert_eq!(error.refusal_reason(), Some(Refusal::NotExamining));
        }
        assert_eq!(answer(&command::forward(1), "What?").unwrap_err().text(), Some("What?"));
        let unknown = answer(&command::revert(), "revert: Command not found.");
        assert!(unknown.unwrap_err().is_refused_for(Refusal::UnknownCommand));
    }

    #[test]
    fn unexamine_is_confirmed() {
        assert_eq!(answer(&command::unexamine(), "You are no longer examining game 1."), Ok(()));
        assert!(answer(&command::unexamine(), "You are not examining any games.").is_err());
        assert!(answer(&command::unexamine(), "Foo stopped examining game 1.").is_err(), "somebody else");
    }
}
