//! Examining games.

use std::sync::Arc;

use kibitzer_core::Event;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{ExamineAction, Handle, Message, Relation, Style12};
use kibitzer_core::session::{Command, Reply};

use super::bare::bare_commands;
use super::terms::Words;
use super::{Request, answer};

/// `examine`: goes through a game, or moves the pieces freely.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Examine(Option<(Handle, u32)>);

impl Examine {
    /// An empty game from the usual position.
    pub const fn scratch() -> Self {
        Self(None)
    }

    /// The game of this number in a player's history.
    pub const fn history(player: Handle, index: u32) -> Self {
        Self(Some((player, index)))
    }
}

/// A game that this login examines now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examined {
    /// The board.
    pub board: Arc<Style12>,
}

impl Request for Examine {
    type Answer = Examined;

    fn command(&self) -> Result<Command, CommandError> {
        let words = Words::new("examine");
        let words = match &self.0 {
            None => words,
            Some((player, index)) => words.with(player).with(index),
        };
        Command::new(words.as_str())
    }

    fn answer(&self, reply: Reply) -> Result<Examined, RequestError> {
        let board = examined_board(&reply).ok_or_else(|| answer::unexpected(&reply))?;
        Ok(Examined { board })
    }
}

fn examined_board(reply: &Reply) -> Option<Arc<Style12>> {
    answer::own_board(reply).filter(|board| board.relation() == Relation::Examining).cloned()
}

/// What came of a step in an examined game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stepped {
    /// The board after it; `None` if it led nowhere, or if the server tells of the step and draws the board later.
    pub board: Option<Arc<Style12>>,
    /// Whether the game's first or last position stopped it.
    pub is_at_edge: bool,
}

fn read_step(reply: &Reply) -> Result<Stepped, RequestError> {
    let board = examined_board(reply);
    let is_at_edge = |message: &Message| match message {
        Message::Examine(examine) => match examine.action {
            ExamineAction::AtBeginning | ExamineAction::AtEnd => Some(true),
            ExamineAction::Forward(_) | ExamineAction::Backward(_) | ExamineAction::Revert(_) => Some(false),
            _ => None,
        },
        _ => None,
    };
    let told = reply.messages().filter_map(is_at_edge);
    let told: Vec<bool> = told.chain(reply.answers().any(has_no_moves).then_some(true)).collect();
    if board.is_none() && told.is_empty() {
        return Err(answer::unexpected(reply));
    }
    Ok(Stepped { board, is_at_edge: told.contains(&true) })
}

/// uhlin-fics's words for the end of a game without moves.
fn has_no_moves(event: &Event) -> bool {
    event.raw().trim_ascii() == b"You cannot go forward; no moves are stored."
}

/// Commands that go so many plies through an examined game.
macro_rules! steps {
    ($($(#[$meta:meta])* $name:ident = $word:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            plies: u32,
        }

        impl $name {
            /// So many plies; from 1 on.
            pub const fn plies(plies: u32) -> Self {
                Self { plies }
            }
        }

        impl Request for $name {
            type Answer = Stepped;

            fn command(&self) -> Result<Command, CommandError> {
                Command::new(Words::new($word).with(self.plies).as_str())
            }

            fn answer(&self, reply: Reply) -> Result<Stepped, RequestError> {
                read_step(&reply)
            }
        }
    )+};
}

steps! {
    /// `forward`: goes forward in an examined game.
    Forward = "forward";
    /// `backward`: goes back in an examined game.
    Backward = "backward";
}

bare_commands! {
    /// `revert`: goes back to the game as it was played.
    Revert = "revert" -> Stepped, read_step;
    /// `unexamine`: leaves the examined game.
    Unexamine = "unexamine" -> (), |reply| answer::first(reply, |message| match message {
        Message::Examine(examine) if examine.by.is_none() && examine.action == ExamineAction::Stop => Some(()),
        _ => None,
    });
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, assert_line};
    use super::*;

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alice Alice 2 0 0 39 39 0 0 1 none (0:00) none 0 0 0";

    #[test]
    fn every_command_has_its_line() {
        assert_line(&Examine::scratch(), "examine");
        assert_line(&Examine::history("Alice".parse().unwrap(), 55), "examine Alice 55");
        assert_line(&Forward::plies(3), "forward 3");
        assert_line(&Backward::plies(99), "backward 99");
        assert_line(&Revert::new(), "revert");
        assert_line(&Unexamine::new(), "unexamine");
    }

    #[test]
    fn a_game_is_examined_once_its_board_is_there() {
        for reply in [format!("Starting a game in examine (scratch) mode.\n\n{BOARD}"), BOARD.to_owned()] {
            assert_eq!(answer(&Examine::scratch(), &reply).unwrap().board.game().0, 1, "{reply}");
        }
        let cases = ["There is no history game 99 for Alekhine.", "There is no player matching that name.", ""];
        for text in cases {
            assert_eq!(
                answer(&Examine::scratch(), text).unwrap_err().text(),
                Some(text).filter(|text| !text.is_empty())
            );
        }
    }

    #[test]
    fn steps_lead_to_a_board_or_to_an_edge() {
        let cases = [
            (format!("Carla goes forward 3 moves.\n\n{BOARD}"), true, false),
            ("Game 1: Alekhine goes forward 1 move.".to_owned(), false, false),
            (format!("Alice goes forward 200 moves.\nEnd of game.\n\n{BOARD}"), true, true),
            ("You're at the end of the game.".to_owned(), false, true),
            ("You cannot go forward; no moves are stored.".to_owned(), false, true),
        ];
        for (reply, has_board, is_at_edge) in cases {
            let stepped = answer(&Forward::plies(3), &reply).unwrap();
            assert_eq!((stepped.board.is_some(), stepped.is_at_edge), (has_board, is_at_edge), "{reply}");
        }
        let back = answer(&Backward::plies(99), &format!("Beginning of game.\n\n{BOARD}")).unwrap();
        assert!(back.is_at_edge && back.board.is_some());
        assert!(answer(&Revert::new(), &format!("Alice reverts to mainline.\n\n{BOARD}")).unwrap().board.is_some());
    }

    #[test]
    fn steps_that_are_not_made() {
        for text in ["You are not examining a game.", "You are not examining any games."] {
            let error = answer(&Forward::plies(1), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::NotExamining)));
        }
        assert_eq!(answer(&Forward::plies(1), "What?").unwrap_err().text(), Some("What?"));
        let unknown = answer(&Revert::new(), "revert: Command not found.");
        assert!(unknown.unwrap_err().is_refusal(Refusal::UnknownCommand));
    }

    #[test]
    fn an_examined_game_is_left() {
        assert_eq!(answer(&Unexamine::new(), "You are no longer examining game 1."), Ok(()));
        assert!(answer(&Unexamine::new(), "You are not examining any games.").is_err());
        assert!(answer(&Unexamine::new(), "Foo stopped examining game 1.").is_err(), "somebody else");
    }
}
