//! Logging in, and not being let in.

use std::time::Duration;

use kibitzer::{Client, ConnectError, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{LoginError, LoginStep};
use kibitzer_core::session::{Credentials, Password};
use kibitzer_core::text::ServerText;
use kibitzer_server::{
    Account, ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily, LoginObstacle, ServerOptions,
};
use kibitzer_tests::live::{PASSWORD, TestServer, drain, handle, options};

#[tokio::test(start_paused = true)]
async fn guests_and_players_learn_their_names_from_the_server() {
    for without in [&[][..], &[Feature::BlockMode], &[Feature::LoginIvars, Feature::BlockMode]] {
        let options = without.iter().fold(options(&["Newton"]), |options, &feature| options.without(feature));
        let test_server = TestServer::start(options).await;
        let newton =
            Client::connect(test_server.profile().account(handle("nEWTON"), Password::new(PASSWORD).unwrap())).await;
        let newton = newton.unwrap();
        assert_eq!(newton.handle().unwrap().as_str(), "Newton", "{without:?}");
        let leibniz = test_server.guest("Leibniz").await;
        assert_eq!(leibniz.handle().unwrap().as_str(), "Leibniz", "{without:?}");
        let nobody = Client::connect(test_server.profile()).await.unwrap();
        assert!(nobody.handle().unwrap().as_str().starts_with("Guest"), "{nobody:?}");
        let who = newton.request("who").await.unwrap().text();
        for client in [&newton, &leibniz, &nobody] {
            assert!(who.contains(client.handle().unwrap().as_str()), "{who}");
            client.shutdown().await;
        }
    }
}

type Configure = Box<dyn Fn(Profile) -> Profile>;

#[tokio::test(start_paused = true)]
async fn every_refusal_is_an_error_of_its_own() {
    use LoginError as E;

    let account = |name: &str, password: &str| {
        let (name, password) = (handle(name), Password::new(password).unwrap());
        move |profile: Profile| profile.account(name.clone(), password.clone())
    };
    let guest = |name: &str| {
        let name = handle(name);
        move |profile: Profile| profile.guest_as(name.clone())
    };
    let base = || options(&["Newton"]).account(Account::new(handle("Banned"), PASSWORD).banned());
    let cases: [(&str, ServerOptions, Configure, LoginError); 9] = [
        ("wrong password", base(), Box::new(account("Newton", "apple")), E::InvalidPassword),
        ("no such account", base(), Box::new(account("Hooke", "apple")), E::UnknownAccount),
        ("a guest's name is an account's", base(), Box::new(guest("Newton")), E::PasswordRequired),
        ("name in use", base(), Box::new(guest("Leibniz")), E::NameInUse),
        ("banned", base(), Box::new(account("Banned", PASSWORD)), E::Banned),
        ("too short a name", base(), Box::new(guest("ab")), E::BadName),
        ("a guest where none is admitted", base().refuse_guests(), Box::new(|profile| profile), E::GuestsRefused),
        ("a named guest where none is admitted", base().refuse_guests(), Box::new(guest("Hooke")), E::GuestsRefused),
        ("full", base().max_connections(0), Box::new(|profile| profile), E::ServerFull),
    ];
    for (name, options, profile, want) in cases {
        let test_server = TestServer::start(options).await;
        let first = Client::connect(test_server.profile().guest_as(handle("Leibniz"))).await;
        let error = Client::connect(profile(test_server.profile())).await.expect_err(name);
        assert!(matches!(&error, ConnectError::Login(found) if *found == want), "{name}: {error:?}");
        if let Ok(first) = first {
            first.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_is_asked_for_is_the_one_of_an_account_on_icc_too() {
    let cases = [
        (LoginObstacle::BadName, LoginError::BadName),
        (LoginObstacle::Registered, LoginError::InvalidPassword),
        (LoginObstacle::InUse, LoginError::NameInUse),
        (LoginObstacle::Banned, LoginError::Banned),
        (LoginObstacle::Password, LoginError::InvalidPassword),
        (LoginObstacle::Full, LoginError::ServerFull),
        (LoginObstacle::Silence, LoginError::TimedOut(LoginStep::Entering)),
    ];
    for (obstacle, want) in cases {
        let options = options(&["Newton"]).family(ImitatedFamily::Icc).login_timeout(Duration::from_hours(1));
        let test_server = TestServer::start(options).await;
        test_server
            .server()
            .control()
            .inject(ConnectionTarget::Next, FaultPoint::Connect, Fault::Refuse(obstacle))
            .await
            .unwrap();
        let error = Client::connect(test_server.account("Newton")).await.expect_err("refused");
        assert!(matches!(&error, ConnectError::Login(found) if *found == want), "{obstacle:?}: {error:?}");
    }
}

/// The first line of the embedded server.
const BANNER: &str = concat!("This is an embedded kibitzer server, version ", env!("CARGO_PKG_VERSION"), ".");

fn no_prompt(first_line: &str) -> LoginError {
    LoginError::NoLoginPrompt(ServerText::from_wire(first_line.as_bytes()))
}

#[tokio::test(start_paused = true)]
async fn each_step_of_a_login_has_its_time_and_can_break_off() {
    let silence = Fault::Refuse(LoginObstacle::Silence);
    let cases = [
        ("half a banner", FaultPoint::Connect, Fault::Stall, no_prompt("This is an embedded kibit"), 30),
        ("no answer", FaultPoint::Connect, silence, LoginError::TimedOut(LoginStep::Name), 20),
        ("half a greeting", FaultPoint::Setup, Fault::Stall, LoginError::TimedOut(LoginStep::Entering), 21),
        (
            "no reply to the first command",
            FaultPoint::InBlock,
            Fault::Stall,
            LoginError::TimedOut(LoginStep::Entering),
            21,
        ),
        ("cut in the banner", FaultPoint::Connect, Fault::Cut, no_prompt("This is an embedded kibit"), 0),
        ("cut in `login:`", FaultPoint::Login, Fault::Cut, no_prompt(BANNER), 0),
        ("cut in the greeting", FaultPoint::Setup, Fault::Cut, LoginError::Closed(LoginStep::Password), 0),
        ("cut in the first reply", FaultPoint::InBlock, Fault::Cut, LoginError::Closed(LoginStep::Entering), 0),
    ];
    for (name, at, fault, want, most_s) in cases {
        let test_server = TestServer::start(options(&["Newton"]).login_timeout(Duration::from_hours(1))).await;
        test_server.server().control().inject(ConnectionTarget::Next, at, fault).await.unwrap();
        let start = tokio::time::Instant::now();
        let error = Client::connect(test_server.account("Newton")).await.expect_err(name);
        assert!(matches!(&error, ConnectError::Login(found) if *found == want), "{name}: {error:?}");
        let took = start.elapsed().as_secs();
        assert!(took <= most_s + 1, "{name}: {took} s");
    }
}

// Rules: transport LG2, bugs 17
#[tokio::test(start_paused = true)]
async fn a_password_is_sent_when_asked_for_and_shown_to_nobody() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    let builder = Client::builder(test_server.account("Newton"));
    let mut events = builder.subscribe_lossless(1 << 12);
    let client = builder.start().await.unwrap();
    client.ready().await.unwrap();
    let (told, _) = drain(&mut events);
    let secrets = told.iter().filter(|event| matches!(event, Event::Sent { line: None, .. })).count();
    assert_eq!(secrets, 1);
    assert!(!format!("{told:?}{client:?}{:?}", test_server.account("Newton")).contains(PASSWORD));
    client.shutdown().await;
    // A guest is asked for none.
    let builder = Client::builder(test_server.profile());
    let mut events = builder.subscribe_lossless(1 << 12);
    let guest = builder.start().await.unwrap();
    guest.ready().await.unwrap();
    assert!(!drain(&mut events).0.iter().any(|event| matches!(event, Event::Sent { line: None, .. })));
    assert_eq!(Credentials::Guest.name_to_send(), "guest");
    guest.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_first_connection_is_not_tried_twice() {
    let test_server = TestServer::start(options(&["Newton"])).await;
    test_server.dial_target().refuse(std::num::NonZeroU32::new(5).unwrap());
    let error = Client::connect(test_server.account("Newton")).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(_)), "{error:?}");
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(test_server.dial_target().n_dialed(), 1);
}
