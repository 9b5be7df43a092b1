//! Where the console's items come from.

pub(in crate::console) mod feed;
pub(in crate::console) mod live_session;
pub(in crate::console) mod recording_player;
pub(in crate::console) mod recording_reader;
pub(in crate::console) mod replay_clock;

use std::time::{Duration, Instant};

use crate::console::model::Model;
use crate::console::source::live_session::LiveSession;
use crate::console::source::recording_player::{NextItem, RecordingPlayer};
use crate::console::source::recording_reader::ReplayError;

/// A message for the user, shown above the input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::console) enum Notice {
    Info(String),
    Error(String),
}

/// A recording that is played, or a session that goes on.
#[derive(Debug)]
pub(in crate::console) enum Source {
    Recording(Box<RecordingPlayer>),
    Live(Box<LiveSession>),
}

impl Source {
    /// What plays, if it is a recording.
    pub(in crate::console) const fn player(&self) -> Option<&RecordingPlayer> {
        match self {
            Self::Recording(player) => Some(player),
            Self::Live(_) => None,
        }
    }

    pub(in crate::console) fn player_mut(&mut self) -> Option<&mut RecordingPlayer> {
        match self {
            Self::Recording(player) => Some(player),
            Self::Live(_) => None,
        }
    }

    /// The session, if it is live.
    pub(in crate::console) fn live_mut(&mut self) -> Option<&mut LiveSession> {
        match self {
            Self::Recording(_) => None,
            Self::Live(live) => Some(live),
        }
    }

    pub(in crate::console) const fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Whether lines go to a server, or would if it were there.
    pub(in crate::console) const fn accepts_lines(&self) -> bool {
        matches!(self, Self::Live(live) if !live.is_read_only())
    }

    /// The time that clocks are counted from: the recording's, or since the session began.
    pub(in crate::console) fn time(&self, now: Instant) -> Duration {
        match self {
            Self::Recording(player) => player.time(now),
            Self::Live(live) => live.time(now),
        }
    }

    /// Whether the screen should be drawn often.
    pub(in crate::console) fn is_moving(&self) -> bool {
        match self {
            Self::Recording(player) => player.goal().is_some() || player.is_playing(),
            Self::Live(live) => live.is_busy(),
        }
    }

    /// The next thing that is due.
    ///
    /// # Errors
    ///
    /// As [`RecordingPlayer::next`].
    pub(in crate::console) fn next(&mut self, now: Instant) -> Result<NextItem, ReplayError> {
        match self {
            Self::Recording(player) => player.next(now),
            Self::Live(live) => Ok(live.next()),
        }
    }

    /// Whether this row is what was gone on to.
    pub(in crate::console) fn arrived(&mut self, model: &Model, row: u64, is_listed: bool) -> bool {
        self.player_mut().is_some_and(|player| player.arrived(model, row, is_listed))
    }

    /// What the session has to say besides what happens.
    pub(in crate::console) fn notice(&mut self) -> Option<Notice> {
        self.live_mut()?.notice()
    }
}
