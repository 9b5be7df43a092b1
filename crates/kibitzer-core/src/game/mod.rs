//! Messages to game state.

use crate::event::{Change, Desync, Event};
use crate::message::{GameId, Message, Received, Style12};

/// Stub.
#[derive(Clone, Debug, Default)]
pub struct Games {}

/// Stub.
#[derive(Clone, Debug)]
pub struct Game {
    position: Style12,
}

impl Games {
    /// The state of one game.
    pub fn get(&self, _game: GameId) -> Option<&Game> {
        None
    }
    /// Takes a message in: the event it makes, and before it what it contradicts.
    pub fn receive(&mut self, received: Received) -> (Option<Desync>, Event) {
        (None, Event::Received { received, change: None })
    }
    /// Applies a message
    pub fn apply(&mut self, _message: &Message) -> Option<Change> {
        None
    }
}
impl Game {
    /// Stub.
    pub fn position(&self) -> &Style12 {
        &self.position
    }
}
