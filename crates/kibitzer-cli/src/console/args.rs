//! `kibitzer console`: arguments, and the choice between the console and printed lines.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use kibitzer_attach::AttachAccess;

use super::app::{SettingsArgs, parse_profile_filters};
use super::{ConsoleOptions, SessionFeed, show_attached_session};
use crate::connect;
use crate::failure::{EXIT_STATUS, Failure};
use crate::live::{StopArgs, attach, check_attached_end, run, run_attached_session, runtime, start_and_expose_session};
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
    #[arg(long, value_name = "PATH", conflicts_with_all = ATTACH_CONFLICTS.iter().copied())]
    attach: Option<PathBuf>,
    /// Send typed lines on that session; its process must allow it
    #[arg(long, requires = "attach")]
    write: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Arguments that cannot be combined with `--attach`, because the other process has already set up the session.
const ATTACH_CONFLICTS: &[&str] = &[
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
    #[cfg(feature = "web")]
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
    /// Shows a session of this process, or with `--attach` one of another, in the console until the user quits. Prints the
    /// session as `kibitzer connect` does if no console can be opened. `plain` is the global option `--plain`.
    pub(crate) fn run(&self, plain: bool) -> Result<(), Failure> {
        let format = self.session.format.format();
        let is_plain = !can_open_console(plain, format, self.session.ending);
        if let Some(path) = &self.attach {
            return self.show_or_print_attached(path, is_plain);
        }
        if is_plain {
            return run(self.session.run_session(plain));
        }
        let settings = self.settings.load()?;
        let runtime = runtime()?;
        let metrics = runtime.block_on(self.session.metrics.bind_and_serve(format))?;
        let profile = runtime.block_on(self.session.load_profile())?;
        let options = ConsoleOptions {
            server: self.session.server.name(&profile),
            embedded_server: None,
            profile_filters: parse_profile_filters(&profile.program.filters).map_err(Failure::caused_by)?,
            filter: self.session.filter.expression.clone(),
            settings,
        };
        let (client, tap) = runtime.block_on(start_and_expose_session(profile, &options.server))?;
        metrics.add_session(&client);
        super::run(&runtime, &client, SessionFeed::Own(tap), options, async |closed| drop(closed.await))
    }

    /// Opens the console on the session that another process exposes on the socket `path`; with `is_plain`, prints its events
    /// instead.
    fn show_or_print_attached(&self, path: &Path, is_plain: bool) -> Result<(), Failure> {
        let filter = self.session.filter.expression.clone();
        let access = if self.write { AttachAccess::Write } else { AttachAccess::Read };
        if is_plain {
            let (format, ending) = (self.session.format, self.session.ending);
            return run(run_attached_session(path, access, format, filter, ending));
        }
        let settings = self.settings.load()?;
        let runtime = runtime()?;
        let session = runtime.block_on(attach(path, access))?;
        let server = session.server().to_owned();
        let outcome = show_attached_session(&runtime, session, access, filter, settings)?;
        check_attached_end(&server, outcome)
    }
}

/// Returns whether the console can be opened: standard input is a terminal, standard output one that can show a screen, the user
/// did not ask for plain lines, and the options are not those of scripts: JSON or a time limit.
pub(crate) fn can_open_console(plain: bool, format: LineFormat, ending: StopArgs) -> bool {
    can_draw_on_stdout(plain) && format == LineFormat::Text && ending.limit.is_none() && io::stdin().is_terminal()
}

/// Returns whether standard output is a terminal that can show a screen (`TERM` is not `dumb`), and the user did not ask for
/// plain lines.
pub(crate) fn can_draw_on_stdout(plain: bool) -> bool {
    !plain && io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}
