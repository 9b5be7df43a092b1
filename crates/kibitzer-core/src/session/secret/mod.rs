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
mod tests;
