//! Both boards of a bughouse match as BPGN.

use kibitzer::core::chess::Color;
use kibitzer::core::message::{GameEndReason, GameResult, Rating};

use super::{PgnOrigin, san, text};
use crate::tracker::{TrackedGame, TrackedMove};

/// Formats two games of a bughouse match in BPGN, version 1.2. Board A is the one with the lower number.
///
/// The moves of both boards are in the order in which they arrived. The result is that of the team of White on board A.
pub(super) fn format_match(games: [&TrackedGame; 2], origin: &PgnOrigin) -> String {
    let mut boards = games;
    boards.sort_by_key(|game| game.number());
    let [a, b] = boards;
    let mut moves: Vec<_> = [('A', 'a', a), ('B', 'b', b)].into_iter().flat_map(moves_by_arrival).collect();
    moves.sort_by_key(|(arrival, _)| *arrival);
    // The words of the board whose end decided the match; the other one ends because of it.
    let decided = boards.into_iter().filter_map(TrackedGame::ending).min_by_key(|ending| {
        matches!(ending.reason, GameEndReason::Partner | GameEndReason::AbortPartner | GameEndReason::AdjournPartner)
    });
    let ending = decided.map(|ending| format!("{{{}}} ", text::sanitize_comment(ending.text.as_str())));
    let result = match (a.ending(), b.ending()) {
        (Some(ending), _) => ending.result,
        (None, Some(ending)) => opposite_result(ending.result),
        (None, None) => GameResult::Unfinished,
    };
    let tags = tag_lines(a, b, result, origin).join("\n");
    let moves = moves.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ");
    format!("{tags}\n\n{moves}\n{}{}\n", ending.unwrap_or_default(), result.as_str())
}

/// Returns the moves of a board as written, each with the number of the event with which it arrived. The letters of the board are
/// White's and Black's.
fn moves_by_arrival((white, black, game): (char, char, &TrackedGame)) -> impl Iterator<Item = (u64, String)> {
    let line = game.line();
    let sans = san::san_moves(&line, false);
    let written = move |((ply, step), san): ((u32, TrackedMove), String)| {
        let letter = if step.color == Color::White { white } else { black };
        let clock = step.clock.map(|clock| format!("{{{}}}", format_seconds(clock.as_ms()))).unwrap_or_default();
        (step.arrival, format!("{}{letter}. {san}{clock}", ply / 2 + 1))
    };
    (line.start_ply()..).zip(line.moves).zip(sans).map(written)
}

/// Formats milliseconds as seconds with three decimals.
fn format_seconds(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", ms.unsigned_abs() / 1000, ms.unsigned_abs() % 1000)
}

/// Returns the lines of tags of a match; `a` and `b` are its boards.
fn tag_lines(a: &TrackedGame, b: &TrackedGame, result: GameResult, origin: &PgnOrigin) -> Vec<String> {
    let tag = |name: &str, value: &str| format!("[{name} \"{}\"]", text::escape_tag_value(value));
    let (initial_s, increment_s) = a.time_control_s();
    let [date, time] = origin.date_and_time();
    let mut tags = vec![tag("Event", &super::game::event_tag_value(a, origin)), tag("Site", &origin.site(" - "))];
    tags.extend([tag("Date", &date), tag("Time", &time)]);
    for (board, game) in [("A", a), ("B", b)] {
        for (color, name) in [(Color::White, "White"), (Color::Black, "Black")] {
            let rating = game.rating(color).and_then(Rating::value).filter(|rating| *rating > 0);
            let elo = rating.map(|rating| tag(&format!("{name}{board}Elo"), &rating.to_string())).unwrap_or_default();
            tags.push(tag(&format!("{name}{board}"), game.player(color).as_str()) + &elo);
        }
    }
    tags.extend([tag("TimeControl", &format!("{initial_s}+{increment_s}")), tag("Result", result.as_str())]);
    tags
}

/// Returns the result from the view of the other color.
const fn opposite_result(result: GameResult) -> GameResult {
    match result {
        GameResult::WhiteWins => GameResult::BlackWins,
        GameResult::BlackWins => GameResult::WhiteWins,
        other => other,
    }
}
