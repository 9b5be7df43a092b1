//! Connecting: ports, timeseal, a profile from a file.

use std::net::TcpListener;
use std::time::Duration;

use kibitzer::{Client, ConnectError, Profile};
use kibitzer_core::event::DialError;
use kibitzer_core::session::TimesealChoice;
use kibitzer_core::wire::Timeseal;
use kibitzer_server::{Feature, Server, ServerOptions};
use kibitzer_tests::live::{TestServer, begin_game, options, play};

/// A port of the loopback on which nobody listens.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn ports_are_tried_in_their_order_until_somebody_answers() {
    let server = Server::start(ServerOptions::new()).await.unwrap();
    let port = server.address().unwrap().port();
    let profile = Profile::new("127.0.0.1").connect_timeout(Duration::from_secs(5));
    let client = Client::connect(profile.clone().ports([free_port(), port])).await.unwrap();
    assert!(client.handle().is_some());
    client.quit().await;
    client.shutdown().await;
    server.shutdown().await;
    let refused = Client::connect(profile.ports([free_port(), port])).await.unwrap_err();
    let is_refusal = matches!(refused, ConnectError::Dial(DialError::Failed(std::io::ErrorKind::ConnectionRefused)));
    assert!(is_refusal, "{refused:?}");
}

#[tokio::test]
async fn a_profile_from_a_file_logs_in_over_a_socket() {
    let path = |name: &str| std::env::temp_dir().join(format!("kibitzer-live-{}-{name}", std::process::id()));
    let (config, secret) = (path("profile.toml"), path("secret"));
    let accounts = "[[account]]\nhandle = \"Newton\"\npassword = \"swordfish\"\n";
    let accounts = kibitzer_server::Account::parse_list(accounts, kibitzer_server::ImitatedFamily::Fics).unwrap();
    let server = Server::start(ServerOptions::new().accounts(accounts)).await.unwrap();
    write_private(&secret, "swordfish\n");
    let text = format!(
        "host = \"localhost\"\nports = [{}]\nhandle = \"newton\"\npassword_from = {{ file = {secret:?} }}\n",
        server.address().unwrap().port()
    );
    std::fs::write(&config, text).unwrap();
    let client = Client::connect(Profile::load(&config).unwrap()).await;
    std::fs::remove_file(&config).unwrap();
    std::fs::remove_file(&secret).unwrap();
    let client = client.unwrap();
    assert_eq!(client.handle().unwrap().as_str(), "Newton", "as the server spells it");
    client.shutdown().await;
    server.shutdown().await;
}

/// Writes what nobody else may read.
fn write_private(path: &std::path::Path, text: &str) {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[tokio::test(start_paused = true)]
async fn timeseal_is_spoken_in_the_version_that_both_speak() {
    let cases = [
        (TimesealChoice::Off, true, Timeseal::Off),
        (TimesealChoice::V1, true, Timeseal::V1),
        (TimesealChoice::V2, true, Timeseal::V2),
        (TimesealChoice::Auto, true, Timeseal::V2),
        (TimesealChoice::Auto, false, Timeseal::Off),
    ];
    for (choice, is_spoken, want) in cases {
        let case = format!("{choice:?} at a server that speaks it: {is_spoken}");
        let all = options(&["Newton", "Euler"]);
        let test_server = TestServer::start(if is_spoken { all } else { all.without(Feature::Timeseal) }).await;
        let newton =
            Client::connect(test_server.account("Newton").session(|session| session.timeseal(choice))).await.unwrap();
        assert_eq!(newton.capabilities().timeseal, want, "{case}");
        assert_eq!(test_server.dial_target().n_dialed(), 1, "{case}");
        // What is sealed is understood, and every ping of the game is answered: the server would not go on otherwise.
        let euler = test_server.player("Euler").await;
        begin_game(&newton, &euler).await;
        for (white, black) in [("e4", "e5"), ("Nf3", "Nc6"), ("Bb5", "a6")] {
            play(&newton, white).await;
            play(&euler, black).await;
        }
        let who = newton.who().await.unwrap();
        assert_eq!(who.players.len(), 2, "{case}");
        assert_eq!(newton.counters().session.pings > 0, want != Timeseal::Off, "{case}");
        if want != Timeseal::Off {
            assert!(newton.request("ping Newton").await.unwrap().text().contains("sample"), "{case}: {who:?}");
        }
        newton.shutdown().await;
        euler.shutdown().await;
    }
}
