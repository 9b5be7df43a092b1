//! The replies to `variables` and `ivariables`.

use std::ops::ControlFlow;

use super::Listing;
use super::parts::decode_field;
use crate::message::Handle;
use crate::message::template::{TemplateTable, match_table};
use crate::scan::Cursor;
use crate::text::{Line, PlayerText};

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
    pub values: Vec<(String, PlayerText)>,
    /// The names and values of settings with a line of their own: `Prompt`, `Interface`, `Formula`, `f1` and the like.
    pub texts: Vec<(String, PlayerText)>,
    /// Lines that could not be parsed.
    pub unread: Vec<Line>,
}

impl Variables {
    /// Returns the value of the first pair `name=value` with this name, ignoring case; `None` without such a pair. Does not search
    /// [`texts`](Self::texts).
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
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
fn parse_pair(word: &[u8]) -> Option<(String, PlayerText)> {
    let mut at = Cursor::new(word);
    let name = at.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
    let value = at.expect(b"=")?.take_rest();
    (!name.is_empty()).then(|| decode_field(name, value))
}

/// Parses a setting with a line of its own, `Prompt: fics% `; `None` for an unknown name, so that `Foo says: hi` is not a setting.
fn parse_text_setting(line: &[u8]) -> Option<(String, PlayerText)> {
    const KNOWN: [&[u8]; 6] = [b"Prompt", b"Interface", b"Formula", b"Partner", b"Bughouse partner", b"Following"];
    let mut at = Cursor::new(line);
    let name = at.skip_whitespace().take_until_and_skip(b":")?;
    (KNOWN.contains(&name) || matches!(name, [b'f', b'1'..=b'9'])).then_some(())?;
    let _blank = at.eat(b" ");
    Some(decode_field(name, at.take_rest()))
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
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
        let texts: Vec<_> = variables.texts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(texts, [("Prompt", "fics% "), ("Interface", "\"a b=c\""), ("f1", "blitz & !computer")]);
        assert!(variables.unread.is_empty());
        assert_eq!(parse_with_async_lines_inserted::<Variables>(USER.trim_end()), Ok(variables));
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
                     width=80    height=240\n   Prompt: $ %d %s fics% \n f1:";
        let variables = parse::<Variables>(reply).unwrap();
        assert_eq!((variables.values.len(), variables.value("height")), (7, Some("240")));
        assert_eq!((variables.texts[0].1.as_str(), variables.texts.len()), ("$ %d %s fics% ", 2));
    }

    #[test]
    fn other_lines_are_stored_as_unread() {
        let variables = parse::<Variables>("Variable settings of Alice:\na=1 b\n=3\nFoo says: a=1").unwrap();
        assert_eq!((variables.values.len(), variables.texts.len(), variables.unread.len()), (0, 0, 3));
    }
}
