//! Delivers what happens in a session: from the tap of this process's client, or from another process that exposes its session.

use kibitzer::core::Event;
use kibitzer::core::event::EndReason;
use kibitzer::core::session::SessionState;
use kibitzer::core::text::error_chain;
use kibitzer::transcript::Recording;
use kibitzer::{Client, Observation, Tap, TapItem, TapState};
use kibitzer_attach::{AttachAccess, AttachError, AttachEvent, Attached, AttachedRequests, Snapshot};
use tokio::sync::mpsc;

/// Label of the session state in which lines can be sent.
pub(crate) const READY_LABEL: &str = "live";

/// Messages of an attached session that wait to be shown. Once they fill the channel, the other process buffers, and counts its losses.
const FEED_CAPACITY: usize = 4_096;

/// Receiving end of a session, and the handle to send lines on it.
#[derive(Debug)]
pub(crate) enum SessionFeed {
    Own { client: Client, tap: Tap },
    Attached(Box<AttachedFeed>),
}

/// Result of polling a [`SessionFeed`].
pub(crate) enum FeedItem {
    Tapped(TapItem),
    Snapshot(Box<Snapshot>),
    /// The attachment ended, for this reason; the session itself may continue.
    Disconnected(String),
    /// Nothing is available now.
    Empty,
}

/// Console end of an attached session. [`forward_events`] fills it.
#[derive(Debug)]
pub(crate) struct AttachedFeed {
    messages: mpsc::Receiver<AttachMessage>,
    /// `None` if the console was started without write access.
    requests: Option<AttachedRequests>,
    state: &'static str,
    handle: Option<String>,
}

/// Message from the task that reads the attach socket.
#[derive(Debug)]
pub(crate) enum AttachMessage {
    Event(AttachEvent),
    Disconnected(String),
}

impl SessionFeed {
    /// Returns the next item, without waiting.
    pub(crate) fn next(&mut self) -> FeedItem {
        match self {
            Self::Own { tap, .. } => match tap.try_next() {
                TapState::Item(item) => FeedItem::Tapped(item),
                TapState::Empty | TapState::Closed => FeedItem::Empty,
            },
            Self::Attached(feed) => feed.next(),
        }
    }

    /// Returns the session state as a single word.
    pub(crate) fn state(&self) -> &'static str {
        match self {
            Self::Own { client, .. } => state_label(&client.state()),
            Self::Attached(feed) => feed.state,
        }
    }

    /// Returns the account name of the session, once it is logged in.
    pub(crate) fn handle(&self) -> Option<String> {
        match self {
            Self::Own { client, .. } => client.handle().map(|handle| handle.to_string()),
            Self::Attached(feed) => feed.handle.clone(),
        }
    }

    /// Returns the recording that this process makes of the session.
    pub(crate) fn recording(&self) -> Option<Recording> {
        match self {
            Self::Own { client, .. } => client.recording(),
            Self::Attached(_) => None,
        }
    }

    /// Returns whether lines can never be sent.
    pub(crate) const fn is_read_only(&self) -> bool {
        matches!(self, Self::Attached(feed) if feed.requests.is_none())
    }

    /// Returns a suffix for the first row: whether the session is attached, and with which access.
    pub(crate) const fn access_label(&self) -> &'static str {
        match self {
            Self::Own { .. } => "",
            Self::Attached(feed) if feed.requests.is_none() => ", attached to look",
            Self::Attached(_) => ", attached",
        }
    }
}

impl AttachedFeed {
    /// Creates the feed of an attached session, and the sender for [`forward_events`].
    pub(crate) fn new(session: &Attached, access: AttachAccess) -> (Self, mpsc::Sender<AttachMessage>) {
        let (sender, messages) = mpsc::channel(FEED_CAPACITY);
        let requests = access.may_send().then(|| session.requests());
        (Self { messages, requests, state: state_label(&SessionState::Connecting), handle: None }, sender)
    }

    pub(crate) const fn requests(&self) -> Option<&AttachedRequests> {
        self.requests.as_ref()
    }

    fn next(&mut self) -> FeedItem {
        match self.messages.try_recv() {
            Ok(AttachMessage::Event(AttachEvent::Snapshot(snapshot))) => {
                self.state = state_label(&snapshot.state);
                self.handle = snapshot.handle.as_ref().map(ToString::to_string);
                FeedItem::Snapshot(snapshot)
            }
            Ok(AttachMessage::Event(AttachEvent::Item(item))) => {
                if let Observation::Event { event, .. } = &item.observation {
                    self.track_state(event);
                }
                FeedItem::Tapped(item)
            }
            Ok(AttachMessage::Disconnected(reason)) => {
                self.state = "gone";
                FeedItem::Disconnected(reason)
            }
            // Kinds that a later version of the protocol adds.
            Ok(AttachMessage::Event(_)) | Err(_) => FeedItem::Empty,
        }
    }

    /// Updates the state and the handle. A snapshot has both, but later changes arrive as events only.
    fn track_state(&mut self, event: &Event) {
        self.state = match event {
            Event::Connecting { .. } => "dialing",
            Event::Connected => "login",
            Event::Ready(_) => READY_LABEL,
            Event::Lost { .. } => "lost",
            Event::Ended(_) => "over",
            _ => self.state,
        };
        if let Event::LoggedIn(identity) = event {
            self.handle = identity.handle.as_ref().map(ToString::to_string);
        }
    }
}

const fn state_label(state: &SessionState) -> &'static str {
    match state {
        SessionState::Connecting => "dialing",
        SessionState::LoggingIn(_) => "login",
        SessionState::Ready => READY_LABEL,
        SessionState::Waiting => "lost",
        SessionState::Ended(_) => "over",
        _ => "closing",
    }
}

/// Forwards the events of an attached session to its [`AttachedFeed`] until the session ends, and returns the reason of that end.
///
/// Returns early if the feed is dropped.
///
/// # Errors
///
/// [`AttachError`] if the attachment ended before the session; the feed has received it as a message, too.
///
/// # Cancel safety
///
/// The last event may be lost.
pub(crate) async fn forward_events(
    mut session: Attached,
    feed: mpsc::Sender<AttachMessage>,
) -> Result<Option<EndReason>, AttachError> {
    let mut ended = None;
    loop {
        let attached = match session.next().await {
            Ok(Some(attached)) => attached,
            Ok(None) => return Ok(ended),
            Err(error) => {
                // A closed feed means that the console is closing.
                let _ = feed.send(AttachMessage::Disconnected(error_chain(&error))).await;
                return Err(error);
            }
        };
        if let AttachEvent::Item(TapItem { observation: Observation::Event { event, .. }, .. }) = &attached
            && let Event::Ended(reason) = event
        {
            ended = Some(reason.clone());
        }
        if feed.send(AttachMessage::Event(attached)).await.is_err() {
            return Ok(ended);
        }
    }
}
