//! Observed and examined games: their start, their end and events other than boards.

use strum::AsRefStr;

use super::{GameId, Handle};
use crate::text::{PlayerText, ServerText};

/// A report that this login started or stopped observing a game.
///
/// After it stopped, the server may still send boards of the game, if this login has become its examiner.
///
/// Source: FICS help files `observe` and `unobserve`, transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ObservingUpdate {
    /// The number of the game.
    pub game: GameId,
    /// Whether this login observes the game now. Observing ends on request, with the game, when its last examiner leaves, or when
    /// this login becomes an examiner of the game.
    pub is_observed: bool,
}

/// A report that the primary game has changed: the observed game or simul board that commands without a game number refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrimaryGameChange {
    /// The number of the new primary game.
    pub game: GameId,
    /// The opponent on the new board in a simul; `None` for an observed game.
    pub opponent: Option<Handle>,
}

/// A line that reports an event of an examined game.
///
/// Most servers start the line with the number of the game, `Game 29: Foo backs up 4 moves.`; one omits it: `Foo backs
/// up 4 moves.` After every event that moves the game, the server sends a board.
///
/// Source: FICS help files `examine`, `revert`, `bsetup`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExamineNotice {
    /// The number of the game; `None` if the line does not have it.
    pub game: Option<GameId>,
    /// The player who caused the event; `None` if it was this login.
    pub by: Option<Handle>,
    /// The event.
    pub action: ExamineAction,
}

/// The event that an [`ExamineNotice`] reports.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum ExamineAction {
    /// An examiner moved forward by this number of plies. Servers print the requested number, which may exceed the plies left.
    Forward(u32),
    /// An examiner moved back by this number of plies; see [`Forward`](Self::Forward).
    Backward(u32),
    /// An examiner returned to the main line, at this move number if the line has it.
    Revert(Option<u32>),
    /// A variation was made the main line.
    Commit,
    /// An examiner made this move, in the server's notation.
    Move(ServerText),
    /// An examiner set a name, a clock or the side to move: the text after `sets `.
    Set(PlayerText),
    /// This login starts to examine a game.
    Start {
        /// Whether the board has no recorded game (`scratch`).
        scratch: bool,
    },
    /// [`ExamineNotice::by`] may move the pieces now; `None` stands for this login.
    IsExaminer,
    /// [`ExamineNotice::by`] made this login an examiner.
    MadeMeExaminer,
    /// [`ExamineNotice::by`] stopped examining; `None` stands for this login.
    Stop,
    /// The position can be edited from now on.
    SetupEntered,
    /// The position is complete, and examining continues.
    SetupLeft,
    /// The game is at its first position; it cannot be moved further back.
    AtBeginning,
    /// The game is at its last position; it cannot be moved further forward.
    AtEnd,
}

#[cfg(test)]
mod tests;
