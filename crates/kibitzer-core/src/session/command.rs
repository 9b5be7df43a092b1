//! Commands: lines to send.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::event::{CommandError, MAX_COMMAND_BYTES};
use crate::message::GameId;
use crate::message::listing::command_words;
use crate::session::secret::SecretDetector;
use crate::text;

/// A line for the server: validated, encoded, without its line end.
///
/// Characters other than printable ASCII are encoded by [`text::encode_ascii`]. Line breaks and other control characters are
/// refused, so that no text that a bot passes on becomes a second command.
///
/// ```
/// use kibitzer_core::event::CommandError;
/// use kibitzer_core::session::Command;
///
/// assert_eq!(Command::new("say Köln")?.as_str(), "say K&#xf6;ln");
/// assert_eq!(Command::with_text("tell Newton", "hi\nresign"), Err(CommandError::LineBreak));
/// # Ok::<(), CommandError>(())
/// ```
///
/// Source: rules transport L2, L5 to L7, C2.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Command(Box<str>);

impl Command {
    /// Longest command after encoding, in bytes; servers accept lines of 1,000 bytes, with the number and the line feed.
    pub const MAX_BYTES: usize = MAX_COMMAND_BYTES;

    /// Validates and encodes a line, which may be empty.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if it contains a control character, or is longer than [`MAX_BYTES`](Self::MAX_BYTES) once encoded.
    pub fn new(line: &str) -> Result<Self, CommandError> {
        refuse_control_characters(line)?;
        let encoded = text::encode_ascii(line);
        if encoded.len() > Self::MAX_BYTES {
            return Err(CommandError::too_long(encoded.len(), Self::MAX_BYTES));
        }
        Ok(Self(encoded.into()))
    }

    /// Joins the head of a command, such as `tell Newton`, and a free text, and validates the line as [`new`](Self::new) does.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); and [`CommandError::Empty`] if the text is blank: some commands have another meaning without it.
    pub fn with_text(head: &str, text: &str) -> Result<Self, CommandError> {
        if text.trim().is_empty() {
            return Err(CommandError::Empty);
        }
        Self::new(&format!("{head} {text}"))
    }

    /// Returns the encoded line, without number and line feed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the command: the first word in lower case, without leading `$` (which bypasses aliases), `/` and
    /// blanks; empty for a blank line.
    pub fn verb(&self) -> Cow<'_, str> {
        lowercase(self.words().next().unwrap_or_default())
    }

    /// Returns the words of the line, starting with the name of the command, in their original case.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        command_words(&self.0)
    }

    /// Returns whether the command ends the session on the server. The server marks no end of its reply.
    pub(super) fn is_quit(&self) -> bool {
        matches!(&*self.verb(), "quit" | "exit" | "logout" | "bye")
    }

    /// Returns whether the command contains a password. Does not recognize user-defined aliases.
    pub(super) fn contains_password(&self) -> bool {
        SecretDetector::default().is_secret(&self.0)
    }

    /// Returns whether the command may switch block mode: `iset` with `block` or an abbreviation of it. Later commands have to
    /// wait for its reply.
    pub(super) fn may_switch_block_mode(&self) -> bool {
        let mut words = self.words();
        words.next().map(lowercase).is_some_and(|verb| verb == "iset")
            && words.next().is_some_and(|ivar| "block".starts_with(&*lowercase(ivar)))
    }

    /// Returns whether the command is `observe` or an abbreviation of it, which servers accept.
    pub(super) fn is_observe(&self) -> bool {
        let verb = self.verb();
        !verb.is_empty() && "observe".starts_with(&*verb)
    }

    /// Returns the style that `style` or `set style` sets, as written in the command; `None` for any other command, or without a
    /// value.
    pub(super) fn style_to_set(&self) -> Option<&str> {
        let mut words = self.words();
        match &*lowercase(words.next()?) {
            "style" => words.next(),
            "set" if lowercase(words.next()?) == "style" => words.next(),
            _ => None,
        }
    }

    /// Returns whether the command resets the server's idle timer: every command does unless it starts with `$$`.
    pub(super) fn resets_idle_timer(&self) -> bool {
        !self.0.starts_with("$$")
    }
}

/// Conditions under which a command may still be sent. A new value has none.
///
/// A command may wait in the queue of a session: for earlier replies, for the server's prompt, for the end of a throttle of talk,
/// or for the restoration after a reconnect. The conditions are checked when its line is about to be sent, and whenever something
/// happens before. Once the line is sent, they have no effect, unless the request is queued again: its talk was dropped by the
/// server, or after a reconnect it ended an observation that was just restored. They then apply to the repetition, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestOptions {
    pub(super) send_within: Option<Duration>,
    pub(super) game: Option<GameId>,
    pub(super) is_by_program: bool,
}

impl RequestOptions {
    /// Creates options without conditions.
    pub const fn new() -> Self {
        Self { send_within: None, game: None, is_by_program: false }
    }

    /// Sends the command within this time of the request or never; the request then fails with [`RequestError::Expired`]. Default:
    /// no limit.
    ///
    /// The wait for the reply to a sent command has a limit of its own, [`Timings::request`](super::Timings::request).
    ///
    /// [`RequestError::Expired`]: crate::event::RequestError::Expired
    #[must_use]
    pub const fn send_within(mut self, timeout: Duration) -> Self {
        self.send_within = Some(timeout);
        self
    }

    /// Sends the command only while the game that has this number at the time of the request is in progress and followed by this
    /// session. Otherwise nothing is sent, and the request fails with [`RequestError::GameOver`]. A later game with the same
    /// number does not count. Default: no game.
    ///
    /// [`RequestError::GameOver`]: crate::event::RequestError::GameOver
    #[must_use]
    pub const fn only_during(mut self, game: GameId) -> Self {
        self.game = Some(game);
        self
    }

    /// Attributes the request to the program, not to its user: sent line and reply have the origin
    /// [`RequestOrigin::Program`](crate::event::RequestOrigin::Program). Default: to the user.
    #[must_use]
    pub const fn by_program(mut self) -> Self {
        self.is_by_program = true;
        self
    }
}

/// Returns the word in lower case; servers ignore case.
fn lowercase(word: &str) -> Cow<'_, str> {
    if word.contains(|c: char| c.is_ascii_uppercase()) { word.to_ascii_lowercase().into() } else { word.into() }
}

/// Fails with [`CommandError::LineBreak`] if the line contains a line break, with [`CommandError::Control`] if it contains
/// another control character.
pub(super) fn refuse_control_characters(line: &str) -> Result<(), CommandError> {
    if line.contains(['\n', '\r']) {
        return Err(CommandError::LineBreak);
    }
    if line.contains(char::is_control) {
        return Err(CommandError::Control);
    }
    Ok(())
}

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, CommandError> {
        Self::new(line)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Prints `Command(..)` for a command with a password. A password after a user-defined alias is not recognized, and is printed.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.contains_password() {
            return f.write_str("Command(..)");
        }
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests;
