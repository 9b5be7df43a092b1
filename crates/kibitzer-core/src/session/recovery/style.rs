//! Whether boards come in the style that was set.

use std::time::{Duration, Instant};

use crate::message::Message;
use crate::session::command::Command;

/// How long nothing is said about boards in another style after the last time. Those in flight still come in it, and a
/// server that does not know style 12 must not be asked with every move.
const PATIENCE: Duration = Duration::from_mins(1);

/// What to send when a board came in another style.
///
/// Source: rule style10 O1.
pub(crate) const REPAIR: [&str; 2] = ["set style 12", "refresh"];

/// Watches the boards of one connection.
#[derive(Debug, Default)]
pub(crate) struct StyleWatch {
    /// Somebody has asked for another style: boards in it are no accident.
    is_chosen: bool,
    asked: Option<Instant>,
}

impl StyleWatch {
    /// Whether the user has chosen another style.
    pub(crate) const fn is_chosen(&self) -> bool {
        self.is_chosen
    }

    /// Takes in a command that was carried out for somebody.
    pub(crate) fn learn(&mut self, command: &Command) {
        if let Some(style) = command.style_to_set() {
            self.is_chosen = style != "12";
        }
    }

    /// Whether style 12 has to be set again.
    pub(crate) fn is_lost(&mut self, message: &Message, raw: &[u8], now: Instant) -> bool {
        if self.is_chosen || !is_other_board(message, raw) {
            return false;
        }
        if self.asked.is_some_and(|asked| now.saturating_duration_since(asked) < PATIENCE) {
            return false;
        }
        self.asked = Some(now);
        true
    }
}

/// Whether it is a board in a style other than 12, or the first line of one.
fn is_other_board(message: &Message, raw: &[u8]) -> bool {
    match message {
        Message::Style10(_) => true,
        // Styles 8 and 11 are one line; the diagrams have one line above them.
        Message::Text(_) => raw.starts_with(b"#@#") || is_heading(raw),
        _ => false,
    }
}

/// `Game 7 (Newton vs. Leibniz)`, and nothing else.
fn is_heading(line: &[u8]) -> bool {
    let words: Vec<_> = line.trim_ascii_end().split(|&b| b == b' ').collect();
    let [b"Game", number, white, b"vs.", black] = words.as_slice() else { return false };
    !number.is_empty() && number.iter().all(u8::is_ascii_digit) && white.starts_with(b"(") && black.ends_with(b")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_is_known_by_its_heading() {
        for line in ["Game 1 (Alice vs. Boris)", "Game 117 (GuestABCD vs. Newton) "] {
            assert!(is_heading(line.as_bytes()), "{line}");
        }
        for line in [
            "Game 1: Alice (1900) Boris (1800) rated blitz 5 0",
            "{Game 1 (Alice vs. Boris) Creating rated blitz match.}",
            "Game 1 (Alice vs. Boris) is over",
            "Game x (Alice vs. Boris)",
            "Game",
            "",
        ] {
            assert!(!is_heading(line.as_bytes()), "{line}");
        }
    }
}
