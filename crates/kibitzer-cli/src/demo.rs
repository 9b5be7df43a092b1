//! `kibitzer` without a command: a guest on the embedded server observes three games.

use std::collections::BTreeSet;
use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::time::Duration;

use kibitzer::{Client, Profile, RequestOptions, command};
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::listing::GameRow;
use kibitzer_core::message::{GameId, Message};
use kibitzer_core::{Event, EventCategory, EventKind};
use kibitzer_server::{Server, ServerOptions};
use tokio::time::timeout;

use crate::arguments::{FormatArgs, PopulationArgs};
use crate::console::{self, ConsoleOptions, SessionFeed, SettingsArgs};
use crate::failure::{Failure, report};
use crate::live::{
    EventPrinter, PrintedEvents, StopArgs, print_and_shut_down, report_recorded, run, runtime,
    start_and_expose_session, wait_for_end,
};
use crate::metrics::MetricsArgs;
use crate::output::LineFormat;

/// Name of the embedded server in messages.
pub(crate) const SERVER: &str = "the embedded server";

/// Arguments of the demo, and of the demo of `kibitzer bot`.
#[derive(Clone, Debug, clap::Args)]
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
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
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
        let settings = self.settings.load()?;
        let runtime = runtime()?;
        let metrics = runtime.block_on(self.metrics.bind_and_serve(LineFormat::Text))?;
        let (server, address, profile) = runtime.block_on(start_server(self.population))?;
        let (client, tap) = runtime.block_on(start_and_expose_session(profile, SERVER))?;
        metrics.add_session(&client);
        let observer = client.clone();
        let companion = async move |closed| {
            tokio::select! {
                _ = closed => {}
                () = async { join_channels_and_observe(&observer).await; pending().await } => {}
            }
        };
        let options = ConsoleOptions {
            server: format!("{SERVER}, {address}"),
            embedded_server: Some(server.control()),
            settings,
            ..ConsoleOptions::default()
        };
        let shown = console::run(&runtime, &client, SessionFeed::Own(tap), options, companion);
        runtime.block_on(server.shutdown());
        shown
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
        let (server, address, profile) = start_server(self.population).await?;
        if io::stderr().is_terminal() {
            report(&format!("an embedded server at {address}; join it with `kibitzer connect {address}`; Ctrl-C ends"));
        }
        let (client, tap) = start_and_expose_session(profile, SERVER).await?;
        metrics.add_session(&client);
        let printed = PrintedEvents { expression: None, text_kinds: is_in_text_output, text: self.format.text };
        let printer = EventPrinter::spawn_for_tap(&client, tap, format, printed, metrics.print_interval);
        let companion = async {
            join_channels_and_observe(&client).await;
            pending().await
        };
        let printed = print_and_shut_down(&client, printer, companion, &mut ending).await;
        server.shutdown().await;
        wait_for_end(SERVER, &client, printed).await.map(report_recorded)
    }
}

/// Starts the embedded server on a free port of this machine. Returns the server, its address, and the profile of a guest
/// there.
///
/// # Cancel safety
///
/// Dropping the future starts nothing.
pub(crate) async fn start_server(population: PopulationArgs) -> Result<(Server, SocketAddr, Profile), Failure> {
    let options = ServerOptions::new().seed(population.seed).population(population.options());
    let server = Server::start(options).await?;
    let address = server.address().ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))?;
    Ok((server, address, Profile::demo().host(address.ip().to_string()).ports([address.port()])))
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

/// Number of games observed at a time.
const OBSERVED_GAMES: usize = 3;

/// Maximum time until the next request for the list of games, while fewer than [`OBSERVED_GAMES`] are observed.
const PAUSE: Duration = Duration::from_secs(2);

/// Options of the demo's own commands, which no user typed.
const BY_DEMO: RequestOptions = RequestOptions::new().by_program();

/// Channels in which the simulated players talk.
const CHANNELS: [u16; 2] = [1, 50];

/// Joins the channels of the simulated players, then observes three games and replaces each that ends, until the session ends.
/// Failures are ignored.
///
/// # Cancel safety
///
/// Dropping the future leaves the games observed.
pub(crate) async fn join_channels_and_observe(client: &Client) {
    if client.ready().await.is_ok() {
        for channel in CHANNELS {
            // A failure only means less talk.
            let _ = client.request_with(&format!("+channel {channel}"), BY_DEMO).await;
        }
    }
    while client.ready().await.is_ok()
        && let Ok(mut joined) = client.subscribe_with_games().await
    {
        let followed =
            joined.games.iter().filter(|game| game.is_followed_and_ongoing()).map(|game| game.id()).collect();
        if observe_up_to_demo_count(client, followed).await < OBSERVED_GAMES {
            // The server does not announce new games to a guest, so poll.
            let _ = timeout(PAUSE, wait_for_possible_game_end(&mut joined.events)).await;
        } else {
            wait_for_possible_game_end(&mut joined.events).await;
        }
    }
}

/// Observes further games until [`OBSERVED_GAMES`] are observed, or the server has no others. `observed` are the games observed
/// already. Returns the number of observed games.
///
/// # Cancel safety
///
/// As [`join_channels_and_observe`].
async fn observe_up_to_demo_count(client: &Client, mut observed: BTreeSet<GameId>) -> usize {
    let mut candidates =
        client.request_with(command::games(), BY_DEMO).await.map_or_else(|_| Vec::new(), |listing| listing.games);
    while observed.len() < OBSERVED_GAMES
        && let Some(game) = choose_next_game(&candidates, &observed)
    {
        if client.request_with(command::observe(game), BY_DEMO).await.is_ok() {
            observed.insert(game);
        } else {
            // A refusal usually means that the game has ended since the listing.
            candidates.retain(|row| row.game != game);
        }
    }
    observed.len()
}

/// Returns the next game to observe: a public game that is not observed, preferably of a group of which none is observed yet, and
/// only one board of bughouse. `None` if the list has no such game.
fn choose_next_game(games: &[GameRow], observed: &BTreeSet<GameId>) -> Option<GameId> {
    let kinds: Vec<_> = games.iter().filter(|row| observed.contains(&row.game)).map(variant_group).collect();
    let is_eligible = |row: &&GameRow| {
        row.terms.mark != Some('p')
            && !observed.contains(&row.game)
            && !(variant_group(row) == VariantGroup::Bughouse && kinds.contains(&VariantGroup::Bughouse))
    };
    let order = |row: &&GameRow| (kinds.contains(&variant_group(row)), variant_group(row), row.game);
    games.iter().filter(is_eligible).min_by_key(order).map(|row| row.game)
}

/// Groups of variants, most common first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VariantGroup {
    Chess,
    Bughouse,
    Variant,
}

/// Returns the group of a game's variant.
const fn variant_group(row: &GameRow) -> VariantGroup {
    match row.terms.kind {
        Some('b' | 'l' | 's' | 'u' | 'e') => VariantGroup::Chess,
        Some('B') => VariantGroup::Bughouse,
        _ => VariantGroup::Variant,
    }
}

/// Waits until a game ends or is no longer observed, or the session is restored after a reconnect.
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
async fn wait_for_possible_game_end(events: &mut Subscription) {
    loop {
        match events.recv().await {
            Ok(event) if !may_end_observation(&event) => {}
            // Missed events may include an end.
            _ => return,
        }
    }
}

/// Returns whether an event may leave fewer games observed.
fn may_end_observation(event: &Event) -> bool {
    match event.message() {
        Some(Message::GameEnded(_)) => true,
        Some(Message::Observing(observing)) => !observing.is_observed,
        _ => matches!(event, Event::Restored(_)),
    }
}

#[cfg(test)]
mod tests;
