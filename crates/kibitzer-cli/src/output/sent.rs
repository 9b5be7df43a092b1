//! Sent lines of a recording: their text, and whether they are passwords.

use kibitzer::core::EventKind;
use kibitzer::core::text::decode_characters;
use kibitzer::core::wire::unseal;

/// First byte of a telnet command.
const TELNET_COMMAND: u8 = 0xff;

/// Tracks whether the server waits for a password.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PasswordPrompt {
    /// Whether the next sent line is a password.
    pub(crate) is_open: bool,
}

impl PasswordPrompt {
    /// Opens the prompt at the event of a password prompt, and closes it at any other prompt and at the start of a connection or
    /// session.
    pub(crate) const fn record_event(&mut self, kind: EventKind) {
        match kind {
            EventKind::PasswordPrompt => self.is_open = true,
            EventKind::Prompt | EventKind::LoginPrompt | EventKind::LoggedIn | EventKind::Connected => {
                self.is_open = false;
            }
            _ => {}
        }
    }

    /// Closes the prompt if the sent bytes end a line, or are empty because the recording redacted them. Without a line end, the
    /// rest of the password follows.
    pub(crate) fn close_at_line_end(&mut self, bytes: &[u8]) {
        self.is_open &= !bytes.is_empty() && !bytes.ends_with(b"\n");
    }
}

/// Returns the text of a sent line without its end, decoded from timeseal if necessary. `None` for lines of the timeseal protocol:
/// its hello and answers to pings, and for telnet commands, such as the probe for an answer.
pub(crate) fn text_unless_timeseal(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    // No character begins with this byte, neither in UTF-8 nor in what servers accept.
    if line.starts_with(&[TELNET_COMMAND]) {
        return None;
    }
    let text = match unseal(line) {
        Some(unsealed) if unsealed.is_ping_answer() || unsealed.hello_version().is_some() => return None,
        Some(unsealed) => unsealed.text,
        None => line.strip_suffix(b"\r").unwrap_or(line).to_vec(),
    };
    Some(decode_characters(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_telnet_command_is_no_line() {
        assert_eq!(text_unless_timeseal(b"\xff\xfd\x06"), None);
        assert_eq!(text_unless_timeseal(b"games\r\n").as_deref(), Some("games"));
    }
}
