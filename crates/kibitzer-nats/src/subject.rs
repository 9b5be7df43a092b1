//! Subjects of events: `kibitzer.v1.<session>.<class>[.<game>].<event>`.

use std::collections::BTreeSet;

use kibitzer_core::EventKind;
use kibitzer_core::event::EventCategory;

use crate::NatsError;
use crate::event::EventHead;

/// Beginning of all subjects.
const PREFIX: &str = "kibitzer.v1";

/// Maximum length of a session's name. Escaped, it is at most three times as long.
const MAX_SESSION_BYTES: usize = 64;

/// Name of a session in subjects; unique in its stream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName {
    /// The name with all bytes but letters, digits, `_` and `-` escaped as `=XX`.
    token: String,
}

impl SessionName {
    /// Creates a name from any text of 1 to 64 bytes.
    ///
    /// # Errors
    ///
    /// [`NatsError::SessionName`] for a text of another length.
    pub fn new(name: &str) -> Result<Self, NatsError> {
        if name.is_empty() || name.len() > MAX_SESSION_BYTES {
            return Err(NatsError::SessionName);
        }
        let escape = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => char::from(byte).to_string(),
            _ => format!("={byte:02X}"),
        };
        Ok(Self { token: name.bytes().map(escape).collect() })
    }

    /// Returns whether a word of a subject may be the escaped name of a session: it has 1 to 192 bytes, each a letter, a digit,
    /// `_`, `-` or `=`, and is therefore also safe as the name of a file. Subjects of other programs may contain anything.
    pub fn is_token(word: &str) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte);
        (1..=MAX_SESSION_BYTES * 3).contains(&word.len()) && word.bytes().all(is_allowed)
    }

    /// Returns the name as it is written in subjects.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the wildcard for the subjects of all events of the session.
    pub(crate) fn all_subjects(&self) -> String {
        format!("{PREFIX}.{}.>", self.token)
    }

    /// Returns the subject of an event.
    pub(crate) fn subject_of(&self, event: &EventHead<'_>) -> String {
        let game = event.game().map(|game| format!(".{game}")).unwrap_or_default();
        format!("{PREFIX}.{}.{}{game}.{}", self.token, subject_class_of(event.name.parse().ok()), event.name)
    }
}

/// Subjects of all events of all sessions.
pub(crate) const ALL_SUBJECTS: &str = "kibitzer.v1.>";

/// Returns the class of an event in subjects: `game`, `talk`, `seek`, `text` or `life`. `None` is a kind that this version does
/// not know; its class is `life`.
const fn subject_class_of(kind: Option<EventKind>) -> &'static str {
    use EventCategory as Category;
    let Some(kind) = kind else { return "life" };
    match (kind, kind.category()) {
        (EventKind::Offer | EventKind::Desync | EventKind::Missed, _) | (_, Category::Board | Category::Game) => "game",
        (_, Category::PrivateTalk | Category::PublicTalk | Category::ChannelTalk | Category::GameTalk) => "talk",
        (_, Category::Offer | Category::Seek) => "seek",
        (EventKind::Refused, _) | (_, Category::Control | Category::Text | Category::Listing) => "text",
        _ => "life",
    }
}

/// Selects stored events by their subjects. Default: all events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubjectFilter {
    /// The session whose events are selected; `None` for all sessions.
    pub session: Option<SessionName>,
    /// The game that the selected events name; `None` for all events, with or without a game.
    pub game: Option<u32>,
    /// The kinds of the selected events; all if it is empty.
    pub kinds: BTreeSet<EventKind>,
}

impl SubjectFilter {
    /// Returns the selected subjects. No two of them overlap, as the server requires.
    pub(crate) fn subjects(&self) -> Vec<String> {
        let session = self.session.as_ref().map_or("*", SessionName::token);
        let start = format!("{PREFIX}.{session}");
        if self.kinds.is_empty() {
            return vec![self.game.map_or(format!("{start}.>"), |game| format!("{start}.*.{game}.*"))];
        }
        let subjects = |&kind: &EventKind| {
            let class = subject_class_of(Some(kind));
            match self.game {
                Some(game) => vec![format!("{start}.{class}.{game}.{kind}")],
                None => vec![format!("{start}.{class}.{kind}"), format!("{start}.{class}.*.{kind}")],
            }
        };
        self.kinds.iter().flat_map(subjects).collect()
    }
}

#[cfg(test)]
mod tests;
