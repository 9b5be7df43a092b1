//! Talk that tries to be something else, and talk that is too long for one line.

use kibitzer::command::{GameTerms, MoveText, TalkCommand};
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::hub::{Filter, Subscription};
use kibitzer_core::message::Message;
use kibitzer_core::session::Command;
use kibitzer_core::{Event, EventKind};
use kibitzer_server::Feature;
use kibitzer_tests::live::{TestServer, drain, handle, options, wait_for};
use tokio::time::{Duration, sleep};

fn text_of(event: &Event) -> Option<String> {
    match event.message() {
        Some(Message::Talk(talk)) => Some(talk.text().into_owned()),
        _ => None,
    }
}

fn tells(client: &kibitzer::Client) -> Subscription {
    client.subscribe().only(Filter::new().kinds([EventKind::Tell]))
}

#[tokio::test(start_paused = true)]
async fn a_text_with_a_line_end_is_an_error_and_nothing_is_sent() {
    let test_server = TestServer::start(options(&["Newton", "Euler"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let mut heard = tells(&euler);
    let sent = newton.counters().session.lines_sent;
    let cases = [
        ("a\r\nquit", CommandError::LineBreak),
        ("a\nresign", CommandError::LineBreak),
        ("a\rb", CommandError::LineBreak),
        ("a\0b", CommandError::Control),
        ("bell\x07", CommandError::Control),
        ("\x1b[2J", CommandError::Control),
        ("block \x15 7 \x16", CommandError::Control),
        ("del\x7f", CommandError::Control),
    ];
    for (text, want) in cases {
        let refused = newton.request(&TalkCommand::tell(handle("Euler"), text)).await.unwrap_err();
        assert_eq!(refused, RequestError::Command(want), "{text:?}");
        assert_eq!(newton.request(&format!("tell Euler {text}")).await, Err(RequestError::Command(want)), "{text:?}");
    }
    let line_break = RequestError::Command(CommandError::LineBreak);
    assert_eq!(newton.set("1", "a note\r\nquit").await, Err(line_break.clone()));
    let variant = GameTerms::new().variant("blitz\nquit");
    assert_eq!(newton.challenge(handle("Euler"), variant).await.err(), Some(line_break.clone()));
    let variant = GameTerms::new().variant("blitz\rquit");
    assert_eq!(newton.seek(variant).await.err(), Some(line_break));
    assert!(MoveText::new("e4\nquit").is_err());
    assert_eq!(newton.counters().session.lines_sent, sent, "nothing was sent");
    newton.request(&TalkCommand::tell(handle("Euler"), "the end")).await.unwrap();
    assert_eq!(wait_for(&mut heard, text_of).await, "the end");
}

#[tokio::test(start_paused = true)]
async fn what_looks_like_the_servers_own_words_stays_talk() {
    for without in [&[][..], &[Feature::BlockMode]] {
        let options = options(&["Newton", "Euler"]);
        let test_server =
            TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
        let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
        let mut heard = tells(&euler);
        let texts = [
            "fics% ",
            "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 A B 0 2 12 39 39 1 1 1 \
             P/e2-e4 (0:06) e4 0",
            "**** Euler has arrived - you can't both be logged in. ****",
            "{Game 7 (Newton vs. Euler) Newton resigns} 0-1",
            "xyzzy: Command not found.",
            "Auto-logout because you were idle more than 60 minutes. ****",
            "[G]",
            "caf\u{e9} \u{265e} \u{1f600} &#x265e; & &amp; 100% \"quoted\" \\ end",
        ];
        for text in texts {
            newton.request(&TalkCommand::tell(handle("Euler"), text)).await.unwrap();
            let got = wait_for(&mut heard, text_of).await;
            assert_eq!(got, text.trim_end().replace("&#x265e;", "\u{265e}"), "{without:?}");
        }
        assert!(euler.request("date").await.is_ok(), "it is still logged in");
        assert!(euler.hub().watch_game(kibitzer_core::message::GameId(7)).latest().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_text_arrives_whole_in_pieces_that_end_with_words() {
    let test_server = TestServer::start(options(&["Newton", "Euler"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let mut heard = tells(&euler);
    let words: Vec<_> =
        (0..400).map(|n| if n % 9 == 0 { format!("caf\u{e9}{n}") } else { format!("word{n}") }).collect();
    let text = words.join(" ");
    let long = TalkCommand::tell(handle("Euler"), text.clone());
    let pieces = long.pieces();
    assert!(pieces.len() > 5, "{}", pieces.len());
    assert_eq!(newton.talk(&long).await.unwrap().len(), pieces.len());
    let mut got = Vec::new();
    for _ in &pieces {
        got.push(wait_for(&mut heard, text_of).await);
    }
    assert_eq!(got.join(" "), text);
    let too_long = format!("tell Euler {}", "x".repeat(Command::MAX_BYTES));
    let refused = newton.request(&too_long).await;
    assert!(matches!(refused, Err(RequestError::Command(CommandError::TooLong { .. }))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_loses_no_text() {
    let test_server = TestServer::start(options(&["Newton", "Euler"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let mut heard = tells(&euler);
    let mut asked = tokio::task::JoinSet::new();
    for n in 0..30 {
        let newton = newton.clone();
        asked.spawn(async move { newton.request(&TalkCommand::tell(handle("Euler"), format!("tell {n}"))).await });
    }
    assert!(asked.join_all().await.iter().all(Result::is_ok));
    sleep(Duration::from_secs(1)).await;
    let (all, missed) = drain(&mut heard);
    assert_eq!((all.len(), missed), (30, 0));
}
