//! Variables of a player, which are kept between the logins of registered players, and interface variables of a client.

use std::collections::BTreeMap;

use kibitzer_core::message::Ivar;

use crate::account::{find_only_by_prefix, name_key, unknown_or_ambiguous_text};

/// Values that a variable accepts.
#[derive(Clone, Copy)]
enum VariableKind {
    /// `0` or `1`; with the replies when it is switched on and off.
    Flag(&'static str, &'static str),
    /// A number from the minimum to the maximum.
    Number(u16, u16),
    /// A text of at most [`MAX_TEXT_BYTES`].
    Text,
    /// This text only.
    Only(&'static str),
}

/// All variables: name, default and kind.
///
/// Sources of names, defaults and texts: the `variables` table and the answers in the transcripts, as far as there are any.
#[rustfmt::skip] // one to a line: it is a table
const VARIABLES: [(&str, &str, VariableKind); 35] = [
    ("autoflag", "1", VariableKind::Flag("Auto-flagging enabled.", "Auto-flagging disabled.")),
    ("bell", "0", VariableKind::Flag("You will now hear beeps.", "You will not hear beeps.")),
    ("bugopen", "0", VariableKind::Flag("You are now open for bughouse.", "You are not open for bughouse.")),
    ("chanoff", "0", VariableKind::Flag("You will not hear channel tells.", "You will now hear channel tells.")),
    ("cshout", "1", VariableKind::Flag("You will now hear c-shouts.", "You will not hear c-shouts.")),
    ("ctell", "1", VariableKind::Flag("You will now hear channel tells from unregistered users.", "You will not hear channel tells from unregistered users.")),
    ("examine", "0", VariableKind::Flag("You will now examine your games when they end.", "You will not examine your games when they end.")),
    ("flip", "0", VariableKind::Flag("Flip on.", "Flip off.")),
    ("gin", "0", VariableKind::Flag("You will now hear game results.", "You will not hear game results.")),
    ("kibitz", "1", VariableKind::Flag("You will now hear kibitzes.", "You will not hear kibitzes.")),
    ("mailmess", "0", VariableKind::Flag("Your messages will be mailed to you.", "Your messages will not be mailed to you.")),
    ("minmovetime", "1", VariableKind::Flag("You will now request minimum move time when games start.", "You will not request minimum move time when games start.")),
    ("noescape", "0", VariableKind::Flag("You will now request noescape when games start.", "You will not request noescape when games start.")),
    ("notakeback", "0", VariableKind::Flag("You will now decline takebacks.", "You will not decline takebacks.")),
    ("notifiedby", "0", VariableKind::Flag("You will now hear if people notify you.", "You will not hear if people notify you.")),
    ("open", "1", VariableKind::Flag("You are now receiving match requests.", "You are no longer receiving match requests.")),
    ("pin", "0", VariableKind::Flag("You will now hear logins/logouts.", "You will not hear logins/logouts.")),
    ("ptime", "0", VariableKind::Flag("Your prompt will now show the time.", "Your prompt will now not show the time.")),
    ("seek", "1", VariableKind::Flag("You will now see seek ads.", "You will not see seek ads.")),
    ("shout", "1", VariableKind::Flag("You will now hear shouts.", "You will not hear shouts.")),
    ("showownseek", "0", VariableKind::Flag("You will now see your own seeks.", "You will not see your own seeks.")),
    ("silence", "0", VariableKind::Flag("You will now play games in silence.", "You will not play games in silence.")),
    ("tell", "1", VariableKind::Flag("You will now hear direct tells from unregistered users.", "You will not hear direct tells from unregistered users.")),
    ("height", "24", VariableKind::Number(5, 240)),
    ("inc", "12", VariableKind::Number(0, 999)),
    ("kiblevel", "0", VariableKind::Number(0, 9_999)),
    // The server draws no other style.
    ("style", "12", VariableKind::Number(12, 12)),
    ("time", "2", VariableKind::Number(0, 999)),
    // Source: transport rule W1.
    ("width", "79", VariableKind::Number(32, 240)),
    ("busy", "", VariableKind::Text),
    // Formulas are not evaluated.
    ("formula", "", VariableKind::Only("")),
    ("interface", "", VariableKind::Text),
    // There are no other languages and time zones.
    ("lang", "en", VariableKind::Only("en")),
    ("prompt", "", VariableKind::Text),
    ("tzone", "UTC", VariableKind::Only("UTC")),
];

/// Maximum number of notes.
const MAX_NOTES: u8 = 10;

/// Maximum length of a text or a note, in bytes.
const MAX_TEXT_BYTES: usize = 400;

/// The values of all variables, and the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    /// Values that were set, by name.
    values: BTreeMap<&'static str, String>,
    notes: BTreeMap<u8, String>,
}

impl Variables {
    /// Returns the value of the variable with this whole name; its default if it was not set, empty if there is no such variable.
    pub(crate) fn value(&self, name: &str) -> &str {
        let default = || VARIABLES.iter().find(|(known, ..)| *known == name).map_or("", |&(_, default, _)| default);
        self.values.get(name).map_or_else(default, String::as_str)
    }

    /// Returns the variable `prompt`, or `default` if it is empty.
    pub(crate) fn prompt_or<'a>(&'a self, default: &'a str) -> &'a str {
        Some(self.value("prompt")).filter(|prompt| !prompt.is_empty()).unwrap_or(default)
    }

    /// Returns whether the flag with this whole name is on; `false` if there is no such flag.
    pub(crate) fn is_flag_on(&self, flag: &str) -> bool {
        self.value(flag) == "1"
    }

    /// Returns the value of the numeric variable with this whole name; 0 if there is no such variable.
    pub(crate) fn number(&self, name: &str) -> u16 {
        self.value(name).parse().unwrap_or(0)
    }

    /// Returns the notes with their numbers.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (u8, &str)> {
        self.notes.iter().map(|(&number, note)| (number, note.as_str()))
    }

    /// Sets a variable, whose name may be abbreviated, or the note of a number from 1 to [`MAX_NOTES`]. Without a value, inverts
    /// a flag and clears a text or note. A `prompt` is stored with a blank after it. Returns the reply without its line end; an
    /// unknown or ambiguous name and an invalid value change nothing.
    pub(crate) fn set_or_toggle(&mut self, name: &str, value: &str) -> String {
        if let Some(number) = name.parse().ok().filter(|number| (1..=MAX_NOTES).contains(number)) {
            return self.set_note(number, value);
        }
        let variables = VARIABLES.map(|(name, _, kind)| (name, (name, kind)));
        let (name, kind) = match find_only_by_prefix(variables, &name_key(name)) {
            Ok(found) => found,
            Err(names) => return unknown_or_ambiguous_text("variable", name, &names),
        };
        let (value, reply) = match (kind, value) {
            (VariableKind::Flag(_, off), "") if self.is_flag_on(name) => ("0".to_owned(), off.to_owned()),
            (VariableKind::Flag(on, _), "" | "1" | "on" | "true" | "yes") => ("1".to_owned(), on.to_owned()),
            (VariableKind::Flag(_, off), "0" | "off" | "false" | "no") => ("0".to_owned(), off.to_owned()),
            (VariableKind::Number(min, max), _)
                if let Some(number) = value.parse::<u16>().ok().filter(|number| (min..=max).contains(number)) =>
            {
                let value = number.to_string();
                let reply =
                    if name == "style" { format!("Style {value} set.") } else { format!("{name} set to {value}.") };
                (value, reply)
            }
            (VariableKind::Text | VariableKind::Only(_), "") => {
                self.values.remove(name);
                return format!("{name} unset.");
            }
            (VariableKind::Text, _) if value.len() <= MAX_TEXT_BYTES => {
                // A blank separates the prompt from the typed text.
                let value = if name == "prompt" { format!("{value} ") } else { value.to_owned() };
                let reply = format!("{name} set to \"{value}\".");
                (value, reply)
            }
            (VariableKind::Only(known), _) if value == known => {
                (value.to_owned(), format!("{name} set to \"{value}\"."))
            }
            _ => return format!("Bad value given for variable \"{name}\"."),
        };
        self.values.insert(name, value);
        reply
    }

    /// Sets the note of this number, or removes it if the text is empty. Returns the reply; a text that is too long changes
    /// nothing.
    fn set_note(&mut self, number: u8, note: &str) -> String {
        match note.len() {
            0 => {
                self.notes.remove(&number);
                format!("Note {number} cleared.")
            }
            1..=MAX_TEXT_BYTES => {
                self.notes.insert(number, note.to_owned());
                format!("Note {number} set: {note}")
            }
            _ => "Bad value given for variable \"note\".".to_owned(),
        }
    }

    /// Formats the table of `variables`, without the lines before and after it.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn format_table(&self) -> String {
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
            let cells = row.iter().zip(WIDTHS).map(|(name, width)| format!("{:<width$}", self.format_cell(name)));
            table += cells.collect::<String>().trim_end();
            table.push('\n');
        }
        table
    }

    fn format_cell(&self, name: &str) -> String {
        let lower = name_key(name);
        match VARIABLES.iter().find(|(known, ..)| *known == lower) {
            _ if name.is_empty() => String::new(),
            None => format!("{name}=?"),
            Some(_) => format!("{name}={}", self.value(&lower)),
        }
    }
}

/// Returns the variables that can be set: all but `xml`.
pub(crate) fn settable_ivars() -> impl Iterator<Item = Ivar> {
    Ivar::ALL.iter().copied().filter(|&ivar| ivar != Ivar::Xml)
}

/// The values of all interface variables, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ivars(u64);

impl Default for Ivars {
    /// Returns the values at the start of a session on the recorded server.
    fn default() -> Self {
        let mut ivars = Self(0);
        ivars.set(Ivar::ShowOwnSeek, true);
        ivars.set(Ivar::Atomic, true);
        ivars
    }
}

/// Minimum number of digits in a login string.
///
/// Source: transcripts fatics-login-failed-retry (three are ignored), fatics-login-registered-ivarstring.
const MIN_LOGIN_DIGITS: usize = 32;

impl Ivars {
    pub(crate) const fn is_set(self, ivar: Ivar) -> bool {
        self.0 & Self::mask(ivar) != 0
    }

    pub(crate) const fn set(&mut self, ivar: Ivar, value: bool) {
        if value {
            self.0 |= Self::mask(ivar);
        } else {
            self.0 &= !Self::mask(ivar);
        }
    }

    /// Parses the digits after `%b`, each 0 or 1, of which the variables define the order; variables without a digit keep their
    /// defaults. `None` for fewer than [`MIN_LOGIN_DIGITS`], or with any other character. Digits after the last variable are
    /// ignored.
    pub(crate) fn parse_login_digits(digits: &str) -> Option<Self> {
        let is_string = digits.len() >= MIN_LOGIN_DIGITS && digits.bytes().all(|digit| matches!(digit, b'0' | b'1'));
        is_string.then(|| {
            let mut ivars = Self::default();
            for ivar in settable_ivars() {
                if let Some(&digit) =
                    ivar.login_string_position().and_then(|number| digits.as_bytes().get(usize::from(number)))
                {
                    ivars.set(ivar, digit == b'1');
                }
            }
            ivars
        })
    }

    const fn mask(ivar: Ivar) -> u64 {
        // There are fewer than 64 variables.
        1 << ivar as u8
    }

    /// Formats the table of `ivariables`, without its heading.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn format_table(self) -> String {
        const ROWS: [&[Ivar]; 9] = [
            &[Ivar::CompressMove, Ivar::DefPrompt, Ivar::Lock, Ivar::Ms],
            &[Ivar::SeekRemove, Ivar::StartPos, Ivar::Block, Ivar::GameInfo],
            &[Ivar::PendInfo, Ivar::Graph, Ivar::SeekInfo, Ivar::ExtAscii],
            &[Ivar::ShowServer, Ivar::NoHighlight, Ivar::VtHighlight, Ivar::Pin],
            &[Ivar::PingInfo, Ivar::BoardInfo, Ivar::ExtUserInfo, Ivar::AudioChat],
            &[Ivar::SeekCa, Ivar::ShowOwnSeek, Ivar::Premove, Ivar::SmartMove],
            &[Ivar::MoveCase, Ivar::NoWrap, Ivar::AllResults],
            &[Ivar::SingleBoard],
            &[Ivar::Suicide, Ivar::Crazyhouse, Ivar::Losers, Ivar::WildCastle],
        ];
        let mut table = String::new();
        for row in ROWS.into_iter().chain([&[Ivar::Fr, Ivar::Atomic][..]]) {
            let cell = |&ivar: &Ivar| format!("{:<19}", format!("{}={}", ivar.as_str(), u8::from(self.is_set(ivar))));
            table += row.iter().map(cell).collect::<String>().trim_end();
            table.push('\n');
        }
        table + "xml=?\n"
    }
}

#[cfg(test)]
mod tests;
