//! Observing games.

use std::sync::Arc;

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{GameId, Handle, Message, Refusal, Style12};
use kibitzer_core::session::Reply;
use kibitzer_core::text::ServerText;

use super::{Request, reply, typed_command};

/// A reference to a game, by its number or a player in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "servers have no other reference to a game")]
pub enum GameRef {
    /// The game with this number.
    Game(GameId),
    /// The game that this player plays or examines.
    Player(Handle),
}

impl From<GameId> for GameRef {
    fn from(game: GameId) -> Self {
        Self::Game(game)
    }
}

impl From<Handle> for GameRef {
    fn from(player: Handle) -> Self {
        Self::Player(player)
    }
}

impl GameRef {
    /// Returns the line `command` followed by the number of this game or the name of this player.
    pub(super) fn command_line(&self, command: &str) -> String {
        match self {
            Self::Game(game) => format!("{command} {game}"),
            Self::Player(player) => format!("{command} {player}"),
        }
    }
}

/// A game that this login observes from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObservedGame {
    /// Number of the game.
    pub game: GameId,
    /// The current board; `None` if the reply does not contain it in style 12.
    pub board: Option<Arc<Style12>>,
}

/// Returns the command that observes a game.
pub(super) fn observe(game: GameRef) -> impl Request<Answer = ObservedGame> + Send + Sync {
    typed_command(game.command_line("observe"), move |reply| {
        let is_meant = |number: GameId| match &game {
            GameRef::Game(game) => *game == number,
            GameRef::Player(_) => true,
        };
        let game = reply::find_in_messages(reply, |message| match message {
            Message::Observing(observing) if observing.is_observed && is_meant(observing.game) => Some(observing.game),
            _ => None,
        })?;
        Ok(ObservedGame { game, board: reply::boards_from_last(reply).find(|board| board.game() == game).cloned() })
    })
}

/// Parses the reply to `unobserve`: the games that are no longer observed, at least one. An empty reply is a refusal, because no
/// game was observed.
pub(super) fn parse_unobserved_games(reply: &Reply) -> Result<Vec<GameId>, RequestError> {
    let stopped = reply.messages().filter_map(|message| match message {
        Message::Observing(observing) if !observing.is_observed => Some(observing.game),
        _ => None,
    });
    let stopped: Vec<_> = stopped.collect();
    if !stopped.is_empty() {
        return Ok(stopped);
    }
    if reply.first_answer().is_some() {
        return Err(reply::unexpected_reply(reply));
    }
    // uhlin-fics 1.4.7 answers nothing if no game is observed; other servers say so.
    let reason = Refusal::NoneObserved;
    Err(RequestError::Refused { reason, text: ServerText::from_wire(b"") })
}

#[cfg(test)]
mod tests;
