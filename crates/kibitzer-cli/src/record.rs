//! `kibitzer record`: a session into a file.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar};
use kibitzer::{Client, ClientCounters};
use thiserror::Error;
use tokio::time::{MissedTickBehavior, interval};

use crate::failure::{EXIT_STATUS, FAILED, Failure};
use crate::live::{Ending, EndingArgs, LiveError, LoginArgs, TARGET_HELP, Target, run, send_typed};
use crate::output::WriteError;

/// Record a session in a file, for `kibitzer decode` and for tests
///
/// All that both sides send, with times, without names and passwords of the login. Each line of standard input is sent as a
/// command. How much there is already is shown on a terminal. It ends as `kibitzer connect` does.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"), allow_missing_positional = true)]
pub(crate) struct Args {
    #[arg(value_name = "PROFILE|HOST[:PORT]", default_value = "demo", help = TARGET_HELP)]
    server: Target,
    /// The recording, a new file that only its owner can read: JSON Lines with a time, a direction and bytes
    #[arg(required = true)]
    file: PathBuf,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    ending: EndingArgs,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer record fics session.jsonl                    as a guest, until Ctrl-C
  echo 'observe 12' | kibitzer record --for 10m localhost:5000 game.jsonl
  kibitzer decode --format text session.jsonl           what is in it";

/// How often the count is shown anew.
const COUNT_INTERVAL: Duration = Duration::from_millis(250);

/// Why there is no recording, or not a whole one.
#[derive(Debug, Error)]
pub(crate) enum RecordingError {
    // Transparent, so that what lies behind it is found where it is looked for.
    #[error(transparent)]
    Live(#[from] LiveError),
    #[error("{0} pieces are missing in {1}: it could not be written")]
    Incomplete(u64, PathBuf),
}

impl Failure for RecordingError {
    fn status(&self) -> u8 {
        match self {
            Self::Live(error) => error.status(),
            Self::Incomplete(..) => FAILED,
        }
    }
}

impl From<io::Error> for RecordingError {
    fn from(error: io::Error) -> Self {
        Self::Live(error.into())
    }
}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), RecordingError> {
        run(self.record())
    }

    /// One session, from the connection to its end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    async fn record(&self) -> Result<(), RecordingError> {
        let mut ending = self.ending.begin()?;
        let Some(started) = ending.or(self.start()).await else { return Ok(()) };
        let client = started?;
        let watched = watch(&client, &mut ending).await;
        client.shutdown().await;
        watched?;
        let counters = client.counters();
        LiveError::judge(&self.server, client.ended().await)?;
        if counters.unrecorded_pieces > 0 {
            return Err(RecordingError::Incomplete(counters.unrecorded_pieces, self.file.clone()));
        }
        Ok(self.tell(counters)?)
    }

    /// Begins to connect.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing; the file may have been made.
    async fn start(&self) -> Result<Client, LiveError> {
        let profile = self.login.apply(self.server.profile()?).await?.record_file(&self.file);
        let started = Client::start(profile, |_| ()).await;
        let (client, ()) = started.map_err(|source| LiveError::Connect { server: self.server.to_string(), source })?;
        Ok(client)
    }

    fn tell(&self, counters: ClientCounters) -> Result<(), LiveError> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", self.file.display(), count(counters)).map_err(WriteError::from)?;
        Ok(())
    }
}

/// Shows how much there is until the session is over, or it is time to end.
///
/// # Errors
///
/// [`LiveError::Input`]: a typed line is too long.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
async fn watch(client: &Client, ending: &mut Ending) -> Result<(), LiveError> {
    // It draws nothing where standard error is no terminal.
    let bar = ProgressBar::new_spinner();
    let mut ticks = interval(COUNT_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let show = async {
        loop {
            ticks.tick().await;
            bar.set_message(count(client.counters()));
            bar.tick();
        }
    };
    let watched = tokio::select! {
        _ = client.ended() => Ok(()),
        error = send_typed(client) => Err(error.into()),
        () = show => Ok(()),
        () = ending.wait() => Ok(()),
    };
    bar.finish_and_clear();
    watched
}

fn count(counters: ClientCounters) -> String {
    let session = counters.session;
    let [received, sent] = [session.bytes_received, session.bytes_sent].map(HumanBytes);
    format!("{} events, {received} received, {sent} sent", session.events)
}
