//! Lookups for a row: its bytes and fields, and the games as they were at that time.

use std::collections::BTreeMap;

use kibitzer::core::Event;
use kibitzer::core::chess::Hands;
use kibitzer::core::game::DesyncReason;
use kibitzer::core::message::{GameId, Message};

use super::fields::{FrameField, MOVE_FIELDS, fields_of_frame};
use super::{ConsoleRow, GameSnapshot, RowContent, SessionModel, board_in_event};

impl SessionModel {
    /// Returns the bytes of a row: those of its frame as received, or of its line as sent; for a desync, those of the
    /// contradicting message. Empty for a row without bytes or with a secret line, and if some are no longer stored.
    pub(crate) fn row_bytes(&self, row: &ConsoleRow) -> Vec<u8> {
        if let RowContent::Sent(sent) = &row.content {
            return sent.bytes.clone();
        }
        let Some(frame) = self.message_row_or_self(row).frame_range() else { return Vec::new() };
        let (start, bytes) = self.bytes.get(frame.clone());
        if start == frame.start { bytes.collect() } else { Vec::new() }
    }

    /// Returns the stored bytes from `start`, the first position of a connection, up to `end`; before them the lines of the
    /// snapshot, if the console attached at that position.
    pub(crate) fn snapshot_and_connection_bytes(&self, start: u64, end: u64) -> Vec<u8> {
        let (position, lines) = &self.snapshot_lines;
        let lines = if *position == start { &lines[..] } else { &[] };
        lines.iter().copied().chain(self.bytes.get(start..end).1).collect()
    }

    /// Returns the fields of a row's frame; for a desync, of the frame of the contradicting message. Empty without a frame, and
    /// if its bytes are no longer stored.
    pub(crate) fn fields_of_row(&self, row: &ConsoleRow) -> Vec<FrameField> {
        let event = self.message_row_or_self(row).event();
        event.map_or_else(Vec::new, |event| fields_of_frame(event, &self.row_bytes(row)))
    }

    /// Returns the row of the contradicting message, which follows the row of a desync. Returns `row` itself if it is no desync,
    /// or if no message follows it.
    pub(crate) fn message_row_or_self<'a>(&'a self, row: &'a ConsoleRow) -> &'a ConsoleRow {
        let is_desync = matches!(row.event(), Some(Event::Desync(_)));
        let message = self.rows.get(row.number + 1).filter(|next| is_desync && next.frame_range().is_some());
        message.unwrap_or(row)
    }

    /// Returns the fields that contradict a game, for the row of a desync: ranks with differing squares, the move, or the number of
    /// plies. Empty for any other row.
    pub(crate) fn contradicting_fields(&self, row: &ConsoleRow) -> Vec<FrameField> {
        let Some(Event::Desync(desync)) = row.event() else { return Vec::new() };
        let squares = desync.differing_squares().unwrap_or_default();
        let is_rank =
            |name: &str| squares.iter().any(|square| name.starts_with(&format!("rank {} ", square.rank() + 1)));
        let contradicts = |field: &FrameField| match desync.reason {
            DesyncReason::WrongPly { .. } => field.name == "plies",
            _ => MOVE_FIELDS.iter().any(|name| field.name.starts_with(name)) || is_rank(&field.name),
        };
        self.fields_of_row(row).into_iter().filter(contradicts).collect()
    }

    /// Returns these games, in this order, as they were after a row, reconstructed from the rows up to it. Games whose board at
    /// that time is no longer stored are missing.
    pub(crate) fn games_at_row(&self, games: &[GameId], row: u64) -> Vec<GameSnapshot> {
        let known = games.iter().filter_map(|id| Some((*id, self.games.get(id)?)));
        // With the latest reserves before the row.
        let mut missing: BTreeMap<_, _> = known.map(|(id, snapshot)| (id, (snapshot, None))).collect();
        let mut found = BTreeMap::new();
        let mut events = self.rows.iter_back_from(row).filter_map(ConsoleRow::event);
        while !missing.is_empty()
            && let Some(event) = events.next()
        {
            if let Some(Message::Holding(holding)) = event.message()
                && let Some((_, hands)) = missing.get_mut(&holding.game)
            {
                hands.get_or_insert(Hands { white: holding.white, black: holding.black });
            }
            if let Some(board) = board_in_event(event)
                && let Some(id) = event.affected_game()
                && let Some((snapshot, hands)) = missing.remove(&id)
            {
                found.insert(
                    id,
                    snapshot.at_earlier_board(board, event.change().and_then(|change| change.played), hands),
                );
            }
        }
        games.iter().filter_map(|id| found.remove(id)).collect()
    }
}
