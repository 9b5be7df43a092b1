//! Receives what happens in a session: from the tap of this process's client, with the events of the bot that plays in it, or from
//! another process that exposes its session.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kibitzer::{Tap, TapItem};
use kibitzer_attach::{AttachError, AttachEvent, AttachedSession};
use kibitzer_bot::BotEvent;
use kibitzer_core::event::SessionEndReason;
use kibitzer_core::text::error_chain;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::console::model::SourceItem;
use crate::live::forward_attached;

/// Capacity of the channel of an attached session, in events. Once it is full, the other process buffers and counts its losses.
const FEED_CAPACITY: usize = 4_096;

/// Capacity of the channel of a bot's events. Analysis uses at most half of it, so that it displaces no action.
const BOT_CAPACITY: usize = 2_048;

/// An item of a feed: an event of the session or of its bot, or a loss.
#[derive(Debug)]
pub(crate) enum FeedItem {
    Session(AttachEvent),
    /// An event of the bot that plays in the session, and its time.
    Bot(Instant, BotEvent),
    /// Number of the bot's events that were dropped since the last such item, because the channel was full.
    MissedBotEvents(u64),
    /// An item of a stored session.
    #[cfg_attr(not(all(feature = "nats", feature = "web")), expect(dead_code, reason = "no sessions are stored"))]
    Stored(SourceItem),
    /// The attachment ended for this reason; the session itself may continue.
    Detached(String),
}

/// Sender of the items of an attached session, for [`fill_feed`].
pub(crate) type FeedSender = mpsc::Sender<FeedItem>;

/// Everything that happens in a session: from the tap of this process, with or without a bot, or from the process that exposes
/// the session.
#[derive(Debug)]
pub(crate) enum SessionFeed {
    /// A session of this process without a bot.
    Own(Tap),
    /// A session of this process in which a bot plays.
    Bot(Box<BotFeed>),
    /// A session of another process.
    Attached(mpsc::Receiver<FeedItem>),
}

impl SessionFeed {
    /// Creates the feed of an attached session, and the sender for [`fill_feed`].
    pub(crate) fn new_attached() -> (Self, FeedSender) {
        let (sender, items) = mpsc::channel(FEED_CAPACITY);
        (Self::Attached(items), sender)
    }

    /// Creates the feed of a session in which a bot plays, and the sender for the bot's events.
    pub(crate) fn with_bot(tap: Tap) -> (Self, BotSender) {
        let (sender, events) = mpsc::channel(BOT_CAPACITY);
        let missed = Arc::<AtomicU64>::default();
        let sender = BotSender { events: sender, missed: Arc::clone(&missed) };
        let feed = BotFeed { tap, events, missed, next_of_tap: None, next_of_bot: None };
        (Self::Bot(Box::new(feed)), sender)
    }

    /// Returns the next item without waiting; `None` if there is none now, or the feed has ended.
    pub(crate) fn try_next(&mut self) -> Option<FeedItem> {
        match self {
            Self::Own(tap) => tap.try_recv().ok()?.map(|item| FeedItem::Session(AttachEvent::Item(item))),
            Self::Bot(feed) => feed.try_next(),
            Self::Attached(items) => items.try_recv().ok(),
        }
    }
}

/// The tap of a session and the events of its bot, merged by time.
#[derive(Debug)]
pub(crate) struct BotFeed {
    tap: Tap,
    events: mpsc::Receiver<(Instant, BotEvent)>,
    missed: Arc<AtomicU64>,
    next_of_tap: Option<TapItem>,
    next_of_bot: Option<(Instant, BotEvent)>,
}

impl BotFeed {
    fn try_next(&mut self) -> Option<FeedItem> {
        // The bot's event first: what caused it is in the tap by now.
        self.next_of_bot = self.next_of_bot.take().or_else(|| self.events.try_recv().ok());
        self.next_of_tap = self.next_of_tap.take().or_else(|| self.tap.try_recv().ok().flatten());
        let seen = self.next_of_tap.as_ref().map(|item| item.at);
        if let Some((at, event)) = self.next_of_bot.take_if(|(at, _)| seen.is_none_or(|seen| *at < seen)) {
            return Some(FeedItem::Bot(at, event));
        }
        if let Some(item) = self.next_of_tap.take() {
            return Some(FeedItem::Session(AttachEvent::Item(item)));
        }
        let missed = self.missed.swap(0, Ordering::Relaxed);
        (missed > 0).then_some(FeedItem::MissedBotEvents(missed))
    }
}

/// Sends the events of a bot to the feed of its session.
#[derive(Debug)]
pub(crate) struct BotSender {
    events: mpsc::Sender<(Instant, BotEvent)>,
    /// Number of dropped events that the feed has not reported yet.
    missed: Arc<AtomicU64>,
}

impl BotSender {
    /// Sends an event without waiting, or drops it. Returns `false` once the feed no longer exists.
    ///
    /// Analysis is dropped, uncounted, once half of the channel is full, as later analysis replaces it. Other events are dropped only if
    /// the channel is full; the feed reports how many.
    pub(crate) fn send_or_drop(&self, event: &BotEvent) -> bool {
        let is_analysis = matches!(event, BotEvent::Analysis { .. });
        if !is_analysis || self.events.capacity() > BOT_CAPACITY / 2 {
            let sent = self.events.try_send((Instant::now(), event.clone()));
            if matches!(sent, Err(mpsc::error::TrySendError::Full(_))) {
                self.missed.fetch_add(1, Ordering::Relaxed);
            }
        }
        !self.events.is_closed()
    }
}

/// Forwards the events of an attached session to its feed until the session has ended, and returns the reason of that end. Waits
/// while the channel of the feed is full.
///
/// If the feed is dropped, returns early, with `None` unless the end was forwarded.
///
/// # Errors
///
/// [`AttachError`] if the attachment ended before the session; also sent to the feed as [`FeedItem::Detached`].
///
/// # Cancel safety
///
/// Not cancel safe: an event that was received but not forwarded yet is lost.
pub(crate) async fn fill_feed(
    mut session: AttachedSession,
    feed: FeedSender,
) -> Result<Option<SessionEndReason>, AttachError> {
    let deliver = |event| {
        let feed = feed.clone();
        async move { feed.send(FeedItem::Session(event)).await.is_ok() }
    };
    let ended = forward_attached(&mut session, deliver).await;
    if let Err(error) = &ended {
        // A closed feed means that the console is closing.
        let _ = feed.send(FeedItem::Detached(error_chain(error))).await;
    }
    ended
}

#[cfg(test)]
mod tests;
