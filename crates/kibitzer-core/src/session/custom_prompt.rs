//! The custom prompt of the account, which the reader has to know in order to recognize it.
//!
//! | learned from | when |
//! |---|---|
//! | the option `prompt` | a connection opens |
//! | the text before the refusal of the login's [`Fence`] | the login is complete |
//! | the text before the refusal of the fence after `set prompt` | the command is answered |
//!
//! Without fences, no prompt is learned: the marks of replies show where a reply ends.

use super::command::Command;
use crate::reader::EventReader;
use crate::wire::Fence;

/// Lets the reader recognize the prompt; an empty one is the server's default. `None` changes nothing.
pub(super) fn apply(prompt: Option<&[u8]>, reader: &mut EventReader) {
    if let Some(prompt) = prompt {
        reader.framer_mut().set_prompt(prompt);
    }
}

/// Returns the prompt that a command has set, read from the line that answers its fence; an empty one restores the server's
/// default. `None` if the command sets no prompt, or one that the framer recognizes without help.
///
/// Source: uhlin-fics, tried.
pub(super) fn set_by(command: &Command, fence: Fence, answer: &[u8]) -> Option<Vec<u8>> {
    let wanted = prompt_to_set(command)?;
    let Some(shown) = fence.prompt_before_answer(answer) else {
        // The framer has removed the default prompt, or one that begins with the account's last.
        return wanted.is_empty().then(Vec::new);
    };
    // A board that was cut short may precede an answer, too. The server adds a blank to a prompt, and may put the time before it.
    shown.trim_ascii_end().ends_with(wanted.as_bytes()).then(|| shown.to_vec())
}

/// Returns the prompt that `set prompt` sets, empty for the server's default. The name may be abbreviated to three letters. `None`
/// for any other command.
fn prompt_to_set(command: &Command) -> Option<&str> {
    /// Shorter abbreviations also fit other variables.
    const SHORTEST: usize = 3;
    let (verb, rest) = command.as_str().trim_start_matches(['$', '/', ' ']).split_once(' ')?;
    let (name, value) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
    let is_prompt = name.len() >= SHORTEST && "prompt".starts_with(&name.to_ascii_lowercase());
    (verb.eq_ignore_ascii_case("set") && is_prompt).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn only_the_requested_prompt_is_accepted() {
        let fence = Fence::random(&mut Rng::with_seed(7));
        let cases: &[(&str, &str, &str, Option<&str>)] = &[
            ("set", "set prompt chess>", "chess> zqX: Command has failed.", Some("chess> ")),
            ("shown twice", "set prompt chess>", "chess> chess> zqX: Command has failed.", Some("chess> ")),
            ("several words", "set prompt my own >", "my own > zqX: Command has failed.", Some("my own > ")),
            ("with the time", "set prompt x", "12:34_x zqX: Command not found.", Some("12:34_x ")),
            ("abbreviated", "$set pro x", "x No such command (zqX).", Some("x ")),
            ("taken back", "set prompt", "zqX: Command has failed.", Some("")),
            ("taken back to an unusual one", "set prompt", "$ zqX: Command has failed.", Some("$ ")),
            ("known already", "set prompt fics%", "zqX: Command has failed.", None),
            ("not changed", "set prompt chess>", "> zqX: Command has failed.", None),
            ("a cut board", "set prompt chess>", "<12> rnbqkbnr zqX: Command has failed.", None),
            ("another variable", "set private 1", "> zqX: Command has failed.", None),
            ("another command", "prompt", "> zqX: Command has failed.", None),
        ];
        for (name, command, line, want) in cases {
            let line = line.replace("zqX", fence.as_str());
            let got = set_by(&Command::new(command).unwrap(), fence, line.as_bytes());
            assert_eq!(got.as_deref(), want.map(str::as_bytes), "{name}");
        }
    }
}
