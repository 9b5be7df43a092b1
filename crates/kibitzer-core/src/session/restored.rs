//! What came back after a lost connection.

use std::time::Duration;

use super::command::Command;
use super::error::RequestError;
use crate::message::listing::MoveList;
use crate::message::{GameId, Handle, Relation};

/// What became of the settings, games and seeks of a session whose connection was lost and made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// From the loss until the session was set up again.
    pub offline_for: Duration,
    /// The games that were going on, by their old numbers.
    pub games: Vec<RestoredGame>,
    /// Variables, ivars and entries of lists: those of [`SessionOptions::settings`](super::SessionOptions::settings), then those
    /// that requests had set, in their order.
    pub settings: Vec<RestoredCommand>,
    /// Requests to observe a game whose reply had not arrived when the connection broke.
    pub requests: Vec<RestoredCommand>,
    /// The seeks that stood, in the order in which they were made.
    pub seeks: Vec<RestoredCommand>,
}

/// What became of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoredGame {
    /// The number it had.
    pub was: GameId,
    /// The number it has now; `None` if this session does not follow it any more.
    pub now: Option<GameId>,
    /// White's name.
    pub white: Handle,
    /// Black's name.
    pub black: Handle,
    /// What this login had to do with it, by the last board in front of the loss.
    pub relation: Relation,
    /// How it is found.
    pub outcome: Outcome,
    /// Whether moves may have been played that no event told of.
    pub moves_missing: bool,
    /// All its moves, if some may be missing and the server listed them.
    pub moves: Option<MoveList>,
}

impl RestoredGame {
    /// A game that is found again as it was, under the number it had; every field can be changed.
    pub const fn new(was: GameId, white: Handle, black: Handle, relation: Relation) -> Self {
        let (now, outcome) = (Some(was), Outcome::Unchanged);
        Self { was, now, white, black, relation, outcome, moves_missing: false, moves: None }
    }
}

/// How a game is found after a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// As it was.
    Unchanged,
    /// It went on by so many plies. The last of them is on the board.
    Advanced {
        /// How many.
        plies: u32,
    },
    /// It has another position that does not follow from the last one known by moves alone: moves were taken back, or
    /// the examiner went elsewhere.
    Changed,
    /// The server says that it is not played any more.
    Ended,
    /// Nothing is known of it: the server did not let us look, or did not answer.
    Gone,
    /// It was our own, and the server keeps it as adjourned: [`Event::Adjourned`](crate::Event::Adjourned) reports what becomes of it.
    Adjourned,
    /// It was our own, and the loss has interrupted it; the server does not list it among the adjourned games.
    Interrupted,
}

/// A command that was sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoredCommand {
    /// The command, as it was first sent.
    pub command: Command,
    /// Why the server refused it this time. [`RequestError::Lost`] if it was not sent, as three connections in a row broke on it.
    pub error: Option<RequestError>,
}

impl RestoredCommand {
    /// A command that was sent again and, with an error, refused.
    pub const fn new(command: Command, error: Option<RequestError>) -> Self {
        Self { command, error }
    }
}
