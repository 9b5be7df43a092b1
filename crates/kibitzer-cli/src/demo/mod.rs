//! `kibitzer` without a command: a guest on the embedded server observes three games.

mod tables;

use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::time::Duration;

use kibitzer::core::{EventCategory, EventKind};
use kibitzer::{Client, Profile, Tap};
use kibitzer_server::{Server, ServerOptions};

use crate::arguments::{FormatArgs, PopulationArgs};
use crate::console::{self, ProfileFilters, SessionFeed};
use crate::failure::{Failure, report};
use crate::live::{
    EventPrinter, HousekeepingFilter, PrintFilter, StopArgs, check_end, print_and_shut_down, run, runtime,
    start_and_expose_session,
};
use crate::metrics::MetricsArgs;
use tables::join_channels_and_observe;

/// Name of the server in messages.
const SERVER: &str = "the embedded server";

/// Arguments of the demo.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    population: PopulationArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    ending: StopArgs,
}

impl Args {
    /// Runs the demo: in the console on a terminal, otherwise as printed lines.
    pub(crate) fn show_or_print(self, plain: bool) -> Result<(), Failure> {
        let metrics_every = self.metrics.print_interval(self.format.format())?;
        if console::can_open_console(plain, self.format.format(), self.ending) {
            return self.run_in_console();
        }
        run(self.print_until_stopped(metrics_every))
    }

    /// Runs the demo in the console.
    fn run_in_console(self) -> Result<(), Failure> {
        let runtime = runtime()?;
        let metrics = runtime.block_on(self.metrics.address.bind_and_serve())?;
        let (server, address) = runtime.block_on(self.start_server())?;
        let (client, tap) = runtime.block_on(log_in_as_guest(address))?;
        metrics.add_session(&client);
        let observer = client.clone();
        let companion = async move |closed| {
            tokio::select! {
                _ = closed => {}
                () = async { join_channels_and_observe(&observer).await; pending().await } => {}
            }
        };
        let name = format!("{SERVER}, {address}");
        let feed = SessionFeed::Own(tap);
        let named = (&*name, Some(server.control()));
        let shown = console::show_session_then_shut_down(
            &runtime,
            &client,
            feed,
            named,
            ProfileFilters::default(),
            None,
            companion,
        );
        runtime.block_on(server.shutdown());
        shown
    }

    /// Starts the embedded server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    async fn start_server(self) -> Result<(Server, SocketAddr), Failure> {
        let options = ServerOptions::new().seed(self.population.seed).population(self.population.options());
        let server = Server::start(options).await?;
        let address = server.address().ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))?;
        Ok((server, address))
    }

    /// Prints the demo as lines until the stop signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server and the session.
    async fn print_until_stopped(self, metrics_every: Option<Duration>) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let metrics = self.metrics.address.bind_and_serve().await?;
        let (server, address) = self.start_server().await?;
        print_address_on_terminal(address);
        let (client, tap) = log_in_as_guest(address).await?;
        metrics.add_session(&client);
        let filter = HousekeepingFilter::for_kinds(is_in_text_output);
        let filter = PrintFilter::new(None, filter);
        let printer = EventPrinter::spawn_for_tap(&client, tap, self.format.format(), filter, metrics_every);
        let companion = async {
            join_channels_and_observe(&client).await;
            pending().await
        };
        let printed = print_and_shut_down(&client, printer, companion, &mut ending).await;
        server.shutdown().await;
        printed?;
        check_end(SERVER, client.ended().await)
    }
}

/// Starts the session of a guest on the embedded server; does not wait for the login.
///
/// # Cancel safety
///
/// Dropping the future starts nothing.
async fn log_in_as_guest(address: SocketAddr) -> Result<(Client, Tap), Failure> {
    let profile = Profile::demo().host(address.ip().to_string()).ports([address.port()]);
    start_and_expose_session(profile, SERVER).await
}

/// Prints the address of the server, if standard error is a terminal.
fn print_address_on_terminal(address: SocketAddr) {
    if io::stderr().is_terminal() {
        report(&format!("an embedded server at {address}; join it with `kibitzer connect {address}`; Ctrl-C ends"));
    }
}

/// Returns whether the text output includes events of this kind. JSON output includes all kinds.
const fn is_in_text_output(kind: EventKind) -> bool {
    match kind.category() {
        EventCategory::PrivateTalk
        | EventCategory::PublicTalk
        | EventCategory::ChannelTalk
        | EventCategory::GameTalk
        | EventCategory::Trouble => true,
        _ => matches!(
            kind,
            EventKind::LoggedIn
                | EventKind::Position
                | EventKind::Holding
                | EventKind::GameCreated
                | EventKind::GameEnded
                | EventKind::Observing
                | EventKind::Challenge
                | EventKind::Offer
                | EventKind::Kicked
                | EventKind::Restored
        ),
    }
}
