//! Games of rows: as PGN, and as the test of a bot.

use std::fmt::Write as _;

use kibitzer::core::chess::Color;
use kibitzer::core::message::GameId;
use kibitzer::transcript::Utc;
use kibitzer_bot::pgn::{PgnCollector, PgnOrigin};
use kibitzer_bot::tracker::{TrackedGame, TrackedMove, TrackedRelation};

use crate::console::model::{ConsoleRow, RowContent};

/// The test, with placeholders.
const TEMPLATE: &str = include_str!("test_of_game.txt");
/// Number of moves in a line of the test.
const MOVES_PER_LINE: usize = 16;

fn collect(rows: &[&ConsoleRow], utc_start: Option<Utc>) -> PgnCollector {
    let mut collector = PgnCollector::new(PgnOrigin::new(""), TrackedRelation::All).with_talk(true);
    for row in rows {
        match &row.content {
            RowContent::Event(event) => drop(collector.apply(event, utc_start.map(|start| start.plus(row.at)))),
            RowContent::Disconnected => drop(collector.interrupt_games()),
            _ => {}
        }
    }
    collector.interrupt_games();
    collector
}

/// Returns the games of rows, or the one with this number, as PGN.
///
/// # Errors
///
/// The rows contain no board.
pub(crate) fn pgn(rows: &[&ConsoleRow], game: Option<GameId>, utc_start: Option<Utc>) -> Result<String, String> {
    let collector = collect(rows, utc_start);
    let games = collector.tracker().iter().filter(|known| game.is_none_or(|game| known.number() == game));
    let games: String = games.filter_map(|known| collector.game(known.key())).fold(String::new(), |mut text, game| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{game}");
        text
    });
    if games.is_empty() { Err("these lines contain no game".to_owned()) } else { Ok(games) }
}

/// Returns a test in which a bot plays a game again on the embedded server, with a scripted engine to be replaced.
///
/// # Errors
///
/// The game has no moves, is not one of usual chess, or its first moves are no longer stored.
pub(crate) fn test_of_game(rows: &[&ConsoleRow], game: GameId) -> Result<String, String> {
    let collector = collect(rows, None);
    let tracked = collector.tracker().iter().rfind(|known| known.number() == game);
    let tracked = tracked.filter(|known| known.variant() == "chess" && !known.has_missing_moves());
    let tracked =
        tracked.ok_or_else(|| format!("game {game} is not chess, or lacks moves, so that no test can play it"))?;
    let line = tracked.line();
    let moves: Option<Vec<_>> = line.moves.iter().map(TrackedMove::uci).collect();
    let moves = moves.filter(|moves| line.starts_as_usual() && !moves.is_empty());
    let moves =
        moves.ok_or_else(|| format!("game {game} is not stored from the usual start, so that no test can play it"))?;
    let moves: Vec<_> = moves.chunks(MOVES_PER_LINE).map(|moves| moves.join(" ")).collect();
    let bot = tracked.my_color().unwrap_or(Color::Black);
    Ok(TEMPLATE
        .replace("{moves}", &moves.join(" \\\n    "))
        .replace("{bot}", &format!("{bot:?}"))
        .replace("{board}", tracked.fen().to_string().split(' ').next().unwrap_or_default())
        // Last, as names may contain the other placeholders.
        .replace("{game}", &describe(tracked)))
}

/// Returns the players of a game. Names in examined games may contain any letters; a comment must not contain control characters.
fn describe(game: &TrackedGame) -> String {
    let name = |color| game.player(color).as_str().replace(|letter: char| !letter.is_ascii_graphic(), "?");
    format!("game {}, {} against {}", game.number(), name(Color::White), name(Color::Black))
}
