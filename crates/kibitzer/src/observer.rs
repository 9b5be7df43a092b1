//! The interface through which everything that happens in a session can be observed, in order.

use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;

use crate::core::Event;
use crate::core::event::RequestId;
use crate::core::session::{Session, TransmitKind};

/// Receives everything that happens in a session, in order: received bytes, sent lines, events and replies.
///
/// The session's task calls it, so its methods must return quickly. An observer that passes observations on, to a file or to
/// another task, has a bounded queue of its own. If the queue is full, it either drops observations and counts them, or
/// returns `true` from [`is_full`](Self::is_full), and the session pauses reading. Timeouts, requests and shutdown continue
/// in either case.
///
/// Secrets are redacted before an observer is called: see [`Observation`].
///
/// ```no_run
/// use kibitzer::{Client, Observation, SessionObserver, Profile};
/// use kibitzer::core::session::Session;
///
/// /// Prints the size of each piece received from the server.
/// struct Traffic;
///
/// impl SessionObserver for Traffic {
///     fn observe(&mut self, observation: &Observation, _: &Session) {
///         if let Observation::Received(bytes) = observation {
///             println!("{} bytes", bytes.len());
///         }
///     }
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::connect(Profile::fics()).await?;
/// client.add_observer(Traffic)?;
/// # Ok(())
/// # }
/// ```
pub trait SessionObserver: Send {
    /// Processes one observation. `session` has its state and games after the last parsed event; more bytes may have been
    /// observed than parsed.
    fn observe(&mut self, observation: &Observation, session: &Session);

    /// Returns whether the session should pause reading because this observer has no room. One full observer pauses reading for
    /// the whole session; subscribers then receive nothing new, either. Default: never.
    fn is_full(&self) -> bool {
        false
    }

    /// Returns whether the observer needs no further calls. It is then dropped before the next observation, or once the session
    /// waits. Called often, so it must be cheap. Default: never.
    fn is_done(&self) -> bool {
        false
    }

    /// Does pending work without blocking, such as writing.
    ///
    /// Called whenever the session waits: after each batch of observations, and after the waker of `context` was woken.
    fn poll_progress(&mut self, _session: &Session, _context: &mut Context<'_>) {}

    /// Finishes pending work. Polled after the last observation, until it is ready or the write timeout of the profile expires;
    /// then the observer is dropped. Default: ready.
    fn poll_close(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// Something that happened in a session.
///
/// Secrets that were sent recently (passwords of the login until it is complete, passwords in a command until its reply) are
/// replaced in received bytes and events by one asterisk per byte.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation {
    /// The server sent these bytes. They are parsed after this observation. Bytes that may begin a secret are part of a later
    /// observation.
    Received(Bytes),
    /// These bytes were passed to the connection. [`Event::Sent`] follows if they are a line.
    Sent {
        /// The bytes as written, with their line feed; empty if they are secret.
        bytes: Bytes,
        /// The kind of line. Lines of the login contain the handle.
        kind: TransmitKind,
    },
    /// The session emitted an event.
    Event {
        /// The event as subscribers receive it, except for redacted secrets.
        event: Event,
        /// Time that parsing the event took.
        parsing: Duration,
    },
    /// A request has ended. The events of its reply were observed before.
    Reply {
        /// The request, as in [`Event::Sent`].
        request: RequestId,
        /// Whether there is a reply that is not a refusal.
        is_ok: bool,
    },
    /// The connection has ended, possibly with bytes that will not be parsed.
    Closed,
    /// A [`Tap`](crate::Tap) that was not read has lost this number of observations here. Other observers never receive it.
    Missed(u64),
}
