//! Arguments and shape of several commands.

use std::fmt;

use kibitzer_core::chess::Color;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{GameId, Handle};
use kibitzer_core::session::{Command, Reply};

use super::Request;

/// Selects a game.
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

/// As an argument of commands.
impl fmt::Display for GameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(game) => game.fmt(f),
            Self::Player(player) => player.fmt(f),
        }
    }
}

/// The terms of a game. The server chooses those that are not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// Minutes on the clock at the start, and seconds added per move.
    pub(super) time: Option<(u32, u32)>,
    /// `rated` or `unrated`.
    pub(super) rated: Option<&'static str>,
    pub(super) color: Option<Color>,
    pub(super) variant: Option<String>,
}

impl Terms {
    pub(super) const fn new() -> Self {
        Self { time: None, rated: None, color: None, variant: None }
    }

    /// Returns the arguments of the time control, such as `3 2`; `None` if it is not set.
    pub(super) fn time_arguments(&self) -> Option<String> {
        self.time.map(|(initial_min, increment_s)| format!("{initial_min} {increment_s}"))
    }
}

/// Declares the setters of the field `terms`.
macro_rules! terms_setters {
    () => {
        /// Sets the time control: minutes at the start, seconds added per move. Default: that of the account. Servers of the FICS
        /// family accept up to 1,000 of each; 0 and 0 is a game without clocks.
        #[must_use]
        pub const fn time(mut self, initial_min: u32, increment_s: u32) -> Self {
            self.terms.time = Some((initial_min, increment_s));
            self
        }

        /// Makes the game rated. Default: the account's setting. Games of guests and of some kinds are never rated.
        #[must_use]
        pub const fn rated(mut self) -> Self {
            self.terms.rated = Some("rated");
            self
        }

        /// Makes the game unrated.
        #[must_use]
        pub const fn unrated(mut self) -> Self {
            self.terms.rated = Some("unrated");
            self
        }

        /// Sets the color of this login. Default: the server decides.
        #[must_use]
        pub const fn color(mut self, color: Color) -> Self {
            self.terms.color = Some(color);
            self
        }

        /// Sets the variant by its name on the server: `crazyhouse`, `wild fr`, `chess960 idn=692`. Default: standard chess.
        #[must_use]
        pub fn variant(mut self, variant: impl Into<String>) -> Self {
            self.terms.variant = Some(variant.into());
            self
        }
    };
}
pub(super) use terms_setters;

/// A command line under construction, whose words are separated by blanks. Words are not checked.
#[derive(Debug)]
pub(super) struct CommandWords(String);

impl CommandWords {
    /// Returns a line that consists of the command's name.
    pub(super) fn new(command: &str) -> Self {
        Self(command.to_owned())
    }

    /// Appends a blank and a word.
    #[must_use]
    pub(super) fn with_word(mut self, word: impl fmt::Display) -> Self {
        use std::fmt::Write as _;

        // Writing to a `String` does not fail.
        let _ = write!(self.0, " {word}");
        self
    }

    /// Appends a word, or nothing for `None`.
    #[must_use]
    pub(super) fn with_optional_word(self, word: Option<impl fmt::Display>) -> Self {
        match word {
            Some(word) => self.with_word(word),
            None => self,
        }
    }

    pub(super) fn into_line(self) -> String {
        self.0
    }
}

/// A command whose parser is a function.
pub(super) struct TypedCommand<P> {
    line: String,
    parser: P,
}

impl<P, A> Request for TypedCommand<P>
where
    P: Fn(&Reply) -> Result<A, RequestError>,
{
    type Answer = A;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(&self.line)
    }

    fn parse_reply(&self, reply: Reply) -> Result<A, RequestError> {
        (self.parser)(&reply)
    }
}

/// Creates a command from its line and the parser of its reply.
pub(super) fn typed_command<A, P: Fn(&Reply) -> Result<A, RequestError>>(
    line: CommandWords,
    parser: P,
) -> TypedCommand<P> {
    TypedCommand { line: line.into_line(), parser }
}
