//! The end of a bot that is asked to stop.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long the bot waits for the end of a game when its time to stop is over.
const ADJOURN_WAIT: Duration = Duration::from_secs(10);

/// How urgently a bot is to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StopUrgency {
    /// Not at all.
    #[default]
    None,
    /// After the game in progress, within the limit of the settings.
    AfterGame,
    /// Now.
    Now,
}

/// Handle that asks a bot to stop. Clones, and all bots that were started with them, share the request.
#[derive(Clone, Debug, Default)]
pub struct Stop(watch::Sender<StopUrgency>);

impl Stop {
    /// Creates a handle on which no stop is requested.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the bot to stop: the first call lets the game in progress end within
    /// [`finish_game_within`](crate::config::ShutdownConfig::finish_game_within), the second stops at once. With a limit of zero,
    /// the first one stops at once, too.
    pub fn request_or_force(&self) {
        self.0.send_modify(|urgency| {
            *urgency = if *urgency == StopUrgency::None { StopUrgency::AfterGame } else { StopUrgency::Now };
        });
    }

    /// Stops the bot at once. A game in progress is left to the server's rules for lost connections.
    pub fn force(&self) {
        self.0.send_replace(StopUrgency::Now);
    }

    /// Waits until a stop is requested.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn requested(&self) {
        // The sender is this value.
        let _ = self.0.subscribe().wait_for(|urgency| *urgency != StopUrgency::None).await;
    }

    /// Subscribes to the urgency; the current one counts as new.
    pub(super) fn subscribe(&self) -> watch::Receiver<StopUrgency> {
        let mut urgency = self.0.subscribe();
        urgency.mark_changed();
        urgency
    }
}

/// How far a bot has come with its stop.
#[derive(Debug, Default)]
pub(super) struct Stopping {
    urgency: StopUrgency,
    /// When a bot that is stopping adjourns its game, and then when it leaves.
    leave_at: Option<Instant>,
    has_adjourned: bool,
}

/// Next step of a bot that is stopping, once its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopStep {
    /// Asks to adjourn the game in progress.
    Adjourn,
    /// Leaves the game to the server.
    Leave,
}

impl Stopping {
    /// Begins to stop, at once or after the game in progress, within `limit`. Returns `false`, and changes nothing, unless the request is
    /// more urgent than the last one.
    pub(super) fn begin(&mut self, urgency: StopUrgency, limit: Duration) -> bool {
        if urgency <= self.urgency {
            return false;
        }
        self.urgency = if limit.is_zero() { StopUrgency::Now } else { urgency };
        self.leave_at = Instant::now().checked_add(limit);
        true
    }

    pub(super) const fn urgency(&self) -> StopUrgency {
        self.urgency
    }

    /// Returns whether a stop was requested.
    pub(super) fn has_begun(&self) -> bool {
        self.urgency != StopUrgency::None
    }

    /// Returns when [`take_due_step`](Self::take_due_step) is due; `None` if it never is.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.leave_at
    }

    /// Returns the step that is due at `now`: first to adjourn, and after [`ADJOURN_WAIT`] to leave, which stops the bot at once.
    pub(super) fn take_due_step(&mut self, now: Instant) -> Option<StopStep> {
        self.leave_at.filter(|at| *at <= now)?;
        if self.has_adjourned {
            self.urgency = StopUrgency::Now;
            return Some(StopStep::Leave);
        }
        self.has_adjourned = true;
        self.leave_at = Some(now + ADJOURN_WAIT);
        Some(StopStep::Adjourn)
    }
}
