//! Sends lines to a session: those of standard input, and those typed in the console.

use std::future::pending;

use kibitzer::Client;
use kibitzer::core::event::RequestError;
use kibitzer_attach::{AttachedRequestError, AttachedRequests};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::task::JoinSet;

use crate::failure::{Failure, report};

/// Maximum number of commands without a reply; reading pauses at it.
const UNANSWERED_COMMANDS: usize = 16;
/// Maximum length of a line, without its end. Servers accept much less.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Sends lines to a session of this process, or to an attached one.
#[derive(Clone, Debug)]
pub(crate) enum LineSender {
    Own(Client),
    Attached(AttachedRequests),
}

impl LineSender {
    /// Waits until the session of this process is ready; returns `false` if that session is over. Returns `true` at once for an attached
    /// session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    async fn wait_until_ready(&self) -> bool {
        match self {
            Self::Own(client) => client.ready().await.is_ok(),
            Self::Attached(_) => true,
        }
    }

    /// Sends a line and waits for its reply, which is an event of the session.
    ///
    /// # Errors
    ///
    /// [`AttachedRequestError`] if the line was not sent, or refused.
    ///
    /// # Cancel safety
    ///
    /// The line may have been sent.
    pub(crate) async fn send(&self, line: &str) -> Result<(), AttachedRequestError> {
        match self {
            Self::Own(client) => client.request(line).await.map(drop).map_err(AttachedRequestError::Request),
            Self::Attached(requests) => requests.request(line).await,
        }
    }
}

/// Returns the text of a failure to send; `None` if an event of the session shows it.
pub(crate) fn send_failure(error: &AttachedRequestError) -> Option<String> {
    match error {
        AttachedRequestError::Request(RequestError::Command(error)) => Some(format!("not sent: {error}")),
        AttachedRequestError::Request(RequestError::TimedOut(_)) => Some(error.to_string()),
        AttachedRequestError::Request(RequestError::Busy | RequestError::NotConnected) => {
            Some(format!("not sent: {error}"))
        }
        AttachedRequestError::Request(_) => None,
        _ => Some(format!("not sent: {error}")),
    }
}

/// Sends each typed line once the session is ready. Does not return at its end or at that of the session, because
/// output may still follow; returns a failure if a line is too long.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
pub(crate) async fn send_typed(sender: &LineSender, input: impl AsyncRead + Unpin) -> Failure {
    let mut typed = BufReader::new(input);
    let (mut line, mut unanswered) = (Vec::new(), JoinSet::new());
    // `nohup` makes standard input unreadable: that counts as its end.
    while let Ok(1..) = (&mut typed).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).await {
        if line.pop_if(|last| *last == b'\n').is_none() && line.len() > MAX_LINE_BYTES {
            return Failure::local(format!("a line of standard input is longer than {} KiB", MAX_LINE_BYTES >> 10));
        }
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
        line.clear();
        while unanswered.len() >= UNANSWERED_COMMANDS {
            unanswered.join_next().await;
        }
        // Wait in sequence: tasks that wait for the same state are not woken in order.
        if !sender.wait_until_ready().await {
            break;
        }
        let sender = sender.clone();
        unanswered.spawn(async move {
            if let Err(error) = sender.send(&text).await
                && let Some(failure) = send_failure(&error)
            {
                report(&failure);
            }
        });
    }
    while unanswered.join_next().await.is_some() {}
    pending().await
}
