//! `kibitzer record`: records a session in a file.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::ProgressBar;
use kibitzer::Client;
use tokio::time::sleep;

use crate::failure::{EXIT_STATUS, Failure};
use crate::live::{
    LineSender, LoginArgs, StopArgs, StopSignal, TARGET_HELP, Target, recorded_amount, send_typed_until_failure,
    start_unless_stopped, target_parser, wait_for_end,
};
use crate::metrics::MetricsAddress;

/// Record a session in a file, for `kibitzer decode` and for tests
///
/// Records everything that both sides send, with times, except for names and passwords of the login. Each line of standard input
/// is sent as a command. A terminal shows the size of the recording. The session ends as that of `kibitzer connect` does, and
/// when the file cannot be written any more.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"), allow_missing_positional = true)]
pub(crate) struct Args {
    #[arg(value_name = "PROFILE|HOST[:PORT]", default_value = "demo", help = TARGET_HELP, value_parser = target_parser(), hide_possible_values = true)]
    server: Target,
    /// The recording, a new file that only its owner can read: JSON Lines with a time, a direction and bytes
    #[arg(required = true)]
    file: PathBuf,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    metrics: MetricsAddress,
    #[command(flatten)]
    ending: StopArgs,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer record fics session.jsonl                    as a guest, until Ctrl-C
  echo 'observe 12' | kibitzer record --for 10m localhost:5000 game.jsonl
  kibitzer decode --format text session.jsonl           print its events";

/// Interval at which the displayed size of the recording is updated.
const COUNT_INTERVAL: Duration = Duration::from_millis(250);

impl Args {
    /// Records one session until it ends, the stop signal arrives, or writing to the file fails. Then prints the recorded amount
    /// on standard output.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    pub(crate) async fn record_until_end(&self) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let metrics = self.metrics.bind_and_serve().await?;
        let profile =
            async { Ok(self.login.load_profile_and_ask_password(&self.server).await?.record_file(&self.file)) };
        // Without a reader, the tap does not hold up the session.
        let Some((client, _, server)) = start_unless_stopped(&self.server, profile, &mut ending).await? else {
            return Ok(());
        };
        metrics.add_session(&client);
        let watched = send_typed_and_show_progress(&client, &mut ending).await;
        client.shutdown().await;
        let recorded = wait_for_end(&server, &client, watched).await?.unwrap_or_default();
        writeln!(io::stdout(), "{recorded}").map_err(Failure::stdout)
    }
}

/// Sends lines of standard input, and shows the size of the recording on a terminal, until the session ends, the recording fails,
/// or the stop signal arrives. Does not end the session.
///
/// # Errors
///
/// [`Failure`] if a line of standard input is too long.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
async fn send_typed_and_show_progress(client: &Client, ending: &mut StopSignal) -> Result<(), Failure> {
    // Draws only if standard error is a terminal.
    let bar = ProgressBar::new_spinner();
    let show = async {
        loop {
            if let Some(recording) = client.recording() {
                bar.set_message(recorded_amount(&recording));
            }
            bar.tick();
            sleep(COUNT_INTERVAL).await;
        }
    };
    let watched = tokio::select! {
        _ = client.ended() => Ok(()),
        _ = client.recording_failed() => Ok(()),
        failure = send_typed_until_failure(LineSender::Own(client.clone()), tokio::io::stdin()) => Err(failure),
        () = show => Ok(()),
        () = ending.wait() => Ok(()),
    };
    bar.finish_and_clear();
    watched
}
