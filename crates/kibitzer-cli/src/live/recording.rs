//! Reports of a session's recording on standard error.

use std::convert::Infallible;
use std::future::pending;
use std::io;

use indicatif::HumanBytes;
use kibitzer::Client;
use kibitzer::transcript::Recording;

use super::check_end;
use crate::failure::{Failure, report};

/// Reports on standard error in which file the session is recorded. Does nothing without a recording.
pub(super) fn announce_recording(client: &Client) {
    if let Some(recording) = client.recording() {
        report(&format!("recording in {}", recording.path.display()));
    }
}

/// Waits until the recording of a session fails, and reports that at once on standard error. Never completes.
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
pub(super) async fn report_failed_recording(client: &Client) -> Infallible {
    report(&recording_failure_text(&client.recording_failed().await));
    pending().await
}

/// Waits for the end of a session, and returns a text with its recording's path and size; `None` without a recording. `so_far` is
/// the result of the command until now.
///
/// # Errors
///
/// [`Failure`] if a piece is missing from the recording, else the one in `so_far`, else that of [`check_end`].
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
pub(crate) async fn wait_for_end(
    server: &str,
    client: &Client,
    so_far: Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let ended = check_end(server, client.ended().await);
    let outcome = so_far.and(ended);
    let Some(recording) = client.recording() else { return outcome.map(|()| None) };
    let pieces = client.counters().unrecorded_pieces;
    if pieces > 0 {
        if let Err(error) = outcome {
            error.report();
        }
        let rest = match recording.error {
            Some(_) => recording_failure_text(&recording),
            None => format!("{} has {}", recording.path.display(), recorded_amount(&recording)),
        };
        return Err(Failure::local(format!("up to {pieces} pieces of the session are not recorded; {rest}")));
    }
    let amount = match recording.pieces {
        0 => "nothing came, so there is no file".to_owned(),
        _ => recorded_amount(&recording),
    };
    outcome.map(|()| Some(format!("{}: {amount}", recording.path.display())))
}

/// Prints the text of [`wait_for_end`] about the recording on standard error; nothing for `None`.
pub(crate) fn report_recorded(recorded: Option<String>) {
    if let Some(recorded) = recorded {
        report(&recorded);
    }
}

/// Returns the number and size of the recorded pieces, such as `12 pieces, 3.40 KiB`.
pub(crate) fn recorded_amount(recording: &Recording) -> String {
    match recording.pieces {
        1 => format!("1 piece, {}", HumanBytes(recording.bytes)),
        pieces => format!("{pieces} pieces, {}", HumanBytes(recording.bytes)),
    }
}

/// Returns the message `recording in PATH failed: REASON`.
pub(crate) fn recording_failure_text(recording: &Recording) -> String {
    let path = recording.path.display();
    let reason = recording.error.as_deref().map_or_else(String::new, io::Error::to_string);
    format!("recording in {path} failed: {reason}")
}
