//! One timer for everything that has a time.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Far enough away that nothing waits for it, near enough that the clock can count there.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// Rings at a time, or a little before the time it was set to last.
///
/// Times move on with every byte that comes; to set the timer anew each time would take longer than to read the bytes. So
/// a timer that rings too early is left alone: nothing is due then, and it is set again.
#[derive(Debug)]
pub(super) struct Alarm {
    sleep: Pin<Box<Sleep>>,
}

impl Alarm {
    pub(super) fn new() -> Self {
        Self { sleep: Box::pin(sleep_until(Instant::now() + NEVER)) }
    }

    /// Sees to it that it rings no later than that.
    pub(super) fn set(&mut self, at: Option<std::time::Instant>) {
        let at = at.map_or_else(|| Instant::now() + NEVER, Instant::from_std);
        if at < self.sleep.deadline() || self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(at);
        }
    }

    /// Waits until it rings.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the time stays set.
    pub(super) async fn ring(&mut self) {
        self.sleep.as_mut().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_rings_no_later_than_told() {
        let start = Instant::now();
        let in_seconds = |seconds| Some((start + Duration::from_secs(seconds)).into_std());
        let mut alarm = Alarm::new();
        alarm.set(in_seconds(5));
        alarm.set(in_seconds(9));
        alarm.ring().await;
        assert_eq!(start.elapsed(), Duration::from_secs(5), "the earlier time stays");
        alarm.set(in_seconds(9));
        alarm.set(in_seconds(7));
        alarm.ring().await;
        assert_eq!(start.elapsed(), Duration::from_secs(7), "an earlier time is taken");
        alarm.set(in_seconds(9));
        alarm.ring().await;
        assert_eq!(start.elapsed(), Duration::from_secs(9));
    }
}
