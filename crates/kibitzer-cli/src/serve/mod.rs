//! `kibitzer serve`: runs the embedded server for other programs.

mod fault;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kibitzer_server::{Account, ConnectionTarget, Family, Server, ServerOptions};

use crate::arguments::PopulationArgs;
use crate::failure::Failure;
use crate::live::{StopArgs, run};
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
    #[arg(long, value_name = "FAMILY", value_parser = family_parser(), default_value = "fics")]
    family: Family,
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

fn family_parser() -> impl TypedValueParser<Value = Family> {
    PossibleValuesParser::new(["fics", "icc"]).map(|name| if name == "icc" { Family::Icc } else { Family::Fics })
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

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        run(self.serve())
    }

    /// Runs the server until the stop signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server.
    async fn serve(&self) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let address = self.address();
        let cannot_listen = |error| Failure::local(format!("cannot listen on {address}: {error}"));
        let server = Server::start(self.options()?).await.map_err(cannot_listen)?;
        for trouble in &self.faults {
            let injected = server.control().inject(ConnectionTarget::Next, trouble.at, trouble.fault).await;
            injected.map_err(|error| Failure::local(error.to_string()))?;
        }
        announce(server.address().unwrap_or(address)).map_err(Failure::stdout)?;
        ending.wait().await;
        server.shutdown().await;
        Ok(())
    }

    /// Returns the address to listen on: all interfaces if other machines are allowed, otherwise 127.0.0.1.
    fn address(&self) -> SocketAddr {
        let host = if self.allow_remote { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        (host, self.port).into()
    }

    fn options(&self) -> Result<ServerOptions, Failure> {
        let mut options = ServerOptions::new().address(self.address()).seed(self.population.seed).family(self.family);
        if self.allow_remote {
            options = options.allow_remote();
        }
        if !self.no_population {
            options = options.population(self.population.options());
        }
        if let Some(path) = &self.accounts {
            let invalid = |error| Failure::local(format!("{}: {}", path.display(), error_chain(&error)));
            options = options.accounts(Account::load_list(path, self.family).map_err(invalid)?);
        }
        Ok(options)
    }
}

/// Prints the address of the server on standard output.
fn announce(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{address}")?;
    out.flush()
}
