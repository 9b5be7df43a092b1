//! The replies to `variables` and `ivariables`.

use std::ops::ControlFlow;

use super::Listing;
use super::parts::{ListedField, parse_owner_line, push_if_some};
use crate::message::Handle;
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
    /// The pairs `name=value`, in the order sent. FatICS prints the value `?` for a variable that it does not have.
    pub values: Vec<ListedField>,
    /// The settings with a line of their own: `Prompt`, `Interface`, `Formula`, `f1` and the like.
    pub texts: Vec<ListedField>,
    /// Lines that could not be parsed.
    pub unread: Vec<Line>,
}

impl Variables {
    /// Returns the value of the first pair `name=value` with this name, ignoring case; `None` without such a pair. Does not search
    /// [`texts`](Self::texts).
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value.as_str())
    }

    /// Adds the first line of the reply; returns whether it is one.
    fn try_add_head(&mut self, line: &[u8]) -> bool {
        let heads: [(&[u8], _); 2] = [(b"Variable settings of ", false), (b"Interface variable settings of ", true)];
        let head = heads
            .into_iter()
            .find_map(|(lead, is_interface)| Some((parse_owner_line(line, lead, b":")?, is_interface)));
        let is_head = head.is_some();
        (self.owner, self.is_interface) = head.unwrap_or_default();
        is_head
    }

    /// Adds a line of pairs `name=value`; returns whether it has only such pairs.
    fn try_add_values(&mut self, line: &[u8]) -> bool {
        let words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
        let Some(values) = words.map(parse_pair).collect::<Option<Vec<_>>>() else { return false };
        self.values.extend(values);
        true
    }
}

impl Listing for Variables {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        let is_added = if self.owner.as_str().is_empty() {
            self.try_add_head(line)
        } else {
            self.try_add_values(line) || push_if_some(&mut self.texts, parse_text_setting(line))
        };
        is_added.then_some(ControlFlow::Continue(()))
    }

    fn unread_mut(&mut self) -> &mut Vec<Line> {
        &mut self.unread
    }
}

/// Parses a pair such as `style=12`; `None` if the name is empty or has other characters than letters, digits and `_`.
fn parse_pair(word: &[u8]) -> Option<ListedField> {
    let mut at = Cursor::new(word);
    let name = at.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
    let value = at.expect(b"=")?.take_rest();
    (!name.is_empty()).then(|| ListedField::new(name, value))
}

/// Parses a setting with a line of its own, `Prompt: fics% `; `None` for an unknown name, so that `Foo says: hi` is not a setting.
fn parse_text_setting(line: &[u8]) -> Option<ListedField> {
    const KNOWN: [&[u8]; 6] = [b"Prompt", b"Interface", b"Formula", b"Partner", b"Bughouse partner", b"Following"];
    let mut at = Cursor::new(line);
    let name = at.skip_whitespace().take_until_and_skip(b":")?;
    (KNOWN.contains(&name) || matches!(name, [b'f', b'1'..=b'9'])).then_some(())?;
    let _blank = at.eat(b" ");
    Some(ListedField::new(name, at.take_rest()))
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{parse, parse_interleaved};
    use super::*;

    const USER: &str = "\
Variable settings of Bogoljubov:

time=2       private=?     shout=1         pin=0           style=12 
rated=?                    kibitz=1        availinfo=?     highlight=?
tourney=?    messreply=?   chanoff=0       showownseek=0   tzone=???
                           silence=        Lang=English

Prompt: fics% 
Interface: \"a b=c\"
 f1: blitz & !computer
";

    #[test]
    fn settings_of_a_player() {
        let variables = parse::<Variables>(USER).unwrap();
        assert_eq!((variables.owner.as_str(), variables.is_interface), ("Bogoljubov", false));
        assert_eq!(variables.values.len(), 16);
        let expected =
            [("time", "2"), ("STYLE", "12"), ("private", "?"), ("tzone", "???"), ("silence", ""), ("lang", "English")];
        for (name, value) in expected {
            assert_eq!(variables.value(name), Some(value), "{name}");
        }
        assert_eq!(variables.value("nosuch"), None);
        let texts: Vec<_> = variables.texts.iter().map(|t| (t.name.as_str(), t.value.as_str())).collect();
        assert_eq!(texts, [("Prompt", "fics% "), ("Interface", "\"a b=c\""), ("f1", "blitz & !computer")]);
        assert!(variables.unread.is_empty());
        assert_eq!(parse_interleaved::<Variables>(USER.trim_end()), Ok(variables));
    }

    #[test]
    fn settings_of_the_interface() {
        let reply = "Interface variable settings of Bogoljubov:\n\n\
                     compressmove=0     defprompt=0        lock=0             ms=0\n\
                     movecase=0         nowrap=0           allresults=0\nsingleboard=0\nxml=?\n";
        let variables = parse::<Variables>(reply).unwrap();
        assert_eq!((variables.is_interface, variables.values.len()), (true, 9));
        assert_eq!((variables.value("ms"), variables.value("xml")), (Some("0"), Some("?")));
    }

    #[test]
    fn settings_of_uhlin_fics() {
        let reply = "Variable settings of Alice:\n   time=2      inc=12     private=0  jprivate=0  Lang=English\n   \
                     width=80    height=240\n   Prompt: $ %d %s fics% ";
        let variables = parse::<Variables>(reply).unwrap();
        assert_eq!((variables.values.len(), variables.value("height")), (7, Some("240")));
        assert_eq!(variables.texts[0].value.as_str(), "$ %d %s fics% ");
    }

    #[test]
    fn other_lines_are_stored_as_unread() {
        let variables = parse::<Variables>("Variable settings of Alice:\na=1 b\n=3\nFoo says: a=1").unwrap();
        assert_eq!((variables.values.len(), variables.texts.len(), variables.unread.len()), (0, 0, 3));
    }
}
