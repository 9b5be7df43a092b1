//! Answers what the page asks: rows, frames, files, counters and commands.

use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum as _;
use kibitzer_core::message::GameId;
use kibitzer_web::{PageQuery, PageRequest};
use serde_json::{Value, json};

use super::pump::Pump;
use crate::console::export::{ExportForm, export_rows};
use crate::console::model::{ConsoleRow, SourceItemKind};
use crate::console::source::{ConsoleSource, RecordingReader};
use crate::console::view::{frame_properties, row_text};
use crate::filter::Expression;
use crate::live::answer_request;
use crate::metrics::{SessionMetrics, prometheus_page};
use crate::output::hex_digits;

/// Number of parts of a time line.
const BINS: usize = 300;
/// Maximum number of marks on it.
const MAX_MARKS: usize = 2_000;
/// Maximum number of commands without a reply; further ones fail.
const MAX_COMMANDS: usize = 64;

impl Pump {
    /// Answers a request of the page, or starts to.
    pub(super) fn answer(&mut self, request: PageRequest) {
        let PageRequest { query, answer, .. } = request;
        let answered = match query {
            PageQuery::Control(control) => {
                self.control(control);
                Ok(Vec::new())
            }
            PageQuery::Rows { filter, range, limit } => parse_filter(&filter).map(|filter| {
                let is_asked = |row: &&ConsoleRow| range.contains(&row.number) && accepts(filter.as_ref(), row);
                let mut rows: Vec<_> = self.model.rows.iter().filter(is_asked).map(|row| row.number).collect();
                self.hub.rows_json(&rows.split_off(rows.len().saturating_sub(limit))).into()
            }),
            PageQuery::Row(number) => {
                let frame = self.model.rows.get(number).map(|row| self.frame(row).to_string().into());
                frame.ok_or_else(|| "the bytes of the event are no longer kept".to_owned())
            }
            PageQuery::Timeline => match self.source.try_as_recording_ref() {
                None => Err("only a recording has a time line".to_owned()),
                Some(player) => {
                    let (known, reader) = (Arc::clone(&self.timeline), player.reader.restarted());
                    // It reads the whole recording.
                    self.commands.spawn_blocking(move || {
                        drop(answer.send(Ok(known.get_or_init(|| timeline_of(reader)).to_string().into())));
                    });
                    return;
                }
            },
            PageQuery::Export { form, filter, game } => self.export(&form, &filter, game),
            PageQuery::Metrics => {
                let client = if let ConsoleSource::Live(live) = &self.source { live.client() } else { None };
                let sessions: Vec<_> = client.map(|client| (1, SessionMetrics::of(client))).into_iter().collect();
                Ok(prometheus_page(&sessions).into())
            }
            PageQuery::Command(body) => {
                let sender = if let ConsoleSource::Live(live) = &self.source { live.sender.clone() } else { None };
                if let Some(sender) = sender.filter(|_| self.commands.len() < MAX_COMMANDS) {
                    self.commands.spawn(async move { drop(answer.send(Ok(answer_request(&sender, &body).await))) });
                    return;
                }
                Err("the session does not accept commands now".to_owned())
            }
            _ => return,
        };
        // A viewer may no longer wait.
        let _ = answer.send(answered);
    }

    /// Returns the frame of a row.
    fn frame(&self, row: &ConsoleRow) -> Value {
        let class = frame_properties(row).into_iter().next().map(|(_, class)| class);
        let bytes = hex_digits(&self.model.row_bytes(row), "");
        json!({ "bytes": bytes, "class": class, "line": row_text(row), "text": row.summary_line() })
    }

    fn export(&self, form: &str, filter: &str, game: Option<GameId>) -> Result<Vec<u8>, String> {
        let filter = parse_filter(filter)?;
        let form = ExportForm::from_str(form, false)?;
        let rows = self.model.rows.iter().filter(|row| accepts(filter.as_ref(), row));
        let rows: Vec<_> = rows.filter(|row| game.is_none() || row.game() == game).collect();
        let reader = || self.source.new_event_reader();
        let content = export_rows(&self.model, &rows, form, game, (reader, self.source.utc_start()), None);
        content.map(String::into_bytes).map_err(|error| error.to_string())
    }
}

/// Reads a recording, and returns its length, the number of events in each part of it, and the events that are marked.
fn timeline_of(mut reader: RecordingReader) -> Value {
    let length = reader.length;
    let (mut bins, mut marks) = (vec![0_u64; BINS], Vec::new());
    // A recording that can no longer be read ends here.
    while let Ok(Some(item)) = reader.next_until(Duration::MAX) {
        let kind = match &item.kind {
            SourceItemKind::Event { event, .. } => event.kind().as_str(),
            SourceItemKind::Disconnected => "lost",
            SourceItemKind::Note(_) => "cut",
            _ => continue,
        };
        let place = item.at.as_micros() * BINS as u128 / length.as_micros().max(1);
        let last = BINS - 1;
        if let Some(bin) = bins.get_mut(usize::try_from(place).map_or(last, |place| place.min(last))) {
            *bin += 1;
        }
        if matches!(kind, "lost" | "missed" | "desync" | "cut" | "game_ended") && marks.len() < MAX_MARKS {
            marks.push(json!({ "t": item.at.as_secs_f64(), "event": kind }));
        }
    }
    json!({ "duration_s": length.as_secs_f64(), "bins": bins, "marks": marks })
}

fn accepts(filter: Option<&Expression>, row: &ConsoleRow) -> bool {
    filter.is_none_or(|filter| filter.accepts(&row.filter_subject()))
}

/// Parses a filter; an empty one is none.
fn parse_filter(text: &str) -> Result<Option<Expression>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    Expression::parse(text).map(Some).map_err(|error| error.to_string())
}
