//! Requests and their replies.

use super::login::{on_fics, on_uhlin};
use super::peer::{Manner, Peer};
use super::*;
use crate::message::listing::AnyListing;
use crate::message::{Attribution, RequestOrigin};
use crate::message::{CommandCode, GameId, Ivar, Refusal};
use crate::text::ServerText;

/// Returns the block of a reply and the prompt after it.
fn block(number: &str, code: u32, text: &str) -> String {
    format!("\x15{number}\x16{code}\x16{text}\x17\n\rfics% ")
}

/// Returns the numbers of sent commands.
fn numbers(sent: &[String]) -> Vec<&str> {
    sent.iter().map(|line| line.split(' ').next().unwrap()).collect()
}

fn text(reply: &Result<Reply, RequestError>) -> String {
    reply.as_ref().unwrap().text()
}

#[test]
fn a_numbered_reply_is_its_block_alone() {
    let (mut driver, _) = on_fics(guest());
    let id = driver.request("finger newton").unwrap();
    let sent = driver.take_sent();
    let (number, command) = sent[0].split_once(' ').unwrap();
    assert_eq!(command, "finger newton\n");
    driver.feed("\n\rFoo tells you: not for you\n\rfics% ");
    driver.feed(block(number, 37, "Finger of Newton:\n\r\n\rOn for: 5 secs\n\r"));
    driver.feed("\n\rFoo tells you: nor this\n\rfics% ");
    let replies = driver.take_replies();
    let [(over, Ok(reply))] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!((*over, reply.code), (id, Some(CommandCode(37))));
    assert_eq!(reply.lines().collect::<Vec<_>>(), [&b"Finger of Newton:"[..], b"", b"On for: 5 secs"]);
}

#[test]
fn a_list_of_moves_between_fences_is_an_event_of_the_game_that_was_asked_for() {
    const REPLY: &str = "\n\rDmitri (UNR) vs. Admin (UNR) --- 1999.09.03 23:27:39\n\r\
        Unrated Untimed match, initial time: 0 minutes, increment: 0 seconds.\n\r\n\r\
        Move  Dmitri             Admin              \n\r----  ----------------   ----------------\n\r\
        \u{20} 1.  e4      (0:00)     e5      (0:00)  \n\r      {Still in progress} *\n\r\n\r";
    let (mut driver, peer) = on_uhlin(guest());
    // Talk inside is not part of it, and another game's number is not asked for.
    let talk = REPLY.replace("Move  D", "Foo tells you:   7.  e4      (0:00)     e5      (0:00)\n\rMove  D");
    let mut peer = peer.on("moves 7", &talk).on("moves Dmitri", REPLY).on("finger moves 7", REPLY);
    let list = |driver: &mut Driver, peer: &mut Peer, command: &str| {
        let n_before = driver.events().len();
        driver.request(command).unwrap();
        driver.serve(peer);
        let reply = driver.reply().unwrap().listing().cloned();
        let events = &driver.events()[n_before..];
        let listed: Vec<_> = events
            .iter()
            .filter_map(
                |event| if let Event::Listing { listing, .. } = event { Some((**listing).clone()) } else { None },
            )
            .collect();
        assert_eq!(listed, Vec::from_iter(reply), "{command}");
        listed.into_iter().next()
    };
    let game =
        |listing| if let Some(AnyListing::Moves(list)) = listing { Some((list.game, list.moves.len())) } else { None };
    assert_eq!(game(list(&mut driver, &mut peer, "moves 7")), Some((Some(GameId(7)), 2)));
    assert_eq!(game(list(&mut driver, &mut peer, "$Moves  7")), None, "the peer knows no such command");
    assert_eq!(game(list(&mut driver, &mut peer, "moves Dmitri")), Some((None, 2)));
    assert_eq!(list(&mut driver, &mut peer, "finger moves 7"), None);
}

#[test]
fn a_help_file_has_the_topic_that_was_asked_for() {
    let topic = |reply: Result<Reply, RequestError>| match reply.unwrap().listing() {
        Some(AnyListing::Help(help)) => help.topic.clone(),
        other => panic!("{other:?}"),
    };
    let (mut driver, _) = on_fics(guest());
    driver.request("help  intro; password old trout").unwrap();
    let sent = driver.take_sent();
    driver.feed(block(numbers(&sent)[0], 50, "Talking to players\n\r"));
    assert_eq!(topic(driver.reply()), "intro;");
    let (mut driver, peer) = on_uhlin(guest());
    driver.request("help intro").unwrap();
    driver.serve(&mut peer.on("help intro", "Talking to players\n\r"));
    assert_eq!(topic(driver.reply()), "intro");
}

// Without marks, only the type of a message shows that it is no line of the file.
#[test]
fn a_help_file_without_marks_has_no_lines_about_games_and_players() {
    let (mut driver, peer) = on_uhlin(guest());
    let others = "\n\rNotification: Boris has arrived.\n\rBoris tells you: help\n\rGame 5: Game clock paused.\n\r\
        Your partner has disconnected.\n\r{Game 5 (A vs. B) B resigns} 1-0\n\rfics% ";
    driver.request("help intro").unwrap();
    let mut peer = peer.on("help intro", &format!("Talking to players\n\r{others}Second line\n\r"));
    peer = peer.on("help none", "No help available on none.\n\r");
    driver.serve(&mut peer);
    let reply = driver.reply().unwrap();
    let Some(AnyListing::Help(help)) = reply.listing() else { panic!("{reply:?}") };
    assert_eq!(help.lines.iter().map(ServerText::as_str).collect::<Vec<_>>(), ["Talking to players", "Second line"]);
    driver.request("help none").unwrap();
    driver.serve(&mut peer);
    assert!(matches!(driver.reply(), Err(RequestError::Refused { reason: Refusal::NothingFound, .. })));
    let n_listings = driver.events().iter().filter(|event| matches!(event, Event::Listing { .. })).count();
    assert_eq!(n_listings, 1, "a refusal is no help file");
}

// Rules: transport P2
#[test]
fn a_prompt_set_during_the_session_is_recognized() {
    let (mut driver, mut peer) = on_uhlin(guest());
    peer.prompt = "chess> ";
    peer = peer.on("set prompt", "").on("date", "Local time     - Sat Nov 21,  8:42 UTC\n\r");
    driver.request("set prompt chess>").unwrap();
    driver.serve_unprompted(&mut peer);
    assert_eq!(text(&driver.reply()), "");
    driver.request("date").unwrap();
    driver.serve(&mut peer);
    assert_eq!(text(&driver.reply()), "Local time     - Sat Nov 21,  8:42 UTC\n");

    peer.prompt = "fics% ";
    driver.request("set prompt").unwrap();
    driver.serve(&mut peer);
    driver.feed("chess> is text again\n\rfics% ");
    assert!(driver.events().iter().any(|event| event.raw() == b"chess> is text again"));

    peer.prompt = "> ";
    driver.request("set prompt >").unwrap();
    driver.serve_unprompted(&mut peer);
    driver.feed("**** Carla has arrived - you can't both be logged in. ****\n\r");
    driver.close(CloseCause::Closed);
    assert!(matches!(driver.session.state(), SessionState::Ended(SessionEndReason::Kicked(_))));
}

#[test]
fn text_before_other_answers_is_not_a_prompt() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.request("refresh").unwrap();
    let cut = "\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 Alice Boris 0 1";
    driver.take_sent();
    let fence = driver.prompted();
    driver.feed(format!("{cut}fics% {}: Command has failed.\n\rfics% ", fence.trim()));
    driver.take_replies();
    driver.request("date").unwrap();
    driver.serve(&mut peer);
    assert!(driver.reply().is_ok());
    driver.feed(format!("{cut}\n\rfics% "));
    assert_eq!(
        driver.events().last().unwrap().message(),
        Some(&crate::message::Message::Control(crate::message::Control::Prompt))
    );
    let boards = driver.events().iter().filter(|event| event.raw().starts_with(b"<12>"));
    assert_eq!(boards.count(), 2);
}

// Rules: datagrams BM4, bugs 99
#[test]
fn many_requests_are_in_flight_and_answered_in_any_order() {
    let (mut driver, _) = on_fics(guest());
    let ids: Vec<_> = (0..5).map(|n| driver.request(&format!("finger p{n}")).unwrap()).collect();
    let sent = driver.take_sent();
    let numbers = numbers(&sent);
    assert_eq!(numbers.iter().collect::<std::collections::BTreeSet<_>>().len(), 5, "{numbers:?}");
    for n in [3, 0, 4, 2, 1] {
        driver.feed(block(numbers[n], 37, &format!("reply {n}\n\r")));
    }
    let replies = driver.take_replies();
    assert_eq!(replies.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [3, 0, 4, 2, 1].map(|n: usize| ids[n]));
    for ((_, reply), n) in replies.iter().zip([3, 0, 4, 2, 1]) {
        assert_eq!(text(reply), format!("reply {n}\n"));
    }
    driver.feed(block(numbers[0], 37, "once more\n\r"));
    driver.feed(block("77", 37, "of nobody\n\r"));
    driver.feed(block("999999999999", 37, "of nobody\n\r"));
    assert!(driver.take_replies().is_empty(), "unknown numbers are what the server says by itself");
    assert!(driver.events().iter().any(|event| event.raw() == b"of nobody"));
}

// Rules: bugs 99
#[test]
fn a_number_is_reused_only_after_its_reply() {
    let (mut driver, mut peer) = on_fics(guest());
    driver.request("slow").unwrap();
    let slow = driver.take_sent();
    let slow = numbers(&slow)[0].to_owned();
    driver.wait(seconds(10));
    driver.feed("fics% ");
    driver.wait(seconds(10));
    driver.feed("fics% ");
    driver.wait(seconds(10));
    assert_eq!(driver.reply(), Err(RequestError::TimedOut(seconds(30))));
    let mut used = Vec::new();
    for _ in 0..250 {
        driver.request("date").unwrap();
        let sent = driver.take_sent();
        used.extend(numbers(&sent).into_iter().map(str::to_owned));
        driver.answer(&mut peer, &sent);
    }
    assert!(!used.contains(&slow), "it is late, not gone");
    assert_eq!(used.iter().collect::<std::collections::BTreeSet<_>>().len(), 98, "all others go round");
    driver.take_replies();
    driver.feed(block(&slow, 37, "at last\n\r"));
    assert!(driver.take_replies().is_empty());
    for _ in 0..99 {
        driver.request("date").unwrap();
        let sent = driver.take_sent();
        used.extend(numbers(&sent).into_iter().map(str::to_owned));
        driver.answer(&mut peer, &sent);
    }
    assert!(used.contains(&slow));
}

#[test]
fn abandoned_requests_never_exhaust_the_numbers() {
    let (mut driver, mut peer) = on_fics(guest());
    for _ in 0..300 {
        let id = driver.request("lost").unwrap();
        assert_eq!(driver.take_sent().len(), 1, "it goes out at once");
        driver.session.abandon(id, driver.now);
    }
    driver.request("date").unwrap();
    driver.serve(&mut peer);
    assert!(driver.reply().is_ok());
}

#[test]
fn an_abandoned_request_does_not_affect_others() {
    for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
        let first = driver.request("date").unwrap();
        let second = driver.request("date").unwrap();
        driver.session.abandon(first, driver.now);
        driver.serve(&mut peer);
        let replies = driver.take_replies();
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0].0, second);
        assert_eq!(text(&replies[0].1), "Local time     - Sat Nov 21,  0:22 UTC\n");
    }
}

// Rules: bugs 95
#[test]
fn a_missing_number_is_a_fault_and_no_request_waits_forever() {
    let (mut driver, _) = on_fics(guest());
    driver.request("finger").unwrap();
    driver.feed(block("0", 519, ""));
    assert!(driver.take_session_events().contains(&Event::Fault));
    for _ in 0..3 {
        driver.wait(seconds(10));
        driver.feed("fics% ");
    }
    assert_eq!(driver.reply(), Err(RequestError::TimedOut(seconds(30))));
}

#[test]
fn an_incomplete_block_is_not_a_reply() {
    let (mut driver, _) = on_fics(guest());
    let before = driver.session.counters();
    driver.request("finger").unwrap();
    driver.request("date").unwrap();
    let sent = driver.take_sent();
    let numbers = numbers(&sent);
    driver.feed(format!("\x15{}\x1637\x16Finger of\n\r", numbers[0]));
    driver.feed(block(numbers[1], 32, "Local time\n\r"));
    let replies = driver.take_replies();
    assert_eq!(replies[0].1, Err(RequestError::Incomplete));
    assert_eq!(text(&replies[1].1), "Local time\n");
    let after = driver.session.counters();
    let counted = (after.requests_answered - before.requests_answered, after.requests_failed);
    assert_eq!(counted, (1, 1), "no request counts twice");
}

#[test]
fn an_endless_reply_is_cut_and_the_next_is_complete() {
    let limits = RequestLimits::default().reply_events(100).reply_bytes(1000);
    for (mut driver, mut peer) in [on_fics(guest().requests(limits)), on_uhlin(guest().requests(limits))] {
        for long in ["x\n\r".repeat(101), format!("{}\n\r", "x".repeat(1001))] {
            peer = peer.on("help", &long);
            driver.request("help").unwrap();
            driver.request("date").unwrap();
            driver.serve(&mut peer);
            let replies = driver.take_replies();
            assert_eq!(replies[0].1, Err(RequestError::TooLong { limit_bytes: 1000, limit_events: 100 }));
            assert_eq!(text(&replies[1].1), "Local time     - Sat Nov 21,  0:22 UTC\n");
        }
    }
}

#[test]
fn a_listing_does_not_count_towards_the_limits_of_its_reply() {
    let (mut driver, _) = on_fics(guest().requests(RequestLimits::default().reply_events(3)));
    driver.request("finger newton").unwrap();
    let sent = driver.take_sent();
    let number = numbers(&sent)[0];
    driver.feed(block(number, 37, "Finger of Newton:\n\r\n\rOn for: 1 min   Idle: 0 secs\n\r"));
    let reply = driver.reply().unwrap();
    assert!(reply.listing().is_some() && reply.events.len() == 4, "{reply:?}");
}

#[test]
fn a_fenced_reply_is_the_text_before_the_answer_to_the_fence() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.request("finger newton").unwrap();
    driver.request("date").unwrap();
    assert_eq!(driver.take_sent(), ["finger newton\n"]);
    driver.feed("\n\rFoo tells you: zq: Command has failed.\n\rfics% ");
    driver.feed("\n\rStatistics for Newton\n\r\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 A B 0 2 12 39 39 120 120 1 none (0:00) none 0\n\rfics% fics% ");
    let fence = driver.take_sent().concat();
    driver.feed("Foo kibitzes: hi\n\rzqaaaaaaaa: Command has failed.\n\r");
    assert!(driver.take_replies().is_empty(), "no fence of ours");
    driver.feed(peer.answer(fence.trim()));
    driver.serve(&mut peer);
    let replies = driver.take_replies();
    assert_eq!(replies.len(), 2);
    let reply = replies[0].1.as_ref().unwrap();
    assert!(reply.lines().any(|line| line == b"Statistics for Newton"));
    assert!(reply.lines().any(|line| line.starts_with(b"<12> ")));
    assert!(!reply.lines().any(|line| line.starts_with(fence.trim().as_bytes())), "the fence is ours");
    assert_eq!(reply.code, None);
    assert_eq!(text(&replies[1].1), "Local time     - Sat Nov 21,  0:22 UTC\n");
}

/// uhlin-fics processes one line of those it has read, and the next one two seconds later.
#[test]
fn without_block_mode_a_line_is_sent_once_the_server_has_read_the_one_before() {
    let (mut driver, mut peer) = on_uhlin(guest());
    for line in ["finger", "date"] {
        driver.request(line).unwrap();
    }
    assert_eq!(driver.take_sent(), ["finger\n"]);
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 A B 0 2 12 39 39 120 120 1 none (0:00) none 0";
    let by_others = ["Foo tells you: hi", "Foo shouts: hi", "Notification: Foo has arrived.", board];
    for line in by_others {
        driver.feed(format!("\n\r{line}\n\rfics% "));
        assert!(driver.take_sent().is_empty(), "the prompt after {line} belongs to no command");
    }
    driver.feed(format!("Statistics for Newton\n\rfics% \n\r{}\n\rfics% ", by_others[0]));
    let fence = driver.take_sent().concat();
    driver.feed("fics% \n\rNothing we know of.\n\rfics% ");
    driver.wait(seconds(9));
    assert!(driver.take_sent().is_empty(), "no prompt answers a fence");
    driver.feed(format!("{}: Command has failed.\n\r", fence.trim()));
    assert!(driver.take_sent().is_empty(), "its prompt is still to come");
    assert_eq!(driver.prompted(), "date\n");

    driver.wait(almost(Duration::from_millis(250)));
    assert!(driver.take_sent().is_empty());
    driver.wait(Duration::from_millis(1));
    let fence = driver.take_sent().concat();
    assert!(fence.starts_with("zq"), "a prompt that is not known is not waited for: {fence}");
    driver.feed(peer.answer("date"));
    driver.feed(peer.answer(fence.trim()));
    assert_eq!(driver.take_replies().len(), 2);
}

#[test]
fn the_board_of_an_own_move_opens_the_line_gate() {
    let board = |relation: i8| {
        format!(
            "\n\r<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 A B {relation} 2 12 39 39 120 120 1 P/e2-e4 (0:00) e4 0\n\rfics% "
        )
    };
    let (mut driver, _) = on_uhlin(guest());
    driver.request("e2e4").unwrap();
    driver.take_sent();
    driver.feed(board(1));
    assert!(driver.take_sent().is_empty(), "the opponent's move");
    driver.feed(board(-1));
    assert_eq!(driver.take_sent().len(), 1);
}

#[test]
fn an_unanswered_fence_ends_with_the_next_one() {
    let (mut driver, mut peer) = on_uhlin(guest());
    for line in ["one", "date", "date"] {
        driver.request(line).unwrap();
    }
    driver.take_sent();
    driver.prompted();
    driver.wait(seconds(10));
    assert_eq!(driver.take_sent(), ["date\n"], "the fence of the first is lost");
    driver.feed(peer.answer("date"));
    driver.serve(&mut peer);
    let replies = driver.take_replies();
    assert_eq!(replies[0].1, Err(RequestError::Incomplete));
    assert_eq!(replies[1].1, Err(RequestError::Incomplete), "what stands in front of it may be the answer to either");
    assert_eq!(text(&replies[2].1), "Local time     - Sat Nov 21,  0:22 UTC\n");
}

#[test]
fn a_late_answer_to_a_removed_fence_is_ignored() {
    let (mut driver, mut peer) = on_uhlin(guest().timings(Timings::default().request(Duration::from_hours(1))));
    let mut late = Vec::new();
    for n in 0..120 {
        let is_wanted = n == 1;
        let id = driver.request(if is_wanted { "date" } else { "slow" }).unwrap();
        late.extend(driver.take_sent());
        late.push(driver.prompted());
        driver.wait(seconds(10));
        if !is_wanted {
            driver.session.abandon(id, driver.now);
        }
    }
    assert_eq!(late.len(), 240, "a command and its fence each time");
    driver.answer(&mut peer, &late);
    assert_eq!(text(&driver.reply()), "Local time     - Sat Nov 21,  0:22 UTC\n");
}

#[test]
fn an_unanswered_probe_does_not_affect_replies() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.wait(seconds(15));
    assert_eq!(driver.take_sent().len(), 1);
    driver.feed("fics% ");
    for _ in 0..2 {
        driver.request("date").unwrap();
        driver.serve(&mut peer);
        assert_eq!(text(&driver.reply()), "Local time     - Sat Nov 21,  0:22 UTC\n");
        driver.wait(seconds(14));
        driver.feed("fics% ");
    }
}

fn refused(reason: Refusal, text: &str) -> RequestError {
    RequestError::Refused { reason, text: ServerText::from_wire(text.as_bytes()) }
}

#[test]
fn refusals_are_errors_with_their_reason() {
    let cases = [
        ("foo: Command not found.", Refusal::UnknownCommand),
        ("kd9: Command has failed.", Refusal::UnknownCommand),
        ("Ambiguous command \"s\". Matches: say seek set", Refusal::AmbiguousCommand),
        ("Ambiguous command. Matches: shout showlist", Refusal::AmbiguousCommand),
        ("You are not playing or examining a game.", Refusal::NotPlaying),
        ("Only registered players can use the shout command.", Refusal::NotRegistered),
        ("Command ignored: line too long.", Refusal::CommandTooLong),
        ("Illegal move (e2e5).", Refusal::IllegalMove),
        ("It is not your move.", Refusal::NotYourMove),
        ("Foo is not logged in.", Refusal::NotLoggedIn),
        ("There is no such game.", Refusal::NoSuchGame),
    ];
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 A B 0 2 12 39 39 120 120 1 none (0:00) none 0";
    for (line, reason) in cases {
        for (mut driver, peer) in [on_fics(guest()), on_uhlin(guest())] {
            let said = format!("\n\rFoo tells you: It is your move.\n\r\n\r{board}\n\r{line}\n\r\n\r{board}\n\r");
            driver.request("x").unwrap();
            driver.serve(&mut peer.on("x", &said));
            assert_eq!(driver.reply(), Err(refused(reason, line)), "{line}");
        }
    }
    let (mut driver, peer) = on_fics(guest());
    driver.request("x").unwrap();
    driver.serve(&mut peer.on("x", "(told Foo)\n\rfoo: Command not found.\n\r"));
    assert!(driver.reply().is_ok(), "what does not come first is no refusal");
}

#[test]
fn a_refusal_may_follow_messages_that_others_caused() {
    let started = "\n\rCarla accepts your challenge.\n\r\n\r{Game 1 (Boris vs. Carla) Creating unrated blitz match.}\n\r\n\r\
        <12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 Boris Carla 1 5 0 39 39 \
        300 300 1 none (0:00) none 0\n\rfics% ";
    let ended = "\n\r{Game 1 (Boris vs. Carla) Carla resigns} 1-0\n\rfics% ";
    let offered =
        "\n\rChallenge: Carla (----) Boris (----) rated blitz 3 0.\n\rfics% \n\rCarla offers you a draw.\n\rfics% ";
    for first in [started, ended, offered] {
        let (mut driver, mut peer) = on_uhlin(guest());
        driver.request("e5").unwrap();
        driver.feed([first, "Illegal move.\n\rfics% "].concat());
        driver.drop_sent_except_last();
        driver.serve(&mut peer);
        assert!(matches!(driver.reply(), Err(RequestError::Refused { .. })), "{first}");
    }
}

#[test]
fn reply_codes_are_refusals_too() {
    let cases = [
        (512, "foo: Command not found.", Refusal::UnknownCommand),
        (512, "Usage: TODO for match", Refusal::BadParameters),
        (512, "Something in another wording.", Refusal::UnknownCommand),
        (513, "Usage: foo bar", Refusal::BadParameters),
        (514, "Which?", Refusal::AmbiguousCommand),
        (515, "No.", Refusal::NotAllowed),
        (516, "", Refusal::UnknownCommand),
        (517, "", Refusal::UnknownCommand),
        (518, "", Refusal::NotPlaying),
        (520, "", Refusal::CommandTooLong),
        (600, "Never heard.", Refusal::Code(CommandCode(600))),
    ];
    let cases = cases.map(|(code, line, reason)| (code, line, refused(reason, line)));
    let unnumbered = (519, "", RequestError::Unnumbered);
    for (code, line, want) in cases.into_iter().chain([unnumbered]) {
        let (mut driver, _) = on_fics(guest());
        driver.request("x").unwrap();
        let sent = driver.take_sent();
        driver.feed(block(numbers(&sent)[0], code, &format!("{line}\n\r")));
        assert_eq!(driver.reply(), Err(want), "{code} {line}");
    }
}

#[test]
fn the_timeout_of_a_request_starts_when_it_is_sent() {
    for (mut driver, mut peer) in [
        on_fics(guest().requests(RequestLimits::default().in_flight(1))),
        on_uhlin(guest().requests(RequestLimits::default().in_flight(1))),
    ] {
        driver.request("who").unwrap();
        driver.wait(seconds(10));
        driver.feed("fics% ");
        let late = driver.take_sent();
        let second = driver.request("date").unwrap();
        assert!(driver.take_sent().is_empty(), "one at a time");
        driver.wait(seconds(10));
        driver.feed("fics% ");
        driver.wait(seconds(9));
        assert!(driver.take_replies().is_empty());
        driver.wait(seconds(1));
        assert_eq!(driver.reply(), Err(RequestError::TimedOut(seconds(30))));
        let sent = driver.take_sent();
        driver.answer(&mut peer, &late);
        assert!(driver.take_replies().is_empty(), "nobody waits for that any more");
        driver.answer(&mut peer, &sent);
        driver.serve(&mut peer);
        let replies = driver.take_replies();
        assert_eq!(replies[0].0, second, "its turn has come");
        assert_eq!(text(&replies[0].1), "Local time     - Sat Nov 21,  0:22 UTC\n");
    }
}

#[test]
fn the_queue_is_bounded() {
    let (mut driver, mut peer) = on_fics(guest().requests(RequestLimits::default().queued(3).in_flight(2)));
    for _ in 0..5 {
        driver.request("date").unwrap();
    }
    assert_eq!(driver.request("date"), Err(RequestError::Busy));
    driver.serve(&mut peer);
    assert_eq!(driver.take_replies().len(), 5);
    assert!(driver.request("date").is_ok());
}

#[test]
fn requests_are_refused_while_events_are_not_polled() {
    let limits = RequestLimits::default().queued(20);
    let (mut driver, _) = on_fics(guest().requests(limits));
    for n in 0..100 {
        let date = Command::new("date").unwrap();
        let result = driver.session.request(date, driver.now);
        while driver.session.poll_transmit(driver.now).is_some() {}
        if let Ok(id) = result {
            driver.session.abandon(id, driver.now);
        }
        assert_eq!(result.is_ok(), n < 20, "{n}: {result:?}");
    }
    driver.drain();
    assert!(driver.request("date").is_ok());
}

#[test]
fn after_a_loss_each_request_reports_whether_it_was_sent() {
    for (mut driver, _) in [
        on_fics(guest().requests(RequestLimits::default().in_flight(1))),
        on_uhlin(guest().requests(RequestLimits::default().in_flight(1))),
    ] {
        driver.request("date").unwrap();
        driver.request("date").unwrap();
        driver.close(CloseCause::Failed(std::io::ErrorKind::ConnectionReset));
        let results: Vec<_> = driver.take_replies().into_iter().map(|(_, result)| result).collect();
        assert_eq!(results, [Err(RequestError::Lost), Err(RequestError::NotConnected)]);
        assert_eq!(driver.request("date"), Err(RequestError::NotConnected), "nothing is kept for later");
    }
}

#[test]
fn a_connection_lost_inside_a_block_loses_its_request() {
    let (mut driver, _) = on_fics(guest());
    driver.request("finger").unwrap();
    let sent = driver.take_sent();
    driver.feed(format!("\x15{}\x1637\x16Finger of Newton:\n\rhalf a li", numbers(&sent)[0]));
    driver.close(CloseCause::Closed);
    assert_eq!(driver.reply(), Err(RequestError::Lost));
    assert!(driver.events().iter().any(|event| event.raw() == b"half a li"), "what had come is told");
}

#[test]
fn a_request_may_switch_block_mode() {
    let (mut driver, mut peer) = on_fics(guest());
    peer = peer.on("iset block 0", "block unset.\n\r");
    driver.request("finger").unwrap();
    driver.request("iset block 0").unwrap();
    driver.request("date").unwrap();
    let sent = driver.take_sent();
    assert_eq!(sent.len(), 1, "a switch waits for what is in flight, and what follows waits for it");
    driver.feed(peer.answer(sent[0].trim()));
    let sent = driver.take_sent();
    assert_eq!(sent.len(), 1);
    driver.feed(peer.answer(sent[0].trim()));
    peer.block = false;
    let sent = driver.take_sent();
    assert_eq!((sent.len(), &*sent[0]), (2, "date\n"), "a fence is behind it now");
    driver.answer(&mut peer, &sent);
    assert_eq!(driver.take_replies().iter().filter(|(_, result)| result.is_ok()).count(), 2);

    assert!(!driver.session.capabilities().has(Ivar::Block));
    driver.request("iset block 1").unwrap();
    driver.request("date").unwrap();
    driver.serve(&mut peer);
    assert_eq!(driver.take_replies().iter().filter(|(_, result)| result.is_ok()).count(), 2);
    driver.request("date").unwrap();
    assert_eq!(driver.take_sent().len(), 1, "numbered again");
    assert!(driver.session.capabilities().has(Ivar::Block));
}

#[test]
fn ivars_switched_by_a_request_change_the_capabilities() {
    let (mut driver, mut peer) = on_fics(guest());
    assert!(driver.session.capabilities().has(Ivar::Ms) && !driver.session.capabilities().has(Ivar::SeekInfo));
    peer = peer.on("iset ms 0", "ms unset.\n\r").on("iset pin 1", "com_iset: pin 1\n\r");
    for line in ["iset ms 0", "iset seekinfo 1", "iset pin 1"] {
        driver.request(line).unwrap();
    }
    driver.serve(&mut peer);
    let capabilities = driver.session.capabilities();
    assert!(!capabilities.has(Ivar::Ms) && capabilities.has(Ivar::SeekInfo) && !capabilities.has(Ivar::Pin));
}

#[test]
fn unexpected_block_mode_fails_commands_that_were_not_executed() {
    let (mut driver, mut peer) = on_uhlin(guest());
    peer.manner = Manner::Fics;
    peer.block = true;
    driver.request("finger").unwrap();
    driver.request("who").unwrap();
    driver.serve(&mut peer);
    let results: Vec<_> = driver.take_replies().into_iter().map(|(_, result)| result).collect();
    assert_eq!(
        results,
        [Err(RequestError::Unnumbered), Err(refused(Refusal::UnknownCommand, "who: Command not found."))],
        "who was sent with a number"
    );
    driver.request("date").unwrap();
    driver.serve(&mut peer);
    assert!(driver.reply().is_ok());
}

#[test]
fn a_refused_quit_changes_nothing() {
    for (mut driver, peer) in [on_fics(guest()), on_uhlin(guest())] {
        let mut peer = peer.on("quit", "You can't quit while you are playing a game.\n\r");
        driver.request("quit").unwrap();
        assert_eq!(driver.request("date"), Err(RequestError::NotConnected));
        driver.serve(&mut peer);
        assert!(matches!(driver.reply(), Err(RequestError::Refused { .. })));
        driver.wait(seconds(6));
        driver.serve(&mut peer);
        assert_eq!(driver.session.state(), SessionState::Ready);
        assert!(driver.request("date").is_ok());
    }
}

#[test]
fn an_abandoned_quit_may_be_refused() {
    let abandon = |driver: &mut Driver, id| {
        driver.session.abandon(id, driver.now);
        driver.drain();
    };
    let limits = RequestLimits::default().in_flight(1);
    let (mut driver, mut peer) = on_fics(guest().requests(limits));
    driver.request("date").unwrap();
    let unsent = driver.request("quit").unwrap();
    abandon(&mut driver, unsent);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready, "it was not sent");
    assert!(!peer.heard.iter().any(|line| line == "quit"));

    let (mut driver, peer) = on_fics(guest());
    let mut peer = peer.on("quit", "You can't quit while you are playing a game.\n\r");
    let refused = driver.request("quit").unwrap();
    abandon(&mut driver, refused);
    driver.serve(&mut peer);
    driver.wait(seconds(6));
    assert_eq!(driver.session.state(), SessionState::Ready, "it was refused");
    assert!(driver.take_replies().is_empty());

    let (mut driver, _) = on_fics(guest());
    let sent = driver.request("quit").unwrap();
    abandon(&mut driver, sent);
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Quit), "it was sent");
}

// Rules: transport LG2
#[test]
fn sent_lines_are_reported_with_their_request() {
    let (mut driver, mut peer): (Driver, Peer) = on_fics(guest());
    let id = driver.request("finger newton").unwrap();
    driver.serve(&mut peer);
    let told = driver.events().iter().find_map(|event| match event {
        Event::Sent { line: Some(line), attribution } if line.ends_with("finger newton") => Some(*attribution),
        _ => None,
    });
    assert_eq!(told, Some(Attribution::of_request(Some(id), Some(RequestOrigin::User))));
}

// Rules: transport LG2, bugs 17
#[test]
fn a_command_with_a_password_is_not_reported() {
    for (mut driver, _) in [on_fics(guest()), on_uhlin(guest())] {
        driver.events.clear();
        let id = driver.request("password swordfish marlin").unwrap();
        let sent = driver.take_transmits();
        assert!(sent[0].bytes().ends_with(b"password swordfish marlin\n"));
        assert_eq!((sent[0].kind.is_secret(), sent[0].kind), (true, TransmitKind::SecretCommand));
        assert!(sent[0].secrets().eq([&b"swordfish"[..], b"marlin"]) && sent[0].attribution.request() == Some(id));
        assert!(sent[1..].iter().all(|fence| !fence.kind.is_secret() && fence.secrets().next().is_none()));
        let hidden = Event::Sent { line: None, attribution: sent[0].attribution };
        assert_eq!(driver.events()[..1], [hidden]);
        let shown = format!("{sent:?} {:?} {:?}", driver.events(), driver.session);
        assert!(!shown.contains("swordfish") && !shown.contains("marlin"), "{shown}");
    }
}

#[test]
fn a_request_that_timed_out_is_counted_once() {
    let (mut driver, _) = on_fics(guest());
    driver.request("date").unwrap();
    for _ in 0..3 {
        driver.wait(seconds(10));
        driver.feed("fics% ");
    }
    assert_eq!(driver.reply(), Err(RequestError::TimedOut(seconds(30))));
    assert_eq!(driver.session.counters().requests_failed, 1);
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.counters().requests_failed, 1);
}

#[test]
fn counters_add_up() {
    let (mut driver, mut peer) = on_fics(guest());
    let before = driver.session.counters();
    driver.request("date").unwrap();
    driver.now += Duration::from_millis(70);
    driver.serve(&mut peer);
    let after = driver.session.counters();
    assert_eq!(after.lines_sent - before.lines_sent, 1);
    assert_eq!(after.bytes_sent - before.bytes_sent, "13 date\n".len() as u64);
    assert!(after.bytes_received - before.bytes_received > 50);
    assert_eq!(after.events - before.events, 4, "start, line, end, prompt");
    assert_eq!(after.lines_received - before.lines_received, 1);
    assert_eq!(after.round_trip, Some(Duration::from_millis(70)));
    assert_eq!(after.requests_answered - before.requests_answered, 1);
    assert_eq!(after.request_time.saturating_sub(before.request_time), Duration::from_millis(70));
    assert_eq!(after.requests_failed, 0);
    driver.request("nonsense").unwrap();
    driver.serve(&mut peer);
    assert_eq!(driver.session.counters().requests_failed, 0, "a refusal is a reply");
    driver.request("finger").unwrap();
    driver.request("who").unwrap();
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.counters().requests_failed, 2);
    assert_eq!(driver.session.counters().requests_answered, after.requests_answered + 1);
}
