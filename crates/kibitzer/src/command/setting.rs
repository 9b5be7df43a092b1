//! Settings.

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::Ivar;
use kibitzer_core::session::{Command, Reply};
use kibitzer_core::text::PlayerText;

use super::terms::Words;
use super::{Request, answer};

/// How a server starts to say that a variable stays as it is; other refusals are known to the session.
const REFUSALS: [&[u8]; 3] = [b"You cannot ", b"Usage:", b"Command:"];

/// `set`: gives a variable of the account another value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set {
    name: String,
    value: Option<String>,
}

impl Set {
    /// Sets the variable.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: Some(value.into()) }
    }

    /// Clears the variable: a note, the formula.
    pub fn clear(name: impl Into<String>) -> Self {
        Self { name: name.into(), value: None }
    }
}

impl Request for Set {
    /// What the server says to it. Every variable has a sentence of its own; uhlin-fics has none for the prompt.
    type Answer = PlayerText;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("set").with(&self.name).maybe(self.value.as_ref()).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<PlayerText, RequestError> {
        let is_refusal = |said: &[u8]| REFUSALS.iter().any(|refusal| said.starts_with(refusal));
        match reply.answer() {
            Some(event) if is_refusal(event.raw()) => Err(answer::unexpected(&reply)),
            _ => Ok(answer::said(&reply)),
        }
    }
}

/// `style`: chooses how boards are drawn. This library reads style 12, and 10 to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Style(u8);

impl Style {
    /// The style of this number.
    pub const fn new(style: u8) -> Self {
        Self(style)
    }
}

impl Request for Style {
    type Answer = ();

    /// `set style`, which every server knows; some do not know `style`.
    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("set style").with(self.0).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<(), RequestError> {
        let done = format!("Style {} set.", self.0);
        answer::first_line(&reply, |line| (line.trim_ascii() == done.as_bytes()).then_some(()))
    }
}

/// `iset`: switches an interface variable on or off for this session.
///
/// The session sets those it needs by itself. To switch block mode off takes the session its way to tell replies apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Iset {
    ivar: Ivar,
    on: bool,
}

impl Iset {
    /// Switches it on.
    pub const fn on(ivar: Ivar) -> Self {
        Self { ivar, on: true }
    }

    /// Switches it off.
    pub const fn off(ivar: Ivar) -> Self {
        Self { ivar, on: false }
    }
}

impl Request for Iset {
    type Answer = ();

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("iset").with(self.ivar.as_str()).with(u8::from(self.on)).as_str())
    }

    /// uhlin-fics repeats the command and does nothing: that is no answer.
    fn answer(&self, reply: Reply) -> Result<(), RequestError> {
        let ending: &[u8] = if self.on { b" set." } else { b" unset." };
        answer::first_line(&reply, |line| line.trim_ascii().ends_with(ending).then_some(()))
    }
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, assert_line};
    use super::*;

    #[test]
    fn every_command_has_its_line() {
        assert_line(&Set::new("gin", "1"), "set gin 1");
        assert_line(&Set::clear("formula"), "set formula");
        assert_line(&Style::new(12), "set style 12");
        assert_line(&Iset::on(Ivar::Ms), "iset ms 1");
        assert_line(&Iset::off(Ivar::Block), "iset block 0");
    }

    #[test]
    fn a_variable_that_is_set_has_its_sentence() {
        for reply in [
            "You will now hear game results.",
            "height set to 240.",
            "Plan variable 1 changed to 'a note'.",
            "Formula unset.",
            "interface set to \"test\".",
            "",
        ] {
            let set = answer(&Set::new("x", "y"), &format!("{reply}\nFoo tells you: hi")).unwrap();
            assert_eq!(set.as_str(), reply);
        }
    }

    #[test]
    fn a_variable_that_stays_as_it_is() {
        for text in ["No such variable \"nosuch\".", "No such variable name provshow."] {
            let error = answer(&Set::new("nosuch", "1"), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::NoSuchVariable)));
        }
        for text in ["Bad value given for variable \"formula\".", "Bad value given for variable style."] {
            let error = answer(&Set::new("x", "y"), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::BadValue)), "{text}");
        }
        for text in ["You cannot change your rated status.", "Usage: TODO for set"] {
            assert_eq!(answer(&Set::new("x", "y"), text).unwrap_err().text(), Some(text));
        }
    }

    #[test]
    fn styles_and_ivars_are_confirmed() {
        assert_eq!(answer(&Style::new(12), "Style 12 set."), Ok(()));
        assert!(answer(&Style::new(12), "Style 1 set.").is_err());
        assert!(answer(&Style::new(14), "Bad value given for variable style.").is_err());
        assert_eq!(answer(&Iset::on(Ivar::Ms), "ms set."), Ok(()));
        assert_eq!(answer(&Iset::off(Ivar::Ms), "ms unset."), Ok(()));
        assert!(answer(&Iset::off(Ivar::Ms), "ms set.").is_err());
        assert!(answer(&Iset::on(Ivar::Ms), "Foo tells you: ms set.").is_err());
        for text in ["com_iset: block 1", ""] {
            assert_eq!(
                answer(&Iset::on(Ivar::Block), text).unwrap_err().text(),
                Some(text).filter(|text| !text.is_empty())
            );
        }
        let unknown = answer(&Iset::on(Ivar::Ms), "No such ivariable \"nosuch\".").unwrap_err();
        assert_eq!(unknown.refusal(), Some(RefusalReason::Refusal(Refusal::NoSuchVariable)));
    }
}
