//! `kibitzer connect`: prints a live session as events, and sends lines of standard input.

use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use kibitzer::{Client, Profile};

use crate::arguments::FormatArgs;
use crate::console::{self, LineMode};
use crate::failure::{EXIT_STATUS, Failure};
use crate::filter::FilterArgs;
use crate::live::{
    EventPrinter, ExposureArgs, LineSender, LoginArgs, PrintedEvents, StopArgs, TARGET_HELP, Target, TypedInput,
    print_and_shut_down, report_recorded, send_typed_until_failure, spawn_program_input, start_unless_stopped,
    target_parser, wait_for_end,
};
use crate::metrics::MetricsArgs;
use crate::output::LineFormat;

/// Log in to a server, print its events and send typed lines
///
/// Each line of standard input is sent as a command; on a terminal it can be edited, with history and completion (Tab). With
/// --json, a line that begins with `{` is a request of a program, which gets one answer: see the page
/// "Programs in any language" (docs.rs/kibitzer, module guide). The session continues after the end of standard input, and
/// reconnects after a lost connection. It ends with `quit`, at Ctrl-C, or after the given time. A failure is reported in one line
/// on standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
#[group(id = "connection")]
pub(crate) struct Args {
    #[arg(value_name = "PROFILE|HOST[:PORT]", default_value = "demo", help = TARGET_HELP, value_parser = target_parser(), hide_possible_values = true)]
    pub(crate) server: Target,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Record the session in this new file, without names and passwords of the login
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    exposure: ExposureArgs,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) ending: StopArgs,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer connect fics                                   as a guest; look around, type quit
  kibitzer connect fics --user Newton                     asks for the password
  kibitzer connect icc --user Newton --password-command 'pass show icc'
  kibitzer connect fics --log debug --log-file fics.log   with a log of what the session does
  kibitzer connect my.toml --record session.jsonl         a session by a profile, recorded
  printf 'games\\nquit\\n' | kibitzer connect localhost:5000   a session from a script
  kibitzer connect --plain --boards never --times         for a screen reader
  kibitzer connect --for 10s --filter 'not (kind:prompt or kind:holding)'
  echo '{\"id\":1,\"command\":\"games\"}' | kibitzer connect --json --for 5s   a request with its answer, for programs
  kibitzer connect --json --for 10s | jq -r .event        ten seconds of `kibitzer serve`, for programs";

impl Args {
    /// Runs one session until it ends or the stop signal arrives: prints its events, and sends the lines of standard input. With
    /// `--json`, lines that begin with `{` are requests. `plain` turns the line editor off.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    pub(crate) async fn run_session(&self, plain: bool) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let format = self.format.format();
        let metrics = self.metrics.bind_and_serve(format).await?;
        let profile = async { Ok(self.load_profile().await?.redact_events()) };
        let Some(started) = start_unless_stopped(&self.server, profile, &mut ending).await? else { return Ok(()) };
        let (client, tap, server) = started;
        metrics.add_session(&client);
        let printed = PrintedEvents::accepted_by(self.filter.expression.clone(), self.format.text);
        let printer = EventPrinter::spawn_for_tap(&client, tap, format, printed, metrics.print_interval);
        let output = printer.sender().filter(|_| format == LineFormat::Jsonl);
        let (line_mode, input) = self.open_typed_input(plain, &client);
        let reading = async {
            match output {
                Some(output) => {
                    spawn_program_input(&client, input, output);
                    pending().await
                }
                None => send_typed_until_failure(LineSender::Own(client.clone()), input).await,
            }
        };
        let printed = print_and_shut_down(&client, printer, reading, &mut ending).await;
        drop(line_mode);
        wait_for_end(&server, &client, printed).await.map(report_recorded)
    }

    /// Returns the source of typed lines: the line editor if text is printed on a terminal and `plain` is not set, otherwise
    /// standard input. The editor restores the terminal when its [`LineMode`] is dropped.
    fn open_typed_input(&self, plain: bool, client: &Client) -> (Option<LineMode>, TypedInput) {
        let is_terminal = console::can_draw_on_stdout(plain) && io::stdin().is_terminal();
        let is_edited = self.format.format() == LineFormat::Text && is_terminal;
        // A terminal that cannot be used edits lines itself.
        match is_edited.then(|| LineMode::spawn(client)) {
            Some(Ok((line_mode, lines))) => (Some(line_mode), Box::new(lines)),
            Some(Err(_)) | None => (None, Box::new(tokio::io::stdin())),
        }
    }

    /// Loads the profile and applies the arguments for the login, the recording and the attach socket. Asks for a missing
    /// password on the terminal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the password prompt.
    pub(crate) async fn load_profile(&self) -> Result<Profile, Failure> {
        let mut profile = self.login.load_profile_and_ask_password(&self.server).await?;
        if let Some(path) = &self.record {
            profile = profile.record_file(path);
        }
        self.exposure.apply_to(&mut profile);
        Ok(profile)
    }
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::*;

    #[test]
    fn every_option_on_the_page_of_settings_exists() {
        let page = include_str!("../../kibitzer/docs/settings.md");
        let command = Args::augment_args(clap::Command::new("connect"));
        let words = page.split(|character: char| !character.is_ascii_alphanumeric() && character != '-');
        let options: Vec<_> =
            words.filter_map(|word| word.strip_prefix("--")).filter(|word| !word.starts_with('-')).collect();
        assert!(options.len() > 5, "{options:?}");
        for option in options {
            assert!(command.get_arguments().any(|argument| argument.get_long() == Some(option)), "--{option}");
        }
    }
}
