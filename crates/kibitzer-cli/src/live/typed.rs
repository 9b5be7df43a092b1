//! What is typed while a session goes on.

use std::convert::Infallible;
use std::future::pending;

use kibitzer::core::session::RequestError;
use kibitzer::{AttachedRequestError, AttachedRequests, Client};
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
    forward(async || client.ready().await.is_ok(), |line| send(client.clone(), line)).await
}

/// The same for a session that another process has.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
pub(crate) async fn send_typed_attached(requests: &AttachedRequests) -> Infallible {
    forward(async || true, |line| send_attached(requests.clone(), line)).await
}

/// Hands on each line of standard input once there is somebody to take it, until there never will be.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
async fn forward<S: Future<Output = ()> + Send + 'static>(
    is_ready: impl AsyncFn() -> bool,
    send: impl Fn(String) -> S,
) -> Infallible {
    let mut typed = BufReader::new(tokio::io::stdin()).split(b'\n');
    let mut unanswered = JoinSet::new();
    while let Ok(Some(line)) = typed.next_segment().await {
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
        while unanswered.len() >= UNANSWERED_COMMANDS {
            unanswered.join_next().await;
        }
        // One after the other: who waits for the same thing is not woken in turn.
        if !is_ready().await {
            break;
        }
        unanswered.spawn(send(line));
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
    if let Err(error) = client.request(&line).await {
        tell(&error);
    }
}

/// The same for a session that another process has.
///
/// # Cancel safety
///
/// The line may have been sent.
async fn send_attached(requests: AttachedRequests, line: String) {
    match requests.request(&line).await {
        Ok(()) => {}
        Err(AttachedRequestError::Request(error)) => tell(&error),
        Err(error) => crate::tell(&format!("not sent: {error}")),
    }
}

/// Tells what the stream does not show.
fn tell(error: &RequestError) {
    match error {
        RequestError::Command(error) => crate::tell(&format!("not sent: {error}")),
        RequestError::Busy | RequestError::NotConnected => crate::tell(&format!("not sent: {error}")),
        RequestError::TimedOut(_) => crate::tell(&error.to_string()),
        _ => {}
    }
}
