//! What may be sent: one line.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::event::{CommandError, MAX_COMMAND_BYTES};
use crate::session::secret::SecretDetector;
use crate::text;

/// A line for the server: checked, encoded, without its line end.
///
/// What is not printable ASCII is encoded by [`text::encode`]. A line break or another control character in it is
/// refused, so that no text a bot passes on becomes a second command.
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

    /// Checks and encodes a line.
    ///
    /// # Errors
    ///
    /// [`CommandError`]: it has a control character, or more than [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn new(line: &str) -> Result<Self, CommandError> {
        check(line)?;
        let encoded = text::encode(line);
        if encoded.len() > Self::MAX_BYTES {
            return Err(CommandError::TooLong { length: encoded.len() });
        }
        Ok(Self(encoded.into()))
    }

    /// A command that ends in a free text, such as `tell Newton` and what to tell.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); and [`CommandError::Empty`] if the text is nothing but blanks, which says nothing or, in
    /// some commands, something else.
    pub fn with_text(head: &str, text: &str) -> Result<Self, CommandError> {
        if text.trim().is_empty() {
            return Err(CommandError::Empty);
        }
        Self::new(&format!("{head} {text}"))
    }

    /// The line as it goes out, without number and line feed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The command's name: the first word, without the `$` that keeps aliases out, in small letters.
    pub(super) fn verb(&self) -> Cow<'_, str> {
        small(self.words().next().unwrap_or_default())
    }

    /// The words of the line.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.head().split(' ').filter(|word| !word.is_empty())
    }

    /// The line from its first word on.
    fn head(&self) -> &str {
        self.0.trim_start_matches(['$', '/', ' '])
    }

    /// Whether it leaves the server, which then answers nothing a reply could be told by.
    pub(super) fn is_quit(&self) -> bool {
        matches!(&*self.verb(), "quit" | "exit" | "logout" | "bye")
    }

    /// Whether it contains a secret, as far as that depends on no alias.
    pub(super) fn is_secret(&self) -> bool {
        SecretDetector::default().is_secret(&self.0)
    }

    /// Whether it may switch block mode, so that what follows it has to wait for its reply.
    pub(super) fn may_switch_block_mode(&self) -> bool {
        let mut words = self.words();
        words.next().map(small).is_some_and(|verb| verb == "iset")
            && words.next().is_some_and(|ivar| "block".starts_with(&*small(ivar)))
    }

    /// Whether it asks to observe a game; servers take the command by its first letters.
    pub(super) fn is_observe(&self) -> bool {
        let verb = self.verb();
        !verb.is_empty() && "observe".starts_with(&*verb)
    }

    /// Whether it challenges a player or accepts a challenge.
    pub(super) fn is_challenge(&self) -> bool {
        matches!(&*self.verb(), "match" | "rematch" | "resume" | "accept")
    }

    /// The prompt that it sets; an empty one takes the server's own back. `None` if it sets none.
    pub(super) fn prompt_to_set(&self) -> Option<&str> {
        /// Shorter names are other variables, too.
        const SHORTEST: usize = 3;
        let (verb, rest) = self.head().split_once(' ')?;
        let (name, value) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        let is_prompt = small(verb) == "set" && name.len() >= SHORTEST && "prompt".starts_with(&*small(name));
        is_prompt.then(|| value.trim())
    }

    /// The style that it sets, as it was written. `None` if it sets none.
    pub(super) fn style_to_set(&self) -> Option<&str> {
        let mut words = self.words();
        match &*small(words.next()?) {
            "style" => words.next(),
            "set" if small(words.next()?) == "style" => words.next(),
            _ => None,
        }
    }

    /// Whether the server counts it as a sign of life: every command is one, unless `$$` stands in front.
    pub(super) fn resets_idle(&self) -> bool {
        !self.0.starts_with("$$")
    }
}

/// The word in small letters: servers make no difference.
fn small(word: &str) -> Cow<'_, str> {
    if word.contains(|c: char| c.is_ascii_uppercase()) { word.to_ascii_lowercase().into() } else { word.into() }
}

/// Refuses control characters.
pub(super) fn check(line: &str) -> Result<(), CommandError> {
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

impl TryFrom<&str> for Command {
    type Error = CommandError;

    fn try_from(line: &str) -> Result<Self, CommandError> {
        Self::new(line)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shows no secret, unless an alias hides which command it is.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_secret() {
            return f.write_str("Command(..)");
        }
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(line: &str) -> Result<String, CommandError> {
        Command::new(line).map(|command| command.as_str().to_owned())
    }

    #[test]
    fn a_line_goes_out_in_printable_ascii() {
        let cases = [
            ("empty", "", ""),
            ("command", "tell 50 hello", "tell 50 hello"),
            ("blanks stay", "  say a  b ", "  say a  b "),
            ("Latin-1", "say Köln", "say K&#xf6;ln"),
            ("beyond", "say ♞ 🐎", "say &#x265e; &#x1f40e;"),
            ("no-break space, line separator", "\u{a0}\u{2028}", "&#xa0;&#x2028;"),
            ("an entity stays", "&#x41;", "&#x41;"),
        ];
        for (name, line, want) in cases {
            assert_eq!(encoded(line).as_deref(), Ok(want), "{name}");
        }
    }

    // Rules: transport L5, transport L7, bugs 15
    #[test]
    fn a_line_that_would_be_more_than_text_is_refused() {
        for line in ["tell Foo hi\nresign", "\n", "quit\r", "a\r\nb"] {
            assert_eq!(encoded(line), Err(CommandError::LineBreak), "{line:?}");
        }
        for line in ["\0", "a\tb", "\x07", "\x18", "\x19", "\x1b[2J", "\x7f", "\u{85}", "\u{9b}2J"] {
            assert_eq!(encoded(line), Err(CommandError::Control), "{line:?}");
        }
    }

    // Rules: transport L6, bugs 15
    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let max = Command::MAX_BYTES;
        assert_eq!(encoded(&"x".repeat(max)).map(|line| line.len()), Ok(max));
        assert_eq!(encoded(&"x".repeat(max + 1)), Err(CommandError::TooLong { length: max + 1 }));
        assert_eq!(
            encoded(&"♞".repeat(125)),
            Err(CommandError::TooLong { length: 1000 }),
            "what counts is what is sent"
        );
    }

    #[test]
    fn a_text_stands_behind_its_command() {
        assert_eq!(Command::with_text("tell Foo", "hi").unwrap().as_str(), "tell Foo hi");
        assert_eq!(Command::with_text("tell Foo", " \u{2003}"), Err(CommandError::Empty));
        assert_eq!(Command::with_text("tell Foo", "hi\0"), Err(CommandError::Control));
    }

    #[test]
    fn a_command_knows_what_it_does() {
        let command = |line| Command::new(line).unwrap();
        assert_eq!(command("$$tell  Foo hi").verb(), "tell");
        assert!(command("quit").is_quit() && command(" logout").is_quit() && !command("tell quit x").is_quit());
        assert!(command("Quit").is_quit() && command("$LOGOUT").is_quit());
        assert_eq!((command("Seek 5 0").verb(), command("Set Prompt X").prompt_to_set()), ("seek".into(), Some("X")));
        for (line, switches) in [
            ("iset block 1", true),
            ("Iset Block 0", true),
            ("$iset bl 0", true),
            ("iset ms 1", false),
            ("iset", false),
        ] {
            assert_eq!(command(line).may_switch_block_mode(), switches, "{line}");
        }
        for (line, style) in [
            ("style 1", Some("1")),
            ("$set style 12", Some("12")),
            ("Style 1", Some("1")),
            ("set width 80", None),
            ("set", None),
        ] {
            assert_eq!(command(line).style_to_set(), style, "{line}");
        }
        for (line, is_secret) in
            [("password old new", true), ("set password new", true), ("tell Newton password", false)]
        {
            assert_eq!(format!("{:?}", command(line)) == "Command(..)", is_secret, "{line}");
        }
        assert!(command("$date").resets_idle() && !command("$$date").resets_idle());
    }
}
