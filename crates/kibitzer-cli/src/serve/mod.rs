//! `kibitzer serve`: runs the embedded server for other programs.

mod fault;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kibitzer_server::{Accounts, AccountsError, ControlError, Family, Server, ServerOptions, Target};
use thiserror::Error;

use crate::arguments::PopulationArgs;
use crate::failure::Failure;
use crate::live::{StopArgs, run};
use crate::output::WriteError;
use fault::ScheduledFault;
use kibitzer::core::text::error_chain;

/// Run a small chess server on this machine, to try a client or a bot on
///
/// It speaks as FICS does, or in the manner of ICC, and simulated players play, talk and look for games there; Whetstone accepts any match. Prints
/// its address in one line and runs until Ctrl-C. Other machines cannot reach it unless that is allowed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The TCP port to listen on; 0: any that is free
    #[arg(long, value_name = "N", default_value_t = 5000)]
    port: u16,
    /// The family of servers it speaks like
    #[arg(long, value_enum, value_name = "FAMILY", default_value_t = FamilyArg(Family::Fics))]
    family: FamilyArg,
    #[command(flatten)]
    population: PopulationArgs,
    /// Nobody is there but who connects
    #[arg(long)]
    no_population: bool,
    /// The registered players, in TOML; without it all are guests
    #[arg(long, value_name = "FILE", long_help = ACCOUNTS_HELP)]
    accounts: Option<PathBuf>,
    /// Let other machines connect as well
    #[arg(long)]
    allow_remote: bool,
    /// Let something go wrong with the next connection; may be given again
    #[arg(long = "fault", value_name = "FAULT[@POINT]", long_help = fault::HELP)]
    faults: Vec<ScheduledFault>,
    #[command(flatten)]
    ending: StopArgs,
}

#[derive(Clone, Copy, Debug)]
struct FamilyArg(Family);

impl ValueEnum for FamilyArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(Family::Fics), Self(Family::Icc)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()))
    }
}

const ACCOUNTS_HELP: &str = "\
The registered players, in TOML; without it all are guests:
  [[account]]
  handle = \"Newton\"
  password = \"apple\"
  titles = [\"GM\"]            # may be left out
  ratings = { blitz = 2100 } # may be left out";

const EXAMPLES: &str = "\
Examples:
  kibitzer serve                                  then, elsewhere: kibitzer connect
  kibitzer serve --port 0 --speed 10 --seed 7     any free port, ten times as lively, another crowd
  kibitzer serve --fault cut@next-board           the next client loses its connection in the middle of a board
  kibitzer serve --no-population --accounts accounts.toml --for 10m";

/// Failure of `kibitzer serve`.
#[derive(Debug, Error)]
pub(crate) enum ServeError {
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("{path}: {}", error_chain(.source), path = .path.display())]
    Accounts { path: PathBuf, source: AccountsError },
    #[error("{0}")]
    Control(#[from] ControlError),
    #[error("{0}")]
    Write(#[from] WriteError),
}

impl Failure for ServeError {}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), ServeError> {
        run(self.serve())
    }

    /// Runs the server until the stop signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server.
    async fn serve(&self) -> Result<(), ServeError> {
        let mut ending = self.ending.begin()?;
        let address = self.address();
        let server = Server::start(self.options()?).await.map_err(|source| ServeError::Listen { address, source })?;
        for trouble in &self.faults {
            server.control().inject(Target::Next, trouble.at, trouble.fault).await?;
        }
        announce(server.address().unwrap_or(address))?;
        ending.wait().await;
        server.shutdown().await;
        Ok(())
    }

    fn address(&self) -> SocketAddr {
        let host = if self.allow_remote { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        (host, self.port).into()
    }

    fn options(&self) -> Result<ServerOptions, ServeError> {
        let mut options =
            ServerOptions::new().address(self.address()).seed(self.population.seed()).family(self.family.0);
        if self.allow_remote {
            options = options.allow_remote();
        }
        if !self.no_population {
            options = options.population(self.population.options());
        }
        if let Some(path) = &self.accounts {
            let accounts = Accounts::load(path, self.family.0)
                .map_err(|source| ServeError::Accounts { path: path.clone(), source })?;
            options = options.accounts(accounts);
        }
        Ok(options)
    }
}

/// Prints the address of the server on standard output.
fn announce(address: SocketAddr) -> Result<(), WriteError> {
    let mut out = io::stdout().lock();
    writeln!(out, "{address}").and_then(|()| out.flush()).map_err(WriteError::from)
}
