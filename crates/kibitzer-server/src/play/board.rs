//! Boards, as each viewer receives them.

use std::fmt::Write as _;

use kibitzer_core::chess::{Color, Square};
use kibitzer_core::message::{BoardNumbers, ClockReading, GameId, Relation, Style12};

use super::{GameHeader, Ply, Sides};
use crate::chess::Position;
use crate::family::BoardForm;

/// The unit of the clocks in a board line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum ClockUnit {
    #[default]
    Seconds,
    /// Requested by the ivar `ms`.
    Milliseconds,
}

/// The viewer of a board and that viewer's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoardViewer {
    pub(crate) relation: Relation,
    pub(crate) unit: ClockUnit,
    pub(crate) form: BoardForm,
    /// Whether Black is at the bottom.
    pub(crate) is_flipped: bool,
}

/// The contents of a board line that do not depend on the viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoardLine<'a> {
    pub(super) header: &'a GameHeader,
    pub(super) position: &'a Position,
    /// The last move.
    pub(super) last: Option<&'a Ply>,
    pub(super) clocks_ms: Sides<i64>,
    pub(super) is_ticking: bool,
}

impl BoardLine<'_> {
    /// Formats the board in the requested form, without its last line end.
    pub(super) fn format(&self, view: BoardViewer) -> String {
        let board = self.to_style12(view);
        let line = match view.unit {
            ClockUnit::Seconds => format!("{board:#}"),
            ClockUnit::Milliseconds => board.to_string(),
        };
        if view.form == BoardForm::Style10 { to_style10_block(&line) } else { line }
    }

    /// Returns the board with the fields that the form of the viewer has.
    ///
    /// Field 10 has the file of every pawn that has just moved two squares, whether or not it can be captured, as on
    /// freechess.org. In style 10, game numbers start at 0, and only players have a relation.
    fn to_style12(self, view: BoardViewer) -> Style12 {
        let position = self.position;
        let GameHeader { id, terms, seats: Sides { white, black }, .. } = self.header;
        let material = |color| i32::try_from(position.material(color)).unwrap_or(i32::MAX);
        let mut numbers = BoardNumbers::default();
        numbers.game = *id;
        numbers.relation = view.relation;
        if view.form == BoardForm::Style10 {
            numbers.game = GameId(id.0.saturating_sub(1));
            numbers.relation = if view.relation.is_mine() { view.relation } else { Relation::Observing };
        }
        numbers.side_to_move = position.side_to_move;
        numbers.double_push_file = position.en_passant.map(Square::file);
        numbers.castling = position.castling;
        numbers.halfmove_clock = position.halfmove_clock;
        numbers.move_number = position.move_number;
        numbers.initial_min = terms.minutes;
        numbers.increment_s = terms.increment_s;
        numbers.white_material = material(Color::White);
        numbers.black_material = material(Color::Black);
        numbers.white_clock = ClockReading::from_ms(self.clocks_ms.white);
        numbers.black_clock = ClockReading::from_ms(self.clocks_ms.black);
        numbers.flip = (view.form != BoardForm::Style10).then_some(view.is_flipped);
        if view.form == BoardForm::Style12 {
            numbers.clock_running = Some(self.is_ticking);
            numbers.lag_ms = Some(self.last.map_or(0, |ply| ply.lag_ms));
        }
        let board = Style12::new(numbers, &position.board(), &white.name, &black.name);
        match self.last {
            Some(ply) => board.with_last_move(ply.played, &ply.san, ply.elapsed_ms),
            None => board,
        }
    }
}

/// Converts a line of style 12 to the block of style 10: eight rows of squares, and the other fields on two lines.
///
/// Source: style10-and-others.
fn to_style10_block(line: &str) -> String {
    let mut words = line.split(' ').skip(1);
    let mut block = "<10>\n".to_owned();
    for row in words.by_ref().take(8) {
        let _ = writeln!(block, "|{}|", row.replace('-', " "));
    }
    let [position, game] = [7, usize::MAX].map(|n| words.by_ref().take(n).collect::<Vec<_>>().join(" "));
    block + &format!("{position}\n{game}\n>10<")
}

impl ClockUnit {
    /// Formats an elapsed time: `0:04`, `0:04.237`, `1:02:03`.
    pub(crate) fn format_elapsed(self, ms: u64) -> String {
        let (seconds, fraction) = (ms / 1000, ms % 1000);
        let mut text = format_seconds(seconds);
        if self == Self::Milliseconds {
            let _ = write!(text, ".{fraction:03}");
        }
        text
    }
}

/// Formats seconds as minutes, and hours if there are any: `0:04`, `12:26`, `1:02:03`.
pub(super) fn format_seconds(seconds: u64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
