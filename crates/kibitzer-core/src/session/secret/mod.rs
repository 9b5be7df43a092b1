//! Passwords: lines that contain one, and occurrences in received bytes.

mod search;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

pub use search::{Secret, mask_secrets_in_line, mask_secrets_in_stream, mask_text_keeping_controls};

/// Characters that may precede a command: `$` and `/` of clients, the number of block mode, tags of ICC.
const PREFIX: &[char] = &['$', '/', '`', ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// Decides which typed lines contain a password, on FICS, its relatives and ICC: those of commands with a password. A password in
/// talk is not recognized, even if it is that of the login.
///
/// All components that store or show typed lines use it. [`learn_alias`](Self::learn_alias) adds aliases of such commands.
///
/// ```
/// use kibitzer_core::session::SecretDetector;
///
/// let mut detector = SecretDetector::default();
/// assert!(detector.is_secret("$passw old new") && !detector.is_secret("tell Newton password"));
/// detector.learn_alias("alias pw password");
/// assert_eq!(detector.secrets("pw old new"), ["old", "new"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SecretDetector {
    /// Hashes of the names, in lower case, of aliases for commands with a password. The type limits their number. With 100 aliases
    /// (FICS permits 20), 1 in 650 other names is taken for one of them.
    aliases: BTreeSet<u16>,
}

impl SecretDetector {
    /// Returns whether the line contains a password.
    pub fn is_secret(&self, line: &str) -> bool {
        !self.secrets(line).is_empty()
    }

    /// Returns the words of the line that may be a password, in order; empty if the line contains none. Neighboring arguments are
    /// included where the password has no fixed place, such as the name in `register`.
    ///
    /// Commands may be abbreviated. An abbreviation that the server refuses as ambiguous counts too, because the password was
    /// typed.
    pub fn secrets<'a>(&self, line: &'a str) -> Vec<&'a str> {
        self.password_arguments(line).unwrap_or_default()
    }

    /// Remembers the alias that the line defines, if it stands for a command with a password; any other line changes nothing.
    /// Only a hash is kept of its name, so that memory is limited: an unrelated command is rarely taken for an alias.
    pub fn learn_alias(&mut self, line: &str) {
        let (verb, rest) = split_first_word(line.trim_start_matches(PREFIX));
        let (name, value) = split_first_word(rest);
        if abbreviates(&verb.to_ascii_lowercase(), "alias", 2) && self.password_arguments(value).is_some() {
            self.aliases.insert(hash_name(&name.to_ascii_lowercase()));
        }
    }

    /// Returns the arguments that may be passwords, of all commands in the line; `None` if no command in it has a password.
    fn password_arguments<'a>(&self, line: &'a str) -> Option<Vec<&'a str>> {
        let mut found = None;
        let mut commands = vec![line];
        while let Some(command) = commands.pop() {
            let command = command.trim_start_matches(PREFIX);
            if let Some(rest) = command.strip_prefix(';') {
                commands.extend(rest.split(';').rev());
                continue;
            }
            let (verb, rest) = split_first_word(command);
            let verb = verb.to_ascii_lowercase();
            let secret = match &*verb {
                // ICC executes several commands in one line.
                verb if abbreviates(verb, "multi", 2) => {
                    commands.extend(rest.split(';').rev());
                    continue;
                }
                // The command of an alias, or one that an administrator executes in the name of another player.
                verb if abbreviates(verb, "alias", 2) || verb == "pose" => {
                    commands.push(split_first_word(rest).1);
                    continue;
                }
                verb if abbreviates(verb, "asetpasswd", 4) || verb == "login" => split_first_word(rest).1,
                verb if is_password_name(verb)
                    || abbreviates(verb, "register", 3)
                    || self.aliases.contains(&hash_name(verb)) =>
                {
                    rest
                }
                verb => {
                    let (name, value) = split_first_word(if verb == "asetv" { split_first_word(rest).1 } else { rest });
                    if !matches!(verb, "set" | "asetv") || !is_password_name(&name.to_ascii_lowercase()) {
                        continue;
                    }
                    value
                }
            };
            found.get_or_insert_with(Vec::new).extend(secret.split_ascii_whitespace());
        }
        found
    }
}

/// Returns 16 bits of the hash of a name.
fn hash_name(name: &str) -> u16 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let [low, high, ..] = hasher.finish().to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// Returns the first word, and the text after the blanks that follow it.
fn split_first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    (word, rest.trim_start_matches([' ', '\t']))
}

/// Returns whether a word is a prefix of `name`, in the same case, and has at least `shortest` bytes.
fn abbreviates(word: &str, name: &str, shortest: usize) -> bool {
    word.len() >= shortest && name.starts_with(word)
}

/// Returns whether the arguments of the command, or the value of the variable, with this lower-case name are passwords:
/// `password`, its abbreviations, `passwd`, `setpassword`.
fn is_password_name(name: &str) -> bool {
    abbreviates(name, "password", 2) || name.contains("passw")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_with_a_password_is_recognized() {
        let lines: &[(&str, &[&str])] = &[
            ("password old new", &["old", "new"]),
            ("  $$Passw  old\tnew ", &["old", "new"]),
            ("/password old new", &["old", "new"]),
            ("12 password old new", &["old", "new"]),
            ("`7`password old new", &["old", "new"]),
            ("pa old new", &["old", "new"]),
            ("passwd n;ew", &["n;ew"]),
            ("set password new", &["new"]),
            ("Set PASS new", &["new"]),
            ("asetpasswd Newton new", &["new"]),
            ("aset Newton new", &["new"]),
            ("asetv Newton password new", &["new"]),
            ("multi finger; password old new;date", &["old", "new"]),
            ("MUL password a b; set passw c", &["a", "b", "c"]),
            (";date;password old new", &["old", "new"]),
            (";password a b;passw c d", &["a", "b", "c", "d"]),
            ("register Newton swordfish", &["Newton", "swordfish"]),
            ("reg Newton swordfish", &["Newton", "swordfish"]),
            ("login Newton swordfish", &["swordfish"]),
            ("alias pw password old new", &["old", "new"]),
            ("alias pw multi date; pass old new", &["old", "new"]),
            ("pose Newton password old new", &["old", "new"]),
        ];
        let detector = SecretDetector::default();
        for (line, want) in lines {
            assert_eq!((detector.secrets(line), detector.is_secret(line)), (want.to_vec(), true), "{line}");
        }
        for line in [
            "",
            "$",
            "password",
            "set password",
            "multi ;;",
            "partner Newton",
            "p Newton",
            "simpass",
            "set prompt password",
            "tell Newton password a b",
            "shout a; password b",
            "help password",
            "alias pw password",
            "finger password",
        ] {
            assert!(!detector.is_secret(line), "{line}");
        }
    }

    #[test]
    fn aliases_are_learned() {
        let mut detector = SecretDetector::default();
        for line in ["alias PW $password", "Ali pp multi date; pw @", "alias f finger", "say alias g password"] {
            detector.learn_alias(line);
        }
        assert_eq!(detector.secrets("pw old new"), ["old", "new"]);
        assert_eq!(detector.secrets("5 pp old"), ["old"]);
        assert!(!detector.is_secret("f Newton") && !detector.is_secret("g Newton") && !detector.is_secret("pw"));
        for n in 0..1000 {
            detector.learn_alias(&format!("alias x{n} password"));
        }
        assert!(detector.aliases.len() <= 1000);
    }

    #[test]
    fn many_aliases_are_recognized() {
        let mut detector = SecretDetector::default();
        for n in 0..120 {
            detector.learn_alias(&format!("alias x{n} password"));
        }
        for n in 0..120 {
            assert_eq!(detector.secrets(&format!("X{n} old new")), ["old", "new"]);
        }
        let n_masked = (0..1000).filter(|n| detector.is_secret(&format!("other{n} Newton"))).count();
        assert!(n_masked < 10, "{n_masked} of 1000 other commands are taken for aliases");
    }

    #[test]
    fn nested_commands_take_linear_time() {
        let detector = SecretDetector::default();
        for piece in ["multi ", "alias a ", "; ", "multi a;", "$"] {
            assert!(!detector.is_secret(&piece.repeat(2_000)), "{piece}");
        }
    }
}
