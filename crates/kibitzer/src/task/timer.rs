//! The timer of a session's task.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Delay of a timer without a deadline: one year, which the clock can represent and no session waits for.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// Expires at its deadline, or at an earlier deadline that was set before.
///
/// Deadlines move with every received byte, and resetting the runtime's timer each time would take longer than parsing. A
/// deadline that moves back therefore leaves the timer alone. It expires early, nothing is due, and it is set again.
#[derive(Debug)]
pub(super) struct Timer {
    sleep: Pin<Box<Sleep>>,
}

impl Timer {
    pub(super) fn new() -> Self {
        Self { sleep: Box::pin(sleep_until(Instant::now() + NEVER)) }
    }

    /// Sets the latest time at which the timer expires; `None` for never. An earlier time that was set before and has not passed
    /// is kept, so the timer may expire too early.
    pub(super) fn set(&mut self, deadline: Option<std::time::Instant>) {
        let deadline = deadline.map_or_else(|| Instant::now() + NEVER, Instant::from_std);
        if deadline < self.sleep.deadline() || self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(deadline);
        }
    }

    /// Waits until the timer expires, possibly before the deadline that was set last.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the deadline remains.
    pub(super) async fn wait_until_expired(&mut self) {
        self.sleep.as_mut().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_timer_expires_no_later_than_its_deadline() {
        let start = Instant::now();
        let in_seconds = |seconds| Some((start + Duration::from_secs(seconds)).into_std());
        let mut timer = Timer::new();
        timer.set(in_seconds(5));
        timer.set(in_seconds(9));
        timer.wait_until_expired().await;
        assert_eq!(start.elapsed(), Duration::from_secs(5), "the earlier deadline remains");
        timer.set(in_seconds(9));
        timer.set(in_seconds(7));
        timer.wait_until_expired().await;
        assert_eq!(start.elapsed(), Duration::from_secs(7), "an earlier deadline replaces a later one");
        timer.set(in_seconds(9));
        timer.wait_until_expired().await;
        assert_eq!(start.elapsed(), Duration::from_secs(9));
    }
}
