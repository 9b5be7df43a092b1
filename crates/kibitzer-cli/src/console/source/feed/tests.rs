use std::time::Duration;

use kibitzer::{GameId, Observation};
use kibitzer_bot::BotAction;
use kibitzer_bot::engine::SearchInfo;

use super::*;

fn acted(reason: &str) -> BotEvent {
    let reason = reason.to_owned();
    BotEvent::acted(None, BotAction::Moved, None, None, reason)
}

fn analysis() -> BotEvent {
    let mut info = SearchInfo::default();
    info.depth = Some(1);
    BotEvent::analysis(None, GameId(1), info)
}

#[tokio::test(start_paused = true)]
async fn events_of_the_bot_stand_between_those_of_the_session() {
    let start = Instant::now();
    let received = |number| {
        let bytes = Observation::Received(vec![number].into());
        TapItem::new(start + Duration::from_millis(2) * number.into(), bytes, None)
    };
    let (mut feed, bot) = SessionFeed::with_bot(Tap::of_ended_session((0..3).map(received).collect()));
    for _ in 0..3 {
        // At the same time, the session's event is the cause.
        assert!(bot.send_or_drop(&acted("at once")));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(bot.send_or_drop(&acted("later")));
        tokio::time::advance(Duration::from_millis(1)).await;
    }
    let kinds = std::iter::from_fn(|| feed.try_next()).map(|item| match item {
        FeedItem::Bot(_, event) => event.to_string(),
        _ => "session".to_owned(),
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["session", "Moved: at once", "Moved: later"].repeat(3));
}

#[tokio::test]
async fn analysis_leaves_room_for_actions_and_dropped_actions_are_counted() {
    let (mut feed, bot) = SessionFeed::with_bot(Tap::of_ended_session(Vec::new()));
    (0..2 * BOT_CAPACITY).for_each(|_| assert!(bot.send_or_drop(&analysis())));
    (0..BOT_CAPACITY).for_each(|_| assert!(bot.send_or_drop(&acted("x"))));
    let items: Vec<_> = std::iter::from_fn(|| feed.try_next()).collect();
    let n_actions = items.iter().filter(|item| matches!(item, FeedItem::Bot(_, BotEvent::Acted { .. }))).count();
    assert_eq!((items.len(), n_actions), (BOT_CAPACITY + 1, BOT_CAPACITY / 2));
    assert!(matches!(items.last(), Some(FeedItem::MissedBotEvents(n)) if *n == BOT_CAPACITY as u64 / 2));
    drop(feed);
    assert!(!bot.send_or_drop(&acted("the console is closed")));
}
