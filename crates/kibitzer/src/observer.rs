//! The interface through which everything that happens in a session can be observed, in order.

use std::collections::VecDeque;
#[cfg(feature = "stream")]
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::time::Instant;
use tokio_util::sync::PollSender;

use kibitzer_core::Event;
use kibitzer_core::event::{Attribution, RequestId};
use kibitzer_core::game::{Game, Games};
use kibitzer_core::hub::RecvError;
use kibitzer_core::message::Handle;
use kibitzer_core::session::{Session, SessionState, TransmitKind};

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
/// use kibitzer::{Client, Observation, Profile, SessionObserver, SessionView};
///
/// /// Prints the size of each piece received from the server.
/// struct Traffic;
///
/// impl SessionObserver for Traffic {
///     fn observe(&mut self, observation: &Observation, _: SessionView<'_>) {
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
    fn observe(&mut self, observation: &Observation, session: SessionView<'_>);

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
    fn poll_progress(&mut self, _session: SessionView<'_>, _context: &mut Context<'_>) {}

    /// Finishes pending work. Polled after the last observation, until it is ready or the write timeout of the profile expires;
    /// then the observer is dropped. Default: ready.
    fn poll_close(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// The state of a session when an observer is called.
#[derive(Clone, Copy, Debug)]
pub struct SessionView<'a>(pub(crate) &'a Session);

impl<'a> SessionView<'a> {
    /// Returns the games after the last parsed event.
    pub const fn games(self) -> &'a Games {
        self.0.games()
    }

    /// Returns the state of the session.
    pub fn state(self) -> SessionState {
        self.0.state()
    }

    /// Returns the name of this login, as the server spelled it last; `None` if it is not known yet.
    pub fn handle(self) -> Option<&'a Handle> {
        self.0.login_handle()
    }

    /// Returns the session itself, for crates of this workspace: its type is not part of the promised API.
    #[doc(hidden)]
    pub const fn session(self) -> &'a Session {
        self.0
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
    #[non_exhaustive]
    Sent {
        /// The bytes as written, with their line feed; empty if they are secret.
        bytes: Bytes,
        /// The kind of line. Lines of the login contain the handle.
        kind: TransmitKind,
        /// The request that the bytes belong to, and who made it.
        attribution: Attribution,
    },
    /// The session emitted an event.
    #[non_exhaustive]
    Event {
        /// The event as subscribers receive it, except for redacted secrets.
        event: Event,
        /// Time that parsing the event took.
        parsing: Duration,
    },
    /// A request has ended. The events of its reply were observed before.
    #[non_exhaustive]
    Reply {
        /// The request, as in the [attribution](Event::attribution) of its events.
        request: RequestId,
        /// Whether there is a reply that is not a refusal.
        is_ok: bool,
    },
    /// The connection has ended, possibly with bytes that will not be parsed.
    Closed,
    /// A [`Tap`](crate::Tap) that was not read has lost this number of observations here. Other observers never receive it.
    Missed(u64),
}

impl Observation {
    /// Creates the observation of [sent](Self::Sent) bytes.
    pub const fn sent(bytes: Bytes, kind: TransmitKind, attribution: Attribution) -> Self {
        Self::Sent { bytes, kind, attribution }
    }

    /// Creates the observation of an [event](Self::Event).
    pub const fn event(event: Event, parsing: Duration) -> Self {
        Self::Event { event, parsing }
    }
}

/// Capacity of the channel. The items of one read may exceed it. An item may contain a game, of 180 KB with all its moves, so
/// the channel holds at most 92 MB.
const CAPACITY: usize = 512;

/// Maximum number of items that wait for room in the channel, twice those of one read: a read has 16 KiB and at most one event
/// for each byte. Only lines that are sent, and reconnects, exceed it, while nothing is read.
const MAX_UNSENT: usize = 32 << 10;

/// An observation with its time and, for an event that concerns a game, the state of the game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TapItem {
    /// Time of the observation, by tokio's clock.
    pub at: Instant,
    /// The observation itself.
    pub observation: Observation,
    /// The game that an observed event is about, in its state after the event; `None` for other observations.
    pub game: Option<Box<Game>>,
}

impl TapItem {
    /// Creates an item.
    pub const fn new(at: Instant, observation: Observation, game: Option<Box<Game>>) -> Self {
        Self { at, observation, game }
    }
}

/// Receiver of everything that happens in a session, in order, until the session is over; see
/// [`ClientBuilder::tap`](crate::ClientBuilder::tap).
///
/// While the channel is full, the session pauses reading, so that no received byte or event is lost; dropping the tap ends the
/// pause. Observations are lost only if the session sends tens of thousands of lines meanwhile, or reconnects as often:
/// [`Observation::Missed`].
#[derive(Debug)]
pub struct Tap(mpsc::Receiver<TapItem>);

impl Tap {
    /// Creates the tap of a session that is over after these items: for tests of code that reads a tap.
    #[doc(hidden)]
    pub fn of_ended_session(items: Vec<TapItem>) -> Self {
        let (sender, receiver) = mpsc::channel(items.len().max(1));
        for item in items {
            drop(sender.try_send(item));
        }
        Self(receiver)
    }

    /// Waits for the next item; `None` once the session is over and its last item was read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no item is lost.
    pub async fn next(&mut self) -> Option<TapItem> {
        self.0.recv().await
    }

    /// Waits for the next item, as [`next`](Self::next) does.
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] once the session is over and its last item was read.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no item is lost.
    pub async fn recv(&mut self) -> Result<TapItem, RecvError> {
        self.next().await.ok_or(RecvError::Closed)
    }

    /// Returns the next item without waiting; `None` where [`recv`](Self::recv) would wait.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<Option<TapItem>, RecvError> {
        match self.0.try_recv() {
            Ok(item) => Ok(Some(item)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(RecvError::Closed),
        }
    }

    /// Polls for the result of [`recv`](Self::recv). If nothing is available, registers the waker of `context`; only the latest one
    /// is woken.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Result<TapItem, RecvError>> {
        self.0.poll_recv(context).map(|item| item.ok_or(RecvError::Closed))
    }
}

/// The items of [`next`](Tap::next).
#[cfg(feature = "stream")]
impl futures_core::Stream for Tap {
    type Item = TapItem;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<TapItem>> {
        self.get_mut().0.poll_recv(context)
    }
}

/// The sending half of a tap, which observes the session.
#[derive(Debug)]
pub(crate) struct TapSender {
    items: PollSender<TapItem>,
    /// Items that the channel had no room for, at most [`MAX_UNSENT`], and then one with the number of lost ones. Nothing is read
    /// until they are sent.
    unsent: VecDeque<TapItem>,
}

/// Creates a tap with a channel of [`CAPACITY`] items, and its sender.
pub(crate) fn tap_channel() -> (TapSender, Tap) {
    let (sender, items) = mpsc::channel(CAPACITY);
    (TapSender { items: PollSender::new(sender), unsent: VecDeque::new() }, Tap(items))
}

impl SessionObserver for TapSender {
    fn observe(&mut self, observation: &Observation, session: SessionView<'_>) {
        let game = match observation {
            Observation::Event { event, .. } => event.affected_game().and_then(|id| session.games().get(id)),
            _ => None,
        };
        let item = TapItem { at: Instant::now(), observation: observation.clone(), game: game.cloned().map(Box::new) };
        let n_unsent = self.unsent.len();
        match (self.items.get_ref(), self.unsent.back_mut()) {
            (Some(sender), None) => {
                if let Err(mpsc::error::TrySendError::Full(item)) = sender.try_send(item) {
                    self.unsent.push_back(item);
                }
            }
            (_, Some(TapItem { observation: Observation::Missed(number), .. })) => *number += 1,
            _ if n_unsent < MAX_UNSENT => self.unsent.push_back(item),
            _ => self.unsent.push_back(TapItem { observation: Observation::Missed(1), game: None, ..item }),
        }
    }

    fn is_full(&self) -> bool {
        !self.unsent.is_empty()
    }

    fn is_done(&self) -> bool {
        self.items.is_closed()
    }

    fn poll_progress(&mut self, _: SessionView<'_>, context: &mut Context<'_>) {
        // Whether all is sent shows in `is_full`.
        let _ = self.poll_close(context);
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while !self.unsent.is_empty() {
            let is_open = ready!(self.items.poll_reserve(context)).is_ok();
            match self.unsent.pop_front() {
                Some(item) if is_open => drop(self.items.send_item(item)),
                _ => self.unsent.clear(),
            }
        }
        self.unsent = VecDeque::new();
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests;
