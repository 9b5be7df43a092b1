//! `kibitzer console`: a live session in the console.

use std::future::pending;
use std::io::{self, IsTerminal as _};

use kibitzer::{Client, Tap};
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};

use super::{ConsoleError, ProfileFilters, live};
use crate::connect;
use crate::failure::{EXIT_STATUS, FAILED, Failure};
use crate::live::LiveError;

/// Look at a live session in the console: every event with its bytes, the boards, what was sent and what came back
///
/// What is typed is sent; / begins a command of the console, ? lists the keys. On a pipe, or with --plain, --json or --for, it is
/// `kibitzer connect`.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[command(flatten)]
    session: connect::Args,
    /// Print lines, and open no console [default on a pipe]
    #[arg(long)]
    plain: bool,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer console fics                       as a guest
  kibitzer console fics --user Newton         asks for the password
  kibitzer console localhost:5001 --record session.jsonl
  echo games | kibitzer console --json --for 5s fics   for programs";

/// Why the console ended.
#[derive(Debug, Error)]
pub(crate) enum Error {
    // Transparent, so that what lies behind it is found where it is looked for.
    #[error(transparent)]
    Live(#[from] LiveError),
    #[error("{0}")]
    Console(#[from] ConsoleError),
}

impl Failure for Error {
    fn status(&self) -> u8 {
        match self {
            Self::Live(error) => error.status(),
            Self::Console(_) => FAILED,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Live(error.into())
    }
}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), Error> {
        // Who says when it is to end does not look on.
        if self.plain || self.session.is_for_programs() || self.session.is_timed() || !is_on_terminal() {
            return Ok(self.session.run()?);
        }
        let runtime = runtime()?;
        let profile = runtime.block_on(self.session.profile())?;
        let filters = ProfileFilters::of(&profile).map_err(ConsoleError::from)?;
        let (client, tap) = runtime.block_on(self.session.start_tapped(profile))?;
        show(&runtime, &client, tap, &self.session.server(), filters, pending())
    }
}

/// Whether there is somebody to look at a console, and to type.
pub(crate) fn is_on_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// What runs the session while this thread draws.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Shows a session, and ends it when somebody leaves. `beside` is run as long as it is shown.
///
/// # Errors
///
/// The terminal fails, or the session has.
pub(crate) fn show(
    runtime: &Runtime,
    client: &Client,
    tap: Tap,
    server: &str,
    filters: ProfileFilters,
    beside: impl Future<Output = ()> + Send,
) -> Result<(), Error> {
    live(runtime, client.clone(), tap, server.to_owned(), filters, beside)?;
    Ok(LiveError::judge(&server, runtime.block_on(client.ended()))?)
}
