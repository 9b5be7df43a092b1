//! Sessions through websockify, an independent proxy that connects WebSocket clients to the TCP port of a chess server.
//!
//! The test is skipped, and says so, if Python or the module websockify is missing; the variable `KIBITZER_PYTHON` names the interpreter.

use std::process::Stdio;

use kibitzer::{Client, EventKind, Filter, Profile};
use kibitzer_core::wire::Timeseal;
use kibitzer_server::{PopulationOptions, Server, ServerOptions};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use super::certificates::Certificates;

/// Starts the proxy on a free port, and returns it with the port once it listens; `None` if it is not installed.
async fn websockify(server: &Server, arguments: &[&std::ffi::OsStr]) -> Option<(Child, u16)> {
    let python = std::env::var("KIBITZER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import websockify"]).stderr(Stdio::null()).status().await;
    if !found.is_ok_and(|status| status.success()) {
        eprintln!(
            "SKIPPED: {python} or its module websockify is missing; no session went through an independent proxy"
        );
        return None;
    }
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut command = Command::new(&python);
    command.args(["-m", "websockify"]).args(arguments).arg(format!("127.0.0.1:{port}"));
    command.arg(server.address().unwrap().to_string()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while !lines.next_line().await.unwrap().expect("it listens").contains("proxying from") {}
    // It goes on to write a line for each connection.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Some((child, port))
}

/// Observes games, one after the other, until ten boards were received, and quits.
async fn observe(profile: Profile) {
    let client = Client::connect(profile).await.unwrap();
    assert_eq!(client.capabilities().timeseal, Timeseal::V2);
    let mut events = client.subscribe().only(Filter::new().kinds([EventKind::Position, EventKind::GameEnded]));
    let mut n_boards = 0;
    while n_boards < 10 {
        let game = client.games().await.unwrap().games[0].game;
        client.observe(game).await.unwrap();
        while n_boards < 10 && events.recv().await.unwrap().kind() == EventKind::Position {
            n_boards += 1;
        }
    }
    client.quit().await;
    client.shutdown().await;
}

#[tokio::test]
async fn a_session_works_through_an_independent_proxy_with_and_without_tls() {
    let population = PopulationOptions::new().speed(50.0);
    let server = Server::start(ServerOptions::new().population(population)).await.unwrap();
    let certificates = Certificates::new("proxy");
    let (certificate, key) = certificates.issue("localhost", (2020, 4000));
    let Some((mut plain, port)) = websockify(&server, &[]).await else { return };
    observe(Profile::fics().url(&format!("ws://127.0.0.1:{port}")).unwrap()).await;
    plain.kill().await.unwrap();
    let tls = ["--cert".as_ref(), certificate.as_ref(), "--key".as_ref(), key.as_ref(), "--ssl-only".as_ref()];
    let (mut sealed, port) = websockify(&server, &tls).await.unwrap();
    let profile = Profile::fics().url(&format!("wss://localhost:{port}")).unwrap();
    observe(profile.ca_file(certificates.authority())).await;
    sealed.kill().await.unwrap();
    server.shutdown().await;
}
