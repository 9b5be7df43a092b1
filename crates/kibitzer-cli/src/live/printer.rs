//! Prints events on standard output while a session runs.

use std::future::pending;
use std::time::Duration;

use kibitzer::internal::recorded::SessionClock;
use kibitzer::{Client, Observation, Tap, TapItem, WeakClient};
use kibitzer_core::message::Message;
use kibitzer_core::{Event, EventCategory, EventKind};
use serde::Serialize;
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::stop::{StopSignal, report_failed_recording};
use crate::failure::Failure;
use crate::filter::{EventFilter, Expression};
use crate::metrics::{SessionMetrics, metrics_ticks};
use crate::output::{EventWriter, LineFormat, TextArgs, json_object};

/// Capacity of the channel to the printer. While it is full, the session does not read from the server.
const UNPRINTED_EVENTS: usize = 256;

/// Maximum time to wait until the last lines are printed after the end of the session.
const FINAL_FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends items with their times to the printer. Waits while the channel is full; fails once the printer has ended.
pub(crate) type PrintSender = mpsc::Sender<(Instant, PrintItem)>;

/// An item for the printer.
#[derive(Debug)]
pub(crate) enum PrintItem {
    /// An event of the session.
    Event(Event),
    /// An event of the command itself, which is printed as JSON only: its name, and its other members as a serialized object.
    Object { event: &'static str, object: Vec<u8> },
    /// Replaces the filter for later events, without printing anything; `None` lets all events pass.
    Filter(Option<Expression>),
}

impl PrintItem {
    /// Creates an event of the command itself. `members` serialize to an object that is not empty.
    pub(crate) fn object(event: &'static str, members: &impl Serialize) -> Self {
        Self::Object { event, object: json_object(members) }
    }
}

/// The events of a session that are printed.
#[derive(Debug)]
pub(crate) struct PrintedEvents {
    /// Prints the events that this accepts. Without it, all are printed as JSON, and those of `text_kinds` as text, except details of
    /// the protocol.
    pub(crate) expression: Option<Expression>,
    pub(crate) text_kinds: fn(EventKind) -> bool,
    pub(crate) text: TextArgs,
}

impl PrintedEvents {
    /// Prints the events that an expression accepts; without one, events of all kinds.
    pub(crate) fn accepted_by(expression: Option<Expression>, text: TextArgs) -> Self {
        Self { expression, text_kinds: |_| true, text }
    }
}

/// Prints events on its own thread, so that a stalled reader of standard output prevents neither stopping the session nor its
/// answers to the server.
#[derive(Debug)]
pub(crate) struct EventPrinter {
    thread: JoinSet<Result<(), Failure>>,
    /// Task that forwards the events of the tap, if there is one.
    feeding: JoinSet<()>,
    sender: mpsc::WeakSender<(Instant, PrintItem)>,
}

impl EventPrinter {
    /// Spawns a printer as [`spawn`](Self::spawn) does, and a task that sends it the events of a tap and, at the interval
    /// `metrics_every`, the counters of the session. Call [`wait_for_rest_or_timeout`](Self::wait_for_rest_or_timeout) while the
    /// session shuts down: a tap that is not read blocks the session.
    pub(crate) fn spawn_for_tap(
        client: &Client,
        tap: Tap,
        format: LineFormat,
        printed: PrintedEvents,
        metrics_every: Option<Duration>,
    ) -> Self {
        let (sender, mut printer) = Self::spawn(client.began(), format, printed);
        printer.feeding.spawn(forward_tap_and_metrics(client.downgrade(), tap, metrics_every, sender));
        printer
    }

    /// Spawns the thread of a printer for a session that began at `began`. Returns the sender for its items, and the printer, which
    /// ends once all senders are dropped.
    pub(crate) fn spawn(began: Instant, format: LineFormat, printed: PrintedEvents) -> (PrintSender, Self) {
        let (sender, items) = mpsc::channel(UNPRINTED_EVENTS);
        let clock = SessionClock::new(began);
        let PrintedEvents { expression, text_kinds, text: text_args } = printed;
        let prints_for_people = format == LineFormat::Text && expression.is_none();
        let text = prints_for_people.then_some(TextSelection { kinds: text_kinds, is_login_announced: false });
        let filter = EventFilter::new(expression);
        let mut thread = JoinSet::new();
        thread.spawn_blocking(move || {
            let lines = EventWriter::new(format).with_text(text_args);
            PrintLoop { items, clock, lines, filter, text }.run()
        });
        let printer = Self { thread, feeding: JoinSet::new(), sender: sender.downgrade() };
        (sender, printer)
    }

    /// Returns another sender, which has to be dropped, too, before the printer ends. `None` if all senders were dropped already.
    pub(crate) fn sender(&self) -> Option<PrintSender> {
        self.sender.upgrade()
    }

    /// Waits until all senders are dropped, which happens at the end of the session, and everything is printed, or until standard
    /// output fails. Returns `Ok` at once if called again after that.
    ///
    /// # Errors
    ///
    /// [`Failure`] if standard output fails.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn wait_until_printed(&mut self) -> Result<(), Failure> {
        // Never cancelled, so an error is a panic, which its thread has reported.
        self.thread.join_next().await.and_then(Result::ok).unwrap_or(Ok(()))
    }

    /// Waits as [`wait_until_printed`](Self::wait_until_printed) does, at most one second; then stops reading the tap. `Ok` also
    /// if the time is over.
    ///
    /// # Errors
    ///
    /// [`Failure`] if standard output fails.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn wait_for_rest_or_timeout(&mut self) -> Result<(), Failure> {
        let printed = timeout(FINAL_FLUSH_TIMEOUT, self.wait_until_printed()).await.unwrap_or(Ok(()));
        self.feeding.abort_all();
        printed
    }
}

/// Sends the events of a tap and, at the interval `metrics_every`, the counters of its session to the printer, until the session
/// is over or the printer has ended.
///
/// # Cancel safety
///
/// Dropping the future loses an event that waits for room in the channel.
async fn forward_tap_and_metrics(
    client: WeakClient,
    mut tap: Tap,
    metrics_every: Option<Duration>,
    sender: PrintSender,
) {
    let mut ticks = metrics_every.map(metrics_ticks);
    loop {
        let tick = async {
            match &mut ticks {
                Some(ticks) => ticks.tick().await,
                None => pending().await,
            }
        };
        let item = tokio::select! {
            item = tap.next() => match item {
                Some(TapItem { at, observation: Observation::Event { event, .. }, .. }) => (at, PrintItem::Event(event)),
                Some(_) => continue,
                None => return,
            },
            at = tick => match client.upgrade() {
                Some(client) => (at, PrintItem::object("metrics", &SessionMetrics::of(&client))),
                None => continue,
            },
        };
        if sender.send(item).await.is_err() {
            return;
        }
    }
}

/// Waits while a session is printed, until it ends, `companion` fails, or the stop signal arrives; then shuts the session down
/// and prints the rest, for at most one second. Meanwhile reports a failed recording on standard error.
///
/// # Errors
///
/// The failure of the companion or of standard output. The end of the session is not an error here.
///
/// # Cancel safety
///
/// Dropping the future leaves the session running.
pub(crate) async fn print_and_shut_down(
    client: &Client,
    mut printer: EventPrinter,
    companion: impl Future<Output = Failure>,
    ending: &mut StopSignal,
) -> Result<(), Failure> {
    let printed = tokio::select! {
        printed = printer.wait_until_printed() => printed,
        failure = companion => Err(failure),
        never = report_failed_recording(client) => match never {},
        () = ending.wait() => Ok(()),
    };
    let (_, finished) = tokio::join!(client.shutdown(), printer.wait_for_rest_or_timeout());
    printed.and(finished)
}

/// The state of the printing thread.
struct PrintLoop {
    items: mpsc::Receiver<(Instant, PrintItem)>,
    clock: SessionClock,
    lines: EventWriter,
    filter: EventFilter,
    /// Decides which events are printed; `filter` does if this is `None`.
    text: Option<TextSelection>,
}

/// Decides which events the text output prints: neither protocol marks, prompts and sent lines, nor the replies to commands of the
/// session itself, nor a reserve that repeats the one before it.
struct TextSelection {
    kinds: fn(EventKind) -> bool,
    /// Whether a line of the server has reported the login, so that the session's own event repeats it.
    is_login_announced: bool,
}

impl TextSelection {
    /// Returns whether to print an event. Has to be called for every event of the session, in order.
    fn record_and_check(&mut self, event: &Event) -> bool {
        if let Event::Connected = event {
            self.is_login_announced = false;
        }
        self.is_login_announced |= matches!(event.message(), Some(Message::LoggedIn(_)));
        let is_repeated = matches!(event, Event::LoggedIn(_)) && self.is_login_announced;
        let is_mark = matches!(event.kind().category(), EventCategory::Control | EventCategory::Sent);
        let is_detail = is_mark || is_repeated || event.attribution().is_housekeeping() || is_repeated_reserve(event);
        !is_detail && (self.kinds)(event.kind())
    }
}

/// Returns whether an event reports a player's reserve without an added piece. Servers send such a report with every board.
pub(crate) fn is_repeated_reserve(event: &Event) -> bool {
    matches!(event.message(), Some(Message::Holding(holding)) if holding.passed.is_none())
}

impl PrintLoop {
    /// Prints until all senders are dropped, or standard output fails. The end of the session is printed last, after the answers
    /// to its requests.
    fn run(mut self) -> Result<(), Failure> {
        let mut end_of_session = None;
        while let Some((at, item)) = self.next_or_flush()? {
            match item {
                PrintItem::Event(event @ Event::Ended(_)) => end_of_session = Some(event),
                PrintItem::Event(event) => self.print_if_accepted(at, &event)?,
                PrintItem::Object { event, object } => {
                    self.lines.write_own_event_if_json(event, &self.clock.stamp(at), &object)?;
                }
                PrintItem::Filter(expression) => self.filter.expression = expression,
            }
        }
        if let Some(event) = end_of_session {
            self.print_if_accepted(Instant::now(), &event)?;
        }
        let Self { filter, lines, .. } = &mut self;
        filter.end_connection(|passed| lines.write_passed(passed, true))?;
        self.lines.flush()
    }

    /// Prints an event if the filter accepts it.
    fn print_if_accepted(&mut self, at: Instant, event: &Event) -> Result<(), Failure> {
        let Self { lines, filter, .. } = self;
        let stamp = self.clock.stamp(at);
        match &mut self.text {
            Some(text) => {
                if text.record_and_check(event) {
                    lines.write_event(event, Some(&stamp))
                } else {
                    Ok(())
                }
            }
            None => filter.record(event, stamp, |passed| lines.write_passed(passed, true)),
        }
    }

    /// Returns the next item; `None` once all senders are dropped. If none is queued, flushes the output and blocks until one
    /// arrives.
    fn next_or_flush(&mut self) -> Result<Option<(Instant, PrintItem)>, Failure> {
        match self.items.try_recv() {
            Ok(item) => Ok(Some(item)),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => {
                self.lines.flush()?;
                Ok(self.items.blocking_recv())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitzer_core::EventReader;
    use kibitzer_core::event::Attribution;

    use super::*;
    use crate::console::tests::SharedOutput;

    #[test]
    fn lines_without_a_reply_are_printed_when_an_attached_session_goes_away() {
        let output = SharedOutput::default();
        let (sender, items) = mpsc::channel(UNPRINTED_EVENTS);
        let attribution = EventReader::default().note_sent_line(b"1 date", Attribution::default());
        let sent = Event::sent(Some("date".into()), attribution);
        sender.try_send((Instant::now(), PrintItem::Event(sent))).unwrap();
        drop(sender);
        let printing = PrintLoop {
            items,
            clock: SessionClock::new(Instant::now()),
            lines: EventWriter::jsonl_to(Box::new(output.clone())),
            filter: EventFilter::new(Expression::parse("unanswered").unwrap()),
            text: None,
        };
        printing.run().unwrap();
        let printed = String::from_utf8(output.0.take()).unwrap();
        assert!(printed.lines().count() == 1 && printed.contains(r#""line":"date""#), "{printed}");
    }
}
