//! Timeseal.

use super::login::{STRING, fics};
use super::peer::Manner;
use super::*;
use crate::message::Ivar;
use crate::wire::{Timeseal, unseal};

const BAD_NAME: &str = "\n\rSorry, names can only consist of lower and upper case letters. Try again.\n\r\n\rlogin: ";

/// Returns the lines sent since the last call, unsealed, with their times.
fn unsealed(driver: &mut Driver) -> Vec<(String, u64)> {
    let transmits = driver.take_transmits();
    let lines = transmits.iter().map(|transmit| unseal(transmit.bytes()).unwrap());
    lines.map(|line| (String::from_utf8(line.text).unwrap(), line.time_ms)).collect()
}

fn texts(driver: &mut Driver) -> Vec<String> {
    unsealed(driver).into_iter().map(|(text, _)| text).collect()
}

/// Passes answers of a server with timeseal to the session until it sends nothing more.
fn serve_sealed(driver: &mut Driver, peer: &mut Peer) {
    loop {
        let lines = texts(driver);
        if lines.is_empty() {
            return;
        }
        driver.answer(peer, &lines);
    }
}

fn auto() -> SessionOptions {
    guest().timeseal(TimesealChoice::Auto)
}

// Rules: transport S1, transport S3, transport L2, datagrams BM9
#[test]
fn a_sealed_session_sends_a_hello_and_seals_every_line() {
    let mut driver = Driver::connected(auto());
    let hello = unsealed(&mut driver);
    assert!(hello.len() == 1 && hello[0].0.starts_with("TIMESEAL2|"), "{hello:?}");
    assert_ne!(hello[0].1, 0, "FatICS takes a line with time 0 for one that is not sealed");
    driver.now += Duration::from_millis(1234);
    driver.feed("\n\rlogin: ");
    let (string, time) = unsealed(&mut driver).remove(0);
    assert!(string.starts_with("%b0") && time == 1235, "{string} {time}");
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    driver.feed("\n\rPress return to enter the server as \"GuestPUPE\":\n\r\n\r**** Starting FICS session as GuestPUPE(U) ****\n\rfics% ");
    let transmits = driver.take_transmits();
    assert!(transmits.iter().all(|transmit| !transmit.bytes().contains(&b'\r')), "no CR inside timeseal");
    let fence = unseal(transmits.last().unwrap().bytes()).unwrap().text;
    let mut peer = fics();
    driver.feed(peer.answer(std::str::from_utf8(&fence).unwrap()));
    serve_sealed(&mut driver, &mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.capabilities().timeseal, Timeseal::V2);
    assert!(driver.session.capabilities().has(Ivar::Block), "block mode and timeseal together");
    driver.request("date").unwrap();
    serve_sealed(&mut driver, &mut peer);
    assert!(driver.reply().is_ok());
}

// Rules: transport S2, transport S3, bugs 1
#[test]
fn pings_are_answered_before_anything_else() {
    let mut driver = Driver::connected(auto());
    driver.take_sent();
    driver.now += seconds(2);
    let mut read = &b"\n\rlogin: [G]\0 [G]\0"[..];
    while driver.session.receive(&mut read, driver.now).is_some() {}
    driver.now += seconds(1);
    driver.drain();
    let sent = unsealed(&mut driver);
    assert_eq!(sent[..2], [("\u{2}9".to_owned(), 3001), ("\u{2}9".to_owned(), 3001)]);
    assert!(sent[2].0.starts_with("%b"));
    assert_eq!(driver.session.counters().pings, 2);
    for byte in b"[G]\0" {
        assert!(driver.take_sent().is_empty());
        driver.feed([*byte]);
    }
    assert_eq!(texts(&mut driver), ["\u{2}9"]);
}

#[test]
fn seals_are_dropped_on_the_same_connection_if_the_server_has_none() {
    let mut driver = Driver::connected(auto());
    driver.feed("\n\rlogin: ");
    assert_eq!(texts(&mut driver).len(), 2, "the hello and the string");
    driver.feed(BAD_NAME);
    assert!(driver.take_sent().is_empty(), "that was the hello; the string is still to be answered");
    driver.feed(BAD_NAME);
    assert_eq!(driver.take_sent(), [STRING]);
    driver.feed(BAD_NAME);
    assert_eq!(driver.take_sent(), ["guest\n"]);
    driver.feed("\n\rPress return to enter the FICS as \"guest\":");
    driver.feed("fics% ");
    driver.drop_sent_except_last();
    driver.serve(&mut Peer::new(Manner::Uhlin));
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.capabilities().timeseal, Timeseal::Off);
    driver.feed("[G]\0\n\rfics% ");
    assert!(driver.take_sent().is_empty(), "no ping any more");
    assert!(driver.events().iter().any(|event| event.raw() == b"[G]"));
}

#[test]
fn timeseal_without_login_string_is_detected_by_silence() {
    let mut driver = Driver::connected(auto());
    driver.feed("\n\rlogin: ");
    driver.feed(BAD_NAME);
    assert_eq!(texts(&mut driver).len(), 2);
    driver.wait(seconds(3));
    assert_eq!(texts(&mut driver), ["guest"], "only one of the two was refused");
}

#[test]
fn a_slow_answer_to_the_second_line_is_not_taken_for_timeseal() {
    let mut driver = Driver::connected(auto());
    driver.feed("\n\rlogin: ");
    driver.feed(BAD_NAME);
    driver.take_sent();
    driver.wait(seconds(2));
    driver.feed(BAD_NAME);
    assert_eq!(driver.take_sent(), [STRING]);
}

#[test]
fn a_refused_sealed_name_is_retried_without_seal() {
    let mut driver = Driver::connected(auto());
    for _ in 0..2 {
        driver.feed("\n\rlogin: ");
        driver.feed(BAD_NAME);
        driver.wait(seconds(3));
        driver.take_sent();
        driver.feed(BAD_NAME);
        driver.close_on_request();
        assert_eq!(driver.session.next_action(), DriverAction::Dial { attempt: 1 }, "at once, with less");
        driver.dial(Ok(()));
    }
    driver.take_sent();
    driver.feed("\n\rlogin: ");
    assert_eq!(driver.take_sent(), [STRING], "plain");
}

#[test]
fn a_server_that_closes_on_a_hello_is_retried_with_fewer_features() {
    let mut driver = Driver::connected(auto());
    for (end, hello) in [(None, "TIMESEAL2|"), (Some("unknown timeseal version\r\n"), "TIMESTAMP|")] {
        assert!(texts(&mut driver)[0].starts_with(hello));
        driver.feed("\n\rlogin: ");
        match end {
            None => driver.close(CloseCause::Closed),
            Some(said) => {
                driver.feed(said);
                driver.close_on_request();
            }
        }
        assert_eq!(driver.session.next_action(), DriverAction::Dial { attempt: 1 }, "at once, and not counted");
        driver.take_sent();
        driver.dial(Ok(()));
    }
    assert!(driver.take_sent().is_empty(), "no hello");
    driver.feed("\n\rlogin: ");
    assert_eq!(driver.take_sent(), [STRING]);
    driver.close(CloseCause::Closed);
    driver.dial(Ok(()));
    driver.feed("\n\rlogin: ");
    assert_eq!(driver.take_sent(), ["guest\n"], "not even the string");
    driver.close(CloseCause::Closed);
    assert_eq!(
        driver.session.next_action(),
        DriverAction::End(SessionEndReason::Login(LoginError::Closed(LoginStep::Name)))
    );
}

#[test]
fn features_that_worked_are_kept_after_dropped_connections() {
    let mut driver = Driver::connected(auto());
    let log_in = |driver: &mut Driver| {
        driver.feed("login: ");
        driver.feed("#Ivars set.\n\rlogin: ");
        driver.feed("\n\rPress return to enter the server as \"GuestPUPE\":\n\rfics% ");
        let fence = texts(driver).pop().unwrap();
        let mut peer = fics();
        driver.feed(peer.answer(&fence));
        serve_sealed(driver, &mut peer);
        assert_eq!(driver.session.state(), SessionState::Ready);
    };
    log_in(&mut driver);
    driver.close(CloseCause::Closed);
    for greeting in ["", "", "login: ", "login: ", ""] {
        driver.wait(seconds(60));
        driver.dial(Ok(()));
        driver.feed(greeting);
        driver.take_sent();
        driver.close(CloseCause::Closed);
        assert_eq!(driver.session.next_action(), DriverAction::Wait, "not at once with less");
    }
    driver.wait(seconds(60));
    driver.dial(Ok(()));
    log_in(&mut driver);
    assert_eq!(driver.session.capabilities().timeseal, Timeseal::V2);
}

#[test]
fn a_configured_version_of_timeseal_is_not_given_up() {
    for choice in [TimesealChoice::V1, TimesealChoice::V2] {
        let mut driver = Driver::connected(guest().timeseal(choice));
        driver.feed("\n\rlogin: ");
        driver.feed(BAD_NAME);
        driver.feed(BAD_NAME);
        driver.close_on_request();
        assert_eq!(
            driver.session.next_action(),
            DriverAction::End(SessionEndReason::Login(LoginError::TimesealRefused))
        );

        let mut driver = Driver::connected(guest().timeseal(choice));
        driver.feed("\n\rlogin: timeseal error\n\r");
        driver.close_on_request();
        assert_eq!(
            driver.session.next_action(),
            DriverAction::End(SessionEndReason::Login(LoginError::TimesealRefused))
        );
    }
}

// Rules: transport LG2, bugs 17
#[test]
fn a_sealed_password_is_secret() {
    let mut driver = Driver::connected(account().timeseal(TimesealChoice::V1));
    for said in ["login: ", "#Ivars set.\n\rlogin: ", "password: "] {
        driver.feed(said);
    }
    let transmits = driver.take_transmits();
    let password = transmits.last().unwrap();
    assert_eq!(unseal(password.bytes()).unwrap().text, b"swordfish");
    assert!(password.kind.is_secret() && password.secrets().eq([b"swordfish"]));
    assert!(!format!("{password:?}").contains("bytes"), "{password:?}");
}
