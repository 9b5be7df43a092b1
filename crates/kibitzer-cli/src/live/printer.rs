//! Events to standard output while a session goes on.

use std::time::Duration;

use kibitzer::core::Event;
use kibitzer::core::hub::{RecvError, Subscription};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::Reticence;
use crate::output::{LineFormat, Lines, WriteError};

/// Events that may wait to be printed before the server has to wait too.
pub(crate) const UNPRINTED_EVENTS: usize = 256;

/// How long who reads standard output has for the last lines, once the session is over.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints events on a thread of its own: whoever reads standard output may stop reading, which must keep nobody from ending
/// the session, nor the session from answering the server.
#[derive(Debug)]
pub(crate) struct Printer {
    thread: JoinHandle<Result<(), WriteError>>,
    is_done: bool,
}

impl Printer {
    /// Begins to print what a subscription brings.
    pub(crate) fn start(events: Subscription, format: LineFormat) -> Self {
        Self::start_with(events, format, Reticence::default())
    }

    /// The same in the middle of a session, of which so much is known.
    pub(crate) fn start_with(events: Subscription, format: LineFormat, reticence: Reticence) -> Self {
        let runtime = Handle::current();
        let thread = spawn_blocking(move || {
            let reticence = matches!(format, LineFormat::Text).then_some(reticence);
            let mut printing = Printing { events, lines: Lines::new(format), reticence };
            printing.run(&runtime)
        });
        Self { thread, is_done: false }
    }

    /// Waits until the session is over and all of it is printed, or nobody wants to read more.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if something could not be printed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn done(&mut self) -> Result<(), WriteError> {
        if self.is_done {
            return Ok(());
        }
        let printed = (&mut self.thread).await;
        self.is_done = true;
        // It is not cancelled, so the rest is a panic, which was reported on its thread.
        printed.unwrap_or(Ok(()))
    }

    /// Waits until what is left of a session that is over is printed, but not for long.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if something could not be printed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn finish(&mut self) -> Result<(), WriteError> {
        timeout(PATIENCE, self.done()).await.unwrap_or(Ok(()))
    }
}

struct Printing {
    events: Subscription,
    lines: Lines,
    /// What is left out for people.
    reticence: Option<Reticence>,
}

impl Printing {
    /// Prints until the session is over.
    fn run(&mut self, runtime: &Handle) -> Result<(), WriteError> {
        loop {
            match self.next(runtime)? {
                Ok(event) => self.print(&event)?,
                Err(RecvError::Closed) => return self.lines.flush(),
                Err(_) => {}
            }
        }
    }

    /// The next event. What has come so far is shown before more is waited for.
    fn next(&mut self, runtime: &Handle) -> Result<Result<std::sync::Arc<Event>, RecvError>, WriteError> {
        if let Some(ready) = self.events.try_next().transpose() {
            return Ok(ready);
        }
        self.lines.flush()?;
        Ok(runtime.block_on(self.events.next()))
    }

    fn print(&mut self, event: &Event) -> Result<(), WriteError> {
        let is_shown = self.reticence.as_mut().is_none_or(|reticence| reticence.lets_through(event));
        if is_shown { self.lines.event(event) } else { Ok(()) }
    }
}
