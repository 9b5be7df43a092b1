//! What a source of the console hands over, recording or live session.

use std::time::Duration;

use kibitzer::core::Event;

use crate::console::model::game_snapshot::GameSnapshot;

/// One thing that happened, with the time since the session began.
///
/// Bytes come before what was made of them, and all of it in the order in which it happened.
#[derive(Clone, Debug)]
pub(in crate::console) struct SourceItem {
    pub(in crate::console) at: Duration,
    pub(in crate::console) kind: SourceItemKind,
}

/// What happened.
#[derive(Clone, Debug)]
pub(in crate::console) enum SourceItemKind {
    /// The server sent these bytes.
    Bytes(Vec<u8>),
    /// This was made of bytes that came before, or happened to the connection.
    Event {
        event: Event,
        /// The game it changed, as it stands now.
        snapshot: Option<Box<GameSnapshot>>,
        /// How long the decoder took for it.
        decoding: Duration,
    },
    /// How a session stands that was going on before: nothing is known of what came before that.
    Snapshot {
        /// Its games.
        snapshots: Vec<GameSnapshot>,
        /// What to say of it.
        text: String,
    },
    /// Something is to be said in the stream.
    Note(String),
    /// The client sent a line.
    Sent {
        /// Its bytes as they went, line end included.
        bytes: Vec<u8>,
        /// What they say: without line end, and in clear if they were sealed.
        text: Vec<u8>,
        /// Whether it answers a timeseal ping, and is no line of the user's.
        answers_ping: bool,
        /// Whether it is known to be a secret; then there are no bytes and no text.
        is_secret: bool,
    },
}
