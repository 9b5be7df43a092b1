//! Reports of a session about recovery: what it restored after a reconnect, and the adjourned games of the account.

use std::sync::Arc;
use std::time::Duration;

use strum::AsRefStr;

use super::RequestError;
use crate::message::listing::MoveList;
use crate::message::{GameEnded, GameId, Handle, Relation};

/// Outcome of the restoration of settings, games and seeks after a reconnect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Restored {
    /// Time from the last byte of the lost connection until the restoration was complete.
    pub offline_for: Duration,
    /// The part of `offline_for` in which the loss was not noticed: from the last byte until [`Event::Lost`](super::Event::Lost).
    pub silent_for: Duration,
    /// The games that were in progress, by their old numbers.
    pub games: Vec<RestoredGame>,
    /// Commands that set variables, ivars and list entries: first the configured ones of the session, then those of earlier
    /// requests, each in their original order.
    pub settings: Vec<RestoredCommand>,
    /// Requests to observe a game whose reply had not arrived when the connection ended.
    pub requests: Vec<RestoredCommand>,
    /// The open seeks, in the order in which they were made.
    pub seeks: Vec<RestoredCommand>,
}

/// Outcome of the restoration of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RestoredGame {
    /// The number before the loss.
    pub was: GameId,
    /// The number now; `None` if this session no longer follows the game.
    pub now: Option<GameId>,
    /// White's name.
    pub white: Handle,
    /// Black's name.
    pub black: Handle,
    /// Role of this login in the game, by the last board before the loss.
    pub relation: Relation,
    /// State in which the game was found.
    pub outcome: RestoreOutcome,
    /// Whether moves may have been played that no event reported; true whenever the last move of the game is not known.
    pub moves_missing: bool,
    /// The list that the session requested to compare its moves with the known ones, if the server sent it: all moves of the game;
    /// of the other game if it was [replaced](RestoreOutcome::Replaced).
    #[cfg_attr(feature = "serde", serde(skip))]
    pub moves: Option<MoveList>,
    /// The reported end, if the game has [ended](RestoreOutcome::Ended).
    #[cfg_attr(feature = "serde", serde(skip))]
    pub ending: Option<Arc<GameEnded>>,
}

impl RestoredGame {
    /// Creates the report of a game that was found unchanged under its old number, `was`. The caller may change every field.
    pub const fn unchanged(was: GameId, white: Handle, black: Handle, relation: Relation) -> Self {
        Self {
            was,
            now: Some(was),
            white,
            black,
            relation,
            outcome: RestoreOutcome::Unchanged,
            moves_missing: false,
            moves: None,
            ending: None,
        }
    }
}

/// State in which a game was found after a reconnect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RestoreOutcome {
    /// The position is the one before the loss.
    Unchanged,
    /// More plies were played; the last of them is on the board.
    #[non_exhaustive]
    Advanced {
        /// Number of plies played meanwhile.
        plies: u32,
    },
    /// The position does not follow from the last known one by moves alone: moves were taken back, or an examiner changed the
    /// position.
    Changed,
    /// The game was found, and the server has reported its end since.
    Ended,
    /// Another game was found in its place, or one that cannot be told from another one: under its number, or with the same player.
    /// Whether the game has ended was not reported.
    #[non_exhaustive]
    Replaced {
        /// Number of the other game, if it has the same players and colors: the session follows it.
        by: Option<GameId>,
    },
    /// Nothing is known: the server refused the requests to observe the game, or did not answer them.
    Gone,
    /// The game was played by this login and is adjourned: [`Event::AdjournedGame`](super::Event::AdjournedGame) reports its further
    /// changes.
    Adjourned,
    /// The game was played by this login and interrupted by the loss; the server does not list it among the adjourned games.
    Interrupted,
}

impl RestoreOutcome {
    /// Creates the outcome of a game that [advanced](Self::Advanced).
    pub const fn advanced(plies: u32) -> Self {
        Self::Advanced { plies }
    }

    /// Creates the outcome of a game that was [replaced](Self::Replaced).
    pub const fn replaced(by: Option<GameId>) -> Self {
        Self::Replaced { by }
    }
}

/// Command that the session sent again after a reconnect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RestoredCommand {
    /// The line as it was first sent. Never contains a secret.
    pub command: String,
    /// Reason why the command failed this time; `None` if it succeeded. [`RequestError::Lost`] if it was not sent, because three
    /// connections in a row had ended while it was unanswered.
    pub error: Option<RequestError>,
    /// Number of the game that a request to observe led to; `None` for other commands.
    pub game: Option<GameId>,
}

/// An adjourned game of the account, and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AdjournedGame {
    /// White's name. Some servers list it in lower case.
    pub white: Handle,
    /// Black's name.
    pub black: Handle,
    /// State of the attempt to resume the game.
    pub state: ResumptionState,
}

impl AdjournedGame {
    /// Creates the report of a game in this state.
    pub const fn new(white: Handle, black: Handle, state: ResumptionState) -> Self {
        Self { white, black, state }
    }
}

/// State of the attempt to resume an adjourned game.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ResumptionState {
    /// The server keeps the game, and no challenge to resume it is open.
    Stored,
    /// The opponent was challenged to resume it, by the session or by a request.
    Challenged,
    /// The game was resumed.
    #[non_exhaustive]
    Resumed {
        /// Number of the resumed game, which may differ from the number before the adjournment.
        game: GameId,
    },
    /// The opponent declined. The session does not challenge again.
    Declined,
    /// The server refused the challenge. The session does not challenge again on this connection.
    Refused(RequestError),
}

impl ResumptionState {
    /// Creates the state of a [resumed](Self::Resumed) game.
    pub const fn resumed(game: GameId) -> Self {
        Self::Resumed { game }
    }
}
