//! Expressions and their meaning.

use std::fmt;

use kibitzer::core::message::GameId;
use regex_lite::Regex;

use super::Subject;
use super::comparison::Comparison;

/// Words with a meaning of their own in an expression; other words are searched as text.
pub(super) const RESERVED: [&str; 4] = ["and", "or", "not", "mine"];

/// A filter expression, such as `kind:tell from:foo`. `Display` writes the text it was parsed from, trimmed and on one line;
/// expressions with the same text are equal.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(super) text: String,
    pub(super) term: Term,
}

/// An expression, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// All of these hold.
    And(Vec<Self>),
    /// At least one of these holds.
    Or(Vec<Self>),
    Not(Box<Self>),
    /// The event is of one of these kinds.
    Kind(Vec<&'static str>),
    /// The event is about one of these games.
    Game(Vec<GameId>),
    /// The event reports words of one of these players, in any case.
    From(Vec<String>),
    /// The text mentions one of these players, in any case.
    Name(Vec<String>),
    /// The text contains this text, in any case, which is stored in lower case.
    Text(String),
    /// The text matches this pattern, which ignores case.
    Matches(Regex),
    /// The event is about a game of this login, or an offer to it: see [`Attribution::is_own_game`](kibitzer::core::event::Attribution::is_own_game).
    Mine,
    Compare(Comparison),
}

impl Expression {
    /// Returns whether the event or console row meets the expression.
    pub(crate) fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.term.accepts(subject)
    }
}

impl Term {
    fn accepts(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.accepts(subject)),
            Self::Or(any) => any.iter().any(|one| one.accepts(subject)),
            Self::Not(inner) => !inner.accepts(subject),
            Self::Kind(kinds) => kinds.contains(&subject.kind),
            Self::Game(games) => subject.game.is_some_and(|game| games.contains(&game)),
            Self::From(names) => subject.speaker().is_some_and(|speaker| is_one_of(names, speaker.as_str())),
            Self::Name(names) => mentioned_names(subject.text()).any(|word| is_one_of(names, word)),
            Self::Text(text) => subject.text().to_lowercase().contains(text),
            Self::Matches(pattern) => pattern.is_match(subject.text()),
            Self::Mine => subject.event.is_some_and(|event| event.attribution().is_own_game()),
            Self::Compare(comparison) => comparison.accepts(subject),
        }
    }
}

/// Returns the words of a text that may be handles. A hyphen may be part of a handle: `Foo-Bar` gives the whole word and both
/// parts.
fn mentioned_names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.flat_map(|word| std::iter::once(word).chain(word.split('-')))
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns whether the list contains the word, in any ASCII case.
pub(super) fn is_one_of(words: &[impl AsRef<str>], word: &str) -> bool {
    words.iter().any(|known| known.as_ref().eq_ignore_ascii_case(word))
}
