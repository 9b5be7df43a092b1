//! Commands that change settings of a session: variables, ivars, lists.

use crate::session::command::Command;

/// A change of a setting by a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingChange {
    /// The setting: a later command with the same key replaces an earlier one.
    pub(crate) key: String,
    /// Whether the command names the value, so that sending it twice has the effect of sending it once. Without one, `set gin`
    /// toggles.
    pub(crate) has_value: bool,
}

impl SettingChange {
    /// Reads a command; `None` if it changes no setting that may be set again, or holds a password.
    pub(crate) fn of(command: &Command) -> Option<Self> {
        if command.is_secret() {
            return None;
        }
        let verb = command.verb();
        let mut rest = command.words().skip(1);
        let (kind, name) = match &*verb {
            "style" => ("set", Some("style")),
            "set" | "iset" | "set-2" => (&*verb, rest.next()),
            "addlist" | "sublist" | "+" | "-" => ("list", rest.next()),
            _ => ("list", Some(verb.strip_prefix(['+', '-'])?)),
        };
        let (name, value) = (name?.to_ascii_lowercase(), rest.next());
        let key = match value.filter(|_| kind == "list") {
            Some(entry) => format!("{kind} {name} {}", entry.to_ascii_lowercase()),
            None => format!("{kind} {name}"),
        };
        Some(Self { key, has_value: value.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(line: &str) -> Option<(String, bool)> {
        SettingChange::of(&Command::new(line).unwrap()).map(|change| (change.key, change.has_value))
    }

    #[test]
    fn a_setting_has_one_key_however_it_is_changed() {
        for (line, key, has_value) in [
            ("set gin 1", "set gin", true),
            ("$Set GIN 0", "set gin", true),
            ("set gin", "set gin", false),
            ("set 3 a note of several words", "set 3", true),
            ("style 1", "set style", true),
            ("set style 12", "set style", true),
            ("style", "set style", false),
            ("iset ms 0", "iset ms", true),
            ("set-2 31 1", "set-2 31", true),
            ("+channel 53", "list channel 53", true),
            ("-channel 53", "list channel 53", true),
            ("+ notify Euwe", "list notify euwe", true),
            ("addlist notify Euwe", "list notify euwe", true),
            ("sublist notify euwe", "list notify euwe", true),
        ] {
            assert_eq!(change(line), Some((key.to_owned(), has_value)), "{line}");
        }
        for line in ["", "set", "date", "tell Newton set gin 1", "set password swordfish", "-", "seek 5 0"] {
            assert_eq!(change(line), None, "{line}");
        }
    }
}
