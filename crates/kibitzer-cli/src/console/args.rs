//! `kibitzer console`: arguments, and the choice between the console and printed lines.

use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use kibitzer::{Client, Tap};
use kibitzer_attach::AttachAccess;
use thiserror::Error;
use tokio::runtime::Runtime;

use super::{ConsoleError, ProfileFilters, show_attached, show_live};
use crate::connect;
use crate::failure::{EXIT_STATUS, FAILED, Failure};
use crate::live::{SessionError, attach, print_attached, report_recorded, run, runtime, wait_for_end};

/// Show a live session in the console: every event with its bytes, the boards, sent lines and their replies
///
/// Typed lines are sent to the server; / starts a command of the console, ? lists the keys. On a pipe, or with --plain, --json or
/// --for, it behaves like `kibitzer connect`. With --attach, it shows the session of another process, such as a bot.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[command(flatten)]
    session: connect::Args,
    /// Print lines instead of opening the console [default on a pipe]
    #[arg(long)]
    plain: bool,
    /// Show the session that another process of the same user exposes on this socket
    #[arg(long, value_name = "PATH", conflicts_with_all = ATTACH_CONFLICTS)]
    attach: Option<PathBuf>,
    /// Send typed lines on that session; its process must allow it
    #[arg(long, requires = "attach")]
    write: bool,
}

/// Arguments that cannot be combined with `--attach`, because the other process has already set up the session.
const ATTACH_CONFLICTS: [&str; 9] = [
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

/// Failure of `kibitzer console`.
#[derive(Debug, Error)]
pub(crate) enum Error {
    // Transparent: `main` searches the sources for a closed pipe.
    #[error(transparent)]
    Live(#[from] SessionError),
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
        // A time limit is for scripts.
        let is_plain =
            self.plain || self.session.is_for_programs() || self.session.has_time_limit() || !is_on_terminal();
        if let Some(path) = &self.attach {
            return self.run_attached(path, is_plain);
        }
        if is_plain {
            return Ok(self.session.run()?);
        }
        let runtime = runtime()?;
        let profile = runtime.block_on(self.session.profile())?;
        let filters = ProfileFilters::from_profile(&profile).map_err(ConsoleError::from)?;
        let (client, tap) = runtime.block_on(self.session.start_tapped(profile))?;
        run_session(&runtime, &client, tap, &self.session.server(), filters, pending())
    }

    /// Shows or prints the session of another process.
    fn run_attached(&self, path: &Path, is_plain: bool) -> Result<(), Error> {
        let access = if self.write { AttachAccess::Write } else { AttachAccess::Read };
        if is_plain {
            return Ok(run(print_attached(path, access, self.session.line_format(), self.session.ending()))?);
        }
        let runtime = runtime()?;
        let session = runtime.block_on(attach(path, access))?;
        let server = session.server().to_owned();
        let outcome = show_attached(&runtime, session, access)?;
        Ok(SessionError::check_attached_end(&server, outcome)?)
    }
}

/// Returns whether standard input and output are terminals.
pub(crate) fn is_on_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// Shows a session in the console, shuts it down when the user quits, and reports its recording.
///
/// `companion` runs as long as the session is shown.
///
/// # Errors
///
/// Fails if the terminal or the session failed.
pub(crate) fn run_session(
    runtime: &Runtime,
    client: &Client,
    tap: Tap,
    server: &str,
    filters: ProfileFilters,
    companion: impl Future<Output = ()> + Send,
) -> Result<(), Error> {
    show_live(runtime, client.clone(), tap, server.to_owned(), filters, companion)?;
    Ok(runtime.block_on(wait_for_end(&server, client, Ok(()))).map(report_recorded)?)
}
