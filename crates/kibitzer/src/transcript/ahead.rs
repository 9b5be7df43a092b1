//! Reading a moment ahead of what is replayed.

use std::collections::VecDeque;
use std::io::BufRead;
use std::time::Duration;

use super::{Direction, Record, TranscriptError, TranscriptReader};

/// How far ahead. A session draws the word behind a command a quarter of a second before it sends it, at most.
const MOMENT: Duration = Duration::from_secs(1);
/// Bytes of memory for what is read ahead, of one record or more.
const AHEAD_BYTES: usize = 1 << 20;

/// The records of a transcript, in order, some of them read ahead of their time.
#[derive(Debug)]
pub(super) struct Ahead<R> {
    records: TranscriptReader<R>,
    read: VecDeque<Result<Record, TranscriptError>>,
    n_bytes: usize,
}

impl<R: BufRead> Ahead<R> {
    pub(super) const fn new(records: TranscriptReader<R>) -> Self {
        Self { records, read: VecDeque::new(), n_bytes: 0 }
    }

    /// The next record. Those that are read behind it are shown to `foresee`, each once.
    pub(super) fn first(&mut self, mut foresee: impl FnMut(&Record)) -> Option<&Result<Record, TranscriptError>> {
        while self.wants_more() {
            let Some(record) = self.records.next() else { break };
            if let Ok(record) = &record {
                foresee(record);
                self.n_bytes += record.size();
            }
            self.read.push_back(record);
        }
        self.read.front()
    }

    /// Takes the next record, which was looked at.
    pub(super) fn take(&mut self) -> Option<Result<Record, TranscriptError>> {
        let record = self.read.pop_front()?;
        if let Ok(record) = &record {
            self.n_bytes -= record.size();
        }
        Some(record)
    }

    /// Not beyond the end of a connection, nor into another recording that was put behind this one.
    fn wants_more(&self) -> bool {
        match (self.read.front(), self.read.back()) {
            (None, _) | (_, None) => true,
            (Some(Ok(first)), Some(Ok(last))) => {
                let passed = last.time.checked_sub(first.time);
                self.n_bytes < AHEAD_BYTES && !last.ends_connection() && passed.is_some_and(|passed| passed < MOMENT)
            }
            _ => false,
        }
    }
}

impl Record {
    /// What it takes of the memory; one without bytes takes some, too.
    const fn size(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }

    /// Whether it stands for the end of the connection.
    pub(super) fn ends_connection(&self) -> bool {
        self.direction == Direction::Received && self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_without_bytes_are_not_read_ahead_for_ever() {
        let line = "{\"t\":0,\"dir\":\"tx\",\"hex\":\"\"}\n";
        let text = line.repeat(AHEAD_BYTES / 16);
        let mut ahead = Ahead::new(TranscriptReader::new(text.as_bytes()));
        assert!(ahead.first(|_| ()).is_some());
        assert!(ahead.read.len() <= AHEAD_BYTES / size_of::<Record>() + 1, "{}", ahead.read.len());
        let n_records = std::iter::from_fn(|| ahead.first(|_| ()).is_some().then(|| ahead.take())).count();
        assert_eq!((n_records, ahead.n_bytes), (AHEAD_BYTES / 16, 0));
    }
}
