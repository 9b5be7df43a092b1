//! Sends lines to a session: those of standard input, and those typed in the console.

use std::future::pending;

use kibitzer::Client;
use kibitzer::core::event::RequestError;
use kibitzer_attach::{AttachedRequestError, AttachedRequestSender};
use tokio::io::{AsyncRead, BufReader};
use tokio::task::JoinSet;

use super::input_lines::{InputLines, MAX_LINE_BYTES};
use crate::failure::{Failure, report};

/// Maximum number of typed commands without a reply; at this number, reading pauses.
pub(super) const UNANSWERED_COMMANDS: usize = 16;

/// Source of typed lines: standard input, or a line editor.
pub(crate) type TypedInput = Box<dyn AsyncRead + Send + Unpin>;

/// Sends lines to a session of this process, or to an attached session of another process.
#[derive(Clone, Debug)]
pub(crate) enum LineSender {
    Own(Client),
    Attached(AttachedRequestSender),
}

impl LineSender {
    /// Sends a line and waits for its reply. Does not return the reply, because subscribers receive it as events.
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

    /// Sends a line and waits for its reply. Reports a failure on standard error unless an event of the session shows it.
    ///
    /// # Cancel safety
    ///
    /// The line may have been sent.
    pub(super) async fn send_or_report(&self, line: &str) {
        if let Err(error) = self.send(line).await
            && let Some(failure) = send_failure_text(&error)
        {
            report(&failure);
        }
    }
}

/// Returns the message for a line that could not be sent, or whose reply did not arrive in time; `None` if an event of the
/// session shows the error, such as a refusal.
pub(crate) fn send_failure_text(error: &AttachedRequestError) -> Option<String> {
    match error {
        AttachedRequestError::Request(RequestError::TimedOut(_) | RequestError::Blocked { .. }) => {
            Some(error.to_string())
        }
        AttachedRequestError::Request(RequestError::Command(_) | RequestError::Busy | RequestError::NotConnected) => {
            Some(format!("not sent: {error}"))
        }
        AttachedRequestError::Request(_) => None,
        _ => Some(format!("not sent: {error}")),
    }
}

/// Sends each line of `input`; to a session of this process once that is ready. Reports lines that cannot be sent on standard
/// error. Returns only if a line is too long. After the end of the input or the session it waits forever, because output may
/// still follow.
///
/// # Cancel safety
///
/// Lines that were read but not sent are lost.
pub(crate) async fn send_typed_until_failure(sender: LineSender, input: impl AsyncRead + Unpin) -> Failure {
    let (mut lines, mut unanswered) = (InputLines::new(BufReader::new(input), MAX_LINE_BYTES), JoinSet::new());
    while let Some(line) = lines.next_line().await {
        let line = match line {
            Ok(line) => String::from_utf8_lossy(&line).into_owned(),
            Err(error) => return Failure::local(error),
        };
        while unanswered.len() >= UNANSWERED_COMMANDS {
            unanswered.join_next().await;
        }
        // Wait in sequence: tasks that wait for the same state are not woken in order.
        if let LineSender::Own(client) = &sender
            && client.ready().await.is_err()
        {
            break;
        }
        let sender = sender.clone();
        unanswered.spawn(async move { sender.send_or_report(&line).await });
    }
    while unanswered.join_next().await.is_some() {}
    pending().await
}
