//! Items that a source delivers to the model.

use std::time::Duration;

use kibitzer::core::Event;
use kibitzer_bot::BotEvent;

use crate::console::model::game_snapshot::GameSnapshot;

/// One step of a session.
///
/// Items arrive in session order: bytes before the events parsed from them.
#[derive(Clone, Debug)]
pub(crate) struct SourceItem {
    /// Time since the session began.
    pub(crate) at: Duration,
    pub(crate) kind: SourceItemKind,
}

/// Content of a [`SourceItem`].
#[derive(Clone, Debug)]
pub(crate) enum SourceItemKind {
    /// Bytes received from the server.
    Bytes(Vec<u8>),
    /// An event parsed from earlier bytes, or an event of the connection.
    Event {
        event: Event,
        /// State of the changed game after the event; `None` if no game changed.
        snapshot: Option<Box<GameSnapshot>>,
        /// Time that parsing the event took.
        decoding: Duration,
    },
    /// An event of the bot that plays in the session.
    Bot(BotEvent),
    /// State of a session that was already running when the console attached to it.
    Snapshot {
        /// Its games.
        snapshots: Vec<GameSnapshot>,
        /// Lines of the server from which the games can be parsed again.
        lines: Vec<Vec<u8>>,
        /// Text of the mark that shows it.
        text: String,
    },
    /// Text to show as a mark in the list.
    Note(String),
    /// A recorded connection ended.
    Disconnected,
    /// A line sent by the client.
    Sent {
        /// Bytes as sent, including the line end; those of a secret line may have been removed.
        bytes: Vec<u8>,
        /// The line without its end, unsealed.
        text: Vec<u8>,
        /// Whether the line is one of timeseal itself, such as the answer to a ping, to which the server does not reply.
        answers_ping: bool,
        /// Whether the line is known to contain a password.
        is_secret: bool,
    },
}
