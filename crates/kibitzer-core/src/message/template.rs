//! Templates of the servers' fixed sentences, and readers of parts that several kinds of lines share.

use super::{GameId, Handle, Titles};
use crate::chess::Color;
use crate::scan::Cursor;

/// Who performs the action that a line reports: this login or another player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a line is about this login or about another player")]
pub enum MeOrOther {
    /// This login.
    Me,
    /// Another player, named in the line or not.
    Other,
}

/// The parts of a sentence of the server that are not fixed words, for writing it.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "whoever writes a sentence fills in its parts")]
pub struct SentenceParts<'a> {
    /// The names, in the order of the sentence.
    pub names: &'a [&'a str],
    /// The number in the sentence: of plies, of a game, of a seek.
    pub number: Option<u32>,
    /// The game whose number precedes the sentence, as in lines to observers: `Game 39: `.
    pub game: Option<GameId>,
    /// The words that the sentence does not fix.
    pub text: &'a str,
}

/// The parts of a text that the placeholders of a template matched.
#[derive(Clone, Debug)]
pub(crate) struct Captures<'a> {
    /// The name that the first `%` matched; `None` if the template has none.
    pub(crate) name: Option<Handle>,
    /// The name that the second `%` matched, or the last one if there are more.
    pub(crate) second_name: Option<Handle>,
    /// The number that the first `#` matched.
    pub(crate) first_number: Option<u32>,
    /// The number that the last `#` matched.
    pub(crate) number: Option<u32>,
    /// The number of the game that `$` matched.
    pub(crate) game: Option<GameId>,
    /// The word that the last `@` matched, or the first word that `&` matched; empty if the template has none.
    pub(crate) word: &'a [u8],
    /// The titles after the first name, with their brackets.
    pub(crate) titles: &'a [u8],
    /// The text that the `*` matched; empty if the template has none.
    pub(crate) rest: &'a [u8],
}

/// Matches a complete text against a template, ignoring blanks at the end of the text; `None` if it does not match.
///
/// | in the template | matches |
/// |---|---|
/// | `%` | a handle; titles after it are skipped |
/// | `#` | a decimal number |
/// | `$` | the number of a game |
/// | `&` | a word and `offer` or `request` |
/// | `@` | one word |
/// | a blank | one or more blanks |
/// | `{a\|b\|}` | the longest of these texts that follows; one may be empty |
/// | `*` | any text, possibly empty, up to the rest of the template, which has to end the text literally |
/// | another byte | itself |
pub(crate) fn match_template<'a>(text: &'a [u8], template: &str) -> Option<Captures<'a>> {
    let mut at = Cursor::new(text);
    let captures = read_template(&mut at, template)?;
    at.expect_blank_rest()?;
    Some(captures)
}

/// Reads text that matches a template as for [`match_template`], and leaves the bytes after it.
pub(crate) fn read_template<'a>(at: &mut Cursor<'a>, template: &str) -> Option<Captures<'a>> {
    read_template_after_name(at, template, None, b"")
}

/// Reads text that matches a template like [`read_template`]; the first name, with its titles, has been read.
pub(crate) fn read_template_after_name<'a>(
    at: &mut Cursor<'a>,
    template: &str,
    mut name: Option<&'a [u8]>,
    mut titles: &'a [u8],
) -> Option<Captures<'a>> {
    let mut second_name = None;
    let mut first_number = None;
    let mut number = None;
    let mut game = None;
    let mut word: &[u8] = b"";
    let mut rest: &[u8] = b"";
    let mut template = template.as_bytes();
    while let [part, tail @ ..] = template {
        let from_part = std::mem::replace(&mut template, tail);
        match *part {
            b'%' if name.is_none() => {
                name = Some(Handle::read(at)?);
                let from = *at;
                Titles::skip(at);
                titles = at.since(from);
            }
            b'%' => second_name = Some(read_name(at)?),
            b'#' => {
                number = Some(at.number()?);
                first_number = first_number.or(number);
            }
            b'$' => game = Some(GameId(at.number()?)),
            b'&' => {
                word = at.word_here()?;
                (at.eat(b" request") || at.eat(b" offer")).then_some(())?;
            }
            b'@' => word = at.word_here()?,
            b'*' => {
                rest = at.take_rest().trim_ascii_end().strip_suffix(tail)?;
                break;
            }
            b'{' => {
                let (alternatives, after) = split_alternatives(tail);
                let fitting = alternatives.filter(|alternative| at.rest().starts_with(alternative));
                let _ = at.eat(fitting.max_by_key(|alternative| alternative.len())?);
                template = after;
            }
            _ => {
                let is_equal = |(part, byte): &(&u8, &u8)| part == byte && !b"%#$&@*{".contains(part);
                let n_equal = from_part.iter().zip(at.rest()).take_while(is_equal).count();
                let (literal, tail) = from_part.split_at_checked(n_equal)?;
                let _ = at.take_at_most(n_equal);
                // A line that a server wrapped after a blank has two of them once it is joined.
                if *literal.last()? == b' ' {
                    at.skip_whitespace();
                }
                template = tail;
            }
        }
    }
    // Most texts match no template, so that handles are built only here.
    let [name, second_name] = [name, second_name].map(|name| name.map(Handle::from_wire));
    Some(Captures { name, second_name, first_number, number, game, word, titles, rest })
}

/// Splits a template after `{` into the alternatives before the next `}`, and the template after it.
fn split_alternatives(template: &[u8]) -> (impl Iterator<Item = &[u8]>, &[u8]) {
    let end = memchr::memchr(b'}', template).unwrap_or(template.len());
    let (inside, after) = template.split_at_checked(end).unwrap_or_default();
    (inside.split(|&b| b == b'|'), after.get(1..).unwrap_or_default())
}

/// Writes the text that a template stands for, the inverse of [`match_template`]: names replace `%` and `@` in their order, the
/// first of several alternatives is written, and `text` replaces `*`. `None` if a name or a number is missing, or if the template
/// has no place for the number of the game.
pub(crate) fn write_template(template: &str, parts: &SentenceParts<'_>) -> Option<String> {
    let of_game = template.strip_prefix("[Game $: ]");
    let mut written = match (of_game, parts.game) {
        (Some(_), Some(game)) => format!("Game {game}: "),
        (None, Some(_)) if !template.contains('$') => return None,
        _ => String::new(),
    };
    let mut names = parts.names.iter();
    let mut template = of_game.unwrap_or(template).chars();
    while let Some(part) = template.next() {
        match part {
            '%' | '@' => written.push_str(names.next()?),
            '#' => written.push_str(&parts.number?.to_string()),
            '$' => written.push_str(&parts.game?.to_string()),
            '*' => written.push_str(parts.text),
            '{' => {
                let (inside, after) = template.as_str().split_once('}')?;
                written.push_str(inside.split('|').next()?);
                template = after.chars();
            }
            literal => written.push(literal),
        }
    }
    Some(written)
}

/// A table of templates, each with the value for the sentences that match it.
pub(crate) type TemplateTable<T> = &'static [(&'static str, T)];

/// Declares a [`TemplateTable`], grouped by value.
macro_rules! templates {
    ($($value:expr => $($template:literal)+;)+) => { &[$($(($template, $value),)+)+] };
}

pub(crate) use templates;

/// Returns the value of the first row whose template matches the text, and the captures; `None` if no row matches.
pub(crate) fn match_table<T: Copy>(text: &[u8], table: TemplateTable<T>) -> Option<(T, Captures<'_>)> {
    // The first byte rules out most rows of a table at little cost.
    let may_match = |template: &str| match template.as_bytes().first() {
        Some(b'%' | b'#' | b'@' | b'*' | b'{') => true,
        literal => literal == text.first(),
    };
    let mut rows = table.iter().filter(|(template, _)| may_match(template));
    rows.find_map(|&(template, value)| Some((value, match_template(text, template)?)))
}

/// Reads a handle and the titles after it; returns the bytes of the handle.
fn read_name<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let name = Handle::read(at)?;
    Titles::skip(at);
    Some(name)
}

/// Reads `rated` or `unrated` after optional blanks. Consumes nothing if it is another word.
pub(crate) fn read_rated(at: &mut Cursor<'_>) -> Option<bool> {
    at.attempt(|at| match at.skip_whitespace().word_here()? {
        b"rated" => Some(true),
        b"unrated" => Some(false),
        _ => None,
    })
}

/// Reads `[white]` or `[black]` after optional blanks, which are consumed even if no color follows.
pub(crate) fn read_bracketed_color(at: &mut Cursor<'_>) -> Option<Color> {
    at.skip_whitespace();
    if at.eat(b"[white]") { Some(Color::White) } else { at.eat(b"[black]").then_some(Color::Black) }
}

/// Reads the common start of the lines that create and end games, `{Game 39 (Foo vs. Bar) `, and returns the game and the names of
/// White and Black; `None` for any other start. A name is any text without blanks; titles after it are skipped.
pub(crate) fn read_game_line_head(at: &mut Cursor<'_>) -> Option<(GameId, Handle, Handle)> {
    let game = GameId::read(at.expect(b"{Game ")?)?;
    let white = strip_titles(at.expect(b" (")?.word_here()?);
    let black = strip_titles(at.expect(b" vs. ")?.word_here()?.strip_suffix(b")")?);
    at.expect(b" ")?;
    (!white.is_empty() && !black.is_empty()).then(|| (game, Handle::from_wire(white), Handle::from_wire(black)))
}

/// Returns `Foo` for `Foo(GM)(*)`. A word with anything but titles in brackets does not change.
fn strip_titles(word: &[u8]) -> &[u8] {
    let mut at = Cursor::new(word);
    let name = at.take_while(|b| b != b'(');
    Titles::skip(&mut at);
    if at.is_empty() && !name.is_empty() { name } else { word }
}

#[cfg(test)]
mod tests;
