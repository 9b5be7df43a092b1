//! A prompt that is changed during the session.

use crate::session::command::Command;
use crate::session::requests::fence::Fence;

/// The account's prompt after this command, read from the answer to its fence; an empty one takes the account's own back.
/// `None` if the command changes no prompt, or none that the framer does not see already.
///
/// Only behind `set prompt`: a board that was cut short stands in front of an answer, too. What stands there has to be
/// what was set; the server adds a blank to it, and may put the time in front.
///
/// Source: uhlin-fics, tried.
pub(crate) fn changed_prompt(command: &Command, fence: Fence, line: &[u8]) -> Option<Vec<u8>> {
    let wanted = command.prompt_to_set()?;
    let Some(shown) = fence.prompt_in_front(line) else {
        // The server is back at its usual prompt, or at one that begins with the account's last.
        return wanted.is_empty().then(Vec::new);
    };
    shown.trim_ascii_end().ends_with(wanted.as_bytes()).then(|| shown.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::random::Random;

    #[test]
    fn only_what_was_set_is_taken_for_the_prompt() {
        let fence = Fence::draw(&mut Random::new(7));
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
            let got = changed_prompt(&Command::new(command).unwrap(), fence, line.as_bytes());
            assert_eq!(got.as_deref(), want.map(str::as_bytes), "{name}");
        }
    }
}
