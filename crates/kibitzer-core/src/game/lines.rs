//! Conversion of a game to the lines in which a server would report it.

use std::borrow::Cow;

use super::Game;
use crate::chess::Hands;
use crate::message::{GameInfo, Style12};
use crate::text::{ServerText, encode_as_received};

/// Number of last plies whose positions are included.
const RECENT_PLIES: u32 = 8;

/// Text after a board that the server cut: a continuation mark without text.
const CUT: &str = "\n\r\\   ";

impl Game {
    /// Returns lines from which a reader that starts in the middle of the stream restores the game, without line ends: the terms
    /// (`<g1>`) if they are known, the start board and the last boards (`<12>`, with clocks in milliseconds), and the reserves
    /// (`<b1>`) if they are known.
    ///
    /// The restored game has no ending, and only the last eight moves, which is as many as a delta board is expected to take
    /// back. It has no moves if one of these boards cannot be derived.
    pub fn to_snapshot_lines(&self) -> Vec<Vec<u8>> {
        let terms = self.known_terms().map(|terms| terms.to_string());
        let boards = self.base_and_recent_positions();
        let boards = boards.iter().chain([self.position()]).map(|board| {
            let end = if board.is_cut() { CUT } else { "" };
            format!("{board}{end}")
        });
        let hands = self
            .hands()
            .map(|Hands { white, black }| format!("<b1> game {} white [{white}] black [{black}]", self.id()));
        let lines = terms.into_iter().chain(boards).chain(hands);
        lines.map(|line| encode_as_received(&line).into_owned()).collect()
    }

    /// Returns the start board, from which delta boards count, and the board before each of the last [`RECENT_PLIES`] plies;
    /// empty without known moves, or if one of the boards cannot be derived from them.
    fn base_and_recent_positions(&self) -> Vec<Style12> {
        let (start, end) = (self.base().ply(), self.position().ply());
        let recent = end.saturating_sub(RECENT_PLIES).max(start.saturating_add(1))..end;
        let start = (start < end).then(|| Some(self.base().clone()));
        start
            .into_iter()
            .chain(recent.map(|ply| self.moves.position_at(ply, &self.position)))
            .collect::<Option<_>>()
            .unwrap_or_default()
    }

    /// Returns the terms as far as they are known; `None` if neither the type of the game nor whether it is rated is known.
    fn known_terms(&self) -> Option<Cow<'_, GameInfo>> {
        let announced = || GameInfo {
            game: self.id(),
            kind: self.kind().map(|kind| ServerText::from_wire(kind.as_bytes())),
            rated: self.is_rated(),
            ..GameInfo::default()
        };
        let is_announced = self.kind().is_some() || self.is_rated().is_some();
        self.info().map(Cow::Borrowed).or_else(|| is_announced.then(|| Cow::Owned(announced())))
    }
}

#[cfg(test)]
mod tests;
