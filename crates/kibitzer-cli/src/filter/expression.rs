//! Expressions and their meaning.

use std::fmt;

use kibitzer::core::message::GameId;
use regex_lite::Regex;

use super::Subject;
use super::comparison::Comparison;

/// Words of the language, which are not searched as text.
pub(super) const RESERVED: [&str; 4] = ["and", "or", "not", "mine"];

/// A filter expression. Displayed as the text it was parsed from, on one line; equal to any other of the same text.
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
    Kind(Vec<&'static str>),
    Game(Vec<GameId>),
    /// One of these players speaks.
    From(Vec<String>),
    /// The text mentions one of these players.
    Name(Vec<String>),
    /// The text contains this text, in any case. Stored in lower case.
    Text(String),
    /// The text matches this pattern, which ignores case.
    Matches(Regex),
    /// A game that this login plays or has played.
    Mine,
    Compare(Comparison),
}

impl Expression {
    /// Returns whether the expression holds for an event or a row.
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
            Self::Mine => subject.facts.is_mine,
            Self::Compare(comparison) => comparison.accepts(subject),
        }
    }
}

/// Returns the words of a text that may be handles; of `Foo-Bar` the whole and both parts, as a hyphen may be part of a handle.
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

/// Returns whether the word is in the list, in any case.
pub(super) fn is_one_of(words: &[impl AsRef<str>], word: &str) -> bool {
    words.iter().any(|known| known.as_ref().eq_ignore_ascii_case(word))
}
