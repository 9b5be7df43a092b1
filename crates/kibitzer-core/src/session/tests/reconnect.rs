//! Lost connections, and the ends of sessions.

use super::login::{fics, log_in_guest, on_fics};
use super::*;
use crate::event::ConnectionAttempt;
use crate::message::KickedBy;

/// Returns the reported delay after a loss.
fn retry_in(driver: &mut Driver) -> Duration {
    let news = driver.take_session_events();
    let Some(Event::Lost(loss)) = news.last() else { panic!("{news:?}") };
    loss.retry_in.unwrap()
}

#[test]
fn delays_grow_to_a_maximum_and_reset_after_a_stable_session() {
    let (mut driver, _) = on_fics(guest());
    driver.close(CloseCause::Closed);
    for (attempt, full) in (1..).zip([1, 2, 4, 8, 16, 32, 60, 60, 60].map(seconds)) {
        let delay = retry_in(&mut driver);
        assert!(full / 2 <= delay && delay <= full, "{delay:?} of {full:?}");
        assert_eq!(driver.session.next_action(), DriverAction::Wait);
        driver.wait(almost(delay));
        assert_eq!(driver.session.next_action(), DriverAction::Wait);
        driver.wait(Duration::from_millis(1));
        assert_eq!(driver.session.next_action(), DriverAction::Dial { attempt });
        assert_eq!(driver.take_session_events(), [Event::Connecting(ConnectionAttempt::new(attempt))]);
        driver.dial(Err(DialError::Failed(std::io::ErrorKind::ConnectionRefused)));
    }
    driver.wait(seconds(60));
    driver.dial(Ok(()));
    log_in_guest(&mut driver);
    driver.serve(&mut fics());
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(driver.session.counters().reconnects, 1);
    driver.wait(seconds(10));
    driver.feed("fics% ");
    driver.wait(seconds(20));
    driver.close(CloseCause::Closed);
    assert!(retry_in(&mut driver) <= seconds(1));
}

#[test]
fn a_first_connection_is_retried_on_request_as_a_later_one() {
    let mut driver = Driver::new(guest().first_connect(FirstConnect::Retry));
    for (attempt, full) in (2..).zip([1, 2, 4, 8].map(seconds)) {
        driver.dial(Err(DialError::Failed(std::io::ErrorKind::ConnectionRefused)));
        let delay = retry_in(&mut driver);
        assert!(full / 2 <= delay && delay <= full, "{delay:?} of {full:?}");
        driver.wait(delay);
        assert_eq!(driver.take_session_events(), [Event::Connecting(ConnectionAttempt::new(attempt))]);
    }
    driver.dial(Ok(()));
    driver.feed("login: ");
    driver.feed("\n\rSorry, the server is full.\n\r");
    driver.close_on_request();
    let delay = retry_in(&mut driver);
    driver.wait(delay);
    driver.dial(Ok(()));
    log_in_guest(&mut driver);
    driver.serve(&mut fics());
    let news = driver.take_session_events();
    assert!(matches!(news.last(), Some(Event::SessionReady(_))), "nothing was lost, so nothing is restored: {news:?}");
    assert_eq!(driver.session.counters().reconnects, 0);

    let mut driver = Driver::new(account().first_connect(FirstConnect::Retry));
    driver.dial(Ok(()));
    for said in ["login: ", "login: ", "password: ", "\n\r**** Invalid password! ****\n\r"] {
        driver.feed(said);
    }
    driver.close_on_request();
    let wrong = SessionEndReason::Login(LoginError::InvalidPassword);
    assert_eq!(driver.session.next_action(), DriverAction::End(wrong), "it stays wrong");

    let limited = guest().first_connect(FirstConnect::Retry).reconnect(Reconnect::default().attempts(Some(1)));
    let mut driver = Driver::new(limited);
    driver.dial(Err(DialError::TimedOut));
    driver.wait(seconds(1));
    driver.dial(Err(DialError::TimedOut));
    let DriverAction::End(reason) = driver.session.next_action() else { panic!("two attempts") };
    assert_eq!(crate::text::error_chain(&reason), "connection lost, 1 attempts to reconnect: no connection in time");
}

#[test]
fn delays_grow_if_the_server_closes_right_after_the_set_up() {
    let (mut driver, _) = on_fics(guest());
    for full in [1, 2, 4, 8, 16, 32, 60, 60].map(seconds) {
        driver.wait(seconds(5));
        driver.close(CloseCause::Closed);
        let delay = retry_in(&mut driver);
        assert!(full / 2 <= delay && delay <= full, "{delay:?} of {full:?}");
        driver.wait(delay);
        driver.dial(Ok(()));
        log_in_guest(&mut driver);
        driver.serve(&mut fics());
        assert_eq!(driver.session.state(), SessionState::Ready);
    }
}

#[test]
fn different_seeds_give_different_delays_and_equal_seeds_equal_ones() {
    let delay = |seed| {
        let (mut driver, _) = on_fics(guest().seed(seed));
        driver.close(CloseCause::Closed);
        retry_in(&mut driver)
    };
    assert_eq!(delay(5), delay(5));
    assert_ne!(delay(5), delay(6));
}

#[test]
fn attempts_can_be_limited() {
    let (mut driver, _) = on_fics(guest().reconnect(Reconnect::default().attempts(Some(2))));
    driver.close(CloseCause::Closed);
    for _ in 0..2 {
        driver.wait(seconds(2));
        driver.dial(Err(DialError::TimedOut));
    }
    let end = SessionEndReason::Lost { cause: LostCause::Dial(DialError::TimedOut), attempts: 2 };
    assert_eq!(driver.session.next_action(), DriverAction::End(end));

    let (mut driver, _) = on_fics(guest().reconnect(Reconnect::never()));
    driver.request("date").unwrap();
    driver.close(CloseCause::Closed);
    let end = SessionEndReason::Lost { cause: LostCause::Connection(CloseCause::Closed), attempts: 0 };
    assert_eq!(driver.session.next_action(), DriverAction::End(end));
}

/// Refusals of a new login, and whether they are final.
#[test]
fn some_refusals_of_a_new_login_are_final_and_some_are_not() {
    let cases: &[(&str, bool)] = &[
        ("Sorry, GuestPUPE is already logged in. Try again.\n\r\n\r", false),
        ("Sorry, the server is full.\n\r", false),
        ("**** LOGIN TIMEOUT ****\n\r", false),
        ("Never heard of you.\n\rlogin: ", false),
        ("Player \"guest\" is banned.\n\r", true),
        ("Names should be at most 17 characters long.  Try again.\n\r\n\r", true),
        ("password: ", true),
    ];
    for (said, is_final) in cases {
        let (mut driver, _) = on_fics(guest());
        driver.close(CloseCause::Closed);
        driver.wait(seconds(1));
        driver.dial(Ok(()));
        driver.feed("login: ");
        driver.feed("login: ");
        driver.feed(said);
        driver.close_on_request();
        let link = driver.session.next_action();
        assert_eq!(matches!(link, DriverAction::End(SessionEndReason::Login(_))), *is_final, "{said}");
        assert_eq!(link == DriverAction::Wait, !is_final, "{said}");
    }
}

// Rules: bugs 18
#[test]
fn a_kick_by_a_second_login_or_an_administrator_ends_the_session() {
    let kicks = [
        "**** GuestPUPE has arrived - you can't both be logged in. ****\n\r",
        "**** GuestPUPE has arrived; you can't both be logged in. ****\n\r\n\r",
    ];
    for kick in kicks {
        let (mut driver, _) = on_fics(guest());
        driver.request("date").unwrap();
        driver.feed(kick);
        driver.feed("Your departure was noted by: Erika.\n\r");
        // A long line is emitted with the first byte after it.
        driver.close(CloseCause::Closed);
        let end = SessionEndReason::Kicked(KickedBy::SecondLogin);
        assert_eq!(driver.session.next_action(), DriverAction::End(end.clone()));
        assert_eq!(driver.reply(), Err(RequestError::Ended(end)));
        assert!(driver.session.poll_timeout().is_none());
    }
    let mut driver = Driver::connected(guest());
    log_in_guest(&mut driver);
    driver.feed("**** GuestPUPE has arrived - you can't both be logged in. ****\n\r\n\r");
    driver.close(CloseCause::Closed);
    let end = SessionEndReason::Kicked(KickedBy::SecondLogin);
    assert_eq!(driver.session.next_action(), DriverAction::End(end), "while the session was set up");

    let (mut driver, _) = on_fics(guest());
    driver.feed("**** You have been kicked out by Headadm! ****\n\r\n\r");
    driver.close(CloseCause::Failed(std::io::ErrorKind::ConnectionReset));
    assert!(matches!(driver.session.next_action(), DriverAction::End(SessionEndReason::Kicked(KickedBy::Admin(_)))));
}

#[test]
fn a_kick_line_without_a_closed_connection_is_only_an_event() {
    let lines = [
        "**** GuestPUPE has arrived - you can't both be logged in. ****\n\r",
        "**** You have been kicked out by Headadm! ****\n\r",
        "**** Auto-logout because you were idle more than 60 minutes. ****\n\r",
        "Logging you out.\n\r",
        "    **** Server shutting down immediately. ****\n\r",
    ];
    for line in lines {
        let (mut driver, mut peer) = on_fics(guest());
        driver.feed(format!("{line}fics% "));
        assert!(driver.events().iter().any(|event| event.raw().trim_ascii() == line.trim().as_bytes()), "{line}");
        driver.request("date").unwrap();
        driver.serve(&mut peer);
        driver.reply().unwrap_or_else(|error| panic!("{line}: {error}"));

        // A connection that is lost later, or by silence, is lost for another reason.
        driver.wait(seconds(11));
        driver.close(CloseCause::Closed);
        assert_eq!(driver.session.next_action(), DriverAction::Wait, "{line}");
        let (mut driver, _) = on_fics(guest());
        driver.feed(format!("{line}fics% "));
        driver.close(CloseCause::Silent);
        assert_eq!(driver.session.next_action(), DriverAction::Wait, "{line}");
    }
    // Nor does the line of one connection end the next.
    let (mut driver, _) = on_fics(guest());
    driver.feed(lines[0]);
    driver.feed("fics% ");
    driver.close(CloseCause::WriteTimedOut);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    log_in_guest(&mut driver);
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.next_action(), DriverAction::Wait);
}

#[test]
fn a_login_may_replace_its_own_earlier_connection() {
    let mut driver = Driver::connected(account());
    for said in [
        "login: ",
        "login: ",
        "password: ",
        "\n\r **** newton is already logged in - kicking them out. ****\n\r\n\rfics% ",
    ] {
        driver.feed(said);
    }
    driver.drop_sent_except_last();
    driver.serve(&mut fics());
    assert_eq!(driver.session.state(), SessionState::Ready);
}

#[test]
fn quit_ends_the_session() {
    let (mut driver, _) = on_fics(guest());
    driver.request("date").unwrap();
    driver.session.quit(driver.now);
    driver.drain();
    assert!(driver.take_sent().last().unwrap().ends_with(" quit\n"));
    driver.feed("Logging you out.\n\r");
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Quit));
    assert_eq!(driver.take_session_events().last(), Some(&Event::Ended(SessionEndReason::Quit)));
    assert_eq!(driver.reply(), Err(RequestError::Ended(SessionEndReason::Quit)));
}

#[test]
fn the_session_closes_the_connection_if_the_server_does_not_after_quit() {
    let (mut driver, _) = on_fics(guest());
    driver.session.quit(driver.now);
    driver.session.quit(driver.now);
    driver.drain();
    driver.feed("You can't quit while you are playing a game.\n\rfics% ");
    driver.wait(seconds(5));
    driver.close_on_request();
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Quit));
}

#[test]
fn a_quit_by_request_is_not_a_loss() {
    for quit in ["quit", "Quit", "$LOGOUT"] {
        let (mut driver, _) = on_fics(guest());
        driver.request(quit).unwrap();
        driver.close(CloseCause::Closed);
        assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Quit), "{quit}");
    }
}

#[test]
fn a_session_can_be_shut_down_at_any_time() {
    let shutdown = |driver: &mut Driver| {
        driver.session.shutdown(driver.now);
        if driver.session.next_action() == DriverAction::Close {
            driver.close_on_request();
        }
        driver.drain();
        assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Shutdown));
        assert_eq!(driver.take_session_events().last(), Some(&Event::Ended(SessionEndReason::Shutdown)));
        assert!(driver.session.poll_transmit(driver.now).is_none());
        driver.session.shutdown(driver.now);
        driver.session.quit(driver.now);
        driver.session.handle_close(CloseCause::Closed, driver.now);
        driver.session.handle_dial_outcome(Ok(()), driver.now);
        driver.session.handle_timeout(driver.now);
        let mut rest = &b"fics% "[..];
        assert!(driver.session.receive(&mut rest, driver.now).is_none() && rest.is_empty());
        assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Shutdown));
        assert!(driver.session.poll_event().is_none());
    };
    shutdown(&mut Driver::new(guest()));
    shutdown(&mut Driver::connected(guest()));
    shutdown(&mut on_fics(guest()).0);
    let (mut driver, _) = on_fics(guest());
    driver.close(CloseCause::Closed);
    shutdown(&mut driver);
}
