//! What is written down of a session: its log, its recording, and what goes to its tap.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use tracing::{Level, Span, debug, enabled, error, info, info_span, trace, warn};

use super::mask::Mask;
use crate::attach::Exposure;
use crate::core::Event;
use crate::core::event::{EndReason, RequestError, RequestId};
use crate::core::session::{Reply, Session, Transmit};
use crate::tap::Spout;
use crate::transcript::{Recorder, Recording};

/// Writes down what goes over the line and what comes of it, and no secret.
pub(super) struct Journal {
    /// That of the session.
    span: Span,
    /// That of the login, while it goes on. Boxed, as it is short.
    login: Option<Box<Span>>,
    /// Boxed, as hardly any session has one.
    recorder: Option<Box<Recorder>>,
    /// The recording that was started last, which may have failed.
    recording: Option<Recording>,
    n_unrecorded: u64,
    /// Boxed, as hardly any session has one.
    spout: Option<Box<Spout>>,
    /// There is one while a secret may come back.
    mask: Option<Box<Mask>>,
    /// Boxed as well.
    exposure: Option<Box<Exposure>>,
}

impl Journal {
    pub(super) fn new(
        span: Span,
        recorder: Option<Recorder>,
        spout: Option<Spout>,
        exposure: Option<Exposure>,
    ) -> Self {
        let recording = recorder.as_ref().and_then(Recorder::recording).cloned();
        let (recorder, spout, exposure) = (recorder.map(Box::new), spout.map(Box::new), exposure.map(Box::new));
        Self { span, login: None, recorder, recording, n_unrecorded: 0, spout, mask: None, exposure }
    }

    /// Begins a recording.
    pub(super) fn record(&mut self, recorder: Box<Recorder>) {
        self.recording = recorder.recording().cloned();
        self.recorder = Some(recorder);
    }

    /// The recording that was started last, which may have failed.
    pub(super) const fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// Pieces that should have been recorded, and could not be.
    pub(super) const fn n_unrecorded(&self) -> u64 {
        self.n_unrecorded
    }

    /// Whether no more should be read before some of the recording is written, and the tap has room.
    pub(super) fn is_full(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.is_full())
            || self.spout.as_ref().is_some_and(|spout| spout.is_full())
    }

    /// The time now, if somebody wants to know how long the decoder takes. It is the machine's, not the runtime's.
    pub(super) fn stopwatch(&self) -> Option<Instant> {
        self.spout.as_ref().map(|_| Instant::now())
    }

    /// Notes what the server sent, before anybody has looked at it.
    ///
    /// A server that does not keep what it is told to itself sends a password back: that is hidden.
    pub(super) fn received(&mut self, bytes: &[u8], now: Instant) {
        if let Some(exposure) = &mut self.exposure {
            exposure.arrived(bytes.len());
        }
        let Some(mask) = &mut self.mask else { return self.put_received(bytes) };
        mask.expire(now);
        let shown = mask.received(bytes);
        self.put_received(&shown);
        self.unmask();
    }

    fn put_received(&mut self, bytes: &[u8]) {
        // Nothing stands for the end of the connection.
        if bytes.is_empty() {
            return;
        }
        self.trace(|| trace!(bytes = %bytes.escape_ascii(), "received"));
        if let Some(spout) = &mut self.spout {
            spout.received(bytes);
        }
        if let Some(exposure) = &mut self.exposure {
            exposure.received(bytes);
        }
        match &mut self.recorder {
            Some(recorder) => recorder.received(bytes),
            None => self.miss(1),
        }
    }

    /// Puts down what waits because it may be the beginning of a secret, in the place where it came.
    fn catch_up(&mut self) {
        if let Some(mask) = &mut self.mask {
            let waiting = mask.release();
            self.put_received(&waiting);
        }
    }

    /// Hides nothing any more if there is nothing left to hide.
    fn unmask(&mut self) {
        if self.mask.as_ref().is_some_and(|mask| mask.is_over()) {
            self.catch_up();
            self.mask = None;
        }
    }

    /// Notes what came of a request. A reply that is waited for no longer may still come.
    pub(super) fn replied(&mut self, id: RequestId, result: &Result<Reply, RequestError>) {
        if let Some(mask) = &mut self.mask
            && !matches!(result, Err(RequestError::TimedOut(_)))
        {
            mask.replied(id);
            self.unmask();
        }
    }

    /// Notes that the connection has ended: the server sends nothing more on it.
    pub(super) fn closed(&mut self) {
        self.catch_up();
        self.mask = None;
        if let Some(exposure) = &mut self.exposure {
            exposure.closed();
        }
        match &mut self.recorder {
            Some(recorder) => recorder.received(&[]),
            None => self.miss(1),
        }
    }

    /// Notes what is sent, while so many of the bytes received last are still to be looked at.
    pub(super) fn sent(&mut self, transmit: &Transmit, now: Instant, n_left: usize) {
        self.catch_up();
        if transmit.is_secret() {
            self.mask.get_or_insert_with(|| Box::new(Mask::new())).learn(transmit, now);
        }
        if !transmit.is_private() {
            self.trace(|| trace!(bytes = %transmit.bytes().escape_ascii(), "sent"));
        }
        if let Some(spout) = &mut self.spout {
            spout.sent(transmit);
        }
        if let Some(exposure) = &mut self.exposure {
            exposure.sent(transmit, n_left);
        }
        match &mut self.recorder {
            Some(recorder) if transmit.is_private() => recorder.sent_secret(),
            Some(recorder) => recorder.sent(transmit.bytes()),
            None => self.miss(1),
        }
    }

    /// Notes an event of the session, once, and when the decoder began with it; so many of the bytes received last are still
    /// to be looked at. Returns the event without its secrets, if it has any.
    pub(super) fn note(
        &mut self,
        event: &Event,
        session: &Session,
        started: Option<Instant>,
        n_left: usize,
    ) -> Option<Event> {
        let masked = self.mask.as_ref().and_then(|mask| mask.event(event));
        if let (Some(spout), Some(started)) = (&mut self.spout, started) {
            let game = event.game().and_then(|id| session.games().get(id));
            spout.event(masked.as_ref().unwrap_or(event), game, started.elapsed());
        }
        if let Some(exposure) = &mut self.exposure {
            exposure.event(event, session, n_left);
        }
        if let Event::Connecting { attempt } = event {
            self.login = Some(Box::new(info_span!(parent: &self.span, "login", attempt)));
        }
        self.log(event);
        if matches!(event, Event::Ready(_) | Event::Lost { .. } | Event::Ended(_)) {
            self.login = None;
            if let Some(mask) = &mut self.mask {
                mask.set_up();
                self.unmask();
            }
        }
        masked
    }

    /// Logs bytes, if anybody wants to see them.
    fn trace(&self, log: impl FnOnce()) {
        if enabled!(Level::TRACE) {
            let _login = self.login.as_ref().map(|login| login.enter());
            log();
        }
    }

    fn log(&self, event: &Event) {
        let _login = self.login.as_ref().map(|login| login.enter());
        match event {
            Event::Connecting { attempt } => info!(attempt, "connecting"),
            Event::Connected => info!("connected"),
            Event::LoggedIn(identity) => {
                let handle = identity.handle.as_ref().map_or("?", |handle| handle.as_str());
                self.span.record("handle", handle);
                info!("logged in");
            }
            Event::Ready(_) => info!("session ready"),
            Event::Lost { cause, retry_in } => error!(%cause, ?retry_in, "session lost"),
            Event::Restored(_) => info!("session restored"),
            Event::Ended(reason @ (EndReason::Quit | EndReason::Shutdown)) => info!(%reason, "session over"),
            Event::Ended(reason) => error!(%reason, "session over"),
            Event::Fault(fault) => warn!(%fault, "server fault"),
            event => debug!(kind = event.kind().as_str(), "event"),
        }
    }

    /// Writes the recording out and fills the tap, as far as there is something to write.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not written stays.
    pub(super) async fn write(&mut self) {
        let Self { recorder, spout, .. } = self;
        let recorded = async {
            match recorder {
                Some(recorder) if !recorder.is_flushed() => recorder.flush().await,
                _ => pending().await,
            }
        };
        let tapped = async {
            match spout {
                // Boxed, as the task's future has room for whatever it may wait for.
                Some(spout) if spout.is_full() => Box::pin(spout.flush()).await,
                _ => pending().await,
            }
        };
        let written = tokio::select! {
            written = recorded => written,
            () = tapped => Ok(()),
        };
        self.judge(written);
    }

    /// Notes that a turn is over; so many of the bytes received last are still to be looked at.
    pub(super) fn settle(&mut self, session: &Session, n_left: usize) {
        if let Some(exposure) = &mut self.exposure {
            exposure.settle(session, n_left);
        }
    }

    /// Closes the recording, and takes leave of those who look at the session.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future hangs up on them.
    pub(super) async fn close(&mut self) {
        // A file without a piece goes before the session is known to be over.
        self.recorder = None;
        if let Some(exposure) = self.exposure.take() {
            exposure.close().await;
        }
    }

    /// Writes the recording out, and fills the tap.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not written stays.
    pub(super) async fn flush(&mut self) {
        self.catch_up();
        if let Some(recorder) = &mut self.recorder {
            let written = recorder.flush().await;
            self.judge(written);
        }
        if let Some(spout) = &mut self.spout {
            Box::pin(spout.flush()).await;
        }
    }

    /// Gives the recording up if it is not written yet: there is no more time.
    pub(super) fn give_up(&mut self) {
        if self.recorder.as_ref().is_some_and(|recorder| !recorder.is_flushed()) {
            self.judge(Err(io::ErrorKind::TimedOut.into()));
        }
    }

    /// A recording that cannot be written ends here; the session goes on.
    fn judge(&mut self, written: io::Result<()>) {
        let written_so_far = self.recorder.as_ref().and_then(|recorder| recorder.recording());
        if let Some(so_far) = written_so_far {
            self.recording = Some(so_far.clone());
        }
        let Err(error) = written else { return };
        error!(%error, "recording failed");
        if let Some(recorder) = self.recorder.take() {
            self.miss(recorder.n_unwritten());
        }
        if let Some(recording) = &mut self.recording {
            recording.error = Some(Arc::new(error));
        }
    }

    const fn miss(&mut self, n_pieces: u64) {
        if self.recording.is_some() {
            self.n_unrecorded = self.n_unrecorded.saturating_add(n_pieces);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::io::{AsyncReadExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn a_recording_that_fails_says_why_and_makes_room_for_another() {
        let (sink, reader) = duplex(16);
        drop(reader);
        let failing = Recorder::at(Path::new("full.jsonl"), sink);
        let mut journal = Journal::new(Span::none(), Some(failing), None, None);
        let now = Instant::now();
        journal.received(b"one", now);
        journal.flush().await;
        journal.received(b"two", now);
        let recording = journal.recording().unwrap();
        assert_eq!(recording.error.as_ref().unwrap().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!((&*recording.path, recording.pieces, journal.n_unrecorded()), (Path::new("full.jsonl"), 0, 2));

        let (sink, mut reader) = duplex(1024);
        journal.record(Box::new(Recorder::at(Path::new("room.jsonl"), sink)));
        journal.received(b"three", now);
        journal.flush().await;
        let recording = journal.recording().unwrap().clone();
        assert!(recording.error.is_none() && recording.pieces == 1, "{recording:?}");
        assert_eq!(journal.n_unrecorded(), 2);
        journal.close().await;
        let mut written = String::new();
        reader.read_to_string(&mut written).await.unwrap();
        assert!(written.contains("7468726565"), "{written}");
    }

    #[tokio::test]
    async fn a_recording_that_is_not_written_in_time_has_failed() {
        let (sink, _reader) = duplex(16);
        let mut journal = Journal::new(Span::none(), Some(Recorder::at(Path::new("slow.jsonl"), sink)), None, None);
        journal.received(b"one", Instant::now());
        journal.give_up();
        assert_eq!(journal.recording().unwrap().error.as_ref().unwrap().kind(), io::ErrorKind::TimedOut);
        assert_eq!(journal.n_unrecorded(), 1);
    }
}
