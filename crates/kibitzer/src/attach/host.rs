//! The task behind the socket: lets watchers in, writes to them what there is for them, and takes their lines.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, split};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument as _, Span, debug, info, warn};

use super::AttachAccess;
use super::crowd::{Crowd, MOST_WATCHERS, Ticket};
use super::exposure::{Exposure, FAREWELL};
use super::lines::Lines;
use super::socket::{Accepted, Listener};
use super::wire::{self, Answer, Hello, Note, Order, Refusal, VERSION};
use crate::core::event::{EndReason, RequestError};
use crate::core::session::Command;
use crate::desk::Desk;
use crate::transcript::Utc;

/// How long a watcher may take nothing before it is given up. It may have been stopped to be looked at itself.
const PATIENCE: Duration = Duration::from_mins(10);
/// How long somebody who is not let in has to hear why.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(5);
/// Until the next try where nobody can be let in, because the process has too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);
/// Longest line of a watcher; no command is longer, encoded.
const ORDER_BYTES: usize = 16 << 10;
/// Lines of one watcher that may wait for their reply.
const UNANSWERED_LINES: usize = 64;

/// Where a session is to be exposed, and the session.
pub(crate) struct Showing<'a> {
    pub(crate) listener: Listener,
    pub(crate) access: AttachAccess,
    pub(crate) server: &'a str,
    pub(crate) desk: &'a Arc<Desk>,
    /// When the session began.
    pub(crate) began: Instant,
    pub(crate) span: Span,
}

/// Begins to let others look.
pub(crate) fn expose(showing: Showing<'_>) -> Exposure {
    let Showing { listener, access, server, desk, began, span } = showing;
    let crowd = Arc::new(Crowd::default());
    let hello = Hello {
        version: VERSION,
        program: concat!("kibitzer ", env!("CARGO_PKG_VERSION")).to_owned(),
        server: server.to_owned(),
        access,
        utc: None,
    };
    let host = Host { crowd: Arc::clone(&crowd), desk: Arc::clone(desk), hello, began };
    let task = tokio::spawn(host.run(listener).instrument(span));
    Exposure::new(crowd, task, began)
}

/// What every watcher needs.
#[derive(Clone)]
struct Host {
    crowd: Arc<Crowd>,
    desk: Arc<Desk>,
    hello: Hello,
    began: Instant,
}

impl Host {
    /// Lets watchers in until the session is over, and gives them a little time for the last lines.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future hangs up on everybody; the socket's file is gone then, too.
    async fn run(self, listener: Listener) {
        let mut watchers = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    // Those who are not let in are heard out as well, but not any number of them.
                    Ok(_) if watchers.len() >= 2 * MOST_WATCHERS => {}
                    Ok(Accepted::Ours(stream)) => {
                        watchers.spawn(self.clone().serve(stream).in_current_span());
                    }
                    Ok(Accepted::Foreign(stream)) => {
                        warn!("watcher of another user refused");
                        watchers.spawn(self.clone().refuse(stream, "you are not the user of this session").in_current_span());
                    }
                    Err(error) => {
                        warn!(%error, "no watcher can be let in");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(_) = watchers.join_next() => {}
                () = self.crowd.closed() => break,
            }
        }
        drop(listener);
        let _ = timeout(FAREWELL, async { while watchers.join_next().await.is_some() {} }).await;
    }

    /// Serves one watcher until it leaves, or all is over.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future hangs up.
    pub(super) async fn serve<S: AsyncRead + AsyncWrite + Send>(self, stream: S) {
        let Some(id) = self.crowd.sit(self.hello()) else {
            return self.refuse(stream, "too many watchers, or the session is over").await;
        };
        let ticket = Ticket { crowd: Arc::clone(&self.crowd), id };
        info!(watcher = id, "watcher attached");
        let (reader, mut writer) = split(stream);
        let outcome = tokio::select! {
            written = self.write(&ticket, &mut writer) => written,
            read = self.read(&ticket, reader) => read,
        };
        drop(ticket);
        info!(watcher = id, error = outcome.as_ref().err().map(tracing::field::display), "watcher detached");
        if let Err(error) = outcome {
            let reason = error.to_string().into();
            // Who takes nothing, or is gone, does not hear it.
            let _ = timeout(REFUSAL_PATIENCE, writer.write_all(&self.note(&Note::Bye { reason }))).await;
        }
    }

    /// Tells somebody why he is not let in.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future hangs up.
    async fn refuse<S: AsyncWrite>(self, stream: S, reason: &'static str) {
        let mut stream = std::pin::pin!(stream);
        let lines = [self.hello(), self.note(&Note::Bye { reason: reason.into() })].concat();
        let told = timeout(REFUSAL_PATIENCE, async {
            stream.write_all(&lines).await?;
            stream.shutdown().await
        });
        // Who does not listen does not hear it.
        let _ = told.await;
    }

    /// Writes what there is until all is over.
    ///
    /// # Errors
    ///
    /// The watcher is gone, or takes nothing.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave a line cut.
    async fn write(&self, ticket: &Ticket, writer: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        while let Some(lines) = self.crowd.next(ticket.id, || self.desk.knock()).await {
            timeout(PATIENCE, writer.write_all(&lines)).await.map_err(|_| io::Error::other("it takes nothing"))??;
        }
        writer.shutdown().await
    }

    /// Takes the watcher's lines until it hangs up, or has no more of them: a process that is gone looks the same.
    ///
    /// # Errors
    ///
    /// What it says makes no sense, or it reads no answers.
    ///
    /// # Cancel safety
    ///
    /// Nobody waits any more for the replies to its lines.
    async fn read(&self, ticket: &Ticket, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader, ORDER_BYTES);
        let mut waiting = JoinSet::new();
        loop {
            tokio::select! {
                line = lines.next(), if waiting.len() < UNANSWERED_LINES => match line? {
                    Some(line) => {
                        let order = serde_json::from_slice::<Order<'_>>(&line).map_err(|_| io::Error::other("a line makes no sense"))?;
                        waiting.spawn(answer(Arc::clone(&self.desk), self.hello.access, order.id, order.send.into_owned()));
                    }
                    None => return Ok(()),
                },
                Some(answer) = waiting.join_next() => {
                    // A panic was told where it happened; it has no answer.
                    let Ok(answer) = answer else { continue };
                    let line = self.note(&Note::Answer(answer));
                    self.crowd.answer(ticket.id, line).map_err(|_| io::Error::other("its answers are not read"))?;
                }
            }
        }
    }

    /// Returns the first line, with the time of day.
    fn hello(&self) -> Bytes {
        self.note(&Note::Hello(Hello { utc: Some(Utc::now().to_string()), ..self.hello.clone() }))
    }

    fn note(&self, note: &Note) -> Bytes {
        wire::note(self.began.elapsed(), note)
    }
}

/// Sends a line of a watcher, and waits for what comes of it.
///
/// # Cancel safety
///
/// Nobody waits for the reply any more; the line may have been sent.
async fn answer(desk: Arc<Desk>, access: AttachAccess, id: u64, line: String) -> Answer {
    let error = if access.may_send() {
        debug!(id, "line of a watcher");
        request(&desk, &line).await.err().map(Refusal::Request)
    } else {
        Some(Refusal::ReadOnly)
    };
    Answer { id, error }
}

/// # Errors
///
/// As [`Client::request`](crate::Client::request).
///
/// # Cancel safety
///
/// As [`Client::request`](crate::Client::request).
async fn request(desk: &Desk, line: &str) -> Result<(), RequestError> {
    let (sender, reply) = oneshot::channel();
    desk.request(Command::new(line)?, sender)?;
    match reply.await {
        Ok(reply) => reply.map(drop),
        Err(_) => Err(RequestError::Ended(EndReason::Shutdown)),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::super::Missed;
    use super::*;
    use crate::core::session::{Credentials, Session, SessionOptions};

    fn host() -> Host {
        let desk = Arc::new(Desk::new(&Session::new(SessionOptions::new(Credentials::Guest)), None));
        let hello = Hello {
            version: VERSION,
            program: "test".to_owned(),
            server: "chess.example".to_owned(),
            access: AttachAccess::Read,
            utc: None,
        };
        Host { crowd: Arc::default(), desk, hello, began: Instant::now() }
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_given_up_in_the_end() {
        let (host, began) = (host(), Instant::now());
        let (ours, theirs) = duplex(16);
        let crowd = Arc::clone(&host.crowd);
        let serving = tokio::spawn(host.serve(ours));
        while crowd.is_empty() {
            tokio::task::yield_now().await;
        }
        crowd.admit(|_| Bytes::from_static(b"now\n"));
        crowd.hand(&Bytes::from_static(b"line\n"), Missed::sent());
        serving.await.unwrap();
        assert!(crowd.is_empty());
        assert_eq!(began.elapsed(), PATIENCE + REFUSAL_PATIENCE);
        drop(theirs);
    }

    #[tokio::test]
    async fn who_hangs_up_leaves_a_seat() {
        let host = host();
        let (ours, theirs) = duplex(1024);
        let crowd = Arc::clone(&host.crowd);
        drop(theirs);
        host.serve(ours).await;
        assert!(crowd.is_empty());
    }
}
