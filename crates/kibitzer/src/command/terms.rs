//! Arguments that several commands take.

use std::fmt;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, Handle};

/// A game, by its number or by one of its players.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "servers know a game by these two")]
pub enum GameRef {
    /// The game of this number.
    Game(GameId),
    /// The game this player plays or examines.
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

/// As commands take it.
impl fmt::Display for GameRef {
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

/// What players agree on before a game. What is not set is the server's to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) clock: Option<Clock>,
    pub(super) rated: Option<bool>,
    pub(super) color: Option<Color>,
    pub(super) variant: Option<String>,
}

impl Terms {
    pub(super) const fn new() -> Self {
        Self { clock: None, rated: None, color: None, variant: None }
    }

    /// The word for whether ratings are at stake.
    pub(super) const fn rated_word(&self) -> Option<&'static str> {
        match self.rated {
            Some(true) => Some("rated"),
            Some(false) => Some("unrated"),
            None => None,
        }
    }
}

/// Declares the setters of the field `terms`.
macro_rules! terms_setters {
    () => {
        /// Sets the time: minutes at the start, seconds added per move. Default: the account's own. Servers of the FICS
        /// family take up to 1,000 of each; 0 and 0 is a game without clocks.
        #[must_use]
        pub const fn time(mut self, initial_min: u32, increment_s: u32) -> Self {
            self.terms.clock = Some(Clock::new(initial_min, increment_s));
            self
        }

        /// Ratings are at stake. Default: the account's setting. A guest's games are never rated, nor are some others.
        #[must_use]
        pub const fn rated(mut self) -> Self {
            self.terms.rated = Some(true);
            self
        }

        /// Ratings are not at stake.
        #[must_use]
        pub const fn unrated(mut self) -> Self {
            self.terms.rated = Some(false);
            self
        }

        /// Sets the color this login wants. Default: the server decides.
        #[must_use]
        pub const fn color(mut self, color: Color) -> Self {
            self.terms.color = Some(color);
            self
        }

        /// Sets the variant in the server's words: `crazyhouse`, `wild fr`, `chess960 idn=692`. Default: ordinary chess.
        #[must_use]
        pub fn variant(mut self, variant: impl Into<String>) -> Self {
            self.terms.variant = Some(variant.into());
            self
        }
    };
}
pub(super) use terms_setters;

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
