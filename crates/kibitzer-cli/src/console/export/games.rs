//! Games of rows: as PGN, and as the test of a bot.

use std::fmt::Write as _;

use kibitzer::core::chess::Color;
use kibitzer::core::message::GameId;
use kibitzer::transcript::Utc;
use kibitzer_bot::pgn::{PgnCollector, PgnOrigin};
use kibitzer_bot::tracker::{TrackedGame, TrackedMove};

use crate::console::model::{ConsoleRow, RowContent};

/// Source of an exported test, with placeholders in braces.
const TEMPLATE: &str = include_str!("test_of_game.txt");
/// Number of moves in a line of the test.
const MOVES_PER_LINE: usize = 16;

/// Applies the events of rows to `collector`, with their times of day if `utc_start`, that of the session's start, is known. The
/// end of a recorded connection interrupts the games in progress.
fn apply_rows(collector: &mut PgnCollector, rows: &[&ConsoleRow], utc_start: Option<Utc>) {
    for row in rows {
        match &row.content {
            RowContent::Event(event) => drop(collector.apply(event, utc_start.map(|start| start.plus(row.at)))),
            RowContent::Disconnected => drop(collector.interrupt_games()),
            _ => {}
        }
    }
}

/// Returns an empty collector that accepts played and observed games, with their talk.
fn new_collector() -> PgnCollector {
    PgnCollector::new(PgnOrigin::new("")).with_observed().with_talk(true)
}

/// Returns the games of rows as PGN; only those with this number, if one is given. `start` is the time of day at which the
/// session began.
///
/// # Errors
///
/// The text to show if the rows contain no such game.
pub(crate) fn pgn_of_rows(rows: &[&ConsoleRow], game: Option<GameId>, start: Option<Utc>) -> Result<String, String> {
    let mut collector = new_collector();
    apply_rows(&mut collector, rows, start);
    collector.interrupt_games();
    let games = collector.tracker().iter().filter(|known| game.is_none_or(|game| known.number() == game));
    let games: String = games.filter_map(|known| collector.game(known.key())).fold(String::new(), |mut text, game| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{game}");
        text
    });
    if games.is_empty() { Err("these lines contain no game".to_owned()) } else { Ok(games) }
}

/// Returns the source of a test in which a bot plays a game again on the embedded server, with a scripted engine to be replaced.
/// If several games had this number, chooses the last one with a board up to the row `at_row`, otherwise the first one after it;
/// without `at_row`, the last one.
///
/// # Errors
///
/// The text to show if no test can play the game: if it has no stored board or moves, is a variant, began at another position
/// than usual, or lacks earlier moves.
pub(crate) fn bot_test_of_game(rows: &[&ConsoleRow], game: GameId, at_row: Option<u64>) -> Result<String, String> {
    let (before, after) = rows.split_at(at_row.map_or(rows.len(), |at| rows.partition_point(|row| row.number <= at)));
    let mut collector = new_collector();
    let is_it = |known: &&TrackedGame| known.number() == game;
    apply_rows(&mut collector, before, None);
    let shown = collector.tracker().iter().rfind(is_it).map(TrackedGame::key);
    apply_rows(&mut collector, after, None);
    collector.interrupt_games();
    let tracker = collector.tracker();
    let tracked = shown.map_or_else(|| tracker.iter().find(is_it), |key| tracker.get(key));
    let tracked = tracked.ok_or_else(|| format!("no board of game {game} is stored"))?;
    let variant = tracked.variant();
    if variant != "chess" {
        return Err(format!("game {game} is {variant}: a test plays only chess"));
    }
    let line = tracked.line();
    if tracked.has_missing_moves() {
        let first = line.start.move_number;
        return Err(format!(
            "game {game} is stored only from move {first}: earlier moves are missing, or a takeback dropped them"
        ));
    }
    if !line.starts_from_standard_position() {
        return Err(format!("game {game} started from another position than usual: a test cannot play it"));
    }
    let moves: Option<Vec<_>> = line.moves.iter().map(TrackedMove::uci).collect();
    let moves = moves.filter(|moves| !moves.is_empty()).ok_or_else(|| format!("game {game} has no known moves"))?;
    let moves: Vec<_> = moves.chunks(MOVES_PER_LINE).map(|moves| moves.join(" ")).collect();
    let bot = tracked.my_color().unwrap_or(Color::Black);
    // Names in examined games may contain any character; in a comment, only printable ASCII is safe.
    let name = |color| tracked.player(color).as_str().replace(|letter: char| !letter.is_ascii_graphic(), "?");
    let players = format!("game {game}, {} against {}", name(Color::White), name(Color::Black));
    Ok(TEMPLATE
        .replace("{moves}", &moves.join(" \\\n    "))
        .replace("{bot}", &format!("{bot:?}"))
        .replace("{board}", tracked.fen().to_string().split(' ').next().unwrap_or_default())
        // Last, as names may contain the other placeholders.
        .replace("{game}", &players))
}
