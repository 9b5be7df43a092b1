//! Typed commands outside of games, and their typed replies.

use kibitzer::command::{self, MoveText, OfferOutcome, Request, ServerClocks, TalkCommand};
use kibitzer_core::chess::Color;
use kibitzer_core::event::RequestError;
use kibitzer_core::hub::Filter;
use kibitzer_core::message::listing::{GameRowState, WhoStatus};
use kibitzer_core::message::{GameId, Message, Refusal, TalkKind};
use kibitzer_core::{Event, EventKind};
use kibitzer_server::Feature;
use kibitzer_tests::live::{TestServer, begin_game, handle, options, play, wait_for};

/// A game between Newton and Euler, two moves old, and Gauss, who is free.
struct Scene {
    test_server: TestServer,
    newton: kibitzer::Client,
    euler: kibitzer::Client,
    gauss: kibitzer::Client,
    game: GameId,
}

impl Scene {
    async fn open(without: &[Feature]) -> Self {
        let options = options(&["Newton", "Euler", "Gauss"]);
        let test_server =
            TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
        let newton = test_server.player("Newton").await;
        let (euler, gauss) = (test_server.player("Euler").await, test_server.player("Gauss").await);
        let game = begin_game(&newton, &euler).await;
        play(&newton, "e4").await;
        play(&euler, "c5").await;
        Self { test_server, newton, euler, gauss, game }
    }

    async fn close(mut self) {
        for client in [&self.newton, &self.euler, &self.gauss] {
            client.shutdown().await;
        }
        self.test_server.shutdown().await;
    }
}

async fn refusal<R: Request<Answer: std::fmt::Debug>>(client: &kibitzer::Client, command: &R) -> RequestError {
    client.request(command).await.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn listings_are_read_whole_with_and_without_block_mode() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let scene = Scene::open(without).await;
        let games = scene.gauss.games().await.unwrap();
        let [row] = &games.games[..] else { panic!("{games:?}") };
        assert_eq!(
            (row.game, row.state, row.move_number, row.to_move),
            (scene.game, GameRowState::Played, 2, Color::White)
        );
        assert!(games.unread.is_empty() && games.shown.is_some(), "{games:?}");
        assert_eq!((row.terms.game_kind().variant.unwrap().as_str(), row.white.titles.is_empty()), ("chess", true));
        assert_eq!(scene.gauss.games_of(handle("Newton")).await.unwrap().games, games.games);

        let who = scene.gauss.who().await.unwrap();
        let mut names: Vec<_> = who.players.iter().map(|row| row.player.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["Euler", "Gauss", "Newton"], "{who:?}");
        assert!(who.players.iter().any(|row| row.status == WhoStatus::Playing), "{who:?}");
        assert!(who.unread.is_empty(), "{who:?}");

        let moves = scene.gauss.moves(scene.game).await.unwrap();
        let played: Vec<_> = moves.moves.iter().map(|played| played.san.as_str()).collect();
        assert_eq!((&played[..], moves.initial_min), (&["e4", "c5"][..], Some(5)), "{moves:?}");
        assert!(moves.unread.is_empty(), "{moves:?}");
        assert_eq!(scene.newton.own_moves().await.unwrap().moves, moves.moves);

        let finger = scene.gauss.finger(handle("Newton")).await.unwrap();
        assert_eq!((finger.player.name.as_str(), finger.is_unregistered), ("Newton", false));
        assert_eq!(finger.game.as_ref().map(|game| game.game), Some(scene.game), "{finger:?}");
        assert_eq!(scene.gauss.own_finger().await.unwrap().player.name.as_str(), "Gauss");

        let variables = scene.gauss.variables(handle("Newton")).await.unwrap();
        assert_eq!(variables.value("style"), Some("12"));
        let ServerClocks { local, server, .. } = scene.gauss.date().await.unwrap();
        assert!(local.as_str().contains("2026") && server.is_some(), "{local} {server:?}");

        assert!(scene.gauss.sought().await.unwrap().seeks.is_empty());
        assert!(scene.gauss.suitable_seeks().await.unwrap().seeks.is_empty());
        assert!(scene.gauss.own_history().await.unwrap().games.is_empty());
        scene.newton.request("resign").await.unwrap();
        let history = scene.gauss.history(handle("Newton")).await.unwrap();
        let [row] = &history.games[..] else { panic!("{history:?}") };
        assert_eq!((row.opponent.as_str(), row.color, &*row.ending), ("Euler", Color::White, "Res"), "{history:?}");
        assert!(scene.gauss.games().await.unwrap().games.is_empty());
        assert!(scene.gauss.in_channel(4).await.unwrap().unread.is_empty());
        assert!(scene.gauss.own_stored().await.unwrap().games.is_empty());
        scene.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn games_are_observed_and_left() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let scene = Scene::open(without).await;
        let observed = scene.gauss.observe(scene.game).await.unwrap();
        assert_eq!(observed.game, scene.game);
        assert_eq!(observed.board.unwrap().ply(), 2);
        let mut watch = scene.gauss.watch_game(scene.game);
        while watch.latest().is_none() {
            watch.changed().await.unwrap();
        }
        play(&scene.newton, "Nf3").await;
        watch.changed().await.unwrap();
        let game = watch.latest().unwrap();
        assert_eq!((game.position().ply(), game.moves().len()), (3, 1), "what was played before is not known");
        assert_eq!(scene.gauss.unobserve(scene.game).await.unwrap(), [scene.game]);
        assert_eq!(scene.gauss.observe(handle("Euler")).await.unwrap().game, scene.game);
        assert_eq!(scene.gauss.unobserve_all().await.unwrap(), [scene.game]);
        let none = refusal(&scene.gauss, &command::observe(GameId(99))).await;
        assert_eq!(none.refusal_reason(), Some(Refusal::NoSuchGame), "{none:?}");
        assert!(scene.gauss.unobserve(scene.game).await.is_err());
        scene.close().await;
    }
}

type Say = fn(String) -> TalkCommand;

#[tokio::test(start_paused = true)]
async fn every_way_to_talk_arrives_as_what_it_is() {
    let scene = Scene::open(&[]).await;
    scene.gauss.request("+channel 53").await.unwrap();
    scene.newton.request("+channel 53").await.unwrap();
    scene.gauss.request(&format!("observe {}", scene.game)).await.unwrap();
    let said = |kind: EventKind| Filter::new().kinds([kind]).spoken_by(handle("Newton"));
    let to_gauss: [(Say, EventKind); 6] = [
        (|text| TalkCommand::tell(handle("Gauss"), text), EventKind::Tell),
        (|text| TalkCommand::channel_tell(53, text), EventKind::ChannelTell),
        (TalkCommand::kibitz, EventKind::Kibitz),
        (TalkCommand::whisper, EventKind::Whisper),
        (TalkCommand::shout, EventKind::Shout),
        (TalkCommand::c_shout, EventKind::CShout),
    ];
    for (talk, kind) in to_gauss {
        let mut heard = scene.gauss.subscribe().only(said(kind));
        let text = format!("this is a {kind}");
        let told = scene.newton.request(&talk(text.clone())).await.unwrap();
        assert!(told.players >= 1, "{kind}: {told:?}");
        let got = wait_for(&mut heard, |event| match event.message() {
            Some(Message::Talk(talk)) => Some(talk.text().into_owned()),
            _ => None,
        });
        assert_eq!(got.await, text);
    }
    let mut heard = scene.euler.subscribe().only(said(EventKind::Say));
    assert_eq!(scene.newton.request(&TalkCommand::say("good luck")).await.unwrap().players, 1);
    let kind = wait_for(&mut heard, |event| match event.message() {
        Some(Message::Talk(talk)) => Some(talk.kind),
        _ => None,
    });
    assert!(matches!(kind.await, TalkKind::Say { game: Some(game), .. } if game == scene.game));
    let nobody = refusal(&scene.newton, &TalkCommand::tell(handle("Hooke"), "hi")).await;
    assert!(nobody.text().unwrap().contains("Hooke"), "{nobody:?}");
    scene.close().await;
}

#[tokio::test(start_paused = true)]
async fn partners_agree_talk_and_part() {
    let scene = Scene::open(&[]).await;
    scene.newton.request("resign").await.unwrap();
    for client in [&scene.newton, &scene.gauss] {
        client.request("set bugopen 1").await.unwrap();
    }
    assert_eq!(scene.newton.partner(handle("Gauss")).await.unwrap(), OfferOutcome::Sent);
    let partner = scene.gauss.partner(handle("Newton")).await.unwrap();
    assert!(matches!(partner, OfferOutcome::Partner { name, .. } if name == "Newton"));
    let mut heard = scene.gauss.subscribe().only(Filter::new().kinds([EventKind::PartnerTell]));
    scene.newton.request(&TalkCommand::partner_tell("I need a knight")).await.unwrap();
    wait_for(&mut heard, |event| event.raw().ends_with(b"I need a knight").then_some(())).await;
    scene.newton.end_partnership().await.unwrap();
    scene.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_finished_game_is_examined() {
    let scene = Scene::open(&[]).await;
    scene.newton.request("resign").await.unwrap();
    let history = scene.gauss.history(handle("Newton")).await.unwrap();
    let examined = scene.gauss.examine(handle("Newton"), history.games[0].index).await.unwrap();
    assert_eq!(examined.ply(), 0, "{examined:?}");
    let stepped = scene.gauss.forward(1).await.unwrap();
    assert_eq!((stepped.board.unwrap().ply(), stepped.is_at_edge), (1, false));
    let stepped = scene.gauss.forward(1).await.unwrap();
    assert_eq!(stepped.board.unwrap().ply(), 2);
    assert!(scene.gauss.forward(1).await.unwrap().is_at_edge);
    scene.gauss.backward(1).await.unwrap();
    // Another second move leaves the main line.
    let made = scene.gauss.request(&MoveText::new("e5").unwrap()).await.unwrap();
    assert_eq!(made.board.unwrap().ply(), 2);
    assert_eq!(scene.gauss.revert().await.unwrap().board.unwrap().ply(), 1);
    scene.gauss.unexamine().await.unwrap();
    let nothing = refusal(&scene.gauss, &command::unexamine()).await;
    assert_eq!(nothing.refusal_reason(), Some(Refusal::NotExamining), "{nothing:?}");
    let board = scene.gauss.examine_scratch().await.unwrap();
    assert!(board.relation().is_examined());
    scene.close().await;
}

#[tokio::test(start_paused = true)]
async fn quit_ends_the_session_with_the_servers_farewell() {
    let scene = Scene::open(&[]).await;
    let mut events = scene.gauss.subscribe();
    scene.gauss.quit().await;
    let farewell = wait_for(&mut events, |event| matches!(event.message(), Some(Message::Farewell(_))).then_some(()));
    farewell.await;
    wait_for(&mut events, |event| {
        matches!(event, Event::Ended(kibitzer_core::event::SessionEndReason::Quit)).then_some(())
    })
    .await;
    assert!(!scene.newton.who().await.unwrap().players.iter().any(|row| row.player.name == "Gauss"));
    scene.close().await;
}
