//! `kibitzer connect`: what a live server says, printed as events; what is typed, sent.

mod address;
#[cfg(unix)]
mod echo;
#[cfg(not(unix))]
mod no_echo;

use std::convert::Infallible;
use std::error::Error;
use std::future::pending;
use std::io;

use kibitzer::core::Event;
use kibitzer::core::hub::{HubOptions, Publisher, RecvError, Subscription};
use kibitzer::core::message::Message;
use kibitzer::{ConnectError, ConnectOptions, ConnectionLost, LineWriter, SendError};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::runtime::Builder;

use crate::output::{FORMAT_HELP, LineFormat, Lines, WriteError};
use crate::server::Server;
use address::Address;
#[cfg(unix)]
use echo::Echo;
#[cfg(not(unix))]
use no_echo::Echo;

/// Events that may wait to be printed before the server has to wait too.
const UNPRINTED_EVENTS: usize = 256;

/// Print what a live server says, event by event; send what is typed
///
/// Prints the same lines as `kibitzer decode`. Each line of standard input is sent as a command; logging in is up to you.
/// The end of standard input ends nothing: what the server says is printed until it closes the connection (send `quit`), or
/// until Ctrl-C. Exit status 1 if the connection cannot be made, or breaks off.
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
  kibitzer connect localhost                                        log in by hand, look around, type quit
  printf 'guest\\n\\ngames\\nquit\\n' | kibitzer connect localhost:5000   a session from a script
  kibitzer connect localhost --format jsonl | jq .event             while you type";

/// Why the session failed. That the server closes the connection is no failure.
#[derive(Debug, Error)]
pub(crate) enum SessionError {
    #[error("cannot start: {0}")]
    Runtime(io::Error),
    #[error("cannot connect to {address}: {}", root(.source))]
    Connect { address: Address, source: ConnectError },
    #[error("connection to {address} lost: {}", root(.source))]
    Lost { address: Address, source: ConnectionLost },
    #[error("cannot send to {address}: {}", root(.source))]
    Send { address: Address, source: SendError },
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
        let publisher = Publisher::new(HubOptions::default());
        let mut printer = Printer::new(
            publisher.hub().subscribe_lossless(UNPRINTED_EVENTS),
            Lines::new(self.format.unwrap_or_else(LineFormat::for_stdout)),
        );
        let (writer, reading) = kibitzer::connect(&self.options(), publisher)
            .await
            .map_err(|source| SessionError::Connect { address: self.address.clone(), source })?;
        let printed = tokio::select! {
            printed = printer.run() => printed.map_err(SessionError::from),
            failed = send_typed(writer) => {
                let Err(source) = failed;
                Err(SessionError::Send { address: self.address.clone(), source })
            }
            _ = tokio::signal::ctrl_c() => {
                reading.stop().await;
                return Ok(printer.lines.flush()?);
            }
        };
        if let Err(error) = printed {
            reading.stop().await;
            return Err(error);
        }
        reading.ended().await.map_err(|source| SessionError::Lost { address: self.address.clone(), source })
    }

    fn options(&self) -> ConnectOptions {
        ConnectOptions::new(&*self.address.host, self.address.port).family(self.server.family())
    }
}

/// Prints what a subscription brings.
struct Printer {
    subscription: Subscription,
    lines: Lines,
    echo: Echo,
}

impl Printer {
    fn new(subscription: Subscription, lines: Lines) -> Self {
        Self { subscription, lines, echo: Echo::of_stdin() }
    }

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
                Ok(event) => self.print(&event)?,
                Err(RecvError::Closed) => return self.lines.flush(),
                Err(_) => {}
            }
        }
    }

    fn print(&mut self, event: &Event) -> Result<(), WriteError> {
        match event.message() {
            Some(Message::PasswordPrompt) => self.echo.hide(),
            // Servers that negotiate the echo do so around the prompt.
            Some(Message::Telnet { .. }) => {}
            _ => self.echo.show(),
        }
        self.lines.event(event)
    }
}

/// Sends each line of standard input. Neither its end nor that of the connection ends it: then the server has the last word.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
async fn send_typed(mut writer: LineWriter) -> Result<Infallible, SendError> {
    let mut typed = BufReader::new(tokio::io::stdin()).split(b'\n');
    while let Ok(Some(line)) = typed.next_segment().await {
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        match writer.send(&String::from_utf8_lossy(line)).await {
            Err(SendError::Line(error)) => crate::tell(&format!("not sent: {error}")),
            Err(SendError::Lost(_)) => break,
            Err(error) => return Err(error),
            Ok(()) => {}
        }
    }
    // The writer is kept: without it the server would see the end of the stream and hang up.
    pending().await
}
