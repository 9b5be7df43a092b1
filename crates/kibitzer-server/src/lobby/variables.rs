//! Variables of a player. Those of registered players are kept between logins.

use std::collections::BTreeMap;

use crate::account::{key, matching};

/// A variable that is on or off.
///
/// Sources of names, defaults and texts: the `variables` table and the answers in the transcripts, as far as there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flag {
    Autoflag,
    Bell,
    Bugopen,
    Chanoff,
    Cshout,
    Ctell,
    Examine,
    Flip,
    Gin,
    Kibitz,
    Mailmess,
    Minmovetime,
    Noescape,
    Notakeback,
    Notifiedby,
    Open,
    Pin,
    Ptime,
    Seek,
    Shout,
    Showownseek,
    Silence,
    Tell,
}

/// A variable that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    Height,
    Inc,
    Kiblevel,
    Style,
    Time,
    Width,
}

/// A variable that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Text {
    Busy,
    Formula,
    Interface,
    Lang,
    Prompt,
    Tzone,
}

/// Type of a variable.
#[derive(Clone, Copy)]
enum Kind {
    /// With the default, and the replies when it is switched on and off.
    Flag(Flag, bool, &'static str, &'static str),
    /// With the default, the minimum and the maximum.
    Number(Number, u16, u16, u16),
    Text(Text),
}

/// All variables by name.
#[rustfmt::skip] // one to a line: it is a table
const VARIABLES: [(&str, Kind); 35] = [
    ("autoflag", Kind::Flag(Flag::Autoflag, true, "Auto-flagging enabled.", "Auto-flagging disabled.")),
    ("bell", Kind::Flag(Flag::Bell, false, "You will now hear beeps.", "You will not hear beeps.")),
    ("bugopen", Kind::Flag(Flag::Bugopen, false, "You are now open for bughouse.", "You are not open for bughouse.")),
    ("chanoff", Kind::Flag(Flag::Chanoff, false, "You will not hear channel tells.", "You will now hear channel tells.")),
    ("cshout", Kind::Flag(Flag::Cshout, true, "You will now hear c-shouts.", "You will not hear c-shouts.")),
    ("ctell", Kind::Flag(Flag::Ctell, true, "You will now hear channel tells from unregistered users.", "You will not hear channel tells from unregistered users.")),
    ("examine", Kind::Flag(Flag::Examine, false, "You will now examine your games when they end.", "You will not examine your games when they end.")),
    ("flip", Kind::Flag(Flag::Flip, false, "Flip on.", "Flip off.")),
    ("gin", Kind::Flag(Flag::Gin, false, "You will now hear game results.", "You will not hear game results.")),
    ("kibitz", Kind::Flag(Flag::Kibitz, true, "You will now hear kibitzes.", "You will not hear kibitzes.")),
    ("mailmess", Kind::Flag(Flag::Mailmess, false, "Your messages will be mailed to you.", "Your messages will not be mailed to you.")),
    ("minmovetime", Kind::Flag(Flag::Minmovetime, true, "You will now request minimum move time when games start.", "You will not request minimum move time when games start.")),
    ("noescape", Kind::Flag(Flag::Noescape, false, "You will now request noescape when games start.", "You will not request noescape when games start.")),
    ("notakeback", Kind::Flag(Flag::Notakeback, false, "You will now decline takebacks.", "You will not decline takebacks.")),
    ("notifiedby", Kind::Flag(Flag::Notifiedby, false, "You will now hear if people notify you.", "You will not hear if people notify you.")),
    ("open", Kind::Flag(Flag::Open, true, "You are now receiving match requests.", "You are no longer receiving match requests.")),
    ("pin", Kind::Flag(Flag::Pin, false, "You will now hear logins/logouts.", "You will not hear logins/logouts.")),
    ("ptime", Kind::Flag(Flag::Ptime, false, "Your prompt will now show the time.", "Your prompt will now not show the time.")),
    ("seek", Kind::Flag(Flag::Seek, true, "You will now see seek ads.", "You will not see seek ads.")),
    ("shout", Kind::Flag(Flag::Shout, true, "You will now hear shouts.", "You will not hear shouts.")),
    ("showownseek", Kind::Flag(Flag::Showownseek, false, "You will now see your own seeks.", "You will not see your own seeks.")),
    ("silence", Kind::Flag(Flag::Silence, false, "You will now play games in silence.", "You will not play games in silence.")),
    ("tell", Kind::Flag(Flag::Tell, true, "You will now hear direct tells from unregistered users.", "You will not hear direct tells from unregistered users.")),
    ("height", Kind::Number(Number::Height, 24, 5, 240)),
    ("inc", Kind::Number(Number::Inc, 12, 0, 999)),
    ("kiblevel", Kind::Number(Number::Kiblevel, 0, 0, 9_999)),
    // The server draws no other style.
    ("style", Kind::Number(Number::Style, 12, 12, 12)),
    ("time", Kind::Number(Number::Time, 2, 0, 999)),
    // Source: transport rule W1.
    ("width", Kind::Number(Number::Width, 79, 32, 240)),
    ("busy", Kind::Text(Text::Busy)),
    ("formula", Kind::Text(Text::Formula)),
    ("interface", Kind::Text(Text::Interface)),
    ("lang", Kind::Text(Text::Lang)),
    ("prompt", Kind::Text(Text::Prompt)),
    ("tzone", Kind::Text(Text::Tzone)),
];

/// Maximum number of notes, and maximum length in bytes of texts and notes.
const MAX_NOTES: u8 = 10;
const MAX_TEXT_BYTES: usize = 400;

/// Why a variable was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SetError {
    /// No variable has this name.
    Unknown,
    /// Several names start with this prefix.
    Ambiguous(Vec<&'static str>),
    /// The value is not valid for the variable of this name.
    BadValue(&'static str),
}

/// The values of all variables, and the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    /// Values that differ from the default, or were set to it.
    flags: BTreeMap<Flag, bool>,
    numbers: BTreeMap<Number, u16>,
    texts: BTreeMap<Text, String>,
    notes: BTreeMap<u8, String>,
}

/// Returns the variable with this name, otherwise the only one whose name starts with it.
fn find(prefix: &str) -> Result<(&'static str, Kind), SetError> {
    match matching(VARIABLES, &key(prefix)).as_slice() {
        [] => Err(SetError::Unknown),
        &[only] => Ok(only),
        several => Err(SetError::Ambiguous(several.iter().map(|&(name, _)| name).collect())),
    }
}

impl Variables {
    pub(crate) fn is_set(&self, flag: Flag) -> bool {
        let is_default = |kind| matches!(kind, Kind::Flag(of, true, ..) if of == flag);
        self.flags.get(&flag).copied().unwrap_or_else(|| VARIABLES.iter().any(|&(_, kind)| is_default(kind)))
    }

    pub(crate) fn number(&self, number: Number) -> u16 {
        let default = || {
            VARIABLES.iter().find_map(|&(_, kind)| match kind {
                Kind::Number(of, default, ..) if of == number => Some(default),
                _ => None,
            })
        };
        self.numbers.get(&number).copied().or_else(default).unwrap_or(0)
    }

    /// Returns the text; empty if it is not set.
    pub(crate) fn text(&self, text: Text) -> &str {
        self.texts.get(&text).map_or("", String::as_str)
    }

    /// Returns the notes with their numbers.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (u8, &str)> {
        self.notes.iter().map(|(&number, note)| (number, note.as_str()))
    }

    /// Sets a variable, whose name may be abbreviated, or the note of a number from 1 to [`MAX_NOTES`]. Without a value, inverts
    /// a flag and clears a text or note. Returns the reply without its line end.
    ///
    /// # Errors
    ///
    /// [`SetError`]; nothing is changed.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<String, SetError> {
        if let Some(number) = name.parse().ok().filter(|number| (1..=MAX_NOTES).contains(number)) {
            return self.set_note(number, value);
        }
        match find(name)? {
            (name, Kind::Flag(flag, _, on, off)) => {
                let value = match value {
                    "" => !self.is_set(flag),
                    "1" | "on" | "true" | "yes" => true,
                    "0" | "off" | "false" | "no" => false,
                    _ => return Err(SetError::BadValue(name)),
                };
                self.flags.insert(flag, value);
                Ok(if value { on } else { off }.to_owned())
            }
            (name, Kind::Number(number, _, min, max)) => {
                let value = value.parse().ok().filter(|value| (min..=max).contains(value));
                let value = value.ok_or(SetError::BadValue(name))?;
                self.numbers.insert(number, value);
                Ok(if number == Number::Style {
                    format!("Style {value} set.")
                } else {
                    format!("{name} set to {value}.")
                })
            }
            (name, Kind::Text(text)) => self.set_text(text, name, value),
        }
    }

    fn set_note(&mut self, number: u8, note: &str) -> Result<String, SetError> {
        if note.len() > MAX_TEXT_BYTES {
            return Err(SetError::BadValue("note"));
        }
        if note.is_empty() {
            self.notes.remove(&number);
            return Ok(format!("Note {number} cleared."));
        }
        self.notes.insert(number, note.to_owned());
        Ok(format!("Note {number} set: {note}"))
    }

    fn set_text(&mut self, text: Text, name: &'static str, value: &str) -> Result<String, SetError> {
        if value.is_empty() {
            self.texts.remove(&text);
            return Ok(format!("{name} unset."));
        }
        // Formulas are not evaluated, and there are no other time zones and languages.
        let is_known = match text {
            Text::Formula => false,
            Text::Tzone => value == "UTC",
            Text::Lang => value == "en",
            Text::Busy | Text::Interface | Text::Prompt => value.len() <= MAX_TEXT_BYTES,
        };
        if !is_known {
            return Err(SetError::BadValue(name));
        }
        // A blank separates the prompt from the typed text.
        let value = if text == Text::Prompt { format!("{value} ") } else { value.to_owned() };
        let answer = format!("{name} set to \"{value}\".");
        self.texts.insert(text, value);
        Ok(answer)
    }

    /// Formats the table of `variables`, without its heading and its end.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn table(&self) -> String {
        const WIDTHS: [usize; 5] = [13, 14, 16, 16, 0];
        // Empty cells have no name; the value of a variable that does not exist here is a question mark.
        const ROWS: [[&str; 5]; 11] = [
            ["time", "private", "shout", "pin", "style"],
            ["inc", "jprivate", "cshout", "notifiedby", "flip"],
            ["rated", "", "kibitz", "availinfo", "highlight"],
            ["open", "automail", "kiblevel", "availmin", "bell"],
            ["pgn", "tell", "availmax", "width", ""],
            ["bugopen", "", "ctell", "gin", "height"],
            ["mailmess", "", "seek", "ptime", ""],
            ["tourney", "messreply", "chanoff", "showownseek", "tzone"],
            ["provshow", "", "silence", "", "Lang"],
            ["autoflag", "unobserve", "echo", "examine", ""],
            ["minmovetime", "", "tolerance", "noescape", "notakeback"],
        ];
        let mut table = String::new();
        for row in ROWS {
            let cells = row.iter().zip(WIDTHS).map(|(name, width)| format!("{:<width$}", self.cell(name)));
            table += cells.collect::<String>().trim_end();
            table.push('\n');
        }
        table
    }

    fn cell(&self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let value = match VARIABLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            None => "?".to_owned(),
            Some(&(_, Kind::Flag(flag, ..))) => u8::from(self.is_set(flag)).to_string(),
            Some(&(_, Kind::Number(number, ..))) => self.number(number).to_string(),
            Some((_, Kind::Text(Text::Lang))) => "en".to_owned(),
            Some((_, Kind::Text(_))) => "UTC".to_owned(),
        };
        format!("{name}={value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions and answers of the transcripts.
    #[test]
    fn replies_to_set_are_the_recorded_ones() {
        let cases = [
            ("style", "12", "Style 12 set."),
            ("width", "60", "width set to 60."),
            ("height", "240", "height set to 240."),
            ("prompt", "zz:", "prompt set to \"zz: \"."),
            ("interface", "fcdriver 0.1", "interface set to \"fcdriver 0.1\"."),
            ("busy", "is having lunch; 5% left", "busy set to \"is having lunch; 5% left\"."),
            ("formula", "", "formula unset."),
            ("bell", "0", "You will not hear beeps."),
            ("open", "0", "You are no longer receiving match requests."),
            ("ptime", "1", "Your prompt will now show the time."),
            ("flip", "1", "Flip on."),
            ("1", "my note: 100% \"x\"", "Note 1 set: my note: 100% \"x\""),
            ("1", "", "Note 1 cleared."),
        ];
        let mut variables = Variables::default();
        for (name, value, want) in cases {
            assert_eq!(variables.set(name, value).as_deref(), Ok(want));
        }
        assert_eq!(variables.number(Number::Width), 60);
        assert_eq!(variables.text(Text::Prompt), "zz: ");
        assert!(variables.is_set(Flag::Ptime) && !variables.is_set(Flag::Open));
    }

    #[test]
    fn invalid_names_and_values_are_refused() {
        let mut variables = Variables::default();
        assert_eq!(variables.set("nosuch", "1"), Err(SetError::Unknown));
        assert_eq!(variables.set("sh", "1"), Err(SetError::Ambiguous(vec!["shout", "showownseek"])));
        assert_eq!(variables.set("formula", "rated & blitz"), Err(SetError::BadValue("formula")));
        assert_eq!(variables.set("width", "1000"), Err(SetError::BadValue("width")));
        assert_eq!(variables.set("style", "13"), Err(SetError::BadValue("style")));
        assert_eq!(variables.set("bell", "x"), Err(SetError::BadValue("bell")));
        assert_eq!(variables.set("interface", &"x".repeat(401)), Err(SetError::BadValue("interface")));
        assert_eq!(variables, Variables::default());
    }

    #[test]
    fn each_variable_has_one_name() {
        let names: std::collections::BTreeSet<_> = VARIABLES.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), VARIABLES.len());
        let set = |flag| VARIABLES.iter().filter(|(_, kind)| matches!(kind, Kind::Flag(of, ..) if *of == flag)).count();
        for (_, kind) in VARIABLES {
            if let Kind::Flag(flag, ..) = kind {
                assert_eq!(set(flag), 1, "{flag:?}");
            }
        }
    }
}
