//! The recordings of a session: their shared state, and the observer that writes them.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use kibitzer_core::event::RequestError;
use thiserror::Error;
use tokio::sync::Notify;
use tracing::error;

use super::recorder::{Recorder, Recording};
use crate::client_shared::wait_until;
use crate::observer::{Observation, SessionObserver, SessionView};

/// State of a session's recordings, shared by its task and the handles of its client.
#[derive(Debug, Default)]
pub(crate) struct Recordings {
    state: Mutex<RecordingState>,
    failed: Notify,
}

/// Reason why a session is not recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file exists, or cannot be created.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The session is already recorded, in this file.
    #[error("the session is already recorded in {}", .0.display())]
    Recording(Arc<Path>),
    /// The session is over, or too many observers wait to be added to it.
    #[error(transparent)]
    Session(#[from] RequestError),
}

#[derive(Debug, Default)]
struct RecordingState {
    /// The recording that was started last, whether it continues or has failed.
    latest: Option<Recording>,
    /// Writes that recording; `None` after a failure, and at the end of the session.
    recorder: Option<Recorder>,
    /// Whether there is an observer, which writes every recording of the session.
    is_observed: bool,
    /// Number of pieces missing from all recordings of this session, including those between a failure and the next recording.
    unrecorded_pieces: u64,
}

impl Recordings {
    // No holder of the lock panics, so poisoning means nothing.
    fn lock(&self) -> MutexGuard<'_, RecordingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a recording. Returns the observer that writes it and later ones, which the caller has to add to the session; `None`
    /// if the observer of an earlier recording writes this one, too.
    ///
    /// # Errors
    ///
    /// [`RecordError::Recording`] unless the last recording has failed.
    pub(crate) fn start_recording(
        self: &Arc<Self>,
        recorder: Recorder,
    ) -> Result<Option<RecordingObserver>, RecordError> {
        let mut state = self.lock();
        if let Some(Recording { path, error: None, .. }) = &state.latest {
            return Err(RecordError::Recording(Arc::clone(path)));
        }
        state.latest = Some(recorder.recording.clone());
        state.recorder = Some(recorder);
        let is_first = !std::mem::replace(&mut state.is_observed, true);
        Ok(is_first.then(|| RecordingObserver(Arc::clone(self))))
    }

    /// Returns the recording that was started last, also after it has failed; `None` if none was started.
    pub(crate) fn latest(&self) -> Option<Recording> {
        self.lock().latest.clone()
    }

    /// Returns the number of pieces that are missing from recordings because they failed.
    pub(crate) fn unrecorded_pieces(&self) -> u64 {
        self.lock().unrecorded_pieces
    }

    /// Waits until the recording that was started last has failed, and returns its state; returns at once if it already has.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the future only waits.
    pub(crate) async fn wait_for_failure(&self) -> Recording {
        wait_until(&self.failed, || self.latest().filter(|recording| recording.error.is_some())).await
    }

    /// Ends the recording with an error: logs the error, drops the recorder, counts its unwritten pieces as missing, and wakes
    /// all callers of [`wait_for_failure`](Self::wait_for_failure).
    fn end_with_failure(&self, state: &mut RecordingState, error: io::Error) {
        error!(%error, "recording failed");
        if let Some(recorder) = state.recorder.take() {
            state.unrecorded_pieces = state.unrecorded_pieces.saturating_add(recorder.n_unwritten);
        }
        if let Some(recording) = &mut state.latest {
            recording.error = Some(Arc::new(error));
        }
        self.failed.notify_waiters();
    }
}

/// Writes observations to the recorder. After a failure it counts the pieces that are not recorded, until another recording is
/// started.
#[derive(Debug)]
pub(crate) struct RecordingObserver(Arc<Recordings>);

impl SessionObserver for RecordingObserver {
    fn observe(&mut self, observation: &Observation, _: SessionView<'_>) {
        let mut state = self.0.lock();
        let is_piece = matches!(observation, Observation::Received(_) | Observation::Sent { .. } | Observation::Closed);
        match (&mut state.recorder, observation) {
            (Some(recorder), Observation::Received(bytes)) => recorder.record_received(bytes),
            (Some(recorder), Observation::Sent { kind, attribution, .. }) if kind.is_secret_or_login() => {
                recorder.record_redacted(*attribution);
            }
            (Some(recorder), Observation::Sent { bytes, attribution, .. }) => recorder.record_sent(bytes, *attribution),
            // An empty piece marks the end of a connection.
            (Some(recorder), Observation::Closed) => recorder.record_received(&[]),
            (None, _) if is_piece => state.unrecorded_pieces = state.unrecorded_pieces.saturating_add(1),
            _ => {}
        }
        // Lines that are sent while the disk hangs must not fill the memory.
        if state.recorder.as_ref().is_some_and(Recorder::is_overfull) {
            self.0.end_with_failure(&mut state, io::ErrorKind::TimedOut.into());
        }
    }

    fn is_full(&self) -> bool {
        self.0.lock().recorder.as_ref().is_some_and(Recorder::is_full)
    }

    fn poll_progress(&mut self, _: SessionView<'_>, context: &mut Context<'_>) {
        // Whether all is written shows in `is_full`.
        let _ = self.poll_close(context);
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        let Some(recorder) = state.recorder.as_mut().filter(|recorder| !recorder.is_flushed()) else {
            return Poll::Ready(());
        };
        match ready!(recorder.poll_flush(context)) {
            Ok(()) => state.latest = Some(recorder.recording.clone()),
            Err(error) => self.0.end_with_failure(&mut state, error),
        }
        Poll::Ready(())
    }
}

impl Drop for RecordingObserver {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        // A disk that hangs at the end of the session must not be mistaken for a complete recording.
        if state.recorder.as_ref().is_some_and(|recorder| !recorder.is_flushed()) {
            self.0.end_with_failure(&mut state, io::ErrorKind::TimedOut.into());
        }
        (state.recorder, state.is_observed) = (None, false);
    }
}

#[cfg(test)]
mod tests;
