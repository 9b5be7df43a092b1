//! Subjects of events: `kibitzer.v1.<session>.<class>[.<game>].<event>`.

use std::collections::BTreeSet;

use kibitzer_core::EventKind;
use kibitzer_core::event::EventCategory;

use crate::NatsError;
use crate::event_head::EventHead;

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
        let game = event.game.and_then(|game| game.get().parse().ok());
        let game = game.map(|game: u32| format!(".{game}")).unwrap_or_default();
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
mod tests {
    use super::*;

    fn subject(session: &str, line: &str) -> String {
        SessionName::new(session).unwrap().subject_of(&EventHead::parse(line.as_bytes()).unwrap())
    }

    #[test]
    fn a_subject_names_session_class_game_and_event() {
        let cases = [
            (r#"{"event":"position","offset":0,"game":12,"fen":"x"}"#, "kibitzer.v1.fics.game.12.position"),
            (r#"{"event":"kibitz","offset":0,"text":"kibitzer.v1.>","game":7}"#, "kibitzer.v1.fics.talk.7.kibitz"),
            (r#"{"event":"say","offset":0,"text":"x","game":null}"#, "kibitzer.v1.fics.talk.say"),
            (r#"{"event":"desync","offset":0,"game":7,"text":"x"}"#, "kibitzer.v1.fics.game.7.desync"),
            (r#"{"event":"finger","offset":0,"game":{"game":3}}"#, "kibitzer.v1.fics.text.finger"),
            (r#"{"event":"challenge","offset":0}"#, "kibitzer.v1.fics.seek.challenge"),
            (r#"{"event":"lost","offset":null,"text":"x"}"#, "kibitzer.v1.fics.life.lost"),
            (r#"{"event":"prompt","offset":1}"#, "kibitzer.v1.fics.text.prompt"),
            (r#"{"event":"of_a_later_version","offset":1}"#, "kibitzer.v1.fics.life.of_a_later_version"),
        ];
        for (line, want) in cases {
            assert_eq!(subject("fics", line), want);
        }
    }

    #[test]
    fn every_character_of_a_session_is_escaped_unless_it_is_safe_in_a_subject() {
        let name = SessionName::new("a.b*>\u{e9} =Z_9-").unwrap();
        assert_eq!(name.token(), "a=2Eb=2A=3E=C3=A9=20=3DZ_9-");
        assert_eq!(name.all_subjects(), "kibitzer.v1.a=2Eb=2A=3E=C3=A9=20=3DZ_9-.>");
        for text in [String::new(), "x".repeat(65)] {
            assert!(SessionName::new(&text).is_err(), "{text}");
        }
        assert!(SessionName::is_token(SessionName::new(&" ".repeat(64)).unwrap().token()));
        for word in [String::new(), "x".repeat(193), "../x".to_owned(), "a b".to_owned(), "\u{e9}".to_owned()] {
            assert!(!SessionName::is_token(&word), "{word}");
        }
    }

    #[test]
    fn a_filter_selects_the_subjects_of_its_events() {
        let session = || SubjectFilter { session: SessionName::new("a").ok(), ..SubjectFilter::default() };
        let kinds = BTreeSet::from([EventKind::Tell, EventKind::Position]);
        let cases: [(SubjectFilter, &[&str]); 5] = [
            (SubjectFilter::default(), &["kibitzer.v1.*.>"]),
            (session(), &["kibitzer.v1.a.>"]),
            (SubjectFilter { game: Some(7), ..session() }, &["kibitzer.v1.a.*.7.*"]),
            (
                SubjectFilter { game: Some(7), kinds: BTreeSet::from([EventKind::Position]), ..session() },
                &["kibitzer.v1.a.game.7.position"],
            ),
            (
                SubjectFilter { kinds, ..SubjectFilter::default() },
                &[
                    "kibitzer.v1.*.game.position",
                    "kibitzer.v1.*.game.*.position",
                    "kibitzer.v1.*.talk.tell",
                    "kibitzer.v1.*.talk.*.tell",
                ],
            ),
        ];
        for (filter, want) in cases {
            assert_eq!(filter.subjects(), want);
        }
    }
}
