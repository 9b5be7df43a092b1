//! Games: who plays, what was played, how the clocks stand, how it ends, and the lines that tell of it.
//!
//! Nothing here sends anything or reads a clock. A [`Game`] is told what happens and when; the lines are functions of it.

mod board_line;
mod clocks;
mod eco;
mod ending;
mod examined;
mod game;
mod listing;
mod record;
mod sides;
mod terms;

#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;

pub(crate) use board_line::{BoardForm, BoardLine, ClockUnit, View, Viewer, holding_line};
pub(crate) use clocks::Clocks;
pub(crate) use ending::Ending;
pub(crate) use examined::{Examined, Reverted};
pub(crate) use game::{FlagError, Game, Moved, Seat};
pub(crate) use listing::{
    HISTORY_HEAD, MoveListHead, Presence, STORED_HEAD, examined_row, games_row, history_row, move_list, stored_row,
};
pub(crate) use record::{Ply, Record};
pub(crate) use sides::Sides;
pub(crate) use terms::{Kind, Terms};
