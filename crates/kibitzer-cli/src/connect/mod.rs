//! `kibitzer connect`: what a live server says, printed as events; what is typed, sent.

mod address;

use std::convert::Infallible;
use std::error::Error;
use std::future::pending;
use std::io;

use kibitzer::core::hub::{RecvError, Subscription};
use kibitzer::core::session::{CloseCause, EndReason, LostCause, Reconnect, RequestError};
use kibitzer::{Client, ConfigError, ConnectError, Profile};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::output::{FORMAT_HELP, LineFormat, Lines, WriteError};
use crate::server::Server;
use address::Address;

/// Events that may wait to be printed before the server has to wait too.
const UNPRINTED_EVENTS: usize = 256;

/// Print what a live server says, event by event; send what is typed
///
/// Prints the same lines as `kibitzer decode`. Logs in as a guest, or as `KIBITZER_HANDLE` with `KIBITZER_PASSWORD`; then each
/// line of standard input is sent as a command. The end of standard input ends nothing: what the server says is printed until
/// it closes the connection (send `quit`), or until Ctrl-C. Exit status 1 if the login fails, or the connection breaks off.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The server; its port is 5000 if not told
    #[arg(value_name = "HOST[:PORT]")]
    address: Address,
    #[arg(long, value_enum, help = FORMAT_HELP)]
    format: Option<LineFormat>,
    /// Which family the server belongs to
    #[arg(long, value_enum, default_value_t = Server::Auto)]
    server: Server,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer connect localhost                                log in as a guest, look around, type quit
  printf 'games\\nquit\\n' | kibitzer connect localhost:5000   a session from a script
  kibitzer connect localhost --format jsonl | jq .event     while you type";

/// Commands that may wait for their replies before no more are read.
const UNANSWERED_COMMANDS: usize = 16;

/// Why the session failed. That the server closes the connection is no failure.
#[derive(Debug, Error)]
pub(crate) enum SessionError {
    #[error("cannot start: {0}")]
    Runtime(io::Error),
    #[error("{0}")]
    Config(#[from] ConfigError),
    #[error("cannot connect to {address}: {}", root(.source))]
    Connect { address: Address, source: ConnectError },
    #[error("connection to {address} lost: {}", root(.source))]
    Lost { address: Address, source: EndReason },
    #[error("{0}")]
    Write(#[from] WriteError),
}

/// What lies at the bottom of an error.
fn root<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    error.source().map_or(error, root)
}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), SessionError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(SessionError::Runtime)?;
        let result = runtime.block_on(self.session());
        // A thread may still wait for a line to be typed.
        runtime.shutdown_background();
        result
    }

    /// One session, from the connection to its end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    async fn session(&self) -> Result<(), SessionError> {
        let (client, events) = Client::start(self.profile()?, |hub| hub.subscribe_lossless(UNPRINTED_EVENTS))
            .await
            .map_err(|source| SessionError::Connect { address: self.address.clone(), source })?;
        let lines = Lines::new(self.format.unwrap_or_else(LineFormat::for_stdout));
        let mut printer = Printer { subscription: events, lines };
        let printed = tokio::select! {
            printed = printer.run() => printed,
            never = send_typed(&client) => match never {},
            _ = tokio::signal::ctrl_c() => printer.lines.flush(),
        };
        client.shutdown().await;
        printed?;
        self.judge(client.ended().await)
    }

    fn profile(&self) -> Result<Profile, ConfigError> {
        let profile = Profile::new("").environment()?.reconnect(Reconnect::never());
        Ok(profile.host(&*self.address.host).ports([self.address.port]).family(self.server.family()))
    }

    fn judge(&self, reason: EndReason) -> Result<(), SessionError> {
        let address = self.address.clone();
        match reason {
            EndReason::Quit
            | EndReason::ShutDown
            | EndReason::Lost { cause: LostCause::Connection(CloseCause::Closed), .. } => Ok(()),
            EndReason::Dial(_) | EndReason::Login(_) => {
                Err(SessionError::Connect { address, source: ConnectError::from(reason) })
            }
            source => Err(SessionError::Lost { address, source }),
        }
    }
}

/// Prints what a subscription brings.
struct Printer {
    subscription: Subscription,
    lines: Lines,
}

impl Printer {
    /// Prints until the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: every event is printed or still in the subscription.
    async fn run(&mut self) -> Result<(), WriteError> {
        loop {
            let next = if let Some(ready) = self.subscription.try_next().transpose() {
                ready
            } else {
                self.lines.flush()?;
                self.subscription.next().await
            };
            match next {
                Ok(event) => self.lines.event(&event)?,
                Err(RecvError::Closed) => return self.lines.flush(),
                Err(_) => {}
            }
        }
    }
}

/// Sends each line of standard input. Neither its end nor that of the session ends it: then the server has the last word.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
async fn send_typed(client: &Client) -> Infallible {
    let mut typed = BufReader::new(tokio::io::stdin()).split(b'\n');
    let mut unanswered = JoinSet::new();
    while let Ok(Some(line)) = typed.next_segment().await {
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
        while unanswered.len() >= UNANSWERED_COMMANDS {
            unanswered.join_next().await;
        }
        // One after the other: who waits for the same thing is not woken in turn.
        if client.ready().await.is_err() {
            break;
        }
        unanswered.spawn(send(client.clone(), line));
    }
    while unanswered.join_next().await.is_some() {}
    pending().await
}

/// Sends a line. What the server answers is printed with everything else it says.
///
/// # Cancel safety
///
/// The line may have been sent.
async fn send(client: Client, line: String) {
    match client.request(&line).await {
        Err(RequestError::Command(error)) => crate::tell(&format!("not sent: {error}")),
        Err(error @ (RequestError::Busy | RequestError::TimedOut(_) | RequestError::NotConnected)) => {
            crate::tell(&format!("no reply: {error}"));
        }
        _ => {}
    }
}
