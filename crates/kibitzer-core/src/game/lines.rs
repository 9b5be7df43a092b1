//! Conversion of a game to the lines in which a server would report it.

use std::fmt::Write as _;

use super::Game;
use crate::chess::{CastlingSide, Color, Hands};
use crate::message::{GameInfo, Rating, ReportedMove, Style12};
use crate::text::encode_latin_1;

/// Number of last plies whose positions are included.
const RECENT_PLIES: u32 = 8;

/// Fields 27 and 28 of a board without a last move. The fraction in the time makes a reader take the clocks as milliseconds.
const NO_MOVE: &str = "none (0:00.000)";
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
        let terms = self.g1_line();
        let boards = self.base_and_recent_positions().into_iter().map(|position| style12_line(&position));
        let hands = self
            .hands()
            .map(|Hands { white, black }| format!("<b1> game {} white [{white}] black [{black}]", self.id()));
        let lines = terms.into_iter().chain(boards).chain([style12_line(self.position())]).chain(hands);
        lines.map(|line| encode_latin_1(&line).into_owned()).collect()
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

    /// Returns the `<g1>` line of the known terms; `None` if neither the type of the game nor whether it is rated is known.
    fn g1_line(&self) -> Option<String> {
        if let Some(info) = self.info() {
            return Some(g1_line(info));
        }
        let mut line = format!("<g1> {}", self.id());
        push_key_if_some(&mut line, "t", self.kind());
        push_key_if_some(&mut line, "r", self.is_rated().map(u8::from));
        (self.kind().is_some() || self.is_rated().is_some()).then_some(line)
    }
}

/// Returns the `<g1>` line of the terms. Omits the terms that only ICC reports.
fn g1_line(info: &GameInfo) -> String {
    let bit = |value: Option<bool>| value.map(u8::from);
    let guest = |registered: Option<bool>| registered.map(|yes| u8::from(!yes));
    let mut line = format!("<g1> {}", info.game);
    push_key_if_some(&mut line, "p", bit(info.private));
    push_key_if_some(&mut line, "t", info.kind.as_ref());
    push_key_if_some(&mut line, "r", bit(info.rated));
    push_pair_if_both(&mut line, "u", guest(info.white_registered), guest(info.black_registered));
    push_pair_if_both(&mut line, "it", info.white_time_s, info.white_increment_s);
    push_pair_if_both(&mut line, "i", info.black_time_s, info.black_increment_s);
    push_key_if_some(&mut line, "pt", Some(info.partner_game.map_or(0, |game| game.0)));
    push_pair_if_both(&mut line, "rt", info.white_rating.map(rating_field), info.black_rating.map(rating_field));
    push_pair_if_both(&mut line, "ts", bit(info.white_timeseal), bit(info.black_timeseal));
    push_key_if_some(&mut line, "m", info.min_move_time);
    push_key_if_some(&mut line, "n", bit(info.no_escape));
    line
}

/// Returns a rating as `<g1>` contains it: a number with its mark, or 0 for a player without a rating.
fn rating_field(rating: Rating) -> String {
    rating.value().map_or_else(|| "0".to_owned(), |_| rating.to_string())
}

/// Returns the `<12>` line of a board, with clocks in milliseconds. Fields from 30 on are omitted from the first unknown one on.
fn style12_line(board: &Style12) -> String {
    let mut line = "<12>".to_owned();
    for row in board.board().to_rows() {
        line.push(' ');
        line.extend(row.map(char::from));
    }
    line.push_str(if board.side_to_move() == Color::White { " W" } else { " B" });
    push_field(&mut line, board.double_push_file().map_or(-1, i32::from));
    for color in Color::BOTH {
        for side in [CastlingSide::Short, CastlingSide::Long] {
            push_field(&mut line, u8::from(board.castling().has(color, side)));
        }
    }
    let (white, black, relation) = (&board.white(), &board.black(), board.relation().code());
    push_field(&mut line, format_args!("{} {} {white} {black} {relation}", board.halfmove_clock(), board.game()));
    push_field(&mut line, format_args!("{} {}", board.initial_min(), board.increment_s()));
    push_field(&mut line, format_args!("{} {}", board.white_material(), board.black_material()));
    push_field(&mut line, format_args!("{} {}", board.white_clock().as_ms(), board.black_clock().as_ms()));
    push_field(&mut line, board.move_number());
    let last_move = board.last_move();
    push_field(&mut line, last_move.as_ref().map_or_else(|| NO_MOVE.to_owned(), verbose_move_and_time));
    if board.is_cut() {
        return line + CUT;
    }
    push_field(&mut line, last_move.as_ref().map_or("none", ReportedMove::text));
    // Lines end early, never in the middle.
    let later = [board.flip().map(i32::from), board.clock_running().map(i32::from), board.lag_ms()];
    for field in later.into_iter().map_while(|field| field) {
        push_field(&mut line, field);
    }
    line
}

/// Returns fields 27 and 28: the verbose form of the move and the time it took.
fn verbose_move_and_time(last: &ReportedMove) -> String {
    // The placeholder of an unknown time has a point too, so that the clocks count as milliseconds.
    let elapsed = last
        .elapsed_ms
        .map_or_else(|| "(?.)".to_owned(), |ms| format!("({}:{:02}.{:03})", ms / 60_000, ms / 1000 % 60, ms % 1000));
    format!("{} {elapsed}", last.verbose)
}

fn push_field(line: &mut String, field: impl std::fmt::Display) {
    // Writing to a string never fails.
    let _ = write!(line, " {field}");
}

fn push_key_if_some(line: &mut String, key: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        push_field(line, format_args!("{key}={value}"));
    }
}

fn push_pair_if_both<T: std::fmt::Display>(line: &mut String, key: &str, white: Option<T>, black: Option<T>) {
    let pair = white.zip(black).map(|(white, black)| format!("{white},{black}"));
    push_key_if_some(line, key, pair);
}

#[cfg(test)]
mod tests;
