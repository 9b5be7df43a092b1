//! The line that reports the end of a game.

use super::game_end_reason::split_player_name;
use super::template::read_game_line_head;
use super::{GameEndReason, GameId, GameResult, Handle};
use crate::chess::Color;
use crate::scan::Cursor;
use crate::text::PlayerText;

/// A report that a game ended, was adjourned or was aborted: `{Game 39 (Foo vs. Bar) Bar checkmated} 1-0`.
///
/// With the variable `gin` set, it is also sent for games that this login does not follow. Titles after the names are
/// skipped. A rating line that may follow is not part of it.
///
/// Source: FICS help file `gin`, transcripts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameEnded {
    /// The number of the game.
    pub game: GameId,
    /// The player of the white pieces. Empty if the players are not known: ICC's datagrams have the names at the start
    /// only.
    pub white: Handle,
    /// The player of the black pieces; empty if not known, like [`white`](Self::white).
    pub black: Handle,
    /// The result as printed. Only this field decides who won.
    pub result: GameResult,
    /// The reason, as far as the server's words are known.
    pub reason: GameEndReason,
    /// The server's words for the reason: `Bar checkmated`. They contain names, and must not be parsed as protocol.
    pub text: PlayerText,
    /// Whether the game continues as an examined game. Only ICC's datagrams report it; otherwise `false`.
    pub lives_on: bool,
}

impl GameEnded {
    /// Parses a line; `None` if it does not report the end of a game. If the line has no result, the text must contain
    /// `adjourned` or `aborted`, and the result is [`GameResult::Unfinished`].
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let (game, white, black) = read_game_line_head(&mut at)?;
        let close = at.rest().iter().rposition(|&b| b == b'}')?;
        let (text, tail) = at.rest().split_at_checked(close)?;
        let text = PlayerText::from_wire(text);
        let result = match tail.trim_ascii_end() {
            // Some servers omit the result of an adjourned or aborted game.
            b"}" => find_adjourned_or_aborted(&text, &white, &black).map(|_| GameResult::Unfinished)?,
            tail => GameResult::from_wire(tail.strip_prefix(b"} ")?)?,
        };
        let reason = match text.as_str() {
            // Words that were cut off, with the result, may have been any reason.
            "adjourned" | "aborted" if tail.trim_ascii_end() == b"}" => GameEndReason::Unknown,
            text => GameEndReason::from_text(text, white.as_str(), black.as_str()),
        };
        Some(Self { game, white, black, result, reason, text, lives_on: false })
    }

    /// Returns the color of the player named at the start of [`text`](Self::text): the one who resigned, was mated, or won by a
    /// rule. `None` if the text does not start with a player.
    pub fn named_player(&self) -> Option<Color> {
        split_player_name(self.text.as_str(), self.white.as_str(), self.black.as_str()).map(|(color, _)| color)
    }

    /// Returns whether the game was adjourned; `false` if it has a result. If the reason is neither an adjournment nor an abort,
    /// the first word `adjourned` or `aborted` in the text decides.
    pub fn is_adjourned(&self) -> bool {
        self.is_unfinished_for(GameEndReason::is_adjournment, "adjourned")
    }

    /// Returns whether the game was aborted; `false` if it has a result. If the reason is neither an adjournment nor an abort,
    /// the first word `adjourned` or `aborted` in the text decides.
    pub fn is_aborted(&self) -> bool {
        self.is_unfinished_for(GameEndReason::is_abort, "aborted")
    }

    /// Returns whether the game is unfinished for such a reason or, if its reason is neither an adjournment nor an abort, whether
    /// `word` is the first of `adjourned` and `aborted` in the text.
    fn is_unfinished_for(&self, is_such_reason: fn(GameEndReason) -> bool, word: &str) -> bool {
        let is_known = self.reason.is_adjournment() || self.reason.is_abort();
        let is_meant_in_text = || find_adjourned_or_aborted(&self.text, &self.white, &self.black) == Some(word);
        self.result == GameResult::Unfinished && (is_such_reason(self.reason) || !is_known && is_meant_in_text())
    }
}

/// Returns the first word `adjourned` or `aborted` in the server's text; `None` if it has neither. Words equal to a player's name
/// are skipped.
fn find_adjourned_or_aborted<'a>(text: &'a PlayerText, white: &Handle, black: &Handle) -> Option<&'a str> {
    let mut words = text.as_str().split([' ', '.']).filter(|word| *word != white.as_str() && *word != black.as_str());
    words.find(|word| matches!(*word, "adjourned" | "aborted"))
}

#[cfg(test)]
mod tests;
