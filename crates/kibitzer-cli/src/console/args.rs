//! `kibitzer console`: a live session in the console.

use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use kibitzer::{Client, Tap};
use thiserror::Error;
use tokio::runtime::Runtime;

use super::{ConsoleError, ProfileFilters, Writing, attached, live};
use crate::connect;
use crate::failure::{EXIT_STATUS, FAILED, Failure};
use crate::live::{LiveError, attach, conclude, print_attached, report_recorded, run, runtime};

/// Look at a live session in the console: every event with its bytes, the boards, what was sent and what came back
///
/// What is typed is sent; / begins a command of the console, ? lists the keys. On a pipe, or with --plain, --json or --for, it is
/// `kibitzer connect`. With --attach, it shows the session of another process, such as a bot.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[command(flatten)]
    session: connect::Args,
    /// Print lines, and open no console [default on a pipe]
    #[arg(long)]
    plain: bool,
    /// Look at the session of another process of yours, which exposes it on this socket
    #[arg(long, value_name = "PATH", conflicts_with_all = NOT_ATTACHED)]
    attach: Option<PathBuf>,
    /// Send what is typed on that session; its process has to allow it
    #[arg(long, requires = "attach")]
    write: bool,
}

/// What has no meaning for a session that another process has.
const NOT_ATTACHED: [&str; 9] = [
    "server",
    "guest",
    "user",
    "password_command",
    "password_file",
    "no_reconnect",
    "record",
    "attach_socket",
    "attach_write",
];

const EXAMPLES: &str = "\
Examples:
  kibitzer console fics                       as a guest
  kibitzer console fics --user Newton         asks for the password
  kibitzer console localhost:5001 --record session.jsonl
  echo games | kibitzer console --json --for 5s fics   for programs
  kibitzer console --attach /run/user/1000/bot.sock    a running bot's session; --write lets it send
  kibitzer console --attach bot.sock --json | jq .event";

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
        let is_plain = self.plain || self.session.is_for_programs() || self.session.is_timed() || !is_on_terminal();
        if let Some(path) = &self.attach {
            return self.run_attached(path, is_plain);
        }
        if is_plain {
            return Ok(self.session.run()?);
        }
        let runtime = runtime()?;
        let profile = runtime.block_on(self.session.profile())?;
        let filters = ProfileFilters::of(&profile).map_err(ConsoleError::from)?;
        let (client, tap) = runtime.block_on(self.session.start_tapped(profile))?;
        show(&runtime, &client, tap, &self.session.server(), filters, pending())
    }
}

impl Args {
    /// Looks at the session of another process.
    fn run_attached(&self, path: &Path, is_plain: bool) -> Result<(), Error> {
        let writing = if self.write { Writing::Yes } else { Writing::No };
        if is_plain {
            return Ok(run(print_attached(path, writing, self.session.line_format(), self.session.ending()))?);
        }
        let runtime = runtime()?;
        let session = runtime.block_on(attach(path, writing))?;
        let server = session.server().to_owned();
        let seen = attached(&runtime, session, writing)?;
        Ok(LiveError::judge_attached(&server, seen)?)
    }
}

/// Whether there is somebody to look at a console, and to type.
pub(crate) fn is_on_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
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
    Ok(runtime.block_on(conclude(&server, client, Ok(()))).map(report_recorded)?)
}
