//! A row of the list: an event, a sent line or a mark, with its one-line summary; and the newest rows, addressed by number.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use kibitzer_bot::BotEvent;
use kibitzer_core::event::Attribution;
use kibitzer_core::message::GameId;
use kibitzer_core::text::{decode_characters, decode_received};
use kibitzer_core::{Event, EventCategory, EventKind};
use unicode_truncate::UnicodeTruncateStr as _;
use unicode_width::UnicodeWidthStr as _;

use crate::filter::{BOT, DISCONNECTED, GAP, MARK, ReplyMatch, ShortDuration, Subject, game_of};
use crate::live::is_repeated_reserve;
use crate::output::{TerminalSafe, one_line};

/// Text that is shown in place of a secret line.
pub(crate) const MASK: &str = "(password)";

/// Maximum number of rows.
pub(crate) const KEPT_ROWS: usize = 20_000;
/// Maximum memory of all rows, in bytes.
pub(crate) const KEPT_ROW_BYTES: usize = 32 << 20;

/// A row of the console's list of events, sent lines, bot actions and marks.
#[derive(Clone, Debug)]
pub(crate) struct ConsoleRow {
    /// Number of the row, starting at 1.
    pub(crate) number: u64,
    /// Time since the session began.
    pub(crate) at: Duration,
    /// Position of the connection's first byte among all received bytes; event offsets are relative to it.
    pub(crate) base: u64,
    /// Time from the sent line to the event, if the event starts its reply.
    pub(crate) reply_after: Option<Duration>,
    pub(crate) content: RowContent,
}

/// Content of a row.
#[derive(Clone, Debug)]
pub(crate) enum RowContent {
    Event(Event),
    Sent(SentLine),
    /// An action of the bot that plays in the session.
    Bot(BotEvent),
    /// Text inserted by the user or the console.
    Mark(String),
    /// An event that a stored session itself caused, as JSON.
    Stored(EventKind, String),
    /// A silence: nothing was received or sent for this long before the next row.
    Gap(Duration),
    /// The end of a recorded connection. Later rows belong to the next one.
    Disconnected,
}

/// A line sent by the client.
#[derive(Clone, Debug)]
pub(crate) struct SentLine {
    /// Bytes as sent; empty if the line is secret.
    pub(crate) bytes: Vec<u8>,
    /// Unsealed text; empty if the line is secret.
    pub(crate) text: Vec<u8>,
    pub(crate) secret: bool,
    /// The request of the line, and who made it.
    pub(crate) attribution: Attribution,
    /// Whether the line waits for a reply, or has never got one: telnet commands, lines of timeseal and of the login have none.
    pub(crate) awaits_reply: bool,
    /// Time and first row of the reply, once it was received.
    pub(crate) reply: Option<ReplyMatch>,
}

impl SentLine {
    /// Returns the line without its end, or a mask if it is secret.
    pub(crate) fn text_or_mask(&self) -> String {
        if self.secret {
            return MASK.to_owned();
        }
        decode_received(&self.text).into_owned()
    }

    /// Returns what stands before the line in the list: who sent it, unless the user did.
    pub(crate) fn prefix(&self) -> &'static str {
        if self.attribution.is_of_user() { "> " } else { "session> " }
    }

    /// Returns the line as the event of `kibitzer decode`, with its entities, and without its text if it is secret.
    pub(crate) fn to_event(&self) -> Event {
        let line = (!self.secret).then(|| decode_characters(&self.text).into());
        Event::sent(line, self.attribution)
    }
}

impl ConsoleRow {
    /// Returns the row's event, if it has one.
    pub(crate) fn event(&self) -> Option<&Event> {
        if let RowContent::Event(event) = &self.content { Some(event) } else { None }
    }

    /// Returns whether the row is a sent line whose reply begins in the row with this number.
    pub(crate) fn is_answered_by(&self, number: u64) -> bool {
        matches!(&self.content, RowContent::Sent(SentLine { reply: Some(reply), .. }) if reply.row == number)
    }

    /// Returns the stream positions of the row's frame among the received bytes of all connections; `None` if the row is no
    /// message of the server.
    pub(crate) fn frame_range(&self) -> Option<Range<u64>> {
        let Event::Received { received, .. } = self.event()? else { return None };
        Some(self.base.saturating_add(received.offset)..self.base.saturating_add(received.end()))
    }

    /// Returns the name of the row's kind.
    pub(crate) fn kind_name(&self) -> &'static str {
        match &self.content {
            RowContent::Event(event) => event.kind().as_str(),
            RowContent::Sent(_) => EventKind::Sent.as_str(),
            RowContent::Bot(_) => BOT,
            RowContent::Mark(_) => MARK,
            RowContent::Stored(kind, _) => kind.as_str(),
            RowContent::Gap(_) => GAP,
            RowContent::Disconnected => DISCONNECTED,
        }
    }

    /// Returns the game that the row is about.
    pub(crate) fn game(&self) -> Option<GameId> {
        if let RowContent::Bot(BotEvent::Acted { game, .. }) = &self.content {
            return *game;
        }
        self.event().and_then(game_of)
    }

    /// Returns the row in the form that filter expressions compare.
    pub(crate) fn filter_subject(&self) -> Subject<'_> {
        match &self.content {
            RowContent::Event(event) => Subject::of_event(event, self.reply_after),
            content => {
                let is_unanswered = matches!(content, RowContent::Sent(sent) if sent.awaits_reply);
                Subject::of_row(self.kind_name(), self.game(), content).unanswered_if(is_unanswered)
            }
        }
    }

    /// Returns a summary on one line, safe for the terminal. That of a sent line ends with its reply, once it was received.
    pub(crate) fn summary_line(&self) -> String {
        match &self.content {
            RowContent::Event(event) => one_line(event),
            RowContent::Sent(sent) => {
                let text = sent.text_or_mask();
                let reply = sent.reply.as_ref().map_or_else(String::new, |reply| format!("  [{reply}]"));
                format!("{}{}{reply}", sent.prefix(), TerminalSafe(&text).in_cells())
            }
            content => TerminalSafe(&content.to_string()).in_cells().into_owned(),
        }
    }

    /// Returns the summary cut to a width in cells of the terminal. If that of an answered line is too long, its reply is
    /// shortened to time and row, and its text is cut. The shortened reply is never cut, so that the result may be wider.
    pub(crate) fn summary_within(&self, cells: usize) -> String {
        let line = self.summary_line();
        match &self.content {
            RowContent::Sent(SentLine { reply: Some(reply), .. }) if line.width() > cells => {
                let summary = format!("  [{} #{}]", reply.time_text(), reply.row);
                let sent = line.rsplit_once("  [").map_or("", |(sent, _)| sent);
                sent.unicode_truncate(cells.saturating_sub(summary.width())).0.to_owned() + &summary
            }
            _ => line.unicode_truncate(cells).0.to_owned(),
        }
    }

    /// Returns whether the row is a detail of the protocol: a prompt, a mark of a block or unit, an empty line, a repeated
    /// reserve, a line of the session for its set-up or a check, or its reply, or a listing, whose lines are rows as well. Telnet commands are
    /// not.
    pub(crate) fn is_protocol_detail(&self) -> bool {
        let event = match &self.content {
            RowContent::Event(event) => event,
            RowContent::Sent(sent) => return sent.attribution.is_housekeeping(),
            _ => return false,
        };
        match event.kind() {
            _ if event.attribution().is_housekeeping() => true,
            EventKind::Telnet => false,
            EventKind::Text => event.raw().is_empty(),
            // The lines of a listing were shown.
            kind if matches!(kind.category(), EventCategory::Control | EventCategory::Listing) => true,
            _ => is_repeated_reserve(event),
        }
    }

    /// Returns the approximate memory of the row, in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Self>()
            + match &self.content {
                RowContent::Event(event) => size_of::<Event>() + 2 * event.raw().len(),
                RowContent::Sent(sent) => sent.bytes.len() + sent.text.len(),
                RowContent::Bot(BotEvent::Acted { reason, .. }) => reason.len(),
                RowContent::Bot(_) | RowContent::Gap(_) | RowContent::Disconnected => 0,
                RowContent::Mark(text) | RowContent::Stored(_, text) => text.len(),
            }
    }
}

/// Writes the text that filter expressions search; of a sent line without its reply, as in the output of `kibitzer decode`.
impl fmt::Display for RowContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => event.fmt(f),
            Self::Sent(sent) => sent.to_event().fmt(f),
            Self::Bot(event) => write!(f, "{event:#}"),
            Self::Mark(text) => write!(f, "--- {text} ---"),
            Self::Stored(_, json) => f.write_str(json),
            Self::Gap(silence) => write!(f, "--- silence of {} ---", ShortDuration(*silence)),
            Self::Disconnected => f.write_str("--- the connection ended ---"),
        }
    }
}

/// The newest rows, addressed by number.
#[derive(Debug, Default)]
pub(crate) struct RowBuffer {
    kept: VecDeque<ConsoleRow>,
    /// Approximate memory of the stored rows, in bytes.
    bytes: usize,
    /// Number of the newest row, counted from 1; 0 for an empty buffer.
    pub(crate) newest: u64,
}

impl RowBuffer {
    /// Returns the number of the next row.
    pub(crate) const fn next_number(&self) -> u64 {
        self.newest.saturating_add(1)
    }

    /// Returns the number of the oldest stored row.
    pub(crate) fn oldest_number(&self) -> u64 {
        self.kept.front().map_or(self.next_number(), |row| row.number)
    }

    /// Appends a row, whose number must be the [next one](Self::next_number), and drops the oldest ones beyond the limits. The
    /// newest row always stays.
    pub(crate) fn push(&mut self, row: ConsoleRow) {
        self.newest = row.number;
        self.bytes += row.memory_size();
        self.kept.push_back(row);
        while self.kept.len() > KEPT_ROWS || (self.bytes > KEPT_ROW_BYTES && self.kept.len() > 1) {
            let gone = self.kept.pop_front();
            self.bytes = self.bytes.saturating_sub(gone.map_or(0, |row| row.memory_size()));
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&ConsoleRow> {
        self.kept.get(self.index_of(number)?)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut ConsoleRow> {
        let place = self.index_of(number)?;
        self.kept.get_mut(place)
    }

    /// Iterates over all rows, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &ConsoleRow> {
        self.kept.iter()
    }

    /// Iterates from a row back to the oldest one; from the newest row if the number is higher. Empty for a dropped row.
    pub(crate) fn iter_back_from(&self, number: u64) -> impl Iterator<Item = &ConsoleRow> {
        let n = self.index_of(number.min(self.newest)).map_or(0, |place| place + 1);
        self.kept.iter().take(n).rev()
    }

    /// Returns the index in the buffer for a row number; `None` for a dropped row. A number after the newest has an index beyond
    /// the end.
    fn index_of(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.oldest_number())?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    #[test]
    fn a_narrow_row_keeps_the_time_of_the_reply() {
        let reply = ReplyMatch { after: Duration::from_millis(12), row: 345, is_guessed: false };
        let sent = SentLine {
            bytes: Vec::new(),
            text: b"14 finger".to_vec(),
            secret: false,
            attribution: Attribution::default(),
            awaits_reply: false,
            reply: Some(reply),
        };
        let content = RowContent::Sent(sent);
        let row = ConsoleRow { number: 1, at: Duration::ZERO, base: 0, reply_after: None, content };
        let cases = [
            (80, "> 14 finger  [reply #345 after 12ms]"),
            (36, "> 14 finger  [reply #345 after 12ms]"),
            (35, "> 14 finger  [12ms #345]"),
            (20, "> 14 fi  [12ms #345]"),
            (5, "  [12ms #345]"),
        ];
        for (cells, want) in cases {
            assert_eq!(row.summary_within(cells), want, "{cells}");
        }
    }

    #[test]
    fn wide_characters_take_two_cells() {
        let text = "a\u{4e16}b\u{754c}";
        for (cells, start, end) in [(0, "", ""), (1, "a", ""), (2, "a", "\u{754c}"), (3, "a\u{4e16}", "b\u{754c}")] {
            assert_eq!(text.unicode_truncate(cells).0, start, "{cells}");
            assert_eq!(text.unicode_truncate_start(cells).0, end, "{cells}");
        }
    }

    fn mark(number: u64, text: &str) -> ConsoleRow {
        let at = Duration::ZERO;
        ConsoleRow { number, at, base: 0, reply_after: None, content: RowContent::Mark(text.to_owned()) }
    }

    #[test]
    fn the_newest_rows_are_kept_and_found_by_number() {
        let mut rows = RowBuffer::default();
        assert_eq!((rows.oldest_number(), rows.newest, rows.get(1).is_some()), (1, 0, false));
        let newest = u64::try_from(KEPT_ROWS).unwrap() + 2;
        for number in 1..=newest {
            rows.push(mark(number, ""));
        }
        assert_eq!((rows.oldest_number(), rows.newest), (3, newest));
        assert!(rows.get(2).is_none() && rows.get(newest + 1).is_none());
        assert_eq!(rows.get(4).map(|row| row.number), Some(4));
        assert_eq!(rows.iter_back_from(4).map(|row| row.number).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(rows.iter_back_from(newest + 99).count(), KEPT_ROWS);
    }

    #[test]
    fn long_rows_push_out_more() {
        let mut rows = RowBuffer::default();
        for number in 1..=10 {
            rows.push(mark(number, &"x".repeat(KEPT_ROW_BYTES * 4 / 10)));
        }
        assert_eq!(rows.iter().count(), 2);
        rows.push(mark(11, &"x".repeat(2 * KEPT_ROW_BYTES)));
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [11], "the newest one stays");
    }
}
