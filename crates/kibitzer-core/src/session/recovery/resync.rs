//! Games whose board is not known any more, because a delta board or a move was lost or does not fit.

use crate::event::Event;
use crate::game::{ChangeKind, Desync};
use crate::game::{Game, Games};
use crate::message::{GameId, Message};

/// Games that a board was requested for and that did not recover. Beyond that many, nothing is requested.
const MAX_GAMES: usize = 64;

/// Requests the full board of a game once, until its moves fit again.
///
/// A board that does not help is not requested again with the next move that does not fit.
#[derive(Debug, Default)]
pub(crate) struct Resync {
    requested: Vec<GameId>,
}

impl Resync {
    /// Whether the board of the game is to be requested now.
    pub(crate) fn is_due(&mut self, desync: &Desync, games: &Games) -> bool {
        let game = desync.game;
        // Boards of a game that is over, or that the user has left, are of no use.
        let is_wanted = desync.reason.needs_board() && games.get(game).is_none_or(Game::is_going_on);
        let is_due = is_wanted && !self.requested.contains(&game) && self.requested.len() < MAX_GAMES;
        if is_due {
            self.requested.push(game);
        }
        is_due
    }

    /// Notes what happens to the games.
    pub(crate) fn handle(&mut self, event: &Event) {
        if let Event::Received { received, change: Some(change) } = event
            && is_recovery(&received.message, change.kind)
        {
            self.requested.retain(|game| *game != change.game);
        }
    }
}

/// Whether a game that was out of step is followed again, or not any more.
const fn is_recovery(message: &Message, kind: ChangeKind) -> bool {
    match kind {
        ChangeKind::Moved | ChangeKind::TookBack { .. } => {
            matches!(message, Message::Delta(_) | Message::GameUpdate(_))
        }
        ChangeKind::Opened | ChangeKind::Ended | ChangeKind::Left => true,
        _ => false,
    }
}
