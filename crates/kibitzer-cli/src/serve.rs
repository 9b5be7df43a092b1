//! `kibitzer serve`: runs the embedded server for other programs.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::value_parser;
use kibitzer_attach::Listener;
use kibitzer_core::text::error_chain;
use kibitzer_server::{Account, ConnectionTarget, ImitatedFamily, Server, ServerControl, ServerOptions};
use kibitzer_websocket::WebSocketListener;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, split};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::arguments::{PopulationArgs, SuggestingParser, unknown_word_message};
use crate::failure::{Failure, report};
use crate::fault::{self, FaultRequest, ScheduledFault, fired_fault_text};
use crate::live::{InputLines, StopArgs};
use crate::output::TerminalSafe;

/// Run a small chess server on this machine, to try a client or a bot on
///
/// It speaks as FICS does, or in the manner of ICC, and simulated players play, talk and look for games there. They answer seeks,
/// challenge clients who wait (`set open 0` ends that), and Whetstone accepts any match. Prints its address in one line and runs until Ctrl-C. Other machines cannot reach it unless that is allowed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The TCP port to listen on; 0: any that is free
    #[arg(long, value_name = "N", default_value_t = 5000)]
    port: u16,
    /// The family of servers it speaks like
    #[arg(long, value_name = "FAMILY", value_parser = family_parser(), default_value = "fics")]
    family: ImitatedFamily,
    #[command(flatten)]
    population: PopulationArgs,
    /// How many games of chess simulated players play at a time, besides those of crazyhouse and bughouse: 0 to 200
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u8).range(..=200), conflicts_with = "no_population")]
    games: u8,
    /// Nobody is there but who connects
    #[arg(long)]
    no_population: bool,
    /// The registered players, in TOML; without it all are guests
    #[arg(long, value_name = "FILE", long_help = ACCOUNTS_HELP)]
    accounts: Option<PathBuf>,
    /// Let other machines connect as well
    #[arg(long)]
    allow_remote: bool,
    /// Also accept WebSocket connections on this TCP port; 0: any that is free. Their URL is printed in a second line
    #[arg(long, value_name = "PORT")]
    websocket: Option<u16>,
    /// Use TLS for them, with this chain of certificates in PEM; clients have to connect to a host that it names
    #[arg(long, value_name = "FILE", requires_all = ["websocket", "websocket_key"])]
    websocket_cert: Option<PathBuf>,
    /// The private key of --websocket-cert, in PEM
    #[arg(long, value_name = "FILE", requires = "websocket_cert")]
    websocket_key: Option<PathBuf>,
    /// Let something go wrong with the next connection; may be given again
    #[arg(long = "fault", value_name = "FAULT[@POINT]", long_help = fault::HELP, value_parser = fault_parser(), hide_possible_values = true)]
    faults: Vec<ScheduledFault>,
    /// Accept commands, such as `fault cut@next-board #3`, on this new Unix socket, from processes of the same user
    #[arg(long, value_name = "PATH")]
    control_socket: Option<PathBuf>,
    #[cfg(feature = "web")]
    #[command(flatten)]
    web: crate::web::WebArgs,
    #[command(flatten)]
    ending: StopArgs,
}

fn family_parser() -> impl TypedValueParser<Value = ImitatedFamily> {
    PossibleValuesParser::new(["fics", "icc"])
        .map(|name| if name == "icc" { ImitatedFamily::Icc } else { ImitatedFamily::Fics })
}

fn fault_parser() -> impl TypedValueParser<Value = ScheduledFault> {
    SuggestingParser::new(|text: &str| text.parse::<ScheduledFault>(), || fault::FAULTS.to_vec())
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
  kibitzer serve --control-socket s.sock          then: echo 'fault cut@next-board #3' | nc -U s.sock
  kibitzer serve --websocket 5001                 then, elsewhere: kibitzer console ws://127.0.0.1:5001
  kibitzer serve --no-population --accounts accounts.toml --for 10m";

impl Args {
    /// Starts the server with its WebSocket port, control socket and faults, prints its addresses, runs it until the stop signal
    /// and shuts it down.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the server.
    pub(crate) async fn run_server(&self) -> Result<(), Failure> {
        let mut ending = self.ending.begin()?;
        let address = self.listen_address(self.port);
        let server = Server::start(self.server_options()?).await.map_err(|error| cannot_listen(address, &error))?;
        let (websockets, url) = self.listen_for_websockets().await?.unzip();
        let socket = match &self.control_socket {
            Some(path) => Some(Listener::bind(path).await.map_err(Failure::caused_by)?),
            None => None,
        };
        for trouble in &self.faults {
            let injected = server.control().inject(ConnectionTarget::Next, trouble.at, trouble.fault).await;
            injected.map_err(Failure::caused_by)?;
        }
        print_addresses(server.address().unwrap_or(address), url).map_err(Failure::stdout)?;
        #[cfg(feature = "web")]
        self.web.show_server(server.address().unwrap_or(address), self.ending).await?;
        tokio::select! {
            () = ending.wait() => {}
            () = serve_websockets(websockets, server.control()) => {}
            () = serve_control_socket(socket, server.control()) => {}
            () = report_fired_faults(server.control()) => {}
        }
        server.shutdown().await;
        Ok(())
    }

    /// Returns the address to listen on: all IPv4 interfaces with `--allow-remote`, otherwise 127.0.0.1.
    fn listen_address(&self, port: u16) -> SocketAddr {
        let host = if self.allow_remote { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        (host, port).into()
    }

    /// Opens the port for WebSocket connections, with TLS if a certificate is given, and returns the listener with its URL;
    /// `None` without `--websocket`.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the port, the certificate or the key cannot be used.
    async fn listen_for_websockets(&self) -> Result<Option<(WebSocketListener, String)>, Failure> {
        let Some(port) = self.websocket else { return Ok(None) };
        let tls = self.websocket_cert.as_deref().zip(self.websocket_key.as_deref());
        let address = self.listen_address(port);
        let failed = |error| cannot_listen(address, &error);
        let listener = WebSocketListener::bind(address, tls).await.map_err(failed)?;
        let scheme = if tls.is_some() { "wss" } else { "ws" };
        let url = format!("{scheme}://{}", listener.local_addr().map_err(failed)?);
        Ok(Some((listener, url)))
    }

    /// Returns the options of the server. Reads the file of `--accounts`.
    ///
    /// # Errors
    ///
    /// [`Failure`] if this file cannot be read or is not valid.
    fn server_options(&self) -> Result<ServerOptions, Failure> {
        let mut options =
            ServerOptions::new().address(self.listen_address(self.port)).seed(self.population.seed).family(self.family);
        if self.allow_remote {
            options = options.allow_remote();
        }
        if !self.no_population {
            options = options.population(self.population.options().games(self.games.into()).challenge_clients());
        }
        if let Some(path) = &self.accounts {
            let invalid = |error| Failure::local(format!("{}: {}", path.display(), error_chain(&error)));
            options = options.accounts(Account::load_list(path, self.family).map_err(invalid)?);
        }
        Ok(options)
    }
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Failure {
    Failure::local(format!("cannot listen on {address}: {error}"))
}

/// Passes accepted WebSocket connections to the server, until it shuts down. Never completes.
///
/// # Cancel safety
///
/// Dropping the future stops listening.
async fn serve_websockets(listener: Option<WebSocketListener>, control: ServerControl) {
    if let Some(mut listener) = listener {
        while control.serve(listener.accept().await).await.is_ok() {}
    }
    // Without a port for them, or after the server has shut down.
    std::future::pending::<()>().await;
}

/// Reports every fault that takes effect on standard error. Never completes.
///
/// # Cancel safety
///
/// Cancel safe.
async fn report_fired_faults(control: ServerControl) {
    let mut fired = control.fired_faults();
    while let Some(text) = fired_fault_text(fired.recv().await) {
        report(&text);
    }
    std::future::pending::<()>().await;
}

/// Prints the address of the server and, if it accepts WebSocket connections, their URL, each in a line on standard output.
fn print_addresses(address: SocketAddr, url: Option<String>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{address}")?;
    if let Some(url) = url {
        writeln!(out, "{url}")?;
    }
    out.flush()
}

/// Maximum length of a command, without its line end.
const MAX_COMMAND_BYTES: usize = 1024;
/// Maximum number of simultaneous connections; others wait.
const MAX_CONNECTIONS: usize = 16;
/// Pause after a connection could not be accepted, for example because the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Reply to `help`.
const HELP: &str = "\
fault FAULT[@POINT] [#N|NAME|next]   inject a fault, as `kibitzer serve --help` lists them; without a connection, into the next one
connections                          list the connections: number, player
help                                 this list
Each reply ends with a line that begins with `ok` or `error`. Other lines report faults that took effect.
";

/// Executes the commands of all connections to the socket; waits forever without a socket. Never completes.
///
/// # Cancel safety
///
/// Dropping the future closes all connections.
async fn serve_control_socket(listener: Option<Listener>, control: ServerControl) {
    let Some(listener) = listener else { return std::future::pending().await };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok(stream) => drop(connections.spawn(serve_connection(stream, control.clone()))),
                Err(_) => sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Executes commands until the peer closes the connection, or sends a line that is too long. Between replies, sends a line for
/// each fault that takes effect on any connection of the server.
///
/// # Errors
///
/// [`io::Error`] of the connection.
///
/// # Cancel safety
///
/// Dropping the future closes the connection; a command may have been executed without its reply.
async fn serve_connection(stream: impl AsyncRead + AsyncWrite, control: ServerControl) -> io::Result<()> {
    let (reader, mut writer) = split(stream);
    let mut lines = InputLines::new(BufReader::new(reader), MAX_COMMAND_BYTES);
    let mut fired = control.fired_faults();
    loop {
        let text = tokio::select! {
            line = lines.next_line() => match line {
                Some(Ok(command)) => execute_command(&control, &String::from_utf8_lossy(&command)).await,
                Some(Err(_)) => return writer.write_all(b"error: the line is too long\n").await,
                None => return Ok(()),
            },
            fault = fired.recv() => match fired_fault_text(fault) {
                Some(text) => format!("{text}\n"),
                None => return Ok(()),
            },
        };
        writer.write_all(text.as_bytes()).await?;
    }
}

/// Executes the command in a line, and returns its reply, whose last line begins with `ok` or `error`.
///
/// # Cancel safety
///
/// The command may have been executed.
async fn execute_command(control: &ServerControl, line: &str) -> String {
    let (command, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let outcome = match command {
        "fault" => match rest.parse::<FaultRequest>() {
            Ok(request) => request.inject(control, ConnectionTarget::Next).await.map(|text| format!("ok: {text}\n")),
            Err(error) => Err(error),
        },
        "connections" => list_connections(control).await.map_err(|error| error.to_string()),
        "help" => Ok(format!("{HELP}ok\n")),
        word => Err(unknown_word_message("command", word, ["fault", "connections", "help"].into_iter())),
    };
    outcome.unwrap_or_else(|error| format!("error: {}\n", TerminalSafe(&error)))
}

/// Returns the reply to `connections`: a line with number and player for each connection, then `ok`. A connection that is not
/// logged in has no player.
///
/// # Errors
///
/// [`io::ErrorKind::ConnectionRefused`]: the server has shut down.
///
/// # Cancel safety
///
/// Cancel safe.
async fn list_connections(control: &ServerControl) -> io::Result<String> {
    let line = |(number, player): (u64, Option<_>)| match player {
        Some(player) => format!("#{number} {player}\n"),
        None => format!("#{number}\n"),
    };
    Ok(control.connections().await?.into_iter().map(line).chain(["ok\n".to_owned()]).collect::<Vec<_>>().concat())
}
