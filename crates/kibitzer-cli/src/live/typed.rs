//! Sends lines to a session: those of standard input, and those typed in the console.

use std::future::pending;

use kibitzer::Client;
use kibitzer_attach::{AttachedRequestError, AttachedRequestSender};
use kibitzer_core::event::RequestError;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::task::JoinSet;

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

/// Maximum length of a line of standard input, without its end. Servers accept much less.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 10;

/// Error text for a line that is too long; it names the limit of standard input.
const OVER_LONG: &str = "a line of standard input is longer than 64 KiB";

/// Reads lines of bounded length.
#[derive(Debug)]
pub(crate) struct InputLines<R> {
    input: R,
    /// Maximum length of a line, without its end.
    max_bytes: usize,
    /// Bytes of the line that has not ended yet.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    skips: bool,
    /// Number of the line that was returned last, starting at 1; 0 before the first.
    pub(crate) number: u64,
}

impl<R: AsyncBufRead + Unpin> InputLines<R> {
    /// Creates a reader of lines with at most `max_bytes` bytes each, without the line end.
    pub(crate) const fn new(input: R, max_bytes: usize) -> Self {
        Self { input, max_bytes, line: Vec::new(), skips: false, number: 0 }
    }

    /// Waits for the next line and returns it without its end, LF or CR LF; `None` at the end of the input, which a failure to
    /// read counts as. A line that is too long is returned as an error once the limit is exceeded, and its rest is skipped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the bytes of a line that has not ended are kept.
    pub(crate) async fn next_line(&mut self) -> Option<Result<Vec<u8>, &'static str>> {
        loop {
            let room = (self.max_bytes + 1).saturating_sub(self.line.len()) as u64;
            // `nohup` makes standard input unreadable: that counts as its end.
            let n_read = (&mut self.input).take(room).read_until(b'\n', &mut self.line).await.unwrap_or(0);
            let has_ended = self.line.pop_if(|last| *last == b'\n').is_some();
            let is_cut = !has_ended && self.line.len() > self.max_bytes;
            if n_read == 0 && (self.line.is_empty() || self.skips) {
                return None;
            }
            let mut line = std::mem::take(&mut self.line);
            if self.skips {
                self.skips = !has_ended;
                continue;
            }
            self.number += 1;
            if is_cut {
                self.skips = true;
                return Some(Err(OVER_LONG));
            }
            line.pop_if(|last| *last == b'\r');
            return Some(Ok(line));
        }
    }
}

#[cfg(test)]
mod tests;
