//! What is typed while a session goes on.

use std::convert::Infallible;
use std::future::pending;

use kibitzer::Client;
use kibitzer::core::session::RequestError;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::task::JoinSet;

/// Commands that may wait for their replies before no more are read.
const UNANSWERED_COMMANDS: usize = 16;

/// Sends each line of standard input. Neither its end nor that of the session ends it: then the server has the last word.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
pub(crate) async fn send_typed(client: &Client) -> Infallible {
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
        Err(error @ (RequestError::Busy | RequestError::NotConnected)) => crate::tell(&format!("not sent: {error}")),
        Err(error @ RequestError::TimedOut(_)) => crate::tell(&error.to_string()),
        _ => {}
    }
}
