//! Probes, dead connections, keep-alive.

use super::login::{on_fics, on_uhlin};
use super::*;

#[test]
fn a_silent_server_is_probed_and_a_dead_connection_detected_within_thirty_seconds() {
    for (mut driver, numbered) in [(on_fics(guest()).0, true), (on_uhlin(guest()).0, false)] {
        driver.wait(almost(seconds(15)));
        assert!(driver.take_sent().is_empty());
        driver.wait(Duration::from_millis(1));
        let probe = driver.take_sent();
        assert_eq!(probe.len(), 1);
        assert!(if numbered { probe[0].ends_with(" $$date\n") } else { probe[0].starts_with("$$zq") }, "{probe:?}");
        driver.wait(almost(seconds(10)));
        assert_eq!(driver.session.next_action(), DriverAction::Keep);
        driver.wait(Duration::from_millis(1));
        driver.close_on_request();
        assert!(matches!(
            driver.take_session_events().last(),
            Some(Event::Lost(loss)) if loss.retry_in.is_some() && loss.cause == CloseCause::Silent.into()
        ));
        assert_eq!(driver.session.state(), SessionState::Waiting);
    }
}

#[test]
fn any_byte_resets_the_silence_and_a_probe_is_answered() {
    for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
        for _ in 0..20 {
            driver.wait(seconds(14));
            driver.feed([0]);
        }
        assert!(driver.take_sent().is_empty());
        for _ in 0..20 {
            driver.wait(seconds(20));
            driver.now += Duration::from_millis(40);
            driver.serve(&mut peer);
        }
        assert_eq!(driver.session.state(), SessionState::Ready);
        assert_eq!(driver.session.counters().round_trip, Some(seconds(5) + Duration::from_millis(40)));
        assert!(driver.take_replies().is_empty(), "nobody asked");
    }
}

#[test]
fn a_server_that_counts_probes_as_activity_is_probed_by_timing_marks() {
    let (mut driver, mut peer) = on_uhlin(guest());
    peer.heard.clear();
    driver.wait(seconds(15));
    let first = driver.take_sent();
    assert!(first[0].starts_with("$$zq"), "it is not known yet what the server counts: {first:?}");
    driver.answer(&mut peer, &first);
    let start = driver.now;
    while driver.now - start < Duration::from_mins(45) {
        driver.wait(seconds(15));
        assert_eq!(driver.take_sent(), [TIMING_MARK]);
        driver.feed(b"\xff\xfb\x06");
    }
    assert_eq!(driver.session.counters().round_trip, Some(Duration::ZERO), "no command was sent");
    driver.wait(seconds(25));
    driver.close_on_request();
}

#[test]
fn an_answer_to_a_timing_mark_that_was_not_requested_changes_no_probe() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(b"\xff\xfb\x06");
    driver.wait(seconds(15));
    let probe = driver.take_sent();
    assert!(probe[0].contains("$$date"), "{probe:?}");
}

#[test]
fn a_server_that_knows_neither_form_of_probe_is_probed_rarely() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.wait(seconds(15));
    driver.serve(&mut peer);
    driver.wait(seconds(15));
    assert_eq!(driver.take_sent(), [TIMING_MARK]);
    driver.wait(seconds(5));
    driver.feed("\n\rFoo shouts: \u{fb}\u{6}\n\rfics% ");
    driver.wait(seconds(15));
    assert_eq!(driver.take_sent(), [TIMING_MARK], "talk is no answer");
    driver.wait(seconds(10));
    let probe = driver.take_sent();
    assert!(probe[0].starts_with("$$zq"), "{probe:?}");
    driver.answer(&mut peer, &probe);
    for _ in 0..3 {
        driver.wait(almost(seconds(300)));
        assert!(driver.take_sent().is_empty());
        driver.wait(Duration::from_millis(1));
        driver.serve(&mut peer);
    }
    driver.wait(seconds(310));
    driver.close_on_request();

    let (mut driver, mut peer) = on_fics(guest());
    driver.feed("\n\rFoo tells you: $$date: Command not found.\n\rfics% ");
    for _ in 0..3 {
        driver.wait(seconds(15));
        let sent = driver.take_sent();
        assert!(sent[0].ends_with(" $$date\n"), "a player cannot change the probes: {sent:?}");
        driver.answer(&mut peer, &sent);
    }
}

#[test]
fn after_a_probe_any_byte_counts_as_an_answer() {
    let (mut driver, _) = on_fics(guest());
    for _ in 0..10 {
        driver.wait(seconds(24));
        driver.feed("Foo shouts: hi\n\rfics% ");
    }
    assert_eq!(driver.session.state(), SessionState::Ready);
}

#[test]
fn paused_reading_does_not_look_like_a_dead_connection() {
    let (mut driver, _) = on_fics(guest());
    for _ in 0..10 {
        driver.wait(seconds(14));
        driver.session.handle_reading_pause(driver.now);
    }
    assert!(driver.take_sent().is_empty());
}

#[test]
fn a_login_does_not_time_out_while_reading_is_paused() {
    let set_up = ["login: ", "login: ", "password: ", "fics% ", "\x150\x16519\x16\x17\n\rfics% "];
    for n_said in [0, 1, 2, 3, 5] {
        let mut driver = Driver::connected(account());
        set_up[..n_said].iter().for_each(|said| driver.feed(said));
        let state = driver.session.state();
        driver.session.handle_reading_pause(driver.now);
        for _ in 0..20 {
            driver.wait(seconds(9));
            driver.session.handle_reading_pause(driver.now);
        }
        driver.wait(seconds(9));
        let mut unread = &b""[..];
        assert!(driver.session.receive(&mut unread, driver.now).is_none());
        assert_eq!(driver.session.state(), state, "after {n_said} prompts");
        driver.take_sent();
        driver.feed("\n\r");
        driver.wait(seconds(31));
        assert_ne!(driver.session.state(), state, "after {n_said} prompts: it goes on from there");
    }
}

#[test]
fn a_keep_alive_prevents_the_idle_logout() {
    for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
        let start = driver.now;
        let mut kept_alive = Vec::new();
        while driver.now - start < Duration::from_hours(3) {
            driver.wait(seconds(10));
            driver.feed("\n\rFoo shouts: hi\n\rfics% ");
            let sent = driver.take_sent();
            if !sent.is_empty() {
                kept_alive.push((driver.now - start).as_secs() / 60);
                assert!(sent[0].ends_with("date\n") && !sent[0].contains("$$"), "{sent:?}");
            }
            driver.answer(&mut peer, &sent);
            driver.serve(&mut peer);
        }
        assert_eq!(kept_alive, [50, 100, 150]);
    }
}

#[test]
fn commands_reset_the_keep_alive_timer_and_probes_do_not() {
    let (mut driver, mut peer) = on_fics(guest());
    let start = driver.now;
    let mut kept_alive = Vec::new();
    // A probe every 15 seconds, and one command after 40 minutes.
    while driver.now - start < Duration::from_mins(145) {
        driver.wait(seconds(15));
        if driver.now - start == Duration::from_mins(40) {
            driver.request("who").unwrap();
        }
        for line in driver.take_sent() {
            if line.ends_with(" date\n") {
                kept_alive.push((driver.now - start).as_secs() / 60);
            }
            driver.feed(peer.answer(line.trim()));
        }
    }
    assert_eq!(kept_alive, [90, 140]);
}
