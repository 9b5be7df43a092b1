//! Sources of items: a recording or a session.

mod feed;
mod live_session;
mod recording_player;
mod recording_reader;

use std::time::{Duration, Instant};

use kibitzer::transcript::Utc;
use kibitzer_core::EventReader;

use crate::failure::Failure;
#[cfg(all(feature = "nats", feature = "web"))]
pub(crate) use feed::{FeedItem, FeedSender};
pub(crate) use feed::{SessionFeed, fill_feed};
pub(crate) use live_session::{JobError, LiveSession};
pub(crate) use recording_player::{NextItem, RecordingPlayer, SPEEDS, SeekGoal, board_ply_in_row};
pub(crate) use recording_reader::RecordingReader;

/// A message for the user in the status row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    Info(String),
    Error(String),
}

/// Where the console gets its items: a recording, or a session that runs in this process or is attached.
#[derive(Debug, strum::EnumIs, strum::EnumTryAs)]
pub(crate) enum ConsoleSource {
    Recording(Box<RecordingPlayer>),
    Live(Box<LiveSession>),
}

impl ConsoleSource {
    /// Returns whether a bot plays in the session.
    pub(crate) const fn has_bot(&self) -> bool {
        matches!(self, Self::Live(live) if matches!(live.feed, SessionFeed::Bot(_)))
    }

    /// Returns whether the source is a session that accepts typed lines whenever it is ready.
    pub(crate) const fn accepts_lines(&self) -> bool {
        matches!(self, Self::Live(live) if live.sender.is_some())
    }

    /// Returns the position in a recording, or the time since a live session began.
    pub(crate) fn current_time(&self, now: Instant) -> Duration {
        match self {
            Self::Recording(player) => player.current_time(now),
            Self::Live(live) => live.time_since_start(now),
        }
    }

    /// Returns the time of day at which the session began; `None` if a recording does not contain it.
    pub(crate) const fn utc_start(&self) -> Option<Utc> {
        match self {
            Self::Recording(player) => player.reader.utc_start,
            Self::Live(live) => live.utc_start,
        }
    }

    /// Returns a new reader for the bytes of a connection of the source from its start.
    pub(crate) fn new_event_reader(&self) -> EventReader {
        match self {
            Self::Recording(player) => player.reader.args.event_reader(),
            Self::Live(live) => live.new_event_reader(),
        }
    }

    /// Returns whether to draw the screen at the higher rate: while a recording plays or seeks, or items of a session arrive.
    pub(crate) fn needs_fast_redraw(&self) -> bool {
        match self {
            Self::Recording(player) => player.goal.is_some() || player.is_playing(),
            Self::Live(live) => live.is_busy,
        }
    }

    /// Returns the next item that is due, without waiting.
    ///
    /// # Errors
    ///
    /// As [`RecordingPlayer::next_item`].
    pub(crate) fn next_item(&mut self, now: Instant) -> Result<NextItem, Failure> {
        match self {
            Self::Recording(player) => player.next_item(now),
            Self::Live(live) => Ok(live.next_item()),
        }
    }
}
