//! The replies to `ginfo`, `bugwho` and `help`.

use std::ops::ControlFlow;

use super::collect::{parse_items, parse_row_count, read_padded_clock};
use super::players::read_entry;
use super::{GameRow, Listing, WhoRow};
use crate::message::fields::ClockReading;
use crate::message::template::match_template;
use crate::message::{GameInfo, Handle};
use crate::scan::Cursor;
use crate::text::{Line, ServerText};

/// The details of one game: the reply to `ginfo`.
///
/// ```text
/// Game 1: Game information.
///
///   Foo (1500) vs Bar (1600) rated blitz game.
///   Time controls: 180 2
///   White time 2:59    Black time 3:00
///   The clock is not paused
///   2 halfmoves have been made.
/// ```
///
/// Nothing marks the end.
///
/// Source: transcripts of FatICS, and its source code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameDetails {
    /// The number and the terms of the game; those of an examined game are not reported.
    pub terms: GameInfo,
    /// White.
    pub white: Handle,
    /// Black.
    pub black: Handle,
    /// The player who examines the game; `None` if it is played.
    pub examiner: Option<Handle>,
    /// The date of the start as printed.
    pub started: Option<ServerText>,
    /// White's clock; `None` if the game is examined.
    pub white_clock: Option<ClockReading>,
    /// Black's clock, like [`white_clock`](Self::white_clock).
    pub black_clock: Option<ClockReading>,
    /// Whether the clocks are stopped by agreement; `None` if the game is examined.
    pub is_paused: Option<bool>,
    /// Number of plies that were played.
    pub plies: Option<u32>,
    /// The sentences about castling rights, pawns and the fifty-move rule.
    pub sentences: Vec<ServerText>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

impl Listing for GameDetails {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        let line = line.trim_ascii();
        let fits = |template| match_template(line, template);
        if let Some(found) = fits("Game $: Game information.") {
            self.terms.game = found.game?;
        } else if let Some(found) = fits("% is examining *.") {
            let players = match_template(found.rest, "% vs{.|} %")?;
            self.white = players.name?;
            self.black = players.second_name?;
            self.examiner = found.name;
        } else if let Some(found) = fits("Time controls: # #") {
            self.terms.white_time_s = found.first_number;
            self.terms.black_time_s = found.first_number;
            self.terms.white_increment_s = found.number;
            self.terms.black_increment_s = found.number;
        } else if let Some(found) = fits("Time of starting: *") {
            self.started = Some(ServerText::from_wire(found.rest));
        } else if let Some(found) = fits("White time *") {
            let mut at = Cursor::new(found.rest);
            let white_clock = read_padded_clock(&mut at)?;
            self.black_clock = Some(read_padded_clock(at.skip_whitespace().expect(b"Black time")?)?);
            self.white_clock = Some(white_clock);
        } else if fits("The clock is {not |}paused{.|}").is_some() {
            self.is_paused = Some(!line.starts_with(b"The clock is not"));
        } else if let Some(found) = fits("# halfmove{s|} {has|have} been made.") {
            self.plies = found.number;
        } else if ["{White|Black} may *.", "Fifty move *.", "Double pawn push *."]
            .into_iter()
            .any(|it| fits(it).is_some())
        {
            self.sentences.push(ServerText::from_wire(line));
        } else {
            let text = std::str::from_utf8(line.strip_suffix(b" game.")?).ok()?;
            let text = text.replacen(" vs ", " ", 1).replacen(" private ", " ", 1);
            let terms = GameInfo::from_terms(self.terms.game, text.as_bytes())?;
            self.white = terms.white.clone()?;
            self.black = terms.black.clone()?;
            self.terms.complete_from(&terms);
            self.terms.private = Some(memchr::memmem::find(line, b" private ").is_some());
        }
        Some(ControlFlow::Continue(()))
    }
}

/// The bughouse games and the players who wait for one: the reply to `bugwho`.
///
/// Three headings, each with rows and their number below it. A row of a game is that of `games`, one of a partnership is `1500^Foo /
/// ---- Bar`, one of a player without a partner that of `who`.
///
/// Source: transcripts of FatICS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BughouseList {
    /// The games, both boards of a match one after the other.
    pub games: Vec<GameRow>,
    /// The partners who are not playing.
    pub partnerships: Vec<[WhoRow; 2]>,
    /// The players who look for a partner.
    pub unpartnered: Vec<WhoRow>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

impl Listing for BughouseList {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        const HEADS: [&str; 3] =
            ["Bughouse games in progress", "Partnerships not playing bughouse", "Unpartnered players with bugopen on"];
        if parse_row_count(line, b"player").is_some() {
            return Some(ControlFlow::Break(()));
        }
        let is_frame = HEADS.iter().any(|head| line.trim_ascii() == head.as_bytes())
            || parse_row_count(line, b"game").is_some()
            || parse_row_count(line, b"partnership").is_some();
        if !is_frame {
            let mut at = Cursor::new(line);
            match (GameRow::parse(line), read_entry(&mut at)) {
                (Some(game), _) => self.games.push(game),
                (None, Some(player)) if at.skip_whitespace().eat(b"/ ") => {
                    self.partnerships.push([player, read_entry(&mut at)?]);
                }
                (None, player) => {
                    self.unpartnered.push(player?);
                    self.unpartnered.extend(parse_items(at, read_entry)?);
                }
            }
        }
        Some(ControlFlow::Continue(()))
    }
}

/// A help file. Any line may be part of it, and nothing marks its end.
///
/// Without block mode, a line that is a message of any type is not part of it, because a game or another player may have caused the
/// line. Lines of unknown form that arrive before the end of the reply are, at most 10,000.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HelpText {
    /// The first word after the command, as sent; empty if the command is not known.
    pub topic: String,
    /// The lines that are not empty.
    pub lines: Vec<ServerText>,
    /// Lines of the reply that could not be parsed: none.
    pub unread: Vec<Line>,
}

impl Listing for HelpText {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        self.lines.push(ServerText::from_wire(line));
        Some(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests;
