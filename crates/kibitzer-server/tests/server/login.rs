//! Logging in and being refused, in the forms of transport §7 and of the `fatics-login-*` transcripts.

use std::time::Duration;

use kibitzer_server::{Account, ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily, LoginObstacle, Server};
use tokio::time;

use crate::peer::{Peer, options_with, plain, server_with};

const INVITATION: &str = "If you are not a registered player, enter the login name \"guest\".\n\n";

#[tokio::test(start_paused = true)]
async fn a_guest_receives_a_name_and_logs_in_by_return() {
    let server = server_with(&[]).await;
    let (mut peer, banner) = Peer::connect(&server).await;
    assert!(plain(&banner).ends_with("\n\nlogin: "), "{}", plain(&banner));
    assert!(!plain(&banner).contains("freechess"));
    let answer = peer.ask("guest").await;
    let name = answer.split('"').nth(1).unwrap().to_owned();
    assert_eq!(
        answer,
        format!(
            "\nLogging you in as \"{name}\"; you may use this name to play unrated games.\n\
             (After logging in, do \"help register\" for more info on how to register.)\n\n\
             Press return to enter the server as \"{name}\":\n<WILL ECHO>"
        )
    );
    let greeting = peer.ask("anything").await;
    assert!(
        greeting.starts_with(&format!("<WONT ECHO>\n**** Starting FICS session as {name}(U) ****\n")),
        "{greeting}"
    );
    assert!(greeting.ends_with("\n\nfics% "), "{greeting}");
    assert_eq!(peer.ask("").await, "fics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn names_are_checked_as_on_freechess_org() {
    let server = server_with(&["Newton"]).await;
    let taken = Peer::guest(&server, "Zoltan").await;
    let (mut peer, _) = Peer::connect(&server).await;
    let cases = [
        ("", ""),
        ("ab", "\nA name should be at least three characters long!  Try again.\n"),
        ("abc1", "\nSorry, names can only consist of lower and upper case letters.  Try again.\n"),
        ("this-has-dashes", "\nSorry, names can only consist of lower and upper case letters.  Try again.\n"),
        ("averyveryverylongloginname", "\nSorry, names may be at most 17 characters long.  Try again.\n"),
        ("zoltan", "Sorry, zoltan is already logged in. Try again.\n"),
        ("%zzz", ""),
        ("%b101", ""),
        ("%b11110111111111111111111111111111", "\n#Ivars set.\n"),
    ];
    for (name, want) in cases {
        assert_eq!(peer.ask(name).await, format!("{want}\nlogin: "), "{name}");
    }
    let answer = peer.ask("leibniz").await;
    assert!(
        answer.starts_with(
            "\n\"leibniz\" is not a registered name.  You may use this name to play unrated games.\n(After logging in"
        ),
        "{answer}"
    );
    drop(taken);
    let (mut quitter, _) = Peer::connect(&server).await;
    assert_eq!(quitter.ask("%q").await, "");
    assert!(quitter.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_password_is_asked_for_and_a_wrong_one_costs_three_seconds() {
    let server = server_with(&["Newton"]).await;
    let (mut peer, _) = Peer::connect(&server).await;
    let asked = "\n\"Newton\" is a registered name.  If it is yours, type the password.\n\
                 If not, just hit return to try another name.\n\npassword: <WILL ECHO>";
    assert_eq!(peer.ask("newton").await, asked);
    assert_eq!(peer.ask("pear").await, "<WONT ECHO>\n\n**** Invalid password! ****\n\n");
    let start = time::Instant::now();
    // Lines sent meanwhile are processed after the pause.
    peer.send(b"newton\n").await;
    assert_eq!(peer.text().await, "");
    time::sleep(Duration::from_secs(3)).await;
    assert_eq!(peer.text().await, format!("{INVITATION}\nlogin: {asked}"));
    assert!(start.elapsed() < Duration::from_secs(4));
    assert_eq!(peer.ask("").await, format!("<WONT ECHO>\n{INVITATION}\nlogin: "));
    assert_eq!(peer.ask("newton").await, asked);
    let greeting = peer.ask("secret").await;
    assert!(greeting.starts_with("<WONT ECHO>\n**** Starting FICS session as Newton ****\n"), "{greeting}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn two_guests_never_receive_the_same_name() {
    let server = Server::start(options_with(&[]).family(ImitatedFamily::Icc)).await.unwrap();
    let (mut one, _) = Peer::connect(&server).await;
    let (mut other, _) = Peer::connect(&server).await;
    one.send(b"guest\n").await;
    other.send(b"guest\n").await;
    assert!(String::from_utf8_lossy(&one.heard().await).contains("\"guest1\""));
    assert!(String::from_utf8_lossy(&other.heard().await).contains("\"guest2\""));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_password_counts_from_the_next_login_on() {
    let server = server_with(&["Newton"]).await;
    let mut peer = Peer::player(&server, "Newton").await;
    assert_eq!(peer.ask("password secret").await, "Usage: password old new\nfics% ");
    assert_eq!(peer.ask("password wrong apple").await, "Incorrect password; password not changed!\nfics% ");
    assert_eq!(peer.ask("password secret apple").await, "Password changed to \"apple\".\nfics% ");
    peer.ask("quit").await;
    let (mut again, _) = Peer::connect(&server).await;
    again.ask("Newton").await;
    assert!(again.ask("apple").await.contains("**** Starting FICS session as Newton ****"));
    let mut guest = Peer::guest(&server, "Vagabond").await;
    assert_eq!(guest.ask("password a b").await, "Setting a password is only for registered players.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_second_login_ends_the_first() {
    let server = server_with(&["Newton"]).await;
    let mut first = Peer::player(&server, "Newton").await;
    assert_eq!(first.ask("+channel 4").await, "[4] added to your channel list.\nfics% ");
    let (mut second, _) = Peer::connect(&server).await;
    second.ask("newton").await;
    let greeting = second.ask("secret").await;
    assert!(
        greeting.starts_with(
            "<WONT ECHO>\n**** Newton is already logged in - kicking them out. ****\n\
             **** Starting FICS session as Newton ****\n"
        ),
        "{greeting}"
    );
    assert_eq!(first.text().await, "**** Newton has arrived - you can't both be logged in. ****\n\n");
    assert!(first.is_closed().await);
    assert_eq!(second.ask("=channel").await, "-- channel list: 1 channel --\n4\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_login_times_out() {
    let server = server_with(&[]).await;
    let (mut peer, _) = Peer::connect(&server).await;
    peer.ask("guest").await;
    time::sleep(Duration::from_secs(29)).await;
    assert_eq!(peer.text().await, "");
    time::sleep(Duration::from_secs(1)).await;
    assert_eq!(peer.text().await, "\n**** LOGIN TIMEOUT ****\n");
    assert!(peer.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_player_is_logged_out_and_a_poll_does_not_count() {
    let server = server_with(&[]).await;
    let mut peer = Peer::guest(&server, "Newton").await;
    time::sleep(Duration::from_mins(59)).await;
    assert!(peer.ask("date").await.starts_with("Local time     - Sat Nov 21, 01:29 UTC 2026\n"));
    time::sleep(Duration::from_mins(59)).await;
    assert!(peer.ask("$$date").await.starts_with("Local time "));
    time::sleep(Duration::from_secs(61)).await;
    assert_eq!(peer.text().await, "\n**** Auto-logout because you were idle more than 60 minutes. ****\n");
    assert!(peer.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn logins_are_refused_on_request_and_by_the_options() {
    let prevented = "\nSorry, guest connections have been prevented from your site.\n";
    let banned = Account::new("Leibniz".parse().unwrap(), "secret").banned();
    let server =
        Server::start(options_with(&["Newton"]).account(banned).refuse_guests().max_connections(1)).await.unwrap();
    let (mut peer, _) = Peer::connect(&server).await;
    let (mut refused, text) = Peer::connect(&server).await;
    assert_eq!(plain(&text), "\nSorry, the server is full.  Please try again later.\n");
    assert!(refused.is_closed().await);
    assert_eq!(peer.ask("guest").await, prevented);
    assert!(peer.is_closed().await);
    let (mut peer, _) = Peer::connect(&server).await;
    assert_eq!(peer.ask("leibniz").await, "\nPlayer \"Leibniz\" is banned.\n");
    assert!(peer.is_closed().await);

    let cases = [
        (
            LoginObstacle::BadName,
            "\nSorry, names can only consist of lower and upper case letters.  Try again.\n\nlogin: ",
        ),
        (LoginObstacle::InUse, "Sorry, Newton is already logged in. Try again.\n\nlogin: "),
        (LoginObstacle::Banned, "\nPlayer \"Newton\" is banned.\n"),
        (LoginObstacle::Guests, prevented),
        (LoginObstacle::Full, "\nSorry, the server is full.  Please try again later.\n"),
        (LoginObstacle::Silence, ""),
    ];
    for (refusal, want) in cases {
        server.control().inject(ConnectionTarget::Next, FaultPoint::Connect, Fault::Refuse(refusal)).await.unwrap();
        let (mut peer, _) = Peer::connect(&server).await;
        assert_eq!(peer.ask("Newton").await, want, "{refusal:?}");
    }
    server
        .control()
        .inject(ConnectionTarget::Next, FaultPoint::Connect, Fault::Refuse(LoginObstacle::Password))
        .await
        .unwrap();
    let (mut peer, _) = Peer::connect(&server).await;
    assert!(peer.ask("Newton").await.ends_with("password: <WILL ECHO>"));
    assert_eq!(peer.ask("secret").await, "<WONT ECHO>\n\n**** Invalid password! ****\n\n");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn telnet_commands_are_answered_and_removed_from_lines() {
    let server = server_with(&[]).await;
    let mut peer = Peer::guest(&server, "Newton").await;
    peer.send(b"\xff\xfd\x03").await;
    assert_eq!(peer.heard().await, b"\xff\xfb\x03");
    peer.send(b"\xff\xfd\x06\xff\xfb\x18\xff\xfd\x01\xff\xf1").await;
    assert_eq!(peer.heard().await, b"\xff\xfb\x06");
    peer.send(b"\xff\xf6").await;
    assert_eq!(peer.heard().await, b"[Responding to AYT: Yes, I'm here.]\n");
    peer.send(b"junk\xff\xf8da\xff\xfe\x01te\r\n").await;
    assert!(peer.text().await.starts_with("Local time "));
    peer.send(b"\xff\xf4").await;
    assert_eq!(peer.text().await, "");
    assert!(peer.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn features_can_be_disabled() {
    let options = [Feature::BlockMode, Feature::LoginIvars, Feature::Timeseal]
        .into_iter()
        .fold(options_with(&[]), kibitzer_server::ServerOptions::without);
    let server = Server::start(options).await.unwrap();
    let (mut peer, _) = Peer::connect(&server).await;
    let bad_name = "\nSorry, names can only consist of lower and upper case letters.  Try again.\n\nlogin: ";
    assert_eq!(peer.ask(&format!("%b{}", "1".repeat(35))).await, bad_name);
    peer.ask("Newton").await;
    peer.ask("").await;
    assert_eq!(peer.ask("iset block 1").await, "No such ivariable \"block\".\nfics% ");
    assert!(!peer.ask("ivariables").await.contains("block"));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn without_pipelining_lines_that_arrive_together_are_processed_one_by_one() {
    let server = Server::start(options_with(&[]).without(Feature::Pipelining)).await.unwrap();
    let mut peer = Peer::guest(&server, "Newton").await;
    let reply = |channel: u8| format!("There are 0 players in channel {channel}.\nfics% ");
    peer.send(b"inchannel 1\ninchannel 2\ninchannel 3\ninchannel 4\ninchan").await;
    assert_eq!(peer.text().await, reply(1));
    peer.send(b"nel 5\n").await;
    assert_eq!(peer.text().await, reply(2), "more bytes bring the next");
    for channel in [3, 4, 5] {
        time::sleep(Duration::from_secs(2)).await;
        assert_eq!(peer.text().await, reply(channel), "and so does time");
    }
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_and_input_give_the_same_bytes() {
    let session = |seed| async move {
        let server = Server::start(options_with(&[]).seed(seed)).await.unwrap();
        let (mut peer, mut heard) = Peer::connect(&server).await;
        for line in ["guest", "", "who", "date", "quit"] {
            peer.send(format!("{line}\n").as_bytes()).await;
            heard.extend(peer.heard().await);
        }
        heard
    };
    assert_eq!(session(1).await, session(1).await);
    assert_ne!(session(1).await, session(2).await);
}
