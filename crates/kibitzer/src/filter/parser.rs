//! Parser of filter expressions.
//!
//! ```text
//! disjunction = conjunction { "or" conjunction }
//! conjunction = term { ["and"] term }
//! term = ("not" | "-" | "!") term | "(" disjunction ")" | "pattern" | key:values | quantity operator value | "mine"
//!      | "unanswered" | word
//! ```

use kibitzer_core::message::GameId;
use regex_lite::RegexBuilder;
use strum::VariantNames as _;
use thiserror::Error;
use unicode_width::UnicodeWidthStr as _;

use super::expression::{Comparison, Expression, OPERATORS, Operator, Quantity, RESERVED, Term, is_one_of, kinds};
use super::words::{TerminalSafe, unknown_word_message};

/// Maximum size of an expression, in bytes.
const MAX_BYTES: usize = 4 << 10;
/// Maximum nesting of brackets and negations, which limits the recursion of the parser and of everything that walks an
/// expression.
const MAX_DEPTH: usize = 32;
/// Maximum memory of a compiled pattern in bytes, which limits the time to search a row: `(a?){9999}` compares each character
/// with thousands of states.
const MAX_PATTERN_BYTES: usize = 64 << 10;

/// Keys that are followed by values.
const KEYS: [&str; 5] = ["kind", "game", "from", "name", "text"];
/// Characters that end the first word of a term, a key or a quantity.
const DELIMITERS: [char; 4] = [':', '<', '>', '='];

/// Returns the words that can begin a term, for the completion of expressions: keys with `:`, quantities with `<`, and the
/// reserved words, among them `and` and `or`.
pub fn term_completions() -> impl Iterator<Item = String> {
    let keys = KEYS.iter().map(|key| format!("{key}:"));
    let quantities = Quantity::VARIANTS.iter().map(|name| format!("{name}<"));
    keys.chain(quantities).chain(RESERVED.map(str::to_owned))
}

/// Returns whether a word, in any case, is the name of a quantity, such as `lag`.
pub fn is_quantity(word: &str) -> bool {
    word.parse::<Quantity>().is_ok()
}

impl Expression {
    /// Parses an expression. Keys and quantities are recognized in any case; surrounding blanks are ignored.
    ///
    /// # Errors
    ///
    /// [`FilterError`] for an empty, too long or too deeply nested text, and at the first word that is not part of the language.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let mut parser = Parser { text, at: 0 };
        if text.len() > MAX_BYTES {
            return Err(parser.error(MAX_BYTES, format!("an expression has at most {MAX_BYTES} bytes")));
        }
        if text.trim().is_empty() {
            return Err(parser.error(0, "an expression needs at least one term, such as kind:tell"));
        }
        let term = parser.parse_disjunction(0)?;
        if !parser.rest().is_empty() {
            return Err(parser.error(parser.at, "no bracket is open here"));
        }
        Ok(Self { text: text.trim().replace(['\n', '\r', '\t'], " "), term })
    }
}

impl Parser<'_> {
    /// Parses one or more expressions joined by `or`, up to a closing bracket or the end. `depth` is the number of open brackets
    /// and negations.
    fn parse_disjunction(&mut self, depth: usize) -> Result<Term, FilterError> {
        let mut any = vec![self.parse_conjunction(depth)?];
        while self.take_word("or") {
            any.push(self.parse_conjunction(depth)?);
        }
        Ok(Term::Or(any))
    }

    /// Parses one or more terms joined by `and` or by blanks, up to `or`, a closing bracket or the end.
    fn parse_conjunction(&mut self, depth: usize) -> Result<Term, FilterError> {
        let mut all = Vec::new();
        loop {
            all.push(self.parse_term(depth)?);
            let is_joined = self.take_word("and");
            let is_end =
                self.rest().is_empty() || self.rest().starts_with(')') || self.peek_word().eq_ignore_ascii_case("or");
            if is_end && !is_joined {
                return Ok(Term::And(all));
            }
        }
    }

    /// Parses a term: a negation, an expression in brackets, a pattern in quotation marks, or a term that starts with a word.
    fn parse_term(&mut self, depth: usize) -> Result<Term, FilterError> {
        self.skip_blanks();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(self.error(start, format!("brackets and negations are nested more than {MAX_DEPTH} deep")));
        }
        if self.take_sign("-") || self.take_sign("!") || self.take_word("not") {
            return Ok(Term::Not(Box::new(self.parse_term(depth + 1)?)));
        }
        if self.take_sign("(") {
            let inner = self.parse_disjunction(depth + 1)?;
            return if self.take_sign(")") { Ok(inner) } else { Err(self.error(start, "the bracket is not closed")) };
        }
        if self.rest().starts_with('"') {
            let mut pattern = RegexBuilder::new(self.take_quoted()?);
            let pattern = pattern.case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build();
            return pattern
                .map(Term::Matches)
                .map_err(|error| self.error(start, format!("the pattern is not valid: {error}")));
        }
        self.parse_word_term()
    }

    /// Parses a term that starts with a word: `key:values`, a comparison, `mine`, `unanswered`, or a word to search for. Fails if none follows.
    fn parse_word_term(&mut self) -> Result<Term, FilterError> {
        let (start, word) = (self.at, self.peek_word());
        if word.is_empty() || is_one_of(&["and", "or"], word) {
            return Err(self.error(start, "a term is missing here, such as kind:tell"));
        }
        if word.chars().all(|c| "<>=!&|".contains(c)) {
            return Err(
                self.error(start, format!("{word} stands alone; write lag>1s, or join terms with and, or, not"))
            );
        }
        let end = word.find(DELIMITERS).unwrap_or(word.len());
        let (key, after) = word.split_at_checked(end).unwrap_or((word, ""));
        let key = if after.starts_with('=') { key.trim_end_matches('!') } else { key };
        self.at += key.len();
        if let Ok(quantity) = key.parse::<Quantity>() {
            self.skip_blanks();
            if let Some((_, operator)) = OPERATORS.iter().find(|(sign, _)| self.take_sign(sign)) {
                return self.parse_comparison(quantity, *operator);
            }
            self.at = start + key.len();
        }
        if !key.is_empty() && self.take_sign(":") {
            return self.parse_values_of_key(start, key);
        }
        if !key.is_empty() && self.at < start + word.len() {
            return Err(self.error(start, unknown_word_message("quantity", key, Quantity::VARIANTS.iter().copied())));
        }
        self.at = start + word.len();
        Ok(match word.to_lowercase() {
            word if word == "mine" => Term::Mine,
            word if word == "unanswered" => Term::Unanswered,
            word => Term::Text(word),
        })
    }

    /// Parses the value after the operator of a comparison, with blanks before it.
    fn parse_comparison(&mut self, quantity: Quantity, operator: Operator) -> Result<Term, FilterError> {
        self.skip_blanks();
        let (start, word) = (self.at, self.peek_word());
        let value = quantity.parse_value(word).map_err(|message| self.error(start, message))?;
        self.at += word.len();
        Ok(Term::Compare(Comparison { quantity, operator, value }))
    }

    /// Parses the values of a term `key:values`, with commas between them. The parser stands after the colon; `start` is the byte
    /// offset of the key, for errors.
    fn parse_values_of_key(&mut self, start: usize, key: &str) -> Result<Term, FilterError> {
        let value_start = self.at;
        let value = if self.rest().starts_with('"') {
            unescaped(self.take_quoted()?)
        } else {
            let word = self.peek_word();
            self.at += word.len();
            word.to_owned()
        };
        let mut offset = value_start;
        let items = value.split(',').map(|item| {
            let at = offset;
            offset += item.len() + 1;
            (at, item.trim())
        });
        let items: Vec<_> = items.filter(|(_, item)| !item.is_empty()).collect();
        let names = || items.iter().map(|(_, name)| (*name).to_owned()).collect();
        let key = key.to_ascii_lowercase();
        if is_quantity(&key) {
            return Err(self.error(start + key.len(), format!("{key} is compared with a number, by < > <= >= = or !=")));
        }
        if !is_one_of(&KEYS, &key) {
            return Err(self.error(start, unknown_word_message("key", &key, KEYS.into_iter())));
        }
        if value.is_empty() || items.is_empty() && key != "text" {
            return Err(self.error(value_start, format!("{key}: needs a value")));
        }
        Ok(match key.as_str() {
            "kind" => Term::Kind(items.iter().map(|(at, name)| self.parse_kind(*at, name)).collect::<Result<_, _>>()?),
            "game" => Term::Game(items.iter().map(|(at, game)| self.parse_game(*at, game)).collect::<Result<_, _>>()?),
            "from" => Term::From(names()),
            "name" => Term::Name(names()),
            _ => Term::Text(value.to_lowercase()),
        })
    }

    fn parse_kind(&self, at: usize, name: &str) -> Result<&'static str, FilterError> {
        kinds().find(|kind| *kind == name).ok_or_else(|| self.error(at, unknown_word_message("kind", name, kinds())))
    }

    fn parse_game(&self, at: usize, number: &str) -> Result<GameId, FilterError> {
        number.parse().map(GameId).map_err(|_| self.error(at, format!("game {number:?} is not a number")))
    }
}

/// Parser of a filter expression, at a position in its text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    /// Byte offset of the next character.
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    /// Returns the text that is not consumed yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Creates an error at a byte offset of the text.
    pub(super) fn error(&self, position: usize, message: impl Into<String>) -> FilterError {
        FilterError::new(self.text, position, message)
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Consumes the sign if it comes next, without skipping blanks. Returns whether it did.
    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    /// Returns the characters up to the next blank or bracket, without consuming them; empty if one of these or the end comes
    /// next.
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Skips blanks, and consumes `word` if it is the next word, in any case. Returns whether it did; the blanks are consumed in
    /// either case.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.peek_word().eq_ignore_ascii_case(word) && {
            self.at += word.len();
            true
        }
    }

    /// Consumes a text in quotation marks, and returns it without them. The opening mark has to come next. Backslashes and the
    /// characters that they escape are returned as they are.
    ///
    /// # Errors
    ///
    /// [`FilterError`] if there is no closing mark, or neither a blank, a bracket nor the end follows it.
    pub(super) fn take_quoted(&mut self) -> Result<&'a str, FilterError> {
        let start = self.at;
        let mut is_escaped = true;
        for (n, character) in self.rest().char_indices() {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    self.at += n + 1;
                    let is_end = self.peek_word().is_empty();
                    let quoted = self.text.get(start + 1..start + n).filter(|_| is_end);
                    return quoted.ok_or_else(|| self.error(self.at, "a blank is missing after the quotation mark"));
                }
                _ => {}
            }
        }
        Err(self.error(start, "the quotation mark is not closed"))
    }
}

/// Removes each backslash that escapes the character after it; a backslash at the end is dropped.
pub(super) fn unescaped(quoted: &str) -> String {
    let mut characters = quoted.chars();
    std::iter::from_fn(|| match characters.next()? {
        '\\' => characters.next(),
        other => Some(other),
    })
    .collect()
}

/// Maximum number of characters that [`FilterError::excerpt`] shows before and after the position.
const SHOWN_CHARACTERS: usize = 36;

/// Error for text that is not a valid filter expression. `Display` ends with the position of the problem, as the number of a
/// character from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} (character {})", self.n_characters_before() + 1)]
pub struct FilterError {
    /// Byte offset of the error in the text.
    pub position: usize,
    message: String,
    text: String,
}

impl FilterError {
    /// Creates an error at a byte offset of `text`. An offset inside a character is rounded down to its start, one beyond the end
    /// to the end.
    pub fn new(text: &str, position: usize, message: impl Into<String>) -> Self {
        Self { position: text.floor_char_boundary(position), message: message.into(), text: text.to_owned() }
    }

    /// Returns two lines for a terminal: at most 36 characters of the text on each side of the error, escaped, and a caret below
    /// the position.
    pub fn excerpt(&self) -> [String; 2] {
        let (before, after) = self.text.split_at_checked(self.position).unwrap_or((&self.text, ""));
        let n_hidden = self.n_characters_before().saturating_sub(SHOWN_CHARACTERS);
        let before: String = before.chars().skip(n_hidden).collect();
        let after: String = after.chars().take(SHOWN_CHARACTERS).collect();
        let before = TerminalSafe(&before).in_cells();
        [format!("{before}{}", TerminalSafe(&after).in_cells()), format!("{}^", " ".repeat(before.width()))]
    }

    /// Returns the number of characters before the error.
    fn n_characters_before(&self) -> usize {
        self.text.get(..self.position).map_or(0, |before| before.chars().count())
    }
}
