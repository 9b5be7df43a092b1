//! Fixed sentences with a few blanks to fill in: what most parsers of game texts are made of.

use super::{GameId, Handle, Titles};
use crate::chess::Color;
use crate::scan::Cursor;

/// Who does what a line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a line is about this login or about somebody else")]
pub enum Actor {
    /// This login.
    Me,
    /// Somebody else, named in the line or not.
    Other,
}

/// What stood in the blanks of a template.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Captures<'a> {
    /// The first `%`.
    pub(crate) name: Option<&'a [u8]>,
    /// The second `%`.
    pub(crate) second_name: Option<&'a [u8]>,
    /// The `#`.
    pub(crate) number: Option<u32>,
    /// The `*`, without blanks at its end.
    pub(crate) rest: &'a [u8],
}

impl Captures<'_> {
    pub(crate) fn handle(&self) -> Option<Handle> {
        self.name.map(Handle::from_wire)
    }

    pub(crate) fn second_handle(&self) -> Option<Handle> {
        self.second_name.map(Handle::from_wire)
    }

    pub(crate) fn game(&self) -> Option<GameId> {
        self.number.and_then(|number| i32::try_from(number).ok()).map(GameId)
    }
}

/// Compares a text with a template: `%` stands for a handle (titles behind it are skipped), `#` for a number, `@` for
/// one word, a blank for one blank or more, `*` for anything or nothing up to the words behind it, which end both. Both
/// must end together.
///
/// Runs of blanks are left where a server wraps a line behind a blank.
pub(crate) fn matches<'a>(text: &'a [u8], template: &str) -> Option<Captures<'a>> {
    let mut at = Cursor::new(text);
    let mut captures = Captures::default();
    let mut template = template.as_bytes();
    while let [part, tail @ ..] = template {
        match *part {
            b'%' if captures.name.is_none() => captures.name = Some(read_name(&mut at)?),
            b'%' => captures.second_name = Some(read_name(&mut at)?),
            b'#' => captures.number = Some(at.number()?),
            b'@' => drop(at.word()?),
            b'*' => {
                captures.rest = at.take_rest().trim_ascii_end().strip_suffix(tail)?;
                break;
            }
            b' ' => {
                at.expect(b" ")?;
                at.blanks();
            }
            literal => at.expect(&[literal])?,
        }
        template = tail;
    }
    at.end()?;
    Some(captures)
}

/// The first row of a table whose template fits the text.
pub(crate) fn lookup<'a, T: Copy>(text: &'a [u8], table: &[(&str, T)]) -> Option<(T, Captures<'a>)> {
    let mut rows = table.iter().filter(|(template, _)| may_start(text, template));
    rows.find_map(|&(template, meaning)| Some((meaning, matches(text, template)?)))
}

/// Whether the first bytes agree, which rules out most rows of a table at little cost.
fn may_start(text: &[u8], template: &str) -> bool {
    match template.as_bytes().first() {
        Some(b'%' | b'#' | b'@' | b'*') => true,
        literal => literal == text.first(),
    }
}

/// Reads a handle and drops the titles behind it.
pub(crate) fn read_name<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let name = Handle::read(at)?;
    Titles::skip(at);
    Some(name)
}

/// Reads `rated` or `unrated`, behind blanks.
pub(crate) fn read_rated(at: &mut Cursor<'_>) -> Option<bool> {
    let mut ahead = *at;
    ahead.blanks();
    let rated = match ahead.word()? {
        b"rated" => true,
        b"unrated" => false,
        _ => return None,
    };
    *at = ahead;
    Some(rated)
}

/// Reads `[white]` or `[black]`, behind blanks.
pub(crate) fn read_color(at: &mut Cursor<'_>) -> Option<Color> {
    at.blanks();
    if at.eat(b"[white]") { Some(Color::White) } else { at.eat(b"[black]").then_some(Color::Black) }
}

/// A line that says of one player what he does: `[Game 39: ]Foo offers a draw.`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sentence<'a> {
    /// The number in front, which observers get.
    pub(crate) game: Option<GameId>,
    /// The first word; `You` and `Your` look like handles and are one here.
    pub(crate) subject: &'a [u8],
    /// Everything behind the subject: it starts with a blank, a comma or an apostrophe.
    pub(crate) predicate: &'a [u8],
}

impl<'a> Sentence<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let game = read_game_prefix(&mut at);
        let subject = read_name(&mut at)?;
        Some(Self { game, subject, predicate: at.rest() })
    }

    pub(crate) fn handle(&self) -> Handle {
        Handle::from_wire(self.subject)
    }
}

/// Reads `Game 39: `.
pub(crate) fn read_game_prefix(at: &mut Cursor<'_>) -> Option<GameId> {
    let mut ahead = *at;
    ahead.expect(b"Game ")?;
    let game = GameId::read(&mut ahead)?;
    ahead.expect(b": ")?;
    *at = ahead;
    Some(game)
}

/// The start that lines about beginning and ending games share: `{Game 39 (Foo vs. Bar) `.
#[derive(Clone, Debug)]
pub(crate) struct GameHead {
    pub(crate) game: GameId,
    pub(crate) white: Handle,
    pub(crate) black: Handle,
}

impl GameHead {
    /// Names are whatever stands there without blanks; titles behind them are dropped.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        at.expect(b"{Game ")?;
        let game = GameId::read(at)?;
        at.expect(b" (")?;
        let white = without_titles(at.word()?);
        at.expect(b" vs. ")?;
        let black = without_titles(at.word()?.strip_suffix(b")")?);
        at.expect(b" ")?;
        (!white.is_empty() && !black.is_empty()).then_some(())?;
        Some(Self { game, white: Handle::from_wire(white), black: Handle::from_wire(black) })
    }
}

/// `Foo` of `Foo(GM)(*)`; a name with brackets of another kind is left whole.
fn without_titles(word: &[u8]) -> &[u8] {
    let mut at = Cursor::new(word);
    let name = at.take_while(|b| b != b'(');
    Titles::skip(&mut at);
    if at.is_empty() && !name.is_empty() { name } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_fits_from_end_to_end() {
        let cases: &[(&str, &str, bool)] = &[
            ("Foo backs up 4 moves.", "% backs up # moves.", true),
            ("Foo(GM)(*) backs up  4 moves. ", "% backs up # moves.", true),
            ("Foo backs up 4 moves. x", "% backs up # moves.", false),
            ("Foo backs up moves.", "% backs up # moves.", false),
            ("Foo backs up 99999999999 moves.", "% backs up # moves.", false),
            ("Foo backs", "% backs up # moves.", false),
            ("by x) y", "by @ y", true),
            ("", "*", true),
            ("Illegal move (Qd2).  ", "Illegal move (*).", true),
            ("Illegal move ().).", "Illegal move (*).", true),
            ("Illegal move ).", "Illegal move (*).", false),
            ("Illegal move (Qd2). x", "Illegal move (*).", false),
        ];
        for &(text, template, want) in cases {
            assert_eq!(matches(text.as_bytes(), template).is_some(), want, "{text}");
        }
        let both = matches(b"Foo has joined a match with Foo.", "% has joined a match with %.").unwrap();
        assert_eq!((both.name, both.second_name), (Some(&b"Foo"[..]), Some(&b"Foo"[..])));
        let rest = matches(b"A for 3 c. for 4 c. ", "% for * c.").unwrap().rest;
        assert_eq!(rest, b"3 c. for 4");
    }

    #[test]
    fn a_game_head_gives_names_without_titles() {
        let cases: &[(&str, Option<(&str, &str)>)] = &[
            ("{Game 3 (A(*) vs. B) x", Some(("A", "B"))),
            ("{Game 3 (A vs. B(GM)(TD)) x", Some(("A", "B"))),
            ("{Game 3 (P=9*;x vs. (1)) x", Some(("P=9*;x", "(1)"))),
            ("{Game 3 (A(b) vs. B) x", Some(("A(b)", "B"))),
            ("{Game 3 (A vs. B x", None),
            ("{Game 3 (A vs. ) x", None),
            ("{Game x (A vs. B) x", None),
        ];
        for &(line, want) in cases {
            let head = GameHead::read(&mut Cursor::new(line.as_bytes()));
            assert_eq!(head.as_ref().map(|head| (head.white.as_str(), head.black.as_str())), want, "{line}");
        }
    }
}
