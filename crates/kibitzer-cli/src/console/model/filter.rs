//! Filter expressions over rows: `kind:tell,say game:12 from:foo "regex"`.

use std::fmt;

use kibitzer::core::EventKind;
use kibitzer::core::message::GameId;
use regex_lite::{Regex, RegexBuilder};

use crate::console::model::row::{BOT, ConsoleRow, DISCONNECTED, GAP, MARK};

/// Keys of an expression, for completion.
pub(crate) const KEYS: [&str; 5] = ["kind:", "game:", "from:", "name:", "text:"];

/// A filter expression; accepts a row if all of its terms match.
///
/// | term | holds for |
/// |---|---|
/// | `kind:tell,say` | rows of one of these kinds |
/// | `game:12,14` | rows about one of these games |
/// | `from:foo,bar` | what one of these players says |
/// | `name:foo` | lines that name one of these players |
/// | `text:word`, `word` | lines that hold this text, in either case |
/// | `"regex"` | lines that match, in either case |
/// | `-term` | where the term does not hold |
#[derive(Clone, Debug)]
pub(crate) struct RowFilter {
    terms: Vec<Predicate>,
    source: String,
}

#[derive(Clone, Debug)]
enum Predicate {
    Kind(Vec<&'static str>),
    Game(Vec<GameId>),
    From(Vec<String>),
    Name(Vec<String>),
    /// Lower-case text to search for.
    Text(String),
    Matches(Regex),
    Not(Box<Self>),
}

impl RowFilter {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// A description of the first invalid term, or of the missing one if the expression is empty.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        let mut rest = source.trim();
        while !rest.is_empty() {
            let negated = rest.strip_prefix(['-', '!']);
            let (term, after) = Predicate::read(negated.unwrap_or(rest))?;
            terms.push(if negated.is_some() { Predicate::Not(Box::new(term)) } else { term });
            rest = after.trim_start();
        }
        if terms.is_empty() {
            return Err("an expression needs at least one term, such as kind:tell".to_owned());
        }
        Ok(Self { terms, source: source.trim().to_owned() })
    }

    /// Returns whether all terms match the row.
    pub(crate) fn accepts(&self, row: &ConsoleRow) -> bool {
        let mut line = CachedSummary { row, text: None };
        self.terms.iter().all(|term| term.matches(&mut line))
    }
}

impl fmt::Display for RowFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Predicate {
    /// Parses the first term of a text, without its sign. Returns the rest of the text, too.
    fn read(text: &str) -> Result<(Self, &str), String> {
        if let Some(pattern) = text.strip_prefix('"') {
            let (pattern, rest) = quoted(pattern).ok_or("the quotation mark is not closed")?;
            return Ok((Self::Matches(regex(&pattern)?), rest));
        }
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let test = match word.split_once(':') {
            Some((key, value)) => Self::parse_keyed(key, value)?,
            None if word.is_empty() => return Err("- needs a value".to_owned()),
            None => Self::Text(word.to_lowercase()),
        };
        Ok((test, rest))
    }

    fn parse_keyed(key: &str, value: &str) -> Result<Self, String> {
        let values = || value.split(',').filter(|value| !value.is_empty());
        if values().next().is_none() {
            return Err(format!("{key}: needs a value"));
        }
        let names = || values().map(str::to_owned).collect();
        match key.to_ascii_lowercase().as_str() {
            "kind" => values().map(kind).collect::<Result<_, _>>().map(Self::Kind),
            "game" => values().map(game).collect::<Result<_, _>>().map(Self::Game),
            "from" => Ok(Self::From(names())),
            "name" => Ok(Self::Name(names())),
            "text" => Ok(Self::Text(value.to_lowercase())),
            _ => Err(format!("unknown key {key:?}: the keys are kind, game, from, name, text")),
        }
    }

    fn matches(&self, line: &mut CachedSummary<'_>) -> bool {
        match self {
            Self::Kind(kinds) => kinds.contains(&line.row.kind()),
            Self::Game(games) => line.row.game().is_some_and(|game| games.contains(&game)),
            Self::From(names) => line.row.speaker().is_some_and(|speaker| contains_name(speaker.as_str(), names)),
            Self::Name(names) => {
                let mut words = line.text().split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                words.any(|word| contains_name(word, names))
            }
            Self::Text(text) => line.text().to_lowercase().contains(text),
            Self::Matches(regex) => regex.is_match(line.text()),
            Self::Not(term) => !term.matches(line),
        }
    }
}

/// A row, with its summary computed on first use.
struct CachedSummary<'a> {
    row: &'a ConsoleRow,
    text: Option<String>,
}

impl CachedSummary<'_> {
    fn text(&mut self) -> &str {
        self.text.get_or_insert_with(|| self.row.line())
    }
}

fn contains_name(name: &str, names: &[String]) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

/// Returns every valid value of `kind:`.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.iter().map(|kind| kind.as_str()).chain([MARK, BOT, GAP, DISCONNECTED])
}

fn kind(name: &str) -> Result<&'static str, String> {
    kinds().find(|kind| *kind == name).ok_or_else(|| format!("no event has the kind {name:?}; Tab completes kinds"))
}

fn game(number: &str) -> Result<GameId, String> {
    number.parse().map(GameId).map_err(|_| format!("game {number:?} is not a number"))
}

/// Splits a text at its closing quotation mark. `\"` is an escaped one that does not close.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '"' => return Some((inside, characters.as_str())),
            '\\' => match characters.next()? {
                '"' => inside.push('"'),
                other => inside.extend(['\\', other]),
            },
            other => inside.push(other),
        }
    }
}

fn regex(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).build();
    built.map_err(|error| format!("the pattern is not valid: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::tests::rows;

    const SAID: &[u8] =
        b"Foo tells you: Hello (there)\n\rBar(50): hello foo\n\rfics% \n\rFoo(1882)[12] kibitzes: a b\n\r\
        {Game 12 (Foo vs. Bar) Foo resigns} 0-1\n\rBarFoo shouts: x\n\r";

    /// The numbers of the rows that are meant.
    fn accepted(source: &str) -> Vec<u64> {
        let filter = RowFilter::parse(source).unwrap();
        rows(SAID).iter().filter(|row| filter.accepts(row)).map(|row| row.number).collect()
    }

    #[test]
    fn each_term_asks_for_one_thing() {
        let cases: &[(&str, &[u64])] = &[
            ("kind:tell", &[1]),
            ("kind:tell,shout", &[1, 6]),
            ("KIND:prompt", &[3]),
            ("game:12", &[4, 5]),
            ("game:1,12", &[4, 5]),
            ("game:-1", &[]),
            ("from:foo", &[1, 4]),
            ("from:bar,barfoo", &[2, 6]),
            ("name:bar", &[2, 5]),
            ("hello", &[1, 2]),
            ("text:HELLO", &[1, 2]),
            ("\"hel+o .there\"", &[1]),
            ("\"^foo\"", &[1, 4]),
            ("(there)", &[1]),
            ("-kind:prompt -from:foo", &[2, 5, 6]),
            ("kind:tell,kibitz game:12 from:FOO \"A b\"", &[4]),
            ("!\"o\"", &[3]),
            ("kind:sent,mark", &[]),
        ];
        for &(source, want) in cases {
            assert_eq!(accepted(source), want, "{source}");
        }
    }

    #[test]
    fn a_quotation_mark_may_be_part_of_a_pattern() {
        assert_eq!(quoted(r#"a\"b\d" c"#), Some((r#"a"b\d"#.to_owned(), " c")));
        assert_eq!(quoted(r#"a\""#), None);
    }

    #[test]
    fn invalid_expressions_are_reported() {
        let cases = [
            ("", "an expression needs at least one term, such as kind:tell"),
            ("  ", "an expression needs at least one term, such as kind:tell"),
            ("kind:tel", "no event has the kind \"tel\"; Tab completes kinds"),
            ("kind:", "kind: needs a value"),
            ("kind:,", "kind: needs a value"),
            ("game:x", "game \"x\" is not a number"),
            ("game:99999999999", "game \"99999999999\" is not a number"),
            ("nick:foo", "unknown key \"nick\": the keys are kind, game, from, name, text"),
            ("\"foo", "the quotation mark is not closed"),
            ("-", "- needs a value"),
        ];
        for (source, want) in cases {
            assert_eq!(RowFilter::parse(source).unwrap_err(), want, "{source}");
        }
        assert!(RowFilter::parse("\"(\"").unwrap_err().starts_with("the pattern is not valid: "));
    }

    #[test]
    fn an_expression_is_shown_as_typed() {
        assert_eq!(RowFilter::parse(" kind:tell  \"x y\" ").unwrap().to_string(), "kind:tell  \"x y\"");
    }
}
