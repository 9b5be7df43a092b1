//! Moves.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use kibitzer_core::ParseError;
use kibitzer_core::chess::SanMove;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{GameEnded, Style12};
use kibitzer_core::session::{Command, Reply};

use super::{Request, reply};

/// Maximum length of a move in bytes: `Qa1xb2=Q+`, with space for the marks of variants.
const MAX_BYTES: usize = 12;

/// A move to play, as engines write it (`e2e4`, `e7e8q`, `N@f3`) or as people do (`Nf3`, `exd5`, `O-O`, `e8=Q+`).
///
/// It is sent in the form that servers accept: a promotion with `=`, castling with letters `O`. The text is checked to be a
/// move, so that the server cannot execute it as another command, but not to be legal. Castling in the notation of engines is
/// sent as the king's move, `e1g1`, which servers of the FICS family accept in standard chess; they accept `O-O` always.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MoveText(String);

impl MoveText {
    /// Parses a move. Blanks around it, and marks of check, mate and comment (`+`, `#`, `!`, `?`) at its end, are dropped.
    ///
    /// # Errors
    ///
    /// [`ParseError`] if the text is not a move in either notation, or longer than 12 bytes.
    pub fn new(text: &str) -> Result<Self, ParseError> {
        let text = text.trim().trim_end_matches(['+', '#', '!', '?']);
        normalize_move_text(text).filter(|_| text.len() <= MAX_BYTES).map(Self).ok_or(ParseError::new("not a move"))
    }

    /// Returns the normalized move, as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a move without its `-`, with a capital piece in a drop, with `=` and a small letter in a promotion, and with capital
/// letters in castling; `None` for other text.
fn normalize_move_text(text: &str) -> Option<String> {
    let castling = text.replace(['o', '0'], "O");
    if matches!(castling.as_str(), "O-O" | "O-O-O") {
        return Some(castling);
    }
    let plain = text.replace('-', "");
    if let Some((piece, square)) = plain.split_once('@') {
        let drop = format!("{}@{square}", piece.to_ascii_uppercase());
        let is_drop = matches!(SanMove::parse(drop.as_bytes()), Some(SanMove::Drop { .. }));
        return (is_drop && !piece.is_empty()).then_some(drop);
    }
    let squares = plain.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let promotion = plain.strip_prefix(squares)?;
    let (san, normalized) = if promotion.is_empty() {
        (squares.to_owned(), squares.to_owned())
    } else {
        let squares = squares.strip_suffix('=').unwrap_or(squares);
        let form = |promotion: String| format!("{squares}={promotion}");
        (form(promotion.to_ascii_uppercase()), form(promotion.to_ascii_lowercase()))
    };
    matches!(SanMove::parse(san.as_bytes()), Some(SanMove::Normal { .. })).then_some(normalized)
}

impl FromStr for MoveText {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::new(text)
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A move that the server accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveMade {
    /// The new board; `None` if the reply contains only the end of the game, or an unreadable board.
    pub board: Option<Arc<Style12>>,
    /// The end of the game, if the move ended it; `None` otherwise.
    pub ended: Option<Box<GameEnded>>,
}

impl Request for MoveText {
    type Answer = MoveMade;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(&self.0)
    }

    /// Parses the board after the move, and the end of the game if the move ended it.
    ///
    /// Some servers refuse a move that they cannot parse as an unknown command:
    /// [`Refusal::UnknownCommand`](kibitzer_core::message::Refusal::UnknownCommand).
    fn parse_reply(&self, reply: Reply) -> Result<MoveMade, RequestError> {
        let board = reply::last_own_board(&reply).cloned();
        let ended = match &board {
            Some(board) => reply::game_ends(&reply).map(|(_, ended)| ended).find(|ended| ended.game == board.game()),
            None => reply::likely_own_game_end(&reply),
        };
        let ended = ended.cloned().map(Box::new);
        // uhlin-fics cuts the board lines of players with long names.
        let has_board_line = || reply.answers().any(|event| event.raw().starts_with(b"<12> "));
        if board.is_none() && ended.is_none() && !has_board_line() {
            return Err(reply::unexpected_reply(&reply));
        }
        Ok(MoveMade { board, ended })
    }
}

#[cfg(test)]
mod tests;
