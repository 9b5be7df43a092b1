//! When a command that would go on for ever has to end.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::duration;

/// A command that goes on until it is told to end.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct StopArgs {
    /// End after this time, such as 500ms, 10s or 2m [default: at Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    limit: Option<Duration>,
}

/// Waits for Ctrl-C, for SIGTERM, for the terminal to go away, or for the time to be up.
#[derive(Debug)]
pub(crate) struct StopSignal {
    signals: Signals,
    deadline: Option<Instant>,
}

impl StopArgs {
    /// Whether a time was given.
    pub(crate) const fn has_time_limit(self) -> bool {
        self.limit.is_some()
    }

    /// Begins to listen; the time begins to run.
    ///
    /// # Errors
    ///
    /// The system does not let us listen.
    pub(crate) fn begin(self) -> io::Result<StopSignal> {
        // A time beyond what a clock can tell never comes.
        let deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        Ok(StopSignal { signals: Signals::new()?, deadline })
    }
}

impl StopSignal {
    /// Waits until it is time to end.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn wait(&mut self) {
        let deadline = self.deadline;
        let time_is_up = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.signals.wait() => {}
            () = time_is_up => {}
        }
    }

    /// What comes of the future; `None` if it is time to end before that.
    ///
    /// # Cancel safety
    ///
    /// As safe as the future: it is dropped with this one, and when it is time to end.
    pub(crate) async fn or<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            outcome = future => Some(outcome),
            () = self.wait() => None,
        }
    }
}

#[cfg(unix)]
#[derive(Debug)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// # Cancel safety
    ///
    /// Cancel safe: a signal is noticed by the next call.
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Signals(());

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    const fn new() -> io::Result<Self> {
        Ok(Self(()))
    }

    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn wait(&mut self) {
        // Where nobody can tell us, only the time ends it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
