//! The replies to `variables` and `ivariables`.

use super::collect::rows::{End, Rows};
use super::parts::{extend, read_owner};
use super::{CollectorStep, Listing};
use crate::message::Handle;
use crate::scan::Cursor;
use crate::text::{Line, PlayerText, decode};

/// The settings of a player, or of this session's interface.
///
/// Behind `Variable settings of Alice:` or `Interface variable settings of Alice:` come lines of `name=value`, several
/// in each, and lines such as `Prompt: fics% ` for values with blanks. Nothing marks the end.
///
/// Source: FICS help files `variables` and `ivariables`; transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variables {
    /// Whose settings these are.
    pub owner: Handle,
    /// Which of the two replies it is.
    pub kind: VariableKind,
    /// The settings in the order sent.
    pub values: Vec<Variable>,
    /// The settings that have a line of their own.
    pub texts: Vec<VariableText>,
    /// Lines that were not understood.
    pub unread: Vec<Line>,
}

/// The two kinds of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two commands")]
pub enum VariableKind {
    /// Stored with the account: `set`, `variables`.
    #[default]
    User,
    /// Of this session: `iset`, `ivariables`.
    Interface,
}

/// One `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// The name as printed: `style`, `Lang`.
    pub name: String,
    /// The value as printed. FatICS prints `?` for a variable that it does not have.
    pub value: String,
}

/// One setting with a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariableText {
    /// What stands in front of the colon: `Prompt`, `Interface`, `Formula`, `f1`.
    pub name: String,
    /// What the player set.
    pub text: PlayerText,
}

impl Variables {
    /// The value of the variable of this name, in any case.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|variable| variable.name.eq_ignore_ascii_case(name)).map(|v| v.value.as_str())
    }
}

impl Listing for Variables {}

impl Rows for Variables {
    const END: End = End::Reply;

    fn take(&mut self, line: &[u8]) -> CollectorStep {
        let taken = if self.owner.as_str().is_empty() {
            self.take_head(line)
        } else {
            self.take_values(line) || self.take_text(line)
        };
        if taken { CollectorStep::Taken } else { CollectorStep::NotMine }
    }

    fn unread_mut(&mut self) -> &mut Vec<Line> {
        &mut self.unread
    }
}

impl Variables {
    fn take_head(&mut self, line: &[u8]) -> bool {
        let user = read_owner(line, b"Variable settings of ", b":").map(|owner| (owner, VariableKind::User));
        let head = user.or_else(|| {
            let owner = read_owner(line, b"Interface variable settings of ", b":")?;
            Some((owner, VariableKind::Interface))
        });
        let Some((owner, kind)) = head else { return false };
        (self.owner, self.kind) = (owner, kind);
        true
    }

    fn take_values(&mut self, line: &[u8]) -> bool {
        let words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
        let Some(values) = words.map(Variable::read).collect::<Option<Vec<_>>>() else { return false };
        self.values.extend(values);
        true
    }

    fn take_text(&mut self, line: &[u8]) -> bool {
        extend(&mut self.texts, VariableText::read(line))
    }
}

impl Variable {
    fn read(word: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(word);
        let name = at.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        at.expect(b"=")?;
        let value = decode(at.take_rest()).into_owned();
        (!name.is_empty()).then(|| Self { name: decode(name).into_owned(), value })
    }
}

impl VariableText {
    /// Names are known ones: `Foo says: hi` must not become a setting.
    fn read(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let name = at.blanks().until(b":")?;
        let known: [&[u8]; 6] = [b"Prompt", b"Interface", b"Formula", b"Partner", b"Bughouse partner", b"Following"];
        let is_formula_part = matches!(name, [b'f', b'1'..=b'9']);
        (known.contains(&name) || is_formula_part).then_some(())?;
        let _blank = at.eat(b" ");
        Some(Self { name: decode(name).into_owned(), text: PlayerText::from_wire(at.take_rest()) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{interrupted, parse};
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
        assert_eq!((variables.owner.as_str(), variables.kind), ("Bogoljubov", VariableKind::User));
        assert_eq!(variables.values.len(), 16);
        let expected =
            [("time", "2"), ("STYLE", "12"), ("private", "?"), ("tzone", "???"), ("silence", ""), ("lang", "English")];
        for (name, value) in expected {
            assert_eq!(variables.value(name), Some(value), "{name}");
        }
        assert_eq!(variables.value("nosuch"), None);
        let texts: Vec<_> = variables.texts.iter().map(|t| (t.name.as_str(), t.text.as_str())).collect();
        assert_eq!(texts, [("Prompt", "fics% "), ("Interface", "\"a b=c\""), ("f1", "blitz & !computer")]);
        assert!(variables.unread.is_empty());
        assert_eq!(interrupted::<Variables>(USER.trim_end()), Ok(variables));
    }

    #[test]
    fn settings_of_the_interface() {
        let reply = "Interface variable settings of Bogoljubov:\n\n\
                     compressmove=0     defprompt=0        lock=0             ms=0\n\
                     movecase=0         nowrap=0           allresults=0\nsingleboard=0\nxml=?\n";
        let variables = parse::<Variables>(reply).unwrap();
        assert_eq!((variables.kind, variables.values.len()), (VariableKind::Interface, 9));
        assert_eq!((variables.value("ms"), variables.value("xml")), (Some("0"), Some("?")));
    }

    #[test]
    fn settings_of_uhlin_fics() {
        let reply = "Variable settings of Alice:\n   time=2      inc=12     private=0  jprivate=0  Lang=English\n   \
                     width=80    height=240\n   Prompt: $ %d %s fics% ";
        let variables = parse::<Variables>(reply).unwrap();
        assert_eq!((variables.values.len(), variables.value("height")), (7, Some("240")));
        assert_eq!(variables.texts[0].text.as_str(), "$ %d %s fics% ");
    }

    #[test]
    fn other_lines_are_kept() {
        let variables = parse::<Variables>("Variable settings of Alice:\na=1 b\n=3\nFoo says: a=1").unwrap();
        assert_eq!((variables.values.len(), variables.texts.len(), variables.unread.len()), (0, 0, 3));
    }
}
