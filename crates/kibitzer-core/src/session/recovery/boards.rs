//! Requests for boards that are unknown or in the wrong style.
//!
//! A session tracks games by style 12 boards. It requests the board of a game whose moves do not fit any more, and sets style 12
//! again if the server sends boards in another style.

use std::time::{Duration, Instant};

use crate::event::Event;
use crate::game::{ChangeKind, Desync, Game, Games};
use crate::message::{GameId, Message};
use crate::session::command::Command;

/// Minimum time between two attempts to set the style. Boards that the server has already sent still have the old style, and a
/// server without style 12 must not be asked with every move.
const STYLE_RETRY: Duration = Duration::from_mins(1);

/// Commands that restore style 12. Source: rule style10 O1.
const RESTORE_STYLE: [&str; 2] = ["set style 12", "refresh"];

/// Maximum number of games whose board was requested and that are still out of step. While there are that many, no other board is
/// requested.
const MAX_REQUESTED: usize = 64;

/// Decides which boards to request on one connection.
#[derive(Debug, Default)]
pub(crate) struct BoardRepair {
    /// Whether the last style that was set after the set-up is not 12; only users set another one.
    is_other_style_set: bool,
    /// Time of the last attempt to set style 12; `None` before the first one on this connection.
    style_requested: Option<Instant>,
    /// Games whose board was requested and that are still out of step. Their board is not requested again, which would not help
    /// either.
    requested: Vec<GameId>,
}

impl BoardRepair {
    /// Processes an executed command other than those of the set-up. After one that sets a style other than 12, no board is
    /// requested until another one sets 12 again.
    pub(crate) fn note_style_command(&mut self, command: &Command) {
        if let Some(style) = command.style_to_set() {
            self.is_other_style_set = style != "12";
        }
    }

    /// Allows a new request for the board of a game once the event ends the reason for the last one, see [`shows_recovery`].
    ///
    /// Returns the commands that restore style 12 if the event is a board in another style; empty otherwise, within
    /// [`STYLE_RETRY`] of the last attempt, and if the user has chosen the style.
    pub(crate) fn handle_event(&mut self, event: &Event, now: Instant) -> &'static [&'static str] {
        let Event::Received { received, change } = event else { return &[] };
        if let Some(change) = change.as_ref().filter(|change| shows_recovery(&received.message, change.kind)) {
            self.requested.retain(|game| *game != change.game);
        }
        let is_recent = |at: Instant| now.saturating_duration_since(at) < STYLE_RETRY;
        if self.is_other_style_set
            || !is_board_in_other_style(&received.message, event.raw())
            || self.style_requested.is_some_and(is_recent)
        {
            return &[];
        }
        self.style_requested = Some(now);
        &RESTORE_STYLE
    }

    /// Returns the command that requests the board of a game whose moves do not fit.
    ///
    /// `None` if the board was requested before and the game has not recovered, if no board is needed, if [`MAX_REQUESTED`] games
    /// have not recovered, or if the user has chosen another style.
    pub(crate) fn take_refresh_command_after(&mut self, desync: &Desync, games: &Games) -> Option<Command> {
        let game = desync.game;
        // The server refuses to refresh games that are over or no longer observed.
        let needs_board = desync.reason.needs_board() && games.get(game).is_none_or(Game::is_followed_and_ongoing);
        if self.is_other_style_set
            || !needs_board
            || self.requested.contains(&game)
            || self.requested.len() >= MAX_REQUESTED
        {
            return None;
        }
        self.requested.push(game);
        Command::new(&format!("refresh {game}")).ok()
    }
}

/// Returns whether a change ends the reason for which the board of its game was requested: a move or takeback that a delta board
/// or a game update reports, or a game that is opened, over or no longer followed. The requested board itself does not count
/// ([`ChangeKind::Replaced`]), nor does a move that a complete board shows.
const fn shows_recovery(message: &Message, kind: ChangeKind) -> bool {
    match kind {
        ChangeKind::Moved | ChangeKind::TookBack { .. } => {
            matches!(message, Message::Delta(_) | Message::GameUpdate(_))
        }
        ChangeKind::Opened | ChangeKind::Ended | ChangeKind::Left => true,
        _ => false,
    }
}

/// Returns whether a message is a board in a style other than 12, or the first line of one.
fn is_board_in_other_style(message: &Message, raw: &[u8]) -> bool {
    match message {
        Message::Style10(_) => true,
        // Styles 8 and 11 are one line; the diagrams of other styles have one line above them.
        Message::Text(_) => raw.starts_with(b"#@#") || is_diagram_heading(raw),
        _ => false,
    }
}

/// Returns whether a line is `Game 7 (Newton vs. Leibniz)` and nothing else.
fn is_diagram_heading(line: &[u8]) -> bool {
    let words: Vec<_> = line.trim_ascii_end().split(|&b| b == b' ').collect();
    let [b"Game", number, white, b"vs.", black] = words.as_slice() else { return false };
    !number.is_empty() && number.iter().all(u8::is_ascii_digit) && white.starts_with(b"(") && black.ends_with(b")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_heading_of_a_diagram_is_recognized() {
        for line in ["Game 1 (Alice vs. Boris)", "Game 117 (GuestABCD vs. Newton) "] {
            assert!(is_diagram_heading(line.as_bytes()), "{line}");
        }
        for line in [
            "Game 1: Alice (1900) Boris (1800) rated blitz 5 0",
            "{Game 1 (Alice vs. Boris) Creating rated blitz match.}",
            "Game 1 (Alice vs. Boris) is over",
            "Game x (Alice vs. Boris)",
            "Game",
            "",
        ] {
            assert!(!is_diagram_heading(line.as_bytes()), "{line}");
        }
    }
}
