//! Expressions: their meaning, and their text.

use std::fmt;

use kibitzer::core::message::GameId;
use regex_lite::{Regex, RegexBuilder};

use super::Subject;
use super::comparison::{Comparison, Quantity};

/// Maximum memory of a compiled pattern in bytes, which limits the time to search a row: `(a?){9999}` compares each character
/// with thousands of states.
const MAX_PATTERN_BYTES: usize = 64 << 10;

/// Words of the language, which are not searched as text.
pub(super) const RESERVED: [&str; 4] = ["and", "or", "not", "mine"];

/// A filter expression. Displayed as text that parses to the same expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// All of at least two expressions.
    And(Vec<Self>),
    /// One of at least two expressions.
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
    Matches(Pattern),
    /// A game that this login plays or has played.
    Mine,
    Compare(Comparison),
}

/// A regular expression that ignores case.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

impl Expression {
    /// Returns whether the expression holds for an event or a row.
    pub(crate) fn accepts(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.accepts(subject)),
            Self::Or(any) => any.iter().any(|one| one.accepts(subject)),
            Self::Not(inner) => !inner.accepts(subject),
            Self::Kind(kinds) => kinds.contains(&subject.kind),
            Self::Game(games) => subject.game.is_some_and(|game| games.contains(&game)),
            Self::From(names) => subject.speaker().is_some_and(|speaker| contains_name(names, speaker.as_str())),
            Self::Name(names) => mentioned_names(subject.text()).any(|word| contains_name(names, word)),
            Self::Text(text) => subject.text().to_lowercase().contains(text),
            Self::Matches(pattern) => pattern.0.is_match(subject.text()),
            Self::Mine => subject.facts.is_mine,
            Self::Compare(comparison) => comparison.accepts(subject),
        }
    }
}

/// Returns whether the name is in the list, in any case.
fn contains_name(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

/// Returns the words of a text that may be handles; of `Foo-Bar` the whole and both parts, as a hyphen may be part of a handle.
fn mentioned_names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.flat_map(|word| std::iter::once(word).chain(word.split('-')))
}

impl Pattern {
    /// Compiles a regular expression.
    ///
    /// # Errors
    ///
    /// A description of the fault in the pattern.
    pub(super) fn compile(pattern: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build();
        built.map(Self).map_err(|error| format!("the pattern is not valid: {error}"))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(all) => write_joined(f, all, " ", |one| matches!(one, Self::And(_) | Self::Or(_))),
            Self::Or(any) => write_joined(f, any, " or ", |one| matches!(one, Self::Or(_))),
            Self::Not(inner) => {
                f.write_str("-")?;
                inner.write_in_brackets(f, matches!(**inner, Self::And(_) | Self::Or(_)))
            }
            Self::Kind(kinds) => write!(f, "kind:{}", kinds.join(",")),
            Self::Game(games) => {
                write!(f, "game:{}", games.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            Self::From(names) => write_value(f, "from:", &names.join(",")),
            Self::Name(names) => write_value(f, "name:", &names.join(",")),
            Self::Text(text) if is_bare_word(text) => f.write_str(text),
            Self::Text(text) => write_value(f, "text:", text),
            // Its quotation marks are still escaped.
            Self::Matches(pattern) => write!(f, "\"{}\"", pattern.0.as_str()),
            Self::Mine => f.write_str("mine"),
            Self::Compare(comparison) => comparison.fmt(f),
        }
    }
}

impl Expression {
    /// Writes the expression, in brackets if `needs_brackets`.
    fn write_in_brackets(&self, f: &mut fmt::Formatter<'_>, needs_brackets: bool) -> fmt::Result {
        if needs_brackets { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

/// Writes expressions with a separator between them, in brackets where `needs_brackets` returns `true`.
fn write_joined(
    f: &mut fmt::Formatter<'_>,
    parts: &[Expression],
    separator: &str,
    needs_brackets: impl Fn(&Expression) -> bool,
) -> fmt::Result {
    for (n, part) in parts.iter().enumerate() {
        f.write_str(if n == 0 { "" } else { separator })?;
        part.write_in_brackets(f, needs_brackets(part))?;
    }
    Ok(())
}

/// Writes a key and its value, in quotation marks unless the value is a plain word.
fn write_value(f: &mut fmt::Formatter<'_>, key: &str, value: &str) -> fmt::Result {
    f.write_str(key)?;
    if is_bare_word(value) {
        return f.write_str(value);
    }
    write!(f, "\"{}\"", value.replace('\\', r"\\").replace('"', "\\\""))
}

/// Returns whether a text stands for itself as a word: it contains no delimiter and no sign of the language.
fn is_bare_word(text: &str) -> bool {
    let is_sign = |c: char| c.is_whitespace() || "()\":<>=!&|".contains(c);
    !text.is_empty()
        && !text.starts_with('-')
        && !text.contains(is_sign)
        && !is_one_of(&RESERVED, text)
        && text.parse::<Quantity>().is_err()
}

/// Returns whether the word is in the list, in any case.
pub(super) fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}
