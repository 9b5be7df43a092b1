//! Events to standard output while a session goes on.

use std::time::Duration;

use kibitzer::core::{Event, EventKind};
use kibitzer::{Client, Observation, Tap, TapItem};
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::task::{AbortHandle, JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout};

use super::NoiseFilter;
use crate::output::{LineFormat, Lines, SessionClock, WriteError};

/// Events that may wait to be printed before the server has to wait too.
const UNPRINTED_EVENTS: usize = 256;

/// How long who reads standard output has for the last lines, once the session is over.
const FINAL_FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Takes the events that are to be printed, and when each happened.
pub(crate) type EventSender = mpsc::Sender<(Instant, Event)>;

/// Prints events on a thread of its own: whoever reads standard output may stop reading, which must keep nobody from ending
/// the session, nor the session from answering the server.
#[derive(Debug)]
pub(crate) struct EventPrinter {
    thread: JoinHandle<Result<(), WriteError>>,
    is_done: bool,
    /// Takes the events out of a tap.
    feeding: Option<AbortHandle>,
}

/// What is printed of a session.
#[derive(Debug)]
pub(crate) struct EventSelection {
    /// Only events of these kinds, if it says any.
    kinds: Option<&'static [EventKind]>,
    /// What is left out for people.
    noise_filter: Option<NoiseFilter>,
}

impl EventSelection {
    /// Everything for programs; less for people, who have seen so much of the session.
    pub(crate) fn of(format: LineFormat, noise_filter: NoiseFilter) -> Self {
        Self { kinds: None, noise_filter: matches!(format, LineFormat::Text).then_some(noise_filter) }
    }

    /// The same, for people of these kinds alone.
    pub(crate) fn kinds(self, kinds: &'static [EventKind]) -> Self {
        Self { kinds: self.noise_filter.is_some().then_some(kinds), ..self }
    }

    fn includes(&mut self, event: &Event) -> bool {
        self.kinds.is_none_or(|kinds| kinds.contains(&event.kind()))
            && self.noise_filter.as_mut().is_none_or(|noise_filter| noise_filter.accepts_event(event))
    }
}

impl EventPrinter {
    /// Begins to print the events of a session. It has to be [finished](Self::finish) while the session is shut down: whoever
    /// does not read holds the session up as long as the tap is there.
    pub(crate) fn from_tap(client: &Client, mut tap: Tap, format: LineFormat, selection: EventSelection) -> Self {
        let (sender, printer) = Self::start(client.began(), format, selection);
        let feeding = tokio::spawn(async move {
            while let Some(TapItem { at, observation, .. }) = tap.next().await {
                if let Observation::Event { event, .. } = observation
                    && sender.send((at, event)).await.is_err()
                {
                    break;
                }
            }
        });
        Self { feeding: Some(feeding.abort_handle()), ..printer }
    }

    /// Begins to print the events that are sent to it, of a session that began then.
    pub(crate) fn start(began: Instant, format: LineFormat, selection: EventSelection) -> (EventSender, Self) {
        let (sender, events) = mpsc::channel(UNPRINTED_EVENTS);
        let clock = SessionClock::new(began);
        let thread = spawn_blocking(move || PrintLoop { events, clock, lines: Lines::new(format), selection }.run());
        (sender, Self { thread, is_done: false, feeding: None })
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
        let printed = timeout(FINAL_FLUSH_TIMEOUT, self.done()).await.unwrap_or(Ok(()));
        if let Some(feeding) = &self.feeding {
            feeding.abort();
        }
        printed
    }
}

struct PrintLoop {
    events: mpsc::Receiver<(Instant, Event)>,
    clock: SessionClock,
    lines: Lines,
    selection: EventSelection,
}

impl PrintLoop {
    /// Prints until the session is over.
    fn run(mut self) -> Result<(), WriteError> {
        while let Some((at, event)) = self.next()? {
            if self.selection.includes(&event) {
                self.lines.event(&event, Some(&self.clock.stamp(at)))?;
            }
        }
        self.lines.flush()
    }

    /// The next event. What has come so far is shown before more is waited for.
    fn next(&mut self) -> Result<Option<(Instant, Event)>, WriteError> {
        match self.events.try_recv() {
            Ok(event) => Ok(Some(event)),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => {
                self.lines.flush()?;
                Ok(self.events.blocking_recv())
            }
        }
    }
}
