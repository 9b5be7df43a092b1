//! What happens on the way changes nothing, or nothing but what it touches.

use std::time::Duration;

use kibitzer::Client;
use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::Refusal;
use kibitzer_core::session::{SessionState, TimesealChoice};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature};
use kibitzer_tests::live::{TestServer, begin_game, drain, options, play};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// All that the server said to Gauss, who watches a game over a line like this.
async fn heard_over(fault: Option<Fault>, timeseal: TimesealChoice) -> Vec<Event> {
    let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    if let Some(fault) = fault {
        test_server.server().control().inject(ConnectionTarget::Next, FaultPoint::Connect, fault).await.unwrap();
    }
    let profile = test_server.account("Gauss").session(|session| session.timeseal(timeseal));
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(1 << 12);
    let gauss = builder.start().await.unwrap();
    gauss.ready().await.unwrap();
    let game = begin_game(&newton, &euler).await;
    for line in [&format!("observe {game}"), "who", "finger Newton", "variables", "xyzzy", "games"] {
        let _ = gauss.request(line).await;
    }
    for (client, played) in [(&newton, "e4"), (&euler, "e5"), (&newton, "Nf3"), (&euler, "Nc6")] {
        play(client, played).await;
        sleep(Duration::from_secs(1)).await;
    }
    newton.request("tell Gauss caf\u{e9} <12> fics% ").await.unwrap();
    newton.request("resign").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    gauss.shutdown().await;
    let is_of_server = |event: &Event| matches!(event, Event::Received { .. } | Event::Desync(_));
    drain(&mut events).0.into_iter().filter(is_of_server).collect()
}

#[tokio::test(start_paused = true)]
async fn however_writes_are_split_the_events_are_the_same() {
    for timeseal in [TimesealChoice::Off, TimesealChoice::V1, TimesealChoice::V2] {
        let whole = heard_over(None, timeseal).await;
        assert!(whole.len() > 80, "{}", whole.len());
        for n in [1, 2, 3, 5, 7, 16, 61] {
            for fault in [Fault::Split(n), Fault::SplitRandomly(n)] {
                let split = heard_over(Some(fault), timeseal).await;
                assert!(whole == split, "{fault:?}, {timeseal:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn noise_spoils_no_reply_but_the_one_it_stands_in() {
    for seed in 0..60 {
        for without in [&[][..], &[Feature::BlockMode]] {
            let case = format!("seed {seed}, {without:?}");
            let options = options(&["Newton"]).seed(seed);
            let test_server =
                TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
            let client = test_server.player("Newton").await;
            let at = client.counters().session.bytes_received + seed * 11 % 400;
            let length = 1 + usize::try_from(seed).unwrap() * 7;
            let control = test_server.server().control();
            control
                .inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::After(at), Fault::Garbage(length))
                .await
                .unwrap();
            let n_spoilt = n_spoilt(&client, &case).await;
            assert!(n_spoilt <= 2, "{case}: {n_spoilt}");
            assert_eq!((client.state(), client.counters().session.reconnects), (SessionState::Ready, 0), "{case}");
            assert!(client.request("date").await.unwrap().text().contains("Server time"), "{case}");
            client.shutdown().await;
        }
    }
}

/// Asks ten things at once. Who gets a reply gets his own.
async fn n_spoilt(client: &Client, case: &str) -> usize {
    let mut asked = JoinSet::new();
    for channel in 1..=10 {
        let client = client.clone();
        asked.spawn(async move { (channel, client.request(&format!("inchannel {channel}")).await) });
    }
    let mut n_spoilt = 0;
    for (channel, result) in asked.join_all().await {
        match result {
            Ok(reply) => {
                let own = format!("There are 0 players in channel {channel}.");
                let text = reply.text();
                // The noise may stand in the middle of a line.
                let others = text.matches("players in channel").count();
                assert!(others <= 1, "{case}: {text}");
                if !text.contains(&own) {
                    n_spoilt += 1;
                }
            }
            // The last one: the noise stands in the line that ends the reply before, and its rest looks like an answer.
            Err(RequestError::TimedOut(_) | RequestError::Incomplete) => n_spoilt += 1,
            Err(error) if error.is_refused_for(Refusal::UnknownCommand) => n_spoilt += 1,
            Err(other) => panic!("{case}: {other:?}"),
        }
    }
    n_spoilt
}
