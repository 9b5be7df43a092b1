//! The control socket of `kibitzer serve`: commands as lines, from processes of the same user.

use std::io;
use std::time::Duration;

use kibitzer_attach::Listener;
use kibitzer_server::{ConnectionTarget, ServerControl};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, split};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::arguments::unknown_word_message;
use crate::fault::{FaultRequest, fired_fault_text};
use crate::live::InputLines;
use crate::output::TerminalSafe;

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
pub(super) async fn serve_control_socket(listener: Option<Listener>, control: ServerControl) {
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
            fault = fired.recv() => match fault {
                Ok(fault) => format!("{}\n", fired_fault_text(&fault)),
                Err(RecvError::Lagged(missed)) => format!("missed {missed} faults\n"),
                Err(RecvError::Closed) => return Ok(()),
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
