//! `kibitzer` without a command: a guest on the embedded server observes three games.

mod tables;

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;

use kibitzer::core::EventKind;
use kibitzer::{Client, Profile};
use kibitzer_server::{Server, ServerOptions};

use crate::arguments::{FormatArgs, PopulationArgs};
use crate::console::{self, ProfileFilters};
use crate::live::{EventPrinter, EventSelection, NoiseFilter, SessionError, StopArgs, run, runtime};
use crate::output::LineFormat;
use tables::keep_observing;

/// Name of the server in messages.
const SERVER: &str = "the embedded server";

/// Kinds of events in text output; JSON output has all.
const SHOWN: [EventKind; 26] = [
    EventKind::LoggedIn,
    EventKind::Position,
    EventKind::Holding,
    EventKind::GameCreated,
    EventKind::GameEnded,
    EventKind::Observing,
    EventKind::Tell,
    EventKind::Say,
    EventKind::PartnerTell,
    EventKind::Shout,
    EventKind::ItShout,
    EventKind::CShout,
    EventKind::ChannelTell,
    EventKind::Kibitz,
    EventKind::Whisper,
    EventKind::Announcement,
    EventKind::Qtell,
    EventKind::Message,
    EventKind::Challenge,
    EventKind::Offer,
    EventKind::Kicked,
    EventKind::Desync,
    EventKind::Missed,
    EventKind::Fault,
    EventKind::Lost,
    EventKind::Restored,
];

/// Arguments of the demo.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Args {
    /// Print lines, and open no console [default on a pipe]
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    population: PopulationArgs,
    #[command(flatten)]
    ending: StopArgs,
}

impl Args {
    /// Runs the demo.
    pub(crate) fn run(self) -> Result<(), console::Error> {
        // A time limit is for scripts.
        let is_for_people = self.format.format() == LineFormat::Text && !self.ending.has_time_limit();
        if is_for_people && !self.plain && console::is_on_terminal() {
            return self.show();
        }
        Ok(run(self.demo())?)
    }

    /// Runs the demo in the console.
    fn show(self) -> Result<(), console::Error> {
        let runtime = runtime()?;
        let (server, address) = runtime.block_on(self.serve())?;
        let profile = Profile::demo().host(address.ip().to_string()).ports([address.port()]);
        let started = runtime.block_on(Client::start_tapped(profile));
        let (client, tap) = started.map_err(|source| SessionError::Connect { server: SERVER.to_owned(), source })?;
        let observer = client.clone();
        let companion = async move { keep_observing(&observer).await };
        let shown = console::run_session(
            &runtime,
            &client,
            tap,
            &format!("{SERVER}, {address}"),
            ProfileFilters::default(),
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
    async fn serve(self) -> Result<(Server, SocketAddr), SessionError> {
        let options = ServerOptions::new().seed(self.population.seed()).population(self.population.options());
        let server = Server::start(options).await?;
        let address = server.address().ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))?;
        Ok((server, address))
    }

    /// Runs the server until the stop signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server and the session.
    async fn demo(self) -> Result<(), SessionError> {
        let mut ending = self.ending.begin()?;
        let (server, address) = self.serve().await?;
        print_greeting(address);
        let (client, mut printer) = self.log_in(address).await?;
        let printed = tokio::select! {
            printed = printer.done() => printed,
            () = keep_observing(&client) => printer.done().await,
            () = ending.wait() => Ok(()),
        };
        let ((), finished) = tokio::join!(client.shutdown(), printer.finish());
        server.shutdown().await;
        printed.and(finished)?;
        SessionError::check_end(&SERVER, client.ended().await)
    }

    /// Starts a guest session and its printer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    async fn log_in(self, address: SocketAddr) -> Result<(Client, EventPrinter), SessionError> {
        let profile = Profile::demo().host(address.ip().to_string()).ports([address.port()]);
        let started = Client::start_tapped(profile).await;
        let (client, tap) = started.map_err(|source| SessionError::Connect { server: SERVER.to_owned(), source })?;
        let format = self.format.format();
        let selection = EventSelection::of(format, NoiseFilter::default()).kinds(&SHOWN);
        let printer = EventPrinter::from_tap(&client, tap, format, selection);
        Ok((client, printer))
    }
}

/// Prints the address of the server, if standard error is a terminal.
fn print_greeting(address: SocketAddr) {
    if io::stderr().is_terminal() {
        crate::tell(&format!(
            "an embedded server at {address}; join it with `kibitzer connect {address}`; Ctrl-C ends"
        ));
    }
}
