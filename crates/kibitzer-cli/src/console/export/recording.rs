//! Rows as a recording.

use std::time::Duration;

use kibitzer::core::game::Game;
use kibitzer::core::message::GameId;
use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::{Direction, Utc, hex, seconds};
use serde::Serialize;

use super::to_json;
use crate::console::model::{ConsoleRow, RowContent, SessionModel};

/// Placeholder for a secret line.
const REDACTED: &[u8] = b"[redacted]\n";

/// A line of a recording.
#[derive(Serialize)]
struct Piece<'a> {
    #[serde(with = "seconds")]
    t: Duration,
    dir: Direction,
    #[serde(with = "hex")]
    hex: &'a [u8],
    #[serde(skip_serializing_if = "Option::is_none")]
    utc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted: Option<bool>,
    /// Present for a line that describes the state of a game and was not received.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<bool>,
}

/// Returns rows as a recording. It starts with the state of the games before the first row, so that it can be decoded alone: of one game,
/// or of all.
///
/// `reader` parses the connection from its start. Bytes and games that are no longer stored are missing.
pub(crate) fn recording(
    model: &SessionModel,
    rows: &[&ConsoleRow],
    game: Option<GameId>,
    reader: EventReader,
    utc_start: Option<Utc>,
) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let piece = |row: &ConsoleRow, dir, hex: &[u8], redacted, snapshot| {
        let utc = utc_start.filter(|_| row.number == first.number).map(|start| start.plus(row.at).to_string());
        to_json(&Piece { t: row.at, dir, hex, utc, redacted, snapshot }) + "\n"
    };
    let state = state_before(model, first, game, reader);
    let mut lines: Vec<_> =
        state.iter().map(|line| piece(first, Direction::Received, line, None, Some(true))).collect();
    for (row, next) in rows.iter().zip((1..).map(|place| rows.get(place))) {
        let line = match &row.content {
            RowContent::Sent(sent) if sent.secret => piece(row, Direction::Sent, REDACTED, Some(true), None),
            RowContent::Sent(sent) => piece(row, Direction::Sent, &sent.bytes, None, None),
            RowContent::Disconnected | RowContent::Event(Event::Lost { .. }) => {
                piece(row, Direction::Received, b"", None, None)
            }
            _ => match received_bytes(model, row, next) {
                bytes if bytes.is_empty() => continue,
                bytes => piece(row, Direction::Received, &bytes, None, None),
            },
        };
        lines.push(line);
    }
    lines.concat()
}

/// Returns the bytes of a row's frame, with those up to the next frame, which end a line. A line gets an end if it has none and the next
/// frame is not exported.
fn received_bytes(model: &SessionModel, row: &ConsoleRow, next: Option<&&ConsoleRow>) -> Vec<u8> {
    let Some(frame) = row.frame() else { return Vec::new() };
    let later = (row.number + 1..=model.rows.newest).map_while(|number| model.rows.get(number));
    let mut frames = later.take_while(|later| later.base == row.base).filter_map(ConsoleRow::frame);
    let end = frames.find(|later| later.start >= frame.end).map_or(frame.end, |later| later.start);
    let mut bytes: Vec<u8> = model.bytes.get(frame.start..end).1.collect();
    let is_line = row.event().is_some_and(|event| !event.raw().is_empty());
    let is_followed = next.is_some_and(|next| next.number == row.number + 1);
    if is_line && !is_followed && !bytes.contains(&b'\n') {
        bytes.extend_from_slice(b"\n\r");
    }
    bytes
}

/// Returns the lines of the state of the games in progress before a row, from the stored bytes of its connection.
fn state_before(model: &SessionModel, row: &ConsoleRow, game: Option<GameId>, mut reader: EventReader) -> Vec<Vec<u8>> {
    let next = model.rows.iter().filter(|other| other.number >= row.number).find_map(ConsoleRow::frame);
    let end = next.map_or(model.bytes.end, |frame| frame.start);
    let bytes: Vec<u8> = model.bytes.get(row.base..end).1.collect();
    let mut input = &bytes[..];
    while reader.next(&mut input).is_some() {}
    while reader.finish().is_some() {}
    let games = reader.games().iter().filter(|known| known.is_going_on());
    let games = games.filter(|known| game.is_none_or(|game| known.id() == game));
    games.flat_map(Game::to_lines).map(|line| [&line[..], b"\n\r"].concat()).collect()
}
