//! The lines of a position: `<12>`, `<d1>`, `<b1>`.

use std::fmt::Write as _;

use kibitzer_core::chess::{CastlingSide, Color};
use kibitzer_core::message::Relation;

use super::{GameHeader, Ply, Sides, color_letter};
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
        match view.form {
            BoardForm::Style12 | BoardForm::ShortStyle12 => self.format_style12(view),
            BoardForm::Style10 => self.format_style10(view),
        }
    }

    /// Formats the block of style 10, in which game numbers start at 0.
    ///
    /// Source: style10-and-others.
    fn format_style10(&self, view: BoardViewer) -> String {
        let mut block = String::from("<10>\n");
        for row in self.position.board().to_rows() {
            let squares = row.into_iter().map(|square| if square == b'-' { ' ' } else { char::from(square) });
            let _ = writeln!(block, "|{}|", squares.collect::<String>());
        }
        self.push_turn_and_rights(&mut block);
        let relation = match view.relation {
            Relation::MyTurn => 1,
            Relation::OpponentsTurn => -1,
            _ => 0,
        };
        let names = self.header.names();
        let game = self.header.id.0.saturating_sub(1);
        let _ = write!(block, "\n{game} {} {} {relation} ", names.white, names.black);
        self.push_material_and_clocks(&mut block, view.unit);
        self.push_last_move(&mut block, view.unit);
        block.push_str("\n>10<");
        block
    }

    /// Formats the line of style 12.
    ///
    /// Field 10 has the file of every pawn that has just moved two squares, whether or not it can be captured, as on
    /// freechess.org.
    fn format_style12(&self, view: BoardViewer) -> String {
        let mut line = String::with_capacity(220);
        line.push_str("<12> ");
        self.push_squares(&mut line);
        self.push_turn_and_rights(&mut line);
        let (names, relation) = (self.header.names(), view.relation.code());
        let _ = write!(line, " {} {} {} {relation} ", self.header.id, names.white, names.black);
        self.push_material_and_clocks(&mut line, view.unit);
        self.push_last_move(&mut line, view.unit);
        let lag_ms = self.last.map_or(0, |ply| ply.lag_ms);
        let _ = write!(line, " {}", u8::from(view.is_flipped));
        if view.form == BoardForm::Style12 {
            let _ = write!(line, " {} {lag_ms}", u8::from(self.is_ticking));
        }
        line
    }

    /// Appends the side to move, the file of a double pawn push, castling rights, and the halfmove clock.
    fn push_turn_and_rights(&self, line: &mut String) {
        let position = self.position;
        let side = color_letter(position.side_to_move);
        let file = position.en_passant.map_or(-1, |square| i32::from(square.file()));
        let _ = write!(line, "{side} {file}");
        for (color, side) in Color::BOTH.into_iter().flat_map(|color| CastlingSide::BOTH.map(|side| (color, side))) {
            let _ = write!(line, " {}", u8::from(position.castling.has(color, side)));
        }
        let _ = write!(line, " {}", position.halfmove_clock);
    }

    /// Appends the time control, the material, the clocks and the move number.
    fn push_material_and_clocks(&self, line: &mut String, unit: ClockUnit) {
        let position = self.position;
        let _ = write!(
            line,
            "{} {} {} {} {} {} {} ",
            self.header.terms.minutes,
            self.header.terms.increment_s,
            position.material(Color::White),
            position.material(Color::Black),
            unit.convert_clock_ms(self.clocks_ms.white),
            unit.convert_clock_ms(self.clocks_ms.black),
            position.move_number,
        );
    }

    /// Appends the squares, rank by rank, each rank followed by a blank.
    fn push_squares(&self, line: &mut String) {
        for row in self.position.board().to_rows() {
            line.extend(row.into_iter().map(char::from));
            line.push(' ');
        }
    }

    /// Appends the last move in verbose notation, its time, and its SAN.
    fn push_last_move(&self, line: &mut String, unit: ClockUnit) {
        let elapsed = unit.format_elapsed(self.last.map_or(0, |ply| ply.elapsed_ms));
        let _ = match self.last {
            Some(ply) => write!(line, "{} ({elapsed}) {}", ply.played.to_verbose_notation(), ply.san),
            None => write!(line, "none ({elapsed}) none"),
        };
    }
}

impl ClockUnit {
    /// Converts a reading in milliseconds to this unit. Seconds are rounded down, so that an expired clock is negative.
    fn convert_clock_ms(self, ms: i64) -> i64 {
        match self {
            Self::Seconds => ms.div_euclid(1000),
            Self::Milliseconds => ms,
        }
    }

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
