//! Where the console's items come from.

use std::time::{Duration, Instant};

use super::app::Notice;
use super::live::Live;
use super::model::Model;
use super::player::{Next, Player};
use super::replay::ReplayError;

/// A recording that is played, or a session that goes on.
#[derive(Debug)]
pub(super) enum Source {
    Recording(Box<Player>),
    Live(Box<Live>),
}

impl Source {
    /// What plays, if it is a recording.
    pub(super) const fn player(&self) -> Option<&Player> {
        match self {
            Self::Recording(player) => Some(player),
            Self::Live(_) => None,
        }
    }

    pub(super) fn player_mut(&mut self) -> Option<&mut Player> {
        match self {
            Self::Recording(player) => Some(player),
            Self::Live(_) => None,
        }
    }

    /// The session, if it is live.
    pub(super) fn live_mut(&mut self) -> Option<&mut Live> {
        match self {
            Self::Recording(_) => None,
            Self::Live(live) => Some(live),
        }
    }

    pub(super) const fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Whether lines go to a server, or would if it were there.
    pub(super) const fn takes_lines(&self) -> bool {
        matches!(self, Self::Live(live) if !live.is_only_looked_at())
    }

    /// The time that clocks are counted from: the recording's, or since the session began.
    pub(super) fn time(&self, now: Instant) -> Duration {
        match self {
            Self::Recording(player) => player.time(now),
            Self::Live(live) => live.time(now),
        }
    }

    /// Whether the screen should be drawn often.
    pub(super) fn is_moving(&self) -> bool {
        match self {
            Self::Recording(player) => player.goal().is_some() || player.is_playing(),
            Self::Live(live) => live.is_busy(),
        }
    }

    /// The next thing that is due.
    ///
    /// # Errors
    ///
    /// As [`Player::next`].
    pub(super) fn next(&mut self, now: Instant) -> Result<Next, ReplayError> {
        match self {
            Self::Recording(player) => player.next(now),
            Self::Live(live) => Ok(live.next()),
        }
    }

    /// Whether this row is what was gone on to.
    pub(super) fn arrived(&mut self, model: &Model, row: u64, is_listed: bool) -> bool {
        self.player_mut().is_some_and(|player| player.arrived(model, row, is_listed))
    }

    /// What the session has to say besides what happens.
    pub(super) fn notice(&mut self) -> Option<Notice> {
        self.live_mut()?.notice()
    }
}
