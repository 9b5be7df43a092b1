//! Rows of lists of games, and lists of moves.

use std::fmt::Write as _;
use std::time::Instant;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameResult, Rating};

use super::board::format_seconds;
use super::{
    ClockUnit, Ending, ExaminedGame, Game, GameHeader, MoveRecord, Ply, SeatedPlayer, Sides, Terms, color_letter,
};
use crate::calendar::{format_date, format_date_with_weekday};
use crate::chess::Position;

/// The line above the rows of a history.
pub(crate) const HISTORY_HEAD: &str = "                  Opponent      Type         ECO End Date";

/// The line above the rows of stored games.
pub(crate) const STORED_HEAD: &str = "    C Opponent       On Type          Str  M    ECO Date";

/// Opening codes with the first moves. The longest matching line decides; later moves are ignored, so that the code is coarser
/// than the classification allows.
///
/// Source: the classification of the Encyclopaedia of Chess Openings.
const OPENING_LINES: &str = "\
    B00 e4 / B01 e4 d5 / B02 e4 Nf6 / B06 e4 g6 / B07 e4 d6 / B10 e4 c6 / B20 e4 c5 / B27 e4 c5 Nf3 / \
    B30 e4 c5 Nf3 Nc6 / B40 e4 c5 Nf3 e6 / B50 e4 c5 Nf3 d6 / C00 e4 e6 / C20 e4 e5 / C21 e4 e5 d4 / \
    C23 e4 e5 Bc4 / C25 e4 e5 Nc3 / C30 e4 e5 f4 / C40 e4 e5 Nf3 / C41 e4 e5 Nf3 d6 / C42 e4 e5 Nf3 Nf6 / \
    C44 e4 e5 Nf3 Nc6 / C50 e4 e5 Nf3 Nc6 Bc4 / C60 e4 e5 Nf3 Nc6 Bb5 / A40 d4 / A41 d4 d6 / A45 d4 Nf6 / \
    A50 d4 Nf6 c4 / A80 d4 f5 / D00 d4 d5 / D06 d4 d5 c4 / D10 d4 d5 c4 c6 / D20 d4 d5 c4 dxc4 / \
    D30 d4 d5 c4 e6 / E00 d4 Nf6 c4 e6 / E60 d4 Nf6 c4 g6 / A01 b3 / A02 f4 / A04 Nf3 / A06 Nf3 d5 / A10 c4 / \
    A15 c4 Nf6 / A20 c4 e5 / A30 c4 c5";

/// Code of a game that matches no line.
const IRREGULAR: &str = "A00";

/// Formats a row of `games`: ` 29 1622 Vman        1609 PopKid     [ sr 10  10]   1:14 -  5:10 (21-22) B: 18`.
///
/// Source: text messages §10; transcripts.
pub(crate) fn games_row(game: &Game, now: Instant) -> String {
    let GameHeader { id, terms, seats: Sides { white, black }, .. } = &game.header;
    let position = game.position();
    let Sides { white: white_ms, black: black_ms } = game.clocks.readings(now);
    let clocks = format!("{:>6} -{:>6}", format_clock(white_ms), format_clock(black_ms));
    let [white_material, black_material] = Color::BOTH.map(|color| position.material(color));
    let material = format!("({white_material:>2}-{black_material:>2})");
    let (turn, terms) = (format_turn(position), terms.games_column());
    let seat =
        |seat: &SeatedPlayer, width| format!("{:>4} {:<width$.width$}", seat.rating.to_string(), seat.name.as_str());
    format!("{:>3} {} {} {terms} {clocks} {material} {turn}", id.0, seat(white, 11), seat(black, 10))
}

/// Formats a row of `games` about an examined one: ` 25 (Exam.    0 Friar          0 Friar     ) [ uu  0   0] W:  1`.
pub(crate) fn examined_row(game: &ExaminedGame) -> String {
    let GameHeader { id, terms, seats: Sides { white, black }, .. } = &game.header;
    let (turn, terms) = (format_turn(game.shown_position()), terms.games_column());
    let rating = |seat: &SeatedPlayer| seat.rating.value().unwrap_or(0);
    let seat = |seat: &SeatedPlayer, width| format!("{:>4} {:<width$.width$}", rating(seat), seat.name.as_str());
    let state = if game.is_in_setup() { "(Setup" } else { "(Exam." };
    format!("{:>3} {state} {} {}) {terms} {turn}", id.0, seat(white, 11), seat(black, 10))
}

/// Formats a row of `history` for one of the players: ` 0: + 1882 W 1558 Boris         [bnr  3   0] C50 Res 2026-11-21 …`.
///
/// Source: FICS help file `history`; transcripts.
pub(crate) fn history_row(index: usize, game: &Game, owner: Color) -> String {
    let opponent = game.header.seats.of(owner.opponent());
    let sign = match game.ending.map_or(GameResult::Unfinished, Ending::result) {
        GameResult::Draw => '=',
        GameResult::Unfinished => '*',
        result if result.winner() == Some(owner) => '+',
        _ => '-',
    };
    format!(
        "{index:>2}: {sign} {:>4} {} {:>4} {:<14.14}{} {} {:<3} {}",
        game.header.seats.of(owner).rating.to_string(),
        color_letter(owner),
        opponent.rating.to_string(),
        opponent.name.as_str(),
        game.header.terms.history_column(),
        eco_code(&game.record),
        game.ending.map_or("***", |ending| ending.reason.code()),
        format_date(game.ended),
    )
}

/// Formats a row of `stored` for one of the players: ` 1: W Bogoljubov      Y [snr 10  10] 39-39 B6   C77 2026-11-21 00:35 UTC`.
pub(crate) fn adjourned_row(index: usize, game: &Game, owner: Color, is_opponent_online: bool) -> String {
    let position = game.position();
    let turn = format!("{}{}", color_letter(position.side_to_move), position.move_number);
    format!(
        "{index:>2}: {} {:<15} {} {} {}-{} {turn:<4} {} {}",
        color_letter(owner),
        game.header.seats.of(owner.opponent()).name.as_str(),
        if is_opponent_online { 'Y' } else { 'N' },
        game.header.terms.history_column(),
        position.material(Color::White),
        position.material(Color::Black),
        eco_code(&game.record),
        format_date(game.ended),
    )
}

/// Formats the reply to `moves`, lines separated by `\n`, without an end of the last one.
///
/// Source: text messages §12; the spacing is that of the recorded lists.
pub(crate) fn format_move_list(
    header: &GameHeader,
    ending: Option<Ending>,
    record: &MoveRecord,
    unit: ClockUnit,
) -> String {
    let GameHeader { id, terms, seats: Sides { white, black }, started } = header;
    let Terms { minutes, increment_s, rated, .. } = terms;
    let mut list = format!(
        "Movelist for game {id}:\n\n{} ({}) vs. {} ({}) --- {}\n{} {} match, initial time: {minutes} minutes, \
         increment: {increment_s} seconds.\n\nMove  {:<23} {}\n----  ---------------------   ---------------------\n",
        white.name,
        format_rating(white.rating),
        black.name,
        format_rating(black.rating),
        format_date_with_weekday(*started),
        if *rated { "Rated" } else { "Unrated" },
        terms.kind(),
        white.name,
        black.name,
    );
    for (number, pair) in record.plies.chunks(2).enumerate() {
        let _ = write!(list, "{:>3}.  ", number + 1);
        if let [white, rest @ ..] = pair {
            let _ = write!(list, "{:<24}", format_listed_move(white, unit));
            list.extend(rest.iter().map(|black| format_listed_move(black, unit)));
        }
        list.push('\n');
    }
    let sides = Sides { white: "White", black: "Black" };
    let reason = ending.map_or_else(|| "Still in progress".to_owned(), |ending| ending.format_text(sides));
    let result = ending.map_or(GameResult::Unfinished, Ending::result);
    let _ = write!(list, "      {{{reason}}} {result}");
    list
}

/// Formats a move with its time for a list of moves: `e4      (0:04)`.
fn format_listed_move(ply: &Ply, unit: ClockUnit) -> String {
    format!("{:<7} ({})", ply.san, unit.format_elapsed(ply.elapsed_ms.into()))
}

/// Formats a rating in the head of a list; an unknown one is `UNR`.
fn format_rating(rating: Rating) -> String {
    rating.value().map_or_else(|| "UNR".to_owned(), |_| rating.to_string())
}

/// Formats the side to move and the move number: `B: 18`.
fn format_turn(position: &Position) -> String {
    format!("{}:{:>3}", color_letter(position.side_to_move), position.move_number)
}

/// Formats a clock: `5:10`, `-0:07`.
fn format_clock(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}", format_seconds(ms.unsigned_abs() / 1000))
}

/// Returns the opening code of the longest line in [`OPENING_LINES`] with which the game begins, otherwise [`IRREGULAR`].
fn eco_code(record: &MoveRecord) -> &'static str {
    let fits = |line: &str| {
        let mut plies = record.plies.iter();
        line.split(' ').all(|san| plies.next().is_some_and(|ply| ply.san == san))
    };
    let lines = OPENING_LINES.split(" / ").filter_map(|line| line.split_once(' '));
    lines.filter(|(_, line)| fits(line)).max_by_key(|(_, line)| line.len()).map_or(IRREGULAR, |(code, _)| code)
}
