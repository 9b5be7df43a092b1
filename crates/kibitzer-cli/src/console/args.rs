//! `kibitzer console`: arguments, and the choice between the console and printed lines.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use kibitzer_attach::AttachAccess;

use super::input::profile_filters;
use super::{SessionFeed, run_session, show_attached};
use crate::connect;
use crate::failure::{EXIT_STATUS, Failure};
use crate::live::{StopArgs, attach, check_attached_end, print_attached, run, runtime, start_session};
use crate::output::LineFormat;

/// Show a live session in the console: every event with its bytes, the boards, sent lines and their replies
///
/// Typed lines are sent to the server; / starts a command of the console, ? lists the keys. On a pipe, or with --plain, --json or
/// --for, it behaves like `kibitzer connect`. With --attach, it shows the session of another process, such as a bot.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[command(flatten)]
    session: connect::Args,
    /// Show the session that another process of the same user exposes on this socket
    #[arg(long, value_name = "PATH", conflicts_with_all = ATTACH_CONFLICTS)]
    attach: Option<PathBuf>,
    /// Send typed lines on that session; its process must allow it
    #[arg(long, requires = "attach")]
    write: bool,
}

/// Arguments that cannot be combined with `--attach`, because the other process has already set up the session.
const ATTACH_CONFLICTS: [&str; 11] = [
    "server",
    "guest",
    "user",
    "password_command",
    "password_file",
    "no_reconnect",
    "record",
    "attach_socket",
    "attach_write",
    "metrics_every",
    "metrics",
];

const EXAMPLES: &str = "\
Examples:
  kibitzer console fics                       as a guest
  kibitzer console fics --user Newton         asks for the password
  kibitzer console wss://www.freechess.org:5001        over WebSocket with TLS
  kibitzer console localhost:5001 --record session.jsonl
  echo games | kibitzer console --json --for 5s fics   for programs
  kibitzer console --attach /run/user/1000/bot.sock    a running bot's session; --write lets it send
  kibitzer console --attach bot.sock --json | jq .event";

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self, plain: bool) -> Result<(), Failure> {
        let format = self.session.format.format();
        let is_plain = !can_open_console(plain, format, self.session.ending);
        if let Some(path) = &self.attach {
            return self.run_attached(path, is_plain);
        }
        if is_plain {
            return self.session.run(plain);
        }
        self.session.metrics.interval(format)?;
        let runtime = runtime()?;
        let metrics = runtime.block_on(self.session.metrics.address.serve())?;
        let profile = runtime.block_on(self.session.profile())?;
        let filters = profile_filters(&profile).map_err(Failure::local)?;
        let server = self.session.server_name(&profile);
        let (client, tap) = runtime.block_on(start_session(profile, &server))?;
        metrics.add(&client);
        let filter = self.session.filter.expression.clone();
        let until_closed = async |closed| drop(closed.await);
        run_session(&runtime, &client, SessionFeed::Own(tap), (&server, None), filters, filter, until_closed)
    }

    /// Shows or prints the session of another process.
    fn run_attached(&self, path: &Path, is_plain: bool) -> Result<(), Failure> {
        let filter = self.session.filter.expression.clone();
        let access = if self.write { AttachAccess::Write } else { AttachAccess::Read };
        if is_plain {
            let (format, ending) = (self.session.format.format(), self.session.ending);
            return run(print_attached(path, access, format, filter, ending));
        }
        let runtime = runtime()?;
        let session = runtime.block_on(attach(path, access))?;
        let server = session.server().to_owned();
        let outcome = show_attached(&runtime, session, access, filter)?;
        check_attached_end(&server, outcome)
    }
}

/// Returns whether a console can be opened: on a terminal, for text without a time limit, as JSON and limits are for scripts.
pub(crate) fn can_open_console(plain: bool, format: LineFormat, ending: StopArgs) -> bool {
    has_screen(plain) && format == LineFormat::Text && ending.limit.is_none() && io::stdin().is_terminal()
}

/// Returns whether standard output is a terminal that can show a screen, and the user wants one.
pub(crate) fn has_screen(plain: bool) -> bool {
    !plain && io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}
