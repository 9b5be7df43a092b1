//! The command line of kibitzer.

mod chain;
mod connect;
mod console;
mod decode;
mod output;
mod replay;
mod server;
mod timeseal;

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use output::{Shown, WriteError};

/// A live, typed view of a session on an internet chess server (FICS, ICC and their relatives).
#[derive(Debug, Parser)]
#[command(name = "kibitzer", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer decode session.raw            read a log of a session
  kibitzer decode --help                 what else it can do with it
  kibitzer replay session.jsonl          look at a recorded session in the console
  kibitzer connect localhost:5000        log in to a server by hand";

#[derive(Debug, Subcommand)]
enum Command {
    Connect(connect::Args),
    Decode(decode::Args),
    Replay(replay::Args),
}

fn main() -> ExitCode {
    match Cli::try_parse().map(|cli| cli.command) {
        Ok(Some(Command::Connect(args))) => exit(args.run()),
        Ok(Some(Command::Decode(args))) => exit(args.run()),
        Ok(Some(Command::Replay(args))) => exit(args.run()),
        Ok(None) => print_help(),
        Err(error) => refuse(&error),
    }
}

fn print_help() -> ExitCode {
    // Nothing is left to tell if the help cannot be printed.
    let _ = Cli::command().print_help();
    ExitCode::SUCCESS
}

/// Prints the help that was asked for, or tells in one line what is wrong with the arguments.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let rendered = error.to_string();
    // The first paragraph says what is wrong; tips and the usage follow.
    let (reason, _) = rendered.split_once("\n\n").unwrap_or((&rendered, ""));
    let words = reason.split_whitespace().skip_while(|&word| word == "error:").collect::<Vec<_>>();
    tell(&format!("{} (try --help)", words.join(" ")));
    ExitCode::from(2)
}

/// Tells in one line why a command failed. That nobody wants to read more of it is no failure.
fn exit(result: Result<(), impl Error>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if error.source().and_then(|source| source.downcast_ref()).is_some_and(WriteError::is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    tell(&error.to_string());
    ExitCode::FAILURE
}

fn tell(message: &str) {
    // Without standard error the exit status has to do.
    let _ = writeln!(io::stderr(), "kibitzer: {}", Shown(message));
}
