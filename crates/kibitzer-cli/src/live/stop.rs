//! Ends of commands with a session: after a time, at a signal, and what was recorded.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use indicatif::HumanBytes;
use kibitzer::Client;
use kibitzer::transcript::Recording;
use tokio::time::{Sleep, sleep};

use super::check_end;
use crate::arguments::parse_duration;
use crate::failure::{Failure, report};

/// Arguments that limit the duration of a command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct StopArgs {
    /// End after this time, such as 500ms, 10s or 2m [default: at Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub(crate) limit: Option<Duration>,
}

/// Waits for Ctrl-C, SIGTERM, the loss of the terminal (SIGHUP), or the deadline. Outside Unix, only for Ctrl-C or the deadline.
#[derive(Debug)]
pub(crate) struct StopSignal {
    signals: Signals,
    /// Completes at the deadline; far in the future without one.
    time_is_up: Pin<Box<Sleep>>,
}

impl StopArgs {
    /// Registers the signal handlers, and starts the time limit, if there is one.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if a signal handler cannot be registered.
    pub(crate) fn begin(self) -> io::Result<StopSignal> {
        let time_is_up = Box::pin(sleep(self.limit.unwrap_or(Duration::MAX)));
        Ok(StopSignal { signals: Signals::new()?, time_is_up })
    }
}

impl StopSignal {
    /// Waits for a signal or the deadline. Once a call has returned, later calls wait for a signal only.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            () = self.signals.wait() => {}
            () = &mut self.time_is_up => {}
        }
        self.time_is_up = Box::pin(sleep(Duration::MAX));
    }

    /// Returns the result of a future; drops the future and returns `None` at a signal or the deadline, as [`wait`](Self::wait)
    /// does.
    ///
    /// # Cancel safety
    ///
    /// As safe as the future, which is dropped with this one or on a signal.
    pub(crate) async fn unless_stopped<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            outcome = future => Some(outcome),
            () = self.wait() => None,
        }
    }
}

/// Signals that stop a command.
#[cfg(unix)]
#[derive(Debug)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        kinds.into_iter().map(signal).collect::<io::Result<_>>().map(Self)
    }

    /// Waits for the next signal.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a signal is reported by the next call.
    async fn wait(&mut self) {
        use std::future::poll_fn;
        use std::task::Poll;
        poll_fn(|context| {
            let has_arrived = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if has_arrived { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Stands for Ctrl-C, the only signal outside Unix.
#[cfg(not(unix))]
#[derive(Debug)]
struct Signals(());

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    const fn new() -> io::Result<Self> {
        Ok(Self(()))
    }

    /// Waits for Ctrl-C; forever if its handler cannot be registered.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn wait(&mut self) {
        // Without a signal handler, only the time limit ends the command.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

/// Reports on standard error in which file the session is recorded. Does nothing without a recording.
pub(super) fn announce_recording(client: &Client) {
    if let Some(recording) = client.recording() {
        report(&format!("recording in {}", recording.path.display()));
    }
}

/// Waits until the recording of a session fails, and reports that at once on standard error. Never completes.
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
pub(super) async fn report_failed_recording(client: &Client) -> Infallible {
    report(&recording_failure_text(&client.recording_failed().await));
    pending().await
}

/// Waits for the end of a session, and returns a text with its recording's path and size; `None` without a recording. `so_far` is
/// the result of the command until now.
///
/// # Errors
///
/// [`Failure`] if a piece is missing from the recording, else the one in `so_far`, else that of [`check_end`].
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
pub(crate) async fn wait_for_end(
    server: &str,
    client: &Client,
    so_far: Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let ended = check_end(server, client.ended().await);
    let outcome = so_far.and(ended);
    let Some(recording) = client.recording() else { return outcome.map(|()| None) };
    let pieces = client.counters().unrecorded_pieces;
    if pieces > 0 {
        if let Err(error) = outcome {
            error.report();
        }
        let rest = match recording.error {
            Some(_) => recording_failure_text(&recording),
            None => format!("{} has {}", recording.path.display(), recorded_amount(&recording)),
        };
        return Err(Failure::local(format!("up to {pieces} pieces of the session are not recorded; {rest}")));
    }
    let amount = match recording.pieces {
        0 => "nothing came, so there is no file".to_owned(),
        _ => recorded_amount(&recording),
    };
    outcome.map(|()| Some(format!("{}: {amount}", recording.path.display())))
}

/// Prints the text of [`wait_for_end`] about the recording on standard error; nothing for `None`.
pub(crate) fn report_recorded(recorded: Option<String>) {
    if let Some(recorded) = recorded {
        report(&recorded);
    }
}

/// Returns the number and size of the recorded pieces, such as `12 pieces, 3.40 KiB`.
pub(crate) fn recorded_amount(recording: &Recording) -> String {
    match recording.pieces {
        1 => format!("1 piece, {}", HumanBytes(recording.bytes)),
        pieces => format!("{pieces} pieces, {}", HumanBytes(recording.bytes)),
    }
}

/// Returns the message `recording in PATH failed: REASON`.
pub(crate) fn recording_failure_text(recording: &Recording) -> String {
    let path = recording.path.display();
    let reason = recording.error.as_deref().map_or_else(String::new, io::Error::to_string);
    format!("recording in {path} failed: {reason}")
}
