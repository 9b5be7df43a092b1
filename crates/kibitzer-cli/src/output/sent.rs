//! Lines that the client of a recording sent.

use kibitzer::core::EventKind;
use kibitzer::core::wire::unseal;

/// Knows whether the server waits for a password.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PasswordPrompt {
    is_open: bool,
}

impl PasswordPrompt {
    /// Whether what is sent next is a password.
    pub(crate) const fn is_open(self) -> bool {
        self.is_open
    }

    /// Takes in an event of the server.
    pub(crate) const fn event(&mut self, kind: EventKind) {
        match kind {
            EventKind::PasswordPrompt => self.is_open = true,
            EventKind::Prompt | EventKind::LoginPrompt | EventKind::LoggedIn | EventKind::Connected => {
                self.is_open = false;
            }
            _ => {}
        }
    }

    /// Takes in that this was sent. A password may go in pieces; its line end is the last of them.
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.is_open &= !bytes.is_empty() && !bytes.ends_with(b"\n");
    }
}

/// Returns the text of a sent line, in clear if it is sealed, one character for each byte; `None` for what timeseal says itself.
pub(crate) fn sent_text(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = match unseal(line) {
        Ok(unsealed) if unsealed.is_ping_answer() || unsealed.hello().is_some() => return None,
        Ok(unsealed) => unsealed.text,
        Err(_) => line.strip_suffix(b"\r").unwrap_or(line).to_vec(),
    };
    Some(text.into_iter().map(char::from).collect())
}
