//! The replies to `variables` and `ivariables`.

use std::ops::ControlFlow;

use super::Listing;
use super::collect::NamedValue;
use crate::message::Handle;
use crate::message::template::{TemplateTable, match_table};
use crate::scan::Cursor;
use crate::text::Line;

/// The settings of a player, or of this session's interface.
///
/// The first line is `Variable settings of Alice:` or `Interface variable settings of Alice:`. Then come lines with several
/// `name=value` each, and lines such as `Prompt: fics% ` for values with blanks. No line marks the end.
///
/// Source: FICS help files `variables` and `ivariables`; transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variables {
    /// The player whose settings these are.
    pub owner: Handle,
    /// Whether these are the variables of the session (`iset`, `ivariables`) rather than of the account (`set`, `variables`).
    pub is_interface: bool,
    /// The names and values of pairs `name=value`, in the order sent. FatICS prints the value `?` for a variable that it does not have.
    pub values: Vec<NamedValue>,
    /// The names and values of settings with a line of their own: `Prompt`, `Interface`, `Formula`, `f1` and the like.
    pub texts: Vec<NamedValue>,
    /// Lines that could not be parsed.
    pub unread: Vec<Line>,
}

impl Variables {
    /// Returns the value of the first pair `name=value` with this name, ignoring case; `None` without such a pair. Does not search
    /// [`texts`](Self::texts).
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|pair| pair.name.eq_ignore_ascii_case(name)).map(|pair| pair.value.as_str())
    }
}

/// The first lines, and whether the variables are those of the interface.
const HEADS: TemplateTable<bool> = &[("Variable settings of %:", false), ("Interface variable settings of %:", true)];

impl Listing for Variables {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.owner.as_str().is_empty() {
            let (is_interface, captures) = match_table(line, HEADS)?;
            (self.owner, self.is_interface) = (captures.name?, is_interface);
        } else if let Some(setting) = parse_text_setting(line) {
            self.texts.push(setting);
        } else {
            let words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
            self.values.extend(words.map(parse_pair).collect::<Option<Vec<_>>>()?);
        }
        Some(ControlFlow::Continue(()))
    }
}

/// Parses a pair such as `style=12`; `None` if the name is empty or has other characters than letters, digits and `_`.
fn parse_pair(word: &[u8]) -> Option<NamedValue> {
    let mut at = Cursor::new(word);
    let name = at.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
    let value = at.expect(b"=")?.take_rest();
    (!name.is_empty()).then(|| NamedValue::from_wire(name, value))
}

/// Parses a setting with a line of its own, `Prompt: fics% `; `None` for an unknown name, so that `Foo says: hi` is not a setting.
fn parse_text_setting(line: &[u8]) -> Option<NamedValue> {
    const KNOWN: [&[u8]; 6] = [b"Prompt", b"Interface", b"Formula", b"Partner", b"Bughouse partner", b"Following"];
    let mut at = Cursor::new(line);
    let name = at.skip_whitespace().take_until_and_skip(b":")?;
    (KNOWN.contains(&name) || matches!(name, [b'f', b'1'..=b'9'])).then_some(())?;
    let _blank = at.eat(b" ");
    Some(NamedValue::from_wire(name, at.take_rest()))
}

#[cfg(test)]
mod tests;
