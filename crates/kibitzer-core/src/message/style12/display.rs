//! Writing a board as a line.

use std::fmt;

use super::{ReportedMove, Style12};
use crate::chess::{CastlingSide, Color};

/// The unit of the clocks in a line, which the elapsed time shows by its fraction.
#[derive(Clone, Copy)]
enum ClockUnit {
    Seconds,
    Milliseconds,
}

impl fmt::Display for Style12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if f.alternate() { ClockUnit::Seconds } else { ClockUnit::Milliseconds };
        let squares = String::from_utf8_lossy(self.squares_text());
        let side = if self.side_to_move() == Color::White { 'W' } else { 'B' };
        write!(f, "<12> {squares}{side} {}", self.double_push_file().map_or(-1, i32::from))?;
        for color in Color::BOTH {
            for side in CastlingSide::BOTH {
                write!(f, " {}", u8::from(self.castling().has(color, side)))?;
            }
        }
        write!(f, " {} {} {} {} ", self.halfmove_clock(), self.game(), self.white(), self.black())?;
        write!(f, "{} {} {} ", self.relation().code(), self.initial_min(), self.increment_s())?;
        write!(f, "{} {} ", self.white_material(), self.black_material())?;
        let [white_clock, black_clock] = [self.white_clock(), self.black_clock()].map(|clock| match unit {
            ClockUnit::Seconds => clock.as_ms().div_euclid(1000),
            ClockUnit::Milliseconds => clock.as_ms(),
        });
        write!(f, "{white_clock} {black_clock} {} ", self.move_number())?;
        let last_move = self.last_move();
        let (verbose, elapsed_ms) =
            last_move.as_ref().map_or(("none", Some(0)), |last| (last.verbose.as_str(), last.elapsed_ms));
        write!(f, "{verbose} ")?;
        write_elapsed(f, elapsed_ms, unit)?;
        if self.is_cut() {
            return Ok(());
        }
        write!(f, " {}", last_move.as_ref().map_or("none", ReportedMove::text))?;
        // Lines end early, never in the middle.
        let optional = [self.flip().map(i32::from), self.clock_running().map(i32::from), self.lag_ms()];
        optional.into_iter().map_while(|field| field).try_for_each(|field| write!(f, " {field}"))
    }
}

/// Writes field 28: `(0:04)`, `(0:04.237)`, `(1:02:03)`. The placeholder of an unknown time has a point where the unit demands it.
fn write_elapsed(f: &mut fmt::Formatter<'_>, elapsed_ms: Option<u32>, unit: ClockUnit) -> fmt::Result {
    match elapsed_ms.map(|ms| (ms / 3_600_000, ms / 60_000, ms / 1000 % 60)) {
        None => f.write_str("(?")?,
        Some((0, minutes, seconds)) => write!(f, "({minutes}:{seconds:02}")?,
        Some((hours, minutes, seconds)) => write!(f, "({hours}:{:02}:{seconds:02}", minutes % 60)?,
    }
    match (unit, elapsed_ms) {
        (ClockUnit::Seconds, _) => f.write_str(")"),
        (ClockUnit::Milliseconds, None) => f.write_str(".)"),
        (ClockUnit::Milliseconds, Some(ms)) => write!(f, ".{:03})", ms % 1000),
    }
}
