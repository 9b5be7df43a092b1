//! Sends lines of standard input to a session.

use std::future::pending;

use kibitzer::Client;
use kibitzer::core::event::RequestError;
use kibitzer_attach::{AttachedRequestError, AttachedRequests};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::task::JoinSet;

/// Maximum number of commands without a reply; reading pauses at it.
const UNANSWERED_COMMANDS: usize = 16;
/// Maximum length of a line, without its end. Servers accept much less.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A line of standard input exceeds the maximum length.
#[derive(Debug, Error)]
#[error("a line of standard input is longer than {} KiB", MAX_LINE_BYTES >> 10)]
pub(crate) struct LongLine;

/// Sends each line of standard input. Does not return at its end or at that of the session, because output may still follow;
/// returns only if a line is too long.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
pub(crate) async fn send_typed(client: &Client) -> LongLine {
    forward(async || client.ready().await.is_ok(), |line| send(client.clone(), line)).await
}

/// Like [`send_typed`], for an attached session.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
pub(crate) async fn send_typed_attached(requests: &AttachedRequests) -> LongLine {
    forward(async || true, |line| send_attached(requests.clone(), line)).await
}

/// Sends each line of standard input once the session is ready, until it never will be again.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
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
        // Wait in sequence: tasks that wait for the same state are not woken in order.
        if !is_ready().await {
            break;
        }
        unanswered.spawn(send(text));
    }
    while unanswered.join_next().await.is_some() {}
    pending().await
}

/// Sends a line. The reply is printed with all other output.
///
/// # Cancel safety
///
/// The line may have been sent.
async fn send(client: Client, line: String) {
    if let Err(error) = client.request(&line).await {
        tell(&error);
    }
}

/// Like [`send_typed`], for an attached session.
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

/// Reports a failure that the printed events do not show.
fn tell(error: &RequestError) {
    match error {
        RequestError::Command(error) => crate::tell(&format!("not sent: {error}")),
        RequestError::Busy | RequestError::NotConnected => crate::tell(&format!("not sent: {error}")),
        RequestError::TimedOut(_) => crate::tell(&error.to_string()),
        _ => {}
    }
}
