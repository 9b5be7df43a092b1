//! States of tracked games, and the changes that events make to them.

/// Identifies a game of a tracker. Unlike the server's number it stays the same when the game is resumed, and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub(super) u64);

/// State of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackedState {
    /// In progress; boards arrive.
    Playing,
    /// The connection was lost while the game was in progress. It may be resumed.
    Interrupted,
    /// The server adjourned the game. It may be resumed.
    Adjourned,
    /// The game ended, or the server reported that it is over.
    Over,
    /// The session stopped observing the game, or another game has its number: its end is unknown.
    Left,
}

/// A change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedChange {
    /// The game.
    pub game: GameKey,
    /// The change.
    pub kind: TrackedChangeKind,
}

/// Kind of a change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackedChangeKind {
    /// A game has its first board.
    Started,
    /// A game continues after an adjournment or a lost connection, perhaps with another number and other clocks. If
    /// [`has_missing_moves`](super::TrackedGame::has_missing_moves), the server's command `moves` lists its moves.
    Resumed,
    /// One more move was played.
    Moved,
    /// Moves were taken back.
    TakenBack {
        /// Number of plies.
        plies: u16,
    },
    /// Another position replaced the known one; moves in between are not known.
    Replaced,
    /// Position and moves are unchanged: clocks, terms or reserves were sent.
    Refreshed,
    /// The game was adjourned by the server, or found among the adjourned games after a lost connection.
    Adjourned,
    /// The game is over; [`TrackedGame::ending`](super::TrackedGame::ending) has the server's report.
    Ended,
    /// The connection was lost.
    Interrupted,
    /// No more boards arrive: the session stopped observing the game, it was not found after a lost connection, or another game has
    /// taken its place. Its end is not known.
    Left,
}
