//! What is seen of an exposed session.

use tokio::time::Instant;

use super::Missed;
use crate::core::game::Game;
use crate::core::message::Handle;
use crate::core::session::State;
use crate::tap::TapPiece;

/// What is seen of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "nearly every value is a piece")]
pub enum Sight {
    /// How it stands: the first thing that is seen, and what comes behind things that were missed.
    Snapshot(Box<Snapshot>),
    /// What happened then, in order, as a [`Tap`](crate::Tap) has it. Positions in the stream count from the snapshot, or from
    /// the connection if that is newer.
    Piece(TapPiece),
}

/// How a session stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Snapshot {
    /// When.
    pub at: Instant,
    /// How far it has come.
    pub state: State,
    /// Its own name, if it is known.
    pub handle: Option<Handle>,
    /// The games that go on, with the last few of their moves.
    pub games: Vec<Game>,
    /// What has happened since the last thing that was seen, and was not: more came than was taken.
    pub missed: Missed,
}

impl Snapshot {
    pub(super) fn new(at: Instant, state: State, handle: Option<Handle>, missed: Missed) -> Self {
        Self { at, state, handle, games: Vec::new(), missed }
    }
}
