//! Arguments that several commands take.

use std::fmt;

use kibitzer_core::message::{GameId, Handle};

/// A game, by its number or by one of its players.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "servers know a game by these two")]
pub enum Target {
    /// The game of this number.
    Game(GameId),
    /// The game this player plays or examines.
    Player(Handle),
}

impl From<GameId> for Target {
    fn from(game: GameId) -> Self {
        Self::Game(game)
    }
}

impl From<Handle> for Target {
    fn from(player: Handle) -> Self {
        Self::Player(player)
    }
}

/// As commands take it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(game) => game.fmt(f),
            Self::Player(player) => player.fmt(f),
        }
    }
}

/// The time of a game: so many minutes each, and so many seconds more with every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Clock {
    /// Minutes at the start.
    pub initial_min: u32,
    /// Seconds added per move.
    pub increment_s: u32,
}

impl Clock {
    /// So many minutes, and so many seconds per move.
    pub const fn new(initial_min: u32, increment_s: u32) -> Self {
        Self { initial_min, increment_s }
    }
}

/// As commands take it: `3 2`.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.initial_min, self.increment_s)
    }
}

/// A line that grows word by word.
#[derive(Debug)]
pub(super) struct Words(String);

impl Words {
    /// A line that starts with the command's name.
    pub(super) fn new(command: &str) -> Self {
        Self(command.to_owned())
    }

    /// Adds a word.
    #[must_use]
    pub(super) fn with(mut self, word: impl fmt::Display) -> Self {
        use std::fmt::Write as _;

        // Writing to a `String` does not fail.
        let _ = write!(self.0, " {word}");
        self
    }

    /// Adds a word if there is one.
    #[must_use]
    pub(super) fn maybe(self, word: Option<impl fmt::Display>) -> Self {
        match word {
            Some(word) => self.with(word),
            None => self,
        }
    }

    /// The line.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
