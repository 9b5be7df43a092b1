//! Commands that contain passwords.

use super::login::{fics, log_in_guest, on_fics};
use super::peer::{Manner, Peer};
use super::*;

/// Logs in to the account. Returns the sent password.
fn log_in(driver: &mut Driver, peer: &mut Peer) -> String {
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed("password: ");
    let password = driver.take_sent().pop().unwrap();
    driver.feed("\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ");
    driver.serve_unprompted(peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    password
}

/// Returns the sent lines as events report them, without secret ones.
fn shown(driver: &Driver) -> Vec<&str> {
    let sent = driver.events().iter().filter_map(|event| match event {
        Event::Sent { line, .. } => line.as_deref(),
        _ => None,
    });
    sent.collect()
}

// Rules: transport LG2, bugs 17
#[test]
fn an_alias_for_password_is_secret_and_outlives_the_connection() {
    let (mut driver, mut peer) = on_fics(guest());
    peer = peer.on("alias", "Aliases:\n\rlisted -> password\n\rf -> finger\n\r");
    driver.request("alias pw password").unwrap();
    driver.request("alias").unwrap();
    driver.serve(&mut peer);
    for again in [false, true] {
        if again {
            driver.close(CloseCause::Closed);
            driver.wait(seconds(1));
            driver.dial(Ok(()));
            log_in_guest(&mut driver);
            driver.serve(&mut fics());
        }
        for line in ["pw swordfish perch", "$listed swordfish perch", "multi date; pw swordfish perch"] {
            driver.events.clear();
            driver.request(line).unwrap();
            let sent = driver.take_transmits();
            assert!(sent[0].kind.is_secret() && sent[0].secrets().eq([&b"swordfish"[..], b"perch"]), "{line}");
            assert_eq!(shown(&driver), [""; 0], "{line}");
            let number = String::from_utf8_lossy(sent[0].bytes()).split(' ').next().unwrap().to_owned();
            driver.feed(format!("\x15{number}\x16512\x16pw: Command not found.\n\r\x17\n\rfics% "));
        }
        driver.request("f Newton").unwrap();
        assert!(!driver.take_transmits()[0].kind.is_secret());
    }
}

#[test]
fn the_next_login_uses_a_changed_password() {
    let replies = [
        ("Password changed to \"perch\".\n\r", "perch\n"),
        ("Password changed to *****.\n\r", "perch\n"),
        ("Your password has been changed.\n\r", "perch\n"),
        ("Incorrect password, password not changed!\n\r", "swordfish\n"),
        ("Newton tells you: Password changed to x\n\r", "swordfish\n"),
        ("password: Command not found.\n\r", "swordfish\n"),
    ];
    for (reply, want) in replies {
        for command in ["password swordfish perch", "$pass swordfish perch", "multi date; password swordfish perch"] {
            let mut driver = Driver::connected(account());
            let mut peer = fics().on(command.trim_start_matches('$'), reply);
            assert_eq!(log_in(&mut driver, &mut peer), "swordfish\n");
            driver.request(command).unwrap();
            driver.serve(&mut peer);
            driver.close(CloseCause::Closed);
            driver.wait(seconds(1));
            driver.dial(Ok(()));
            assert_eq!(log_in(&mut driver, &mut fics()), want, "{command}: {reply}");
        }
    }
}

#[test]
fn a_changed_password_is_detected_without_block_mode() {
    let mut driver = Driver::connected(account());
    let mut peer = Peer::new(Manner::Uhlin).on("password", "Password changed to \"perch\".\n\r");
    log_in(&mut driver, &mut peer);
    driver.request("password swordfish perch").unwrap();
    driver.serve_unprompted(&mut peer);
    driver.close(CloseCause::Closed);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    assert_eq!(log_in(&mut driver, &mut fics()), "perch\n");
}

// Rules: transport LG2
#[test]
fn the_error_of_a_secret_command_contains_no_secret() {
    let (mut driver, _) = on_fics(guest());
    driver.request("set pass swordfish").unwrap();
    let sent = driver.take_transmits();
    let number = String::from_utf8_lossy(sent[0].bytes()).split(' ').next().unwrap().to_owned();
    driver.feed(format!("\x15{number}\x16599\x16Not &#x73;word\0fish &#x265a;!\n\r\x17\n\rfics% "));
    let error = driver.reply().unwrap_err();
    assert!(!format!("{error} {error:?}").contains("swordfish"), "{error:?}");
    assert!(error.text().is_some_and(|text| text == "Not ********* \u{265a}!"), "{error:?}");
}
