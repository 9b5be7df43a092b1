//! From the connection to the end of the set-up.

use super::peer::{Manner, Peer};
use super::*;
use crate::message::{Ivar, NameKind};

const FATICS_GUEST: &str = "\n\rLogging you in as \"GuestPUPE\"; you may use this name to play unrated games.\n\r\
    (After logging in, do \"help register\" for more info on how to register.)\n\r\n\r\
    Press return to enter the server as \"GuestPUPE\":\n\r\u{0}";

const FATICS_STARTING: &str =
    "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\rCopyright (C) 2010-2014 Wil Mahan\n\r\n\rfics% ";

/// A guest whom FatICS lets in; set-up is still to come.
pub(super) fn log_in_guest(driver: &mut Driver) {
    driver.feed("Welcome\n\r\n\rlogin: ");
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    driver.feed(FATICS_GUEST);
    driver.feed(FATICS_STARTING);
}

#[test]
fn a_guest_is_let_in_and_the_session_set_up() {
    let mut driver = Driver::connected(guest());
    driver.feed("Welcome to / Bienvenue &#xe0;\n\r\n\rlogin: ");
    assert_eq!(driver.take_sent(), ["%b00010111010001000100000000000001000\n"]);
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    assert_eq!(driver.take_sent(), ["guest\n"]);
    driver.feed(FATICS_GUEST);
    assert_eq!(driver.take_sent(), ["\n"]);
    assert_eq!(driver.session.state(), State::LoggingIn(LoginStep::Entering));
    driver.feed(FATICS_STARTING);

    let mut peer = Peer::new(Manner::Fics);
    peer.block = true;
    peer.ivars =
        ["defprompt", "startpos", "gameinfo", "pendinfo", "nohighlight", "ms", "nowrap"].map(String::from).into();
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), State::Ready);
    assert_eq!(driver.session.handle().map(ToString::to_string).as_deref(), Some("GuestPUPE"));
    let capabilities = driver.session.capabilities();
    assert!(capabilities.block() && capabilities.ms() && capabilities.nowrap());
    assert!(!capabilities.seekinfo() && !capabilities.has(Ivar::Lock));
    let news = driver.take_news();
    assert!(
        matches!(&news[..], [Event::Connecting { attempt: 1 }, Event::Connected, Event::LoggedIn(identity), Event::Ready(_)]
            if identity.kind == NameKind::Unregistered && identity.titles.iter().eq(["U"])),
        "{news:?}"
    );
}
