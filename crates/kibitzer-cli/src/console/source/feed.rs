//! Receives what happens in a session: from the tap of this process's client, or from another process that exposes its session.

use kibitzer::Tap;
use kibitzer::core::event::SessionEndReason;
use kibitzer::core::text::error_chain;
use kibitzer_attach::{AttachError, AttachEvent, Attached};
use tokio::sync::mpsc;

use crate::live::forward_attached;

/// Events of an attached session that wait to be shown. Once they fill the channel, the other process buffers, and counts its losses.
const FEED_CAPACITY: usize = 4_096;

/// An event of an attached session, or why the attachment ended; the session itself may continue.
type FeedItem = Result<AttachEvent, String>;

/// Sends the events of an attached session to its feed.
pub(crate) type FeedSender = mpsc::Sender<FeedItem>;

/// Receiving end of a session.
#[derive(Debug)]
pub(crate) enum SessionFeed {
    Own(Tap),
    Attached(mpsc::Receiver<FeedItem>),
}

impl SessionFeed {
    /// Creates the feed of an attached session, and the sender for [`fill_feed`].
    pub(crate) fn attached() -> (Self, FeedSender) {
        let (sender, items) = mpsc::channel(FEED_CAPACITY);
        (Self::Attached(items), sender)
    }

    /// Returns the next item without waiting; `None` if there is none now.
    pub(crate) fn next(&mut self) -> Option<FeedItem> {
        match self {
            Self::Own(tap) => tap.try_recv().ok().map(|item| Ok(AttachEvent::Item(item))),
            Self::Attached(items) => items.try_recv().ok(),
        }
    }
}

/// Forwards the events of an attached session to its feed until the session ends, and returns the reason of that end.
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
pub(crate) async fn fill_feed(
    mut session: Attached,
    feed: FeedSender,
) -> Result<Option<SessionEndReason>, AttachError> {
    let deliver = |event| {
        let feed = feed.clone();
        async move { feed.send(Ok(event)).await.is_ok() }
    };
    let ended = forward_attached(&mut session, deliver).await;
    if let Err(error) = &ended {
        // A closed feed means that the console is closing.
        let _ = feed.send(Err(error_chain(error))).await;
    }
    ended
}
