//! What is typed while a session goes on.

use std::future::pending;

use kibitzer::Client;
use kibitzer::core::event::RequestError;
use kibitzer_attach::{AttachedRequestError, AttachedRequests};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::task::JoinSet;

/// Commands that may wait for their replies before no more are read.
const UNANSWERED_COMMANDS: usize = 16;
/// Longest line of standard input, without its end. A server accepts a fraction of it.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A line of standard input that is too long to read on.
#[derive(Debug, Error)]
#[error("a line of standard input is longer than {} KiB", MAX_LINE_BYTES >> 10)]
pub(crate) struct LongLine;

/// Sends each line of standard input. Neither its end nor that of the session ends it: then the server has the last word.
/// Returns only if a line is too long.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
pub(crate) async fn send_typed(client: &Client) -> LongLine {
    forward(async || client.ready().await.is_ok(), |line| send(client.clone(), line)).await
}

/// The same for a session that another process has.
///
/// # Cancel safety
///
/// Lines that were typed and not sent are lost.
pub(crate) async fn send_typed_attached(requests: &AttachedRequests) -> LongLine {
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
) -> LongLine {
    let mut typed = BufReader::new(tokio::io::stdin());
    let (mut line, mut unanswered) = (Vec::new(), JoinSet::new());
    // `nohup` makes standard input unreadable: that counts as its end.
    while let Ok(1..) = (&mut typed).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).await {
        if line.pop_if(|last| *last == b'\n').is_none() && line.len() > MAX_LINE_BYTES {
            return LongLine;
        }
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
        line.clear();
        while unanswered.len() >= UNANSWERED_COMMANDS {
            unanswered.join_next().await;
        }
        // One after the other: who waits for the same thing is not woken in turn.
        if !is_ready().await {
            break;
        }
        unanswered.spawn(send(text));
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
