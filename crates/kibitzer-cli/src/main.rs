//! The command line of kibitzer.

mod arguments;
mod bot;
mod connect;
mod console;
mod decode;
mod demo;
mod diff;
mod failure;
mod fault;
mod filter;
mod live;
mod log;
mod manual;
mod metrics;
#[cfg(feature = "nats")]
mod nats;
mod output;
mod pgn;
mod record;
mod serve;
#[cfg(feature = "web")]
mod web;

use std::error::Error as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource::CommandLine;
use clap::{Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use failure::{EXIT_STATUS, Failure, USAGE};
use filter::FilterError;
use live::run;
use output::TerminalSafe;

/// A live, typed view of a session on an internet chess server (FICS, ICC and their relatives)
///
/// Without a command, it runs a demo, which needs no network: a guest logs in to a small chess server in this process and
/// observes three games. On a terminal they are shown in the console; elsewhere, or with --plain, --json or --for, they are
/// printed as lines.
#[derive(Parser)]
#[command(name = "kibitzer", version, after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"), override_usage = "kibitzer [OPTIONS]\n       kibitzer <COMMAND>")]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    demo: demo::Args,
    /// Print lines, and open no screen [default on a pipe]; for screen readers with --boards never
    #[arg(long, global = true)]
    plain: bool,
    #[command(flatten)]
    log: log::LogArgs,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer                                 the console on an embedded server
  kibitzer --plain                         the same without a screen, until Ctrl-C
  kibitzer --json --for 10s | jq .event    ten seconds of it, for programs
  kibitzer console fics                    a live session in the console
  kibitzer web                             the same in a browser
  kibitzer connect fics                    log in to a server by hand, as a guest
  kibitzer record fics session.jsonl       record a session
  kibitzer decode session.jsonl            print its events
  kibitzer diff session.jsonl other.jsonl  compare two recordings
  kibitzer replay session.jsonl            look at it in the console
  kibitzer pgn session.jsonl               print its games as PGN
  kibitzer serve                           the embedded server alone, to try a bot on
`kibitzer COMMAND --help` has more of each.";

#[derive(Subcommand)]
enum CliCommand {
    Console(console::Args),
    Connect(connect::Args),
    Record(record::Args),
    Decode(decode::Args),
    Diff(diff::Args),
    Replay(decode::ReplayArgs),
    Pgn(pgn::Args),
    #[cfg(feature = "web")]
    Web(web::Args),
    #[cfg(feature = "nats")]
    Publish(nats::publish::Args),
    #[cfg(feature = "nats")]
    Tail(nats::tail::Args),
    Serve(serve::Args),
    Bot(bot::Args),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let cli = match parse_arguments() {
        Ok(cli) => cli,
        Err(error) => return print_help_or_error(&error),
    };
    if let Err(failure) = cli.log.install_subscriber() {
        return failure.report();
    }
    let plain = cli.plain;
    let result = match cli.command {
        None => cli.demo.show_or_print(plain),
        Some(CliCommand::Console(args)) => args.run(plain),
        #[cfg(feature = "web")]
        Some(CliCommand::Web(args)) => args.show(),
        Some(CliCommand::Connect(args)) => run(args.run_session(plain)),
        Some(CliCommand::Record(args)) => run(args.record_until_end()),
        Some(CliCommand::Decode(args)) => args.decode_input(),
        Some(CliCommand::Diff(args)) => args.compare(),
        Some(CliCommand::Replay(args)) => args.replay_recording(plain),
        Some(CliCommand::Pgn(args)) => args.write_games(),
        #[cfg(feature = "nats")]
        Some(CliCommand::Publish(args)) => run(args.publish_source()),
        #[cfg(feature = "nats")]
        Some(CliCommand::Tail(args)) => run(args.print_until_stopped()),
        Some(CliCommand::Serve(args)) => run(args.run_server()),
        Some(CliCommand::Bot(args)) => args.play_or_check(plain),
        Some(CliCommand::Completions(args)) => args.print_script(),
        Some(CliCommand::Man(args)) => args.print_page(),
    };
    let logged = log::wait_for_queued_lines().map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS);
    result.map_or_else(|failure| failure.report(), |()| logged)
}

/// Parses the arguments of the process. Only options that all commands share may stand before a command.
///
/// # Errors
///
/// [`clap::Error`] if the arguments are not valid, ask for help or the version, or have an option of the demo before a command.
fn parse_arguments() -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches()?;
    let demo = demo::Args::augment_args(clap::Command::new("demo"));
    let is_given = |argument: &&clap::Arg| matches.value_source(argument.get_id().as_str()) == Some(CommandLine);
    let given = demo.get_arguments().find(is_given).and_then(clap::Arg::get_long);
    if let (Some(command), Some(option)) = (matches.subcommand_name(), given) {
        let message = format!("the subcommand '{command}' cannot be used with '--{option}' before it");
        return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
    }
    Cli::from_arg_matches(&matches)
}

/// Prints the requested help or version on standard output and returns success. Otherwise reports the invalid arguments in one
/// line on standard error, followed by the place of the error if a filter expression is not valid, and returns [`USAGE`].
fn print_help_or_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let rendered = error.to_string();
    // The first paragraph says what is wrong; tips and the usage follow.
    let (reason, rest) = rendered.split_once("\n\n").unwrap_or((&rendered, ""));
    let similar = rest.lines().filter_map(|line| line.trim_start().strip_prefix("tip: "));
    let similar = similar.filter(|tip| tip.contains("similar")).fold(String::new(), |tips, tip| tips + "; " + tip);
    let words = reason.split_whitespace().skip_while(|&word| word == "error:").collect::<Vec<_>>();
    let status = Failure::new(USAGE, format!("{}{similar} (try --help)", words.join(" "))).report();
    if let Some(error) = error.source().and_then(|source| source.downcast_ref::<FilterError>()) {
        for line in error.excerpt() {
            let _ = writeln!(io::stderr(), "  {}", TerminalSafe(&line));
        }
    }
    status
}
