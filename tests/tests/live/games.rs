//! Playing: how a game begins, goes on and ends, by typed commands.

use std::time::Duration;

use kibitzer::Client;
use kibitzer::command::{GameTerms, MoveText, OfferOutcome, OfferRef};
use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameId, GameResult, OfferKind, Refusal};
use kibitzer_server::{Feature, ImitatedFamily};
use kibitzer_tests::live::{TestServer, begin_game, handle, options, play};

async fn pair(without: &[Feature]) -> (TestServer, Client, Client) {
    let options = options(&["Newton", "Euler"]);
    let test_server =
        TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    (test_server, newton, euler)
}

fn terms() -> GameTerms {
    GameTerms::new().time(5, 0).color(Color::White)
}

fn number(challenged: &OfferOutcome) -> GameId {
    match challenged {
        OfferOutcome::Started(created) => created.game,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_is_accepted_declined_and_withdrawn() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let (_hall, newton, euler) = pair(without).await;
        let challenged = newton.challenge(handle("Euler"), terms().unrated()).await.unwrap();
        let OfferOutcome::Challenged(challenge) = challenged else { panic!() };
        assert_eq!(challenge.to.as_str(), "Euler", "{challenge:?}");
        let declined = euler.decline(OfferRef::Player(handle("Newton"))).await.unwrap();
        assert!(matches!(declined, OfferOutcome::Closed { name: Some(by), kind: None, .. } if by == handle("Newton")));
        newton.challenge(handle("Euler"), terms()).await.unwrap();
        let withdrawn = newton.withdraw(OfferRef::Only).await.unwrap();
        assert!(matches!(withdrawn, OfferOutcome::Closed { name: Some(to), kind: None, .. } if to == handle("Euler")));
        assert!(euler.accept(OfferRef::Only).await.is_err(), "there is nothing to accept");
        newton.challenge(handle("Euler"), terms()).await.unwrap();
        let OfferOutcome::Started(created) = euler.accept(OfferRef::Only).await.unwrap() else { panic!() };
        assert_eq!((created.white.as_str(), created.black.as_str()), ("Newton", "Euler"));
        let busy = newton.challenge(handle("Euler"), terms()).await.unwrap_err();
        assert!(busy.text().is_some(), "{busy:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_is_posted_listed_answered_and_removed() {
    let (_hall, newton, euler) = pair(&[]).await;
    let wanted = GameTerms::new().time(3, 2).unrated().ratings(1000..=2000);
    let OfferOutcome::Posted { index, .. } = newton.seek(wanted.clone()).await.unwrap() else { panic!() };
    let sought = euler.sought().await.unwrap();
    let [seek] = &sought.seeks[..] else { panic!("{sought:?}") };
    assert_eq!(
        (seek.index, seek.name.as_str(), seek.initial_min, seek.increment_s),
        (index, "Newton", Some(3), Some(2))
    );
    assert_eq!((seek.rating_min, seek.rating_max), (Some(1000), Some(2000)));
    newton.unseek(index).await.unwrap();
    assert!(newton.unseek(index).await.is_err());
    assert!(euler.sought().await.unwrap().seeks.is_empty());

    newton.seek(wanted.clone()).await.unwrap();
    let played = euler.play_seek_of(handle("Newton")).await.unwrap();
    number(&played);
    euler.resign().await.unwrap();

    let OfferOutcome::Posted { index, .. } = newton.seek(wanted.clone()).await.unwrap() else { panic!() };
    number(&euler.play(index).await.unwrap());
    newton.resign().await.unwrap();

    newton.seek(wanted.clone()).await.unwrap();
    let matched = euler.seek(GameTerms::new().time(3, 2).unrated()).await.unwrap();
    number(&matched);
    euler.resign().await.unwrap();

    newton.seek(wanted.manual()).await.unwrap();
    let asked = euler.play_seek_of(handle("Newton")).await.unwrap();
    assert!(matches!(asked, OfferOutcome::Challenged(_)), "{asked:?}");
    newton.unseek_all().await.unwrap();
    assert!(euler.play(999).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_refused_move_is_an_error_with_the_servers_reason() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let (_hall, newton, euler) = pair(without).await;
        let e5 = MoveText::new("e5").unwrap();
        assert!(newton.request(&e5).await.unwrap_err().is_refused_for(Refusal::NotPlaying), "{without:?}");
        begin_game(&newton, &euler).await;
        let illegal = newton.request(&MoveText::new("Ke5").unwrap()).await.unwrap_err();
        assert_eq!(illegal.refusal_reason(), Some(Refusal::IllegalMove), "{illegal:?}");
        assert_eq!(illegal.text(), Some("Illegal move (Ke5)."));
        let early = euler.request(&e5).await.unwrap_err();
        assert_eq!(early.refusal_reason(), Some(Refusal::NotYourMove), "{early:?}");
        let made = newton.request(&MoveText::new("e2e4").unwrap()).await.unwrap();
        assert_eq!((made.board.unwrap().ply(), made.ended), (1, None));
        // A mate is told with the move that gives it.
        for (client, played) in [(&euler, "f6"), (&newton, "d4"), (&euler, "g5")] {
            play(client, played).await;
        }
        let made = newton.request(&MoveText::new("Qh5").unwrap()).await.unwrap();
        let ended = made.ended.unwrap();
        assert_eq!((ended.reason, ended.result), (GameEndReason::Mate, GameResult::WhiteWins));
    }
}

#[tokio::test(start_paused = true)]
async fn offers_in_a_game_are_made_answered_and_taken_back() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let (_hall, newton, euler) = pair(without).await;
        let game = begin_game(&newton, &euler).await;
        for (client, played) in [(&newton, "e4"), (&euler, "e5"), (&newton, "Nf3"), (&euler, "Nc6")] {
            play(client, played).await;
        }
        assert_eq!(newton.takeback(2).await.unwrap(), OfferOutcome::Sent);
        let OfferOutcome::Changed { board: Some(board), .. } = euler.accept(OfferRef::Only).await.unwrap() else {
            panic!()
        };
        assert_eq!((board.game(), board.ply()), (game, 2));
        assert!(newton.takeback(9).await.is_err(), "there are only two");

        assert_eq!(newton.draw().await.unwrap(), OfferOutcome::Sent);
        let declined = euler.decline(OfferRef::Kind(OfferKind::Draw)).await.unwrap();
        assert!(matches!(declined, OfferOutcome::Closed { kind: Some(OfferKind::Draw), .. }), "{declined:?}");
        assert_eq!(newton.adjourn().await.unwrap(), OfferOutcome::Sent);
        let withdrawn = newton.withdraw(OfferRef::Only).await.unwrap();
        assert!(matches!(withdrawn, OfferOutcome::Closed { kind: Some(OfferKind::Adjourn), .. }), "{withdrawn:?}");

        assert_eq!(newton.draw().await.unwrap(), OfferOutcome::Sent);
        let OfferOutcome::Ended(ended) = euler.draw().await.unwrap() else { panic!() };
        assert_eq!((ended.game, ended.reason, ended.result), (game, GameEndReason::Agreement, GameResult::Draw));
        assert!(newton.draw().await.unwrap_err().is_refused_for(Refusal::NotPlaying));
    }
}

#[tokio::test(start_paused = true)]
async fn games_end_by_resignation_abort_adjournment_and_flag() {
    let (_hall, newton, euler) = pair(&[]).await;
    let moves = async |game: GameId| {
        for (client, played) in [(&newton, "e4"), (&euler, "e5"), (&newton, "Nf3"), (&euler, "Nc6")] {
            play(client, played).await;
        }
        game
    };
    let game = moves(begin_game(&newton, &euler).await).await;
    let ended = newton.resign().await.unwrap();
    assert_eq!((ended.game, ended.reason, ended.result), (game, GameEndReason::Resign, GameResult::BlackWins));

    begin_game(&newton, &euler).await;
    let OfferOutcome::Ended(ended) = newton.abort().await.unwrap() else { panic!("needs no consent") };
    assert_eq!(ended.result, GameResult::Unfinished);

    moves(begin_game(&newton, &euler).await).await;
    assert_eq!(newton.abort().await.unwrap(), OfferOutcome::Sent);
    let OfferOutcome::Ended(ended) = euler.abort().await.unwrap() else { panic!() };
    assert_eq!(ended.reason, GameEndReason::AbortAgreement);

    // Else the server ends the game by itself.
    for client in [&newton, &euler] {
        client.request("set autoflag 0").await.unwrap();
    }
    moves(begin_game(&newton, &euler).await).await;
    let early = euler.flag().await.unwrap_err();
    assert_eq!(early.refusal_reason(), Some(Refusal::NotOutOfTime), "{early:?}");
    tokio::time::sleep(Duration::from_mins(6)).await;
    let ended = euler.flag().await.unwrap();
    assert_eq!((ended.reason, ended.result), (GameEndReason::Time, GameResult::BlackWins), "White thought too long");

    moves(begin_game(&newton, &euler).await).await;
    assert_eq!(newton.adjourn().await.unwrap(), OfferOutcome::Sent);
    let OfferOutcome::Ended(ended) = euler.accept(OfferRef::Kind(OfferKind::Adjourn)).await.unwrap() else { panic!() };
    assert_eq!(ended.reason, GameEndReason::AdjournAgreement);
    // What was adjourned is taken up again.
    newton.challenge(handle("Euler"), GameTerms::new()).await.unwrap();
    let OfferOutcome::Started(resumed) = euler.accept(OfferRef::Only).await.unwrap() else { panic!() };
    assert!(resumed.resumed, "{resumed:?}");
    play(&newton, "Bb5").await;
}

#[tokio::test(start_paused = true)]
async fn another_game_that_begins_or_ends_meanwhile_is_no_answer() {
    let four = || options(&["Newton", "Euler", "Gauss", "Noether"]);
    for options in [four(), four().without(Feature::BlockMode), four().family(ImitatedFamily::Icc)] {
        let test_server = TestServer::start(options).await;
        let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
        let (gauss, noether) = (test_server.player("Gauss").await, test_server.player("Noether").await);
        newton.request("set gin 1").await.unwrap();
        gauss.challenge(handle("Noether"), GameTerms::new().time(5, 0)).await.unwrap();
        euler.challenge(handle("Newton"), GameTerms::new().time(5, 0)).await.unwrap();
        // The server hears the others first, so what it tells of them stands in front.
        let accepted = tokio::join!(noether.accept(OfferRef::Only), newton.accept(OfferRef::Only));
        let (Ok(OfferOutcome::Started(other)), Ok(OfferOutcome::Started(own))) = accepted else {
            panic!("{accepted:?}")
        };
        let players = [own.white.as_str(), own.black.as_str()];
        assert!(players.contains(&"Newton") && players.contains(&"Euler"), "{own:?}");
        newton.observe(other.game).await.unwrap();
        let ended = tokio::join!(gauss.resign(), newton.resign());
        let (Ok(others_end), Ok(own_end)) = ended else { panic!("{ended:?}") };
        assert_eq!((others_end.game, own_end.game), (other.game, own.game));
    }
}
