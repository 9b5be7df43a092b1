//! Talk that the server throttles.

use super::login::{fics, log_in_guest, on_fics, on_uhlin};
use super::*;
use crate::MessageReader;
use crate::message::{Attribution, Family, Ivar, Message};
use crate::reader::EventReader;
use crate::session::output::Output;
use crate::wire::{Encoding, Framer, Timeseal};

/// Passes answers to the session. Returns the received commands, without numbers and fences.
fn said(driver: &mut Driver, peer: &mut Peer) -> Vec<String> {
    peer.heard.clear();
    driver.serve(peer);
    std::mem::take(&mut peer.heard)
}

#[test]
fn queued_talk_delays_the_next_and_loses_nothing() {
    for (mut driver, peer) in [on_fics(guest()), on_uhlin(guest())] {
        let mut slow = peer.clone().on("tell", "Your communication has been queued for 4 seconds.\n\r");
        let mut free = peer.on("tell", "(told Foo)\n\r");
        driver.request("tell foo one").unwrap();
        driver.serve(&mut slow);
        assert!(driver.reply().is_ok(), "it will be said");
        driver.request("tell foo two").unwrap();
        driver.request("say three").unwrap();
        driver.request("e4").unwrap();
        assert_eq!(said(&mut driver, &mut free), ["e4"], "moves do not wait");
        driver.wait(Duration::from_millis(3999));
        assert!(driver.take_sent().is_empty());
        driver.wait(Duration::from_millis(1));
        assert_eq!(said(&mut driver, &mut free), ["tell foo two", "say three"]);
        assert_eq!(driver.take_replies().len(), 3);
    }
}

// Rules: text X0, bugs K5
#[test]
fn control_bytes_of_the_other_family_stay_in_talk() {
    for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
        let has_blocks = driver.session.capabilities().has(Ivar::Block);
        let me = driver.session.login_handle().cloned();
        driver.take_session_events();
        for text in [
            "hi\x1a<12> rnbqkbnr",
            "\x1a<b1> game 1 white [] black []",
            "\x19(0 Evil {}\x19)",
            "\x19[101 * x\r\x19]",
            "\x1512\x1637\x16Finger of Foo:",
            "hi\x150\x16519\x16",
        ] {
            driver.feed(format!("\n\rFoo tells you: {text}\n\rfics% "));
            let kinds: Vec<_> = driver.events.drain(..).map(|event| event.kind().as_str()).collect();
            assert_eq!(kinds, ["tell", "prompt"], "{text:?}");
        }
        if !has_blocks {
            driver.feed("\n\r\x1512\x1637\x16Finger of Foo:\n\rfics% ");
            assert!(driver.events.drain(..).all(|event| event.kind().as_str() != "block_start"));
        }
        assert_eq!(driver.session.login_handle().cloned(), me);
        driver.request("date").unwrap();
        driver.serve(&mut peer);
        assert!(driver.reply().is_ok());
    }
}

#[test]
fn without_a_length_the_pause_doubles_until_talk_is_delivered() {
    let (mut driver, peer) = on_fics(guest());
    let mut slow = peer.clone().on("tell", "Your communication has been queued.\n\r");
    let mut free = peer.on("tell", "(told Foo)\n\r");
    for pause in [0, 2, 4, 8, 16, 32, 64, 120, 120] {
        assert_eq!(pause_before_tell(&mut driver, &mut slow), pause);
    }
    driver.wait(seconds(1));
    assert_eq!(pause_before_tell(&mut driver, &mut free), 119);
    assert_eq!(pause_before_tell(&mut driver, &mut slow), 0, "it starts over");
    assert_eq!(pause_before_tell(&mut driver, &mut slow), 2);
}

/// Sends a tell. Returns the delay until it is sent, in seconds.
fn pause_before_tell(driver: &mut Driver, peer: &mut Peer) -> u64 {
    driver.request("tell foo hi").unwrap();
    let begin = driver.now;
    loop {
        let sent = driver.take_sent();
        driver.answer(peer, &sent);
        if sent.iter().any(|line| line.contains("tell foo")) {
            return (driver.now - begin).as_secs();
        }
        driver.feed("fics% ");
        driver.wait(seconds(1));
    }
}

#[test]
fn a_dropped_shout_is_sent_again() {
    for (mut driver, peer) in [on_fics(guest()), on_uhlin(guest())] {
        let mut full = peer.clone().on("shout", "Shout not sent. Next shout in 7 seconds.\n\r");
        let mut free = peer.on("shout", "(shouted to 2 players)\n\r");
        driver.request("shout one").unwrap();
        driver.request("shout two").unwrap();
        driver.serve(&mut full);
        assert!(driver.take_replies().is_empty());
        driver.request("tell foo hi").unwrap();
        assert_eq!(said(&mut driver, &mut free), ["tell foo hi"], "a shout holds no tells back");
        driver.take_replies();
        driver.wait(seconds(7));
        driver.serve(&mut free);
        let replies = driver.take_replies();
        assert_eq!(replies.len(), 2);
        assert!(replies.iter().all(|(_, reply)| reply.as_ref().is_ok_and(|r| r.text() == "(shouted to 2 players)\n")));
    }
}

#[test]
fn a_quota_delays_only_its_kind_of_talk() {
    let (mut driver, peer) = on_uhlin(guest());
    let mut full = peer.clone().on("shout", "Shout not sent. Next shout in 9 seconds.\n\r");
    let mut free = peer.on("shout", "").on("it", "").on("cshout", "");
    driver.request("shout one").unwrap();
    driver.serve(&mut full);
    driver.request("it two").unwrap();
    driver.request("cshout three").unwrap();
    assert_eq!(said(&mut driver, &mut free), ["cshout three"], "uhlin-fics counts shouts and `it`");
    driver.wait(seconds(9));
    assert_eq!(said(&mut driver, &mut free), ["shout one", "it two"]);
}

#[test]
fn a_dropped_c_shout_waits_too() {
    let (mut driver, peer) = on_uhlin(guest());
    let mut full = peer.clone().on("cshout", "Shout not sent. Next shout in 9 seconds.\n\r");
    let mut free = peer.on("cshout", "(3) Carla c-shouts: one\n\r").on("shout", "(3) Carla shouts: two\n\r");
    driver.request("cshout one").unwrap();
    driver.serve(&mut full);
    driver.request("shout two").unwrap();
    driver.wait(almost(seconds(9)));
    assert!(driver.take_sent().is_empty());
    driver.wait(Duration::from_millis(1));
    driver.serve(&mut free);
    assert_eq!(driver.take_replies().len(), 2);
}

#[test]
fn a_shout_that_used_up_the_quota_delays_the_next() {
    let (mut driver, peer) = on_uhlin(guest());
    let mut last = peer.clone().on("it", "(3) --> Carla waves\n\rNext shout in 60 seconds.\n\r");
    driver.request("it waves").unwrap();
    driver.serve(&mut last);
    assert!(driver.reply().is_ok(), "it was said, and is not said again");
    driver.request("shout hello").unwrap();
    driver.request("cshout hello").unwrap();
    let mut free = peer.on("cshout", "(3) Carla c-shouts: hello\n\r").on("shout", "(3) Carla shouts: hello\n\r");
    assert_eq!(said(&mut driver, &mut free), ["cshout hello"]);
    for _ in 0..4 {
        driver.feed("fics% ");
        driver.wait(almost(seconds(15)));
    }
    assert!(driver.take_sent().is_empty());
    driver.feed("fics% ");
    driver.wait(Duration::from_millis(4));
    assert_eq!(said(&mut driver, &mut free), ["shout hello"]);
}

#[test]
fn a_shout_that_is_dropped_repeatedly_is_an_error() {
    let (mut driver, peer) = on_fics(guest());
    let mut full = peer.on("shout", "Shout not sent. Next shout in 2 seconds.\n\r");
    driver.request("shout one").unwrap();
    for _ in 0..10 {
        driver.serve(&mut full);
        driver.wait(seconds(2));
    }
    assert!(matches!(driver.reply(), Err(RequestError::Refused { .. })));
    assert_eq!(full.heard.iter().filter(|line| line.starts_with("shout")).count(), 6);
}

#[test]
fn text_is_sent_in_the_character_set_of_the_server() {
    let (entities, utf8) = ("tell Foo caf&#xe9; &#x41;\n", "tell Foo café &#x41;\n");
    for (encoding, greeting, want) in [
        (Encoding::Auto, "Bienvenue à\r\n", utf8),
        (Encoding::Auto, "Bienvenue &#xe0;\r\n", entities),
        (Encoding::Utf8, "Welcome\r\n", utf8),
        (Encoding::Latin1, "Bienvenue à\r\n", entities),
    ] {
        let (mut driver, mut peer) = (Driver::connected(guest().encoding(encoding)), fics());
        driver.feed(greeting);
        log_in_guest(&mut driver);
        driver.serve(&mut peer);
        // Another player's words show nothing about the server.
        driver.feed("\n\rFoo tells you: déjà vu\n\rfics% ");
        driver.request("tell Foo café &#x41;").unwrap();
        let sent = driver.take_sent();
        let (_, line) = sent[0].split_once(' ').unwrap();
        assert_eq!(line, want, "{encoding}, {greeting}");
        let told = driver.events().iter().rev().find_map(|event| match event.message() {
            Some(Message::Talk(talk)) => Some((talk.text().into_owned(), event.raw().to_vec())),
            _ => None,
        });
        let (text, raw) = told.unwrap();
        if encoding == Encoding::Latin1 {
            assert_eq!(text, "dÃ©jÃ\u{a0} vu");
        } else {
            assert_eq!((text.as_str(), &raw[..]), ("déjà vu", "Foo tells you: déjà vu".as_bytes()));
        }
        let shown = driver.events().iter().rev().find_map(|event| match event {
            Event::Sent { line: Some(line), .. } => Some(line.to_string() + "\n"),
            _ => None,
        });
        assert_eq!(shown, Some(sent[0].clone()));
    }
    // A sealed line has no bytes outside ASCII.
    let mut output = Output::default();
    let framer = Framer::new().with_encoding(Encoding::Utf8);
    let mut reader = EventReader::new(MessageReader::new(framer, Family::Fics));
    output.start_connection(Timeseal::V2, Instant::now());
    output.push_request_and_learn_alias(None, "tell Foo caf&#xe9;".to_owned(), Attribution::default());
    let lines = std::iter::from_fn(|| output.poll_transmit(&mut reader, Instant::now()));
    let texts: Vec<_> = lines.filter_map(|line| crate::wire::unseal(line.bytes().trim_ascii_end())).collect();
    assert_eq!(texts.last().unwrap().text, b"tell Foo caf&#xe9;");
}
