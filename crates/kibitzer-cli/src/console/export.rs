//! Rows of the session in other forms: recordings, JSON, text, PGN, tests.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use clap::ValueEnum;
use kibitzer::internal::json;
use kibitzer::internal::recorded::Stamp;
use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{TrackedGame, TrackedMove};
use kibitzer::transcript::Utc;
use kibitzer_core::chess::Color;
use kibitzer_core::game::Game;
use kibitzer_core::message::GameId;
use kibitzer_core::{Event, EventReader};
use thiserror::Error;

use crate::console::model::{ConsoleRow, RowContent, SessionModel};
use crate::log::open_for_owner;
use crate::output::hex_digits;

/// Source of an exported test, with placeholders in braces.
const TEMPLATE: &str = include_str!("export/test_of_game.txt");
/// Number of moves in a line of the test.
const MOVES_PER_LINE: usize = 16;
/// Bytes that replace those of a secret line.
const REDACTED: &[u8] = b"[redacted]\n";

/// Format of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// JSON Lines of a recording that can be decoded and replayed alone
    Recording,
    /// The JSON Lines of `kibitzer decode`
    Json,
    /// Games
    Pgn,
    /// The lines of the list
    Text,
    /// Test of a bot that plays the game shown
    Test,
}

/// Rows that an exported file contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportedRows {
    /// The listed rows; in the form `recording`, all rows if there is no filter
    #[default]
    Rows,
    /// All rows about the game shown
    Game,
}

/// Why rows cannot be exported.
#[derive(Debug, Error)]
pub(crate) enum ExportError {
    #[error("there are no lines to write")]
    NoRows,
    #[error("these lines contain no game")]
    NoGame,
    #[error("no board of game {0} is stored")]
    NoBoard(GameId),
    #[error("game {game} is {variant}: a test plays only chess")]
    Variant { game: GameId, variant: String },
    #[error("game {game} is stored only from move {first}: earlier moves are missing, or a takeback dropped them")]
    MissingMoves { game: GameId, first: u32 },
    #[error("game {0} started from another position than usual: a test cannot play it")]
    OtherStart(GameId),
    #[error("game {0} has no known moves")]
    NoMoves(GameId),
    #[error("cannot write {0}: {1}")]
    Write(String, io::Error),
}

/// Returns the content of a file with these rows of the model, or the game `shown` of them. `source` has a new reader for a connection
/// of the source, and the time of day at which it began; a test is that of the game at the row `at_row`.
///
/// # Errors
///
/// [`ExportError`] if there are no rows, or they do not contain the game.
pub(crate) fn export_rows(
    model: &SessionModel,
    rows: &[&ConsoleRow],
    form: ExportForm,
    shown: Option<GameId>,
    source: (impl Fn() -> EventReader, Option<Utc>),
    at_row: Option<u64>,
) -> Result<String, ExportError> {
    let (new_reader, utc_start) = source;
    let line = |row: &&ConsoleRow| String::from_utf8_lossy(&row_json(row, utc_start)).into_owned() + "\n";
    match form {
        _ if rows.is_empty() => Err(ExportError::NoRows),
        ExportForm::Recording => Ok(recording_of_rows(model, rows, shown, new_reader(), utc_start)),
        ExportForm::Json => Ok(rows.iter().map(line).collect()),
        ExportForm::Text => Ok(rows.iter().map(|row| row_text(row)).collect()),
        ExportForm::Pgn => pgn_of_rows(rows, shown, utc_start),
        ExportForm::Test => bot_test_of_game(rows, shown.unwrap_or_default(), at_row),
    }
}

/// Returns a row as one line of the output of `kibitzer decode`, without its end. Rows that are neither events nor sent lines
/// have the key `text`.
pub(crate) fn row_json(row: &ConsoleRow, utc_start: Option<Utc>) -> Vec<u8> {
    let members = Stamp { time: row.at, utc: utc_start.map(|start| start.plus(row.at)) }.json_members();
    let mut out = Vec::new();
    match &row.content {
        RowContent::Event(event) => event.write_json(&members, &mut out),
        RowContent::Sent(sent) => sent.to_event().write_json(&members, &mut out),
        RowContent::Stored(_, json) => out = json.clone().into_bytes(),
        _ => {
            out = format!("{{\"event\":\"{}\",\"offset\":null{members},\"text\":", row.kind_name()).into_bytes();
            // Writing text to memory cannot fail.
            let _ = json::write(&mut out, &row.summary_line());
            out.push(b'}');
        }
    }
    out
}

/// Returns a row as a line of text, with its line end: its time in seconds, its kind and its summary.
fn row_text(row: &ConsoleRow) -> String {
    format!("{:>10}.{:03} {:<15} {}\n", row.at.as_secs(), row.at.subsec_millis(), row.kind_name(), row.summary_line())
}

/// Writes a new file that on Unix only its owner can read. An incomplete file is removed.
///
/// # Errors
///
/// The file exists, or cannot be created or written.
pub(crate) fn write_new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = open_for_owner(path, OpenOptions::new().write(true).create_new(true))?;
    file.write_all(content).and_then(|()| file.sync_all()).inspect_err(|_| {
        // The first error is the one to report.
        let _ = std::fs::remove_file(path);
    })
}

/// Returns rows as a recording that can be decoded alone: it starts with the state of the games before the first row. `game`
/// limits that state to one game. `reader` is a new one for the connection of the first row. Bytes and games that are no longer
/// stored are missing, and so are rows that are neither frames nor sent lines. Empty without rows.
fn recording_of_rows(
    model: &SessionModel,
    rows: &[&ConsoleRow],
    game: Option<GameId>,
    reader: EventReader,
    utc_start: Option<Utc>,
) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let line = |row: &ConsoleRow, direction, bytes: &[u8], mark| {
        let hex = hex_digits(bytes, "");
        let members = Stamp { time: row.at, utc: utc_start.map(|start| start.plus(row.at)) }.json_members();
        format!("{{\"dir\":\"{direction}\",\"hex\":\"{hex}\"{members}{mark}}}\n")
    };
    let state = state_lines_before(model, first, game, reader);
    let mut lines: Vec<_> = state.iter().map(|bytes| line(first, "rx", bytes, ",\"snapshot\":true")).collect();
    for (row, next) in rows.iter().zip((1..).map(|place| rows.get(place))) {
        lines.push(match &row.content {
            RowContent::Sent(sent) if sent.secret => line(row, "tx", REDACTED, ",\"redacted\":true"),
            RowContent::Sent(sent) => line(row, "tx", &sent.bytes, ""),
            RowContent::Disconnected | RowContent::Event(Event::Lost(_)) => line(row, "rx", b"", ""),
            _ => match exported_bytes(model, row, next) {
                // An empty piece would end the connection.
                bytes if bytes.is_empty() => continue,
                bytes => line(row, "rx", &bytes, ""),
            },
        });
    }
    lines.concat()
}

/// Returns the bytes of a row's frame and those up to the next frame, such as line ends. Adds a line end if the line has none and
/// the next stored row is not exported.
fn exported_bytes(model: &SessionModel, row: &ConsoleRow, next: Option<&&ConsoleRow>) -> Vec<u8> {
    let Some(frame) = row.frame_range() else { return Vec::new() };
    let later = (row.number + 1..=model.rows.newest).map_while(|number| model.rows.get(number));
    let mut frames = later.take_while(|later| later.base == row.base).filter_map(ConsoleRow::frame_range);
    let end = frames.find(|later| later.start >= frame.end).map_or(frame.end, |later| later.start);
    let mut bytes: Vec<u8> = model.bytes.get(frame.start..end).1.collect();
    let is_line = row.event().is_some_and(|event| !event.raw().is_empty());
    let is_followed = next.is_some_and(|next| next.number == row.number + 1);
    if is_line && !is_followed && !bytes.contains(&b'\n') {
        bytes.extend_from_slice(b"\n\r");
    }
    bytes
}

/// Returns server lines with the state of the games in progress before a row; `game` selects one. They are derived from the
/// stored bytes of the connection, and from the snapshot if the console attached to the session.
fn state_lines_before(
    model: &SessionModel,
    row: &ConsoleRow,
    game: Option<GameId>,
    mut reader: EventReader,
) -> Vec<Vec<u8>> {
    let next = model.rows.iter().filter(|other| other.number >= row.number).find_map(ConsoleRow::frame_range);
    let end = next.map_or(model.bytes.end, |frame| frame.start);
    let bytes = model.snapshot_and_connection_bytes(row.base, end);
    let mut input = &bytes[..];
    while reader.next(&mut input).is_some() {}
    while reader.finish().is_some() {}
    let games = reader.games().iter().filter(|known| known.is_followed_and_ongoing());
    let games = games.filter(|known| game.is_none_or(|game| known.id() == game));
    games.flat_map(Game::to_snapshot_lines).map(|line| [&line[..], b"\n\r"].concat()).collect()
}

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
    PgnCollector::new(PgnOrigin::new("")).with_observed().with_talk()
}

/// Returns the games of rows as PGN; only those with this number, if one is given. `start` is the time of day at which the
/// session began.
///
/// # Errors
///
/// [`ExportError`] if the rows contain no such game.
fn pgn_of_rows(rows: &[&ConsoleRow], game: Option<GameId>, start: Option<Utc>) -> Result<String, ExportError> {
    let mut collector = new_collector();
    apply_rows(&mut collector, rows, start);
    collector.interrupt_games();
    let games = collector.tracker().iter().filter(|known| game.is_none_or(|game| known.number() == game));
    let games: String = games.filter_map(|known| collector.game(known.key())).fold(String::new(), |mut text, game| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{game}");
        text
    });
    if games.is_empty() { Err(ExportError::NoGame) } else { Ok(games) }
}

/// Returns the source of a test in which a bot plays a game again on the embedded server, with a scripted engine to be replaced.
/// If several games had this number, chooses the last one with a board up to the row `at_row`, otherwise the first one after it;
/// without `at_row`, the last one.
///
/// # Errors
///
/// [`ExportError`] if no test can play the game: if it has no stored board or moves, is a variant, began at another position
/// than usual, or lacks earlier moves.
fn bot_test_of_game(rows: &[&ConsoleRow], game: GameId, at_row: Option<u64>) -> Result<String, ExportError> {
    let (before, after) = rows.split_at(at_row.map_or(rows.len(), |at| rows.partition_point(|row| row.number <= at)));
    let mut collector = new_collector();
    let is_it = |known: &&TrackedGame| known.number() == game;
    apply_rows(&mut collector, before, None);
    let shown = collector.tracker().iter().rfind(is_it).map(TrackedGame::key);
    apply_rows(&mut collector, after, None);
    collector.interrupt_games();
    let tracker = collector.tracker();
    let tracked = shown.map_or_else(|| tracker.iter().find(is_it), |key| tracker.get(key));
    let tracked = tracked.ok_or(ExportError::NoBoard(game))?;
    let variant = tracked.variant();
    if variant != "chess" {
        return Err(ExportError::Variant { game, variant });
    }
    let line = tracked.line();
    if tracked.has_missing_moves() {
        return Err(ExportError::MissingMoves { game, first: line.start.move_number });
    }
    if !line.starts_from_standard_position() {
        return Err(ExportError::OtherStart(game));
    }
    let moves: Option<Vec<_>> = line.moves.iter().map(TrackedMove::uci).collect();
    let moves = moves.filter(|moves| !moves.is_empty()).ok_or(ExportError::NoMoves(game))?;
    let moves: Vec<_> = moves.chunks(MOVES_PER_LINE).map(|moves| moves.join(" ")).collect();
    let bot = tracked.my_color().unwrap_or(Color::Black);
    // Names in examined games may contain any character; in a comment, only printable ASCII is safe.
    let name = |color| tracked.player(color).as_str().replace(|letter: char| !letter.is_ascii_graphic(), "?");
    let players = format!("game {game}, {} against {}", name(Color::White), name(Color::Black));
    Ok(TEMPLATE
        .replace("{moves}", &moves.join(" \\\n    "))
        .replace("{bot}", &format!("{bot:?}"))
        .replace("{board}", tracked.game().fen().to_string().split(' ').next().unwrap_or_default())
        // Last, as names may contain the other placeholders.
        .replace("{game}", &players))
}
