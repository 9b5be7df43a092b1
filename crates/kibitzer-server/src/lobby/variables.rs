//! Variables of a player. Those of a registered player are kept between logins.

use std::collections::BTreeMap;

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

/// A flag's name, its default, and the replies when it is switched on and off.
struct FlagRow(Flag, &'static str, bool, &'static str, &'static str);

#[rustfmt::skip] // one to a line: it is a table
const FLAGS: [FlagRow; 23] = [
    FlagRow(Flag::Autoflag, "autoflag", true, "Auto-flagging enabled.", "Auto-flagging disabled."),
    FlagRow(Flag::Bell, "bell", false, "You will now hear beeps.", "You will not hear beeps."),
    FlagRow(Flag::Bugopen, "bugopen", false, "You are now open for bughouse.", "You are not open for bughouse."),
    FlagRow(Flag::Chanoff, "chanoff", false, "You will not hear channel tells.", "You will now hear channel tells."),
    FlagRow(Flag::Cshout, "cshout", true, "You will now hear c-shouts.", "You will not hear c-shouts."),
    FlagRow(Flag::Ctell, "ctell", true, "You will now hear channel tells from unregistered users.", "You will not hear channel tells from unregistered users."),
    FlagRow(Flag::Examine, "examine", false, "You will now examine your games when they end.", "You will not examine your games when they end."),
    FlagRow(Flag::Flip, "flip", false, "Flip on.", "Flip off."),
    FlagRow(Flag::Gin, "gin", false, "You will now hear game results.", "You will not hear game results."),
    FlagRow(Flag::Kibitz, "kibitz", true, "You will now hear kibitzes.", "You will not hear kibitzes."),
    FlagRow(Flag::Mailmess, "mailmess", false, "Your messages will be mailed to you.", "Your messages will not be mailed to you."),
    FlagRow(Flag::Minmovetime, "minmovetime", true, "You will now request minimum move time when games start.", "You will not request minimum move time when games start."),
    FlagRow(Flag::Noescape, "noescape", false, "You will now request noescape when games start.", "You will not request noescape when games start."),
    FlagRow(Flag::Notakeback, "notakeback", false, "You will now decline takebacks.", "You will not decline takebacks."),
    FlagRow(Flag::Notifiedby, "notifiedby", false, "You will now hear if people notify you.", "You will not hear if people notify you."),
    FlagRow(Flag::Open, "open", true, "You are now receiving match requests.", "You are no longer receiving match requests."),
    FlagRow(Flag::Pin, "pin", false, "You will now hear logins/logouts.", "You will not hear logins/logouts."),
    FlagRow(Flag::Ptime, "ptime", false, "Your prompt will now show the time.", "Your prompt will now not show the time."),
    FlagRow(Flag::Seek, "seek", true, "You will now see seek ads.", "You will not see seek ads."),
    FlagRow(Flag::Shout, "shout", true, "You will now hear shouts.", "You will not hear shouts."),
    FlagRow(Flag::Showownseek, "showownseek", false, "You will now see your own seeks.", "You will not see your own seeks."),
    FlagRow(Flag::Silence, "silence", false, "You will now play games in silence.", "You will not play games in silence."),
    FlagRow(Flag::Tell, "tell", true, "You will now hear direct tells from unregistered users.", "You will not hear direct tells from unregistered users."),
];

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

/// A number's name, its value at first, its least and its greatest.
struct NumberRow(Number, &'static str, u16, u16, u16);

const NUMBERS: [NumberRow; 6] = [
    NumberRow(Number::Height, "height", 24, 5, 240),
    NumberRow(Number::Inc, "inc", 12, 0, 999),
    NumberRow(Number::Kiblevel, "kiblevel", 0, 0, 9_999),
    // The only style this server draws.
    NumberRow(Number::Style, "style", 12, 12, 12),
    NumberRow(Number::Time, "time", 2, 0, 999),
    // Source: transport rule W1.
    NumberRow(Number::Width, "width", 79, 32, 240),
];

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

const TEXTS: [(Text, &str); 6] = [
    (Text::Busy, "busy"),
    (Text::Formula, "formula"),
    (Text::Interface, "interface"),
    (Text::Lang, "lang"),
    (Text::Prompt, "prompt"),
    (Text::Tzone, "tzone"),
];

/// How many notes a player may have, and how long the values of texts and notes are at most, in bytes.
const MAX_NOTES: u8 = 10;
const MAX_TEXT_BYTES: usize = 400;

/// Why a variable was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SetError {
    /// No variable has this name.
    Unknown,
    /// The names of several start so.
    Ambiguous(Vec<&'static str>),
    /// The variable of this name does not take this value.
    BadValue(&'static str),
}

/// The values of all variables, and the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    /// Those that were changed.
    flags: BTreeMap<Flag, bool>,
    numbers: BTreeMap<Number, u16>,
    texts: BTreeMap<Text, String>,
    notes: BTreeMap<u8, String>,
}

/// A name of any kind.
#[derive(Clone, Copy)]
enum Name {
    Flag(&'static FlagRow),
    Number(&'static NumberRow),
    Text(Text, &'static str),
}

impl Name {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Flag(&FlagRow(_, name, ..)) | Self::Number(&NumberRow(_, name, ..)) | Self::Text(_, name) => name,
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let flags = FLAGS.iter().map(Self::Flag);
        let numbers = NUMBERS.iter().map(Self::Number);
        flags.chain(numbers).chain(TEXTS.iter().map(|&(text, name)| Self::Text(text, name)))
    }

    /// The name that is meant by its start.
    fn meant(prefix: &str) -> Result<Self, SetError> {
        let prefix = prefix.to_ascii_lowercase();
        if let Some(exact) = Self::all().find(|name| name.as_str() == prefix) {
            return Ok(exact);
        }
        let fitting: Vec<_> = Self::all().filter(|name| name.as_str().starts_with(&prefix)).collect();
        match fitting.as_slice() {
            [] => Err(SetError::Unknown),
            [only] => Ok(*only),
            several => Err(SetError::Ambiguous(several.iter().map(|name| name.as_str()).collect())),
        }
    }
}

impl Variables {
    pub(crate) fn is_set(&self, flag: Flag) -> bool {
        let default = || FLAGS.iter().any(|row| row.0 == flag && row.2);
        self.flags.get(&flag).copied().unwrap_or_else(default)
    }

    pub(crate) fn set_flag(&mut self, flag: Flag, value: bool) {
        self.flags.insert(flag, value);
    }

    pub(crate) fn number(&self, number: Number) -> u16 {
        let default = || NUMBERS.iter().find(|row| row.0 == number).map_or(0, |row| row.2);
        self.numbers.get(&number).copied().unwrap_or_else(default)
    }

    /// The text; empty if it is not set.
    pub(crate) fn text(&self, text: Text) -> &str {
        self.texts.get(&text).map_or("", String::as_str)
    }

    /// The notes, by their numbers.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (u8, &str)> {
        self.notes.iter().map(|(&number, note)| (number, note.as_str()))
    }

    /// Sets a variable or a note and says so, without line end.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<String, SetError> {
        if let Some(number) = name.parse().ok().filter(|number| (1..=MAX_NOTES).contains(number)) {
            return self.set_note(number, value);
        }
        match Name::meant(name)? {
            Name::Flag(row) => self.switch(row, value),
            Name::Number(row) => self.set_number(row, value),
            Name::Text(text, name) => self.set_text(text, name, value),
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

    fn switch(&mut self, &FlagRow(flag, name, _, on, off): &FlagRow, value: &str) -> Result<String, SetError> {
        let value = match value {
            "" => !self.is_set(flag),
            "1" | "on" | "true" | "yes" => true,
            "0" | "off" | "false" | "no" => false,
            _ => return Err(SetError::BadValue(name)),
        };
        self.set_flag(flag, value);
        Ok(if value { on } else { off }.to_owned())
    }

    fn set_number(&mut self, row: &NumberRow, value: &str) -> Result<String, SetError> {
        let &NumberRow(number, name, _, least, greatest) = row;
        let value = value.parse().ok().filter(|value| (least..=greatest).contains(value));
        let value = value.ok_or(SetError::BadValue(name))?;
        self.numbers.insert(number, value);
        Ok(if number == Number::Style { format!("Style {value} set.") } else { format!("{name} set to {value}.") })
    }

    fn set_text(&mut self, text: Text, name: &'static str, value: &str) -> Result<String, SetError> {
        if value.is_empty() {
            self.texts.remove(&text);
            return Ok(format!("{name} unset."));
        }
        // A formula would have to be obeyed, a zone or a language to be known.
        let is_known = match text {
            Text::Formula => false,
            Text::Tzone => value == "UTC",
            Text::Lang => value == "en",
            Text::Busy | Text::Interface | Text::Prompt => value.len() <= MAX_TEXT_BYTES,
        };
        if !is_known {
            return Err(SetError::BadValue(name));
        }
        // A blank is put between the prompt and what is typed.
        let value = if text == Text::Prompt { format!("{value} ") } else { value.to_owned() };
        let answer = format!("{name} set to \"{value}\".");
        self.texts.insert(text, value);
        Ok(answer)
    }

    /// The table of `variables`, behind its heading and in front of its end.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn table(&self) -> String {
        const WIDTHS: [usize; 5] = [13, 14, 16, 16, 0];
        // Columns that are empty have no name; variables that are not known here have a question mark for a value.
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
        let value = match Name::all().find(|known| known.as_str().eq_ignore_ascii_case(name)) {
            None => "?".to_owned(),
            Some(Name::Flag(row)) => u8::from(self.is_set(row.0)).to_string(),
            Some(Name::Number(row)) => self.number(row.0).to_string(),
            Some(Name::Text(Text::Lang, _)) => "en".to_owned(),
            Some(Name::Text(..)) => "UTC".to_owned(),
        };
        format!("{name}={value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions and answers of the transcripts.
    #[test]
    fn setting_a_variable_is_answered_as_recorded() {
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
    fn what_cannot_be_set_is_refused() {
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
    fn the_rows_are_found_by_name_and_by_variable() {
        assert!(FLAGS.is_sorted_by_key(|row| row.0) && NUMBERS.is_sorted_by_key(|row| row.0));
        let names: Vec<_> = Name::all().map(Name::as_str).collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }
}
