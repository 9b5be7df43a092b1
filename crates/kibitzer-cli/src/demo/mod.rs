//! `kibitzer` without a command: a guest on the embedded server observes three games.

mod tables;

use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;

use kibitzer::Profile;
use kibitzer::core::{EventCategory, EventKind};
use kibitzer_server::{Server, ServerOptions};

use crate::arguments::{FormatArgs, PopulationArgs};
use crate::console::{self, ProfileFilters, SessionFeed};
use crate::failure::{Failure, report};
use crate::live::{
    EventPrinter, HousekeepingFilter, StopArgs, print_and_shut_down, report_recorded, run, runtime,
    start_and_expose_session, wait_for_end,
};
use crate::metrics::MetricsArgs;
use crate::output::LineFormat;
use tables::join_channels_and_observe;

/// Name of the embedded server in messages.
const SERVER: &str = "the embedded server";

/// Arguments of the demo, and of the demo of `kibitzer bot`.
#[derive(Clone, Copy, Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) population: PopulationArgs,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) ending: StopArgs,
}

impl Args {
    /// Runs the demo until it is stopped: in the console if [`can_open_console`](console::can_open_console) allows it, otherwise
    /// as printed lines.
    pub(crate) fn show_or_print(self, plain: bool) -> Result<(), Failure> {
        if console::can_open_console(plain, self.format.format(), self.ending) {
            return self.run_in_console();
        }
        run(self.print_until_stopped())
    }

    /// Runs the demo in the console until the user quits it.
    fn run_in_console(self) -> Result<(), Failure> {
        let runtime = runtime()?;
        let metrics = runtime.block_on(self.metrics.bind_and_serve(LineFormat::Text))?;
        let (server, address, profile) = runtime.block_on(self.start_server())?;
        let (client, tap) = runtime.block_on(start_and_expose_session(profile, SERVER))?;
        metrics.add_session(&client);
        let observer = client.clone();
        let companion = async move |closed| {
            tokio::select! {
                _ = closed => {}
                () = async { join_channels_and_observe(&observer).await; pending().await } => {}
            }
        };
        let name = format!("{SERVER}, {address}");
        let shown = console::show_session_then_shut_down(
            &runtime,
            &client,
            SessionFeed::Own(tap),
            (&name, Some(server.control())),
            ProfileFilters::default(),
            None,
            companion,
        );
        runtime.block_on(server.shutdown());
        shown
    }

    /// Starts the embedded server on a free port of this machine. Returns the server, its address, and the profile of a guest
    /// there.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    pub(crate) async fn start_server(self) -> Result<(Server, SocketAddr, Profile), Failure> {
        let options = ServerOptions::new().seed(self.population.seed).population(self.population.options());
        let server = Server::start(options).await?;
        let address = server.address().ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))?;
        Ok((server, address, Profile::demo().host(address.ip().to_string()).ports([address.port()])))
    }

    /// Prints the demo as lines until the stop signal, or until standard output is closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server and the session.
    async fn print_until_stopped(self) -> Result<(), Failure> {
        let format = self.format.format();
        let mut ending = self.ending.begin()?;
        let metrics = self.metrics.bind_and_serve(format).await?;
        let (server, address, profile) = self.start_server().await?;
        if io::stderr().is_terminal() {
            report(&format!("an embedded server at {address}; join it with `kibitzer connect {address}`; Ctrl-C ends"));
        }
        let (client, tap) = start_and_expose_session(profile, SERVER).await?;
        metrics.add_session(&client);
        let housekeeping = HousekeepingFilter::for_kinds(is_in_text_output);
        let printer = EventPrinter::spawn_for_tap(&client, tap, format, None, housekeeping, metrics.print_interval);
        let companion = async {
            join_channels_and_observe(&client).await;
            pending().await
        };
        let printed = print_and_shut_down(&client, printer, companion, &mut ending).await;
        server.shutdown().await;
        wait_for_end(SERVER, &client, printed).await.map(report_recorded)
    }
}

/// Returns whether the text output prints events of this kind. JSON output prints all kinds.
const fn is_in_text_output(kind: EventKind) -> bool {
    use EventCategory::{ChannelTalk, GameTalk, PrivateTalk, PublicTalk, Trouble};
    use EventKind::{
        Challenge, GameCreated, GameEnded, Holding, Kicked, LoggedIn, Observing, Offer, Position, Restored,
    };
    match kind {
        LoggedIn | Position | Holding | GameCreated | GameEnded | Observing | Challenge | Offer | Kicked | Restored => {
            true
        }
        _ => matches!(kind.category(), PrivateTalk | PublicTalk | ChannelTalk | GameTalk | Trouble),
    }
}
