//! Prints the results of a bot: at `SIGUSR1`, and at the end.

use std::io::{self, Write as _};

use kibitzer::internal::recorded::SessionClock;
use kibitzer_bot::{Bot, StartEngine, Statistics};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::failure::Failure;
use crate::output::{EventWriter, LineFormat, TerminalSafe, json_object};

/// Prints the results of a bot on standard output.
#[derive(Clone, Debug)]
pub(super) struct ResultPrinter {
    results: watch::Receiver<Statistics>,
    format: LineFormat,
    clock: SessionClock,
    output: Visibility,
}

/// Whether the results are printed at a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    Shown,
    /// The console fills the terminal.
    Hidden,
}

impl ResultPrinter {
    /// Creates a printer of the results of `bot`. JSON has the time of `clock`.
    pub(super) fn new<S: StartEngine>(bot: &Bot<S>, format: LineFormat, clock: SessionClock) -> Self {
        Self { results: bot.statistics(), format, clock, output: Visibility::Shown }
    }

    /// Returns a printer that prints nothing at a signal, which would end the program if nothing waited for it.
    pub(super) fn hidden(&self) -> Self {
        Self { output: Visibility::Hidden, ..self.clone() }
    }

    /// Prints the results, if a game is over.
    pub(super) fn print_at_end(&self) -> Result<(), Failure> {
        if self.results.borrow().is_empty() { Ok(()) } else { self.print() }
    }

    /// Prints the results: as text with a line for each group, as JSON as an event.
    fn print(&self) -> Result<(), Failure> {
        // Copied, as a game that ends would wait for the output.
        let results = self.results.borrow().clone();
        if self.format == LineFormat::Jsonl {
            let mut lines = EventWriter::new(LineFormat::Jsonl);
            lines.write_own_event_if_json("statistics", &self.clock.stamp(Instant::now()), &json_object(&results))?;
            return lines.finish();
        }
        let (text, mut out) = (results.to_string(), io::stdout().lock());
        text.lines().try_for_each(|line| writeln!(out, "{}", TerminalSafe(line))).map_err(Failure::stdout)
    }

    /// Prints the results at each `SIGUSR1`. Returns only if printing fails; never on systems without this signal.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[cfg_attr(not(unix), expect(clippy::unused_self, reason = "there is no such signal"))]
    pub(super) async fn print_at_signals(&self) -> Failure {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut signals = match signal(SignalKind::user_defined1()) {
                Ok(signals) => signals,
                Err(error) => return Failure::caused_by(error),
            };
            while signals.recv().await.is_some() {
                if self.output == Visibility::Shown
                    && let Err(failure) = self.print()
                {
                    return failure;
                }
            }
        }
        std::future::pending().await
    }
}
