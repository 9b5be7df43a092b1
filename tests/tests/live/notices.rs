//! Notices that clients act on, as the embedded server sends them: clocks, lists, players who come and play.

use kibitzer::{Client, GameId, Message};
use kibitzer_core::EventKind;
use kibitzer_core::hub::{Filter, Subscription};
use kibitzer_core::message::{ClockAction, Ivar, ListChangeKind, Rating};
use kibitzer_tests::live::{TestServer, begin_game, handle, options, play, wait_for};

fn of_kind(client: &Client, kind: EventKind) -> Subscription {
    client.subscribe().only(Filter::new().kinds([kind]))
}

async fn clock_action(events: &mut Subscription) -> (ClockAction, Option<GameId>, Option<u32>) {
    let action = |event: &kibitzer::Event| match event.message() {
        Some(Message::Clock(notice)) => Some((notice.action, notice.game, notice.seconds)),
        _ => None,
    };
    wait_for(events, action).await
}

#[tokio::test(start_paused = true)]
async fn clocks_are_paused_and_receive_time() {
    let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let gauss = test_server.player("Gauss").await;
    let game = begin_game(&newton, &euler).await;
    play(&newton, "e4").await;
    play(&euler, "e5").await;
    gauss.observe(game).await.unwrap();
    let mut heard = [&newton, &euler, &gauss].map(|client| of_kind(client, EventKind::Clock));
    let mut watch = gauss.watch_game(game);
    newton.request("moretime 60").await.unwrap();
    let added = [ClockAction::TimeGiven, ClockAction::TimeReceived, ClockAction::TimeAdded];
    for (events, action) in heard.iter_mut().zip(added) {
        assert_eq!(clock_action(events).await, (action, None, Some(60)));
    }
    newton.request("pause").await.unwrap();
    euler.request("pause").await.unwrap();
    for (events, number) in heard.iter_mut().zip([None, None, Some(game)]) {
        assert_eq!(clock_action(events).await, (ClockAction::Paused, number, None));
    }
    gauss.date().await.unwrap();
    assert_eq!(watch.latest().unwrap().running_clock(), None);
    newton.request("unpause").await.unwrap();
    euler.request("unpause").await.unwrap();
    assert_eq!(clock_action(&mut heard[2]).await.0, ClockAction::Resumed);
    gauss.date().await.unwrap();
    assert!(watch.latest().unwrap().running_clock().is_some());
}

#[tokio::test(start_paused = true)]
async fn players_and_their_games_are_followed() {
    let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
    let gauss = test_server.player("Gauss").await;
    gauss.enable_ivar(Ivar::Pin).await.unwrap();
    gauss.set("pin", "1").await.unwrap();
    gauss.set("gin", "1").await.unwrap();
    let mut changes = of_kind(&gauss, EventKind::ListChanged);
    gauss.request("+gnotify Newton").await.unwrap();
    let change = wait_for(&mut changes, |event| match event.message() {
        Some(Message::ListChange(it)) => Some((it.list.to_string(), it.entry.to_string(), it.change)),
        _ => None,
    });
    assert_eq!(change.await, ("gnotify".to_owned(), "Newton".to_owned(), ListChangeKind::Added));
    let mut players = gauss.players(100);
    let list = gauss.request("who IbslwBzSLx").await.unwrap();
    assert!(list.events.iter().any(|event| event.kind() == EventKind::WhoList), "{list:?}");
    let mut announced = of_kind(&gauss, EventKind::GameNotification);
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let game = begin_game(&newton, &euler).await;
    let number = wait_for(&mut announced, |event| match event.message() {
        Some(Message::GameNotification(it)) => Some((it.game, it.terms.first.to_string())),
        _ => None,
    });
    assert_eq!(number.await, (Some(game), "Newton".to_owned()));
    while players.latest().get(&handle("Euler")).is_none_or(|player| player.game != Some(game)) {
        players.changed().await.unwrap();
    }
    assert!(players.latest().get(&handle("Gauss")).is_some(), "it is in the list");
    let ratings = players.latest().get(&handle("Newton")).unwrap().ratings;
    assert!(ratings.iter().all(|rating| rating.is_some_and(|it| matches!(it, Rating::Established(_)))), "{ratings:?}");
    newton.resign().await.unwrap();
    while players.latest().get(&handle("Euler")).is_some_and(|player| player.last_game.is_none()) {
        players.changed().await.unwrap();
    }
    newton.quit().await;
    while players.latest().get(&handle("Newton")).is_some() {
        players.changed().await.unwrap();
    }
}
