//! Where the pieces of a live session come from: this process, or another one that exposes it.

use kibitzer::core::Event;
use kibitzer::core::event::EndReason;
use kibitzer::core::session::SessionState;
use kibitzer::transcript::Recording;
use kibitzer::{Client, Observation, Tap, TapItem, TapState};
use kibitzer_attach::{AttachError, AttachEvent, Attached, AttachedRequests, Snapshot};
use tokio::sync::mpsc;

/// The word for a session on which requests can be made.
pub(in crate::console) const LIVE: &str = "live";

/// Pieces of an attached session that wait for the screen. Then its process keeps the next ones, and counts what it cannot.
const UNSHOWN_PIECES: usize = 4_096;

/// A session's end in the console.
#[derive(Debug)]
pub(in crate::console) enum Feed {
    Own { client: Client, tap: Tap },
    Other(Box<Remote>),
}

/// What comes next.
pub(in crate::console) enum Fed {
    Item(TapItem),
    Snapshot(Box<Snapshot>),
    /// Nothing more comes of a session that may go on, and why.
    Gone(String),
    /// Nothing for now.
    Nothing,
}

/// A session of another process.
#[derive(Debug)]
pub(in crate::console) struct Remote {
    seen: mpsc::Receiver<Seen>,
    /// Where to send lines, if that is wanted.
    requests: Option<AttachedRequests>,
    state: &'static str,
    handle: Option<String>,
}

/// What the task that reads the socket hands over.
#[derive(Debug)]
pub(in crate::console) enum Seen {
    Event(AttachEvent),
    Gone(String),
}

/// Whether lines are to be sent on a session of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// It is only looked at.
    No,
    Yes,
}

impl Feed {
    pub(in crate::console) fn next(&mut self) -> Fed {
        match self {
            Self::Own { tap, .. } => match tap.try_next() {
                TapState::Item(item) => Fed::Item(item),
                TapState::Empty | TapState::Closed => Fed::Nothing,
            },
            Self::Other(remote) => remote.next(),
        }
    }

    /// How the session stands, in a word.
    pub(in crate::console) fn state(&self) -> &'static str {
        match self {
            Self::Own { client, .. } => word(&client.state()),
            Self::Other(remote) => remote.state,
        }
    }

    /// Its own name.
    pub(in crate::console) fn handle(&self) -> Option<String> {
        match self {
            Self::Own { client, .. } => client.handle().map(|handle| handle.to_string()),
            Self::Other(remote) => remote.handle.clone(),
        }
    }

    /// The recording that this process makes of it.
    pub(in crate::console) fn recording(&self) -> Option<Recording> {
        match self {
            Self::Own { client, .. } => client.recording(),
            Self::Other(_) => None,
        }
    }

    /// Whether nothing may be sent, ever.
    pub(in crate::console) const fn is_only_looked_at(&self) -> bool {
        matches!(self, Self::Other(remote) if remote.requests.is_none())
    }

    /// What to say of it besides.
    pub(in crate::console) fn note(&self) -> &'static str {
        match self {
            Self::Own { .. } => "",
            Self::Other(_) if self.is_only_looked_at() => ", attached to look",
            Self::Other(_) => ", attached",
        }
    }
}

impl Remote {
    /// A session, and what has to be run for it to be seen: [`read`].
    pub(in crate::console) fn new(session: &Attached, writing: Writing) -> (Self, mpsc::Sender<Seen>) {
        let (sender, seen) = mpsc::channel(UNSHOWN_PIECES);
        let requests = (writing == Writing::Yes).then(|| session.requests());
        (Self { seen, requests, state: word(&SessionState::Connecting), handle: None }, sender)
    }

    /// Where to send lines.
    pub(in crate::console) const fn requests(&self) -> Option<&AttachedRequests> {
        self.requests.as_ref()
    }

    fn next(&mut self) -> Fed {
        match self.seen.try_recv() {
            Ok(Seen::Event(AttachEvent::Snapshot(snapshot))) => {
                self.state = word(&snapshot.state);
                self.handle = snapshot.handle.as_ref().map(ToString::to_string);
                Fed::Snapshot(snapshot)
            }
            Ok(Seen::Event(AttachEvent::Item(item))) => {
                if let Observation::Event { event, .. } = &item.observation {
                    self.learn(event);
                }
                Fed::Item(item)
            }
            Ok(Seen::Gone(reason)) => {
                self.state = "gone";
                Fed::Gone(reason)
            }
            // What a later version sees.
            Ok(Seen::Event(_)) | Err(_) => Fed::Nothing,
        }
    }

    fn learn(&mut self, event: &Event) {
        self.state = match event {
            Event::Connecting { .. } => "dialing",
            Event::Connected => "login",
            Event::Ready(_) => LIVE,
            Event::Lost { .. } => "lost",
            Event::Ended(_) => "over",
            _ => self.state,
        };
        if let Event::LoggedIn(identity) = event {
            self.handle = identity.handle.as_ref().map(ToString::to_string);
        }
    }
}

const fn word(state: &SessionState) -> &'static str {
    match state {
        SessionState::Connecting => "dialing",
        SessionState::LoggingIn(_) => "login",
        SessionState::Ready => LIVE,
        SessionState::Waiting => "lost",
        SessionState::Ended(_) => "over",
        _ => "closing",
    }
}

/// Hands over what is seen of a session until it is over, and says why it is.
///
/// # Errors
///
/// [`AttachError`]: nothing more will be seen of it, though it may go on. That was handed over, too.
///
/// # Cancel safety
///
/// What was seen last may be lost.
pub(in crate::console) async fn read(
    mut session: Attached,
    seen: mpsc::Sender<Seen>,
) -> Result<Option<EndReason>, AttachError> {
    let mut ended = None;
    loop {
        let attached = match session.next().await {
            Ok(Some(attached)) => attached,
            Ok(None) => return Ok(ended),
            Err(error) => {
                // Who does not look any more does not need it.
                let _ = seen.send(Seen::Gone(kibitzer::core::text::error_chain(&error))).await;
                return Err(error);
            }
        };
        if let AttachEvent::Item(TapItem { observation: Observation::Event { event, .. }, .. }) = &attached
            && let Event::Ended(reason) = event
        {
            ended = Some(reason.clone());
        }
        if seen.send(Seen::Event(attached)).await.is_err() {
            return Ok(ended);
        }
    }
}
